"""A USB camera, accessed through OpenCV and V4L2.

Drivers differ: some refuse a value, others accept it and do something else. Therefore the image
decides: with a fixed exposure it must be about as bright as with the automatic one. If it is not, the
exposure stays automatic.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Thread
from time import monotonic
from typing import Any, Protocol

import cv2
import numpy as np

from device.cameras.base import CameraError, CameraStuckError, Frame, Image, has_content
from device.cameras.controls import (
    EXPOSURE_US,
    FOCUS_STEPS,
    GAIN,
    WHITE_K,
    HeldLight,
    Tuning,
    rotated,
)
from device.cameras.newest_frame import JPEG_BEGIN, NewestFrame, SinglePicture
from device.cameras.video_nodes import VideoNodes, read_control, write_control
from device.hardware.choices import Mains, camera_name
from game.message import Message, join_with_and

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


class VideoDevice(Protocol):
    """The part of `cv2.VideoCapture` that `UsbCamera` uses."""

    def get(self, prop: int, /) -> float:
        """Return the value of a control; -1 if the device does not have it."""

    def set(self, prop: int, value: float, /) -> bool:
        """Set a control, and return whether the driver accepted it.

        Args:
            prop: One of OpenCV's CAP_PROP constants.
            value: The value, in the unit of the control.
        """

    def read(self) -> tuple[bool, Any]:
        """Wait for the next frame; return whether there is one, and the image."""

    def release(self) -> None:
        """Release the device."""


def settle(
    device: VideoDevice,
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


def hold(device: VideoDevice, light: HeldLight) -> list[Message]:
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


def release_exposure(device: VideoDevice) -> bool:
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
    device: VideoDevice, light: HeldLight | None, focus_steps: int | None
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


def set_mains(device: VideoDevice, mains_hz: Mains) -> list[Message]:
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


def start_autofocus(device: VideoDevice) -> bool:
    """Switch the camera's autofocus on, and return whether the camera has one."""
    return device.set(cv2.CAP_PROP_AUTOFOCUS, 1)


def find_focus(device: VideoDevice) -> int | None:
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


def hold_focus(device: VideoDevice, focus_steps: int) -> list[Message]:
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


def _set(device: VideoDevice, prop: int, value: float) -> bool:
    """Set a control, and return whether the camera reports nearly the same value afterwards."""
    device.set(prop, value)  # some drivers accept a value and still report an error
    came = device.get(prop)
    if abs(came - value) <= max(1.0, MAX_ROUNDING * abs(value)):
        return True
    log.warning("control %d: requested %g, the camera uses %g", prop, value, came)
    return False


