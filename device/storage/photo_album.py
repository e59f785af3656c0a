"""The last few pictures that were read, drawn for the phones as their throws stand now.

A picture is bound to its throw by where the dice lie in both, and drawn with the throw's present
faces. Its name is made of what it shows: who kept it under that name keeps the truth.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2s
from typing import Protocol

import numpy as np

from device.cameras.base import Image
from device.cameras.tray_picture import encode_jpeg, tray_cut
from device.session.placement import lies_at, place_of
from game.match.events import UNKNOWN_FACE, Place
from vision.annotate import annotate
from vision.reading import Die, Quad, Reading, Zone
from web.contracts.table import Photo, PhotoDie

PICTURES = 6
"""In memory, each 4 MB at most at 1536x864: as many throws can be taken back with their pictures."""

KEPT = 16
"""Of the JPEGs drawn of them: a phone that is some snapshots behind still finds its photo."""

DIE_QUALITY = 90
AROUND_DIE = 1.3
"""Half of what is cut out around a die, of its edge: how it leans must be seen, too."""

NAME_BYTES = 10


class ThrowInView(Protocol):
    """A throw, of a match or without one."""

    @property
    def index(self) -> int: ...

    @property
    def dice(self) -> tuple[int, ...]: ...

    @property
    def places(self) -> tuple[Place, ...]: ...


class PhotoAlbum:
    """Keeps the newest pictures; written by one thread, read by many."""

    def __init__(self) -> None:
        self._pictures: deque[AlbumPicture] = deque(maxlen=PICTURES)
        self._drawn: OrderedDict[str, bytes] = OrderedDict()

    def add(
        self,
        image: Image,
        reading: Reading,
        zones: Sequence[Quad] = (),
        corner: tuple[int, int] = (0, 0),
    ) -> "AlbumPicture":
        """Keep the picture and what was read from it, cut to the zones that hold dice, the tray first.

        Where it is a part of what was read, it begins at this corner.
        """
        cut = tray_cut(image.shape[1], image.shape[0], _with_dice(reading, zones))
        shown = reading.relative_to(corner[0] + cut.left, corner[1] + cut.top)
        picture = AlbumPicture(np.array(cut.of(image)), shown, reading)
        self._pictures.append(picture)
        return picture

    def as_read(self, picture: "AlbumPicture", throw: ThrowInView | None = None) -> Photo:
        """The picture as it was read; dice of this throw that still lie there are named."""
        found = slots(picture.reading, throw) if throw else {}
        is_whole = throw and len(found) == len(throw.dice)
        index = throw.index if throw and is_whole else None
        return self._photo(picture, picture.shown, found, index)

    def of(self, throw: ThrowInView) -> Photo | None:
        """The picture in which all dice of this throw lie, with the faces that it has now."""
        for picture in reversed(self._pictures):
            found = slots(picture.reading, throw)
            if found and len(found) == len(throw.dice):
                shown = _told(picture.shown, {i: throw.dice[slot] for i, slot in found.items()})
                return self._photo(picture, shown, found, throw.index)
        return None

    def get(self, name: str) -> bytes | None:
        """The drawn photo as JPEG, while it is among the last few."""
        return self._drawn.get(name)

    def die(self, name: str, number: int) -> bytes | None:
        """One die of that photo as the camera saw it, at full resolution, as JPEG."""
        pictures = tuple(self._pictures)
        picture = next((one for one in pictures if name in one.names.values()), None)
        if picture is None or number >= len(picture.shown.dice):
            return None
        return encode_jpeg(_around(picture.image, picture.shown.dice[number]), quality=DIE_QUALITY)

    def _photo(
        self, picture: "AlbumPicture", shown: Reading, found: dict[int, int], index: int | None
    ) -> Photo:
        faces = tuple((die.value, die.problem) for die in shown.dice)
        if picture.names.get(faces) not in self._drawn:
            data = encode_jpeg(annotate(picture.image, shown))
            picture.names[faces] = blake2s(data, digest_size=NAME_BYTES).hexdigest()
            self._keep(picture.names[faces], data)
        height, width = picture.image.shape[:2]
        dice = tuple(
            replace(_photo_die(die, width, height), slot=found.get(i))
            for i, die in enumerate(shown.dice)
        )
        return Photo(picture.names[faces], width, height, dice, index)

    def _keep(self, name: str, data: bytes) -> None:
        self._drawn[name] = data
        while len(self._drawn) > KEPT:
            self._drawn.popitem(last=False)


def slots(reading: Reading, throw: ThrowInView) -> dict[int, int]:
    """Number of the die in the reading -> its number in the throw, for those that lie there."""
    free = list(enumerate(throw.dice))
    found = {}
    # A corrected die has lost its face: it gets what the others leave.
    for place in sorted(throw.places, key=lambda place: place.face == UNKNOWN_FACE):
        slot = next((slot for slot in free if place.face in (slot[1], UNKNOWN_FACE)), None)
        die = next((i for i, die in enumerate(reading.dice) if _is_at(die, place)), None)
        if place.aside or slot is None:
            continue
        free.remove(slot)
        if die is not None:
            found[die] = slot[0]
    return found


def shows(reading: Reading, throw: ThrowInView) -> bool:
    """Whether all of the throw's dice lie where they lay; some do in pictures of the next one."""
    return bool(throw.dice) and len(slots(reading, throw)) == len(throw.dice)


def _is_at(die: Die, place: Place) -> bool:
    return lies_at(place_of(die), replace(place, face=UNKNOWN_FACE))


def _told(reading: Reading, faces: dict[int, int]) -> Reading:
    """The reading with these faces, each of which is certain by now."""
    dice = (
        replace(die, value=faces[i], problem=None) if i in faces else die
        for i, die in enumerate(reading.dice)
    )
    return replace(reading, dice=tuple(dice))


def _around(image: Image, die: Die) -> Image:
    """The square around a die, with what of it lies beyond the picture left out."""
    half = AROUND_DIE * die.size
    left, top = max(0, round(die.x - half)), max(0, round(die.y - half))
    right, bottom = max(left + 1, round(die.x + half)), max(top + 1, round(die.y + half))
    return image[top:bottom, left:right]


class AlbumPicture:
    """A picture cut to the tray, what was read in its pixels and in the camera's, and its names.

    `names` are those of what was drawn of it, by the faces that were drawn.
    """

    def __init__(self, image: Image, shown: Reading, reading: Reading) -> None:
        self.image, self.shown, self.reading = image, shown, reading
        self.names: dict[tuple[object, ...], str] = {}


def _photo_die(die: Die, width: int, height: int) -> PhotoDie:
    return PhotoDie(
        die.value,
        die.x / width,
        die.y / height,
        die.w / width,
        die.h / height,
        die.angle,
        str(die.zone),
        str(die.problem) if die.problem else None,
    )


def _with_dice(reading: Reading, zones: Sequence[Quad]) -> Sequence[Quad]:
    """The tray always: what is shown should be dice, not table."""
    is_aside_used = any(die.zone is Zone.ASIDE for die in reading.dice)
    return zones if is_aside_used else zones[:1]
