"""The newest frame of a camera whose frames a thread of its own reads."""

import time
from collections.abc import Callable
from threading import Condition

from device.cameras.base import CameraError, Frame, Image, read_only
from game.message import Message


class NewestFrame:
    """The newest frame of a camera; older ones are dropped. One thread puts frames, others wait for them.

    Args:
        no_pictures: What to say if no frame comes.
        clock: Seconds on the frames' clock.

    Attributes:
        arrival: Notified when a frame has come, or none will come any more.
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
        """The newest image; None before the first."""
        return self._frame.image if self._frame else None

    def put(self, image: Image) -> None:
        """Replace the newest frame by this image."""
        with self.arrival:
            self._frame = Frame(read_only(image), self._clock())
            self._count += 1
            self._error = None
            self.arrival.notify_all()

    def fail(self, error: Message | None = None) -> None:
        """Let everybody who waits fail.

        Args:
            error: Why there are no more frames; None means that none come.
        """
        with self.arrival:
            self._error = error or self._no_pictures
            self.arrival.notify_all()

    def close(self) -> None:
        """Let everybody who waits fail, because the camera is being closed."""
        with self.arrival:
            self.is_closed = True
            self.arrival.notify_all()

    def recent(self, timeout_s: float) -> Frame:
        """Return the newest frame without waiting, if it is younger than the timeout; else wait for one.

        Raises:
            CameraError: If no frame came.
        """
        earliest_s = self._clock() - timeout_s
        return self._wait(lambda frame: frame.time_s >= earliest_s, timeout_s)

    def after(self, frames: int, timeout_s: float, lag_s: float = 0.0) -> Frame:
        """Wait for a frame that comes later.

        Args:
            frames: How many frames to let pass first.
            timeout_s: How long to wait, in seconds.
            lag_s: How much later it must come, in seconds.

        Raises:
            CameraError: If no frame came.
        """
        count, earliest_s = self._count + frames, self._clock() + lag_s

        return self._wait(
            lambda frame: self._count > count and frame.time_s >= earliest_s, timeout_s
        )

    def _wait(self, suits: Callable[[Frame], bool], timeout_s: float) -> Frame:
        """Return the newest frame as soon as it suits."""

        def is_over() -> bool:
            if self._error is not None or self.is_closed:
                return True
            return self._frame is not None and suits(self._frame)

        with self.arrival:
            came = self.arrival.wait_for(is_over, timeout_s)
            if self._error is not None or not came or self.is_closed or self._frame is None:
                raise CameraError(self._error or self._no_pictures)
            return self._frame
