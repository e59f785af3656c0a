"""Exposure and white balance of a USB camera: let them settle, hold them, read back what came of it.

Drivers differ: some take no value, some take it and do something else. What counts is the picture:
held, it must be about as bright as the camera itself made it, else the camera goes on by itself.
"""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Protocol

import cv2

from device.cameras.controls import EXPOSURE_US, GAIN, WHITE_K, HeldLight

log = logging.getLogger(__name__)

UNIT_US = 100
"""V4L2 counts exposures in these."""

AUTO, MANUAL = 3.0, 1.0
"""V4L2's "aperture priority", the automatic exposure of USB cameras, and its "manual"."""

SETTLE_FRAMES, SETTLE_S = 45, 3.0
"""Whichever is over first: in dim light some cameras give 5 frames a second."""

TAKE_UP_FRAMES = 6
ALIKE = 1.35
"""Times as bright, or as dark, that a held picture may be."""

MOST_HALVES = 3
"""At 30 frames a second three half periods of the mains fit into one frame."""

TRIES = 4


class Knobs(Protocol):
    """The part of `cv2.VideoCapture` that sets things."""

    def get(self, prop: int, /) -> float: ...

    def set(self, prop: int, value: float, /) -> bool: ...


def settle(
    device: Knobs,
    brightness: Callable[[], float],
    half_period_us: int,
    clock: Callable[[], float] = monotonic,
) -> HeldLight | None:
    """Let the camera find its exposure, and hold it; None where it cannot be held.

    `brightness` takes the next frame and gives its mean.
    """
    device.set(cv2.CAP_PROP_AUTO_EXPOSURE, AUTO)
    device.set(cv2.CAP_PROP_AUTO_WB, 1)
    device.set(cv2.CAP_PROP_AUTOFOCUS, 1)
    wanted, end_s = brightness(), clock() + SETTLE_S
    for _ in range(SETTLE_FRAMES):
        if clock() >= end_s:
            break
        wanted = brightness()
    device.set(cv2.CAP_PROP_AUTOFOCUS, 0)
    exposure_us = _held_exposure_us(device, brightness, half_period_us, wanted)
    if exposure_us is None:
        device.set(cv2.CAP_PROP_AUTO_EXPOSURE, AUTO)
        return None
    gain = _told(device, cv2.CAP_PROP_GAIN, GAIN) or 0.0
    return HeldLight(exposure_us, gain, white_k=_held_white_k(device))


def hold(device: Knobs, light: HeldLight) -> None:
    """Set what was found before."""
    device.set(cv2.CAP_PROP_AUTOFOCUS, 0)
    device.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL)
    device.set(cv2.CAP_PROP_EXPOSURE, light.exposure_us / UNIT_US)
    device.set(cv2.CAP_PROP_GAIN, light.gain)
    if light.white_k is not None:
        device.set(cv2.CAP_PROP_AUTO_WB, 0)
        device.set(cv2.CAP_PROP_WB_TEMPERATURE, light.white_k)
    if (came_us := round(device.get(cv2.CAP_PROP_EXPOSURE) * UNIT_US)) != light.exposure_us:
        log.warning("exposure of %d µs asked for, the camera took %d", light.exposure_us, came_us)


def _held_exposure_us(
    device: Knobs, brightness: Callable[[], float], half_period_us: int, wanted: float
) -> int | None:
    """The number of half periods that makes the picture as bright as it was."""
    if not device.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL):
        return None
    halves = _in_range(device.get(cv2.CAP_PROP_EXPOSURE) * UNIT_US / half_period_us)
    for _ in range(TRIES):
        asked = round(halves * half_period_us / UNIT_US)
        if not device.set(cv2.CAP_PROP_EXPOSURE, asked):
            return None
        ratio = [brightness() for _ in range(TAKE_UP_FRAMES)][-1] / max(wanted, 1.0)
        if 1 / ALIKE < ratio < ALIKE:
            took_us = _told(device, cv2.CAP_PROP_EXPOSURE, EXPOSURE_US, UNIT_US)
            return round(took_us or asked * UNIT_US)
        halves = _in_range(halves / max(ratio, 0.01))
    return None


def _in_range(halves: float) -> int:
    return min(MOST_HALVES, max(1, round(halves)))


def _held_white_k(device: Knobs) -> int | None:
    kelvin = _told(device, cv2.CAP_PROP_WB_TEMPERATURE, WHITE_K)
    if not device.set(cv2.CAP_PROP_AUTO_WB, 0) or kelvin is None:
        return None
    device.set(cv2.CAP_PROP_WB_TEMPERATURE, kelvin)
    took = _told(device, cv2.CAP_PROP_WB_TEMPERATURE, WHITE_K)
    return None if took is None else round(took)


def _told(device: Knobs, prop: int, allowed: tuple[float, float], unit: float = 1) -> float | None:
    """What the driver says of a control; None where it has none, of which OpenCV says -1."""
    value = device.get(prop) * unit
    return value if allowed[0] <= value <= allowed[1] else None
