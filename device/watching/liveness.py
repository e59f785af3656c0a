"""Checks that a camera really works: that its images are new, not black, and decoded in time."""

from device.cameras.base import CameraError, Frame, has_content
from game.message import Message

STALE_S = 3.5
"""Largest age of a repeated preview in seconds. A camera that hangs repeats its last image.

It is longer than each camera waits for a picture, because a camera knows better why there is none."""

BLACK_S = 2.5
"""How long all previews may be black, in seconds, before that is an error: somebody may be leaning over the tray."""

OLD_S = 0.5
"""Largest age of a new preview in seconds. With older ones, a reading is noticeably late."""

SLOW_S = 5.0
"""How long all new previews must be older than `OLD_S`, in seconds, before the machine counts as too slow."""


class Liveness:
    """A check that the previews of a camera are new and not black.

    >>> liveness = Liveness()
    >>> liveness.check(camera.preview(), monotonic())

    Attributes:
        is_slow: Whether every new preview of the last seconds was old when it had been decoded.
    """

    def __init__(self) -> None:
        self.is_slow = False
        self._last_s = self._old_since_s = self._black_since_s = float("inf")

    def check(self, frame: Frame, now_s: float) -> None:
        """Check the next frame.

        Args:
            frame: The newest preview.
            now_s: The current time, in seconds on the frame's clock.

        Raises:
            CameraError: If the frame was repeated for too long, or all frames have been black for `BLACK_S` seconds.
        """
        age_s = now_s - frame.time_s
        if frame.time_s == self._last_s:
            if age_s > STALE_S:
                raise CameraError(
                    Message("the camera is not responding: Traykeeper will reopen it")
                )
            return
        self._last_s = frame.time_s
        self._old_since_s = min(self._old_since_s, now_s) if age_s > OLD_S else float("inf")
        self.is_slow = now_s - self._old_since_s > SLOW_S
        if has_content(frame.image):
            self._black_since_s = float("inf")
        self._black_since_s = min(self._black_since_s, frame.time_s)
        if frame.time_s - self._black_since_s > BLACK_S:
            raise black_image_error()


def black_image_error() -> CameraError:
    """Return the error for a camera whose images are black."""
    return CameraError(
        Message(
            "its pictures are black: turn on the light, take the cap off the lens, and check "
            "the cable"
        )
    )
