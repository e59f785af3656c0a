"""The throws of a rule set as arrays, compiled from the table of keeps for fast calculation.

Throws that offer the same choices form one class. Points are counted in steps of the
largest number that divides every score (50 in all published rule sets).

A throw that wins at once or resets the score offers no choice, and its chance is listed separately.
The costs of three 3s and of three scoreless starts are left out, and so is the multiplication by
hot dice. A last die that may be thrown twice counts as one throw with both tries, and its bonus is
part of its points.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from game.errors import OddsError
from game.rules import scoring
from game.rules.ruleset import Dice, LastRound, Ruleset, Win
from game.rules.scoring import Effect, Keep, count_orders, must_throw_reason

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

MAX_STEPS_PER_THROW = 2_000
"""Odds are not calculated for rule sets whose best throw scores more steps than this. In published
rule sets, the best throw scores at most 200 steps."""

Choice = tuple[int, int]
"""Points of a keep in steps, and the number of dice that it leaves. 0 dice left means hot dice."""


@dataclass(frozen=True, slots=True)
class ThrowClasses:
    """Throws grouped by the choices that they offer.

    Classes are sorted by their number of choices, most first, so that choice i of all classes that
    have such a choice fits into one array.

    Attributes:
        weights: Chance that a throw of n dice belongs to class c, indexed by [n, c].
        steps: For each i, the points of choice i, indexed by class, in steps (usually 50 points
            each).
        left: For each i, the number of dice left by choice i, indexed by class.
    """

    weights: Floats
    steps: tuple[Indices, ...]
    left: tuple[Indices, ...]

    @property
    def n(self) -> int:
        """Number of classes of throws."""
        return int(self.weights.shape[1])


@dataclass(frozen=True, slots=True)
class CompiledRules:
    """The parts of a rule set that matter to the odds, as numbers and arrays.

    Attributes:
        n_dice: Number of dice in play.
        step: Points of one step, the unit of all points below: the largest number that divides
            every score, usually 50.
        largest: Points of the best keep, in steps.
        farkle: Chance that a throw of n dice scores nothing, indexed by n.
        win: Chance that a throw of n dice wins the match, indexed by n.
        reset: Chance that a throw of n dice resets the score, indexed by n.
        optional: Throws after which the player may bank or throw again.
        forced: Throws after which the best keep must be banked, if banking is allowed.
        must_throw: Numbers of dice that the player has to throw if they are left, instead of
            banking. 0 means hot dice.
        minimum: Points that every bank needs, in steps, at least 1.
        opening: Points that the first bank needs, in steps.
        three_farkles: Points that the third farkle in a row costs, in steps.
    """

    n_dice: int
    step: int
    largest: int
    farkle: Floats
    win: Floats
    reset: Floats
    optional: ThrowClasses
    forced: ThrowClasses
    must_throw: tuple[int, ...]
    minimum: int
    opening: int
    three_farkles: int

    def needed(self, *, opened: bool) -> int:
        """Return the points that a bank needs, in steps.

        A player who is not on the board (`opened` is False) needs the opening.
        """
        return self.minimum if opened else max(self.minimum, self.opening)


@cache
def compile_rules(rules: Ruleset) -> CompiledRules:
    """Return a rule set in the form from which the odds are calculated.

    Raises:
        OddsError: If nothing scores, or the unit of points is too small for the calculation.
    """
    step = scoring.points_step(rules)
    _check_fineness(rules, step)
    free: defaultdict[tuple[Choice, ...], Counter[int]] = defaultdict(Counter)
    forced: defaultdict[tuple[Choice, ...], Counter[int]] = defaultdict(Counter)
    ends = {Effect.WIN: np.zeros(rules.n_dice + 1), Effect.RESET_SCORE: np.zeros(rules.n_dice + 1)}
    for dice, keeps in scoring.keep_table(rules).items():
        if end := _ends_turn(dice, rules):
            ends[end][len(dice)] += count_orders(dice) / 6 ** len(dice)
        elif keeps:
            found = forced if _must_bank(dice, rules) else free
            found[_choices(dice, keeps, rules, step)][len(dice)] += count_orders(dice)
    return CompiledRules(
        n_dice=rules.n_dice,
        step=step,
        largest=max(steps for choices in (*free, *forced) for steps, _ in choices),
        farkle=np.array([_farkle(n, rules) for n in range(rules.n_dice + 1)]),
        win=ends[Effect.WIN],
        reset=ends[Effect.RESET_SCORE],
        optional=_classes(free, rules),
        forced=_classes(forced, rules),
        must_throw=tuple(left for left in range(rules.n_dice) if must_throw_reason(left, rules)),
        minimum=max(1, -(-rules.minimum_bank // step)),
        opening=-(-rules.opening // step),
        three_farkles=round(rules.three_farkles / step),
    )


@cache
def compile_without_endings(rules: Ruleset) -> CompiledRules:
    """Return a rule set compiled as if no single throw could win the match or reset the score."""
    return compile_rules(
        replace(
            rules,
            all_alike_wins=False,
            all_ones_win=False,
            all_sixes_win=False,
            straight_wins=False,
            four_twos_reset=False,
        )
    )


def _check_fineness(rules: Ruleset, step: int) -> None:
    best = max((keep.score for keep in scoring.all_keeps(rules)), default=0)
    if not best:
        raise OddsError("no dice score under these rules, so nobody can win")
    if best > step * MAX_STEPS_PER_THROW:
        raise OddsError(
            "scores go in steps of %(step)s, but one throw can score %(best)s, which is too "
            "many steps to calculate",
            step=step,
            best=best,
        )


def count_scoreless(n: int, rules: Ruleset) -> int:
    """Return how many of the 6^n throws of n dice score nothing.

    Args:
        n: Number of dice.
        rules: The rules.
    """
    table = scoring.keep_table(rules)
    return sum(
        count_orders(dice)
        for dice, keeps in table.items()
        if len(dice) == n and not keeps and not _ends_turn(dice, rules)
    )


def _farkle(n: int, rules: Ruleset) -> float:
    once = count_scoreless(n, rules) / 6**n
    return float(once * once if n == 1 and rules.last_die_twice else once)


def _ends_turn(dice: Dice, rules: Ruleset) -> Effect | None:
    """Return the effect of a throw that wins the match or resets the score by itself, else None.

    A win takes precedence over a reset.
    """
    found = (event.effect for event in scoring.throw_events(dice, rules))
    return next((e for e in found if e in (Effect.WIN, Effect.RESET_SCORE)), None)


def _must_bank(dice: Dice, rules: Ruleset) -> bool:
    return any(e.effect is Effect.MUST_BANK for e in scoring.throw_events(dice, rules))


def _choices(dice: Dice, keeps: Iterable[Keep], rules: Ruleset, step: int) -> tuple[Choice, ...]:
    """Return the choices after a throw, usually only the best one for each number of dice left.

    Points are counted in units of `step`.

    More points are not always better: a target may have to be hit exactly, too few points for the
    minimum bank may spare the player a forced bank, and narrowly reaching the target may give the
    opponent a last turn with nothing to lose.
    """
    bonus = rules.last_die_twice if len(dice) == 1 else 0
    all_of_them = [((keep.score + bonus) // step, keep.dice_left) for keep in keeps]
    if not _more_is_better(rules):
        return tuple(dict.fromkeys(all_of_them))
    best: dict[int, int] = {}
    for steps, left in all_of_them:
        best.setdefault(left, steps)
    return tuple((steps, left) for left, steps in best.items())


def _more_is_better(rules: Ruleset) -> bool:
    free = not rules.must_bank_after_triple and rules.win is not Win.EXACTLY
    return free and rules.last_round is LastRound.NONE


def _classes(found: dict[tuple[Choice, ...], Counter[int]], rules: Ruleset) -> ThrowClasses:
    lists = sorted(found, key=lambda choices: (-len(choices), choices))
    weights = np.zeros((rules.n_dice + 1, len(lists)))
    for c, choices in enumerate(lists):
        for n, count in found[choices].items():
            weights[n, c] = count / 6**n
    if rules.last_die_twice:
        weights[1] *= 1 + count_scoreless(1, rules) / 6
    places = list(_places(lists))
    return ThrowClasses(
        weights,
        steps=tuple(np.array([steps for steps, _ in place], np.intp) for place in places),
        left=tuple(np.array([left for _, left in place], np.intp) for place in places),
    )


def _places(lists: list[tuple[Choice, ...]]) -> Iterator[list[Choice]]:
    for i in range(len(lists[0]) if lists else 0):
        yield [choices[i] for choices in lists if len(choices) > i]
