"""The value of each choice in a turn, in points, and the chances of throws.

The best play scores the most points per turn on average. Penalties, resets, instant wins and usually the opening are left out. The minimum bank, a last die
thrown twice, a forced bank after three of a kind and the points for a throw without a scoring die
are included. Only `long_run_average` includes the cost of a third farkle in a row.

A stage of a turn is given by the points at risk and the number of dice. Every keep adds points, so
a turn never returns to an earlier stage. The values of all stages are found in one pass from the
most points down, for many positions of the match at a time. Each position is a column of the
arrays. Points are in steps (see `game.odds.compiled_rules`).

The chances of throws are exact fractions. They depend only on the dice and the rules, not on points
at risk, the opening or the target.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import (
    CompiledRules,
    Floats,
    Indices,
    ThrowClasses,
    compile_rules,
    compile_without_endings,
    count_scoreless,
)
from game.rules import scoring
from game.rules.ruleset import PENALTY_STREAK, Piggyback, Ruleset
from game.rules.scoring import count_orders

REFUSED = -np.inf
"""Value of banking where it is not allowed."""

_FAR_STEPS = 1e7
"""Points at risk, in steps, beyond which the higher of two lines always stays the higher one."""

_EPSILON = 1e-12
_MAX_ROUNDS = 1_000

_ACCURACY_STEPS = 1e-10
"""Accuracy of the long-run average, in steps."""

_BATCH_SIZE = 64
"""Number of targets that are worked out together. A larger batch needs much more memory and saves
little time."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """The values of all ways in which a turn can end, in each of many positions of a match.

    Attributes:
        bank: Value of banking, indexed by [points at risk in steps, position]. `REFUSED` where it
            is not allowed.
        lost: Value of a turn without points, in each position.
        reset: Value of losing the whole score as well, in each position. A throw that wins has the
            value 1.
        top: Points at risk from which every player banks, in steps, for each position. The
            positions are sorted by this value, highest first.
        thrown_above: Dice left -> value of throwing with at least `top` at risk, where banking is
            not allowed, indexed by [steps, position]. There is always an entry for 0, hot dice.
        over: Whether the points at risk overshoot a target that must be hit exactly, indexed by
            [steps, position]. None without such a target.
    """

    bank: Floats
    lost: Floats
    reset: Floats
    top: Indices
    thrown_above: Mapping[int, Floats]
    over: npt.NDArray[np.bool_] | None = None

    def at(self, boards: slice) -> "Stakes":
        """Return these values for some of the positions only."""
        return Stakes(
            bank=np.ascontiguousarray(self.bank[:, boards]),
            lost=self.lost[boards],
            reset=self.reset[boards],
            top=self.top[boards],
            thrown_above={n: above[:, boards] for n, above in self.thrown_above.items()},
            over=None if self.over is None else self.over[:, boards],
        )

    def in_single_precision(self) -> "Stakes":
        """Return these values as 32-bit floats, which take half the memory."""
        return replace(
            self,
            bank=self.bank.astype(np.float32),
            lost=self.lost.astype(np.float32),
            reset=self.reset.astype(np.float32),
            thrown_above={n: above.astype(np.float32) for n, above in self.thrown_above.items()},
        )


@dataclass(frozen=True, slots=True)
class TurnValues:
    """The values of all stages of a turn under best play.

    Attributes:
        kept: Value after a keep, indexed by [points at risk in steps, dice left, position]. 0 dice
            left means hot dice.
        thrown: Value before a throw, indexed by [points at risk in steps, number of dice,
            position].
    """

    kept: Floats
    thrown: Floats

    def begin(self) -> Floats:
        """Return the value of the whole turn in each position."""
        start: Floats = self.thrown[0, -1]
        return start


def n_rows(throws: CompiledRules, top: int) -> int:
    """Return the number of rows, for points at risk, that the arrays of `Stakes` need.

    Args:
        throws: The compiled rules.
        top: Largest value of `Stakes.top`.
    """
    return top + throws.largest + 1


def solve_turn(throws: CompiledRules, stakes: Stakes) -> TurnValues:
    """Return the values of all stages of a turn under best play.

    Args:
        throws: The compiled rules.
        stakes: The values of all ways in which the turn can end.
    """
    worth = _above(throws, stakes)
    kept, thrown = worth.kept, worth.thrown
    table = kept.reshape(-1, kept.shape[2])
    kind = stakes.bank.dtype
    free, forced = _Lookup(throws.optional, throws, kind), _Lookup(throws.forced, throws, kind)
    order = dice_after_keep(throws)
    ended = throws.farkle[:, None] * stakes.lost + throws.reset[:, None] * stakes.reset
    ended = (ended + throws.win[:, None]).astype(kind)
    for t in range(int(stakes.top.max(initial=0)) - 1, -1, -1):
        active = int(np.searchsorted(-stakes.top, -t, side="left"))
        now = free.worth(table, t, active) + ended[:, :active]
        if throws.forced.n:
            now += forced.worth_if_banked(table, stakes, t, active)
        thrown[t, :, :active] = now
        np.maximum(stakes.bank[t, :active], now[order], out=kept[t, :, :active])
        for left in throws.must_throw:
            kept[t, left, :active] = now[order[left]]
    return worth


def dice_after_keep(throws: CompiledRules) -> list[int]:
    """Return the number of dice in the next throw, by dice left: all dice if 0 are left (hot dice)."""
    return [throws.n_dice, *range(1, throws.n_dice)]


def _above(throws: CompiledRules, stakes: Stakes) -> TurnValues:
    """Return the values of a turn with at least `Stakes.top` at risk, and the values of banking with less."""
    n_rows, n_boards = stakes.bank.shape
    kept = np.repeat(stakes.bank[:, None, :], throws.n_dice, axis=1)
    kept[:, list(throws.must_throw)] = REFUSED
    for left, worth in stakes.thrown_above.items():
        kept[:, left] = np.maximum(kept[:, left], worth)
    return TurnValues(kept, np.zeros((n_rows, throws.n_dice + 1, n_boards), kept.dtype))


class _Lookup:
    """The best choices of all classes of throws, looked up at once."""

    def __init__(self, classes: ThrowClasses, throws: CompiledRules, kind: np.dtype[Any]) -> None:
        self._classes = classes
        self._weights = classes.weights.astype(kind, copy=False)
        self._n_dice = throws.n_dice
        self._refused = [np.isin(left, throws.must_throw) for left in classes.left]
        self._at = self._rows()
        lengths = [len(steps) for steps in classes.steps]
        self._ends = np.cumsum([0, *lengths])

    def _rows(self) -> Indices:
        """Return the row of every choice in a table with a row for each [steps, dice left]."""
        pairs = zip(self._classes.steps, self._classes.left, strict=True)
        at = [steps * self._n_dice + left for steps, left in pairs]
        return np.concatenate(at) if at else np.zeros(0, np.intp)

    def worth(self, table: Floats, t: int, active: int) -> Floats:
        """Return what scoring throws contribute to the value of a throw.

        The result is indexed by [number of dice, position].

        Args:
            table: Values after a keep, with a row for each [steps, dice left] and a column for each
                position.
            t: Points at risk before the throw, in steps.
            active: Number of positions, from the first, to calculate.
        """
        worth: Floats = self._weights @ self._best(table, t, active)
        return worth

    def _best(self, table: Floats, t: int, active: int) -> Floats:
        """Return the value of each class's best choice, indexed by [class, position]; see `worth`."""
        rows = self._at + t * self._n_dice
        whole = active == table.shape[1]
        choices: Floats = table.take(rows, axis=0) if whole else table[rows, :active]
        best = choices[: self._classes.n]
        for start, end in zip(self._ends[1:-1], self._ends[2:], strict=True):
            part = best[: end - start]
            np.maximum(part, choices[start:end], out=part)
        return best

    def worth_if_banked(self, table: Floats, stakes: Stakes, t: int, active: int) -> Floats:
        """Return a throw's value if the best keep that does not overshoot the target must be banked.

        Args:
            table: As for `worth`.
            stakes: The values of all ways in which the turn can end.
            t: As for `worth`.
            active: As for `worth`.
        """
        banked = self._banked(stakes, t, active)
        free = self._best(table, t, active)
        worth: Floats = self._weights @ np.where(np.isneginf(banked), free, banked)
        return worth

    def _banked(self, stakes: Stakes, t: int, active: int) -> Floats:
        banked = self._bank(stakes, 0, t, active)
        if stakes.over is None:
            return banked
        for place in range(len(self._classes.steps) - 1, -1, -1):
            steps = self._classes.steps[place]
            fits = ~stakes.over[t + steps, :active]
            part = banked[: len(steps)]
            part[fits] = self._bank(stakes, place, t, active)[fits]
        return banked

    def _bank(self, stakes: Stakes, place: int, t: int, active: int) -> Floats:
        bank: Floats = stakes.bank[t + self._classes.steps[place], :active]
        bank[self._refused[place]] = REFUSED
        return bank


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How turns end under best play, in each of many positions of a match.

    Attributes:
        banked: Chance that the turn banks each number of points, indexed by [steps, position].
        won: Chance of a throw that wins at once, in each position.
        reset: Chance of a throw that resets the score, in each position.
    """

    banked: Floats
    won: Floats
    reset: Floats


def turn_outcomes(throws: CompiledRules, stakes: Stakes, worth: TurnValues) -> Outcomes:
    """Return how turns end, by following every possible course of a turn from its start.

    Args:
        throws: The compiled rules.
        stakes: The values of all ways in which the turn can end.
        worth: The values of all stages of the turn.
    """
    n_rows, n_boards = stakes.bank.shape
    there = np.zeros((n_rows, throws.n_dice + 1, n_boards))
    there[0, -1] = 1.0
    found = Outcomes(np.zeros((n_rows, n_boards)), np.zeros(n_boards), np.zeros(n_boards))
    for t in range(int(stakes.top.max())):
        now = there[t]
        found.won[:] += throws.win @ now
        found.reset[:] += throws.reset @ now
        for classes in (throws.optional, throws.forced):
            if classes.n and now.any():
                forced = classes is throws.forced
                _follow(throws, stakes, worth, (classes, forced, t), there, found.banked)
    return found


def _follow(  # noqa: PLR0917 - the state of the whole calculation
    throws: CompiledRules,
    stakes: Stakes,
    worth: TurnValues,
    which: tuple[ThrowClasses, bool, int],
    there: Floats,
    banked: Floats,
) -> None:
    """Follow all throws of some classes, and add their chances to `there` and `banked`.

    Args:
        throws: The compiled rules.
        stakes: The values of all ways in which the turn can end.
        worth: The values of all stages of the turn.
        which: The classes, whether their best keep must be banked, and the steps at risk.
        there: Chance that a turn reaches each stage, indexed by [steps, number of dice, position].
        banked: Chance that a turn banks each number of points, indexed by [steps, position].
    """
    classes, forced, t = which
    n_boards = stakes.bank.shape[1]
    board = np.arange(n_boards)
    share = classes.weights.T @ there[t]
    steps, left = _chosen(classes, worth.kept, t, n_boards, first=forced)
    dice = np.array(dice_after_keep(throws))[left]
    to = t + steps
    bank = stakes.bank[to, board]
    may = ~np.isin(left, throws.must_throw) & ~np.isneginf(bank)
    over = to >= stakes.top
    banks = may & (forced | over | (bank >= worth.thrown[to, dice, board]))
    within = slice(t, t + throws.largest + 1)
    at = (to - t) * n_boards + board
    _add(banked[within], at[banks], share[banks])
    on = ~banks & ~over
    at = ((to - t) * there.shape[1] + dice) * n_boards + board
    _add(there[within], at[on], share[on])


def _add(to: Floats, at: Indices, share: Floats) -> None:
    to += np.bincount(at, share, to.size).reshape(to.shape)


def _chosen(
    classes: ThrowClasses, kept: Floats, t: int, n_boards: int, *, first: bool
) -> tuple[Indices, Indices]:
    """Return, for each class of throws, the points (in steps) and dice left after the best choice.

    Both results are indexed by [class, position].

    Args:
        classes: The classes of throws.
        kept: Value after a keep, indexed by [steps at risk, dice left, position].
        t: Points at risk before the throw, in steps.
        n_boards: Number of positions.
        first: Whether the first choice is taken without comparing values.
    """
    steps = np.repeat(classes.steps[0][:, None], n_boards, axis=1)
    left = np.repeat(classes.left[0][:, None], n_boards, axis=1)
    if first:
        return steps, left
    best = kept[t + classes.steps[0], classes.left[0]].copy()
    for more, fewer in zip(classes.steps[1:], classes.left[1:], strict=True):
        n = len(more)
        found = kept[t + more, fewer]
        better = found > best[:n]
        best[:n][better] = found[better]
        steps[:n] = np.where(better, more[:, None], steps[:n])
        left[:n] = np.where(better, fewer[:, None], left[:n])
    return steps, left


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
        (
            rules.all_alike_wins
            or rules.all_ones_win
            or rules.all_sixes_win
            or rules.straight_wins,
            Message("throws that win at once"),
        ),
        (
            rules.three_scoreless_starts,
            Message("the penalty for three first throws without points"),
        ),
        (rules.scoreless_start, Message("the penalty for a first throw without points")),
        (rules.triple_threes, Message("the penalty for three 3s in one throw")),
        (
            rules.piggyback is not Piggyback.NO,
            Message("taking over the points that another player has banked"),
        ),
        (rules.hot_dice_multiply, Message("hot dice that multiply later points")),
        (
            rules.must_beat_turn,
            Message("that a bank has to exceed the points of the turn before"),
        ),
        (rules.most_throws, Message("the limit on the number of throws in a turn")),
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


@dataclass(frozen=True, slots=True)
class ThrowChances:
    """The chances of one throw with a number of dice.

    Attributes:
        n_dice: Number of dice.
        farkle: Chance that there is no legal keep.
        hot: Chance that all dice can be kept.
        mean: Average points of the best keep. A farkle counts as 0.
    """

    n_dice: int
    farkle: Fraction
    hot: Fraction
    mean: Fraction


@cache
def throw_chances(rules: Ruleset) -> Mapping[int, ThrowChances]:
    """Return the chances of a single throw, by number of dice from 1.

    For a last die that may be thrown twice, only the first try counts, without the bonus.
    `farkle_within` counts both tries.
    """
    return {n: _chances(n, rules) for n in range(1, rules.n_dice + 1)}


def _chances(n: int, rules: Ruleset) -> ThrowChances:
    scoring_throws = hot = points = 0
    for dice, keeps in scoring.keep_table(rules).items():
        if len(dice) == n and keeps:
            scoring_throws += count_orders(dice)
            hot += count_orders(dice) * any(keep.hot for keep in keeps)
            points += count_orders(dice) * keeps[0].score
    farkle = 1 - Fraction(scoring_throws, 6**n)
    return ThrowChances(n, farkle, Fraction(hot, 6**n), Fraction(points, 6**n))


@cache
def farkle_within(rules: Ruleset, n_dice: int, throws: int) -> Fraction:
    """Return the smallest chance of a farkle within this many throws.

    The player keeps whatever makes a farkle least likely, regardless of points. Both tries of a
    last die count as one throw.

    Args:
        rules: The rules of the first of these throws. Later ones are not the first of the turn.
        n_dice: Number of dice in the first throw.
        throws: Number of throws.
    """
    return 1 - _survives(rules, n_dice, throws)


@cache
def _survives(rules: Ruleset, n_dice: int, throws: int) -> Fraction:
    if throws == 0:
        return Fraction(1)
    total, later = Fraction(0), scoring.after_first_throw(rules)
    for dice, keeps in scoring.keep_table(rules).items():
        if len(dice) == n_dice and keeps:
            lefts = {keep.dice_left or rules.n_dice for keep in keeps}
            total += count_orders(dice) * max(_survives(later, left, throws - 1) for left in lefts)
    once = Fraction(total, 6**n_dice)
    if n_dice == 1 and rules.last_die_twice:
        return once * (1 + Fraction(count_scoreless(1, rules), 6))
    return once


def values_to_reach(throws: CompiledRules, needed: int, least: int, most: int = 0) -> TurnValues:
    """Return the chance of banking at least `needed` steps, at every stage of a turn.

    Args:
        throws: The compiled rules.
        needed: Points that have to be banked, in steps (usually 50 points each).
        least: Steps below which nothing may be banked.
        most: Highest number of steps at risk that the chances must cover; they may cover more.
    """
    return _reaching(throws, np.array([max(needed, least)]), least, most)


def _reaching(throws: CompiledRules, needed: Indices, least: int, most: int = 0) -> TurnValues:
    return solve_turn(throws, _to_reach(throws, needed, least, most))


def _to_reach(throws: CompiledRules, needed: Indices, least: int, most: int) -> Stakes:
    top = np.maximum(needed, most)
    steps = np.arange(n_rows(throws, int(top.max())))[:, None]
    enough = (steps >= needed).astype(np.float64)
    escape = asymptote(throws).slope[dice_after_keep(throws)]
    return Stakes(
        bank=np.where(steps >= least, enough, REFUSED),
        lost=np.zeros(len(needed)),
        reset=np.zeros(len(needed)),
        top=top,
        thrown_above={
            left: np.full(enough.shape, escape[left]) for left in {0, *throws.must_throw}
        },
    )


def last_turns(rules: Ruleset, most: int, *, opened: bool) -> Floats:
    """Return the chance that a last turn banks exactly n steps (usually 50 points each), for each n.

    The result is indexed by n and by the steps that the player needs to win.

    Args:
        rules: The rules.
        most: Largest number of steps needed to win.
        opened: Whether the player is on the board.
    """
    compiled = compile_rules(rules)
    needed = np.maximum(np.arange(most, -1, -1), compiled.needed(opened=opened))
    stakes = _to_reach(compiled, needed, compiled.needed(opened=opened), 0)
    return turn_outcomes(compiled, stakes, solve_turn(compiled, stakes)).banked[:, ::-1]


def chances_to_reach(throws: CompiledRules, most: int, least: int) -> Floats:
    """Return the chance that a whole turn banks at least n steps (usually 50 points each).

    The result is indexed by n.

    Args:
        throws: The compiled rules.
        most: Largest n.
        least: Steps below which nothing may be banked.
    """
    most = max(most, least)
    if throws.forced.n and least > 1:
        return _chances_one_by_one(throws, most, least)
    to_go = values_to_reach(throws, most, 1).thrown[: most + 1, -1, 0][::-1]
    chances = np.concatenate([[to_go[1]], to_go[1:]])
    chances[:least] = chances[least]
    return chances


def _chances_one_by_one(throws: CompiledRules, most: int, least: int) -> Floats:
    """Return the result of `chances_to_reach`, computed with a separate solution for each n.

    This is needed for rules with a forced bank, because the points at risk before that bank matter as well.
    """
    needed = np.maximum(np.arange(most, -1, -1), least)
    parts = [
        _reaching(throws, needed[i : i + _BATCH_SIZE], least).begin()
        for i in range(0, len(needed), _BATCH_SIZE)
    ]
    return np.concatenate(parts)[::-1]


@cache
def chances_of_one_throw(rules: Ruleset, most: int, least: int) -> Floats:
    """Return the chance that one throw of all dice scores at least n steps (usually 50 points each).

    The result is indexed by n.

    Args:
        rules: The rules.
        most: Largest n.
        least: Steps below which nothing may be banked.
    """
    compiled = compile_rules(rules)
    best = np.zeros(compiled.largest + 1)
    for classes in (compiled.optional, compiled.forced):
        for c in range(classes.n):
            most_steps = max(int(steps[c]) for steps in classes.steps if c < len(steps))
            best[most_steps] += classes.weights[-1, c]
    chances = np.full(max(most, least) + 1, compiled.win[-1])
    at_least = best[::-1].cumsum()[::-1][: len(chances)]
    chances[: len(at_least)] += at_least
    chances[:least] = chances[least]
    return chances
