"""The solver of a turn, for any value of banking and of losing the turn: the core of all odds.

A stage of a turn is given by the points at risk and the number of dice. Every keep adds points, so
a turn never returns to an earlier stage. The values of all stages are found in one pass from the
most points down, for many positions of the match at a time. Each position is a column of the
arrays. Points are in steps (see `game.odds.compiled_rules`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from game.odds.compiled_rules import CompiledRules, Floats, Indices, ThrowClasses

REFUSED = -np.inf
"""Value of banking where it is not allowed."""


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
