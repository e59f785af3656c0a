"""Exposure and white balance of a USB camera: found once, then held if the driver allows it.

Drivers differ: some refuse a value, others accept it and do something else. Therefore the image
decides: with a held exposure it must be about as bright as the camera made it, otherwise the camera
keeps its automatic exposure.
"""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Protocol

import cv2

from device.cameras.controls import EXPOSURE_US, GAIN, WHITE_K, HeldLight

log = logging.getLogger(__name__)

UNIT_US = 100
"""V4L2's unit of exposure time, in microseconds."""

AUTO, MANUAL = 3.0, 1.0
"""V4L2's "aperture priority", the automatic exposure of USB cameras, and its "manual"."""

SETTLE_FRAMES, SETTLE_S = 45, 3.0
"""Whichever ends first: in dim light some cameras deliver 5 frames a second."""

APPLY_FRAMES = 6
MAX_BRIGHTNESS_RATIO = 1.35
"""How much brighter or darker an image with held exposure may be."""

MAX_HALF_PERIODS = 3
"""At 30 frames a second three half periods of the mains fit into one frame."""

TRIES = 4


class VideoControls(Protocol):
    """The part of `cv2.VideoCapture` that reads and sets controls."""

    def get(self, prop: int, /) -> float:
        """Return the value of a control; -1 if there is no such control."""

    def set(self, prop: int, value: float, /) -> bool:
        """Set a control; return False if the driver refuses.

        Args:
            prop: One of OpenCV's CAP_PROP constants.
            value: The value.
        """


def settle(
    device: VideoControls,
    brightness: Callable[[], float],
    half_period_us: int,
    clock: Callable[[], float] = monotonic,
) -> HeldLight | None:
    """Let the camera find its exposure, then hold it.

    Args:
        device: The camera.
        brightness: Returns the mean of the next frame, in grey levels.
        half_period_us: Half a period of the mains in microseconds.
        clock: Seconds that never run backwards.

    Returns:
        What the camera holds; None if it cannot hold its exposure.
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
    gain = _control(device, cv2.CAP_PROP_GAIN, GAIN) or 0.0
    return HeldLight(exposure_us, gain, white_k=_held_white_k(device))


def hold(device: VideoControls, light: HeldLight) -> None:
    """Hold an exposure that was found earlier.

    Args:
        device: The camera.
        light: The exposure and white balance.
    """
    device.set(cv2.CAP_PROP_AUTOFOCUS, 0)
    device.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL)
    device.set(cv2.CAP_PROP_EXPOSURE, light.exposure_us / UNIT_US)
    device.set(cv2.CAP_PROP_GAIN, light.gain)
    if light.white_k is not None:
        device.set(cv2.CAP_PROP_AUTO_WB, 0)
        device.set(cv2.CAP_PROP_WB_TEMPERATURE, light.white_k)
    if (came_us := round(device.get(cv2.CAP_PROP_EXPOSURE) * UNIT_US)) != light.exposure_us:
        log.warning(
            "requested an exposure of %d µs, the camera uses %d", light.exposure_us, came_us
        )


def _held_exposure_us(
    device: VideoControls, brightness: Callable[[], float], half_period_us: int, wanted: float
) -> int | None:
    """Return the exposure in half periods that makes the image as bright as it was; None if none does."""
    if not device.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL):
        return None
    halves = _in_range(device.get(cv2.CAP_PROP_EXPOSURE) * UNIT_US / half_period_us)
    for _ in range(TRIES):
        asked = round(halves * half_period_us / UNIT_US)
        if not device.set(cv2.CAP_PROP_EXPOSURE, asked):
            return None
        ratio = [brightness() for _ in range(APPLY_FRAMES)][-1] / max(wanted, 1.0)
        if 1 / MAX_BRIGHTNESS_RATIO < ratio < MAX_BRIGHTNESS_RATIO:
            took_us = _control(device, cv2.CAP_PROP_EXPOSURE, EXPOSURE_US, UNIT_US)
            return round(took_us or asked * UNIT_US)
        halves = _in_range(halves / max(ratio, 0.01))
    return None


def _in_range(halves: float) -> int:
    return min(MAX_HALF_PERIODS, max(1, round(halves)))


def _held_white_k(device: VideoControls) -> int | None:
    kelvin = _control(device, cv2.CAP_PROP_WB_TEMPERATURE, WHITE_K)
    if not device.set(cv2.CAP_PROP_AUTO_WB, 0) or kelvin is None:
        return None
    device.set(cv2.CAP_PROP_WB_TEMPERATURE, kelvin)
    took = _control(device, cv2.CAP_PROP_WB_TEMPERATURE, WHITE_K)
    return None if took is None else round(took)


def _control(
    device: VideoControls, prop: int, allowed: tuple[float, float], unit: float = 1
) -> float | None:
    """Return the value of a control; None if it is outside the range, as OpenCV's -1 for a missing one."""
    value = device.get(prop) * unit
    return value if allowed[0] <= value <= allowed[1] else None
