"""The chances of throws, and of the points that a turn may bank.

The chances of throws are exact fractions. They depend only on the dice and the rules, not on points
at risk, the opening or the target.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from game.odds.compiled_rules import CompiledRules, Floats, Indices, compile_rules, count_scoreless
from game.odds.turn_odds import asymptote
from game.odds.turn_solver import (
    REFUSED,
    Stakes,
    TurnValues,
    dice_after_keep,
    n_rows,
    solve_turn,
    turn_outcomes,
)
from game.rules import scoring
from game.rules.ruleset import Ruleset
from game.rules.scoring import count_orders


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
        rules: The rules.
        n_dice: Number of dice in the first throw.
        throws: Number of throws.
    """
    return 1 - _survives(rules, n_dice, throws)


@cache
def _survives(rules: Ruleset, n_dice: int, throws: int) -> Fraction:
    if throws == 0:
        return Fraction(1)
    total = Fraction(0)
    for dice, keeps in scoring.keep_table(rules).items():
        if len(dice) == n_dice and keeps:
            lefts = {keep.dice_left or rules.n_dice for keep in keeps}
            total += count_orders(dice) * max(_survives(rules, left, throws - 1) for left in lefts)
    once = Fraction(total, 6**n_dice)
    if n_dice == 1 and rules.last_die_twice:
        return once * (1 + Fraction(count_scoreless(1, rules), 6))
    return once


_BATCH_SIZE = 64
"""Number of targets that are worked out together. A larger batch needs much more memory and saves
little time."""


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
