"""What a watch has learnt of its table, and what it may have to forget again.

The camera's thread looks and reads; what the match made of a reading is told by another.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from device.cameras.base import Camera, Image
from vision import Quad, Reading
from vision.candidates import seems_empty
from vision.change import NOTHING_KNOWN, KnownTable, change

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
    that the match took it.
    """

    time_s: float
    image: Image
    reading: Reading
    empty: Image | None
    accepted: bool = False


class TableMemory:
    """The known table, and the last readings, which teach it once the next throw is accepted.

    Attributes:
        known: what is known of the table.
    """

    def __init__(self) -> None:
        self.known: KnownTable = NOTHING_KNOWN
        self._table: TableInView | None = None
        self._readings: tuple[LastReading, ...] = ()
        self._strange_rests = 0
        self._lock = Lock()

    # What the camera's thread does

    def begin(self, table: TableInView) -> None:
        """This table is watched from now on; of another one nothing is known."""
        with self._lock:
            if table != self._table:
                self._table, self.known, self._readings = table, NOTHING_KNOWN, ()
            self._strange_rests = 0

    def study(self, image: Image, camera: Camera, zones: tuple[Quad, ...]) -> None:
        """How the tray looks empty is seen between throws, and follows the light."""
        new = change(image, self.known.empty, zones)
        is_same = new is not None and not new.stands.any()
        if not is_same:
            if not seems_empty(image, camera.tray, camera.aside):
                return
            self._strange_rests += 1
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

    # What the match tells

    def accept(self, time_s: float | None, rolled: Rolled) -> None:
        """The reading of that time counts, if there is one: what was accepted before stood so long, and teaches."""
        with self._lock:
            for one in self._readings:
                if one.time_s != time_s and self._is_true(one, rolled):
                    self.known = self.known.after(one.image, one.reading)
            now = (one for one in self._readings if one.time_s == time_s)
            self._readings = tuple(replace(one, accepted=True) for one in now)

    def _is_true(self, one: LastReading, rolled: Rolled) -> bool:
        """An empty tray was one if nothing newer is known of it, and dice were thrown into it since."""
        if one.reading.dice:
            return one.accepted
        return one.empty is self.known.empty and rolled(one.time_s)

    def forget(self) -> None:
        """The last readings were wrong, or are taken back: they teach nothing."""
        with self._lock:
            self._readings = ()
