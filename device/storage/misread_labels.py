"""What a picture of the tray really showed, once people have put its reading right."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from device.session.placement import lies_at, place_of
from device.storage.photo_album import slots
from game.match.events import UNKNOWN_FACE, Place
from game.match.state import Throw
from game.rules.ruleset import Dice
from vision.reading import Die, Reading, Zone


@dataclass(frozen=True, slots=True)
class Truth:
    """The dice in the tray as they were.

    Attributes:
        values: all faces in the tray, sorted.
        faces: of each die that was read, its face; None where nobody can tell which it had.
        all_found: whether as many dice were read as lay there.
    """

    values: Dice
    faces: tuple[int | None, ...]
    all_found: bool

    def agrees(self, reading: Reading) -> bool:
        """Whether there was nothing to put right."""
        return reading.is_sure and reading.values == self.values


def truth(reading: Reading, throw: Throw, stayed: Sequence[Place]) -> Truth | None:
    """Of the reading of this throw, as the match has it now.

    `stayed` are the places of dice of earlier throws: those show what was read. None where such a
    die could not be read.
    """
    slot_of = slots(reading, throw)
    faces = {i: throw.dice[slot] for i, slot in slot_of.items()}
    in_tray = [i for i, die in enumerate(reading.dice) if die.zone is Zone.TRAY]
    others = [i for i in in_tray if i not in faces]
    old = [i for i in others if _lies_at_one(reading.dice[i], stayed)]
    seen = {i: value for i in old if (value := reading.dice[i].value)}
    if len(seen) < len(old):
        return None
    new = [i for i in others if i not in old]
    left = [face for slot, face in enumerate(throw.dice) if slot not in slot_of.values()]
    faces |= seen | _paired(reading, new, left)
    values = tuple(sorted((*throw.dice, *seen.values())))
    shown = tuple(faces.get(i) for i in range(len(reading.dice)))
    return Truth(values, shown, len(in_tray) == len(values))


def _paired(reading: Reading, dice: Sequence[int], faces: Sequence[int]) -> dict[int, int]:
    """Which of these dice has which of the faces: those read so, and the one that is left."""
    found: dict[int, int] = {}
    left, rest = list(faces), []
    for i in dice:
        value = reading.dice[i].value
        if value in left:
            left.remove(value)
            found[i] = value
        else:
            rest.append(i)
    if len(left) == len(rest) == 1:
        found[rest[0]] = left[0]
    return found


def _lies_at_one(die: Die, places: Sequence[Place]) -> bool:
    here = place_of(die)
    return any(lies_at(here, replace(place, face=UNKNOWN_FACE)) for place in places)
