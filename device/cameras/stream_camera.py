"""A network camera or an old phone, whose pictures arrive as a stream: MJPEG over HTTP, or RTSP."""

from collections.abc import Callable
from contextlib import closing
from threading import Event, Thread

from device.cameras.base import CameraError, Frame, Image, scaled
from device.cameras.controls import Tuning, rotated
from device.cameras.newest_frame import NewestFrame
from device.cameras.stream_pictures import Pictures, open_pictures
from device.hardware.choices import camera_name
from game.message import Message

FIRST_FRAME_S = 8.0
"""Longest time to wait for the first frame, in seconds. An RTSP stream begins with a key frame, often seconds later."""

TIMEOUT_S = 3.0
"""Longest time to wait for a frame, in seconds. A stream that breaks off is usually reopened within this time."""

CLOSING_S = 3.0
"""Longest time to wait for a stream to close, in seconds.

It is longer than a stream waits for data: an ESP32-CAM serves one stream at a time, so the old one must end first."""

RETRY_S = 0.3

LAG_S = 0.5
"""With usual apps and Wi-Fi, a picture arrives at most this many seconds after its exposure."""


class StreamCamera:
    """A camera on the network.

    A separate thread reads every picture as it arrives, so that none queue up, and reopens the stream if it breaks
    off. Only the newest picture is decoded, when it is asked for. If the size of the pictures changes, as when a
    phone is turned, the camera fails; once reopened, it uses the new size.

    Args:
        url: The address of the stream, which may contain a user name and password.
        tuning: The settings of the camera, of which only the rotation and the largest width are used.
        open_stream: Yields the pictures from an address until the stream breaks off; None means
            `open_pictures`. Tests pass another function.

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
        open_stream: "Callable[[str], Pictures] | None" = None,
    ) -> None:
        self.name = camera_name(url) or "network camera"
        self._url, self._tuning = url, tuning
        self._open = open_stream or open_pictures
        self._stop = Event()
        self._newest = NewestFrame(
            Message(
                "%(camera)s is not sending any pictures: check that it is switched on and on "
                "this network, and that its address is right",
                camera=self.name,
            ),
            finish=self._finish,
            lag_s=LAG_S,
        )
        self._thread = Thread(target=self._read, name=self.name, daemon=True)
        self._thread.start()
        try:
            self._newest.preview(FIRST_FRAME_S)
        except CameraError:
            self.close()
            raise

    def preview(self) -> Frame:
        """Implement `Camera.preview`: return the newest frame, scaled down."""
        return self._newest.preview(TIMEOUT_S)

    def capture(self) -> Frame:
        """Implement `Camera.capture`: return a frame that is very likely to have been exposed after this call."""
        return self._newest.capture(TIMEOUT_S)

    def close(self) -> None:
        """Close the stream, or give up if the server hangs, because an open stream occupies no hardware here."""
        self._stop.set()
        self._newest.close()
        self._thread.join(CLOSING_S)

    def _read(self) -> None:
        while not self._stop.is_set():
            with closing(self._open(self._url)) as pictures:
                for picture in pictures:
                    if self._stop.is_set():
                        return
                    self._newest.put(picture)
            self._stop.wait(RETRY_S)

    def _finish(self, image: Image) -> Image:
        if image.shape[1] > self._tuning.width_px:
            image = scaled(image, self._tuning.width_px)
        return rotated(image, self._tuning.rotation)
