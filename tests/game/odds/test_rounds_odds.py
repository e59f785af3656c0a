"""The solution of matches with a fixed number of turns, compared with a simple solver that goes through every throw."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from game.errors import OddsError
from game.match.events import ScoreSet
from game.match.match import Match
from game.odds import rounds_odds
from game.odds.review import Cause, is_estimate, keep_options, review, turn_odds_of
from game.odds.rounds_odds import RoundsOdds
from game.odds.table_store import TableStore
from game.practice.handicap import even_head_start
from game.rules.rule_files import load
from game.rules.scoring import keep_table
from tests.game.shipped import shipped

FIVE_DICE = replace(load("party-zonk"), last_round="none", rounds=1)


class SimpleSolver:
    """The chance of winning with best play, by going through every throw and every keep. Banks at `most` steps."""

    def __init__(self, rules, most):
        self.rules, self.most = rules, most
        self.throws = {n: Counter() for n in range(1, rules.n_dice + 1)}
        for n in self.throws:
            for dice in product(range(1, 7), repeat=n):
                keeps = keep_table(rules)[tuple(sorted(dice))]
                self.throws[n][tuple((k.score // 50, k.dice_left) for k in keeps)] += 1
        self.throwing = cache(self.throwing)

    def begin(self, left, lead, opened=(False, False)):
        if not left:
            return float(lead >= 0)
        return self.throwing(left, lead, opened, 0, self.rules.n_dice)

    def throwing(self, left, lead, opened, at_risk, n):
        lost = 1 - self.begin(left - 1, -lead, opened[::-1])
        total = 0.0
        for keeps, times in self.throws[n].items():
            kept = [
                self.kept(left, lead, opened, at_risk + s, more or self.rules.n_dice)
                for s, more in keeps
            ]
            total += times * max(kept, default=lost)
        return total / 6**n

    def kept(self, left, lead, opened, at_risk, n):
        enough = opened[0] or at_risk * 50 >= self.rules.opening
        bank = 1 - self.begin(left - 1, -lead - at_risk, (opened[1], True)) if enough else 0.0
        return (
            bank
            if at_risk >= self.most
            else max(bank, self.throwing(left, lead, opened, at_risk, n))
        )


def solved(rules):
    wins = RoundsOdds.unsolved(rules, rules.target)
    for _ in wins.solve():
        pass
    return wins


@pytest.mark.parametrize("opening", [0, 350])
def test_chances_agree_with_a_solver_that_goes_through_every_throw(monkeypatch, opening):
    monkeypatch.setattr(rounds_odds, "_MOST_STEPS", 20)
    rules = replace(FIVE_DICE, opening=opening)
    wins, simple = solved(rules), SimpleSolver(rules, most=40)

    assert wins.first_player == pytest.approx(simple.begin(2, 0), abs=1e-7)
    for lead in (-700, -50, 0, 300):
        expected = simple.begin(1, lead // 50, (True, True))

        assert wins.win(lead, 1, 3) == pytest.approx(expected, abs=1e-7)


def test_luck_and_decisions_add_up_to_the_result_of_a_match():
    wins, dice = shipped(load("farkle-ten")), Random(3)
    match = Match.start(wins.rules, ["Anna", "Ben"])
    while match.state.winner is None:
        match = match.throw(dice.choices(range(1, 7), k=match.state.dice_in_hand))
        if match.state.turn.last:
            match = match.bank()
    found = review(match, wins)
    anna, ben = (sum(found.total(seat, kind)[1] for kind in Cause) for seat in (0, 1))

    assert wins.first_player + anna - ben == pytest.approx(float(match.state.winner == 0), abs=1e-5)


def test_the_last_turn_is_played_for_exactly_what_is_missing():
    rules = load("farkle-ten")
    match = Match.start(replace(rules, rounds=1), ["Anna", "Ben"])
    match = match.throw((1, 1, 2, 3, 4, 6)).bank().throw((1, 2, 3, 4, 6, 6))
    wins = solved(match.rules)
    state = match.state

    assert not is_estimate(state, wins)
    assert not any(option.should_bank for option in keep_options(state, wins))


@pytest.mark.filterwarnings("error")
def test_the_estimate_is_a_number_if_a_bank_needs_more_steps_than_a_turn_usually_scores():
    """A 5 for 45 points makes steps of 5, and a bank needs 200 of them."""
    rules = replace(FIVE_DICE, rounds=2, singles=(100, 0, 0, 0, 45, 0), minimum_bank=1000)
    state = Match.start(rules, ["Anna", "Ben", "Cleo"]).state

    assert 0.3 < turn_odds_of(state, None, estimate=True).option(0, 5).win_thrown < 0.7


def test_three_players_have_an_estimate():
    state = Match.start(load("farkle-ten"), ["Anna", "Ben", "Cleo"]).state

    assert is_estimate(state, shipped(state.rules))
    assert 0.2 < turn_odds_of(state, shipped(state.rules), estimate=True).option(0, 6).win < 0.45


def test_the_estimate_knows_that_the_target_does_not_end_a_match_of_turns_alone():
    match = Match.start(load("farkle-ten"), ["Anna", "Ben", "Cleo"])
    behind = match.push(ScoreSet(0, 12_000), ScoreSet(1, 20_000)).state

    assert turn_odds_of(behind, None, estimate=True).option(0, 6).win < 0.2


def test_rules_whose_scores_change_otherwise_are_refused():
    with pytest.raises(OddsError, match="nothing but the points"):
        TableStore(Path("none")).begin(load("zonk-ten-rounds"))


def test_head_start_of_the_second_player_makes_the_chances_equal():
    found = even_head_start(shipped(load("farkle-ten")))

    assert found.first_wins == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("name", ["aetolia", "farkle-ten"])
def test_an_installed_chance_equals_the_value_of_its_turn(name):
    wins = shipped(load(name))
    _, worth = wins.rounds_turn(0, 2 * wins.rules.rounds, 0, 0)

    assert not np.isnan(wins.chances).any()
    assert worth.begin()[0] == pytest.approx(wins.first_player, abs=2e-7)
