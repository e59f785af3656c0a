"""A live view of what the camera sees, cropped to the tray."""

from collections.abc import Callable
from threading import Lock
from time import monotonic

from device.cameras.base import Image
from device.cameras.tray_picture import encode_jpeg, tray_cut
from device.watching.tray_preview import TrayPreview

MIN_PERIOD_S = 0.12
"""Shortest time between two JPEGs, in seconds: short enough to show rolling dice. A shorter time would only
warm the Pi."""


class LiveView:
    """Encodes the newest preview of the tray once for all watchers. Any thread may call its methods.

    The tray watch takes the previews anyway; the live view never asks the camera for a frame.

    Args:
        preview: The newest preview, which the tray watch has taken.
        clock: Monotonic clock in seconds.
    """

    def __init__(self, preview: TrayPreview, clock: Callable[[], float] = monotonic) -> None:
        self._preview, self._clock = preview, clock
        self._lock = Lock()
        self._made_s = float("-inf")
        self._source: Image | None = None
        self._jpeg = b""

    def __repr__(self) -> str:
        return f"<LiveView, {len(self._jpeg)} bytes>"

    def jpeg(self) -> bytes | None:
        """Return a JPEG of the tray, or None while the tray's position is unknown, so that the room is never shown."""
        with self._lock:
            latest, zones = self._preview.latest, self._preview.zones_in_view
            if latest is None or not zones:
                self._source, self._jpeg = None, b""
                return None
            if not self._jpeg or (latest is not self._source and self._is_due):
                height, width = latest.shape[:2]
                self._source, self._made_s = latest, self._clock()
                self._jpeg = encode_jpeg(tray_cut(width, height, zones[:1]).of(latest))
            return self._jpeg

    @property
    def _is_due(self) -> bool:
        return self._clock() - self._made_s >= MIN_PERIOD_S
