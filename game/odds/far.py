"""What a turn is worth when very many points are at risk: a straight line.

From some number of points on the choice is always the same: bank, unless the dice must be thrown
or cannot farkle. The worth of a throw is then a chance times the points at risk and a constant.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from game.errors import OddsError
from game.odds.throws import CompiledRules, Floats, ThrowClasses

_FAR = 1e7
"""Steps; far enough to see which of two lines is above in the end."""

_SAME = 1e-12
_PATIENCE = 1_000


class Lines(NamedTuple):
    """Worth of some things by the steps t at risk: slope * t + start."""

    slope: Floats
    start: Floats


@dataclass(frozen=True, slots=True)
class Far:
    """The worth, in steps, of a throw of n dice from `top` steps at risk on.

    `slope[n]` is the chance that the points at risk are banked in the end.
    """

    top: int
    slope: Floats
    start: Floats

    def from_at_least(self, steps: int) -> "Far":
        """The same, used only from so many steps on."""
        return replace(self, top=max(self.top, steps))


def far(throws: CompiledRules, lost: float = 0.0) -> Far:
    """The lines of this rule set where a lost turn brings `lost` steps.

    Raises:
        OddsError: no throw ever farkles, so that a turn is worth more than any number.
    """
    thrown = Lines(np.zeros(throws.n_dice + 1), np.zeros(throws.n_dice + 1))
    for _ in range(_PATIENCE):
        before = thrown
        kept, crossing = _kept(throws, thrown)
        free, crossing_free = _best(throws.free, kept)
        forced, crossing_forced = _forced(throws, kept)
        thrown = Lines(
            throws.free.weights @ free.slope + throws.forced.weights @ forced.slope,
            throws.free.weights @ free.start
            + throws.forced.weights @ forced.start
            + throws.farkle * lost,
        )
        if (
            max(
                np.abs(thrown.slope - before.slope).max(), np.abs(thrown.start - before.start).max()
            )
            < _SAME
        ):
            top = max(crossing, crossing_free, crossing_forced)
            return Far(int(np.ceil(top)) + 1, thrown.slope, thrown.start)
    raise OddsError("no throw of these rules farkles: a turn without an end has no best play")


def _kept(throws: CompiledRules, thrown: Lines) -> tuple[Lines, float]:
    """After a keep, by the dice it leaves: banked or thrown, and from where on it is so."""
    order = [throws.n_dice, *range(1, throws.n_dice)]
    slope, start = thrown.slope[order], thrown.start[order]
    banks = slope * _FAR + start <= _FAR
    banks[0] &= not throws.hot_must
    kept = Lines(np.where(banks, 1.0, slope), np.where(banks, 0.0, start))
    crossing = np.where(banks & (slope < 1 - _SAME), start / np.maximum(1 - slope, _SAME), 0)
    return kept, float(crossing.max())


def _best(classes: ThrowClasses, kept: Lines) -> tuple[Lines, float]:
    """The best choice of each class, and from where on it is that."""
    if not classes.n:
        return Lines(np.zeros(0), np.zeros(0)), 0.0
    choices = [
        Lines(kept.slope[left], kept.slope[left] * steps + kept.start[left])
        for steps, left in zip(classes.steps, classes.left, strict=True)
    ]
    best = Lines(choices[0].slope.copy(), choices[0].start.copy())
    for line in choices[1:]:
        n = len(line.slope)
        better = line.slope * _FAR + line.start > best.slope[:n] * _FAR + best.start[:n]
        best.slope[:n][better], best.start[:n][better] = line.slope[better], line.start[better]
    return best, max(_crossing(best, line) for line in choices)


def _crossing(best: Lines, line: Lines) -> float:
    n = len(line.slope)
    rise = best.slope[:n] - line.slope
    gap = line.start - best.start[:n]
    return float(np.where(rise > _SAME, gap / np.maximum(rise, _SAME), 0).max())


def _forced(throws: CompiledRules, kept: Lines) -> tuple[Lines, float]:
    """Classes whose best keep must be banked; hot dice that must be thrown are not banked."""
    best, crossing = _best(throws.forced, kept)
    if throws.forced.n:
        banked = (throws.forced.left[0] > 0) | (not throws.hot_must)
        best.slope[banked], best.start[banked] = 1.0, throws.forced.steps[0][banked]
    return best, crossing
