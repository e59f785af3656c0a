"""Whether dice fall evenly: the chi-square test over counted faces, in words.

A camera that misreads looks like a loaded die, so the readings that were corrected belong beside
the answer.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import erfc, exp, pi, sqrt

from game.match.events import Event, Thrown
from game.rules.ruleset import FACES

MIN_DICE = 300
"""Dice counted before anything is said: 50 a face. With fewer, luck hides all but crude loading."""

ODD, VERY_ODD = 0.05, 0.001
"""Chances below which a count is called unusual, and one that fair dice hardly ever give."""

MIN_P = 1e-6
"""Less says nothing more to anybody, and ends in no number that can be said."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """Counted faces and what they say.

    Attributes:
        counts: how often each face fell, the 1 first.
        chi_square: sum of (counted - expected)^2 / expected, with five degrees of freedom.
        p: chance that fair dice give a sum as large or larger; None while there are too few.
    """

    counts: tuple[int, ...]
    chi_square: float
    p: float | None

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def oddest(self) -> int:
        """The face whose count is farthest from what is usual."""
        return max(FACES, key=lambda face: abs(self.counts[face - 1] - self.usual))

    @property
    def usual(self) -> float:
        """How often each face falls with fair dice."""
        return self.total / len(FACES)

    def __str__(self) -> str:
        if self.p is None:
            return f"{self.total} dice counted: {MIN_DICE} are needed before it means anything"
        return f"{self.total:,} dice counted: {self._verdict(self.p)}"

    def _verdict(self, p: float) -> str:
        often = f"fair dice are as uneven as this in {_share(p)}"
        if p >= ODD:
            return f"as even as fair dice fall; {often}"
        found = self.counts[self.oddest - 1]
        which = f"the {self.oddest} fell {found} times, where {self.usual:.0f} are usual"
        if p >= VERY_ODD:
            return f"unusual, but it happens; {often}; {which}"
        return f"hardly luck alone; {often}; {which}"


def _share(p: float) -> str:
    return f"1 of {round(1 / p):,} such counts" if p < ODD else f"{p:.0%} of such counts"


def fairness(counts: Sequence[int]) -> Fairness:
    """The test over so many 1s, 2s and so on."""
    total = sum(counts)
    expected = total / len(FACES)
    chi_square = sum((n - expected) ** 2 for n in counts) / expected if total else 0.0
    p = max(upper_tail(chi_square), MIN_P) if total >= MIN_DICE else None
    return Fairness(tuple(counts), chi_square, p)


def upper_tail(chi_square: float) -> float:
    """Chance of at least this chi-square with five degrees of freedom, in closed form.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.4.4.
    """
    x = chi_square
    return erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)


def count_faces(events: Iterable[Event]) -> tuple[int, ...]:
    """How often each face fell in the throws of a match as it stands."""
    counts = Counter(face for event in events if isinstance(event, Thrown) for face in event.dice)
    return tuple(counts[face] for face in FACES)
