"""The places of the dice, compared with the last accepted reading."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import hypot

from game.match.events import UNKNOWN_FACE, Place, Thrown
from game.rules.ruleset import Dice
from vision.reading import Die, Problem, Reading, Zone

SAME_PLACE_EDGES, SAME_TURN_DEG = 0.12, 12.0
"""How far a die that has not moved may seem to have moved or turned, in die edges and degrees.

Two readings of the same dice at rest differ by hundredths of an edge and by one degree (five for a
face with a single pip). A die lands in its old place with the same face and angle, by chance, in one
throw in thousands."""

MAX_PUSH_EDGES = 1.5
"""How far a thrown die can push another die, in die edges."""

LOCAL_PROBLEMS = (Problem.UNREADABLE, Problem.COCKED, Problem.AT_WALL)
"""Problems that concern a single die and do not hide another die."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The dice in view, sorted by what happened to them since the last accepted reading.

    Attributes:
        thrown: Dice in the tray at a new place or with a new face.
        stayed: Dice in the tray that have not moved.
        aside: Dice in the set-aside area.
        pushed: Those of the thrown dice that may have been pushed by another die instead of thrown.
    """

    thrown: tuple[Place, ...]
    stayed: tuple[Place, ...] = ()
    aside: tuple[Place, ...] = ()
    pushed: tuple[Place, ...] = ()

    @property
    def faces(self) -> Dice:
        """The faces thrown, sorted."""
        return faces_of(self.thrown)

    @property
    def kept(self) -> tuple[Place, ...]:
        """The dice kept in this turn that are in view."""
        return (*self.stayed, *self.aside)

    @property
    def was_seen(self) -> bool:
        """Whether a camera saw the dice; dice entered on a phone have no place."""
        return any(place.seen for place in self.thrown)

    @property
    def thrown_event(self) -> Thrown:
        """The throw as a step of the match, with the places of all dice in view for the next comparison."""
        kept = (replace(place, aside=True) for place in self.kept)
        return Thrown(self.faces, (*self.thrown, *kept))

    @property
    def with_all_thrown(self) -> "Placement":
        """This placement, changed as if the dice that have not moved had been thrown as well."""
        return Placement((*self.thrown, *self.stayed), (), self.aside)

    @property
    def with_pushed_kept(self) -> "Placement":
        """This placement, changed as if the dice that may have been pushed had been kept."""
        thrown = tuple(die for die in self.thrown if die not in self.pushed)
        return Placement(thrown, (*self.stayed, *self.pushed), self.aside)

    def could_have_slid(self, before: tuple[Place, ...]) -> bool:
        """Return whether the dice show only faces of earlier dice, so that those that moved may have slid.

        A die whose face was corrected may have shown any face to the camera.

        Args:
            before: The earlier places of the dice.
        """
        there = Counter(place.face for place in before)
        n_unknown = there.pop(UNKNOWN_FACE, 0)
        now = Counter(faces_of((*self.thrown, *self.stayed)))
        return (now - there).total() <= n_unknown


def compare(reading: Reading, before: tuple[Place, ...], n_dice: int) -> Placement:
    """Return which dice of a reading were thrown, have not moved, or are set aside.

    Args:
        reading: The dice as the camera sees them now.
        before: The places of the dice in the last accepted reading.
        n_dice: Number of dice in the whole set.
    """
    thrown, stayed = [], []
    left = list(before)
    for die in map(place_of, reading.dice_in_tray):
        match = next((place for place in left if is_unmoved(die, place)), None)
        if match is None:
            thrown.append(die)
        else:
            left.remove(match)
            stayed.append(die)
    aside = [die for die in reading.dice if die.zone is Zone.ASIDE]
    sure = tuple(place_of(die) for die in aside if die.problem is None)
    if len(sure) < len(aside) and len(aside) + len(stayed) + len(thrown) == n_dice:
        sure = ()  # all dice are there but some cannot be read, so the number thrown decides
    return Placement(tuple(thrown), tuple(stayed), sure, _pushed(thrown, left))


def fill_known_faces(reading: Reading, before: tuple[Place, ...]) -> Reading:
    """Return a reading completed with the known faces of unreadable dice that have not moved.

    Args:
        reading: The dice as the camera sees them now.
        before: The earlier places of dice with known faces.
    """
    dice = tuple(_known(die, before) for die in reading.dice)
    return replace(reading, dice=dice)


def _known(die: Die, before: tuple[Place, ...]) -> Die:
    if die.problem not in LOCAL_PROBLEMS:
        return die
    lies = place_of(die)
    faces_there = (p.face for p in before if is_unmoved(replace(lies, face=p.face), p))
    face = next((face for face in faces_there if face != UNKNOWN_FACE), None)
    return die if face is None else replace(die, value=face, problem=None)


def _pushed(thrown: Iterable[Place], left: Iterable[Place]) -> tuple[Place, ...]:
    """Return the thrown dice that show the same face as a die that lay close by and is now gone.

    Args:
        thrown: Dice at a new place or with a new face.
        left: Former places at which no die lies any longer.
    """
    return tuple(
        die
        for die in thrown
        if any(
            die.face == place.face
            and hypot(die.x - place.x, die.y - place.y) < MAX_PUSH_EDGES * place.size
            for place in left
        )
    )


def is_unmoved(die: Place, before: Place) -> bool:
    """Return whether a die has not moved since an earlier reading.

    It must be at the same place and angle, and have the same face if the earlier face is known.

    Args:
        die: The current place of the die.
        before: The earlier place of a die.
    """
    near = hypot(die.x - before.x, die.y - before.y) < SAME_PLACE_EDGES * before.size
    turned = abs((die.angle - before.angle + 45) % 90 - 45)
    return near and turned < SAME_TURN_DEG and before.face in (die.face, UNKNOWN_FACE)


def place_of(die: Die) -> Place:
    """Return the place of a die, rounded as it is stored in the journal."""
    face = UNKNOWN_FACE if die.value is None else die.value
    return Place(face, round(die.x, 1), round(die.y, 1), round(die.size, 1), round(die.angle))


def entered_places(dice: Dice) -> tuple[Place, ...]:
    """Return the places of dice that were entered on a phone: known faces at an unknown place."""
    return tuple(Place(face, 0, 0, 0) for face in dice)


def faces_of(dice: Iterable[Place]) -> Dice:
    """Return the faces of these dice, sorted."""
    return tuple(sorted(die.face for die in dice))
