"""Three or more players: a race that is exact for two, compared with simulated matches."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.players import Position, SimulatedMatches, _chance, _turn
from game.odds.match_odds import MatchOdds
from game.odds.race import build_race, cached_race, chances_of_others, points_race
from game.odds.several_players import solve_exactly
from game.odds.table_store import TableStore
from game.rules import rule_files
from game.rules.ruleset import LastRound, Ruleset, Win

SMALL = Ruleset("small", "Small", n_dice=5, target=2000, triples=(1000, 200, 300, 400, 500, 600))


@pytest.fixture(scope="module", params=[LastRound.NONE, LastRound.EVERY_OTHER])
def solved(request):
    wins = MatchOdds.unsolved(
        Ruleset("small", "Small", n_dice=5, last_round=request.param), SMALL.target
    )
    for _ in wins.solve():
        pass
    return wins


@pytest.mark.parametrize("scores", [(0, 0), (500, 1000), (1500, 200)])
def test_with_two_players_the_race_is_exact(solved, scores):
    model = build_race(solved)
    chance, _ = _chance(model, _turn(model, Position(tuple(n // 50 for n in scores), 1)))

    assert chance == pytest.approx(solved.begin(*scores), abs=0.004)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scores", [pytest.param((0, 0, 0), marks=pytest.mark.long), (20, 25, 10, 15)]
)
def test_with_more_players_the_race_is_close_to_simulated_matches(solved, scores):
    position = Position(scores, len(scores) - 1)
    model = build_race(solved)
    chance, first = _chance(model, _turn(model, position))
    share = SimulatedMatches(solved).share(position, first, 20_000, np.random.default_rng(1))

    assert chance == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize(
    "name",
    [
        "kcd",
        "dice-10000",
        *(
            pytest.param(name, marks=pytest.mark.long)
            for name in ("party-zonk", "ten-thousand", "five-thousand")
        ),
    ],
)
@pytest.mark.parametrize(
    "shares", [pytest.param((0.81, 0.83), marks=pytest.mark.long), (0.9, 0.84)]
)
def test_a_player_who_cannot_win_changes_nobody_elses_chance(name, shares):
    wins = TableStore(Path("none")).find(rule_files.load(name))
    model = cached_race(wins)
    mine, theirs = (int(share * model.goal) for share in shares)
    points = mine * wins.step, theirs * wins.step

    for others, later, second in (
        ((theirs, 0), 2, False),
        ((0, theirs), 2, False),
        ((0, theirs), 1, True),
        ((theirs, 0), 0, True),
    ):
        chance, _ = _chance(model, _turn(model, Position((mine, *others), later)))
        assert chance == pytest.approx(wins.begin(*points, second=second), abs=0.002)


@pytest.mark.slow
@pytest.mark.parametrize("last_round", [LastRound.NONE, LastRound.LATER_IN_ROUND])
def test_three_players_are_close_to_the_exact_solution(last_round):
    rules = Ruleset("tiny", "Tiny", n_dice=3, target=500, last_round=last_round)
    exact = solve_exactly(rules, rules.target)
    wins = MatchOdds.unsolved(rules, rules.target)
    for _ in wins.solve():
        pass
    model = build_race(wins)

    for seat in range(3):
        for scores in ((0, 0, 0), (4, 6, 1), (7, 2, 8)):
            chances = exact.at(scores, seat)
            chance, _ = _chance(model, _turn(model, Position(scores, 2 - seat)))
            assert chances.sum() == pytest.approx(1)
            assert chance == pytest.approx(chances[0], abs=0.03)


def test_all_of_four_players_get_their_exact_chances_where_one_turn_may_decide():
    rules = replace(rule_files.load("kcd"), target=400)
    exact, wins = solve_exactly(rules, rules.target, 4), MatchOdds.unsolved(rules, rules.target)
    for _ in wins.solve():
        pass
    model = build_race(wins)

    for scores in ((0, 0, 0, 0), (2, 1, 7, 3), (0, 7, 7, 7)):
        first, *others = exact.at(scores, 0)
        assert chances_of_others(model, scores, 3, first) == pytest.approx(others, abs=0.002)


def test_a_race_for_points_follows_every_turn_to_its_end():
    for options in ({}, {"win": Win.EXACTLY}, {"last_round": LastRound.EVERY_OTHER}):
        model = points_race(Ruleset("small", "Small", n_dice=5, target=2000, **options))

        assert (model.step[0, 0].sum(axis=1) + model.reach[0, 0].sum(axis=1)).tolist() == (
            pytest.approx([1.0] * model.goal)
        )
        chance, _ = _chance(model, _turn(model, Position((0, 0, 0), 2)))
        assert 0.33 < chance < 0.55


def test_a_race_to_a_target_below_the_opening_or_the_minimum_bank_has_chances():
    for options in ({"opening": 1000}, {"minimum_bank": 1000}):
        model = points_race(Ruleset("small", "Small", n_dice=5, target=500, **options))

        chance, _ = _chance(model, _turn(model, Position((0, 0, 0), 2)))
        assert 0.33 < chance < 0.6
