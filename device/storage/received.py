"""A backup that is sent in parts: in memory until it is whole, and no longer than somebody sends it."""

from collections.abc import Callable
from threading import Lock, Timer
from time import monotonic

from device.storage import backup
from game.message import Message
from game.situation import TableError

ABANDONED_S = 120.0
"""A part comes in a second or two; a phone that falls asleep begins again."""


class ReceivedParts:
    """What has come so far; any thread may call.

    Args:
        abandoned_s: what does not go on for so long is let go.
        clock: seconds that never run backwards.
    """

    def __init__(
        self, abandoned_s: float = ABANDONED_S, clock: Callable[[], float] = monotonic
    ) -> None:
        self._abandoned_s, self._clock = abandoned_s, clock
        self._lock = Lock()
        self._data = bytearray()
        self._came_s = 0.0

    def __len__(self) -> int:
        return len(self._data)

    def take(self, at: int, part: bytes) -> int:
        """The next part, `at` so many bytes; 0 begins anew. Gives where to go on.

        Raises:
            TableError: another part was expected, or it is too long.
        """
        with self._lock:
            if at == 0:
                self._data.clear()
            if at != len(self._data):
                raise TableError(
                    Message("Somebody else sends a backup now: begin again in a moment.")
                )
            if at + len(part) > backup.MAX_PACKED:
                raise TableError(
                    Message("This is too long for a backup: restore it on the command line.")
                )
            if not self._data:
                self._look_after(self._abandoned_s)
            self._data += part
            self._came_s = self._clock()
            return len(self._data)

    def all(self) -> bytes:
        """All of it; from here on there is none."""
        with self._lock:
            data = bytes(self._data)
            self._data.clear()
            return data

    def _look_after(self, wait_s: float) -> None:
        timer = Timer(wait_s, self._let_go)
        timer.daemon = True
        timer.start()

    def _let_go(self) -> None:
        with self._lock:
            wait_s = self._came_s + self._abandoned_s - self._clock()
            if wait_s <= 0:
                self._data.clear()
            elif self._data:
                self._look_after(wait_s)
