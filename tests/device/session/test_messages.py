"""The messages that the table shows about the end of a turn."""

from dataclasses import replace

from device.session import messages
from game.match.match import Match
from game.rules import rule_files
from game.rules.ruleset import LastRound

PLAIN = rule_files.load("standard")
THOUSAND = (1, 1, 1, 2, 3, 4)


def begin(**options):
    return Match.start(replace(PLAIN, **options), ["Anna", "Ben", "Cleo"])


def test_farkle_names_the_dice_and_what_is_lost():
    match = begin().throw((1, 2, 3, 4, 6, 6)).keep((1,)).throw((2, 3, 4, 6, 6))

    assert str(messages.outcome(match)) == "2 3 4 6 6: farkle! Anna loses 100. Ben throws."


def test_the_cost_of_three_threes_is_named_in_a_farkle_too():
    match = begin(triple_threes=300).throw((2, 3, 3, 3, 4, 6))

    assert str(messages.outcome(match)) == "2 3 3 3 4 6: farkle, Anna! That costs 300. Ben throws."


def test_the_cost_of_a_first_turn_without_points_is_named():
    match = begin(scoreless_start=200).throw((2, 3, 3, 4, 6, 6))

    assert str(messages.outcome(match)) == "2 3 3 4 6 6: farkle, Anna! That costs 200. Ben throws."


def test_charity_roll_below_the_opening_is_not_called_a_farkle():
    match = begin(opening=500, target=1000, last_round=LastRound.CHARITY_ROLL)
    match = match.throw(THOUSAND).bank().throw((1, 1, 2, 3, 4, 6))

    assert str(messages.outcome(match)).startswith(
        "1 1 2 3 4 6 is not enough to bank: Ben scores zero."
    )
