"""Focus, exposure and white balance of a USB camera: found once, then fixed if the driver allows it.

Drivers differ: some refuse a value, others accept it and do something else. Therefore the image
decides: with a fixed exposure it must be about as bright as with the automatic one. If it is not, the
exposure stays automatic.
"""

import logging
from collections.abc import Callable
from time import monotonic
from typing import Protocol

import cv2

from device.cameras.controls import EXPOSURE_US, FOCUS_STEPS, GAIN, WHITE_K, HeldLight
from device.hardware.choices import Mains
from game.message import Message

log = logging.getLogger(__name__)

UNIT_US = 100
"""V4L2's unit of exposure time, in microseconds."""

AUTOMATIC, MANUAL = (3.0, 0.0), 1.0
"""V4L2's exposure modes: "aperture priority" and "auto", of which a USB camera usually has only one, and "manual"."""

SETTLE_FRAMES, SETTLE_S = 45, 3.0
"""How long to wait until the exposure settles, in frames or in seconds, whichever is over first.

In dim light, some cameras deliver 5 frames a second."""

APPLY_FRAMES = 6
MAX_BRIGHTNESS_RATIO = 1.35
"""Largest factor by which an image with fixed exposure may be brighter or darker than with automatic exposure."""

MAX_HALF_PERIODS = 3
"""Longest exposure in half periods of the mains: at 30 frames a second, three fit into one frame."""

TRIES = 4

MAX_ROUNDING = 0.05
"""Largest difference between a value and what a driver rounds it to, as a fraction of the value."""

POWER_LINE = 0x00980918
"""V4L2_CID_POWER_LINE_FREQUENCY, for which OpenCV has no constant."""

POWER_LINE_OF: dict[Mains, int] = {50: 1, 60: 2}
"""The values of the control `POWER_LINE`, by frequency in hertz."""

EXPOSURE, WHITE_BALANCE, FOCUS = Message("exposure"), Message("white balance"), Message("focus")
"""The names of the controls, as they appear in messages."""


class VideoControls(Protocol):
    """The part of `cv2.VideoCapture` that reads and sets controls."""

    def get(self, prop: int, /) -> float:
        """Return the value of a control; -1 if the device does not have it."""

    def set(self, prop: int, value: float, /) -> bool:
        """Set a control, and return whether the driver accepted it.

        Args:
            prop: One of OpenCV's CAP_PROP constants.
            value: The value, in the unit of the control.
        """


def settle(
    device: VideoControls,
    brightness: Callable[[], float],
    half_period_us: int,
    clock: Callable[[], float] = monotonic,
) -> HeldLight | None:
    """Let the camera find its exposure and white balance, then fix them.

    Args:
        device: The camera.
        brightness: Returns the mean brightness of the next frame, in grey levels.
        half_period_us: Half a period of the mains in microseconds.
        clock: Monotonic clock in seconds.

    Returns:
        The fixed exposure and white balance; None if the exposure cannot be fixed.
    """
    release_exposure(device)
    device.set(cv2.CAP_PROP_AUTO_WB, 1)
    wanted = wait_until_settled(brightness, clock)
    exposure_us = _held_exposure_us(device, brightness, half_period_us, wanted)
    if exposure_us is None:
        release_exposure(device)
        return None
    gain = _control(device, cv2.CAP_PROP_GAIN, GAIN) or 0.0
    return HeldLight(exposure_us, gain, white_k=_held_white_k(device))


def wait_until_settled(
    brightness: Callable[[], float], clock: Callable[[], float] = monotonic
) -> float:
    """Let frames pass while the camera finds focus and exposure, and return the brightness of the last frame.

    Args:
        brightness: Returns the mean brightness of the next frame, in grey levels.
        clock: Monotonic clock in seconds.
    """
    wanted, end_s = brightness(), clock() + SETTLE_S
    for _ in range(SETTLE_FRAMES):
        if clock() >= end_s:
            break
        wanted = brightness()
    return wanted


def hold(device: VideoControls, light: HeldLight) -> list[Message]:
    """Fix the exposure and white balance at values that were found earlier, and read them back.

    Args:
        device: The camera.
        light: The exposure and white balance.

    Returns:
        The names of the controls that the camera did not accept. Those of them that can be automatic
        are automatic again.
    """
    refused = []
    device.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL)
    if not _set(device, cv2.CAP_PROP_EXPOSURE, light.exposure_us / UNIT_US):
        release_exposure(device)
        refused.append(EXPOSURE)
    has_gain = _control(device, cv2.CAP_PROP_GAIN, GAIN) is not None
    if has_gain and not _set(device, cv2.CAP_PROP_GAIN, light.gain):
        refused.append(Message("gain"))
    if light.white_k is not None:
        device.set(cv2.CAP_PROP_AUTO_WB, 0)
        if not _set(device, cv2.CAP_PROP_WB_TEMPERATURE, light.white_k):
            device.set(cv2.CAP_PROP_AUTO_WB, 1)
            refused.append(WHITE_BALANCE)
    return refused


