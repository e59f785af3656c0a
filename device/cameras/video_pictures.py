"""The pictures of a video that FFmpeg receives, such as H.264 over RTSP."""

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any

import av
import numpy as np
from av.error import FFmpegError, HTTPClientError, HTTPServerError

from device.cameras.base import CameraError, Image
from device.cameras.http_pictures import NOT_PICTURES, REFUSED, answer_error

STATUS = {
    av.error.HTTPUnauthorizedError: 401,
    av.error.HTTPForbiddenError: 403,
    av.error.HTTPNotFoundError: 404,
    av.error.HTTPServerError: 500,
}
"""The status of the camera's answer for each error of FFmpeg."""

STEADY_S = 10.0
"""Time in which at least one packet of a video arrives without delay, in seconds."""

CATCH_UP_S = 0.5
"""Longest time for which the decoder tries to catch up with the camera, in seconds."""


def video_pictures(url: str, open_s: float, read_s: float) -> Iterator["VideoPicture"]:
    """Yield the pictures of a video as they arrive, until the stream breaks off.

    Args:
        url: The address of the video.
        open_s: Longest time to wait until the stream is open, in seconds.
        read_s: Longest time to wait for a packet, in seconds.

    Raises:
        CameraError: If the address gives no video. `LoginRefusedError` if the user may not see it.
        OSError: If the camera does not answer in time, or the stream breaks off.
    """
    av.logging.set_level(None)  # FFmpeg's messages may show the password
    options = {"rtsp_transport": "tcp", "allowed_media_types": "video", "flags": "low_delay"}
    try:
        with av.open(url, options=options, timeout=(open_s, read_s)) as container:
            stream = container.streams.video[0]
            decoder = _Decoder(stream.codec_context)
            for packet in container.demux(stream):
                if packet.size:
                    yield decoder.add(packet)
    # FFmpeg's own words contain the address with the password.
    except (HTTPClientError, HTTPServerError) as error:
        raise answer_error(STATUS.get(type(error), 400)) from None
    except av.error.ConnectionRefusedError:
        raise CameraError(REFUSED) from None
    except (av.error.InvalidDataError, IndexError):
        raise CameraError(NOT_PICTURES) from None
    except FFmpegError:
        raise OSError from None


class _Decoder:
    """Decodes the packets of a video in order, as far as somebody asks for pictures and this machine is fast enough.

    A picture of a video needs those before it, back to a key frame. The decoder goes on with the next key frame if
    it has arrived already, or if there are more packets than can be decoded in `CATCH_UP_S`.

    When a packet arrived is found from the time stamp that the camera gave it. The time at which it is read would be
    too late for a packet that had to wait, while FFmpeg was still looking for the format or this process was stopped.
    The two clocks have no common start, but the packet that is read soonest after its time stamp shows the difference.
    """

    def __init__(self, codec: Any) -> None:
        self._offsets_s = (float("inf"), float("inf"))
        self._began_s = monotonic()
        self._codec, self._lock = codec, Lock()
        self._pending: deque[VideoPicture] = deque()
        self._needs_key_frame = True
        self._decoding: dict[int | None, VideoPicture] = {}
        self._last: tuple[av.VideoFrame, VideoPicture] | None = None

    def add(self, packet: Any) -> "VideoPicture":
        """Add a packet that was read just now, and return its picture."""
        stamp_s = None if packet.dts is None else float(packet.dts * packet.time_base)
        if stamp_s is not None:
            self._note_arrival(stamp_s)
        picture = VideoPicture(self, packet, stamp_s, monotonic())
        with self._lock:
            if packet.is_keyframe:
                self._pending.clear()
                self._needs_key_frame = False
            if not self._needs_key_frame:
                self._pending.append(picture)
        return picture

    def _note_arrival(self, stamp_s: float) -> None:
        now_s = monotonic()
        if now_s - self._began_s > STEADY_S:  # the clocks drift, and a camera may set its own
            self._offsets_s, self._began_s = (self._offsets_s[1], float("inf")), now_s
        self._offsets_s = (self._offsets_s[0], min(self._offsets_s[1], now_s - stamp_s))

    def arrival_of(self, stamp_s: float) -> float:
        """Return when the packet with this time stamp arrived, in seconds."""
        return stamp_s + min(self._offsets_s)

    def decode(self) -> "tuple[av.VideoFrame, VideoPicture] | None":
        """Decode packets, and return the newest image and its picture; None before the first image."""
        end_s = monotonic() + CATCH_UP_S
        while picture := self._next(is_late=monotonic() > end_s):
            if picture.packet.is_keyframe:
                self._decoding.clear()
            self._decoding[picture.packet.pts] = picture
            with suppress(FFmpegError):  # a broken packet
                for frame in self._codec.decode(picture.packet):
                    if found := self._decoding.pop(frame.pts, None):
                        self._last = frame, found
        return self._last

    def _next(self, *, is_late: bool) -> "VideoPicture | None":
        with self._lock:
            if is_late and self._pending:
                self._pending.clear()
                self._needs_key_frame = True
            return self._pending.popleft() if self._pending else None


@dataclass(frozen=True, slots=True, eq=False)
class VideoPicture:
    """A picture of a video.

    Attributes:
        decoder: The decoder of the video.
        packet: The packet with the picture.
        stamp_s: The time stamp of the packet, in seconds on the camera's clock; None if it has none.
        read_s: When the packet was read, in seconds.
    """

    decoder: _Decoder
    packet: Any
    stamp_s: float | None
    read_s: float

    @property
    def time_s(self) -> float:
        """Implement `ArrivedPicture.time_s`: when the packet arrived."""
        if self.stamp_s is None:
            return self.read_s
        return self.decoder.arrival_of(self.stamp_s)

    def decode(self, reduction: int) -> tuple[Image, float] | None:
        """Implement `ArrivedPicture.decode`."""
        found = self.decoder.decode()
        if found is None:
            return None
        frame, picture = found
        width, height = (-(-length // reduction) for length in (frame.width, frame.height))
        image = frame.to_ndarray(format="bgr24", width=width, height=height)
        return np.asarray(image, np.uint8), picture.time_s
