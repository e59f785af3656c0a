"""The protocol of every camera, real or simulated."""

from dataclasses import dataclass, replace
from threading import Thread
from typing import NamedTuple, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from device.hardware.choices import NETWORK
from game.errors import TraykeeperError
from game.message import Message
from vision.reading import Quad

Image = npt.NDArray[np.uint8]

SIMULATED_CAMERA = "simulated tray"
"""The name of the simulated camera."""

PREVIEW_WIDTH_PX = 320

SLOWER = ((1280, 720, 15), (640, 480, 10))
"""The sizes and rates to try if a machine is too slow for the pictures of its camera, best first.

With 640 pixels, dice of 16 mm in a tray of 25 cm are 40 pixels wide, which is just enough."""

MIN_DEVIATION = 1.5
"""Smallest standard deviation of an image with content, in grey levels.

An image that varies less is black, or has the uniform green of an empty buffer. Noise and the darkest
tray that a person can see vary by 3 or more.
"""


class CameraError(TraykeeperError, OSError):
    """The camera is missing, unplugged or no longer responding; the message says what to do."""


class LoginRefusedError(CameraError):
    """A camera refuses the user or the password. Many cameras lock the address after a few such requests."""


class CameraStuckError(CameraError):
    """A camera hangs and its driver does not release it, so this process cannot open it again.

    Args:
        closing: The thread that is waiting for the driver to release the camera.
    """

    def __init__(self, closing: Thread) -> None:
        self._closing = closing
        super().__init__(
            Message(
                "the camera is not responding and cannot be closed: check its cable, then "
                "restart Traykeeper"
            )
        )

    @property
    def is_over(self) -> bool:
        """Whether the driver has released the camera after all."""
        return not self._closing.is_alive()


@dataclass(frozen=True, slots=True)
class Frame:
    """One image from a camera.

    Attributes:
        image: (height, width, 3) uint8 BGR, read-only.
        time_s: When the image arrived or, if the camera tells it, when its exposure began, in seconds on the clock
            of `time.monotonic`.
        lag_s: Longest time by which the exposure may have begun before `time_s`, in seconds.
    """

    image: Image
    time_s: float
    lag_s: float = 0.0

    def was_taken_after(self, time_s: float) -> bool:
        """Return whether the exposure of this frame certainly began after a time in seconds."""
        return self.time_s - self.lag_s >= time_s

    def preview(self) -> "Frame":
        """Return this frame, scaled down to a width of `PREVIEW_WIDTH_PX`."""
        return replace(self, image=read_only(scaled(self.image, PREVIEW_WIDTH_PX)))


class Camera(Protocol):
    """A camera that looks down on the tray. Only the thread that owns the camera may call its methods."""

    @property
    def name(self) -> str:
        """The name of the camera as people see it, such as "simulated tray" or "imx708"."""

    @property
    def tray(self) -> Quad | None:
        """The corners of the tray's floor, in pixels of a frame from `capture`; None if they are not known."""

    @property
    def aside(self) -> Quad | None:
        """The corners of the set-aside area, in pixels of a frame from `capture`; None if there is no such area."""

    def preview(self) -> Frame:
        """Return a small frame, about 320 px wide, for detecting motion. It may be slightly old.

        Raises:
            CameraError: If no frame arrived within two seconds.
        """

    def capture(self) -> Frame:
        """Return a full frame that arrived after this call.

        If the frame has no `Frame.lag_s`, its exposure began after the call.

        Raises:
            CameraError: If no frame arrived within two seconds.
        """

    def close(self) -> None:
        """Release the hardware. Closing a camera twice does no harm.

        Raises:
            CameraStuckError: If the driver does not release it.
        """


class TrayZones(NamedTuple):
    """Where the tray is in the frames of a camera, in pixels of a full frame.

    Attributes:
        tray: Corners of the tray's floor; None if they are not known.
        aside: Corners of the set-aside area; None if there is no such area.
    """

    tray: Quad | None
    aside: Quad | None

    @property
    def known(self) -> tuple[Quad, ...]:
        """The zones that are known, the tray first."""
        return tuple(zone for zone in self if zone)


def zones_of(camera: Camera, _frame_px: tuple[int, int]) -> TrayZones:
    """Return where a camera that has not been calibrated sees its tray."""
    return TrayZones(camera.tray, camera.aside)


def too_slow(camera: str, width_px: int) -> Message:
    """Return the message for a machine that cannot decode the pictures of a camera in time.

    Args:
        camera: Name of the camera.
        width_px: Length of the longer side of its pictures, in pixels.
    """
    smaller = (each for each in SLOWER if each[0] < width_px)
    width, height, rate = next(smaller, SLOWER[-1])
    if not camera.startswith(NETWORK):
        return Message(
            "This machine is too slow for the camera's pictures, which are half a second old or more when they have "
            'been decoded: write `picture = "%(width)s"` in the settings.',
            width=str(width),
        )
    return Message(
        "This machine is too slow for the camera's pictures, which are half a second old or more when they have been "
        "decoded: set the camera to %(size)s and %(rate)s pictures a second.",
        size=f"{width}x{height}",
        rate=rate,
    )


def open_no_camera() -> Camera:
    """Raise `CameraError`. If phones take the pictures, this function takes the place of one that opens a camera."""
    raise CameraError(Message("phones take the photos"))


def read_only(image: Image) -> Image:
    """Make an image read-only, in place, and return it."""
    image.flags.writeable = False
    return image


def scaled(image: Image, width_px: int) -> Image:
    """Return a copy of an image at another size.

    Args:
        image: Image (height, width, 3).
        width_px: Width of the copy in pixels. Its height keeps the proportions.
    """
    height, width = image.shape[:2]
    size = (width_px, max(1, round(height * width_px / width)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def has_content(image: Image) -> bool:
    """Return whether an image shows anything at all, rather than being black or a single colour."""
    grey = cv2.cvtColor(image[::4, ::4], cv2.COLOR_BGR2GRAY)
    return bool(np.std(grey) > MIN_DEVIATION)
