"""The exact solution for three players, compared with one written from the rules in the simplest way.

The slow solution takes the keeps from the independent table, and the chances of all positions by value iteration.
"""

from collections import Counter
from functools import cache
from itertools import product

import pytest

from game.odds.three_players import end_game, solve_three
from game.rules.ruleset import LastRound, Ruleset
from tests.game.outside_table import USUAL, Keeps

STEP, TARGET, N_DICE = 50, 150, 2
STILL = 1e-6


class SlowThree:
    """The chances of three players in a match of two dice; the values of a position are listed by seat."""

    def __init__(self, last_round, opening):
        self.keeps = Keeps(USUAL | {"n_dice": N_DICE})
        self.last_round, self.opening = last_round, opening
        self.throws = {
            n: Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=n))
            for n in (1, N_DICE)
        }
        self.wins = {
            (seat, scores): (1 / 3,) * 3
            for seat in range(3)
            for scores in product(range(0, TARGET, STEP), repeat=3)
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
        far = max(2 * TARGET, max(scores) - scores[seat] + STEP)

        @cache
        def throw(at_risk, n):
            if at_risk >= far:
                return bank(at_risk)
            first = second = third = 0.0
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
                first += share * best[0]
                second += share * best[1]
                third += share * best[2]
            return first, second, third

        @cache
        def bank(points):
            if not scores[seat] and points < self.opening:
                return -1.0, -1.0, -1.0
            return after((*scores[:seat], scores[seat] + points, *scores[seat + 1 :]))

        return throw(0, N_DICE)

    def after(self, seat, scores):
        if scores[seat] < TARGET:
            return self.wins[(seat + 1) % 3, scores]
        follow = {
            LastRound.NONE: (),
            LastRound.LATER_IN_ROUND: tuple(range(seat + 1, 3)),
            LastRound.EVERY_OTHER: ((seat + 1) % 3, (seat + 2) % 3),
        }[self.last_round]
        return self.ending(seat, follow, scores)

    def ending(self, closer, follow, scores):
        """Return the values of a last round in which the players in `follow` still have a turn."""
        if not follow:
            order = [(closer + i) % 3 for i in range(3)]
            winner = max(order, key=lambda seat: scores[seat])
            return tuple(float(seat == winner) for seat in range(3))
        seat, *rest = follow
        return self.last_turn(seat, scores, closer, tuple(rest))

    @cache  # noqa: B019 - one object a test
    def last_turn(self, seat, scores, closer, rest):
        return self.turn(seat, scores, lambda after: self.ending(closer, rest, after))


@cache
def solved(last_round, opening):
    return SlowThree(last_round, opening).solve()


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
    exact = solve_three(rules, TARGET)

    for (seat, scores), chances in solved(last_round, opening).items():
        order = [(seat + i) % 3 for i in range(3)]
        steps = tuple(scores[each] // STEP for each in order)
        assert exact.at(steps, seat) == pytest.approx([chances[each] for each in order], abs=1e-5)


def test_the_end_of_a_match_agrees_with_a_solution_written_from_the_rules():
    rules = Ruleset("tiny", "Tiny", n_dice=N_DICE, target=TARGET)
    wins = solved(LastRound.NONE, 0)[1, (0, 50, 100)]
    chances, turn = end_game(rules, TARGET, (50, 100, 0), 1)

    assert chances == pytest.approx([wins[1], wins[2], wins[0]], abs=1e-5)
    assert float(turn.worth.thrown[0, -1, 0]) == pytest.approx(chances[0], abs=1e-5)
