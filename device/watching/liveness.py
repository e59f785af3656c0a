"""Checks that a camera really works: that its images are new and not black."""

from device.cameras.base import CameraError, Frame, has_content
from game.message import Message

STALE_S = 2.5
"""Largest age of a preview in seconds. A camera that hangs repeats its last image."""

BLACK_S = 2.5
"""How long all previews may be black, in seconds, before that is an error: somebody may be leaning over the tray."""


class Liveness:
    """A check that the previews of a camera are new and not black.

    >>> liveness = Liveness()
    >>> liveness.check(camera.preview(), monotonic())
    """

    def __init__(self) -> None:
        self._black_since_s: float | None = None

    def check(self, frame: Frame, now_s: float) -> None:
        """Check the next frame.

        Args:
            frame: The newest preview.
            now_s: The current time, in seconds on the frame's clock.

        Raises:
            CameraError: If the frame is too old, or all frames have been black for `BLACK_S` seconds.
        """
        if now_s - frame.time_s > STALE_S:
            raise CameraError(
                Message("the camera is not responding: check its cable; Traykeeper will reopen it")
            )
        if has_content(frame.image):
            self._black_since_s = None
        elif self._black_since_s is None:
            self._black_since_s = frame.time_s
        elif frame.time_s - self._black_since_s > BLACK_S:
            raise black_image_error()


def black_image_error() -> CameraError:
    """Return the error for a camera whose images are black."""
    return CameraError(
        Message(
            "its pictures are black: turn on the light, take the cap off the lens, and check "
            "the cable"
        )
    )
