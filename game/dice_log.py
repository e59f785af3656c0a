"""The throws at a table where no match is being played, and whether dice are fair: a chi-square test of the faces.

Misread dice look like loaded dice, so the number of corrected readings should be shown with the
result.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import erfc, exp, pi, sqrt

from game.match.events import UNKNOWN_FACE, Event, Place, Thrown
from game.rules.ruleset import FACES, Dice

MIN_DICE = 300
"""Number of dice that have to be counted before the test says anything: 50 per face. With fewer,
chance hides all but crudely loaded dice."""

ODD, VERY_ODD = 0.05, 0.001
"""p-values below which the counts are called unusual, and hardly just luck."""

MIN_P = 1e-6
"""Smallest p-value that is reported. Smaller values would not be more informative."""

MAX_THROWS = 200
"""Number of throws that are remembered: the last hours of an evening. Faces are counted over all
throws."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """How often each face of some dice came up, and the result of testing whether the dice are fair.

    Attributes:
        counts: How often each face, from 1 to 6, came up.
        chi_square: Sum of (counted - expected)^2 / expected, with five degrees of freedom.
        p: Chance that fair dice give at least this sum. None until enough dice are counted.
    """

    counts: tuple[int, ...]
    chi_square: float
    p: float | None

    @property
    def total(self) -> int:
        """Number of dice counted."""
        return sum(self.counts)

    @property
    def oddest(self) -> int:
        """The face whose count differs most from the expected count."""
        return max(FACES, key=lambda face: abs(self.counts[face - 1] - self.usual))

    @property
    def usual(self) -> float:
        """Expected count of each face with fair dice."""
        return self.total / len(FACES)

    def __str__(self) -> str:
        if self.p is None:
            return f"{self.total} dice counted so far. The test needs at least {MIN_DICE}."
        return f"{self.total:,} dice counted. {self._verdict(self.p)}"

    def _verdict(self, p: float) -> str:
        if p >= ODD:
            return (
                f"They look fair: with fair dice, the faces differ at least this much {p * 100:.0f} times "
                "out of 100."
            )
        found = self.counts[self.oddest - 1]
        opinion = "Unusual, but it happens" if p >= VERY_ODD else "That can hardly be just luck"
        return (
            f"{opinion}: with fair dice, only one count in {round(1 / p):,} is this uneven. "
            f"The {self.oddest} came up {found:,} times; about {self.usual:,.0f} would be normal."
        )


def fairness(counts: Sequence[int]) -> Fairness:
    """Test whether dice are fair, given how often each face, from 1 to 6, came up."""
    total = sum(counts)
    expected = total / len(FACES)
    chi_square = sum((n - expected) ** 2 for n in counts) / expected if total else 0.0
    p = max(upper_tail(chi_square), MIN_P) if total >= MIN_DICE else None
    return Fairness(tuple(counts), chi_square, p)


def upper_tail(chi_square: float) -> float:
    """Return the chance of a chi-square of at least this value, with five degrees of freedom.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.4.4.
    """
    x = chi_square
    return erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)


def count_faces(events: Iterable[Event]) -> tuple[int, ...]:
    """Return how often each face, from 1 to 6, came up in the throws among these events."""
    counts = Counter(face for event in events if isinstance(event, Thrown) for face in event.dice)
    return tuple(counts[face] for face in FACES)


@dataclass(frozen=True, slots=True)
class DiceThrow:
    """A throw outside a match.

    Attributes:
        index: Number of the throw, from 0.
        dice: The faces of all dice in the tray.
        thrown: The faces of the dice that were thrown. The other dice had not moved.
        places: The places of the dice. Empty if the throw was entered by hand.
    """

    index: int
    dice: Dice
    thrown: Dice
    places: tuple[Place, ...] = ()

    @property
    def sum(self) -> int:
        """The sum of all faces in the tray."""
        return sum(self.dice)

    @property
    def is_entered_by_hand(self) -> bool:
        """Whether the throw was entered by a person and not read by the camera."""
        return not any(place.seen for place in self.places)


@dataclass(frozen=True, slots=True)
class DiceLog:
    """The throws made so far outside a match, the newest last.

    >>> log = DiceLog().add((2, 6), (2, 6)).add((3, 3), (3, 3))
    >>> log.last.sum, log.n_throws, log.undone().last.dice
    (6, 2, (2, 6))

    Attributes:
        throws: The newest throws, at most `MAX_THROWS`.
        counts: How often each face, from 1 to 6, came up in all throws.
        n_throws: Number of throws made so far, including those that are no longer remembered.
    """

    throws: tuple[DiceThrow, ...] = ()
    counts: tuple[int, ...] = (0,) * 6
    n_throws: int = 0

    @property
    def last(self) -> DiceThrow | None:
        """The newest throw, or None if there is none or it is no longer remembered."""
        return self.throws[-1] if self.throws else None

    @property
    def fairness(self) -> Fairness:
        """The result of testing whether the dice are fair, from the counts of the faces."""
        return fairness(self.counts)

    def add(self, dice: Dice, thrown: Dice, places: tuple[Place, ...] = ()) -> "DiceLog":
        """Return the log with one more throw.

        Args:
            dice: The faces of all dice in the tray.
            thrown: The faces of the dice that were thrown.
            places: The places of the dice. Empty if the throw was entered by hand.
        """
        throw = DiceThrow(self.n_throws, dice, thrown, places)
        throws = (*self.throws, throw)[-MAX_THROWS:]
        return DiceLog(throws, _plus(self.counts, thrown), self.n_throws + 1)

    def corrected(self, dice: Dice) -> "DiceLog":
        """Return the log with the newest throw corrected. Dice whose face changes count as thrown.

        Args:
            dice: The correct faces of all dice in the tray.
        """
        *others, old = self.throws
        wrong, right = Counter(old.dice) - Counter(dice), Counter(dice) - Counter(old.dice)
        thrown = tuple(sorted((Counter(old.thrown) - wrong + right).elements()))
        counts = _plus(_plus(self.counts, old.thrown, sign=-1), thrown)
        places = tuple(
            replace(place, face=UNKNOWN_FACE) if place.face in wrong else place
            for place in old.places
        )
        throw = DiceThrow(old.index, dice, thrown, places)
        return DiceLog((*others, throw), counts, self.n_throws)

    def undone(self) -> "DiceLog":
        """Return the log without the newest throw."""
        *others, old = self.throws
        counts = _plus(self.counts, old.thrown, sign=-1)
        return DiceLog(tuple(others), counts, self.n_throws - 1)


def _plus(counts: tuple[int, ...], dice: Iterable[int], sign: int = 1) -> tuple[int, ...]:
    fell = Counter(dice)
    return tuple(counts[face - 1] + sign * fell[face] for face in FACES)
