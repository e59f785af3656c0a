"""Whether dice are fair: a chi-square test of the counted faces, explained in words.

Misread dice look like loaded dice, so the number of corrected readings should be shown with the
result.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import erfc, exp, pi, sqrt

from game.match.events import Event, Thrown
from game.rules.ruleset import FACES

MIN_DICE = 300
"""Number of dice that have to be counted before the test says anything: 50 per face. With fewer,
chance hides all but crudely loaded dice."""

ODD, VERY_ODD = 0.05, 0.001
"""p-values below which the counts are called unusual, and hardly just luck."""

MIN_P = 1e-6
"""Smallest p-value that is reported. Smaller values would not be more informative."""


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
                f"They look fair: with fair dice, {p:.0%} of all counts are at least this uneven."
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
