"""The decisions of bots in a match."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from game.match.apply_event import apply_event
from game.match.events import (
    Banked,
    Bot,
    BotLevel,
    Kept,
    Left,
    PlayerStyle,
    ScoreSet,
    Skipped,
    Thrown,
    TookOver,
)
from game.match.match import Match
from game.odds.estimate import estimated_turn
from game.odds.review import keep_options, turn_odds_of
from game.odds.style_odds import points_of_turns, shares_won, unit
from game.odds.table_store import TableStore
from game.practice.handicap import play_on
from game.practice.strategy import (
    BestPlay,
    StylePlay,
    level_style,
    needs_decision,
    strategy_of,
)
from game.rules import rule_files
from game.rules.rule_files import load, with_options
from game.rules.scoring import points_step

RULES = rule_files.load("walnut-studiolo")
NO_OPENING = rule_files.load("complete-guide")


def position(*events, rules=RULES, names=("Anna", "Bot")):
    return Match.start(rules, list(names)).push(*events).state


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


def test_best_play_without_a_solved_match_plays_for_an_estimate_of_the_chance_of_winning():
    rules = rule_files.with_options(RULES, {"target": 7_000})
    behind = [ScoreSet(0, 6_900), ScoreSet(1, 6_500), Thrown((1, 1, 1, 2, 3, 4)), Banked((1, 1, 1))]
    last = position(*behind, Thrown((3, 3, 3, 5, 2, 4)), rules=rules)
    early = position(ScoreSet(0, 1_000), Thrown((1, 2, 3, 4, 4, 6)), rules=rules)

    assert BestPlay().decide(early) == Kept((1,))
    assert BestPlay().decide(last) == Kept((5,))


STYLE = StylePlay(PlayerStyle("Anna", (300,) * 6, 1))
ROUND = rule_files.with_options(rule_files.load("farkle-ten"), {"rounds": 1})
EXACTLY = rule_files.with_options(rule_files.load("standard"), {"win": "exactly"})
ANNA_HAS_1000 = Thrown((1, 1, 1, 2, 3, 4)), Banked((1, 1, 1))


@pytest.mark.parametrize("bot", [BestPlay(), STYLE], ids=["best", "style"])
@pytest.mark.parametrize("dice", [(3, 3, 3, 2, 6, 4), (1, 1, 2, 2, 3, 4), (1, 1, 1, 2, 3, 4)])
def test_no_bot_banks_its_only_turn_below_the_leader(bot, dice):
    state = position(*ANNA_HAS_1000, Thrown(dice), rules=ROUND)

    assert isinstance(bot.decide(state), Kept)


@pytest.mark.parametrize("bot", [BestPlay(), STYLE], ids=["best", "style"])
@pytest.mark.parametrize(
    ("rules", "events", "dice"),
    [
        (ROUND, ANNA_HAS_1000, (1, 1, 1, 5, 2, 4)),
        (rule_files.load("play-palace"), (ScoreSet(0, 490),), (1, 2, 2, 3, 3, 4)),
        (EXACTLY, (ScoreSet(0, 9_800), ScoreSet(1, 9_000)), (1, 1, 1, 3, 3, 4)),
    ],
    ids=["rounds", "multiplied", "exactly"],
)
def test_every_bot_banks_what_wins(bot, rules, events, dice):
    state = position(*events, Thrown(dice), rules=rules)
    after = apply_event(state, bot.decide(state))

    assert after.winner == state.turn.seat


LAST_ROUND = rule_files.with_options(
    rule_files.load("standard"), {"target": 1000, "last_round": "every other"}
)


@pytest.mark.parametrize("bot", [BestPlay(), STYLE], ids=["best", "style"])
@pytest.mark.parametrize("rules", [ROUND, LAST_ROUND], ids=["rounds", "last round"])
@pytest.mark.parametrize("dice", [(3, 3, 3, 2, 6, 4), (1, 1, 1, 2, 3, 4)])
def test_no_bot_banks_a_loss_or_a_tie_while_others_still_have_a_turn(bot, rules, dice):
    state = position(*ANNA_HAS_1000, rules=rules, names=("Anna", "Ben", "Cleo"))

    assert isinstance(bot.decide(apply_event(state, Thrown(dice))), Kept)


def test_a_long_match_with_a_fixed_number_of_turns_takes_little_memory():
    """A matrix of all scores of an opponent takes more than 200 MB."""
    rules = rule_files.with_options(rule_files.load("farkle-ten"), {"rounds": 60})
    state = position(Thrown((1, 1, 5, 2, 3, 4)), rules=rules, names=("Anna", "Ben", "Cleo", "Dan"))
    tracemalloc.start()
    try:
        win = max(option.win for option in keep_options(state, None))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert win == pytest.approx(1 / 4, abs=0.03)
    assert most < 30e6


def test_the_chances_of_two_large_teams_are_estimated():
    rules = rule_files.with_options(rule_files.load("farkle-ten"), {"rounds": 100})
    names, teams = [f"Player {n}" for n in range(12)], [n % 2 for n in range(12)]
    match = Match.start(rules, names, teams=teams).throw((1, 1, 5, 2, 3, 4))

    assert max(option.win for option in keep_options(match.state, None)) == pytest.approx(
        0.5, abs=0.05
    )


@pytest.mark.parametrize("bot", [BestPlay(), STYLE], ids=["best", "style"])
def test_no_bot_banks_more_than_an_exact_target(bot):
    state = position(ScoreSet(0, 9_900), Thrown((1, 1, 5, 2, 3, 4)), rules=EXACTLY)
    over = position(ScoreSet(0, 9_950), Thrown((1, 1, 3, 2, 3, 4)), rules=EXACTLY)

    assert isinstance(bot.decide(state), Banked)
    assert isinstance(bot.decide(over), Kept)


@pytest.mark.parametrize("name", ["aetolia", "crappo", "farkle-ten", "play-palace"])
def test_three_players_get_an_estimate_under_rules_without_a_table(name):
    start = Match.start(rule_files.load(name), ["Anna", "Ben", "Bot"])
    options = keep_options(start.push(Thrown((1, 1, 1, 2, 3, 4))).state, None)

    assert all(0.2 < option.win_thrown < 0.7 for option in options)
    assert options == tuple(sorted(options, key=lambda option: -option.win))


def test_the_estimate_of_a_last_turn_leaves_out_a_player_who_has_left():
    """Anna left with more points than Ben, whom Bot has to beat."""
    start = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben", "Cleo", "Bot"])
    start = start.push(Skipped(), Skipped(), Skipped(), ScoreSet(3, 9_500))
    last = start.push(ScoreSet(0, 30_000), ScoreSet(1, 10_500))
    left = last.push(Left(0)).state
    never = last.push(ScoreSet(0, 0), Left(0)).state

    assert estimated_turn(left, 0).banked[30] == estimated_turn(never, 0).banked[30] > 0


@pytest.mark.parametrize("name", ["kcd", "standard", "ten-thousand"])
def test_the_estimate_is_near_the_exact_chance(name):
    rules = rule_files.load(name)
    for mine, theirs in ((0, 0), (2_000, 3_500), (4_000, 1_500)):
        start = Match.start(rules, ["Anna", "Ben"]).push(ScoreSet(0, mine), ScoreSet(1, theirs))
        exact = turn_odds_of(start.state, TableStore(Path("none")).find(rules))
        estimate = turn_odds_of(start.state, None, estimate=True)

        assert estimate.option(0, 6).win == pytest.approx(exact.option(0, 6).win, abs=0.08)


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
    assert isinstance(strategy_of(Bot(), RULES), BestPlay)
    assert isinstance(strategy_of(Bot(style=PlayerStyle("Anna", (300,) * 6, 1)), RULES), StylePlay)


def test_a_beginner_keeps_every_die_that_scores_and_a_casual_player_throws_more_dice():
    state = position(Thrown((1, 5, 2, 2, 3, 4)), rules=NO_OPENING)

    def keeps(level):
        return strategy_of(Bot(level=level), NO_OPENING).decide(state)

    assert keeps(BotLevel.BEGINNER) == Kept((1, 5))
    assert keeps(BotLevel.CASUAL) == Kept((1,))


@pytest.mark.parametrize(
    "name", ["kcd", "colorado-dice", "everything2", "play-palace", "farkle-ten"]
)
def test_a_beginner_is_chosen_to_lose_three_of_five_matches_to_a_casual_player(name):
    rules = load(name)
    beginner, casual = level_style(BotLevel.BEGINNER, rules), level_style(BotLevel.CASUAL, rules)

    assert shares_won(rules, casual, [beginner])[0] == pytest.approx(0.6, abs=0.03)
    assert shares_won(rules, casual, [casual])[0] == pytest.approx(0.5, abs=1e-6)


FINE = with_options(load("standard"), {"singles": {"1": 100, "5": 51}})


def test_rules_with_single_points_are_calculated_in_larger_steps():
    assert points_step(FINE) == 1
    assert FINE.target // unit(FINE) <= 400
    assert all(unit(load(name)) == points_step(load(name)) for name in rule_files.names())


def test_larger_steps_hardly_change_how_often_a_level_wins(monkeypatch):
    casual, beginner = level_style(BotLevel.CASUAL, FINE), level_style(BotLevel.BEGINNER, FINE)
    coarse = shares_won(FINE, casual, [beginner])[0]
    monkeypatch.setattr("game.odds.style_odds._TOP", 4_500)
    monkeypatch.setattr("game.odds.style_odds._MOST_GOAL", FINE.target)

    assert unit(FINE) == 1
    assert coarse == pytest.approx(shares_won(FINE, casual, [beginner])[0], abs=0.005)


def test_a_level_risks_as_much_under_rules_with_single_points():
    for level in (BotLevel.CASUAL, BotLevel.BEGINNER):
        fine, plain = level_style(level, FINE), level_style(level, load("standard"))

        assert fine.thresholds[:4] == pytest.approx(plain.thresholds[:4], abs=100)


def test_the_matches_that_two_levels_win_against_each_other_add_up_to_all():
    rules = load("zilch")
    beginner, casual = level_style(BotLevel.BEGINNER, rules), level_style(BotLevel.CASUAL, rules)
    beginner = replace(beginner, worth_of_die=casual.worth_of_die)
    won = [shares_won(rules, a, [b])[0] for a, b in [(casual, beginner), (beginner, casual)]]

    assert sum(won) == pytest.approx(1, abs=1e-6)


def test_points_of_a_turn_are_those_of_turns_that_were_played():
    rules, style = load("kcd"), level_style(BotLevel.CASUAL, load("kcd"))
    chances, random = points_of_turns(rules, [style])[0][:, 0], Random(2)
    played = []
    for seed in range(300):
        state = Match.start(rules, ["Anna", "Ben"]).state
        while not state.turns:
            state = play_on(state, StylePlay(style, seed), random)
        played.append(state.turns[0].points)
    average = chances @ np.arange(len(chances)) * 50

    assert np.mean(played) == pytest.approx(average, abs=3 * np.std(played) / 300**0.5)


def test_a_player_who_always_banks_does_so_from_exactly_the_lowest_points_that_count():
    rules, style = (
        with_options(load("standard"), {"minimum_bank": 300}),
        PlayerStyle("", (0,) * 6, 1),
    )
    chances, least = points_of_turns(rules, [style])[0][:, 0], 300 // unit(rules)

    assert chances[1:least].sum() == 0
    assert chances[least] > 0.01


def test_a_player_with_a_high_threshold_banks_as_soon_as_the_target_is_reached():
    rules = with_options(load("kcd"), {"target": 300})
    at_target, never = (PlayerStyle("", (points,) * 6, 1) for points in (295, 5_000))

    assert shares_won(rules, at_target, [never])[0] == pytest.approx(0.5, abs=0.01)


def test_a_level_survives_the_journal():
    bot = Bot(level=BotLevel.CASUAL, seed=7)

    assert Bot.from_json(json.loads(json.dumps(bot.to_json()))) == bot
