"""The turn that brings most points on average: what each choice is worth in points.

Penalties, resets and instant wins are left out, and the opening where it is not asked for; the
minimum bank, the last die thrown twice, the bank after a triple and the points for nothing are
in. What a third farkle in a row costs is in `average` alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import CompiledRules, Floats, ThrowClasses, compile_without_endings
from game.odds.turn_solver import REFUSED, Stakes, TurnValues, dice_after_keep, n_rows, solve_turn
from game.rules.ruleset import PENALTY_STREAK, Piggyback, Ruleset

_FAR = 1e7
"""Steps; far enough to see which of two lines is above in the end."""

_SAME = 1e-12
_PATIENCE = 1_000


class Lines(NamedTuple):
    """Worth of some things by the steps t at risk: slope * t + start."""

    slope: Floats
    start: Floats


@dataclass(frozen=True, slots=True)
class Asymptote:
    """The worth, in steps, of a throw of n dice from `top` steps at risk on.

    `slope[n]` is the chance that the points at risk are banked in the end.
    """

    top: int
    slope: Floats
    start: Floats

    def thrown_where_one_must(self, throws: CompiledRules, steps: Floats) -> dict[int, Floats]:
        """The worth of throwing with so many steps at risk, by the dice left."""
        dice = {left: dice_after_keep(throws)[left] for left in {0, *throws.must_throw}}
        return {left: self.slope[n] * steps + self.start[n] for left, n in dice.items()}

    def from_at_least(self, steps: int) -> "Asymptote":
        """The same, used only from so many steps on."""
        return replace(self, top=max(self.top, steps))


def asymptote(throws: CompiledRules, lost: float = 0.0) -> Asymptote:
    """The lines of this rule set where a lost turn brings `lost` steps.

    Raises:
        OddsError: no throw ever farkles, so that a turn is worth more than any number.
    """
    thrown = Lines(np.zeros(throws.n_dice + 1), np.zeros(throws.n_dice + 1))
    for _ in range(_PATIENCE):
        before = thrown
        kept, crossing = _kept(throws, thrown)
        free, crossing_free = _best(throws.optional, kept)
        forced, crossing_forced = _forced(throws, kept)
        thrown = Lines(
            throws.optional.weights @ free.slope + throws.forced.weights @ forced.slope,
            throws.optional.weights @ free.start
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
            return Asymptote(int(np.ceil(top)) + 1, thrown.slope, thrown.start)
    raise OddsError(
        Message("no throw of these rules farkles: a turn without an end has no best play")
    )


def _kept(throws: CompiledRules, thrown: Lines) -> tuple[Lines, float]:
    """After a keep, by the dice it leaves: banked or thrown, and from where on it is so."""
    order = dice_after_keep(throws)
    slope, start = thrown.slope[order], thrown.start[order]
    banks = slope * _FAR + start <= _FAR
    banks[list(throws.must_throw)] = False
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
    """Classes whose best keep must be banked; dice that must be thrown are not."""
    best, crossing = _best(throws.forced, kept)
    if throws.forced.n:
        banked = ~np.isin(throws.forced.left[0], throws.must_throw)
        best.slope[banked], best.start[banked] = 1.0, throws.forced.steps[0][banked]
    return best, crossing


_EXACT = 1e-10
"""Steps; the long-run value is found to this."""


@dataclass(frozen=True, slots=True)
class PointsTable:
    """What best play expects the turn to bring, in points, from every point of it."""

    throws: CompiledRules
    worth: TurnValues
    far: Asymptote

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
    compiled = compile_without_endings(rules)
    return _table(compiled, compiled.needed(opened=opened), 0.0)


def _table(throws: CompiledRules, needed: int, lost: float) -> PointsTable:
    """The best turn that needs so many steps to bank; losing it brings `lost` steps."""
    line = asymptote(throws, lost)
    line = line.from_at_least(needed)
    steps = np.arange(n_rows(throws, line.top), dtype=np.float64)[:, None]
    stakes = Stakes(
        bank=np.where(steps >= needed, steps, REFUSED),
        lost=np.array([lost]),
        reset=np.array([lost]),
        top=np.array([line.top]),
        thrown_above=line.thrown_where_one_must(throws, steps),
    )
    return PointsTable(throws, solve_turn(throws, stakes), line)


def left_out_of_turn(rules: Ruleset) -> tuple[Message, ...]:
    """What the value of a turn does not know of these rules."""
    played = (
        (rules.opening, Message("the opening")),
        (rules.three_farkles, Message("farkles in a row, but for the long run")),
        (rules.four_twos_reset, Message("resets")),
        (rules.all_alike_wins or rules.all_ones_win, Message("throws that win at once")),
        (rules.three_scoreless_starts, Message("what three scoreless first throws cost")),
        (rules.triple_threes, Message("what three 3s in one throw cost")),
        (rules.piggyback is not Piggyback.NO, Message("taking over what another has banked")),
        (rules.hot_dice_multiply, Message("hot dice that multiply what follows")),
    )
    return tuple(what for is_played, what in played if is_played)


@cache
def long_run_average(rules: Ruleset) -> float:
    """Points a turn in the long run, what each third farkle in a row costs being paid.

    After none, one or two farkles in a row a farkle is worth differently: it brings one nearer to
    the penalty. A turn that banks starts the row anew. The value is that of the play that is
    best in the long run, which is the same as `turn.value` where farkles cost nothing.

    Source of the method: M. Busche, Maximizing Expected Scores in the Game of Zilch.
    """
    compiled = compile_without_endings(rules)
    needed = compiled.needed(opened=True)
    if not rules.three_farkles:
        return points_table(rules).value

    def left_over(average: float) -> float:
        """What a turn brings beyond this average, with no farkle before: nothing, if it is right."""
        ahead = -rules.three_farkles / compiled.step
        for _ in range(PENALTY_STREAK):
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
