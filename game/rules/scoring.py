"""A throw -> every legal keep, by the best partition of the kept dice.

All 923 throws of up to six dice are worked out once per rule set (`table`), so that a look-up
is one dictionary access. Dice are sorted tuples of faces everywhere in here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from types import MappingProxyType

from game.errors import IllegalMove, ThrowError
from game.message import Message, Plural
from game.rules.rule_options import OPTIONS, Shape
from game.rules.ruleset import FACES, PENALTY_FACE, Alike, Dice, HotDice, Ruleset
from game.wording import number_word

_TRIPLE = 3
_RESET_FACE, _RESET_COUNT = 2, 4

_TABLES = 16
"""Rule sets whose keeps are remembered, half a megabyte each: anybody may try house rules, one after the other."""

_COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True)
class Combo:
    """Dice that score together."""

    dice: Dice
    points: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} {self.points:,}"


@dataclass(frozen=True, slots=True)
class Keep:
    """Dice that may be set aside from one throw, at their best partition.

    `hot` says that every die of the throw scores: all dice may be thrown again.
    """

    dice: Dice
    score: int
    combos: tuple[Combo, ...]
    dice_left: int

    @property
    def hot(self) -> bool:
        return self.dice_left == 0

    def __str__(self) -> str:
        return " + ".join(map(str, self.combos))


def checked_dice(faces: Iterable[int], rules: Ruleset) -> Dice:
    """The faces as a throw.

    Raises:
        ThrowError: a face that no die has, or more dice than the rules play with.
    """
    found = tuple(sorted(faces))
    for face in found:
        if face not in FACES:
            raise ThrowError(Message("a die shows 1 to 6, not %(face)s", face=face))
    if not 1 <= len(found) <= rules.n_dice:
        raise ThrowError(
            Message(
                "%(rules)s is thrown with 1 to %(most)s dice, not %(n)s",
                rules=rules.name,
                most=rules.n_dice,
                n=len(found),
            )
        )
    return found


def legal_keeps(throw: Iterable[int], rules: Ruleset) -> tuple[Keep, ...]:
    """Every legal keep, highest score first; none at all is a farkle.

    Raises:
        ThrowError: these are no dice.
    """
    of_all = keep_table(rules)
    try:
        return of_all[throw]  # type: ignore[index]
    except (KeyError, TypeError):
        return of_all[checked_dice(throw, rules)]


def find_keep(throw: Iterable[int], kept: Iterable[int], rules: Ruleset) -> Keep:
    """The keep of just these dice.

    Raises:
        IllegalMove: they are not in the throw, or one of them scores nothing; says which.
    """
    thrown, wanted = checked_dice(throw, rules), checked_dice(kept, rules)
    for keep in keep_table(rules)[thrown]:
        if keep.dice == wanted:
            return keep
    raise IllegalMove(_why_not(thrown, wanted, rules))


def multiply(keep: Keep, factor: int) -> Keep:
    """The keep where all that scores counts so many times."""
    if factor == 1:
        return keep
    combos = tuple(replace(combo, points=factor * combo.points) for combo in keep.combos)
    return replace(keep, score=factor * keep.score, combos=combos)


def _why_not(thrown: Dice, wanted: Dice, rules: Ruleset) -> Message:
    for face in wanted:
        if wanted.count(face) > thrown.count(face):
            return _too_few(face, thrown.count(face))
    scoring = {face for keep in keep_table(rules)[wanted] for face in keep.dice}
    idle = next((face for face in wanted if face not in scoring), wanted[0])
    n = wanted.count(idle)
    return Plural(
        "the %(face)s scores nothing: a lone %(face)s is no combination in %(rules)s",
        "the %(count)s %(face)ss score nothing: %(count)s %(face)ss are no combination in %(rules)s",
        n=n,
        count=number_word(n),
        face=idle,
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
    """Why nothing may be banked with so many dice left, 0 being hot dice, if that is so."""
    if not dice_left and rules.hot_dice is HotDice.MUST:
        return Message("hot dice must be thrown again")
    if dice_left >= rules.must_throw_from > 0:
        return Message("%(n)s dice that are left must be thrown", n=dice_left)
    return None


class Effect(StrEnum):
    """What a throw does by itself, whatever is kept of it."""

    WIN = "win"
    RESET_SCORE = "reset_score"
    PENALTY = "penalty"
    MUST_BANK = "must_bank"


@dataclass(frozen=True, slots=True)
class ThrowEvent:
    """An effect and the points it takes, where it takes any."""

    effect: Effect
    points: int = 0


def throw_events(throw: Dice, rules: Ruleset) -> tuple[ThrowEvent, ...]:
    """What this throw does by itself; a win comes before all else."""
    most = max(map(throw.count, throw))
    found = []
    if most == rules.n_dice and (rules.all_alike_wins or (rules.all_ones_win and throw[0] == 1)):
        found.append(ThrowEvent(Effect.WIN))
    if rules.four_twos_reset and throw.count(_RESET_FACE) >= _RESET_COUNT:
        found.append(ThrowEvent(Effect.RESET_SCORE))
    if _is_penalised(throw, rules):
        found.append(ThrowEvent(Effect.PENALTY, -rules.triple_threes))
    if rules.must_bank_after_triple and most >= _TRIPLE:
        found.append(ThrowEvent(Effect.MUST_BANK))
    return tuple(found)


def _is_penalised(throw: Dice, rules: Ruleset) -> bool:
    return rules.costs(PENALTY_FACE) and throw.count(PENALTY_FACE) >= _TRIPLE


def count_orders(dice: Dice) -> int:
    """In how many ways dice that can be told apart show these faces."""
    return factorial(len(dice)) // prod(map(factorial, Counter(dice).values()))


@lru_cache(_TABLES)
def keep_table(rules: Ruleset) -> Mapping[Dice, tuple[Keep, ...]]:
    """All keeps of all throws of 1 to `n_dice` dice."""
    best = _best_partitions(rules)
    sizes = range(1, rules.n_dice + 1)
    found = {throw: _keeps_of(throw, best) for n in sizes for throw in _multisets(n)}
    if rules.nothing:
        bonus = Combo((), rules.nothing, "nothing")
        for throw in _multisets(rules.n_dice):
            if not found[throw] and not _is_penalised(throw, rules):
                found[throw] = (Keep(throw, rules.nothing, (bonus,), 0),)
    return MappingProxyType(found)


def _keeps_of(throw: Dice, best: Mapping[Dice, tuple[Combo, ...]]) -> tuple[Keep, ...]:
    found = [
        Keep(kept, sum(combo.points for combo in best[kept]), best[kept], len(rest))
        for kept, rest in _splits()[throw].items()
        if kept in best
    ]
    return tuple(sorted(found, key=lambda keep: (-keep.score, -keep.dice_left, keep.dice)))


@cache
def _splits() -> Mapping[Dice, Mapping[Dice, Dice]]:
    """All dice -> every part of them but the empty one -> the rest."""
    return {dice: dict(_parts(dice)) for n in range(7) for dice in _multisets(n)}


def _multisets(n_dice: int) -> Iterator[Dice]:
    return combinations_with_replacement(FACES, n_dice)


def _parts(whole: Dice) -> Iterator[tuple[Dice, Dice]]:
    """Every part but the empty one, and its rest: face by face so many go here, the others there."""
    parts: list[tuple[Dice, Dice]] = [((), ())]
    for face in FACES:
        same = (face,) * whole.count(face)
        cuts = range(len(same) + 1)
        parts = [(part + same[:n], rest + same[n:]) for part, rest in parts for n in cuts]
    yield from parts[1:]


def _best_partitions(rules: Ruleset) -> dict[Dice, tuple[Combo, ...]]:
    """For all dice that can be parted into combos without a rest: the parting worth most.

    Of equal partings the one with fewest combos, as people would name it. Grows from small
    to large: the best parting of some dice is one combo and the best parting of the others.
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
    return {whole: tuple(sorted(part, key=_biggest_first)) for whole, part in best.items()}


