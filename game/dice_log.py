"""Throws of a table that plays no match: kept in order, taken back, counted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from game.match.events import UNKNOWN_FACE, Place
from game.rules.ruleset import FACES, Dice
from game.stats.fairness import Fairness, fairness

MAX_THROWS = 200
"""Throws that are kept: an evening's last hours; the faces of all are counted."""


@dataclass(frozen=True, slots=True)
class DiceThrow:
    """Dice that were thrown, and what lies in the tray now.

    Attributes:
        index: its number, counted from 0.
        dice: all faces in the tray.
        thrown: those of them that fell anew.
        places: where the dice lie; nowhere where they were tapped in.
    """

    index: int
    dice: Dice
    thrown: Dice
    places: tuple[Place, ...] = ()

    @property
    def sum(self) -> int:
        return sum(self.dice)

    @property
    def is_entered_by_hand(self) -> bool:
        return not any(place.seen for place in self.places)


@dataclass(frozen=True, slots=True)
class DiceLog:
    """All of them, the newest last.

    >>> log = DiceLog().add((2, 6), (2, 6)).add((3, 3), (3, 3))
    >>> log.last.sum, log.n_throws, log.undone().last.dice
    (6, 2, (2, 6))

    Attributes:
        throws: the last `MOST`.
        counts: how often each face fell, the 1 first, of all throws.
    """

    throws: tuple[DiceThrow, ...] = ()
    counts: tuple[int, ...] = (0,) * 6

    @property
    def last(self) -> DiceThrow | None:
        return self.throws[-1] if self.throws else None

    @property
    def n_throws(self) -> int:
        return self.last.index + 1 if self.last else 0

    @property
    def fairness(self) -> Fairness:
        return fairness(self.counts)

    def add(self, dice: Dice, thrown: Dice, places: tuple[Place, ...] = ()) -> "DiceLog":
        throw = DiceThrow(self.n_throws, dice, thrown, places)
        return DiceLog((*self.throws, throw)[-MAX_THROWS:], _plus(self.counts, thrown))

    def corrected(self, dice: Dice) -> "DiceLog":
        """The newest showed these; what changed is what fell anew."""
        *others, old = self.throws
        wrong, right = Counter(old.dice) - Counter(dice), Counter(dice) - Counter(old.dice)
        thrown = tuple(sorted((Counter(old.thrown) - wrong + right).elements()))
        counts = _plus(_plus(self.counts, old.thrown, sign=-1), thrown)
        places = tuple(
            replace(place, face=UNKNOWN_FACE) if place.face in wrong else place
            for place in old.places
        )
        return DiceLog((*others, DiceThrow(old.index, dice, thrown, places)), counts)

    def undone(self) -> "DiceLog":
        """Without the newest."""
        *others, old = self.throws
        return DiceLog(tuple(others), _plus(self.counts, old.thrown, sign=-1))


def _plus(counts: tuple[int, ...], dice: Iterable[int], sign: int = 1) -> tuple[int, ...]:
    fell = Counter(dice)
    return tuple(counts[face - 1] + sign * fell[face] for face in FACES)
