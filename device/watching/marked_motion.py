"""Tracks motion over the tray since the last accepted reading."""

from collections.abc import Callable
from threading import Lock

from device.cameras.base import Frame
from device.watching.motion import Activity, MotionWatch

MAX_GAP_S = 0.25
"""If two frames are further apart than this, in seconds, a short throw between them could go unseen."""


class MarkedMotion:
    """Motion over the tray since a mark, a point in time that is set when a reading is accepted.

    The camera's thread passes in the frames; any thread may set the mark or ask about motion.

    Args:
        clock: Monotonic clock in seconds, the same as that of the frames.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = Lock()
        self._motion: MotionWatch | None = None
        self._marked_s: float | None = None
        self._gap_s = self._seen_s = self._moved_s = 0.0

    def begin(self, motion: MotionWatch) -> None:
        """Start watching with a new motion detector; the time until now counts as not watched."""
        with self._lock:
            self._motion = motion
            self._gap_s = self._seen_s = self._moved_s = self._clock()

    def end(self) -> None:
        """Stop watching and remove the mark, because the camera is gone."""
        with self._lock:
            self._motion = self._marked_s = None

    def feed(self, motion: MotionWatch, frame: Frame) -> Activity:
        """Process the next preview, and return what moves in it.

        Args:
            motion: The detector that was passed to `begin`.
            frame: The next preview, which must be newer than the previous one.
        """
        activity = motion.feed(frame)
        with self._lock:
            if activity.still_s == 0:
                self._moved_s = frame.time_s
                if frame.time_s - self._seen_s > MAX_GAP_S:
                    self._gap_s = frame.time_s
            self._seen_s = frame.time_s
        return activity

    def mark(self, time_s: float | None) -> None:
        """Set the mark to a time in seconds; None means now."""
        with self._lock:
            self._marked_s = self._clock() if time_s is None else time_s

    def distrust(self) -> None:
        """Treat the time until now as not watched, so that unseen throws are possible."""
        with self._lock:
            self._gap_s = self._clock()

    @property
    def marked_s(self) -> float:
        """When the last reading was accepted, in seconds; 0 if none has been accepted."""
        with self._lock:
            return self._marked_s or 0.0

    @property
    def has_tumbled(self) -> bool | None:
        """Whether dice have tumbled since the mark; None if the tray was not watched throughout."""
        with self._lock:
            if self._motion is None or self._marked_s is None:
                return None
            tumbled = self._motion.tumbled_since(self._marked_s)
            return None if tumbled is False and self._gap_s > self._marked_s else tumbled

    def surely_tumbled_since(self, time_s: float) -> bool:
        """Return whether dice were certainly seen tumbling after this time in seconds."""
        with self._lock:
            return self._motion is not None and self._motion.tumbled_since(time_s) is True

    def has_moved_since(self, time_s: float) -> bool:
        """Return whether anything moved after this time in seconds."""
        with self._lock:
            return self._moved_s > time_s
