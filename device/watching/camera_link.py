"""The connection to a camera that may fail, and the tasks that other threads run on it."""

from collections import Counter
from collections.abc import Callable

from device.cameras.base import (
    Camera,
    CameraError,
    CameraStuckError,
    Frame,
    Image,
    has_content,
    too_slow,
)
from device.cameras.stream_camera import StreamCamera
from game.message import Message

STALE_S = 3.5
"""Largest age of a repeated preview in seconds. A camera that hangs repeats its last image.

It is longer than each camera waits for a picture, because a camera knows better why there is none."""

BLACK_S = 2.5
"""How long all previews may be black, in seconds, before that is an error: somebody may be leaning over the tray."""

OLD_S = 0.5
"""Largest age of a new preview in seconds. With older ones, a reading is noticeably late."""

SLOW_S = 5.0
"""How long all new previews must be older than `OLD_S`, in seconds, before the machine counts as too slow."""


def black_image_error() -> CameraError:
    """Return the error for a camera whose images are black."""
    return CameraError(
        Message(
            "its pictures are black: turn on the light, take the cap off the lens, and check "
            "the cable"
        )
    )


HUNG_S = 20.0
"""How long a call to the camera may take, in seconds, before the camera counts as hung.

Opening a camera takes several seconds, and so does a reading on an old Pi."""

STUCK_S = 15.0
"""How long a driver may take to release a camera, in seconds, before only a new process can help.

Some drivers need seconds to release a camera that was unplugged; during that time, opening is retried."""

LOST_S = 60.0
"""A call that has taken this long, in seconds, is assumed never to return."""

DARK_S, DARK_FRAMES = 6.0, 90
"""How long a newly opened camera may show black images, in seconds or in frames, whichever is over first.

Webcams deliver a few black images when they start."""

RETRY_S = (1.0, 2.0, 4.0, 8.0)
"""Pauses before successive attempts to reopen the camera, in seconds; the last one is repeated."""

REFUSED_RETRY_S = (5.0, 15.0, 60.0, 300.0)
"""The same, after a camera has refused the password: many lock the address after five wrong ones."""


