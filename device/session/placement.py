"""The dice in view, compared with how they lay at the last accepted reading."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import hypot

from game.match.events import UNKNOWN_FACE, Place, Thrown
from game.rules.ruleset import Dice
from vision.reading import Die, Problem, Reading, Zone

SAME_PLACE, SAME_TURN_DEG = 0.12, 12.0
"""Of a die's edge, and degrees. Two readings of one rest differ by hundredths of an edge and a
degree (five for a single pip); a die thrown onto its old place, face and turn by chance is one
throw in thousands."""


PUSHED = 1.5
"""Of a die's edge: so far dice that are thrown push one that lay there."""

ONLY_DOUBTFUL = (Problem.UNREADABLE, Problem.COCKED)
"""What is wrong with one die alone, and hides no other."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The dice in view, sorted by what became of them since the last accepted reading.

    `pushed` are those among the thrown that may have been pushed there.
    """

    thrown: tuple[Place, ...]
    stayed: tuple[Place, ...] = ()
    aside: tuple[Place, ...] = ()
    pushed: tuple[Place, ...] = ()

    @property
    def faces(self) -> Dice:
        return faces(self.thrown)

    @property
    def kept(self) -> tuple[Place, ...]:
        """Of all the turn's keeps, those that are in view."""
        return (*self.stayed, *self.aside)

    @property
    def seen(self) -> bool:
        """Whether a camera saw them: dice that were tapped in lie nowhere."""
        return any(place.seen for place in self.thrown)

    @property
    def event(self) -> Thrown:
        """The throw, with the places of all dice in view for the next press to compare."""
        kept = (replace(place, aside=True) for place in self.kept)
        return Thrown(self.faces, (*self.thrown, *kept))

    @property
    def all_thrown(self) -> "Placement":
        """As if all had been thrown, also those that seem to have stayed."""
        return Placement((*self.thrown, *self.stayed), (), self.aside)

    @property
    def none_thrown_of_pushed(self) -> "Placement":
        """As if those that may have been pushed had stayed."""
        thrown = tuple(die for die in self.thrown if die not in self.pushed)
        return Placement(thrown, (*self.stayed, *self.pushed), self.aside)

    def could_have_slid(self, before: tuple[Place, ...]) -> bool:
        """Whether the moved dice show only faces that lay there before and did not stay."""
        there = Counter(place.face for place in before) - Counter(faces(self.stayed))
        return Counter(self.faces) <= there


def compare(reading: Reading, before: tuple[Place, ...], n_dice: int) -> Placement:
    """What became of the dice since they lay at these places; `n_dice` make the whole set."""
    thrown, stayed = [], []
    left = list(before)
    for die in map(place_of, reading.dice_in_tray):
        match = next((place for place in left if lies_at(die, place)), None)
        if match is None:
            thrown.append(die)
        else:
            left.remove(match)
            stayed.append(die)
    aside = [die for die in reading.dice if die.zone is Zone.ASIDE]
    sure = tuple(place_of(die) for die in aside if die.problem is None)
    if len(sure) < len(aside) and len(aside) + len(stayed) + len(thrown) == n_dice:
        sure = ()  # all are there, and some cannot be read: the number thrown tells
    return Placement(tuple(thrown), tuple(stayed), sure, _pushed(thrown, left))


def known_again(reading: Reading, before: tuple[Place, ...]) -> Reading:
    """A die that cannot be read now, and lies just as one whose face is known, is that die."""
    dice = tuple(_known(die, before) for die in reading.dice)
    return replace(reading, dice=dice)


def _known(die: Die, before: tuple[Place, ...]) -> Die:
    if die.problem not in ONLY_DOUBTFUL:
        return die
    lies = place_of(die)
    faces_there = (p.face for p in before if lies_at(replace(lies, face=p.face), p))
    face = next((face for face in faces_there if face != UNKNOWN_FACE), None)
    return die if face is None else replace(die, value=face, problem=None)


def _pushed(thrown: Iterable[Place], left: Iterable[Place]) -> tuple[Place, ...]:
    """The dice that show the face of one that lay close by and is gone."""
    return tuple(
        die
        for die in thrown
        if any(
            die.face == place.face and hypot(die.x - place.x, die.y - place.y) < PUSHED * place.size
            for place in left
        )
    )


def lies_at(die: Place, before: Place) -> bool:
    """Whether this is the die that lay there, by place, turn and, where it is known, face."""
    near = hypot(die.x - before.x, die.y - before.y) < SAME_PLACE * before.size
    turned = abs((die.angle - before.angle + 45) % 90 - 45)
    return near and turned < SAME_TURN_DEG and before.face in (die.face, UNKNOWN_FACE)


def place_of(die: Die) -> Place:
    """Where the die lies, as the match remembers it."""
    face = UNKNOWN_FACE if die.value is None else die.value
    return Place(face, round(die.x, 1), round(die.y, 1), round(die.size, 1), round(die.angle))


def tapped(dice: Dice) -> tuple[Place, ...]:
    """Dice that nobody saw lie: their faces are known, and not where."""
    return tuple(Place(face, 0, 0, 0) for face in dice)


def faces(dice: Iterable[Place]) -> Dice:
    return tuple(sorted(die.face for die in dice))
