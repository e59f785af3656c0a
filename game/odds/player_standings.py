"""What a player may have when a turn begins, numbered: the axes of a table of chances.

A score, whether the player is on the board, and how many farkles in a row came last, each only where
the rules make it a difference.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from game.odds.compiled_rules import CompiledRules, Indices, compile_rules
from game.rules.ruleset import PENALTY_STREAK, Ruleset

Flags = npt.NDArray[np.bool_]

_DEEPEST = 40
"""Steps below zero that are told apart; whoever falls deeper stays there."""

_FALLS = 2
"""Penalties one after the other from zero that are told apart: a third is once in thousands of matches."""


@dataclass(frozen=True, slots=True)
class Standings:
    """All of them.

    Attributes:
        score: in steps, by number.
        opened: whether on the board, by number.
        lost: the number after a turn that ends in a farkle.
        idle: the number after a turn that ends in none and brings nothing.
        reset: the number after the score went back to zero.
        floor: the lowest score.
        numbers: of each, at [on the board, farkles, score - floor]; those that cannot be are those
            of a player on the board.
    """

    score: Indices
    opened: Flags
    lost: Indices
    idle: Indices
    reset: Indices
    floor: int
    numbers: Indices

    def __len__(self) -> int:
        return len(self.score)

    @property
    def rows(self) -> int:
        """Numbers of farkles in a row that are told apart."""
        return int(self.numbers.shape[1])

    @property
    def stay(self) -> bool:
        """Whether a turn that brings nothing changes nothing."""
        return self.rows == 1

    def farkles(self) -> Indices:
        """In a row, by number."""
        found = np.zeros(len(self), np.intp)
        for n in range(self.rows):
            found[self.numbers[:, n]] = n
        return found

    def find(self, score: int, *, opened: bool = True, farkles: int = 0) -> int:
        """The number; a score below the lowest counts as that."""
        at = max(score, self.floor) - self.floor
        row = farkles if self.rows > 1 else 0
        return int(self.numbers[int(opened), row, at])

    def given(self, standing: Indices, score: Indices) -> Indices:
        """The numbers of players who had these and were given up to so much."""
        found: Indices = self.numbers[1, self.farkles()[standing], score - self.floor]
        return found

    def banked(self, score: Indices) -> Indices:
        """The numbers of players who have just banked up to so much."""
        found: Indices = self.numbers[1, 0, score - self.floor]
        return found


def match_standings(rules: Ruleset, goal: int) -> Standings:
    """Those of a match to so many steps."""
    compiled = compile_rules(rules)
    rows = PENALTY_STREAK if compiled.three_farkles else 1
    floor = _floor(rules, compiled)
    numbers = _numbers(rules, compiled, goal, floor, rows)
    n, apart = int(numbers.max()) + 1, not np.array_equal(numbers[0], numbers[1])
    score, opened = np.zeros(n, np.intp), np.zeros(n, np.bool_)
    lost, idle, reset = (np.zeros(n, np.intp) for _ in range(3))
    for on_board in (0, 1):
        for row in range(rows):
            of = numbers[on_board, row]
            score[of] = np.arange(floor, goal)
            opened[of] = on_board if apart else score[of] > 0
            fallen = np.maximum(score[of] - compiled.three_farkles, floor) - floor
            lost[of] = (
                numbers[on_board, row + 1] if row + 1 < rows else numbers[on_board, 0, fallen]
            )
            idle[of] = numbers[on_board, 0]
            reset[of] = numbers[on_board, 0, -floor]
    return Standings(score, opened, lost, idle, reset, floor, numbers)


def _floor(rules: Ruleset, compiled: CompiledRules) -> int:
    if not compiled.three_farkles or not rules.below_zero:
        return 0
    return -min(_FALLS * compiled.three_farkles, _DEEPEST)


def _numbers(rules: Ruleset, compiled: CompiledRules, goal: int, floor: int, rows: int) -> Indices:
    """Numbers from the first row on, scores rising: neighbours on the axis are alike.

    Who is not on the board has no points; where that matters and points can be lost again, a player
    on the board may have as little.
    """
    found = np.zeros((2, rows, goal - floor), np.intp)
    matters = compiled.needed(opened=False) > compiled.needed(opened=True)
    can_fall = rows > 1 or rules.four_twos_reset
    n = 0
    for row in range(rows):
        found[:, row] = n + np.arange(goal - floor)
        n += goal - floor
        if matters and can_fall:
            found[1, row, : 1 - floor] = n + np.arange(1 - floor)
            n += 1 - floor
    return found
