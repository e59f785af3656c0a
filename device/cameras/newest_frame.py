"""The newest picture of a camera that sends pictures faster than anybody may need them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition
from typing import Protocol

import cv2
import numpy as np

from device.cameras.base import PREVIEW_WIDTH_PX, CameraError, Frame, Image, read_only
from game.message import Message

JPEG_BEGIN, JPEG_END = b"\xff\xd8", b"\xff\xd9"

REDUCED = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
}
"""The modes of `cv2.imdecode`, by the factor by which each makes the picture smaller.

A quarter of the width and height costs 0.6 of the processor time of the whole picture."""

TOO_LATE = Message(
    "this machine decodes its pictures too slowly: set the camera to a smaller size and fewer pictures a second"
)

SIZE_CHANGED = Message("the size of its pictures has changed: Traykeeper will reopen it")


class ArrivedPicture(Protocol):
    """A picture as it arrived, usually not decoded yet."""

    @property
    def time_s(self) -> float:
        """When the picture arrived, in seconds on the clock of `time.monotonic`. It did not arrive earlier."""

    def decode(self, reduction: int) -> "tuple[Image, float] | None":
        """Decode the picture.

        Args:
            reduction: The factor by which width and height may be made smaller: 1, 2 or 4.

        Returns:
            The image, BGR, and when it arrived in seconds; None if the picture is broken.
        """


@dataclass(frozen=True, slots=True, eq=False)
class SinglePicture:
    """A picture that can be decoded without those before it.

    Attributes:
        data: A JPEG, or an image (height, width, 3) BGR.
        time_s: When it arrived, in seconds.
    """

    data: bytes | Image
    time_s: float

    def decode(self, reduction: int) -> tuple[Image, float] | None:
        """Implement `ArrivedPicture.decode`."""
        data = self.data
        image = decode_jpeg(data, reduction) if isinstance(data, bytes) else data
        return None if image is None else (image, self.time_s)


def decode_jpeg(data: bytes, reduction: int = 1) -> Image | None:
    """Return the picture in a JPEG, or None if the JPEG is broken.

    Args:
        data: The JPEG.
        reduction: The factor by which width and height are made smaller: 1, 2 or 4.
    """
    if not data.startswith(JPEG_BEGIN):
        return None
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), REDUCED[reduction])
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


class NewestFrame:
    """The newest picture of a camera, which is decoded only when somebody asks for it.

    One thread adds pictures and never decodes, so that it keeps up with the camera. Another thread asks for frames.
    A picture that is replaced by a newer one before anybody asks is dropped.

    Args:
        no_pictures: The error message if no picture arrives.
        finish: Scales a decoded image down, or rotates it.
        lag_s: The value of `Frame.lag_s` for every frame.
        clock: Monotonic clock in seconds, the same as that of the pictures.

    Attributes:
        no_pictures: The error message if no picture arrives.
        arrival: Notified when a picture has arrived, or when no more pictures will arrive.
        is_closed: Whether the camera is being closed.
        picture: The newest picture; None before the first one.
    """

    def __init__(
        self,
        no_pictures: Message,
        *,
        finish: Callable[[Image], Image] = lambda image: image,
        lag_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.no_pictures = no_pictures
        self.arrival = Condition()
        self.is_closed = False
        self.picture: ArrivedPicture | None = None
        self._finish, self._lag_s, self._clock = finish, lag_s, clock
        self._error: CameraError | None = None
        self._size: tuple[int, ...] | None = None
        self._preview: tuple[ArrivedPicture, Frame] | None = None

    def put(self, picture: ArrivedPicture) -> None:
        """Make this picture the newest one."""
        with self.arrival:
            self.picture, self._error = picture, None
            self.arrival.notify_all()

    def fail(self, error: CameraError | None = None) -> None:
        """Raise an error in all threads that ask for a frame, until the next picture arrives.

        Args:
            error: The error; None means one with the message `no_pictures`.
        """
        with self.arrival:
            self._error = error or CameraError(self.no_pictures)
            self.arrival.notify_all()

    def close(self) -> None:
        """Raise an error in all threads that ask for a frame, because the camera is being closed."""
        with self.arrival:
            self.is_closed = True
            self.arrival.notify_all()

    def preview(self, timeout_s: float) -> Frame:
        """Return the newest frame, scaled down, if it is younger than the timeout; otherwise wait for a new one.

        Raises:
            CameraError: If no picture arrived in time.
        """
        earliest_s = self._clock() - timeout_s
        shown = self._preview
        if shown is None or shown[0] is not self._wait(earliest_s, timeout_s):
            picture, image, time_s = self._decoded(earliest_s, timeout_s, self._reduction)
            frame = Frame(self._finish(image), time_s, self._lag_s).preview()
            self._preview = shown = picture, frame
        return shown[1]

    def capture(self, timeout_s: float) -> Frame:
        """Wait for a picture that arrives after this call, and return it as a full frame.

        Raises:
            CameraError: If no such picture arrived in time.
        """
        _, image, time_s = self._decoded(self._clock(), timeout_s)
        return Frame(read_only(self._finish(image)), time_s, self._lag_s)

    def wait_for_next(self, timeout_s: float) -> None:
        """Wait until another picture arrives, whenever it was exposed.

        Raises:
            CameraError: If no picture arrived in time.
        """
        self._wait(float("-inf"), timeout_s, other_than=self.picture)

    @property
    def _reduction(self) -> int:
        """The factor by which a picture may be made smaller while it is decoded for a preview."""
        width_px = self._size[1] if self._size else 0
        return next((by for by in (4, 2) if width_px >= by * PREVIEW_WIDTH_PX), 1)

    def _decoded(
        self, earliest_s: float, timeout_s: float, reduction: int = 1
    ) -> tuple[ArrivedPicture, Image, float]:
        """Return the newest picture, its image and its time, once it has arrived at `earliest_s` or later."""
        end_s, tried, is_late = self._clock() + timeout_s, None, False
        while not (is_late and self._clock() > end_s):
            tried = picture = self._wait(earliest_s, end_s - self._clock(), other_than=tried)
            decoded = picture.decode(reduction)
            if decoded is None:
                continue  # it is broken
            image, time_s = decoded
            if self._size is None:
                self._size = image.shape
            if image.shape[:2] != tuple(-(-length // reduction) for length in self._size[:2]):
                raise CameraError(SIZE_CHANGED)
            if time_s >= earliest_s:
                return picture, image, time_s
            is_late = True
        raise CameraError(TOO_LATE)

    def _wait(
        self, earliest_s: float, timeout_s: float, *, other_than: ArrivedPicture | None = None
    ) -> ArrivedPicture:
        """Wait until the newest picture is one that arrived at `earliest_s` or later, and return that picture.

        Raises:
            CameraError: If that does not happen within `timeout_s` seconds.
        """

        def is_over() -> bool:
            if self._error is not None or self.is_closed:
                return True
            newest = self.picture
            return newest is not None and newest is not other_than and newest.time_s >= earliest_s

        with self.arrival:
            came = self.arrival.wait_for(is_over, max(0.0, timeout_s))
            if self._error is not None or not came or self.is_closed or self.picture is None:
                raise self._error or CameraError(self.no_pictures)
            return self.picture
