"""Average points and costs of a turn, compared with random turns."""

import random
from dataclasses import replace

import pytest

from game.match.match import Match
from game.match.state import TurnEnding
from game.rules import rule_files
from game.rules.pace import Pace

MATCHES, ROUNDS = 40, 50


def at_random(rules, rng):
    """Return the turns of a match of two who bank as soon as they may."""
    match = Match.start(rules, ["Anna", "Ben"])
    while match.state.winner is None and len(match.state.turns) < 2 * ROUNDS:
        state = match.state
        match = replace(match, before=None).throw(rng.choices(range(1, 7), k=state.dice_in_hand))
        while match.state.keeps and match.state.winner is None:
            keep = match.state.best_bank_keep
            if match.state.bank_refusal(keep) is None:
                match = match.bank(keep.dice)
            else:
                match = match.keep(keep.dice)
                break
    return match.state.turns


@pytest.mark.parametrize("name", ["zilch", "farkle-scorekeeper", "party-zonk"])
def test_averages_match_random_turns(name):
    rules = replace(rule_files.load(name), rounds=ROUNDS, opening=0, three_farkles=0)
    rng = random.Random(4)
    turns = [turn for _ in range(MATCHES) for turn in at_random(rules, rng)]
    points = [turn.points for turn in turns if turn.ending is not TurnEnding.WIN]
    share = sum(turn.ending is TurnEnding.FARKLE for turn in turns) / len(points)

    assert sum(points) / len(points) == pytest.approx(Pace(rules).turn.points, rel=0.15)
    assert share == pytest.approx(Pace(rules).turn.farkles, abs=0.06)


def test_the_cost_of_farkles_in_a_row_matches_their_frequency():
    rules = rule_files.load("zilch")
    often = Pace(replace(rules, minimum_bank=2000))

    assert Pace(rules).costs["three_farkles"] < 10
    assert often.turn.farkles > 0.8
    assert 500 * often.turn.farkles**3 / 3 < often.costs["three_farkles"] < 500 / 3


def test_an_unreachable_minimum_bank_gives_no_points():
    assert Pace(replace(rule_files.load("zilch"), minimum_bank=20_000)).turn.points == 0
