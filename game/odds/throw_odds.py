"""The chances of one throw and of throwing on, as exact fractions.

They are of the dice alone: no points at risk, no opening, no target.
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
    """What one throw of so many dice brings.

    Attributes:
        farkle: chance that no keep is in it.
        hot: chance that all its dice score together, or are kept for nothing at all.
        mean: points of its best keep on average, a farkle counted as 0.
    """

    n_dice: int
    farkle: Fraction
    hot: Fraction
    mean: Fraction


@cache
def throw_chances(rules: Ruleset) -> Mapping[int, ThrowChances]:
    """The chances of a single throw, by the number of dice.

    A last die that may be thrown twice is counted as it falls the first time; its bonus is not in
    the mean. `farkle_within` and all that is played counts both.
    """
    return {n: _chances(n, rules) for n in range(1, rules.n_dice + 1)}


def _chances(n: int, rules: Ruleset) -> ThrowChances:
    hot = points = 0
    table = scoring.keep_table(rules)
    for dice, keeps in table.items():
        if len(dice) == n and keeps:
            hot += count_orders(dice) * any(keep.hot for keep in keeps)
            points += count_orders(dice) * keeps[0].score
    return ThrowChances(
        n,
        farkle=Fraction(
            sum(count_orders(d) for d, k in table.items() if len(d) == n and not k), 6**n
        ),
        hot=Fraction(hot, 6**n),
        mean=Fraction(points, 6**n),
    )


@cache
def farkle_within(rules: Ruleset, n_dice: int, throws: int) -> Fraction:
    """The least chance that one of so many next throws is a farkle, the first of `n_dice` dice.

    Whoever throws on keeps what makes it least likely, whatever that scores. A last die that may
    be thrown twice has both tries in one throw.
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


_BOARDS = 64
"""Boards worked out together; more need more memory than they save time."""


def values_to_reach(throws: CompiledRules, needed: int, least: int, most: int = 0) -> TurnValues:
    """Chance to bank `needed` steps or more, from every point of a turn up to `most` steps.

    Below `least` steps nothing may be banked.
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
    """Chance of a turn that needs so many steps, or all is lost, to bank so many, at [banked, needed]."""
    compiled = compile_rules(rules)
    needed = np.maximum(np.arange(most, -1, -1), compiled.needed(opened=opened))
    stakes = _to_reach(compiled, needed, compiled.needed(opened=opened), 0)
    return turn_outcomes(compiled, stakes, solve_turn(compiled, stakes)).banked[:, ::-1]


def chances_to_reach(throws: CompiledRules, most: int, least: int) -> Floats:
    """Chance of a turn that begins to bank at least n steps, for n from 0 to `most`."""
    most = max(most, least)
    if throws.forced.n and least > 1:
        return _each_alone(throws, most, least)
    to_go = values_to_reach(throws, most, 1).thrown[: most + 1, -1, 0][::-1]
    chances = np.concatenate([[to_go[1]], to_go[1:]])
    chances[:least] = chances[least]
    return chances


def _each_alone(throws: CompiledRules, most: int, least: int) -> Floats:
    """Where a bank is forced but refused below the least, what was had before matters too."""
    needed = np.maximum(np.arange(most, -1, -1), least)
    parts = [
        _reaching(throws, needed[i : i + _BOARDS], least).begin()
        for i in range(0, len(needed), _BOARDS)
    ]
    return np.concatenate(parts)[::-1]


@cache
def chances_of_one_throw(rules: Ruleset, most: int, least: int) -> Floats:
    """Chance of a throw of all dice to score at least n steps, for n from 0 to `most`."""
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
