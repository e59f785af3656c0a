"""The standings that a player can have when a turn begins, as numbered rows of a table.

A standing is a score, whether the player is on the board, and the number of farkles in a row, as
far as they matter under the rules.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from game.odds.compiled_rules import CompiledRules, Indices, compile_rules
from game.rules.ruleset import PENALTY_STREAK, Ruleset

Flags = npt.NDArray[np.bool_]

_MAX_STEPS_BELOW_ZERO = 40
"""Scores are distinguished down to this many steps below zero. A lower score counts as the lowest one."""

_MAX_PENALTIES = 2
"""Scores below zero are distinguished down to this many penalties. A third one in a row, from zero,
happens once in thousands of matches."""


@dataclass(frozen=True, slots=True)
class Standings:
    """All standings that a player can have in a match. A step is the unit of points, usually 50.

    Attributes:
        score: Score of each standing, in steps.
        opened: Whether the player is on the board, for each standing.
        lost: Number of the standing after a farkle, for each standing.
        idle: Number of the standing after a turn without points that was not a farkle, for each
            standing.
        reset: Number of the standing after the score was reset, for each standing.
        floor: Lowest score, in steps.
        numbers: Number of each standing, indexed by whether the player is on the board (0 or 1),
            farkles in a row, and score - floor. An impossible combination has the number of a
            player who is on the board.
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
    def n_streaks(self) -> int:
        """How many different counts of farkles in a row are distinguished."""
        return int(self.numbers.shape[1])

    @property
    def is_static(self) -> bool:
        """Whether a turn without points leaves the player's standing unchanged."""
        return self.n_streaks == 1

    def farkles(self) -> Indices:
        """Return the number of farkles in a row for each standing."""
        found = np.zeros(len(self), np.intp)
        for n in range(self.n_streaks):
            found[self.numbers[:, n]] = n
        return found

    def find(self, score: int, *, opened: bool = True, farkles: int = 0) -> int:
        """Return the number of a standing. A score below the lowest score counts as the lowest.

        Args:
            score: Score in steps.
            opened: Whether the player is on the board.
            farkles: Number of farkles in a row.
        """
        at = max(score, self.floor) - self.floor
        row = farkles if self.n_streaks > 1 else 0
        return int(self.numbers[int(opened), row, at])

    def after_gift(self, standing: Indices, score: Indices) -> Indices:
        """Return the standings of players after a gift of points.

        Args:
            standing: Numbers of the players' standings before the gift.
            score: Scores of the players after the gift, in steps.
        """
        found: Indices = self.numbers[1, self.farkles()[standing], score - self.floor]
        return found

    def after_bank(self, score: Indices) -> Indices:
        """Return the standings of players who have just reached these scores, in steps, by banking."""
        found: Indices = self.numbers[1, 0, score - self.floor]
        return found


def match_standings(rules: Ruleset, goal: int) -> Standings:
    """Return all standings that a player can have in a match.

    Args:
        rules: The rules.
        goal: Target of the match, in steps.
    """
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
    return -min(_MAX_PENALTIES * compiled.three_farkles, _MAX_STEPS_BELOW_ZERO)


def _numbers(rules: Ruleset, compiled: CompiledRules, goal: int, floor: int, rows: int) -> Indices:
    """Return the number of each standing. Scores rise with the numbers, so neighbours are similar.

    A player who is not on the board has no points. If that matters and points can be lost again, a
    player on the board with equally few points is a different standing.

    Args:
        rules: The rules.
        compiled: The compiled rules.
        goal: Target of the match, in steps.
        floor: Lowest score, in steps.
        rows: How many different counts of farkles in a row are distinguished.
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
