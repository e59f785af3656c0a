"""What was asked of trays: each question once, and again until it is answered."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any

AGAIN_S = 5.0
"""Before a question is put again: the tray, or the broker, was away when it came."""

MOST_OPEN = 10_000
"""Questions that are remembered; the next message of a tray asks what was forgotten."""

Request = dict[str, Any]

Ask = Callable[[str, Request], object]
"""Puts a request to a tray."""


@dataclass(frozen=True, slots=True)
class _Open:
    request: Request
    put_s: float


class TrayRequests:
    """The questions that are open; any thread may call.

    Args:
        ask: puts a request to a tray.
        clock: seconds that only grow.
    """

    def __init__(self, ask: Ask, clock: Callable[[], float] = monotonic) -> None:
        self._ask, self._clock = ask, clock
        self._open: dict[tuple[str, str], _Open] = {}
        self._lock = Lock()

    def put(self, tray: str, about: str, request: Request) -> None:
        """Ask, unless the same was asked a moment ago."""
        with self._lock:
            if len(self._open) > MOST_OPEN:
                self._open.clear()
            before = self._open.get((tray, about))
            if before and self._clock() - before.put_s < AGAIN_S:
                return
            self._open[tray, about] = _Open(request, self._clock())
        self._ask(tray, request)

    def answered(self, tray: str, about: str) -> None:
        with self._lock:
            self._open.pop((tray, about), None)

    def again(self, there: Callable[[str], bool]) -> None:
        """Ask trays that are there again what waits for long; to be called every second or so."""
        now_s = self._clock()
        with self._lock:
            late = [
                (*key, o.request) for key, o in self._open.items() if now_s - o.put_s >= AGAIN_S
            ]
        for tray, about, request in late:
            if there(tray):
                self.put(tray, about, request)

    def forget(self, tray: str | None = None) -> None:
        """Nothing is open at this tray any more, or at any: it is asked anew when it comes."""
        with self._lock:
            gone = [key for key in self._open if tray in (None, key[0])]
            for key in gone:
                del self._open[key]
