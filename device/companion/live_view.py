"""What the camera sees now, for whoever watches: of the tray alone, and made once for all of them."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Protocol

from device.cameras.base import Image
from device.cameras.tray_picture import encode_jpeg, tray_cut
from vision.reading import Quad

VIEW_S = 0.12
"""Dice are seen to roll; more pictures a second only warm the Pi, however many phones ask."""


class Watched(Protocol):
    """The part of the watch over the tray that is needed."""

    @property
    def latest(self) -> Image | None: ...

    @property
    def zones_in_view(self) -> tuple[Quad, ...]: ...


class LiveView:
    """The newest preview picture, cut to the tray. Any thread may ask.

    It never asks the camera for a picture of its own: the reading has the camera to itself.
    """

    def __init__(self, watch: Watched, clock: Callable[[], float] = monotonic) -> None:
        self._watch, self._clock = watch, clock
        self._lock = Lock()
        self._made_s = float("-inf")
        self._of: Image | None = None
        self._jpeg = b""

    def __repr__(self) -> str:
        return f"<LiveView, {len(self._jpeg)} bytes>"

    def jpeg(self) -> bytes | None:
        """None while there is no camera, or nobody has said where its tray is: a room is not shown."""
        with self._lock:
            latest, zones = self._watch.latest, self._watch.zones_in_view
            if latest is None or not zones:
                self._of, self._jpeg = None, b""
                return None
            if not self._jpeg or (latest is not self._of and self._is_due):
                height, width = latest.shape[:2]
                self._of, self._made_s = latest, self._clock()
                self._jpeg = encode_jpeg(tray_cut(width, height, zones[:1]).of(latest))
            return self._jpeg

    @property
    def _is_due(self) -> bool:
        return self._clock() - self._made_s >= VIEW_S
