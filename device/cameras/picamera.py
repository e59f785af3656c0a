"""The Raspberry Pi's own cameras, through picamera2.

picamera2 comes from Raspberry Pi OS and is imported here only, when a camera is opened.
"""

import importlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import monotonic
from types import ModuleType
from typing import Any

import cv2
import numpy as np

from device.cameras.base import PREVIEW_WIDTH_PX, CameraError, Frame, Image, read_only
from device.cameras.controls import WIDTH_PX, Tuning, rotated
from device.cameras.picamera_controls import Settling
from game.message import Message

log = logging.getLogger(__name__)

USUAL_SIZE_PX = (2304, 1296)
TIMEOUT_S = 2.0
CLOSING_S = 2.0
SAME_VIEW = 0.98  # modes that lose less of the sensor than this see the full field

_NO_PICTURES = Message("the camera gives no pictures: check the ribbon cable; it is tried again")

# What turns each format that libcamera delivers into BGR. Their names read from the last byte.
_TO_BGR = {
    "BGR888": cv2.COLOR_RGB2BGR,
    "XRGB8888": cv2.COLOR_BGRA2BGR,
    "XBGR8888": cv2.COLOR_RGBA2BGR,
    "YUV420": cv2.COLOR_YUV2BGR_I420,
    "NV12": cv2.COLOR_YUV2BGR_NV12,
    "NV21": cv2.COLOR_YUV2BGR_NV21,
}
_PLANAR = {"YUV420", "NV12", "NV21"}


def has_pi_camera() -> bool:
    """Whether picamera2 is installed and sees a camera."""
    try:
        return bool(_library().Picamera2.global_camera_info())
    except CameraError:
        return False


class Picamera2Camera:
    """A camera on the Pi's ribbon cable, or any other that libcamera knows.

    The main stream sees the sensor's full field; the small stream is for watching. Focus,
    exposure and white balance settle while it opens, unless the tuning tells them, and are held.

    Args:
        tuning: how it is turned and set.
    """

    tray = None
    aside = None

    def __init__(self, tuning: Tuning = Tuning()) -> None:  # noqa: B008 - it is frozen
        library = _library()
        if not library.Picamera2.global_camera_info():
            raise CameraError(
                Message(
                    "no camera found: switch off, check both ends of the ribbon cable, and try "
                    "rpicam-hello --list-cameras"
                )
            )
        self._rotation = tuning.rotation
        try:
            self._camera = library.Picamera2()
        except (RuntimeError, OSError, IndexError) as error:
            raise CameraError(_not_started(error)) from error
        try:
            self._streams = _configured(self._camera, tuning.width_px)
            self._camera.start()
            self._tells_exposure = "ExposureTime" in self._metadata()
            self._settling = Settling(self._camera, self._metadata, tuning)
            self._settling.begin()
        except (RuntimeError, OSError, IndexError) as error:
            self.close()  # else it stays in use, and cannot be opened again
            if isinstance(error, CameraError):
                raise
            raise CameraError(_not_started(error)) from error
        self.name = str(self._camera.camera_properties.get("Model", "camera"))

    @property
    def tuning(self) -> Tuning:
        return self._settling.tuning

    def relock_exposure(self) -> None:
        self._settling.relock_exposure()

    def refocus(self) -> float | None:
        return self._settling.refocus()

    def preview(self) -> Frame:
        return self._taken("lores", fresh=False)

    def capture(self) -> Frame:
        return self._taken("main", fresh=True)

    def close(self) -> None:
        """Give it back; a camera that hangs is left behind after some seconds."""
        closing = Thread(target=self._let_go, name="closing the camera", daemon=True)
        closing.start()
        closing.join(CLOSING_S)
        if closing.is_alive():
            log.warning("the camera hangs and cannot be closed: it is left behind")

    def _let_go(self) -> None:
        # What waits for a frame that never comes would stand before the order to stop.
        self._camera.cancel_all_and_flush()
        self._camera.close()

    def _taken(self, stream: str, *, fresh: bool) -> Frame:
        with self._request(fresh=fresh) as request:
            image = as_bgr(request.make_array(stream), self._streams[stream])
            return Frame(
                read_only(rotated(image, self._rotation)), _began_s(request.get_metadata())
            )

    def _metadata(self) -> dict[str, Any]:
        with self._request(fresh=False) as request:
            return dict(request.get_metadata())

    @contextmanager
    def _request(self, *, fresh: bool) -> Iterator[Any]:
        """A frame; the exposure of a `fresh` one began after this call."""
        called_s = monotonic()
        while monotonic() - called_s < TIMEOUT_S:
            request = self._next(flush=fresh and self._tells_exposure)
            try:
                if not fresh or _began_s(request.get_metadata()) >= called_s:
                    yield request
                    return
            finally:
                request.release()
        raise CameraError(_NO_PICTURES)

    def _next(self, *, flush: bool) -> Any:
        """picamera2 can wait for a fresh frame by itself where the camera tells its exposure."""
        try:
            return self._camera.capture_request(wait=TIMEOUT_S, flush=flush or None)
        except TimeoutError as error:
            raise CameraError(_NO_PICTURES) from error


