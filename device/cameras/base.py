"""The small protocol that every camera follows, real or simulated."""

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from game.errors import TraykeeperError
from game.message import Message
from vision.reading import Quad

Image = npt.NDArray[np.uint8]

SIMULATED_CAMERA = "simulated tray"
"""The name of the camera that there is where none is."""


class CameraError(TraykeeperError, OSError):
    """The camera is missing, hung or unplugged. The message names the remedy."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture and the moment when its exposure began.

    `image` is (height, width, 3) uint8 BGR, read-only; `time_s` is on `time.monotonic`.
    """

    image: Image
    time_s: float


class Camera(Protocol):
    """Looks down on the tray. One thread owns it."""

    @property
    def name(self) -> str:
        """What a person would call it: "simulated tray", "Camera Module 3"."""

    @property
    def tray(self) -> Quad | None:
        """The floor of the tray in the pictures of `capture`, where it is known."""

    @property
    def aside(self) -> Quad | None:
        """The zone beside the tray where set-aside dice lie, where there is one."""

    def preview(self) -> Frame:
        """A small, cheap picture (about 320 px wide) for watching motion; may be a little old."""

    def capture(self) -> Frame:
        """A full picture exposed *after* this call.

        Raises:
            CameraError: no picture came within two seconds.
        """

    def close(self) -> None:
        """Give the hardware back. Closing twice is fine."""


def open_no_camera() -> Camera:
    """Opens none: phones take the pictures."""
    raise CameraError(Message("phones take the pictures"))


PREVIEW_WIDTH_PX = 320


def read_only(image: Image) -> Image:
    """The same picture, read-only from now on."""
    image.flags.writeable = False
    return image


def to_preview(image: Image) -> Image:
    """A copy 320 px wide, for watching."""
    height, width = image.shape[:2]
    size = (PREVIEW_WIDTH_PX, max(1, round(height * PREVIEW_WIDTH_PX / width)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
