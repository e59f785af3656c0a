"""Highlights appear at the right moment and stay until the next throw."""

from dataclasses import replace

import pytest

from game.match.events import Left, ScoreSet, Skipped
from game.match.match import Match
from game.rules import rule_files
from game.stats.announcements import HighlightKind, highlight

RULES = rule_files.load("walnut-studiolo")
THOUSAND, FIVE_HUNDRED, FARKLE = (1, 1, 1, 2, 3, 4), (5, 5, 5, 2, 3, 4), (2, 2, 3, 3, 4, 6)


@pytest.fixture
def match():
    return Match.start(RULES, ["Anna", "Ben"])


def shown(match):
    found = highlight(match)
    return found and (found.kind, found.seat, str(found.words))


def test_there_is_no_highlight_before_the_first_throw(match):
    assert shown(match) is None
    assert shown(match.throw((1, 2, 3, 4, 6, 6))) is None


def test_a_farkle_is_shown_with_the_lost_points_until_the_next_throw(match):
    farkled = match.throw(THOUSAND).keep((1, 1, 1)).throw((2, 3, 4))
    assert shown(farkled) == (HighlightKind.FARKLE, 0, "Farkle! Anna loses 1,000")

    assert shown(farkled.throw((1, 2, 3, 4, 6, 6))) is None


def test_a_farkle_on_the_first_throw_loses_nothing(match):
    assert shown(match.throw(FARKLE)) == (HighlightKind.FARKLE, 0, "Farkle, Anna!")


def test_hot_dice_are_shown_while_they_are_in_hand(match):
    hot = match.throw((1, 1, 1, 5, 5, 5))

    assert shown(hot)[0] is HighlightKind.HOT
    assert shown(hot.keep((1, 1, 1, 5, 5, 5)))[0] is HighlightKind.HOT
    assert shown(hot.keep((1, 1, 1))) is None


def test_the_first_bank_gets_on_the_board_and_later_ones_take_the_lead(match):
    opened = match.throw(THOUSAND).bank()
    assert shown(opened) == (HighlightKind.OPENED, 0, "Anna is on the board")

    behind = opened.throw(FIVE_HUNDRED).bank().throw(FARKLE)
    ahead = behind.throw(THOUSAND).bank()
    assert shown(ahead) == (HighlightKind.LEAD, 1, "Ben takes the lead")
    assert shown(ahead.throw(FARKLE).throw(FIVE_HUNDRED).bank()) is None


def test_the_lead_is_taken_from_the_players_who_are_still_there():
    match = Match.start(RULES, ["Anna", "Ben", "Cleo"]).push(ScoreSet(0, 5_000), ScoreSet(1, 700))
    match = match.push(ScoreSet(2, 500), Left(0), Skipped()).throw(THOUSAND).bank()

    assert shown(match) == (HighlightKind.LEAD, 2, "Cleo takes the lead")


@pytest.mark.parametrize("teams", [None, [1, 2, 1]])
def test_nobody_gets_on_the_board_twice(teams):
    rules = replace(rule_files.load("bear-zilch"), three_farkles=1_000)
    match = Match.start(rules, ["Anna", "Ben", "Cleo"], teams=teams).throw(THOUSAND).bank()
    for _ in range(9):
        match = match.throw(FARKLE)
    assert match.state.players[0].score <= 0
    again = match.throw(FARKLE).throw(THOUSAND).bank()

    assert shown(again) == (None if teams else (HighlightKind.OPENED, 2, "Cleo is on the board"))
    assert shown(again.throw(THOUSAND).bank()) is None


def test_the_last_round_and_the_win_are_shown():
    match = Match.start(replace(RULES, target=1000), ["Anna", "Ben"]).throw(THOUSAND).bank()
    assert shown(match) == (HighlightKind.LAST_ROUND, 0, "Last round: Anna has 1,000")

    assert shown(match.throw(FARKLE)) == (HighlightKind.WON, 0, "Anna wins!")


def test_a_reset_is_shown_as_back_to_zero():
    rules = rule_files.load("ten-thousand-extras")
    match = Match.start(rules, ["Anna", "Ben"]).push(ScoreSet(0, 4000)).throw((2, 2, 2, 2, 3, 4))

    assert shown(match) == (HighlightKind.FARKLE, 0, "Anna is back to zero")
    assert highlight(match).points == 0


def test_a_player_whose_score_was_set_to_zero_is_not_on_the_board(match):
    opened = match.throw(THOUSAND).bank()

    assert shown(opened.push(ScoreSet(0, 0))) is None
