"""The decisions of bots in a match."""

from pathlib import Path

import pytest

from game.match.bot import Bot, PlayerStyle
from game.match.events import Banked, Kept, ScoreSet, Thrown, TookOver
from game.match.match import Match
from game.odds.review import keep_options
from game.odds.table_store import TableStore
from game.practice.strategy import BestPlay, StylePlay, needs_decision, strategy_of
from game.rules import rule_files

RULES = rule_files.load("walnut-studiolo")
NO_OPENING = rule_files.load("complete-guide")


def position(*events, rules=RULES):
    return Match.start(rules, ["Anna", "Bot"]).push(*events).state


@pytest.fixture(scope="module")
def wins():
    return TableStore(Path("none")).find(RULES)


def test_best_play_makes_the_choice_with_the_best_chance_of_winning(wins):
    state = position(ScoreSet(0, 9_000), ScoreSet(1, 9_400), Thrown((1, 5, 5, 3, 4, 6)))
    best = keep_options(state, wins)[0]
    expected = Banked if best.should_bank else Kept

    assert BestPlay(wins).decide(state) == expected(best.keep.dice)


def test_best_play_banks_what_wins(wins):
    state = position(ScoreSet(0, 9_500), ScoreSet(1, 3_000), Thrown((1, 1, 1, 3, 4, 6)))

    assert isinstance(BestPlay(wins).decide(state), Banked)


def test_best_play_without_a_solved_match_plays_for_points():
    state = position(ScoreSet(0, 1_000), Thrown((1, 2, 3, 4, 4, 6)))

    assert BestPlay().decide(state) == Kept((1,))


def test_best_play_takes_over_what_is_worth_it():
    rules = rule_files.load("stirler")
    much = position(Thrown((1, 1, 1, 1, 4, 6)), Banked((1, 1, 1, 1)), rules=rules)
    little = position(Thrown((5, 2, 3, 3, 4, 6)), Banked((5,)), rules=rules)

    assert (much.left_over.points, little.left_over.points) == (1_100, 50)
    assert BestPlay().decide(much) == TookOver()
    assert BestPlay().decide(little) is None


def test_a_style_banks_at_its_threshold():
    style = PlayerStyle("Anna", (300, 300, 350, 300, 300, 300), 1)
    below = position(Thrown((1, 1, 1, 2, 3, 4)), rules=NO_OPENING)
    low = StylePlay(PlayerStyle("Anna", (1200,) * 6, 1))

    assert StylePlay(style).decide(below) == Banked((1, 1, 1))
    assert low.decide(below) == Kept((1, 1, 1))


def test_a_lapse_does_not_depend_on_the_points():
    state = position(Thrown((1, 1, 1, 2, 3, 4)), rules=NO_OPENING)
    careless = PlayerStyle("Anna", (3000,) * 6, 1, lapse=0.4)
    decisions = [StylePlay(careless, seed).decide(state) for seed in range(200)]

    assert 0.1 < decisions.count(Banked((1, 1, 1))) / 200 < 0.3


def test_a_style_keeps_fewer_dice_if_a_die_is_worth_more_than_its_points():
    state = position(Thrown((1, 5, 2, 3, 4, 4)), rules=NO_OPENING)
    frugal = StylePlay(PlayerStyle("Anna", (2000,) * 6, 1, worth_of_die=100))
    greedy = StylePlay(PlayerStyle("Anna", (2000,) * 6, 1))

    assert frugal.decide(state) == Kept((1,))
    assert greedy.decide(state) == Kept((1, 5))


def test_a_style_throws_on_in_the_last_round_until_it_leads():
    state = position(
        ScoreSet(0, 9_700), Thrown((1, 1, 1, 2, 3, 4)), Banked(), ScoreSet(1, 9_900),
        Thrown((1, 1, 1, 1, 3, 4)),
    )  # fmt: skip
    behind = position(
        ScoreSet(0, 9_900), Thrown((1, 1, 1, 2, 3, 4)), Banked(), Thrown((1, 1, 1, 2, 3, 4)),
    )  # fmt: skip
    style = StylePlay(PlayerStyle("Anna", (0,) * 6, 1))

    assert state.closer == 0
    assert isinstance(style.decide(state), Banked)
    assert isinstance(style.decide(behind), Kept)


def test_a_style_varies_around_its_threshold_but_not_in_one_position():
    style = PlayerStyle("Anna", (300,) * 6, 300)
    state = position(Thrown((3, 3, 3, 2, 4, 6)), rules=NO_OPENING)
    decisions = [type(StylePlay(style, seed).decide(state)) for seed in range(100)]

    assert 30 < decisions.count(Banked) < 70
    assert StylePlay(style, 7).decide(state) == StylePlay(style, 7).decide(state)


def test_nothing_is_decided_before_a_throw_and_after_the_keep():
    assert not needs_decision(position())
    assert needs_decision(position(Thrown((1, 2, 3, 4, 4, 6))))
    assert not needs_decision(position(Thrown((1, 2, 3, 4, 4, 6)), Kept((1,))))
    assert BestPlay().decide(position()) is None


def test_a_bot_without_a_style_plays_best():
    assert isinstance(strategy_of(Bot(), None), BestPlay)
    assert isinstance(strategy_of(Bot(style=PlayerStyle("Anna", (300,) * 6, 1)), None), StylePlay)
