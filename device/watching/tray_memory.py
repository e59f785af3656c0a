"""What the watch has learnt about its tray, and what it may have to forget again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from device.cameras.base import Camera, Image
from device.watching.foreign_object_mask import foreign_object_mask
from vision import Quad, Reading
from vision.candidates import seems_empty
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Die, Lean
from vision.tray_change import find_changes

RESTS_TO_BELIEVE = 2
"""Rests in which the tray seems empty but looks different before it is learnt again: the camera was moved."""

HasTumbledSince = Callable[[float], bool]
"""Return whether dice were surely seen tumbling after a time in seconds."""


@dataclass(frozen=True, slots=True)
class WatchedTray:
    """The identity of a tray: what is known about it holds while all of this stays the same.

    Attributes:
        camera: Name of the camera.
        frame_px: Width and height of its full frame.
        zones: Tray and set-aside area in the full frame.
    """

    camera: str
    frame_px: tuple[int, int]
    zones: tuple[Quad, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RememberedReading:
    """A reading that teaches the look of the tray once the next throw is accepted.

    Attributes:
        time_s: When the tray was seen like this.
        image: The frame that was read.
        reading: The reading, without the objects that a person marked as no dice.
        empty: The empty-tray image as it was known then.
        is_accepted: Whether the match accepted the reading.
        is_corrected: Whether a person said that something in it is not a die.
    """

    time_s: float
    image: Image
    reading: Reading
    empty: Image | None
    is_accepted: bool = False
    is_corrected: bool = False

    def without(self, thing: Die) -> "RememberedReading":
        """Return this reading without one object, which is not a die."""
        dice = tuple(die for die in self.reading.dice if (die.x, die.y) != (thing.x, thing.y))
        return replace(self, reading=replace(self.reading, dice=dice), is_corrected=True)


class TrayMemory:
    """Knowledge about the empty tray and about how dice lean in it.

    The camera's thread begins, adds and learns; other threads say what became of a reading.

    Attributes:
        known: What is known about the tray; replaced, never changed.
    """

    def __init__(self) -> None:
        self.known: KnownTray = UNKNOWN_TRAY
        self._tray: WatchedTray | None = None
        self._readings: tuple[RememberedReading, ...] = ()
        self._strange_rests = 0
        self._lock = Lock()

    def begin(self, tray: WatchedTray, leans: tuple[Lean, ...] = ()) -> None:
        """Start watching a tray; forget everything if it is a different one.

        Args:
            tray: The tray.
            leans: How dice leaned in earlier throws there, for a tray that is new.
        """
        with self._lock:
            if tray != self._tray:
                self._tray, self.known, self._readings = tray, KnownTray(leans=leans), ()
            self._strange_rests = 0

    def learn_empty_tray(self, image: Image, camera: Camera, zones: tuple[Quad, ...]) -> None:
        """Take a frame of a rest as the empty-tray image if nothing lies in the tray.

        Args:
            image: A full frame, captured when the rest began.
            camera: The camera, which knows where the tray is.
            zones: Tray and set-aside area in the frame.
        """
        new = find_changes(image, self.known, zones)
        is_same = new is not None and not new.objects.any()
        if not seems_empty(image, camera.tray, camera.aside, new if is_same else None):
            return  # a die that hardly stands out must not become part of the tray
        self._strange_rests += not is_same
        if is_same or new is None or self._strange_rests >= RESTS_TO_BELIEVE:
            self._strange_rests = 0
            with self._lock:
                self.known = replace(self.known, empty=image)

    def add(self, time_s: float, image: Image, reading: Reading) -> None:
        """Remember a reading; nothing is learnt from it yet.

        Args:
            time_s: When the tray was seen like this, in seconds.
            image: The frame that was read.
            reading: The reading.
        """
        with self._lock:
            new = RememberedReading(time_s, image, reading, self.known.empty)
            kept = (old for old in self._readings if old.is_accepted or not old.reading.dice)
            self._readings = (*kept, new)

    def add_foreign_object(self, time_s: float, thing: Die) -> None:
        """Make an object part of the empty-tray image while it stays where it is.

        Args:
            time_s: Time of the reading that contains the object, in seconds.
            thing: The object as it was read.
        """
        seen = next((old for old in self._readings if old.time_s == time_s), None)
        empty = self._empty_with(thing, seen) if seen else None
        with self._lock:
            readings = tuple(
                old.without(thing) if old.time_s == time_s else old for old in self._readings
            )
            if readings != self._readings:  # it was not discarded meanwhile
                self.known, self._readings = replace(self.known, empty=empty), readings

    def _empty_with(self, thing: Die, seen: RememberedReading) -> Image | None:
        if self.known.empty is None or self._tray is None:
            return self.known.empty
        others = seen.without(thing).reading.dice
        new = find_changes(seen.image, self.known, self._tray.zones)
        mask = foreign_object_mask(thing, others, new, seen.image.shape)
        return self.known.with_region(seen.image, mask).empty

    def accept(self, time_s: float | None, has_tumbled_since: HasTumbledSince) -> None:
        """Mark a reading as accepted and learn from the earlier ones, since nobody has corrected them.

        Args:
            time_s: Time of the accepted reading, in seconds; None if the dice were tapped in.
            has_tumbled_since: Tells whether dice were surely seen tumbling after a time.
        """
        with self._lock:
            for old in self._readings:
                if old.time_s != time_s and self._is_true(old, has_tumbled_since):
                    self.known = self.known.with_reading(old.image, old.reading)
            accepted = (old for old in self._readings if old.time_s == time_s)
            self._readings = tuple(replace(old, is_accepted=True) for old in accepted)

    def _is_true(self, old: RememberedReading, has_tumbled_since: HasTumbledSince) -> bool:
        """Whether dice were accepted, or an empty tray is still the newest one and dice were thrown into it."""
        if old.reading.dice:
            return old.is_accepted
        return old.empty is self.known.empty and has_tumbled_since(old.time_s)

    def discard(self, since_s: float = 0.0) -> None:
        """Discard readings that were wrong or taken back, and the foreign objects marked in them.

        Args:
            since_s: Discard the readings from this time on, in seconds.
        """
        with self._lock:
            gone = [old for old in self._readings if old.time_s >= since_s]
            self._readings = tuple(old for old in self._readings if old not in gone)
            before = next((old.empty for old in gone if old.is_corrected), None)
            if before is not None:
                self.known = replace(self.known, empty=before)
