"""How a camera is set: what it is told when it is opened, and what it holds from then on."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import cv2
import numpy as np

from device.cameras.base import Camera, Image
from device.hardware.choices import Mains, Rotation

WIDTH_PX = 2304
"""A die of 16 mm is 95 px wide from 30 cm: more only costs time."""

HALF_PERIOD_US = {50: 10_000, 60: 8_333}
"""Lamps on the mains flicker twice a period: exposures of a multiple of this see none of it."""

EXPOSURE_US, GAIN, WHITE_K = (1, 10_000_000), (0, 2**31 - 1), (1_000, 30_000)
"""From and to what a camera can be held; what a driver says beyond it is no such thing."""

_TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


@dataclass(frozen=True, slots=True)
class HeldLight:
    """Exposure and white balance, as they are held.

    Attributes:
        exposure_us: exposure time.
        gain: analogue gain; a USB camera's in its own unit.
        red, blue: gains of these colours against green; None where the camera has no such thing.
        white_k: colour temperature, where a USB camera balances by that.
    """

    exposure_us: int
    gain: float
    red: float | None = None
    blue: float | None = None
    white_k: int | None = None


@dataclass(frozen=True, slots=True)
class Tuning:
    """What calibration found out about a camera over its tray.

    Attributes:
        rotation: by how many degrees clockwise its pictures are turned.
        mains_hz: 50 or 60.
        focus_dpt: the lens position in dioptres, 1 / metres; None looks for it at opening.
        width_px: how wide the pictures are at most.
        light: None lets exposure and white balance settle at opening, and holds them then.
    """

    rotation: Rotation = 0
    mains_hz: Mains = 50
    focus_dpt: float | None = None
    light: HeldLight | None = None
    width_px: int = WIDTH_PX

    @property
    def half_period_us(self) -> int:
        return HALF_PERIOD_US[self.mains_hz]


@runtime_checkable
class Tunable(Camera, Protocol):
    """A camera that has a lens and an exposure to set."""

    @property
    def tuning(self) -> Tuning:
        """What it holds now: kept in the profile, it opens the same way again."""

    def relock_exposure(self) -> None:
        """The light has changed: let exposure and white balance settle again, and hold them.

        Raises:
            CameraError: no pictures came meanwhile.
        """

    def refocus(self) -> float | None:
        """Look for the sharpest lens position, hold it, and give it; None with a fixed lens."""


def rotated(image: Image, rotation: Rotation) -> Image:
    """The picture turned clockwise."""
    if rotation == 0:
        return image
    return np.asarray(cv2.rotate(image, _TURNS[rotation]), np.uint8)


def flicker_free(
    exposure_us: float,
    gain: float,
    *,
    half_period_us: int,
    longest_us: float,
    least_gain: float = 1.0,
    most_gain: float = 16.0,
) -> tuple[int, float]:
    """The exposure nearest to this one that sees no flicker, and the gain that makes up for it.

    Light so bright that half a period would be too much keeps its short exposure.

    >>> flicker_free(14_000, 2.0, half_period_us=10_000, longest_us=33_000)
    (10000, 2.8)
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
