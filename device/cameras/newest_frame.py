"""The newest frame from a camera whose frames are read on a separate thread."""

import time
from collections.abc import Callable
from threading import Condition

from device.cameras.base import CameraError, Frame, Image, read_only
from game.message import Message


class NewestFrame:
    """The newest frame from a camera; older frames are dropped. One thread adds frames; others wait for them.

    Args:
        no_pictures: The error message if no frame arrives.
        clock: Monotonic clock in seconds, which gives frames their time.

    Attributes:
        arrival: Notified when a frame has arrived, or when no more frames will arrive.
        is_closed: Whether the camera is being closed.
    """

    def __init__(self, no_pictures: Message, clock: Callable[[], float] = time.monotonic) -> None:
        self.arrival = Condition()
        self.is_closed = False
        self._no_pictures, self._clock = no_pictures, clock
        self._frame: Frame | None = None
        self._count = 0
        self._error: Message | None = None

    @property
    def image(self) -> Image | None:
        """The image of the newest frame; None before the first frame."""
        return self._frame.image if self._frame else None

    def put(self, image: Image) -> None:
        """Make this image the newest frame, and stamp it with the current time."""
        with self.arrival:
            self._frame = Frame(read_only(image), self._clock())
            self._count += 1
            self._error = None
            self.arrival.notify_all()

    def fail(self, error: Message | None = None) -> None:
        """Raise an error in all threads that are waiting for a frame.

        Args:
            error: Why there are no more frames; None means the message `no_pictures`.
        """
        with self.arrival:
            self._error = error or self._no_pictures
            self.arrival.notify_all()

    def close(self) -> None:
        """Raise an error in all threads that are waiting for a frame, because the camera is being closed."""
        with self.arrival:
            self.is_closed = True
            self.arrival.notify_all()

    def recent(self, timeout_s: float) -> Frame:
        """Return the newest frame if it is younger than the timeout; otherwise wait for a new one.

        Raises:
            CameraError: If no frame arrived in time.
        """
        earliest_s = self._clock() - timeout_s
        return self._wait(lambda frame: frame.time_s >= earliest_s, timeout_s)

    def after(self, frames: int, timeout_s: float, lag_s: float = 0.0) -> Frame:
        """Wait for a frame that arrives after this call, and return it.

        Args:
            frames: How many frames to let pass first.
            timeout_s: Longest time to wait, in seconds.
            lag_s: Shortest time between this call and the arrival of the frame, in seconds.

        Raises:
            CameraError: If no such frame arrived in time.
        """
        count, earliest_s = self._count + frames, self._clock() + lag_s

        return self._wait(
            lambda frame: self._count > count and frame.time_s >= earliest_s, timeout_s
        )

    def _wait(self, suits: Callable[[Frame], bool], timeout_s: float) -> Frame:
        """Wait until `suits` accepts the newest frame, and return that frame.

        Raises:
            CameraError: If that does not happen within `timeout_s` seconds.
        """

        def is_over() -> bool:
            if self._error is not None or self.is_closed:
                return True
            return self._frame is not None and suits(self._frame)

        with self.arrival:
            came = self.arrival.wait_for(is_over, timeout_s)
            if self._error is not None or not came or self.is_closed or self._frame is None:
                raise CameraError(self._error or self._no_pictures)
            return self._frame
