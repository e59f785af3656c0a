"""The play that scores the most points per turn on average, and the value of each choice in points.

Penalties, resets, instant wins and usually the opening are left out. The minimum bank, a last die
thrown twice, a forced bank after three of a kind and the points for a throw without a scoring die
are included. Only `long_run_average` includes the cost of a third farkle in a row.
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

_FAR_STEPS = 1e7
"""Points at risk, in steps, beyond which the higher of two lines always stays the higher one."""

_EPSILON = 1e-12
_MAX_ROUNDS = 1_000


class Lines(NamedTuple):
    """Values as linear functions of the steps t at risk: slope * t + start."""

    slope: Floats
    start: Floats


@dataclass(frozen=True, slots=True)
class Asymptote:
    """The value of a throw of n dice once many points are at risk: a straight line.

    Values and points are in steps (usually 50 points each).

    Attributes:
        top: Points at risk from which the value is exactly on the line.
        slope: Slope of the line, indexed by n. It is the chance that the points at risk are banked
            in the end.
        start: Value of the line at 0 points at risk, indexed by n.
    """

    top: int
    slope: Floats
    start: Floats

    def thrown_where_one_must(self, throws: CompiledRules, steps: Floats) -> dict[int, Floats]:
        """Return the value of throwing where banking is not allowed, indexed by the number of dice left.

        Args:
            throws: The compiled rules.
            steps: Points at risk, in steps of the score.
        """
        dice = {left: dice_after_keep(throws)[left] for left in {0, *throws.must_throw}}
        return {left: self.slope[n] * steps + self.start[n] for left, n in dice.items()}


def asymptote(throws: CompiledRules, lost: float = 0.0) -> Asymptote:
    """Return the line that the value of a throw follows once many points are at risk.

    Args:
        throws: The compiled rules.
        lost: Value of a lost turn, in steps.

    Raises:
        OddsError: If no throw ever farkles, so that a turn has no finite value.
    """
    thrown = Lines(np.zeros(throws.n_dice + 1), np.zeros(throws.n_dice + 1))
    for _ in range(_MAX_ROUNDS):
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
        if all(np.abs(new - old).max() < _EPSILON for new, old in zip(thrown, before, strict=True)):
            top = max(crossing, crossing_free, crossing_forced)
            return Asymptote(int(np.ceil(top)) + 1, thrown.slope, thrown.start)
    raise OddsError(
        "under these rules no throw is a farkle, so a turn could go on for ever and has "
        "no best play"
    )


def _kept(throws: CompiledRules, thrown: Lines) -> tuple[Lines, float]:
    """Return the value after a keep, by dice left, and the steps at risk from which it is linear."""
    order = dice_after_keep(throws)
    slope, start = thrown.slope[order], thrown.start[order]
    banks = slope * _FAR_STEPS + start <= _FAR_STEPS
    banks[list(throws.must_throw)] = False
    kept = Lines(np.where(banks, 1.0, slope), np.where(banks, 0.0, start))
    crossing = np.where(banks & (slope < 1 - _EPSILON), start / np.maximum(1 - slope, _EPSILON), 0)
    return kept, float(crossing.max())


def _best(classes: ThrowClasses, kept: Lines) -> tuple[Lines, float]:
    """Return the best choice of each class of throws, and the steps at risk from which it is the best."""
    if not classes.n:
        return Lines(np.zeros(0), np.zeros(0)), 0.0
    choices = [
        Lines(kept.slope[left], kept.slope[left] * steps + kept.start[left])
        for steps, left in zip(classes.steps, classes.left, strict=True)
    ]
    best = Lines(choices[0].slope.copy(), choices[0].start.copy())
    for line in choices[1:]:
        n = len(line.slope)
        better = line.slope * _FAR_STEPS + line.start > best.slope[:n] * _FAR_STEPS + best.start[:n]
        best.slope[:n][better], best.start[:n][better] = line.slope[better], line.start[better]
    return best, max(_crossing(best, line) for line in choices)


def _crossing(best: Lines, line: Lines) -> float:
    n = len(line.slope)
    rise = best.slope[:n] - line.slope
    gap = line.start - best.start[:n]
    return float(np.where(rise > _EPSILON, gap / np.maximum(rise, _EPSILON), 0).max())


def _forced(throws: CompiledRules, kept: Lines) -> tuple[Lines, float]:
    """Return the value of throws whose best keep must be banked, and the steps at risk from which it is linear.

    If the rules forbid banking with the dice that are left, the player throws them instead.
    """
    best, crossing = _best(throws.forced, kept)
    if throws.forced.n:
        banked = ~np.isin(throws.forced.left[0], throws.must_throw)
        best.slope[banked], best.start[banked] = 1.0, throws.forced.steps[0][banked]
    return best, crossing


_ACCURACY_STEPS = 1e-10
"""Accuracy of the long-run average, in steps."""


@dataclass(frozen=True, slots=True)
class PointsTable:
    """The average points of a turn with best play, by points at risk and number of dice left.

    Attributes:
        throws: The compiled rules.
        worth: Average points of the turn at each of its stages, in steps (usually 50 points each),
            up to `far.top` steps at risk.
        far: The same with more steps at risk, where the average points lie on a straight line.
    """

    throws: CompiledRules
    worth: TurnValues
    far: Asymptote

    @property
    def value(self) -> float:
        """Average points of a whole turn."""
        return self.throwing(0, self.throws.n_dice)

    def throwing(self, points: int, n_dice: int) -> float:
        """Return the average points of a turn if the player throws again.

        Args:
            points: Points at risk.
            n_dice: Number of dice thrown.
        """
        steps = points // self.throws.step
        far = self.far
        if steps < far.top:
            return float(self.worth.thrown[steps, n_dice, 0]) * self.throws.step
        return float(far.slope[n_dice] * steps + far.start[n_dice]) * self.throws.step

    def kept(self, points: int, left: int, *, bankable: bool) -> float:
        """Return the average points of a turn after a keep, if the player makes the better choice.

        Args:
            points: Points at risk.
            left: Number of dice left. 0 means hot dice.
            bankable: Whether the turn may be banked.
        """
        thrown = self.throwing(points, left or self.throws.n_dice)
        return max(float(points), thrown) if bankable else thrown


@cache
def points_table(rules: Ruleset, *, opened: bool = True) -> PointsTable:
    """Return the average points per turn under a rule set.

    Args:
        rules: The rules.
        opened: Whether the player is on the board. If not, the first bank needs the opening.

    Raises:
        OddsError: If no throw ever farkles, so that a turn has no finite value.
    """
    compiled = compile_without_endings(rules)
    return _table(compiled, compiled.needed(opened=opened), 0.0)


def _table(throws: CompiledRules, needed: int, lost: float) -> PointsTable:
    """Return average points if a bank needs `needed` steps and a lost turn is worth `lost` steps."""
    line = asymptote(throws, lost)
    line = replace(line, top=max(line.top, needed))
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
    """Return a phrase for each of these rules that is left out of the average points of a turn."""
    played = (
        (rules.opening, Message("the points needed to get on the board")),
        (rules.three_farkles, Message("farkles in a row, except in the long-run average")),
        (rules.four_twos_reset, Message("resets to zero")),
        (rules.all_alike_wins or rules.all_ones_win, Message("throws that win at once")),
        (
            rules.three_scoreless_starts,
            Message("the penalty for three first throws without points"),
        ),
        (rules.scoreless_start, Message("the penalty for a first throw without points")),
        (rules.triple_threes, Message("the penalty for three 3s in one throw")),
        (
            rules.piggyback is not Piggyback.NO,
            Message("building on the points that another player has banked"),
        ),
        (rules.hot_dice_multiply, Message("hot dice that multiply later points")),
        (
            rules.nothing_first_throw,
            Message("that a throw without points pays only as the first throw of a turn"),
        ),
    )
    return tuple(what for is_played, what in played if is_played)


@cache
def long_run_average(rules: Ruleset) -> float:
    """Return the average points per turn in the long run, with the penalty for three farkles in a row.

    The cost of a farkle depends on how many farkles came directly before it. A banked
    turn restarts the count. The result is the average under the play that is best in the long run.
    It equals `PointsTable.value` if farkles cost nothing.

    Source of the method: M. Busche, Maximizing Expected Scores in the Game of Zilch.
    """
    compiled = compile_without_endings(rules)
    needed = compiled.needed(opened=True)
    if not rules.three_farkles:
        return points_table(rules).value

    def left_over(average: float) -> float:
        """Return by how much the score of a turn exceeds this average. The result is 0 for the right average."""
        ahead = -rules.three_farkles / compiled.step
        for _ in range(PENALTY_STREAK):
            ahead = _table(compiled, needed, ahead).worth.begin()[0] - average
        return float(ahead)

    return _find_zero(left_over, points_table(rules).value / compiled.step) * compiled.step


def _find_zero(function: Callable[[float], float], near: float) -> float:
    """Return a zero of the function close to `near`, by the secant method."""
    a, b = near, near - 1.0
    at_a, at_b = function(a), function(b)
    while abs(at_b) > _ACCURACY_STEPS and a != b:
        a, b = b, b - at_b * (b - a) / (at_b - at_a)
        at_a, at_b = at_b, function(b)
    return b
