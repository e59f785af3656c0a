"""The exact solution for several players, compared with one written from the rules in the simplest way.

The slow solution takes the keeps from the independent table, and the chances of all positions by value iteration.
"""

from collections import Counter
from functools import cache
from itertools import product

import pytest

from game.odds.several_players import end_game, solve_exactly
from game.rules.ruleset import LastRound, Ruleset
from tests.game.outside_table import USUAL, Keeps

STEP, TARGET, N_DICE = 50, 150, 2
STILL = 1e-6


class Slow:
    """The chances of several players in a match of two dice; the values of a position are listed by seat."""

    def __init__(self, last_round, opening, n=3, target=TARGET):
        self.n, self.target = n, target
        self.keeps = Keeps(USUAL | {"n_dice": N_DICE})
        self.last_round, self.opening = last_round, opening
        self.throws = {
            n: Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=n))
            for n in (1, N_DICE)
        }
        self.wins = {
            (seat, scores): (1 / n,) * n
            for seat in range(n)
            for scores in product(range(0, target, STEP), repeat=n)
        }

    def solve(self):
        change = 1.0
        while change > STILL:
            change = 0.0
            for (seat, scores), before in self.wins.items():
                found = self.turn(seat, scores, lambda after, seat=seat: self.after(seat, after))
                change = max(change, *(abs(a - b) for a, b in zip(found, before, strict=True)))
                self.wins[seat, scores] = found
        return self.wins

    def turn(self, seat, scores, after):
        """Return the values of a turn, given the values once the turn has left the seat with a score."""
        far = max(2 * self.target, max(scores) - scores[seat] + STEP)

        @cache
        def throw(at_risk, n):
            if at_risk >= far:
                return bank(at_risk)
            found = [0.0] * self.n
            for dice, count in self.throws[n].items():
                choices = [after(scores)]
                if kept := self.keeps.of(dice):
                    choices = [
                        each
                        for keep, points in kept.items()
                        for each in (
                            bank(at_risk + points),
                            throw(at_risk + points, n - len(keep) or N_DICE),
                        )
                    ]
                best = max(choices, key=lambda values: values[seat])
                share = count / 6**n
                found = [a + share * b for a, b in zip(found, best, strict=True)]
            return tuple(found)

        @cache
        def bank(points):
            if not scores[seat] and points < self.opening:
                return (-1.0,) * self.n
            return after((*scores[:seat], scores[seat] + points, *scores[seat + 1 :]))

        return throw(0, N_DICE)

    def after(self, seat, scores):
        if scores[seat] < self.target:
            return self.wins[(seat + 1) % self.n, scores]
        follow = {
            LastRound.NONE: (),
            LastRound.LATER_IN_ROUND: tuple(range(seat + 1, self.n)),
            LastRound.EVERY_OTHER: tuple((seat + i) % self.n for i in range(1, self.n)),
        }[self.last_round]
        return self.ending(seat, follow, scores)

    def ending(self, closer, follow, scores):
        """Return the values of a last round in which the players in `follow` still have a turn."""
        if not follow:
            order = [(closer + i) % self.n for i in range(self.n)]
            winner = max(order, key=lambda seat: scores[seat])
            return tuple(float(seat == winner) for seat in range(self.n))
        seat, *rest = follow
        return self.last_turn(seat, scores, closer, tuple(rest))

    @cache  # noqa: B019 - one object a test
    def last_turn(self, seat, scores, closer, rest):
        return self.turn(seat, scores, lambda after: self.ending(closer, rest, after))


@cache
def solved(last_round, opening):
    return Slow(last_round, opening).solve()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("last_round", "opening"),
    [
        (LastRound.NONE, 0),
        (LastRound.NONE, 100),
        (LastRound.LATER_IN_ROUND, 0),
        (LastRound.EVERY_OTHER, 0),
    ],
)
def test_three_players_agree_with_a_solution_written_from_the_rules(last_round, opening):
    rules = Ruleset(
        "tiny", "Tiny", n_dice=N_DICE, target=TARGET, last_round=last_round, opening=opening
    )
    assert_same(solve_exactly(rules, TARGET), solved(last_round, opening), 3)


@pytest.mark.slow
@pytest.mark.parametrize("last_round", [LastRound.LATER_IN_ROUND, LastRound.EVERY_OTHER])
def test_four_players_agree_with_a_solution_written_from_the_rules(last_round):
    rules = Ruleset("tiny", "Tiny", n_dice=N_DICE, target=2 * STEP, last_round=last_round)

    slow = Slow(last_round, 0, n=4, target=2 * STEP).solve()
    assert_same(solve_exactly(rules, 2 * STEP, 4), slow, 4)


def assert_same(exact, slow, n):
    for (seat, scores), chances in slow.items():
        order = [(seat + i) % n for i in range(n)]
        steps = tuple(scores[each] // STEP for each in order)
        assert exact.at(steps, seat) == pytest.approx([chances[each] for each in order], abs=1e-5)


def test_the_end_of_a_match_agrees_with_a_solution_written_from_the_rules():
    rules = Ruleset("tiny", "Tiny", n_dice=N_DICE, target=TARGET)
    wins = solved(LastRound.NONE, 0)[1, (0, 50, 100)]
    chances, turn = end_game(rules, TARGET, (50, 100, 0), 1)

    assert chances == pytest.approx([wins[1], wins[2], wins[0]], abs=1e-5)
    assert float(turn.worth.thrown[0, -1, 0]) == pytest.approx(chances[0], abs=1e-5)
