"""The chances of one throw and of throwing on, as exact fractions.

They are of the dice alone: no points at risk, no opening, no target.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from game import scoring
from game.odds.throws import orders, scoreless
from game.ruleset import Ruleset


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
    for dice, keeps in scoring.table(rules).items():
        if len(dice) == n and keeps:
            hot += orders(dice) * any(keep.hot for keep in keeps)
            points += orders(dice) * keeps[0].score
    return ThrowChances(
        n,
        farkle=Fraction(scoreless(n, rules), 6**n),
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
    for dice, keeps in scoring.table(rules).items():
        if len(dice) == n_dice and keeps:
            lefts = {keep.dice_left or rules.n_dice for keep in keeps}
            total += orders(dice) * max(_survives(rules, left, throws - 1) for left in lefts)
    once = Fraction(total, 6**n_dice)
    if n_dice == 1 and rules.last_die_twice:
        return once * (1 + Fraction(scoreless(1, rules), 6))
    return once