def _held_exposure_us(
    device: VideoDevice, brightness: Callable[[], float], half_period_us: int, wanted: float
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


def _held_white_k(device: VideoDevice) -> int | None:
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
    device: VideoDevice, prop: int, allowed: tuple[float, float], unit: float = 1
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


SIZES_PX = ((1920, 1080), (1280, 720), (640, 360))
"""The sizes to request. A camera without the requested size delivers its nearest one."""

TIMEOUT_S = 2.0
MAX_AGE_S = 10.0  # a driver's time further in the past is on another clock
CLOSING_S = 1.0
SETTLING_S = 8.0  # for one frame while the exposure settles: a camera's first frame takes seconds
LIGHT_FRAMES, LIGHT_S = 150, 5.0  # whichever is over first; many webcams start with black frames

STUCK_EXPOSURE = Message(
    "The camera keeps a fixed exposure and refuses an automatic one: unplug it and plug it in again."
)

NODES = VideoNodes()
"""The video nodes of this machine. The object remembers which camera had which number."""


class UsbCamera:
    """A webcam over the tray.

    A separate thread reads every frame as it arrives, so that the driver's buffers are always empty and
    `preview` does not wait. Only the newest JPEG is decoded, when it is asked for. Focus, exposure and white
    balance are fixed if the driver allows it; a setting that cannot be fixed is None in `tuning`.

    Args:
        which: The N in /dev/videoN, a path below /dev, or a part of the camera's name.
        tuning: The settings of the camera.
        open_device: Opens the camera that `which` names; None means OpenCV. Tests pass another
            function.

    Attributes:
        complaint: A message naming the settings that the camera did not accept; None if it accepted
            them all.

    Raises:
        CameraError: If there is no camera or it delivers no frames.
    """

    tray = None
    aside = None

    def __init__(
        self,
        which: str | int = "",
        tuning: Tuning = Tuning(),  # noqa: B008 - it is frozen
        *,
        open_device: Callable[[str], VideoDevice] | None = None,
    ) -> None:
        which = str(which)
        self.name = camera_name(which if which.startswith("/dev/") else f"usb:{which}") or which
        self.complaint: Message | None = None
        self._tuning = tuning
        self._newest = NewestFrame(
            Message(
                "%(camera)s is not sending any pictures: plug it in again, close other programs "
                "that use it, or choose another camera with usb:N",
                camera=self.name,
            ),
            finish=lambda image: rotated(image, self._tuning.rotation),
        )
        self._unsettled = True
        self._read_s = monotonic()
        self._device = (open_device or partial(_v4l2, width_px=tuning.width_px))(which)
        self._thread = Thread(target=self._drain, name=self.name, daemon=True)
        self._thread.start()
        try:
            self._wait_until_settled()
        except CameraError:
            self.close()
            raise

    @property
    def tuning(self) -> Tuning:
        """Implement `Tunable.tuning`: the current settings."""
        return self._tuning

    def relock_exposure(self) -> None:
        """Implement `Tunable.relock_exposure`: let exposure and white balance adapt, then fix them."""
        self._settle_again(replace(self._tuning, light=None))

    def refocus(self) -> None:
        """Find focus and exposure again. No position is returned, because it would not be in dioptres."""
        self._settle_again(replace(self._tuning, light=None, focus_steps=None))

    def preview(self) -> Frame:
        """Implement `Camera.preview`: return the newest frame, scaled down."""
        return self._newest.preview(TIMEOUT_S)

    def capture(self) -> Frame:
        """Implement `Camera.capture`: wait for a frame whose exposure began after this call."""
        return self._newest.capture(TIMEOUT_S)

    def close(self) -> None:
        """Implement `Camera.close`: release the camera, or give up after `CLOSING_S` seconds if it hangs."""
        self._newest.close()
        self._thread.join(CLOSING_S)
        if self._thread.is_alive():
            raise CameraStuckError(self._thread)

    def _settle_again(self, tuning: Tuning) -> None:
        with self._newest.arrival:
            self._tuning = tuning
            self._unsettled = True
        self._wait_until_settled()

    def _wait_until_settled(self) -> None:
        while self._unsettled:
            self._newest.wait_for_next(SETTLING_S)

    def _drain(self) -> None:
        # The device belongs to this thread: releasing it elsewhere during a hung read would crash.
        try:
            while not self._newest.is_closed and self._take():
                if self._unsettled:
                    self._settle()
        finally:
            self._device.release()

    def _settle(self) -> None:
        tuning, device = self._tuning, self._device
        refused = set_mains(device, tuning.mains_hz)
        focus_steps = tuning.focus_steps
        if focus_steps is None:
            can_focus = start_autofocus(device)
        else:
            can_focus = False
            refused += hold_focus(device, focus_steps)
        is_automatic = release_exposure(device)
        has_light, light = self._wait_for_light(), tuning.light
        if light:
            if can_focus:
                wait_until_settled(self._brightness)
            refused += self._hold(light, has_light=has_light)
            if EXPOSURE in refused:
                light = None
        else:
            light = settle(device, self._brightness, tuning.half_period_us)
        if can_focus:
            focus_steps = find_focus(device)
        unheld = not_held(device, light, focus_steps)
        with self._newest.arrival:
            self._tuning = replace(tuning, light=light, focus_steps=focus_steps)
            if not is_automatic and not light:
                self.complaint = STUCK_EXPOSURE
            else:
                self.complaint = _complaint(refused, unheld)
            self._unsettled = False
            self._newest.arrival.notify_all()

    def _hold(self, light: HeldLight, *, has_light: bool) -> list[Message]:
        """Fix the exposure, unless that makes the pictures black in a lit room.

        Args:
            light: The exposure and white balance to fix.
            has_light: Whether the pictures were not black with automatic exposure.

        Returns:
            The names of the controls that the camera did not accept.
        """
        refused = hold(self._device, light)
        if has_light and EXPOSURE not in refused:
            for _ in range(APPLY_FRAMES):
                self._brightness()
            if not self._shows_something:
                release_exposure(self._device)
                refused.append(EXPOSURE)
        return refused

    def _wait_for_light(self) -> bool:
        """Wait until the pictures are no longer black, and return whether that happened in time."""
        end_s = monotonic() + LIGHT_S
        for _ in range(LIGHT_FRAMES):
            if self._shows_something:
                return True
            if self._newest.is_closed or monotonic() > end_s or not self._take():
                break
        return False

    @property
    def _image(self) -> Image | None:
        """The newest image; None before the first one, or if it is broken."""
        decoded = self._newest.picture.decode(1) if self._newest.picture else None
        return decoded[0] if decoded else None

    @property
    def _shows_something(self) -> bool:
        image = self._image
        return image is not None and has_content(image)

    def _brightness(self) -> float:
        """Return the mean brightness of the next frame in grey levels; 0 if there is no frame."""
        if self._newest.is_closed or not self._take():
            return 0.0
        image = self._image
        return 0.0 if image is None else float(image[::16, ::16].mean())

    def _take(self) -> bool:
        """Read one frame, wake the threads that are waiting for it, and return whether there was a frame."""
        earliest_s, self._read_s = self._read_s, monotonic()
        has_frame, data = self._device.read()
        if not has_frame:
            self._newest.fail()
            return False
        # Without a time from the driver: the frame before this one may have waited in the driver while it was being
        # read, and this one may have been on the cable then.
        driver_s = self._device.get(cv2.CAP_PROP_POS_MSEC) / 1000
        has_time = 0 <= monotonic() - driver_s <= MAX_AGE_S
        image = np.asarray(data, np.uint8)
        jpeg = b"" if image.shape[2:] == (3,) else image.tobytes()
        if jpeg and not jpeg.startswith(JPEG_BEGIN):
            # The camera sends another format, which OpenCV converts.
            return self._device.set(cv2.CAP_PROP_CONVERT_RGB, 1)
        self._newest.put(SinglePicture(jpeg or image, driver_s if has_time else earliest_s))
        return True


def _complaint(refused: list[Message], not_held: list[Message]) -> Message | None:
    if refused:
        return Message(
            "The camera does not accept the calibrated values (%(controls)s) and adjusts itself: "
            "if throws are read badly, calibrate again.",
            controls=join_with_and(refused),
        )
    if not_held:
        return Message(
            "The camera does not let Traykeeper fix its settings (%(controls)s) and adjusts itself: keep the light "
            "over the tray steady.",
            controls=join_with_and(not_held),
        )
    return None


class _V4l2Device(cv2.VideoCapture):
    """An OpenCV video capture, plus the one control that OpenCV does not support: the mains frequency."""

    def __init__(self, number: int) -> None:
        super().__init__(number, cv2.CAP_V4L2)
        self._number = number

    def get(self, prop: int, /) -> float:
        if prop == POWER_LINE:
            value = read_control(self._number, prop)
            return -1.0 if value is None else float(value)
        return super().get(prop)

    def set(self, prop: int, value: float, /) -> bool:
        if prop == POWER_LINE:
            return write_control(self._number, prop, round(value))
        return super().set(prop, value)


def _v4l2(which: str, width_px: int) -> VideoDevice:
    node = NODES.find(which)
    device = _V4l2Device(node.number)
    if not device.isOpened():
        device.release()
        raise CameraError(
            Message(
                "cannot open %(path)s: close other programs that use it, and make sure that "
                "this user is in the `video` group",
                path=node.path,
            )
        )
    # USB 2 carries only about 5 uncompressed frames of this size per second.
    device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    width, height = next((size for size in SIZES_PX if size[0] <= width_px), SIZES_PX[-1])
    device.set(cv2.CAP_PROP_FRAME_WIDTH, width)
    device.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
    device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    device.set(cv2.CAP_PROP_CONVERT_RGB, 0)  # JPEGs are decoded when they are needed
    return device