def release_exposure(device: VideoControls) -> bool:
    """Make the exposure automatic again, because a camera keeps a fixed one, even one set by another program.

    Returns:
        Whether the exposure is no longer fixed.
    """
    for mode in AUTOMATIC:
        device.set(cv2.CAP_PROP_AUTO_EXPOSURE, mode)
        if device.get(cv2.CAP_PROP_AUTO_EXPOSURE) != MANUAL:
            return True
    return False


def not_held(
    device: VideoControls, light: HeldLight | None, focus_steps: int | None
) -> list[Message]:
    """Return the names of the controls that a camera has but does not let be fixed.

    Args:
        device: The camera.
        light: What could be fixed of exposure and white balance.
        focus_steps: The fixed focus; None if it could not be fixed.
    """
    held = {
        EXPOSURE: (light, cv2.CAP_PROP_EXPOSURE, EXPOSURE_US, UNIT_US),
        WHITE_BALANCE: (light and light.white_k, cv2.CAP_PROP_WB_TEMPERATURE, WHITE_K, 1),
        FOCUS: (focus_steps is not None, cv2.CAP_PROP_FOCUS, FOCUS_STEPS, 1),
    }
    return [
        name
        for name, (is_held, prop, allowed, unit) in held.items()
        if not is_held and _control(device, prop, allowed, unit) is not None
    ]


def set_mains(device: VideoControls, mains_hz: Mains) -> list[Message]:
    """Set the frequency of the mains, so that automatic exposure shows no flicker.

    Args:
        device: The camera.
        mains_hz: The frequency in hertz.

    Returns:
        The name of the control if the camera has it but does not accept the frequency; otherwise
        nothing.
    """
    if device.get(POWER_LINE) < 0 or _set(device, POWER_LINE, POWER_LINE_OF[mains_hz]):
        return []
    return [Message("mains frequency")]


def start_autofocus(device: VideoControls) -> bool:
    """Switch the camera's autofocus on, and return whether the camera has one."""
    return device.set(cv2.CAP_PROP_AUTOFOCUS, 1)


def find_focus(device: VideoControls) -> int | None:
    """Fix the focus that the camera's autofocus has found.

    Returns:
        The focus in the camera's own unit; None if it has a fixed lens or does not let its focus be
        fixed.
    """
    if not device.set(cv2.CAP_PROP_AUTOFOCUS, 0):
        return None
    focus = _control(device, cv2.CAP_PROP_FOCUS, FOCUS_STEPS)
    if focus is None or not _set(device, cv2.CAP_PROP_FOCUS, focus):
        start_autofocus(device)
        return None
    return round(focus)


def hold_focus(device: VideoControls, focus_steps: int) -> list[Message]:
    """Fix the focus at a value that was found earlier, and read it back.

    Args:
        device: The camera.
        focus_steps: The focus in the camera's own unit.

    Returns:
        The name of the control if the camera does not accept the focus; otherwise nothing.
    """
    device.set(cv2.CAP_PROP_AUTOFOCUS, 0)
    if _set(device, cv2.CAP_PROP_FOCUS, focus_steps):
        return []
    start_autofocus(device)
    return [FOCUS]


def _set(device: VideoControls, prop: int, value: float) -> bool:
    """Set a control, and return whether the camera reports nearly the same value afterwards."""
    device.set(prop, value)  # some drivers accept a value and still report an error
    came = device.get(prop)
    if abs(came - value) <= max(1.0, MAX_ROUNDING * abs(value)):
        return True
    log.warning("control %d: requested %g, the camera uses %g", prop, value, came)
    return False


def _held_exposure_us(
    device: VideoControls, brightness: Callable[[], float], half_period_us: int, wanted: float
) -> int | None:
    """Fix the exposure at a multiple of half a period of the mains.

    Args:
        device: The camera.
        brightness: Returns the mean brightness of the next frame, in grey levels.
        half_period_us: Half a period of the mains in microseconds.
        wanted: Approximate brightness that the image must keep, in grey levels.

    Returns:
        The exposure time in microseconds; None if no multiple keeps the brightness.
    """
    if not device.set(cv2.CAP_PROP_AUTO_EXPOSURE, MANUAL):
        return None
    if device.get(cv2.CAP_PROP_AUTO_EXPOSURE) in AUTOMATIC:
        return None  # it was not refused, but it is still automatic
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
    if took is None:
        device.set(cv2.CAP_PROP_AUTO_WB, 1)
        return None
    return round(took)


def _control(
    device: VideoControls, prop: int, allowed: tuple[float, float], unit: float = 1
) -> float | None:
    """Return the value of a control, or None if the camera does not have that control.

    Args:
        device: The camera.
        prop: One of OpenCV's CAP_PROP constants.
        allowed: Smallest and largest possible value. OpenCV reports -1 for a missing control.
        unit: Factor that converts the driver's unit to the unit of `allowed` and of the result.
    """
    value = device.get(prop) * unit
    return value if allowed[0] <= value <= allowed[1] else None
