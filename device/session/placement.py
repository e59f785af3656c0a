"""The dice in view, compared with how they lay at the last accepted reading."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import hypot

from game.match.events import UNKNOWN_FACE, Place, Thrown
from game.rules.ruleset import Dice
from vision.reading import Die, Reading, Zone

SAME_PLACE, SAME_TURN_DEG = 0.12, 12.0
"""Of a die's edge, and degrees. Two readings of one rest differ by hundredths of an edge and a
degree (five for a single pip); a die thrown onto its old place, face and turn by chance is one
throw in thousands."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The dice in view, sorted by what became of them since the last accepted reading."""

    thrown: tuple[Place, ...]
    stayed: tuple[Place, ...] = ()
    aside: tuple[Place, ...] = ()

    @property
    def faces(self) -> Dice:
        return faces(self.thrown)

    @property
    def kept(self) -> tuple[Place, ...]:
        """Of all the turn's keeps, those that are in view."""
        return (*self.stayed, *self.aside)

    @property
    def event(self) -> Thrown:
        """The throw, with the places of all dice in view for the next press to compare."""
        kept = (replace(place, aside=True) for place in self.kept)
        return Thrown(self.faces, (*self.thrown, *kept))

    @property
    def all_thrown(self) -> "Placement":
        """As if all had been thrown, also those that seem to have stayed."""
        return Placement((*self.thrown, *self.stayed), (), self.aside)

    def could_have_slid(self, before: tuple[Place, ...]) -> bool:
        """Whether the moved dice show only faces that lay there before and did not stay."""
        there = Counter(place.face for place in before) - Counter(faces(self.stayed))
        return Counter(self.faces) <= there


def compare(reading: Reading, before: tuple[Place, ...], n_dice: int) -> Placement:
    """What became of the dice since they lay at these places; `n_dice` make the whole set."""
    thrown, stayed = [], []
    left = list(before)
    for die in map(place_of, reading.in_tray):
        match = next((place for place in left if lies_at(die, place)), None)
        if match is None:
            thrown.append(die)
        else:
            left.remove(match)
            stayed.append(die)
    aside = [die for die in reading.dice if die.zone is Zone.ASIDE]
    sure = tuple(place_of(die) for die in aside if die.problem is None)
    n_kept = len(sure) + len(stayed)
    if len(sure) < len(aside) and n_kept + len(thrown) != n_dice:
        sure = ()  # some cannot be read and the others do not add up: they say nothing
    return Placement(tuple(thrown), tuple(stayed), sure)


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
