"""A network camera or an old phone, whose pictures arrive as a stream: MJPEG over HTTP, or RTSP."""

from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing
from re import sub
from threading import Event, Thread
from time import monotonic
from urllib.parse import urlsplit

from device.cameras.base import CameraError, Frame, Image, LoginRefusedError, scaled
from device.cameras.controls import Tuning, rotated
from device.cameras.http_pictures import OPEN_TIMEOUT_S, READ_TIMEOUT_S, http_pictures
from device.cameras.newest_frame import ArrivedPicture, NewestFrame, SinglePicture
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
"""Pause before a stream that has broken off is opened again, in seconds."""

SLOWEST_S = 1.5
"""Longest mean time between two pictures, in seconds. With one picture a second, a throw is read six seconds late."""

FEW_HZ = 4
"""Pictures a second below which short rolls may be missed."""

INTERVALS = 4
"""Number of intervals between pictures after which their rate is known."""

MAX_INTERVALS = 30
"""Number of intervals over which the rate is measured, at most."""

SAME_S = 30.0
"""How long a camera may send one and the same JPEG, in seconds, before that is reported.

The noise of a sensor changes every picture. A server repeats its last picture if the camera behind it has frozen. Some
servers also do so for seconds if nothing moves, because they copy the pictures from a video. So the camera is not closed."""

LAG_S = 0.5
"""With usual apps and Wi-Fi, a picture arrives at most this many seconds after its exposure."""

Pictures = Generator[ArrivedPicture, None, None]


def open_pictures(url: str) -> Pictures:
    """Yield the pictures from an address as they arrive, until the stream breaks off.

    Args:
        url: The address of a JPEG or of an MJPEG stream over HTTP, or of a video in any format that FFmpeg supports.

    Raises:
        CameraError: If the address gives no pictures. `LoginRefusedError` if the user may not see them.
        OSError: If the camera does not answer in time.
    """
    parts = urlsplit(url)
    if parts.scheme in ("http", "https") and not (yield from http_pictures(url)):
        return
    # FFmpeg takes 0.2 s and 20 MB to load, and MJPEG does not need it.
    from device.cameras.video_pictures import video_pictures  # noqa: PLC0415

    # FFmpeg knows neither schemes in capitals nor the zone of an IPv6 address as RFC 6874 writes it.
    address = parts._replace(netloc=sub(r"(\[[^]]*%)25", r"\1", parts.netloc)).geturl()
    yield from video_pictures(address, OPEN_TIMEOUT_S, READ_TIMEOUT_S)


class StreamCamera:
    """A camera on the network.

    A separate thread reads every picture as it arrives, so that none queue up, and reopens the stream if it breaks
    off. Only the newest picture is decoded, when it is asked for. An address that gives single pictures is asked as
    often as the camera bears. If the size of the pictures changes, as when a
    phone is turned, the camera fails; once reopened, it uses the new size.

    Args:
        url: The address of the stream, which may contain a user name and password.
        tuning: The settings of the camera, of which only the rotation and the largest width are used.
        open_stream: Yields the pictures from an address until the stream breaks off; None means
            `open_pictures`. Tests pass another function.

    Raises:
        CameraError: If no frame arrives. `LoginRefusedError` if the camera refuses the user or the password.
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
        self._stop, self._times_s = Event(), deque[float](maxlen=MAX_INTERVALS + 1)
        self._jpeg, self._changed_s = b"", monotonic()
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
        """Implement `Camera.capture`: return a frame that arrived after this call, at most `LAG_S` after its exposure."""
        return self._newest.capture(TIMEOUT_S)

    @property
    def rate_hz(self) -> float | None:
        """How many pictures arrive in a second; None if not enough have arrived yet."""
        times_s = tuple(self._times_s)
        intervals = len(times_s) - 1
        return intervals / (times_s[-1] - times_s[0]) if intervals >= INTERVALS else None

    @property
    def complaint(self) -> Message | None:
        """A message saying that the pictures stay the same or arrive slowly; None if neither is the case."""
        if monotonic() - self._changed_s > SAME_S:
            return Message(
                "The camera has sent the same picture for half a minute: if dice have moved since, restart the camera."
            )
        rate_hz = self.rate_hz
        rate = FEW_HZ if rate_hz is None else round(2 * rate_hz) / 2  # a steady sentence
        if rate >= FEW_HZ:
            return None
        return Message(
            "The camera sends only %(rate)s pictures a second, so throws are read late and short rolls are missed: "
            "use the address of its video, or a smaller size.",
            rate=rate,
        )

    def close(self) -> None:
        """Close the stream, or give up if the server hangs, because an open stream occupies no hardware here."""
        self._stop.set()
        self._newest.close()
        self._thread.join(CLOSING_S)

    def _read(self) -> None:
        while not self._stop.is_set():
            self._times_s.clear()
            try:
                with closing(self._open(self._url)) as pictures:
                    for picture in pictures:
                        if self._stop.is_set():
                            return
                        self._put(picture)
            except CameraError as error:
                if self._newest.picture is None or isinstance(error, LoginRefusedError):
                    self._newest.fail(error)
                    return
                self._newest.no_pictures = error.message
            except OSError:  # it does not answer
                pass
            self._stop.wait(RETRY_S)

    def _put(self, picture: ArrivedPicture) -> None:
        data = picture.data if isinstance(picture, SinglePicture) else b""
        jpeg = data if isinstance(data, bytes) else b""
        if not jpeg or jpeg != self._jpeg:
            self._jpeg, self._changed_s = jpeg, monotonic()
        self._newest.put(picture)
        self._times_s.append(monotonic())
        if (rate_hz := self.rate_hz) and rate_hz < 1 / SLOWEST_S:
            self._stop.set()
            words = Message(
                "the camera sends a picture only every %(seconds)s seconds, and Traykeeper needs one a second: use "
                "the address of its video, or a smaller size",
                seconds=round(1 / rate_hz, 1),
            )
            self._newest.fail(CameraError(words))

    def _finish(self, image: Image) -> Image:
        if image.shape[1] > self._tuning.width_px:
            image = scaled(image, self._tuning.width_px)
        return rotated(image, self._tuning.rotation)
