"""The throws at a table where no match is being played, with undo and a count of the faces."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from game.match.events import UNKNOWN_FACE, Place
from game.rules.ruleset import FACES, Dice
from game.stats.fairness import Fairness, fairness

MAX_THROWS = 200
"""Number of throws that are remembered: the last hours of an evening. Faces are counted over all
throws."""


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
    """

    throws: tuple[DiceThrow, ...] = ()
    counts: tuple[int, ...] = (0,) * 6

    @property
    def last(self) -> DiceThrow | None:
        """The newest throw, or None if there is none."""
        return self.throws[-1] if self.throws else None

    @property
    def n_throws(self) -> int:
        """Number of throws made so far, including those that are no longer remembered."""
        return self.last.index + 1 if self.last else 0

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
        return DiceLog((*self.throws, throw)[-MAX_THROWS:], _plus(self.counts, thrown))

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
        return DiceLog((*others, DiceThrow(old.index, dice, thrown, places)), counts)

    def undone(self) -> "DiceLog":
        """Return the log without the newest throw."""
        *others, old = self.throws
        return DiceLog(tuple(others), _plus(self.counts, old.thrown, sign=-1))


def _plus(counts: tuple[int, ...], dice: Iterable[int], sign: int = 1) -> tuple[int, ...]:
    fell = Counter(dice)
    return tuple(counts[face - 1] + sign * fell[face] for face in FACES)
