from dataclasses import replace

import pytest

from game.match.events import ScoreSet
from game.match.keep_hints import keep_hint
from game.match.match import Match
from game.rules.rule_files import load
from game.rules.ruleset import LastRound, Win

RULES = load("walnut-studiolo")


def match(**options):
    return Match.start(replace(RULES, **options), ["Anna", "Ben", "Clara"])


def effect_of(match, *dice):
    keep = next(keep for keep in match.state.keeps if keep.dice == dice)
    return str(keep_hint(match.state, keep) or "")


def test_hint_says_how_many_points_the_opening_still_needs():
    thrown = match().throw([1, 1, 1, 5, 2, 3])

    assert effect_of(thrown, 1, 1) == "still 300 short of the 500 needed to get on the board"
    assert effect_of(thrown, 1, 1, 1) == ""


def test_hint_says_how_many_points_the_minimum_bank_still_needs():
    thrown = match(opening=0, minimum_bank=300).throw([1, 2, 3, 4, 6, 6])

    assert effect_of(thrown, 1) == "still 200 short of the 300 needed to bank"


def test_hint_names_hot_dice():
    thrown = match().throw([1, 1, 3, 3, 3, 5])

    assert effect_of(thrown, 1, 1, 3, 3, 3, 5) == "hot dice"


def test_hint_says_wins_if_nobody_may_follow():
    thrown = match(target=1000, last_round=LastRound.NONE).throw([1, 1, 1, 2, 3, 4])

    assert effect_of(thrown, 1, 1, 1) == "wins"


def test_hint_says_reaches_the_target_if_others_may_follow():
    thrown = match(target=1000).throw([1, 1, 1, 2, 3, 4])

    assert effect_of(thrown, 1, 1, 1) == "reaches 1,000"


def test_hint_does_not_promise_a_win_while_others_still_follow():
    two = Match.start(RULES, ["Anna", "Ben"]).throw([1, 1, 2, 3, 4, 6]).push(ScoreSet(0, 10_000))

    assert two.state.to_follow == (1,)
    assert effect_of(two, 1, 1) == "takes the lead"


def test_hint_warns_of_a_keep_that_overshoots():
    thrown = match(target=900, win=Win.EXACTLY).throw([1, 1, 1, 2, 3, 4])

    assert effect_of(thrown, 1, 1, 1) == "more than 900: scores zero"


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (9_000, "more than 10,000: the points go to another player"),
        (9_900, "more than 10,000: scores zero"),
    ],
)
def test_hint_names_the_recipient_only_if_the_points_fit(others, expected):
    thrown = match(target=10_000, win=Win.EXACTLY, welfare=True).push(ScoreSet(0, 9_950))
    thrown = thrown.push(ScoreSet(1, others)).push(ScoreSet(2, others)).throw([1, 1, 1, 2, 3, 4])

    assert effect_of(thrown, 1, 1, 1) == expected
    assert thrown.bank((1, 1, 1)).state.turns[-1].given == (1_000 if others == 9_000 else 0)


@pytest.mark.parametrize(
    ("dice", "kept", "expected"),
    [
        ((1, 1, 1, 2, 3, 4), (1, 1, 1), "only draws level"),
        ((6, 6, 6, 2, 3, 4), (6, 6, 6), "400 behind Anna"),
        ((1, 1, 1, 1, 3, 4), (1, 1, 1, 1), "takes the lead"),
    ],
)
def test_hint_compares_with_the_leader_in_the_last_round(dice, kept, expected):
    last_round = match(target=1000).throw([1, 1, 1, 2, 3, 4]).bank()

    assert effect_of(last_round.throw(dice), *kept) == expected


def test_the_last_player_wins_by_taking_the_lead():
    others = match(target=1000).throw([1, 1, 1, 2, 3, 4]).bank().throw([2, 2, 3, 3, 4, 6])

    assert effect_of(others.throw([1, 1, 1, 1, 3, 4]), 1, 1, 1, 1) == "wins"


def test_hint_promises_no_win_if_the_last_turns_go_on_until_nobody_beats_the_best_score():
    begun = match(target=1000, last_round=LastRound.UNTIL_UNBEATEN).throw([1, 1, 1, 2, 3, 4]).bank()
    last = begun.throw([2, 3, 3, 4, 4, 6]).throw([1, 1, 1, 5, 2, 3])

    assert last.state.to_follow == (2,)
    assert effect_of(last, 1, 1, 1, 5) == "takes the lead"


def test_who_reaches_the_score_of_the_leader_wins_if_that_knocks_the_leader_back():
    begun = match(target=1000, knock_back=True).throw([1, 1, 1, 2, 3, 4]).bank()
    last = begun.throw([2, 3, 3, 4, 4, 6]).throw([1, 1, 1, 5, 2, 3])

    assert effect_of(last, 1, 1, 1) == "wins"


def test_fewer_seats_are_left_after_each_turn_of_the_last_round():
    first = match(target=1000)
    second = first.throw([1, 1, 1, 2, 3, 4]).bank()
    third = second.throw([2, 2, 3, 3, 4, 6])

    assert [list(m.state.to_follow) for m in (first, second, third)] == [[], [1, 2], [2]]


def test_only_later_seats_follow_if_the_rules_say_so():
    second = match(target=1000, last_round=LastRound.LATER_IN_ROUND).throw([2, 2, 3, 3, 4, 6])

    assert list(second.throw([1, 1, 1, 2, 3, 4]).bank().state.to_follow) == [2]
