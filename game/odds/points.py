"""The turn that brings most points on average: what each choice is worth in points.

Penalties, resets and instant wins are left out, and the opening where it is not asked for; the
minimum bank, the last die thrown twice, the bank after a triple and the points for nothing are
in. What a third farkle in a row costs is in `average` alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from game.odds.far import Far, far
from game.odds.throws import CompiledRules, throws
from game.odds.turn import REFUSED, Stakes, Worth, play, rows
from game.ruleset import Ruleset
from game.turns import ROW

_EXACT = 1e-10
"""Steps; the long-run value is found to this."""


@dataclass(frozen=True, slots=True)
class PointsTable:
    """What best play expects the turn to bring, in points, from every point of it."""

    throws: CompiledRules
    worth: Worth
    far: Far

    @property
    def value(self) -> float:
        """Of a turn that begins."""
        return self.throwing(0, self.throws.n_dice)

    def throwing(self, points: int, n_dice: int) -> float:
        """Of a throw of so many dice with so many points at risk."""
        steps = points // self.throws.step
        far = self.far
        if steps < far.top:
            return float(self.worth.thrown[steps, n_dice, 0]) * self.throws.step
        return float(far.slope[n_dice] * steps + far.start[n_dice]) * self.throws.step

    def kept(self, points: int, left: int, *, bankable: bool) -> float:
        """Of what a keep has made of the turn: banked or thrown on, whichever is more."""
        thrown = self.throwing(points, left or self.throws.n_dice)
        return max(float(points), thrown) if bankable else thrown


@cache
def points_table(rules: Ruleset, *, opened: bool = True) -> PointsTable:
    """The table of a player who is on the board, or still needs the opening.

    Raises:
        OddsError: no throw ever farkles, so that a turn is worth more than any number.
    """
    compiled = throws(rules)
    return _table(compiled, compiled.needed(opened=opened), 0.0)


def _table(throws: CompiledRules, needed: int, lost: float) -> PointsTable:
    """The best turn that needs so many steps to bank; losing it brings `lost` steps."""
    line = far(throws, lost)
    line = line.from_at_least(needed)
    steps = np.arange(rows(throws, line.top), dtype=np.float64)[:, None]
    stakes = Stakes(
        bank=np.where(steps >= needed, steps, REFUSED),
        lost=np.array([lost]),
        top=np.array([line.top]),
        hot_above=line.slope[-1] * steps + line.start[-1],
    )
    return PointsTable(throws, play(throws, stakes), line)


@cache
def average(rules: Ruleset) -> float:
    """Points a turn in the long run, what each third farkle in a row costs being paid.

    After none, one or two farkles in a row a farkle is worth differently: it brings one nearer to
    the penalty. A turn that banks starts the row anew. The value is that of the play that is
    best in the long run, which is the same as `turn.value` where farkles cost nothing.

    Source of the method: M. Busche, Maximizing Expected Scores in the Game of Zilch.
    """
    compiled = throws(rules)
    needed = compiled.needed(opened=True)
    if not rules.three_farkles:
        return points_table(rules).value

    def left_over(average: float) -> float:
        """What a turn brings beyond this average, with no farkle before: nothing, if it is right."""
        ahead = -rules.three_farkles / compiled.step
        for _ in range(ROW):
            ahead = _table(compiled, needed, ahead).worth.begin()[0] - average
        return float(ahead)

    return _zero(left_over, points_table(rules).value / compiled.step) * compiled.step


def _zero(function: Callable[[float], float], near: float) -> float:
    """Where the function is zero, by the secant."""
    a, b = near, near - 1.0
    at_a, at_b = function(a), function(b)
    while abs(at_b) > _EXACT and a != b:
        a, b = b, b - at_b * (b - a) / (at_b - at_a)
        at_a, at_b = at_b, function(b)
    return b
