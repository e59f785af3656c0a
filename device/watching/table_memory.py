"""What a watch has learnt of its table, and what it may have to forget again.

The camera's thread looks and reads; what the match made of a reading is told by another.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from device.cameras.base import Camera, Image
from device.watching.thing_place import thing_place
from vision import Quad, Reading
from vision.candidates import seems_empty
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Die, Lean
from vision.tray_change import find_changes

BELIEVED = 2
"""Rests in which a tray seems empty that does not look as it did: the camera was moved."""

Rolled = Callable[[float], bool]
"""Whether dice were surely seen rolling since that time."""


@dataclass(frozen=True, slots=True)
class TableInView:
    """Which table it is: while all of this stays, so does what is known of it."""

    camera: str
    picture_px: tuple[int, int]
    zones: tuple[Quad, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LastReading:
    """A reading that teaches, unless it is put right.

    `empty` is how the tray looked when nothing lay in it, as it was known then; `accepted` tells
    that the match took it, `put_right` that something in it is no die.
    """

    time_s: float
    image: Image
    reading: Reading
    empty: Image | None
    accepted: bool = False
    put_right: bool = False

    def without(self, thing: Die) -> "LastReading":
        """The same, and that is no die."""
        there = thing.x, thing.y
        dice = tuple(die for die in self.reading.dice if (die.x, die.y) != there)
        return replace(self, reading=replace(self.reading, dice=dice), put_right=True)


class TableMemory:
    """The known table, and the last readings, which teach it once the next throw is accepted.

    Attributes:
        known: what is known of the table.
    """

    def __init__(self) -> None:
        self.known: KnownTray = UNKNOWN_TRAY
        self._table: TableInView | None = None
        self._readings: tuple[LastReading, ...] = ()
        self._strange_rests = 0
        self._lock = Lock()

    # What the camera's thread does

    def begin(self, table: TableInView, leans: tuple[Lean, ...] = ()) -> None:
        """This table is watched from now on; of another one no more is known than how dice lay there."""
        with self._lock:
            if table != self._table:
                self._table, self.known, self._readings = table, KnownTray(leans=leans), ()
            self._strange_rests = 0

    def study(self, image: Image, camera: Camera, zones: tuple[Quad, ...]) -> None:
        """How the tray looks empty is seen between throws, and follows the light."""
        new = find_changes(image, self.known.empty, zones)
        is_same = new is not None and not new.objects.any()
        if not seems_empty(image, camera.tray, camera.aside, new if is_same else None):
            return  # a die that hardly stands out is still no part of the tray
        self._strange_rests += not is_same
        if is_same or new is None or self._strange_rests >= BELIEVED:
            self._strange_rests = 0
            with self._lock:
                self.known = replace(self.known, empty=image)

    def read(self, time_s: float, image: Image, reading: Reading) -> None:
        """This was read: it teaches nothing so far."""
        with self._lock:
            last = LastReading(time_s, image, reading, self.known.empty)
            kept = (one for one in self._readings if one.accepted or not one.reading.dice)
            self._readings = (*kept, last)

    def lay_in(self, time_s: float, thing: Die) -> None:
        """This thing, which was read then, is no die: while it lies there it belongs to the empty tray."""
        seen = next((one for one in self._readings if one.time_s == time_s), None)
        empty = self._with(thing, seen) if seen else None
        with self._lock:
            readings = tuple(
                one.without(thing) if one.time_s == time_s else one for one in self._readings
            )
            if readings != self._readings:  # it was not forgotten meanwhile
                self.known, self._readings = replace(self.known, empty=empty), readings

    def _with(self, thing: Die, seen: LastReading) -> Image | None:
        """The empty tray as it is known, and the thing in it."""
        if self.known.empty is None or self._table is None:
            return self.known.empty
        others = seen.without(thing).reading.dice
        new = find_changes(seen.image, self.known.empty, self._table.zones)
        place = thing_place(thing, others, new, seen.image.shape)
        return self.known.with_region(seen.image, place).empty

    # What the match tells

    def accept(self, time_s: float | None, rolled: Rolled) -> None:
        """The reading of that time counts, if there is one: what was accepted before stood so long, and teaches."""
        with self._lock:
            for one in self._readings:
                if one.time_s != time_s and self._is_true(one, rolled):
                    self.known = self.known.with_reading(one.image, one.reading)
            now = (one for one in self._readings if one.time_s == time_s)
            self._readings = tuple(replace(one, accepted=True) for one in now)

    def _is_true(self, one: LastReading, rolled: Rolled) -> bool:
        """An empty tray was one if nothing newer is known of it, and dice were thrown into it since."""
        if one.reading.dice:
            return one.accepted
        return one.empty is self.known.empty and rolled(one.time_s)

    def forget(self, since_s: float = 0.0) -> None:
        """What was read from that time on was wrong, or is taken back: it teaches nothing.

        What somebody called nothing in it is a question again.
        """
        with self._lock:
            gone = [one for one in self._readings if one.time_s >= since_s]
            self._readings = tuple(one for one in self._readings if one not in gone)
            before = next((one.empty for one in gone if one.put_right), None)
            if before is not None:
                self.known = replace(self.known, empty=before)