class CameraLink:
    """The connection to a camera, which is reopened after failures, with increasing pauses.

    Args:
        open_camera: Opens the camera.
        clock: Monotonic clock in seconds.

    Attributes:
        camera: The open camera; None while there is none.
    """

    def __init__(self, open_camera: Callable[[], Camera], clock: Callable[[], float]) -> None:
        self.camera: Camera | None = None
        self._stuck: tuple[CameraStuckError, float] | None = None
        self._open, self._clock = open_camera, clock
        self._width_px = 0
        self._failures = Counter[bool]()  # failures in a row, by whether the password was refused
        self._watch_previews()
        self._called_s = clock()

    @property
    def is_hung(self) -> bool:
        """Whether the current call to the camera has taken longer than `HUNG_S` seconds."""
        return self._clock() - self._called_s > HUNG_S

    @property
    def needs_new_process(self) -> bool:
        """Whether the camera hangs and will not recover, so that only a new process can open it again."""
        now_s = self._clock()
        stuck_s = self._stuck[1] if self._stuck and not self._stuck[0].is_over else now_s
        return now_s - stuck_s > STUCK_S or now_s - self._called_s > LOST_S

    @property
    def rate_hz(self) -> float | None:
        """How many pictures a network camera sends in a second; None if there is none, or if it is not known."""
        return self.camera.rate_hz if isinstance(self.camera, StreamCamera) else None

    @property
    def slow_camera(self) -> Message | None:
        """A message saying that this machine decodes the camera's pictures too slowly; None if it does not."""
        camera = self.camera
        is_slow = camera is not None and self._is_slow
        return too_slow(camera.name, self._width_px) if camera and is_slow else None

    def note_call(self) -> None:
        """Restart the timeout after which the camera counts as hung."""
        self._called_s = self._clock()

    def open(self) -> tuple[Camera, Image]:
        """Open the camera.

        Returns:
            The camera and its first full frame.

        Raises:
            CameraError: If the camera cannot be opened or its images stay black.
        """
        self.note_call()
        try:
            camera = self._open()
        except CameraError as error:
            if isinstance(error, CameraStuckError):
                self._note_stuck(error)
            elif self._stuck and not self._stuck[0].is_over:
                raise self._stuck[0] from error  # this process uses the camera itself
            raise
        try:
            image = self._first_image(camera)
        except BaseException:
            self._close(camera)
            raise
        self.camera = camera
        self._failures.clear()
        self._watch_previews()
        self._width_px = max(image.shape[:2])
        self._stuck = None
        return camera, image

    def _first_image(self, camera: Camera) -> Image:
        """Return the first image that is not black.

        Raises:
            CameraError: If the images stay black.
        """
        end_s = self._clock() + DARK_S
        for _ in range(DARK_FRAMES):
            image = camera.capture().image
            if has_content(image):
                return image
            if self._clock() > end_s:
                break
            self.note_call()
        raise black_image_error()

    def capture(self, camera: Camera, *, is_at_rest: bool = False) -> Frame:
        """Return a full frame that was taken after this call.

        Args:
            camera: The open camera.
            is_at_rest: Whether the previews have shown the tray at rest until now. Then a frame that arrives after
                them is enough, even if it was taken up to `Frame.lag_s` seconds before this call.

        Raises:
            CameraError: If the camera fails, or returns an older frame.
        """
        called_s = self._clock()
        while True:
            frame = camera.capture()
            if frame.time_s < called_s:
                raise CameraError(
                    Message(
                        "it has sent an old picture in place of a new one: Traykeeper will reopen it"
                    )
                )
            if is_at_rest or frame.was_taken_after(called_s):
                return frame

    def preview(self, camera: Camera) -> Frame:
        """Return the next preview.

        Raises:
            CameraError: If the camera fails, hangs, or has shown black images for a while.
        """
        self.note_call()
        frame = camera.preview()
        self._check(frame)
        return frame

    def _watch_previews(self) -> None:
        """Start to check that the previews are new and not black."""
        self._is_slow = False
        self._last_s = self._old_since_s = self._black_since_s = float("inf")

    def _check(self, frame: Frame) -> None:
        """Check the newest preview.

        Raises:
            CameraError: If the frame was repeated for too long, or all frames have been black for `BLACK_S` seconds.
        """
        now_s = self._clock()
        age_s = now_s - frame.time_s
        if frame.time_s == self._last_s:
            if age_s > STALE_S:
                raise CameraError(
                    Message("the camera is not responding: Traykeeper will reopen it")
                )
            return
        self._last_s = frame.time_s
        self._old_since_s = min(self._old_since_s, now_s) if age_s > OLD_S else float("inf")
        self._is_slow = now_s - self._old_since_s > SLOW_S
        if has_content(frame.image):
            self._black_since_s = float("inf")
        self._black_since_s = min(self._black_since_s, frame.time_s)
        if frame.time_s - self._black_since_s > BLACK_S:
            raise black_image_error()

    def close(self) -> None:
        """Release the camera, if it is open."""
        camera, self.camera = self.camera, None
        if camera:
            self._close(camera)

    def _close(self, camera: Camera) -> None:
        try:
            camera.close()
        except CameraStuckError as error:
            self._note_stuck(error)

    def _note_stuck(self, error: CameraStuckError) -> None:
        since_s = self._clock()
        if self._stuck and not self._stuck[0].is_over:
            since_s = self._stuck[1]
        self._stuck = error, since_s

    def note_failure(self, *, is_refused: bool = False) -> float:
        """Count a failure, and return the pause before the next attempt in seconds.

        Args:
            is_refused: Whether the camera has refused the user or the password.
        """
        pauses_s = REFUSED_RETRY_S if is_refused else RETRY_S
        self._called_s = self._clock() + RETRY_S[-1]
        self._failures[is_refused] += 1
        return pauses_s[min(self._failures[is_refused], len(pauses_s)) - 1]
