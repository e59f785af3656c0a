"""The true faces of the dice in a picture, from the corrections that people have made."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from device.session.placement import is_unmoved, place_of
from device.storage.photo_album import slots
from game.match.events import UNKNOWN_FACE, Place
from game.match.state import Throw
from game.rules.ruleset import Dice
from vision.reading import Die, Reading, Zone


@dataclass(frozen=True, slots=True)
class Truth:
    """The dice that were really in the tray.

    Attributes:
        values: All faces in the tray, sorted.
        faces: The true face of each die, in the order of the reading; None for a die whose face is not known.
        all_found: Whether the reading has as many dice as were in the tray.
    """

    values: Dice
    faces: tuple[int | None, ...]
    all_found: bool

    def agrees(self, reading: Reading) -> bool:
        """Return whether a reading was certain and correct."""
        return reading.is_sure and reading.values == self.values


def truth(reading: Reading, throw: Throw, stayed: Sequence[Place]) -> Truth | None:
    """Return the dice that really were in the tray when a reading was made, according to the match as it stands now.

    The result is None if the face of a die that had stayed in the tray could not be read.

    Args:
        reading: The camera's reading.
        throw: The throw of this reading, with its corrections.
        stayed: Places of dice from earlier throws. Their faces are taken from the reading.
    """
    slot_of = slots(reading, throw)
    faces = {i: throw.dice[slot] for i, slot in slot_of.items()}
    in_tray = [i for i, die in enumerate(reading.dice) if die.zone is Zone.TRAY]
    others = [i for i in in_tray if i not in faces]
    old = [i for i in others if _is_at_any(reading.dice[i], stayed)]
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
    """Assign true faces to dice in a reading, and return the face of each die by the number of the die.

    A die that was read as one of the faces gets that face. If one die and one face remain, that die gets that face.

    Args:
        reading: The reading.
        dice: Numbers of the dice in the reading.
        faces: The true faces, 1 to 6.
    """
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


def _is_at_any(die: Die, places: Sequence[Place]) -> bool:
    here = place_of(die)
    return any(is_unmoved(here, replace(place, face=UNKNOWN_FACE)) for place in places)
