"""A USB camera, through OpenCV's V4L2."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Condition, Thread
from typing import Any, Protocol

import cv2
import numpy as np

from device.cameras import usb_controls
from device.cameras.base import CameraError, Frame, Image, read_only, to_preview
from device.cameras.controls import Tuning, rotated
from game.message import Message

SIZE_PX = (1920, 1080)  # requested; a camera without this size delivers its nearest one
TIMEOUT_S = 2.0
# A frame that arrives after the call may have been exposed before it: one can wait in the driver and
# another can be on the cable. The third cannot, because the sensor exposes one after the other.
STALE_FRAMES = 2
CLOSING_S = 1.0
SETTLING_S = 8.0  # for one frame while the exposure settles: a camera's first one takes seconds


class VideoDevice(usb_controls.VideoControls, Protocol):
    """The part of `cv2.VideoCapture` that is used."""

    def read(self) -> tuple[bool, Any]:
        """Wait for the next frame; return whether there is one, and the image."""

    def release(self) -> None:
        """Give the device back."""


class UsbCamera:
    """A webcam over the tray.

    A thread of its own reads every frame at once, so that the driver's buffers are always empty
    and `preview` does not wait. `capture` waits for the third frame from now. Exposure and white
    balance are held if the driver allows it; if not, `tuning.light` is None.

    Args:
        index: N of /dev/videoN.
        tuning: How the camera is set; its focus is held, but its position is not known.
        open_device: Opens the device with this number; for tests.

    Raises:
        CameraError: If there is no camera or it delivers no frames.
    """

    tray = None
    aside = None

    def __init__(
        self,
        index: int = 0,
        tuning: Tuning = Tuning(),  # noqa: B008 - it is frozen
        *,
        open_device: "Callable[[int], VideoDevice] | None" = None,
    ) -> None:
        self.name = f"USB camera {index}"
        self._tuning = tuning
        self._arrival = Condition()
        self._frame: Frame | None = None
        self._count = 0
        self._closed = False
        self._failed = False
        self._unsettled = True
        self._device = (open_device or _v4l2)(index)
        self._thread = Thread(target=self._drain, name=self.name, daemon=True)
        self._thread.start()
        try:
            self._wait_until_settled()
        except CameraError:
            self.close()
            raise

    @property
    def tuning(self) -> Tuning:
        """Implement `Tunable.tuning`."""
        return self._tuning

    def relock_exposure(self) -> None:
        """Implement `Tunable.relock_exposure`."""
        with self._arrival:
            self._tuning = replace(self._tuning, light=None)
            self._unsettled = True
        self._wait_until_settled()

    def refocus(self) -> None:
        """Focus again; the position of the lens is not known."""
        self.relock_exposure()

    def preview(self) -> Frame:
        """Implement `Camera.preview`."""
        frame = self._frame
        if frame is None or time.monotonic() - frame.time_s > TIMEOUT_S:
            frame = self._after(self._count, TIMEOUT_S)
        return Frame(read_only(to_preview(frame.image)), frame.time_s)

    def capture(self) -> Frame:
        """Implement `Camera.capture`."""
        return self._after(self._count + STALE_FRAMES, TIMEOUT_S)

    def close(self) -> None:
        """Implement `Camera.close`."""
        with self._arrival:
            self._closed = True
            self._arrival.notify_all()
        self._thread.join(CLOSING_S)

    def _after(self, count: int, timeout_s: float) -> Frame:
        """Wait for a frame with a number above `count`."""
        self._wait_for(lambda: self._count > count, timeout_s)
        if self._frame is None:
            raise CameraError(self._no_pictures)
        return self._frame

    def _wait_until_settled(self) -> None:
        while self._unsettled:
            self._after(self._count, SETTLING_S)

    def _wait_for(self, holds: Callable[[], bool], timeout_s: float) -> None:
        with self._arrival:
            came = self._arrival.wait_for(
                lambda: holds() or self._failed or self._closed, timeout_s
            )
            if not came or self._failed or self._closed:
                raise CameraError(self._no_pictures)

    @property
    def _no_pictures(self) -> Message:
        return Message(
            "%(camera)s gives no pictures: plug it in again, close other programs that use it, or "
            "choose another with usb:N",
            camera=self.name,
        )

    def _drain(self) -> None:
        # The device belongs to this thread: releasing it elsewhere during a hung read would crash.
        try:
            while not self._closed and self._take():
                if self._unsettled:
                    self._settle()
        finally:
            self._device.release()

    def _settle(self) -> None:
        light = self._tuning.light
        if light:
            usb_controls.hold(self._device, light)
        else:
            light = usb_controls.settle(self._device, self._brightness, self._tuning.half_period_us)
        with self._arrival:
            self._tuning = replace(self._tuning, light=light)
            self._unsettled = False
            self._arrival.notify_all()

    def _brightness(self) -> float:
        """Return the mean brightness of the next frame."""
        if self._closed or not self._take() or self._frame is None:
            return 0.0
        return float(self._frame.image[::16, ::16].mean())

    def _take(self) -> bool:
        """Read one frame and wake the threads that wait for it."""
        has_frame, image = self._device.read()
        with self._arrival:
            if has_frame:
                picture: Image = rotated(np.asarray(image, np.uint8), self._tuning.rotation)
                self._frame = Frame(read_only(picture), time.monotonic())
                self._count += 1
            self._failed = not has_frame
            self._arrival.notify_all()
        return bool(has_frame)


def _v4l2(index: int) -> VideoDevice:
    node = Path(f"/dev/video{index}")
    if not node.exists():
        raise CameraError(
            Message(
                "no camera at %(path)s: plug one in, or choose another with usb:N", path=str(node)
            )
        )
    device = cv2.VideoCapture(index, cv2.CAP_V4L2)
    if not device.isOpened():
        device.release()
        raise CameraError(
            Message(
                "cannot open %(path)s: close other programs that use it, and see that this user is "
                "in the group video",
                path=str(node),
            )
        )
    # USB 2 carries only about 5 uncompressed frames of this size in a second.
    device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    device.set(cv2.CAP_PROP_FRAME_WIDTH, SIZE_PX[0])
    device.set(cv2.CAP_PROP_FRAME_HEIGHT, SIZE_PX[1])
    device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return device
