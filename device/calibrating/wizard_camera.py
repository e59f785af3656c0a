"""The camera as the calibration uses it: frames, focus, and the wait for a still tray."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from device.cameras.base import Camera, CameraError, Image
from device.cameras.controls import Tunable, Tuning, complaint_of
from device.cameras.tray_picture import encode_jpeg
from device.watching.tray_watch import TrayWatch
from game.message import Message
from game.situation import TableError
from vision.known_tray import KnownTray

T = TypeVar("T")

FINDER_FRAMES = 3
"""Frames in which the tray is looked for: noise hides different things in each."""

FRAME_S = 6.0
"""Longer than a camera needs that was just opened."""

FOCUS_S = 20.0

SAME_FRAME_S = 0.4
"""The page asks for a frame once a second; phones that ask together get the same one."""

SETTLE_S = 10.0
POLL_S = 0.05

NO_CAMERA = Message("No camera is connected: Traykeeper tries again every few seconds.")


class WizardCamera:
    """The camera of the tray watch, as the calibration uses it.

    Args:
        tray_watch: The watch over the tray.
        clock: Seconds that never run backwards.
        pause: Waits for a number of seconds.

    Attributes:
        name: Name of the camera; None while there is none.
        frame_px: Width and height of the last frame.
    """

    def __init__(
        self,
        tray_watch: TrayWatch,
        clock: Callable[[], float],
        pause: Callable[[float], object],
    ) -> None:
        self.name: str | None = None
        self.frame_px = (16, 9)
        self._tray_watch, self._clock, self._pause = tray_watch, clock, pause
        self._jpeg_lock, self._jpeg_s = Lock(), float("-inf")
        self._jpeg: bytes | None = None

    @property
    def known_tray(self) -> KnownTray:
        """What is known about the tray."""
        return self._tray_watch.memory.known

    def capture(self) -> Image:
        """Return a full frame.

        Raises:
            TableError: If there is no camera.
        """
        image = self._run(lambda camera: camera.capture().image, FRAME_S)
        self.frame_px = image.shape[1], image.shape[0]
        return image

    def capture_for_finder(self) -> list[Image]:
        """Capture the frames in which the tray finder looks for the tray; all have one size."""
        images = [self.capture() for _ in range(FINDER_FRAMES)]
        return [image for image in images if image.shape == images[0].shape]

    def preview(self) -> Image:
        """Return the newest preview; a full frame if there is none."""
        latest = self._tray_watch.preview.latest
        return self.capture() if latest is None else latest

    def jpeg(self) -> bytes | None:
        """Return a frame as JPEG, at most one in `SAME_FRAME_S`; None if there is no camera."""
        with self._jpeg_lock:
            if self._clock() - self._jpeg_s >= SAME_FRAME_S:
                try:
                    self._jpeg = encode_jpeg(self.capture())
                except TableError:
                    self._jpeg = None
                self._jpeg_s = self._clock()
            return self._jpeg

    def tuning(self) -> Tuning:
        """Return what the camera holds now; the default if it cannot be set."""
        return self._run(_tuning, FRAME_S)

    def refocus(self) -> None:
        """Find focus and exposure again.

        Raises:
            TableError: If there is no camera, it cannot be set, or not all of it can.
        """
        if complaint := self._run(_refocus, FOCUS_S):
            raise TableError(complaint)

    def wait_until_settled(self) -> None:
        """Wait until the tray is still.

        Raises:
            TableError: If it takes too long.
        """
        self._pause(POLL_S)  # dice that were just thrown are not seen to move yet
        end_s = self._clock() + SETTLE_S
        while not self._tray_watch.preview.is_settled:
            if self._clock() > end_s:
                raise TableError(
                    Message(
                        "Something in the tray is moving: take your hand away, then read again."
                    )
                )
            self._pause(POLL_S)

    def _run(self, task: Callable[[Camera], T], timeout_s: float) -> T:
        try:
            return self._tray_watch.run_with_camera(task).result(timeout_s)
        except (CameraError, TimeoutError):
            raise TableError(NO_CAMERA) from None


def _tuning(camera: Camera) -> Tuning:
    return camera.tuning if isinstance(camera, Tunable) else Tuning()


def _refocus(camera: Camera) -> Message | None:
    """Find focus and exposure again, and return what could not be set."""
    if not isinstance(camera, Tunable):
        return Message("This camera cannot be focused from here: turn the ring of its lens.")
    camera.refocus()
    complaint = complaint_of(camera)
    camera.relock_exposure()
    return complaint
