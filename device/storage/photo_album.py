"""The latest pictures that were read, as photos for the phones: the current faces of the throw are drawn on them.

A picture belongs to a throw if its dice are in the same places. The name of a photo is a hash of its
contents, so a cached photo is never out of date.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2s
from math import cos, radians, sin

import numpy as np

from device.cameras.base import Image
from device.cameras.roll_clip import RollClip
from device.cameras.tray_picture import encode_jpeg, tray_cut
from device.session.placement import is_unmoved, place_of
from device.session.tray_reader import TrayReading
from device.storage.throw_pictures import cut_of
from game.dice_log import DiceThrow
from game.match.events import UNKNOWN_FACE, Place
from game.match.state import Throw
from vision.annotate import annotate
from vision.images import ImageError, decode
from vision.reading import Die, Quad, Reading, Zone
from web.contracts import Photo, PhotoDie
from web.picture_check import jpeg_size

MAX_PICTURES = 6
"""Number of pictures in memory, each of at most 4 MB at 1536x864. When throws are undone, that many earlier pictures
can still be shown."""

MAX_PHOTOS = 16
"""Number of photos in memory, as JPEGs. A phone that is a few snapshots behind still finds its photo."""

DIE_QUALITY = 90
CUT_RADIUS = 1.3
"""Half the side of the square cut out around a die, in die edges, so that even a cocked die is entirely visible."""

NAME_BYTES = 10

MAX_SIDE_PX = 2048
"""Largest side of a stored picture in memory, in pixels. Stored pictures are smaller."""


ThrowInView = Throw | DiceThrow
"""A throw, whether in a match or without one."""


class PhotoAlbum:
    """The latest pictures of throws. One thread adds them; any thread may read them."""

    def __init__(self) -> None:
        self._pictures: deque[AlbumPicture] = deque(maxlen=MAX_PICTURES)
        self._drawn: OrderedDict[str, bytes] = OrderedDict()
        self._other_clip: tuple[str, bytes | None] = ("", None)

    def add(
        self,
        image: Image,
        tray_reading: TrayReading,
        zones: Sequence[Quad] = (),
        corner: tuple[int, int] = (0, 0),
        clip: RollClip | None = None,
    ) -> "AlbumPicture":
        """Add a picture with its reading, cropped to the zones that contain dice.

        Args:
            image: The image, which may be a part of the frame that was read.
            tray_reading: The reading of the frame.
            zones: Corners of the tray, and of the set-aside area if there is one, in pixels of the image.
            corner: Position of the image's left and top edges in the frame, in pixels.
            clip: The recording of the roll; None if it was not recorded.
        """
        reading = tray_reading.reading
        cut = tray_cut(image.shape[1], image.shape[0], _with_dice(reading, zones))
        at = corner[0] + cut.left, corner[1] + cut.top
        shown = reading.relative_to(*at)
        picture = AlbumPicture(np.array(cut.of(image)), shown, tray_reading, at, clip)
        self._pictures.append(picture)
        return picture

    def restore(self, jpeg: bytes, throw: ThrowInView, clip: bytes | None) -> bool:
        """Add the picture of a throw that was read before a restart.

        Args:
            jpeg: The stored picture, whose header has been checked.
            throw: The throw.
            clip: The recording of the roll, as Motion JPEG; None if it was not recorded.

        Returns:
            Whether the picture can be read and shows the places of all dice. If not, it is not added.
        """
        cut = cut_of(jpeg)
        if cut is None:
            return False
        left, top, frame_width = cut
        try:
            image = decode(jpeg, MAX_SIDE_PX)
        except ImageError:
            return False
        height, width = image.shape[:2]
        scale = width / frame_width
        reading = Reading(tuple(_die_at(place) for place in throw.places if place.size))
        shown = tuple(
            replace(die, x=die.x * scale, y=die.y * scale, w=die.w * scale, h=die.h * scale)
            for die in reading.relative_to(left, top).dice
        )
        if not shown or not all(0 < die.x < width and 0 < die.y < height for die in shown):
            return False
        picture = AlbumPicture(image, Reading(shown), TrayReading(reading), (left, top), clip)
        self._pictures.append(picture)
        return True

    def as_read(self, reading: int, throw: ThrowInView | None = None) -> Photo | None:
        """Return the photo with the faces that were read, before any correction.

        None means that the album contains no picture of that reading.

        Args:
            reading: Id of the reading.
            throw: The throw to which the dice in the photo may belong: a die belongs to it if it lies at one
                of the throw's places. None if there is no throw.
        """
        pictures = (one for one in reversed(self._pictures) if one.id == reading)
        picture = next(pictures, None)
        if picture is None:
            return None
        found = slots(picture.reading, throw) if throw else {}
        is_whole = throw and len(found) == len(throw.dice)
        index = throw.index if throw and is_whole else None
        return self._photo(picture, picture.shown, found, index)

    def of(self, throw: ThrowInView) -> Photo | None:
        """Return the photo in which all dice of a throw are in their places, with the throw's current faces.

        None means that the album no longer contains a picture of the throw.
        """
        for picture in reversed(self._pictures):
            found = slots(picture.reading, throw)
            if found and len(found) == len(throw.dice):
                faces = {i: throw.dice[slot] for i, slot in found.items()}
                shown = _with_faces(picture.shown, faces)
                return self._photo(picture, shown, found, throw.index)
        return None

    def from_other_tray(self, jpeg: bytes, index: int, clip: bytes | None = None) -> Photo:
        """Add the photo of a throw that was made at another tray or before a restart, and return it.

        Args:
            jpeg: The picture as JPEG, whose header has been checked.
            index: Number of the throw.
            clip: The recording of the roll, as Motion JPEG; None if it was not recorded.
        """
        name = blake2s(jpeg, digest_size=NAME_BYTES).hexdigest()
        self._keep(name, jpeg)
        self._other_clip = (name, clip)
        width, height = jpeg_size(jpeg)
        return Photo(name, width, height, (), index, clip is not None)

    def photo(self, name: str) -> bytes | None:
        """Return the photo with this name as JPEG, or None if the album no longer contains it."""
        return self._drawn.get(name)

    def die(self, name: str, number: int) -> bytes | None:
        """Return one die in a photo as a full-resolution JPEG, as the camera saw it; None if the photo is no longer there.

        Args:
            name: Name of the photo.
            number: Number of the die in the photo, from 0.
        """
        picture = self._named(name)
        if picture is None or number >= len(picture.shown.dice):
            return None
        return encode_jpeg(_around(picture.image, picture.shown.dice[number]), quality=DIE_QUALITY)

    def clip(self, name: str) -> bytes | None:
        """Return the recording of the roll that led to a photo, as Motion JPEG; None if there is none."""
        picture, (other_name, other_clip) = self._named(name), self._other_clip
        if picture is None and name == other_name:
            return other_clip
        clip = picture.clip if picture else None
        return clip.motion_jpeg if isinstance(clip, RollClip) else clip

    def _named(self, name: str) -> "AlbumPicture | None":
        pictures = tuple(self._pictures)
        return next((one for one in pictures if name in one.names.values()), None)

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
        has_clip = picture.clip is not None
        return Photo(picture.names[faces], width, height, dice, index, has_clip)

    def _keep(self, name: str, data: bytes) -> None:
        self._drawn[name] = data
        while len(self._drawn) > MAX_PHOTOS:
            self._drawn.popitem(last=False)


def slots(reading: Reading, throw: ThrowInView) -> dict[int, int]:
    """Match the dice in a reading with the dice of a throw by their places.

    Args:
        reading: The reading.
        throw: The throw.

    Returns:
        The number of each die in the throw, by its number in the reading. Dice that lie at none of the throw's places
        are left out.
    """
    free = list(enumerate(throw.dice))
    found = {}
    # The place of a corrected die has no face, so it is given a face that no other die has.
    for place in sorted(throw.places, key=lambda place: place.face == UNKNOWN_FACE):
        slot = next((slot for slot in free if place.face in (slot[1], UNKNOWN_FACE)), None)
        die = next((i for i, die in enumerate(reading.dice) if is_at(die, place)), None)
        if place.aside or slot is None:
            continue
        free.remove(slot)
        if die is not None:
            found[die] = slot[0]
    return found


def shows(reading: Reading, throw: ThrowInView) -> bool:
    """Return whether a reading shows every die of a throw where it came to rest.

    A reading of the next throw does not, so this function distinguishes the two.

    Args:
        reading: The reading.
        throw: The throw.
    """
    return bool(throw.dice) and len(slots(reading, throw)) == len(throw.dice)


def is_at(die: Die, place: Place) -> bool:
    """Return whether a die lies at a place, whatever its face."""
    return is_unmoved(place_of(die), replace(place, face=UNKNOWN_FACE))


def _with_faces(reading: Reading, faces: dict[int, int]) -> Reading:
    """Return the reading with these faces, by number of the die, instead of those that were read."""
    dice = (
        replace(die, value=faces[i], problem=None) if i in faces else die
        for i, die in enumerate(reading.dice)
    )
    return replace(reading, dice=tuple(dice))


def _around(image: Image, die: Die) -> Image:
    """Return the part of an image that shows a die: a square around it, cut off at the edges of the image."""
    half = CUT_RADIUS * die.size
    left, top = max(0, round(die.x - half)), max(0, round(die.y - half))
    right, bottom = max(left + 1, round(die.x + half)), max(top + 1, round(die.y + half))
    return image[top:bottom, left:right]


class AlbumPicture:
    """A picture in the album, cropped to the tray.

    Args:
        image: The image.
        shown: The reading, in pixels of the image.
        tray_reading: The reading, in pixels of the frame.
        corner: Left and top edges of the picture in the frame, in pixels of the frame.
        clip: The recording of the roll, or its Motion JPEG; None if it was not recorded.

    Attributes:
        id: Id of the reading.
        names: Names of the photos made from this picture, by the faces and problems drawn on them.
    """

    def __init__(
        self,
        image: Image,
        shown: Reading,
        tray_reading: TrayReading,
        corner: tuple[int, int],
        clip: RollClip | bytes | None,
    ) -> None:
        self.image, self.shown, self.corner, self.clip = image, shown, corner, clip
        self.id, self.reading = tray_reading.id, tray_reading.reading
        self.names: dict[tuple[object, ...], str] = {}


def _die_at(place: Place) -> Die:
    """Return the die of an accepted throw that lay at a place."""
    turn = radians(place.angle)
    side = place.size * (cos(turn) + sin(turn))  # as in `Die.size`
    zone = Zone.ASIDE if place.aside else Zone.TRAY
    face = None if place.face == UNKNOWN_FACE else place.face
    return Die(face, place.x, place.y, side, side, place.angle, 1.0, zone)


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
    """Return the zones to show: the tray, and the set-aside area only if there are dice in it."""
    is_aside_used = any(die.zone is Zone.ASIDE for die in reading.dice)
    return zones if is_aside_used else zones[:1]
