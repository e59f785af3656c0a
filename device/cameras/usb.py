"""A USB camera, accessed through OpenCV and V4L2."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Thread
from time import monotonic
from typing import Any, Protocol

import cv2
import numpy as np

from device.cameras import usb_controls
from device.cameras.base import CameraError, CameraStuckError, Frame, Image, has_content
from device.cameras.controls import HeldLight, Tuning, rotated
from device.cameras.newest_frame import JPEG_BEGIN, NewestFrame, SinglePicture
from device.cameras.video_nodes import VideoNodes, read_control, write_control
from device.hardware.choices import camera_name
from game.message import Message, join_with_and

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


class VideoDevice(usb_controls.VideoControls, Protocol):
    """The part of `cv2.VideoCapture` that `UsbCamera` uses."""

    def read(self) -> tuple[bool, Any]:
        """Wait for the next frame; return whether there is one, and the image."""

    def release(self) -> None:
        """Release the device."""


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
        open_device: "Callable[[str], VideoDevice] | None" = None,
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
        refused = usb_controls.set_mains(device, tuning.mains_hz)
        focus_steps = tuning.focus_steps
        if focus_steps is None:
            can_focus = usb_controls.start_autofocus(device)
        else:
            can_focus = False
            refused += usb_controls.hold_focus(device, focus_steps)
        is_automatic = usb_controls.release_exposure(device)
        has_light, light = self._wait_for_light(), tuning.light
        if light:
            if can_focus:
                usb_controls.wait_until_settled(self._brightness)
            refused += self._hold(light, has_light=has_light)
            if usb_controls.EXPOSURE in refused:
                light = None
        else:
            light = usb_controls.settle(device, self._brightness, tuning.half_period_us)
        if can_focus:
            focus_steps = usb_controls.find_focus(device)
        not_held = usb_controls.not_held(device, light, focus_steps)
        with self._newest.arrival:
            self._tuning = replace(tuning, light=light, focus_steps=focus_steps)
            if not is_automatic and not light:
                self.complaint = STUCK_EXPOSURE
            else:
                self.complaint = _complaint(refused, not_held)
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
        refused = usb_controls.hold(self._device, light)
        if has_light and usb_controls.EXPOSURE not in refused:
            for _ in range(usb_controls.APPLY_FRAMES):
                self._brightness()
            if not self._shows_something:
                usb_controls.release_exposure(self._device)
                refused.append(usb_controls.EXPOSURE)
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
        if prop == usb_controls.POWER_LINE:
            value = read_control(self._number, prop)
            return -1.0 if value is None else float(value)
        return super().get(prop)

    def set(self, prop: int, value: float, /) -> bool:
        if prop == usb_controls.POWER_LINE:
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
