"""The settings of a real camera: rotation, focus, exposure and white balance."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import cv2
import numpy as np

from device.cameras.base import Camera, Image
from device.hardware.choices import Mains, Rotation
from game.message import Message

WIDTH_PX = 2304
"""Largest useful width of a full frame. From 30 cm, a die of 16 mm is 95 px wide; more pixels only cost time."""

HALF_PERIOD_US = {50: 10_000, 60: 8_333}
"""Half a period of the mains in microseconds, by the frequency of the mains in hertz.

Lamps flicker twice in each period, so an exposure of a multiple of this shows no flicker."""

EXPOSURE_US, GAIN, WHITE_K = (1, 10_000_000), (0, 2**31 - 1), (1_000, 30_000)
FOCUS_STEPS = (0, 2**31 - 1)
"""Ranges of exposure time, gain, colour temperature and focus.

A driver that reports a value outside the range does not have the control."""

_ROTATIONS = {
    90: cv2.ROTATE_90_CLOCKWISE,
    180: cv2.ROTATE_180,
    270: cv2.ROTATE_90_COUNTERCLOCKWISE,
}


@dataclass(frozen=True, slots=True)
class HeldLight:
    """The fixed exposure and white balance of a camera, as opposed to automatic ones.

    Attributes:
        exposure_us: Exposure time in microseconds.
        gain: Analogue gain; for a USB camera, in that camera's own unit.
        red: Gain of red relative to green; None if the camera has no such control.
        blue: Gain of blue relative to green; None if the camera has no such control.
        white_k: Colour temperature in kelvin, for USB cameras whose white balance is set by it;
            otherwise None.
    """

    exposure_us: int
    gain: float
    red: float | None = None
    blue: float | None = None
    white_k: int | None = None


@dataclass(frozen=True, slots=True)
class Tuning:
    """The settings of a camera over its tray.

    Attributes:
        rotation: Degrees by which the camera's images are rotated clockwise.
        mains_hz: Frequency of the mains in hertz, 50 or 60.
        focus_dpt: Position of the lens in dioptres (1 / metres); None lets the camera focus when it
            is opened.
        focus_steps: Position of the lens of a USB camera, in the unit of its driver; None lets the
            camera focus when it is opened.
        light: Fixed exposure and white balance; None lets the camera find them when it is opened,
            and then fixes them.
        width_px: Largest width of a full frame.
    """

    rotation: Rotation = 0
    mains_hz: Mains = 50
    focus_dpt: float | None = None
    light: HeldLight | None = None
    width_px: int = WIDTH_PX
    focus_steps: int | None = None

    @property
    def half_period_us(self) -> int:
        """Half a period of the mains in microseconds."""
        return HALF_PERIOD_US[self.mains_hz]


@runtime_checkable
class Tunable(Camera, Protocol):
    """A camera whose focus and exposure can be set."""

    @property
    def tuning(self) -> Tuning:
        """The current settings. A camera that is opened with them behaves the same."""

    def relock_exposure(self) -> None:
        """Let exposure and white balance adapt to changed light, then fix them again.

        Raises:
            CameraError: If no frames arrived while the camera was adapting.
        """

    def refocus(self) -> float | None:
        """Find the sharpest position of the lens and fix the lens there.

        Returns:
            The position in dioptres; None if it is not known.
        """


def complaint_of(camera: object) -> Message | None:
    """Return a message naming the settings that a camera did not accept, or None if it accepted them all."""
    complaint = getattr(camera, "complaint", None)
    return complaint if isinstance(complaint, Message) else None


def rotated(image: Image, rotation: Rotation) -> Image:
    """Rotate an image clockwise.

    Args:
        image: (height, width, 3) BGR.
        rotation: 0, 90, 180 or 270 degrees.
    """
    if rotation == 0:
        return image
    return np.asarray(cv2.rotate(image, _ROTATIONS[rotation]), np.uint8)


def flicker_free(
    exposure_us: float,
    gain: float,
    *,
    half_period_us: int,
    longest_us: float,
    least_gain: float = 1.0,
    most_gain: float = 16.0,
) -> tuple[int, float]:
    """Return the nearest exposure time that shows no flicker, and the gain that keeps the brightness.

    If half a period of the mains is too long in bright light, the exposure time stays shorter.

    >>> flicker_free(14_000, 2.0, half_period_us=10_000, longest_us=33_000)
    (10000, 2.8)

    Args:
        exposure_us: The exposure time in microseconds that gives the right brightness.
        gain: The gain that gives the right brightness with that exposure time.
        half_period_us: Half a period of the mains in microseconds.
        longest_us: The longest possible exposure in microseconds.
        least_gain: The smallest possible gain.
        most_gain: The largest possible gain.
    """
    amount = exposure_us * gain
    most = max(1, int(longest_us // half_period_us))
    halves = min(most, max(1, round(exposure_us / half_period_us)))
    while halves > 1 and amount / (halves * half_period_us) < least_gain:
        halves -= 1
    held_us = halves * half_period_us
    if amount / held_us < least_gain:
        return round(amount / least_gain), least_gain
    return held_us, min(most_gain, amount / held_us)
