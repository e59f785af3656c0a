"""The camera during a calibration: taking frames, focusing, and waiting for a still tray."""

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
"""Number of frames in which to look for the tray, because noise hides different things in each of them."""

FRAME_S = 6.0
"""Longest time to wait for a frame, in seconds; a newly opened camera needs less."""

FOCUS_S = 20.0

SAME_FRAME_S = 0.4
"""How long a frame is reused, in seconds, for phones that ask together. The page asks once a second."""

SETTLE_S = 10.0
POLL_S = 0.05

NO_CAMERA = Message("No camera is connected: Traykeeper tries again every few seconds.")


class WizardCamera:
    """Takes frames for the calibration from the camera of the tray watch, and focuses that camera.

    Args:
        tray_watch: The tray watch, which owns the camera.
        clock: Monotonic clock in seconds.
        pause: Sleeps for a number of seconds.

    Attributes:
        name: Name of the camera; None while there is none.
        frame_px: Width and height of the last frame in pixels.
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
        """What the tray watch knows about the tray, such as the empty-tray image."""
        return self._tray_watch.memory.known

    def forget_dice(self) -> None:
        """Forget the dice of earlier throws, because other dice are about to be shown."""
        self._tray_watch.memory.forget_dice()

    def capture(self) -> Image:
        """Return a full frame.

        Raises:
            TableError: If there is no camera.
        """
        image = self._run(lambda camera: self._tray_watch.link.capture(camera).image, FRAME_S)
        self.frame_px = image.shape[1], image.shape[0]
        return image

    def capture_for_finder(self) -> list[Image]:
        """Capture the frames in which the tray finder looks for the tray; all of them have the same size."""
        images = [self.capture() for _ in range(FINDER_FRAMES)]
        return [image for image in images if image.shape == images[0].shape]

    def preview(self) -> Image:
        """Return the newest preview or, if there is none, a full frame.

        Raises:
            TableError: If there is no camera.
        """
        latest = self._tray_watch.preview.latest
        return self.capture() if latest is None else latest

    def jpeg(self) -> bytes | None:
        """Return a frame as JPEG, or None if there is no camera. A frame is reused for `SAME_FRAME_S` seconds."""
        with self._jpeg_lock:
            if self._clock() - self._jpeg_s >= SAME_FRAME_S:
                try:
                    self._jpeg = encode_jpeg(self.capture())
                except TableError:
                    self._jpeg = None
                self._jpeg_s = self._clock()
            return self._jpeg

    def tuning(self) -> Tuning:
        """Return the current settings of the camera, or the defaults if it cannot be adjusted.

        Raises:
            TableError: If there is no camera.
        """
        return self._run(_tuning, FRAME_S)

    def refocus(self) -> None:
        """Let the camera find its focus and exposure again.

        Raises:
            TableError: If there is no camera, or if it does not accept one of the settings.
        """
        if complaint := self._run(_refocus, FOCUS_S):
            raise TableError(complaint)

    def wait_until_settled(self) -> None:
        """Wait until the tray is still.

        Raises:
            TableError: If the tray does not come to rest in time.
        """
        self._pause(POLL_S)  # dice that have just been thrown are not seen moving yet
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
    """Let a camera find its focus and exposure again; return a message about what failed, if anything did."""
    if not isinstance(camera, Tunable):
        return Message("This camera cannot be focused from here: turn the focus ring of its lens.")
    camera.refocus()
    complaint = complaint_of(camera)
    camera.relock_exposure()
    return complaint
