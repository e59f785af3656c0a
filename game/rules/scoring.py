"""Scoring: every legal keep of a throw, divided into the combinations that score most.

`keep_table` works out all 923 throws of up to six dice once for each rule set, so that looking up a
throw is one dictionary access. Dice are sorted tuples of faces.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import chain, combinations_with_replacement
from math import factorial, gcd, prod
from types import MappingProxyType

from game.errors import IllegalMove, ThrowError
from game.message import Message, Plural
from game.rules.rule_options import OPTIONS, Shape
from game.rules.ruleset import FACES, PENALTY_FACE, Alike, Dice, HotDice, Ruleset
from game.wording import number_word

_TRIPLE = 3
_RESET_FACE, _RESET_COUNT = 2, 4

_TABLES = 16
"""Number of rule sets whose tables are cached, at half a megabyte each. People may try many house
rules in a row."""

STRAIGHT = tuple(FACES)
"""The throw that wins at once if the rules say that a straight wins."""

_COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True)
class Combo:
    """Dice that score together.

    Attributes:
        dice: The faces.
        points: The score.
        name: Name of the combination, such as "three 4s".
    """

    dice: Dice
    points: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} {self.points:,}"


@dataclass(frozen=True, slots=True)
class Keep:
    """Dice that may be set aside from one throw.

    Attributes:
        dice: The faces.
        score: The points of all combinations together.
        combos: The combinations, in the division that scores most.
        dice_left: Number of dice in the throw that are not kept.
    """

    dice: Dice
    score: int
    combos: tuple[Combo, ...]
    dice_left: int

    @property
    def hot(self) -> bool:
        """Whether all dice of the throw score, so that all dice may be thrown again."""
        return self.dice_left == 0

    def __str__(self) -> str:
        return " + ".join(map(str, self.combos))


def checked_dice(faces: Iterable[int], rules: Ruleset) -> Dice:
    """Return the faces as sorted dice.

    Args:
        faces: The faces, in any order.
        rules: The rules.

    Raises:
        ThrowError: If a face is impossible, or there are too many dice for the rules.
    """
    found = tuple(sorted(faces))
    for face in found:
        if face not in FACES:
            raise ThrowError("a die shows 1 to 6, not %(face)s", face=face)
    if not 1 <= len(found) <= rules.n_dice:
        raise ThrowError(
            "%(rules)s is played with 1 to %(most)s dice in a throw, not %(n)s",
            rules=rules.name,
            most=rules.n_dice,
            n=len(found),
        )
    return found


def legal_keeps(throw: Iterable[int], rules: Ruleset) -> tuple[Keep, ...]:
    """Return every legal keep of a throw, highest score first.

    A throw without a legal keep is a farkle.

    Args:
        throw: The faces, in any order.
        rules: The rules.

    Raises:
        ThrowError: If the dice are impossible.
    """
    of_all = keep_table(rules)
    try:
        return of_all[throw]  # type: ignore[index]
    except (KeyError, TypeError):
        return of_all[checked_dice(throw, rules)]


def find_keep(throw: Iterable[int], kept: Iterable[int], rules: Ruleset) -> Keep:
    """Return the keep that consists of exactly these dice.

    Args:
        throw: The faces of the throw.
        kept: The faces to keep.
        rules: The rules.

    Raises:
        IllegalMove: If the dice are not in the throw, or some of them do not score.
    """
    thrown, wanted = checked_dice(throw, rules), checked_dice(kept, rules)
    for keep in keep_table(rules)[thrown]:
        if keep.dice == wanted:
            return keep
    raise IllegalMove(_refusal(thrown, wanted, rules))


def after_first_throw(rules: Ruleset) -> Ruleset:
    """Return the rules by which all throws of a turn except the first are scored."""
    return replace(rules, nothing=0) if rules.nothing_first_throw else rules


def multiply(keep: Keep, factor: int) -> Keep:
    """Return a keep whose points are multiplied.

    Args:
        keep: The keep.
        factor: The factor, at least 1.
    """
    if factor == 1:
        return keep
    combos = tuple(replace(combo, points=factor * combo.points) for combo in keep.combos)
    return replace(keep, score=factor * keep.score, combos=combos)


def _refusal(thrown: Dice, wanted: Dice, rules: Ruleset) -> Message:
    for face in wanted:
        if wanted.count(face) > thrown.count(face):
            return _too_few(face, thrown.count(face))
    if rules.keep_all and (all_of_them := keep_table(rules)[thrown]):
        dice = " ".join(map(str, all_of_them[0].dice))
        return Message("all dice that score must be kept: %(dice)s", dice=dice)
    scoring = {face for keep in keep_table(rules)[wanted] for face in keep.dice}
    useless = next((face for face in wanted if face not in scoring), wanted[0])
    n = wanted.count(useless)
    return Plural(
        "a single %(face)s does not score in %(rules)s",
        "%(count)s %(face)ss do not score in %(rules)s",
        n=n,
        count=number_word(n),
        face=useless,
        rules=rules.title,
    )


def _too_few(face: int, n: int) -> Message:
    if n == 0:
        return Message("there is no %(face)s in this throw", face=face)
    return Plural(
        "there is only one %(face)s in this throw",
        "there are only %(count)s %(face)ss in this throw",
        n=n,
        count=number_word(n),
        face=face,
    )


def must_throw_reason(dice_left: int, rules: Ruleset) -> Message | None:
    """Return why a turn cannot be banked with this many dice left, or None if it can.

    Args:
        dice_left: Number of dice that were not kept. 0 means hot dice.
        rules: The rules.
    """
    if not dice_left and rules.hot_dice is HotDice.MUST:
        return Message("after hot dice you must throw all dice again")
    if dice_left >= rules.must_throw_from > 0:
        return Message("with %(n)s dice left you must throw", n=dice_left)
    return None


class Effect(StrEnum):
    """An effect of a throw that does not depend on which dice are kept."""

    WIN = "win"
    RESET_SCORE = "reset_score"
    PENALTY = "penalty"
    MUST_BANK = "must_bank"


@dataclass(frozen=True, slots=True)
class ThrowEvent:
    """An effect of a throw, and the change in the score that it causes: 0 or negative."""

    effect: Effect
    points: int = 0


def throw_events(throw: Dice, rules: Ruleset) -> tuple[ThrowEvent, ...]:
    """Return the effects of a throw that do not depend on the keep. A win comes first.

    Args:
        throw: Sorted faces.
        rules: The rules.
    """
    most = max(map(throw.count, throw))
    found = []
    if (most == rules.n_dice and _alike_wins(throw[0], rules)) or (
        rules.straight_wins and throw == STRAIGHT
    ):
        found.append(ThrowEvent(Effect.WIN))
    if rules.four_twos_reset and throw.count(_RESET_FACE) >= _RESET_COUNT:
        found.append(ThrowEvent(Effect.RESET_SCORE))
    if _is_penalised(throw, rules):
        found.append(ThrowEvent(Effect.PENALTY, -rules.triple_threes))
    if rules.must_bank_after_triple and most >= _TRIPLE:
        found.append(ThrowEvent(Effect.MUST_BANK))
    return tuple(found)


def _alike_wins(face: int, rules: Ruleset) -> bool:
    """Return whether all dice with this face win the match."""
    wins_alone = {1: rules.all_ones_win, 6: rules.all_sixes_win}
    return rules.all_alike_wins or wins_alone.get(face, False)


def _is_penalised(throw: Dice, rules: Ruleset) -> bool:
    return rules.has_penalty(PENALTY_FACE) and throw.count(PENALTY_FACE) >= _TRIPLE


def count_orders(dice: Dice) -> int:
    """Return the number of ways in which distinguishable dice can show these faces."""
    return factorial(len(dice)) // prod(map(factorial, Counter(dice).values()))


@lru_cache(_TABLES)
def keep_table(rules: Ruleset) -> Mapping[Dice, tuple[Keep, ...]]:
    """Return all legal keeps of every throw of 1 to `rules.n_dice` dice, highest score first."""
    best = _best_partitions(rules)
    keeps_of = _longest_keeps if rules.keep_all else _keeps_of
    sizes = range(1, rules.n_dice + 1)
    found = {throw: keeps_of(throw, best) for n in sizes for throw in _multisets(n)}
    if rules.nothing:
        bonus = Combo((), rules.nothing, "nothing")
        for throw in _multisets(rules.n_dice):
            if not found[throw] and not _is_penalised(throw, rules):
                found[throw] = (Keep(throw, rules.nothing, (bonus,), 0),)
    return MappingProxyType(found)


def all_keeps(rules: Ruleset) -> Iterator[Keep]:
    """Return the legal keeps of all throws."""
    return chain.from_iterable(keep_table(rules).values())


def points_step(rules: Ruleset) -> int:
    """Return the largest number of points that divides every score."""
    return gcd(rules.last_die_twice, *(keep.score for keep in all_keeps(rules)))


def _keeps_of(throw: Dice, best: Mapping[Dice, tuple[Combo, ...]]) -> tuple[Keep, ...]:
    found = [
        Keep(kept, sum(combo.points for combo in best[kept]), best[kept], len(rest))
        for kept, rest in _splits()[throw].items()
        if kept in best
    ]
    return tuple(sorted(found, key=lambda keep: (-keep.score, -keep.dice_left, keep.dice)))


def _longest_keeps(throw: Dice, best: Mapping[Dice, tuple[Combo, ...]]) -> tuple[Keep, ...]:
    """Return the keeps with the most dice, for rules under which every die that scores must be kept."""
    found = _keeps_of(throw, best)
    least_left = min((keep.dice_left for keep in found), default=0)
    return tuple(keep for keep in found if keep.dice_left == least_left)


@cache
def _splits() -> Mapping[Dice, Mapping[Dice, Dice]]:
    """Return, for each set of dice, a mapping from every non-empty part of it to the rest."""
    return {dice: dict(_parts(dice)) for n in range(7) for dice in _multisets(n)}


def _multisets(n_dice: int) -> Iterator[Dice]:
    return combinations_with_replacement(FACES, n_dice)


def _parts(whole: Dice) -> Iterator[tuple[Dice, Dice]]:
    """Yield every non-empty part of some dice, and the rest."""
    parts: list[tuple[Dice, Dice]] = [((), ())]
    for face in FACES:
        same = (face,) * whole.count(face)
        cuts = range(len(same) + 1)
        parts = [(part + same[:n], rest + same[n:]) for part, rest in parts for n in cuts]
    yield from parts[1:]


def _best_partitions(rules: Ruleset) -> dict[Dice, tuple[Combo, ...]]:
    """Return the highest-scoring division into combinations for each set of dice that has one.

    If several divisions score the same, the division with the fewest combinations is chosen. The
    search goes from few dice to many: the best division of a set of dice is one combination and the
    best division of the rest.
    """
    best: dict[Dice, tuple[Combo, ...]] = {(): ()}
    combo_of = _best_combos(rules)
    for whole, splits in _splits().items():
        parts = [
            (combo_of[part], *best[rest])
            for part, rest in splits.items()
            if part in combo_of and rest in best
        ]
        if parts:
            best[whole] = max(parts, key=lambda part: (sum(c.points for c in part), -len(part)))
    del best[()]
    return {
        whole: tuple(sorted(part, key=lambda combo: (-combo.points, combo.dice)))
        for whole, part in best.items()
    }


def _best_combos(rules: Ruleset) -> dict[Dice, Combo]:
    """Return the most valuable combination of each set of dice."""
    found: dict[Dice, Combo] = {}
    for combo in combos(rules):
        if combo.dice not in found or combo.points > found[combo.dice].points:
            found[combo.dice] = combo
    return found


@lru_cache(_TABLES)
def combos(rules: Ruleset) -> tuple[Combo, ...]:
    """Return every combination that scores under these rules."""
    found = [*_singles(rules), *_alike(rules), *_shapes(rules)]
    return tuple(c for c in found if c.points and len(c.dice) <= rules.n_dice)


def _singles(rules: Ruleset) -> Iterator[Combo]:
    """Yield combinations of like dice that each score on their own, such as "two 1s" for 200."""
    for face, points in zip(FACES, rules.singles, strict=True):
        for n in range(1, rules.n_dice + 1):
            yield _same(face, n, n * points)


def _alike(rules: Ruleset) -> Iterator[Combo]:
    for face in FACES:
        triple = rules.triple_points(face)
        yield _same(face, 3, triple)
        for n in range(4, rules.n_dice + 1):
            exception = rules.exception_points(face, n)
            usual = _alike_points(rules, n, triple)
            yield _same(face, n, usual if exception is None else exception)


def _alike_points(rules: Ruleset, n: int, triple: int) -> int:
    match rules.alike:
        case Alike.DOUBLING:
            return triple << (n - 3)
        case Alike.ADDING:
            return triple * (n - 2)
        case Alike.FIXED:
            return rules.alike_fixed[n - 4]
        case Alike.NONE:
            return 0


def _same(face: int, n: int, points: int) -> Combo:
    return Combo((face,) * n, points, f"{_COUNT_WORDS[n]} {face}{'s' if n > 1 else ''}")


def _shapes(rules: Ruleset) -> Iterator[Combo]:
    for row in OPTIONS:
        if row.shape and (points := getattr(rules, row.name)):
            for made_of in row.shape.made_of:
                yield Combo(
                    made_of, _shape_points(row.shape, made_of, rules, points), row.shape.name
                )


def _shape_points(shape: Shape, made_of: Dice, rules: Ruleset, points: int) -> int:
    """Return `points`, the value of a shape, plus the points of the three of a kind in it if the rules let both score."""
    if not shape.adds_to_triple:
        return points
    three = rules.triple_points(made_of[_MIDDLE])
    return three + points if three else 0


_MIDDLE = 2
"""Index of a die that belongs to the three of a kind in a full house, whichever face the pair has."""
