"""Whether a camera lives: its pictures are new, and show something."""

import cv2
import numpy as np

from device.cameras.base import CameraError, Frame, Image
from game.message import Message

STALE_S = 2.5
"""A camera that hangs shows its last picture for ever."""

DARK_S = 2.5
"""Somebody may lean over the tray for so long."""

FLAT = 1.5
"""Grey levels: a picture that varies less is black, or the one green of an empty buffer.

Noise and the darkest tray, as an eye can see it, vary by 3 or more.
"""


class Liveness:
    """Looks at each preview; raises where the camera only seems to work.

    >>> pulse = Liveness()
    >>> pulse.feel(camera.preview(), monotonic())
    """

    def __init__(self) -> None:
        self._dark_since_s: float | None = None

    def feel(self, frame: Frame, now_s: float) -> None:
        """Take the next frame.

        Raises:
            CameraError: its pictures are old, or have shown nothing for a while.
        """
        if now_s - frame.time_s > STALE_S:
            raise CameraError(Message("the camera hangs: check its cable; it is opened again"))
        if shows_something(frame.image):
            self._dark_since_s = None
        elif self._dark_since_s is None:
            self._dark_since_s = frame.time_s
        elif frame.time_s - self._dark_since_s > DARK_S:
            raise dark()


def dark() -> CameraError:
    """What is said of a camera whose pictures are black."""
    return CameraError(
        Message(
            "its pictures are black: switch the light on, take the cap off the lens, check the "
            "cable"
        )
    )


def shows_something(image: Image) -> bool:
    """Whether there is anything in the picture at all."""
    grey = cv2.cvtColor(image[::4, ::4], cv2.COLOR_BGR2GRAY)
    return bool(np.std(grey) > FLAT)
