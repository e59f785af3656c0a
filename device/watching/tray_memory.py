"""Knowledge of the tray watch about its tray, such as the empty-tray image, and readings that may yet prove wrong."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from device.cameras.base import Image, TrayZones
from vision import Problem, Reading, Zone, read
from vision.candidates import seems_empty
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Die, Lean
from vision.tray_change import TrayChange, find_changes

OBJECT_RADIUS = 1.0
"""Radius of a foreign object, as a multiple of its size: slightly more than the ring drawn around it on the photo."""

DIE_RADIUS = 0.8
"""Radius of a die, as a multiple of its edge: the corners of a square are 0.71 away from its centre."""


def foreign_object_mask(
    thing: Die, others: Sequence[Die], new: TrayChange | None, shape: tuple[int, ...]
) -> Image:
    """Return a mask of the object and everything connected to it, but not of the dice next to it.

    Args:
        thing: The object, with the position and size that were read.
        others: The dice in the same reading.
        new: Differences between the frame and the empty-tray image; None if they are not known.
        shape: Shape of the frame, starting with height and width.

    Returns:
        (height, width) uint8: 255 where the object is, otherwise 0.
    """
    mask: Image = np.zeros(shape[:2], np.uint8)
    _fill_circle(mask, thing, OBJECT_RADIUS, 255)
    if new is not None:
        mask |= _connected_objects(mask, new)
    for other in others:
        _fill_circle(mask, other, DIE_RADIUS, 0)
    return mask


def _fill_circle(mask: Image, die: Die, radius: float, value: int) -> None:
    centre = round(die.x), round(die.y)
    cv2.circle(mask, centre, max(1, round(radius * die.size)), value, cv2.FILLED)


def _connected_objects(mask: Image, new: TrayChange) -> Image:
    """Return a mask of the objects in `new` that touch the given mask, widened by one cell on every side."""
    _, found = cv2.connectedComponents(new.objects)
    labels = _cells_to_pixels(found.astype(np.float32), new, mask.shape)
    touching = np.setdiff1d(labels[mask > 0], 0)
    objects = np.isin(found, touching).astype(np.uint8) * 255
    wider = cv2.dilate(objects, np.ones((3, 3), np.uint8))
    return np.asarray(_cells_to_pixels(wider, new, mask.shape), np.uint8)


def _cells_to_pixels(cells: NDArray[Any], new: TrayChange, shape: tuple[int, ...]) -> NDArray[Any]:
    to_frame = np.array([[new.cell_px, 0, new.left], [0, new.cell_px, new.top]], np.float32)
    size = shape[1], shape[0]
    return np.asarray(cv2.warpAffine(cells, to_frame, size, flags=cv2.INTER_NEAREST))


RESTS_TO_BELIEVE = 2
"""How many times the tray must seem empty but look different before its new appearance is learnt."""

Position = tuple[float, float]
"""The centre of a die, as column and row of the frame."""

HasTumbledSince = Callable[[float], bool]
"""A function that returns whether dice were certainly seen tumbling after a time in seconds."""


def _is_read_as_empty(image: Image, zones: TrayZones) -> bool:
    """Check whether the reader sees neither a die nor a problem, without knowing the empty tray."""
    reading = read(image, zones.tray, aside=zones.aside)
    nothing = {Problem.UNREADABLE}  # without a known tray, a picture without dice is never certain
    return set(reading.problems) <= nothing and all(
        die.zone is Zone.OUTSIDE for die in reading.dice
    )


@dataclass(frozen=True, slots=True)
class WatchedTray:
    """The identity of a tray. What is known about the tray stays valid until one of these values changes.

    Attributes:
        camera: Name of the camera.
        frame_px: Width and height of the camera's full frame in pixels.
        zones: Where the camera sees the tray.
    """

    camera: str
    frame_px: tuple[int, int]
    zones: TrayZones


@dataclass(frozen=True, slots=True, eq=False)
class RememberedReading:
    """A reading from which the appearance of the tray is learnt once the next throw has been accepted.

    Attributes:
        time_s: When the tray was seen in this state, in seconds.
        image: The frame that was read.
        reading: The reading, without the objects that a person has marked as not being dice.
        empty: The empty-tray image that was known at that time; None if none was.
        is_accepted: Whether the reading was accepted as a throw.
        is_corrected: Whether a person has said that an object in the reading is not a die.
        faces: The known faces of its dice, by position, as the match records them after all corrections;
            None if the match has not recorded the reading.
    """

    time_s: float
    image: Image
    reading: Reading
    empty: Image | None
    is_accepted: bool = False
    is_corrected: bool = False
    faces: Mapping[Position, int] | None = None

    @property
    def is_undecided(self) -> bool:
        """Whether the reading shows dice, and the match has neither accepted it nor recorded its faces."""
        return bool(self.reading.dice) and not self.is_accepted and self.faces is None

    @property
    def true_faces(self) -> tuple[int | None, ...]:
        """The face of each die as the match records it or, if the match has not recorded the reading, as it was read.

        A face is None if the match does not know it, or if the match has not recorded the reading
        and the reading was not certain.
        """
        dice = self.reading.dice
        if self.faces is not None:
            return tuple(self.faces.get((die.x, die.y)) for die in dice)
        return tuple(die.value if self.reading.is_sure else None for die in dice)

    def without(self, thing: Die) -> "RememberedReading":
        """Return this reading without one object, because a person has said that it is not a die."""
        dice = tuple(die for die in self.reading.dice if (die.x, die.y) != (thing.x, thing.y))
        return replace(self, reading=replace(self.reading, dice=dice), is_corrected=True)


class TrayMemory:
    """Learns what the empty tray looks like, and how far dice seem to lean at each place in the frame.

    The camera's thread adds frames and readings; other threads report whether a reading was accepted
    or wrong.

    Attributes:
        known: The knowledge about the tray. Any thread may read it, because it is replaced and never
            modified.
    """

    def __init__(self) -> None:
        self.known: KnownTray = UNKNOWN_TRAY
        self._tray: WatchedTray | None = None
        self._readings: tuple[RememberedReading, ...] = ()
        self._strange_rests = 0
        self._lock = Lock()

    def begin(self, tray: WatchedTray, leans: tuple[Lean, ...] = ()) -> None:
        """Start watching a tray. If the tray is not the same as before, forget everything.

        Args:
            tray: The tray.
            leans: How far dice seemed to lean in earlier throws; used only if the tray is a different one.
        """
        with self._lock:
            if tray != self._tray:
                self._tray, self.known, self._readings = tray, KnownTray(leans=leans), ()
            self._strange_rests = 0

    def learn_empty_tray(self, image: Image, zones: TrayZones) -> None:
        """Use a frame as the empty-tray image if nothing lies in the tray.

        Args:
            image: A full frame, captured when the tray came to rest.
            zones: Where the tray is in the frame.
        """
        new = find_changes(image, self.known, zones.known)
        is_same = new is not None and not new.objects.any()
        if not seems_empty(image, *zones, new if is_same else None):
            return  # an inconspicuous die must not become part of the empty tray
        if not is_same and not _is_read_as_empty(image, zones):
            return  # neither must one that only the face reader sees, nor one that the light hides
        self._strange_rests += not is_same
        if is_same or new is None or self._strange_rests >= RESTS_TO_BELIEVE:
            self._strange_rests = 0
            with self._lock:
                self.known = replace(self.known, empty=image)

    def add(self, time_s: float, image: Image, reading: Reading) -> None:
        """Remember a reading. Nothing is learnt from it until the next throw has been accepted.

        Args:
            time_s: When the tray was seen in this state, in seconds.
            image: The frame that was read.
            reading: The dice in the frame.
        """
        with self._lock:
            new = RememberedReading(time_s, image, reading, self.known.empty)
            # Of several readings of an empty tray, as under a hand that comes and goes, the newest is enough.
            # The same holds for several readings of dice that were read again without being thrown.
            others = [old for old in self._readings if not old.is_accepted]
            newest_known = [old for old in others if old.faces is not None][-1:]
            kept = (
                old
                for old in self._readings
                if old.is_accepted or old in newest_known or (reading.dice and not old.reading.dice)
            )
            self._readings = (*kept, new)

    def add_foreign_object(self, time_s: float, thing: Die) -> None:
        """Make an object part of the empty-tray image for as long as it stays where it is.

        Args:
            time_s: Time of the reading that contains the object, in seconds.
            thing: The object, with the position and size that were read.
        """
        seen = next((old for old in self._readings if old.time_s == time_s), None)
        empty = self._empty_with(thing, seen) if seen else None
        with self._lock:
            readings = tuple(
                old.without(thing) if old.time_s == time_s else old for old in self._readings
            )
            if readings != self._readings:  # the reading has not been discarded in the meantime
                self.known, self._readings = replace(self.known, empty=empty), readings

    def _empty_with(self, thing: Die, seen: RememberedReading) -> Image | None:
        if self.known.empty is None or self._tray is None:
            return self.known.empty
        others = seen.without(thing).reading.dice
        new = find_changes(seen.image, self.known, self._tray.zones.known)
        mask = foreign_object_mask(thing, others, new, seen.image.shape)
        return self.known.with_region(seen.image, mask).empty

    def accept(self, time_s: float | None, has_tumbled_since: HasTumbledSince) -> None:
        """Mark a reading as accepted, and learn from the earlier readings that can be trusted.

        Args:
            time_s: Time of the accepted reading, in seconds; None if the dice were entered on a phone.
            has_tumbled_since: Returns whether dice were certainly seen tumbling after a time in seconds.
        """
        with self._lock:
            for old in self._readings:
                if old.time_s != time_s and self._is_true(old, has_tumbled_since):
                    known = self.known.with_reading(old.image, old.reading)
                    self.known = known.with_faces(old.image, old.reading, old.true_faces)
            accepted = [old for old in self._readings if old.time_s == time_s]
            # The newest reading may show the dice that were just entered on a phone; `note_faces` then adds their faces.
            entered = [] if time_s is not None else self._readings[-1:]
            self._readings = (
                *(replace(old, is_accepted=True) for old in accepted),
                *(old for old in entered if old.is_undecided),
            )

    def note_faces(self, time_s: float, dice: Sequence[Die], faces: Sequence[int | None]) -> None:
        """Remember the faces that the match records for a reading, until the next throw has been accepted.

        Args:
            time_s: Time of the reading, in seconds.
            dice: The dice of the reading.
            faces: The face of each die, or None where it is not known.
        """
        known = {
            (die.x, die.y): face for die, face in zip(dice, faces, strict=True) if face is not None
        }
        with self._lock:
            self._readings = tuple(
                replace(old, faces=known) if old.time_s == time_s else old for old in self._readings
            )

    def forget_dice(self) -> None:
        """Forget the sizes of the dice and how their faces looked in earlier throws."""
        with self._lock:
            self.known, self._readings = replace(self.known, leans=(), looks=()), ()

    def _is_true(self, old: RememberedReading, has_tumbled_since: HasTumbledSince) -> bool:
        """Return whether an earlier reading can be trusted.

        A reading of dice must have been accepted, or the match must have supplied the faces. After a reading
        of an empty tray, dice must have been thrown, and the known empty-tray image must still be the same.
        """
        if old.reading.dice:
            return old.is_accepted or old.faces is not None
        return old.empty is self.known.empty and has_tumbled_since(old.time_s)

    def discard(self, since_s: float = 0.0) -> None:
        """Discard readings that were wrong or undone, and the foreign objects that were marked in them.

        Args:
            since_s: Time of the first reading to discard, in seconds; 0 discards all.
        """
        with self._lock:
            gone = [old for old in self._readings if old.time_s >= since_s]
            self._readings = tuple(old for old in self._readings if old not in gone)
            before = next((old.empty for old in gone if old.is_corrected), None)
            if before is not None:
                self.known = replace(self.known, empty=before)