def _best_combos(rules: Ruleset) -> dict[Dice, Combo]:
    """Of combos with the same dice the one worth most: four and a pair, or three pairs."""
    found: dict[Dice, Combo] = {}
    for combo in combos(rules):
        if combo.dice not in found or combo.points > found[combo.dice].points:
            found[combo.dice] = combo
    return found


def _biggest_first(combo: Combo) -> tuple[int, Dice]:
    return (-combo.points, combo.dice)


@lru_cache(_TABLES)
def combos(rules: Ruleset) -> tuple[Combo, ...]:
    """Every combination that scores under these rules."""
    found = [*_singles(rules), *_alike(rules), *_shapes(rules)]
    return tuple(c for c in found if c.points and len(c.dice) <= rules.n_dice)


def _singles(rules: Ruleset) -> Iterator[Combo]:
    """Up to as many as there are dice, in one name: "two 1s 200"."""
    for face, points in zip(FACES, rules.singles, strict=True):
        for n in range(1, rules.n_dice + 1):
            yield _same(face, n, n * points)


def _alike(rules: Ruleset) -> Iterator[Combo]:
    for face in FACES:
        triple = rules.triple(face)
        yield _same(face, 3, triple)
        for n in range(4, rules.n_dice + 1):
            exception = rules.exception(face, n)
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
                yield Combo(made_of, _on_top(row.shape, made_of, rules, points), row.shape.name)


def _on_top(shape: Shape, made_of: Dice, rules: Ruleset, points: int) -> int:
    """The points of a shape, with those of its three where they count too."""
    if not shape.on_triple:
        return points
    three = rules.triple(made_of[_MIDDLE])
    return three + points if three else 0


_MIDDLE = 2
"""Of five dice in order: it is of the three, whatever the pair is."""
