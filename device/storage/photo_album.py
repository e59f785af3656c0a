"""The last few readings as annotated photos, for the phones."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from device.cameras.base import Image
from device.session.placement import lies_at, place_of
from game.match.events import UNKNOWN_FACE, Place
from game.match.state import Throw
from vision.annotate import annotate
from vision.reading import Die, Quad, Reading
from web.contracts.table import Photo, PhotoDie

KEPT = 8
"""A phone that is some snapshots behind still finds its photo."""

WIDTH_PX = 800
"""Twice the points of a phone held upright."""

MARGIN = 0.09
"""Of the height of what is shown: walls lean outwards, and the labels of dice need room."""

JPEG_QUALITY = 75
"""At that width 30 to 50 kB: the first view of the page stays below 100 kB in all."""


class PhotoAlbum:
    """Keeps the newest annotated photos; written by one thread, read by many."""

    def __init__(self) -> None:
        self._jpegs: OrderedDict[str, bytes] = OrderedDict()
        self._number = 0

    def add(self, image: Image, reading: Reading, zones: Sequence[Quad] = ()) -> Photo:
        """Annotate and keep the picture, cut to these zones; gives what the page needs."""
        self._number += 1
        name = str(self._number)
        cut = _cut_to(image.shape[1], image.shape[0], zones)
        moved = cut.moved(reading)
        self._jpegs[name] = jpeg(annotate(cut.of(image), moved))
        if len(self._jpegs) > KEPT:
            self._jpegs.popitem(last=False)
        dice = tuple(_photo_die(die, cut.width, cut.height) for die in moved.dice)
        return Photo(name, cut.width, cut.height, dice)

    def get(self, name: str) -> bytes | None:
        return self._jpegs.get(name)


def with_slots(photo: Photo, reading: Reading, throw: Throw | None) -> Photo:
    """The photo, each die that is one of this throw told which; it was made of this reading."""
    found = slots(reading, throw) if throw else {}
    dice = tuple(replace(die, slot=found.get(i)) for i, die in enumerate(photo.dice))
    return replace(photo, index=throw.index if throw and found else None, dice=dice)


def slots(reading: Reading, throw: Throw) -> dict[int, int]:
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


def _is_at(die: Die, place: Place) -> bool:
    return lies_at(place_of(die), replace(place, face=UNKNOWN_FACE))


def jpeg(image: Image, width_px: int = WIDTH_PX, quality: int = JPEG_QUALITY) -> bytes:
    """The picture as JPEG, at most so wide."""
    height, width = image.shape[:2]
    if width > width_px:
        size = (width_px, round(height * width_px / width))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()


@dataclass(frozen=True, slots=True)
class _Cut:
    """The part of a picture that is shown, in its pixels."""

    left: int
    top: int
    width: int
    height: int

    def of(self, image: Image) -> Image:
        return image[self.top : self.top + self.height, self.left : self.left + self.width]

    def moved(self, reading: Reading) -> Reading:
        """The reading in the pixels of the part."""
        dice = (replace(die, x=die.x - self.left, y=die.y - self.top) for die in reading.dice)
        return replace(reading, dice=tuple(dice))


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


def _cut_to(width: int, height: int, zones: Sequence[Quad]) -> _Cut:
    """The upright box around the zones, with a margin for walls and labels."""
    if not zones:
        return _Cut(0, 0, width, height)
    xs, ys = zip(*(corner for zone in zones for corner in zone.corners), strict=True)
    margin = MARGIN * (max(ys) - min(ys))
    left, top = (max(0, int(min(side) - margin)) for side in (xs, ys))
    right, bottom = min(width, int(max(xs) + margin)), min(height, int(max(ys) + margin))
    return _Cut(left, top, right - left, bottom - top)
