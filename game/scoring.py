"""A throw -> every legal keep, by the best partition of the kept dice.

All 923 throws of up to six dice are worked out once per rule set (`table`), so that a look-up
is one dictionary access. Dice are sorted tuples of faces everywhere in here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product
from types import MappingProxyType

from game.errors import IllegalMove, ThrowError
from game.ruleset import FACES, Alike, Ruleset

Dice = tuple[int, ...]
"""Faces 1..6 in ascending order."""

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


def dice(faces: Iterable[int], rules: Ruleset) -> Dice:
    """The faces as a throw.

    Raises:
        ThrowError: a face that no die has, or more dice than the rules play with.
    """
    found = tuple(sorted(faces))
    for face in found:
        if face not in FACES:
            raise ThrowError(f"a die shows 1 to 6, not {face}")
    if not 1 <= len(found) <= rules.n_dice:
        raise ThrowError(f"{rules.name} is thrown with 1 to {rules.n_dice} dice, not {len(found)}")
    return found


def keeps(throw: Iterable[int], rules: Ruleset) -> tuple[Keep, ...]:
    """Every legal keep, highest score first; none at all is a farkle.

    Raises:
        ThrowError: these are no dice.
    """
    return table(rules)[dice(throw, rules)]


def find(throw: Iterable[int], kept: Iterable[int], rules: Ruleset) -> Keep:
    """The keep of just these dice.

    Raises:
        IllegalMove: they are not in the throw, or one of them scores nothing; says which.
    """
    thrown, wanted = dice(throw, rules), dice(kept, rules)
    for keep in table(rules)[thrown]:
        if keep.dice == wanted:
            return keep
    raise IllegalMove(_why_not(thrown, wanted, rules))


def _why_not(thrown: Dice, wanted: Dice, rules: Ruleset) -> str:
    for face in wanted:
        if wanted.count(face) > thrown.count(face):
            n = thrown.count(face)
            return f"there {'is' if n == 1 else 'are'} {_COUNT_WORDS[n]} {face} in this throw"
    scoring = {face for keep in table(rules)[wanted] for face in keep.dice}
    idle = next((face for face in wanted if face not in scoring), wanted[0])
    n = wanted.count(idle)
    what = f"the {idle} scores" if n == 1 else f"the {_COUNT_WORDS[n]} {idle}s score"
    how = f"a lone {idle} is" if n == 1 else f"{_COUNT_WORDS[n]} {idle}s are"
    return f"{what} nothing: {how} no combination in {rules.title}"


@cache
def table(rules: Ruleset) -> Mapping[Dice, tuple[Keep, ...]]:
    """All keeps of all throws of 1 to `n_dice` dice."""
    best = _best_partitions(rules)
    throws = (throw for throw in _multisets(rules.n_dice) if throw)
    return MappingProxyType({throw: _keeps_of(throw, best) for throw in throws})


def _keeps_of(throw: Dice, best: Mapping[Dice, tuple[Combo, ...]]) -> tuple[Keep, ...]:
    found = [
        Keep(kept, sum(c.points for c in best[kept]), best[kept], len(throw) - len(kept))
        for kept in _parts(throw)
        if kept in best
    ]
    return tuple(sorted(found, key=lambda keep: (-keep.score, -keep.dice_left, keep.dice)))


def _multisets(n_dice: int) -> Iterator[Dice]:
    for n in range(n_dice + 1):
        yield from combinations_with_replacement(FACES, n)


def _parts(throw: Dice) -> Iterator[Dice]:
    """Every multiset of dice within the throw but the empty one."""
    counts = [range(throw.count(face) + 1) for face in FACES]
    for chosen in product(*counts):
        if any(chosen):
            yield tuple(face for face, n in zip(FACES, chosen, strict=True) for _ in range(n))


def _best_partitions(rules: Ruleset) -> dict[Dice, tuple[Combo, ...]]:
    """For all dice that can be parted into combos without a rest: the parting worth most.

    Of equal partings the one with fewest combos, as people would name it. Grows from small
    to large: the best parting of some dice is one combo and the best parting of the others.
    """
    best: dict[Dice, tuple[Combo, ...]] = {(): ()}
    all_combos = combos(rules)
    for whole in _multisets(rules.n_dice):
        parts = [
            (combo, *best[rest])
            for combo in all_combos
            if (rest := _without(whole, combo.dice)) is not None and rest in best
        ]
        if parts:
            best[whole] = max(parts, key=lambda part: (sum(c.points for c in part), -len(part)))
    del best[()]
    return {whole: tuple(sorted(part, key=_biggest_first)) for whole, part in best.items()}


def _biggest_first(combo: Combo) -> tuple[int, Dice]:
    return (-combo.points, combo.dice)


def _without(whole: Dice, part: Dice) -> Dice | None:
    """`whole` less the dice of `part`, or None where they are not all in it."""
    rest = list(whole)
    for face in part:
        if face not in rest:
            return None
        rest.remove(face)
    return tuple(rest)


@cache
def combos(rules: Ruleset) -> tuple[Combo, ...]:
    """Every combination that scores under these rules."""
    found = [*_singles(rules), *_alike(rules), *_straights(rules), *_pairs_and_triplets(rules)]
    return tuple(c for c in found if c.points and len(c.dice) <= rules.n_dice)


def _singles(rules: Ruleset) -> Iterator[Combo]:
    """Up to as many as there are dice, in one name: "two 1s 200"."""
    for face, points in zip(FACES, rules.singles, strict=True):
        for n in range(1, rules.n_dice + 1):
            yield _same(face, n, n * points)


def _alike(rules: Ruleset) -> Iterator[Combo]:
    for face, triple in zip(FACES, rules.triples, strict=True):
        yield _same(face, 3, triple)
        for n in range(4, rules.n_dice + 1):
            match rules.alike:
                case Alike.DOUBLING:
                    yield _same(face, n, triple * 2 ** (n - 3))
                case Alike.ADDING:
                    yield _same(face, n, triple * (n - 2))
                case Alike.FIXED:
                    yield _same(face, n, rules.alike_fixed[n - 4])


def _same(face: int, n: int, points: int) -> Combo:
    return Combo((face,) * n, points, f"{_COUNT_WORDS[n]} {face}{'s' if n > 1 else ''}")


def _straights(rules: Ruleset) -> Iterator[Combo]:
    yield Combo((1, 2, 3, 4, 5, 6), rules.straight, "straight")
    yield Combo((1, 2, 3, 4, 5), rules.low_straight, "low straight")
    yield Combo((2, 3, 4, 5, 6), rules.high_straight, "high straight")


def _pairs_and_triplets(rules: Ruleset) -> Iterator[Combo]:
    for a, b, c in combinations_with_replacement(FACES, 3):
        made_of = tuple(sorted((a, a, b, b, c, c)))
        match len({a, b, c}):
            case 3:
                yield Combo(made_of, rules.three_pairs, "three pairs")
            case 2:
                yield Combo(made_of, rules.four_and_pair, "four alike and a pair")
            case 1:
                yield Combo(made_of, rules.six_as_pairs, "six alike as three pairs")
    for a, b in combinations_with_replacement(FACES, 2):
        if a != b:
            yield Combo((a, a, a, b, b, b), rules.two_triplets, "two triplets")
