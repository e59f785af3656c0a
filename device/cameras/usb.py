"""A USB camera, through OpenCV's V4L2."""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Thread
from typing import Any, Protocol

import cv2
import numpy as np

from device.camera import CameraError, Frame, Image
from device.cameras.frames import sealed, small

SIZE_PX = (1920, 1080)  # asked for; cameras that have it not give their nearest
TIMEOUT_S = 2.0
# A frame that arrives after the call may have been exposed before it: one can lie in the driver,
# another can be on the cable. The third cannot, as the sensor makes one after the other.
UNDERWAY = 2
CLOSING_S = 1.0


class Device(Protocol):
    """The part of `cv2.VideoCapture` that is used."""

    def read(self) -> tuple[bool, Any]: ...

    def release(self) -> None: ...


class UsbCamera:
    """A webcam over the tray.

    A thread of its own reads every frame at once, so that the driver's buffers are always empty
    and `preview` never waits. `capture` waits for the third frame from now.

    Args:
        index: N of /dev/videoN.
        open_device: opens the device of that number; for tests.
    """

    tray = None
    aside = None

    def __init__(
        self, index: int = 0, *, open_device: "Callable[[int], Device] | None" = None
    ) -> None:
        self.name = f"USB camera {index}"
        self._index = index
        self._arrival = Condition()
        self._frame: Frame | None = None
        self._count = 0
        self._closed = False
        self._failed = False
        self._device = (open_device or _v4l2)(index)
        self._thread = Thread(target=self._drain, name=self.name, daemon=True)
        self._thread.start()

    def preview(self) -> Frame:
        """The newest frame, made small."""
        frame = self._frame or self._after(0)
        return Frame(sealed(small(frame.image)), frame.time_s)

    def capture(self) -> Frame:
        return self._after(self._count + UNDERWAY)

    def close(self) -> None:
        with self._arrival:
            self._closed = True
            self._arrival.notify_all()
        self._thread.join(CLOSING_S)

    def _after(self, count: int) -> Frame:
        """The first frame with a number above `count`."""
        with self._arrival:
            came = self._arrival.wait_for(
                lambda: self._count > count or self._failed or self._closed, TIMEOUT_S
            )
            if not came or self._failed or self._closed or self._frame is None:
                raise CameraError(
                    f"{self.name} gives no pictures: plug it in again, close other programs"
                    " that use it, or choose another with usb:N"
                )
            return self._frame

    def _drain(self) -> None:
        # The device belongs to this thread: released anywhere else, a hung read would crash.
        try:
            while not self._closed and self._take():
                pass
        finally:
            self._device.release()

    def _take(self) -> bool:
        """Read one frame and tell those who wait."""
        there, image = self._device.read()
        with self._arrival:
            if there:
                picture: Image = np.asarray(image, np.uint8)
                self._frame = Frame(sealed(picture), time.monotonic())
                self._count += 1
            self._failed = not there
            self._arrival.notify_all()
        return bool(there)


def _v4l2(index: int) -> Device:
    node = Path(f"/dev/video{index}")
    if not node.exists():
        raise CameraError(f"no camera at {node}: plug one in, or choose another with usb:N")
    device = cv2.VideoCapture(index, cv2.CAP_V4L2)
    if not device.isOpened():
        device.release()
        raise CameraError(
            f"cannot open {node}: close other programs that use it, and see that this user is in"
            " the group video"
        )
    # Uncompressed, USB 2 carries only some 5 frames a second of this size.
    device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    device.set(cv2.CAP_PROP_FRAME_WIDTH, SIZE_PX[0])
    device.set(cv2.CAP_PROP_FRAME_HEIGHT, SIZE_PX[1])
    device.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return device
