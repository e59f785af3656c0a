"""A network camera or an old phone, whose pictures arrive as a stream: MJPEG over HTTP, or RTSP."""

import os
from collections.abc import Callable
from threading import Event, Thread
from typing import Any, Protocol

import cv2
import numpy as np

from device.cameras.base import CameraError, Frame, Image, scaled
from device.cameras.controls import Tuning, rotated
from device.cameras.newest_frame import NewestFrame
from device.hardware.choices import camera_name
from game.message import Message

OPEN_TIMEOUT_S = 4.0
READ_TIMEOUT_S = 2.0
FIRST_FRAME_S = 8.0
"""Longest time to wait for the first frame, in seconds. An RTSP stream begins with a key frame, often seconds later."""

TIMEOUT_S = 3.0
"""Longest time to wait for a frame, in seconds. A stream that breaks off is usually reopened within this time."""

CLOSING_S = 3.0
"""Longest time to wait for a stream to close, in seconds.

It is longer than `READ_TIMEOUT_S`: an ESP32-CAM serves one stream at a time, so the old one must end first."""

RETRY_S = 0.3

LAG_S = 0.5
"""With usual apps and Wi-Fi, a frame that arrives this many seconds after a call was exposed after that call."""

STALE_FRAMES = 2

JPEG_BEGIN, JPEG_END = b"\xff\xd8", b"\xff\xd9"
PADDING = 64
"""The end marker must be in this many last bytes of a JPEG, because some cameras append a few bytes after it."""


class VideoStream(Protocol):
    """An open stream of pictures."""

    def read(self) -> tuple[bool, Any]:
        """Wait for the next frame.

        Returns:
            Whether the stream is still open, and the image (None if it is corrupt).
        """

    def release(self) -> None:
        """Close the stream."""


class StreamCamera:
    """A camera on the network.

    A separate thread reads every frame as it arrives, so that no frames queue up, and reopens the stream if it
    breaks off. If the size of the pictures changes, as when a phone is turned, the camera fails; once
    reopened, it uses the new size.

    Args:
        url: The address of the stream, which may contain a user name and password.
        tuning: The settings of the camera, of which only the rotation and the largest width are used.
        open_stream: Opens the stream at an address, or returns None if it cannot; None means
            `open_video`. Tests pass another function.

    Raises:
        CameraError: If no frame arrives.
    """

    tray = None
    aside = None

    def __init__(
        self,
        url: str,
        tuning: Tuning = Tuning(),  # noqa: B008 - it is frozen
        *,
        open_stream: "Callable[[str], VideoStream | None] | None" = None,
    ) -> None:
        self.name = camera_name(url) or "network camera"
        self._url, self._tuning = url, tuning
        self._open = open_stream or open_video
        self._size: tuple[int, ...] | None = None
        self._stop = Event()
        self._newest = NewestFrame(
            Message(
                "%(camera)s is not sending any pictures: check that it is switched on and on "
                "this network, and that its address is right",
                camera=self.name,
            )
        )
        self._thread = Thread(target=self._drain, name=self.name, daemon=True)
        self._thread.start()
        try:
            self._newest.recent(FIRST_FRAME_S)
        except CameraError:
            self.close()
            raise

    def preview(self) -> Frame:
        """Implement `Camera.preview`: return the newest frame, scaled down."""
        return self._newest.recent(TIMEOUT_S).preview()

    def capture(self) -> Frame:
        """Implement `Camera.capture`: return a frame that is very likely to have been exposed after this call."""
        return self._newest.after(STALE_FRAMES, TIMEOUT_S, LAG_S)

    def close(self) -> None:
        """Close the stream, or give up if the server hangs, because an open stream occupies no hardware here."""
        self._stop.set()
        self._newest.close()
        self._thread.join(CLOSING_S)

    def _drain(self) -> None:
        while not self._stop.is_set():
            stream = self._open(self._url)
            if stream is not None:
                try:
                    while not self._stop.is_set() and self._take(stream):
                        pass
                finally:
                    stream.release()
            self._stop.wait(RETRY_S)

    def _take(self, stream: VideoStream) -> bool:
        is_open, image = stream.read()
        if is_open and image is not None:
            self._show(np.asarray(image, np.uint8))
        return is_open

    def _show(self, image: Image) -> None:
        if self._size is None:
            self._size = image.shape
        if image.shape != self._size:
            self._newest.fail(
                Message("the size of its pictures has changed: Traykeeper will reopen it")
            )
            self._stop.set()
            return
        if image.shape[1] > self._tuning.width_px:
            image = scaled(image, self._tuning.width_px)
        self._newest.put(rotated(image, self._tuning.rotation))


def open_video(url: str) -> VideoStream | None:
    """Open a stream through OpenCV and FFmpeg.

    Args:
        url: The address of the stream.

    Returns:
        The stream; None if it cannot be opened.
    """
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # FFmpeg's messages may show the password
    cv2.utils.logging.setLogLevel(
        cv2.utils.logging.LOG_LEVEL_ERROR
    )  # OpenCV warns about each stream that cannot be opened
    if url.startswith("http"):
        # FFmpeg's decoder would scale pictures of another size to the size of the first one, so JPEG is decoded here.
        raw = _capture(url, cv2.CAP_PROP_FORMAT, -1)
        if raw is None:
            return None
        has_packet, packet = raw.read()
        if has_packet and packet.tobytes().startswith(JPEG_BEGIN):
            return JpegStream(raw)
        raw.release()
        if not has_packet:
            return None
    return _capture(url)


def _capture(url: str, *parameters: int) -> cv2.VideoCapture | None:
    timeouts = (
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
        round(OPEN_TIMEOUT_S * 1000),
        cv2.CAP_PROP_READ_TIMEOUT_MSEC,
        round(READ_TIMEOUT_S * 1000),
    )
    device = cv2.VideoCapture(url, cv2.CAP_FFMPEG, [*timeouts, *parameters])
    if device.isOpened():
        return device
    device.release()
    return None


class JpegStream:
    """A stream of JPEG pictures that this class decodes, because FFmpeg cannot cope with changing sizes.

    Args:
        packets: The stream, which delivers each picture as undecoded bytes.
    """

    def __init__(self, packets: VideoStream) -> None:
        self._packets = packets

    def read(self) -> tuple[bool, Image | None]:
        """Implement `VideoStream.read`: wait for the next picture and decode it."""
        is_open, packet = self._packets.read()
        return is_open, decode_jpeg(packet.tobytes()) if is_open else None

    def release(self) -> None:
        """Implement `VideoStream.release`: close the stream."""
        self._packets.release()


def decode_jpeg(data: bytes) -> Image | None:
    """Return the picture in a JPEG; None if the data is not a JPEG or is cut off."""
    if not data.startswith(JPEG_BEGIN) or JPEG_END not in data[-PADDING:]:
        return None
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)