def _not_started(error: Exception) -> Message:
    return Message(
        "the camera does not start (%(why)s): close other programs that use it", why=str(error)
    )


def as_bgr(array: Image, stream: dict[str, Any]) -> Image:
    """A stream's array as a picture; `stream` is its configuration, read back from the camera."""
    width, height = stream["size"]
    name = stream["format"]
    if name == "RGB888":
        return np.ascontiguousarray(array[:height, :width])
    if name not in _TO_BGR:
        raise CameraError(
            Message(
                "the camera delivers %(format)s: take one that can do RGB888 or YUV420", format=name
            )
        )
    if name in _PLANAR:
        array = array[: height * 3 // 2]
    # Lines may be padded at their end; after the conversion the padding is cut off.
    picture = cv2.cvtColor(np.ascontiguousarray(array), _TO_BGR[name])
    return np.ascontiguousarray(picture[:height, :width], np.uint8)


def _library() -> ModuleType:
    try:
        return importlib.import_module("picamera2")
    except ImportError as error:
        raise CameraError(
            Message(
                "picamera2 cannot be used (%(why)s): "
                "sudo apt install python3-picamera2 --no-install-recommends",
                why=str(error),
            )
        ) from error


def _configured(camera: Any, width_px: int) -> dict[str, dict[str, Any]]:
    """Set up the streams; what they became, which is not always what was asked for."""
    mode = _full_field(camera.sensor_modes)
    width, height = _at_most(width_px, mode["size"] if mode else USUAL_SIZE_PX)
    small = (PREVIEW_WIDTH_PX, 2 * round(PREVIEW_WIDTH_PX * height / width / 2))
    wish = {
        "main": {"size": (width, height), "format": "RGB888"},
        "lores": {"size": small, "format": "YUV420"},
        "buffer_count": 4,
    }
    if mode:
        wish["sensor"] = {"output_size": mode["size"], "bit_depth": mode["bit_depth"]}
    camera.configure(camera.create_video_configuration(**wish))
    streams = camera.camera_configuration()
    return {name: streams[name] for name in ("main", "lores")}


def _at_most(width_px: int, size: tuple[int, int]) -> tuple[int, int]:
    """That size, or as much smaller; even, as the camera wants it."""
    width, height = size
    if width <= width_px:
        return size
    return 2 * round(width_px / 2), 2 * round(height * width_px / width / 2)


def _full_field(modes: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The mode that sees the whole sensor with no more pixels than are useful."""
    known = [mode for mode in modes if "crop_limits" in mode]
    if not known:
        return None
    widest = max(_seen(mode) for mode in known)
    full = [mode for mode in known if _seen(mode) >= SAME_VIEW * widest]
    useful = [mode for mode in full if mode["size"][0] <= WIDTH_PX]
    if useful:
        return max(useful, key=lambda mode: mode["size"][0])
    return min(full, key=lambda mode: mode["size"][0])


def _seen(mode: dict[str, Any]) -> int:
    """How much of the sensor a mode uses, in the sensor's own pixels."""
    _, _, width, height = mode["crop_limits"]
    return int(width * height)


def _began_s(metadata: dict[str, Any]) -> float:
    """When the exposure began, on the clock of `time.monotonic`."""
    return float(metadata["SensorTimestamp"] / 1000 - metadata.get("ExposureTime", 0)) / 1e6
