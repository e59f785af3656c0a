"""The Raspberry Pi's own cameras, accessed through picamera2.

picamera2 comes with Raspberry Pi OS; it is imported only when a camera is opened.

Exposure and gain are fixed by setting their values, never by switching AeEnable off, because doing both
causes a race condition. They are released by setting zeros as well as AeEnable, because some versions of
libcamera obey the zeros and others AeEnable.
"""

import importlib
import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from threading import Thread
from time import monotonic
from types import ModuleType
from typing import Any

import cv2
import numpy as np

from device.cameras.base import (
    PREVIEW_WIDTH_PX,
    CameraError,
    CameraStuckError,
    Frame,
    Image,
    read_only,
)
from device.cameras.controls import WIDTH_PX, HeldLight, Tuning, flicker_free, rotated
from device.machine_fit import is_raspberry_pi
from game.errors import reason
from game.message import Message

log = logging.getLogger(__name__)

Metadata = dict[str, Any]
NextMetadata = Callable[[], Metadata]
"""A function that returns what libcamera reports about the next frame."""

SETTLE_FRAMES = 90
"""Largest number of frames to wait for the exposure to settle: three seconds at 30 frames a second.

libcamera needs about one second."""

STEADY_FRAMES = 8
MAX_STEADY_CHANGE = 0.02
"""The exposure has settled once `STEADY_FRAMES` successive frames differ by less than this fraction."""

APPLY_FRAMES = 12
"""Largest number of frames to wait until a control takes effect, which usually takes about 4 frames."""

AUTOFOCUS_S = 6.0
"""Longest time to wait for one autofocus scan, in seconds: a scan takes one to two seconds, but some never end."""

FOCUS_TRIES = 2
"""Number of autofocus scans before giving up, so few that endless scans do not make a camera count as hung."""

NOT_SHARP = Message(
    'The camera could not focus on anything: put the dice into the tray and tap "Focus '
    'again" in the calibration.'
)

FLICKER_MANUAL = 1
"""libcamera's AeFlickerModeEnum.FlickerManual."""

AF_MANUAL = 0
"""libcamera's AfModeEnum.Manual."""


class PicameraControls:
    """The focus, exposure and white balance of one camera, which are found once and then kept fixed.

    Args:
        camera: A `Picamera2` that has been started.
        next_metadata: Returns the metadata of the camera's next frame.
        tuning: The settings to use. Settings that it leaves open are found automatically.

    Attributes:
        tuning: The current settings.
        complaint: A message saying that the lens could not be focused; None if it could, or if it is
            a fixed lens.
    """

    def __init__(self, camera: Any, next_metadata: NextMetadata, tuning: Tuning) -> None:
        self._camera, self._next_metadata = camera, next_metadata
        self.tuning = tuning
        self.complaint: Message | None = None

    def apply(self) -> None:
        """Set the focus, exposure and white balance that `tuning` contains, and find the rest."""
        self._set(AeFlickerMode=FLICKER_MANUAL, AeFlickerPeriod=self.tuning.half_period_us)
        if self.tuning.focus_dpt is None:
            self.refocus()
        else:
            self._focus(self.tuning.focus_dpt)
        if self.tuning.light is None:
            self.relock_exposure()
        else:
            self._hold(self.tuning.light)

    def relock_exposure(self) -> None:
        """Release exposure and white balance, wait until they have settled, and fix them again."""
        self._set(AeEnable=True, AwbEnable=True, ExposureTime=0, AnalogueGain=0.0)
        metadata = self._wait_until_settled()
        light = None if metadata is None else self._light(metadata)
        self.tuning = replace(self.tuning, light=light)
        if light:
            self._hold(light)

    def refocus(self) -> float | None:
        """Focus once, and keep the lens at that position.

        Returns:
            The position of the lens in dioptres; None if it is a fixed lens or nothing sharp was
            found. In the latter case, the lens stays where it is, and the camera focuses again the
            next time it is opened.
        """
        if not self._has("AfMode", "LensPosition"):
            return None
        is_sharp = any(self._scan() for _ in range(FOCUS_TRIES))
        focus_dpt = float(self._next_metadata()["LensPosition"])
        self._focus(focus_dpt)
        self.complaint = None if is_sharp else NOT_SHARP
        found_dpt = focus_dpt if is_sharp else None
        self.tuning = replace(self.tuning, focus_dpt=found_dpt)
        return found_dpt

    def _scan(self) -> bool:
        """Run one autofocus scan, and return whether it found a sharp position."""
        try:
            is_sharp = bool(self._camera.autofocus_cycle(wait=AUTOFOCUS_S))
        except TimeoutError:
            self._camera.cancel_all_and_flush()
            is_sharp = False
        if not is_sharp:
            log.warning("autofocus found nothing sharp")
        return is_sharp

    def _focus(self, focus_dpt: float) -> None:
        self._set(AfMode=AF_MANUAL, LensPosition=focus_dpt)

    def _hold(self, light: HeldLight) -> None:
        self._set(ExposureTime=light.exposure_us, AnalogueGain=light.gain)
        if light.red is not None and light.blue is not None:
            self._set(ColourGains=(light.red, light.blue))
        for _ in range(APPLY_FRAMES):
            if _near(self._next_metadata().get("ExposureTime", 0), light.exposure_us):
                return

    def _light(self, metadata: Metadata) -> HeldLight:
        """Return the exposure and white balance of a frame, adjusted so that lamps show no flicker."""
        least_gain, most_gain = self._camera.camera_controls["AnalogueGain"][:2]
        exposure_us, gain = flicker_free(
            metadata["ExposureTime"],
            metadata["AnalogueGain"] * metadata.get("DigitalGain", 1.0),
            half_period_us=self.tuning.half_period_us,
            longest_us=float(metadata.get("FrameDuration") or metadata["ExposureTime"]),
            least_gain=max(1.0, least_gain),
            most_gain=most_gain,
        )
        red, blue = metadata.get("ColourGains") or (None, None)
        return HeldLight(exposure_us, gain, red, blue)

    def _wait_until_settled(self) -> Metadata | None:
        """Wait until the exposure is steady, at most `SETTLE_FRAMES` frames, and return the metadata of the last one.

        Return None if the camera does not report its exposure.
        """
        metadata, steady = self._next_metadata(), 0
        if "ExposureTime" not in metadata or not self._has("ExposureTime", "AnalogueGain"):
            return None
        for _ in range(SETTLE_FRAMES):
            newer = self._next_metadata()
            steady = steady + 1 if _alike(metadata, newer) else 0
            metadata = newer
            if steady == STEADY_FRAMES:
                break
        return metadata

    def _has(self, *names: str) -> bool:
        return all(name in self._camera.camera_controls for name in names)

    def _set(self, **controls: Any) -> None:
        """Set the given controls, except those that this camera does not have."""
        available = {name: value for name, value in controls.items() if self._has(name)}
        if available:
            self._camera.set_controls(available)


def _alike(old: Metadata, new: Metadata) -> bool:
    return all(
        _near(a, b) for a, b in zip(_exposure_values(old), _exposure_values(new), strict=True)
    )


def _exposure_values(metadata: Metadata) -> tuple[float, ...]:
    """Return the total exposure of a frame (time multiplied by gain), then its red and blue gains if reported."""
    amount = metadata["ExposureTime"] * metadata["AnalogueGain"] * metadata.get("DigitalGain", 1.0)
    return (amount, *(metadata.get("ColourGains") or ()))


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= MAX_STEADY_CHANGE * max(abs(a), abs(b))


USUAL_SIZE_PX = (2304, 1296)
TIMEOUT_S = 2.0
CLOSING_S = 2.0
MIN_FIELD_SHARE = 0.98  # a mode that uses at least this much of the sensor sees the full field

_NO_PICTURES = Message(
    "the camera is not sending any pictures: check the ribbon cable; Traykeeper will try again"
)

# How each libcamera format is converted to BGR. The names list the channels from the last byte to the first.
_TO_BGR = {
    "BGR888": cv2.COLOR_RGB2BGR,
    "XRGB8888": cv2.COLOR_BGRA2BGR,
    "XBGR8888": cv2.COLOR_RGBA2BGR,
    "YUV420": cv2.COLOR_YUV2BGR_I420,
    "NV12": cv2.COLOR_YUV2BGR_NV12,
    "NV21": cv2.COLOR_YUV2BGR_NV21,
}
_PLANAR = {"YUV420", "NV12", "NV21"}


_USB_ID = re.compile(r"usb|-[0-9a-f]{4}:[0-9a-f]{4}$", re.IGNORECASE)
"""A pattern in libcamera's ids of USB cameras. On machines other than a Pi, such an id ends with vendor and product."""


@dataclass(frozen=True, slots=True)
class PiCamera:
    """A camera on a ribbon cable.

    Attributes:
        number: The N in `picamera2:N`.
        model: Name of the camera's sensor, such as "imx708".
        libcamera_number: The number that picamera2 needs to open the camera.
    """

    number: int
    model: str
    libcamera_number: int


def pi_cameras() -> list[PiCamera]:
    """Return the cameras that libcamera finds, except USB cameras, which `UsbCamera` opens.

    Raises:
        CameraError: If picamera2 or libcamera does not work.
    """
    library = _import_picamera2()
    try:
        found = library.Picamera2.global_camera_info()
    except Exception as error:
        raise CameraError(
            Message(
                "libcamera cannot list the cameras (%(why)s): restart the Pi and, if that does not "
                "help, run `sudo apt full-upgrade`",
                why=reason(error),
            )
        ) from error
    ours = [
        (place, info)
        for place, info in enumerate(found)
        if not _USB_ID.search(str(info.get("Id", "")))
    ]
    return [
        PiCamera(number, str(info.get("Model", "camera")), int(info.get("Num", place)))
        for number, (place, info) in enumerate(ours)
    ]


def expects_pi_camera() -> bool:
    """Return whether this machine is a Raspberry Pi or has picamera2, so that dice are never simulated unasked."""
    return is_raspberry_pi() or find_spec("picamera2") is not None


class Picamera2Camera:
    """A camera on the Pi's ribbon cable, or any other that libcamera finds, except a USB camera.

    The main stream shows the full field of the sensor; a small stream is for previews. Focus,
    exposure and white balance are found while the camera opens, unless `tuning` contains them, and
    then stay fixed.

    Args:
        tuning: The settings of the camera.
        number: Which of the Pi's cameras to open, from 0.

    Raises:
        CameraError: If there is no camera or it does not start.
    """

    tray = None
    aside = None

    def __init__(
        self,
        tuning: Tuning = Tuning(),  # noqa: B008 - it is frozen
        number: int = 0,
    ) -> None:
        cameras = pi_cameras()
        if number and number >= len(cameras):
            raise CameraError(
                Message(
                    "there is no camera picamera2:%(number)s: choose one that `traykeeper "
                    "cameras` lists",
                    number=str(number),
                )
            )
        if not cameras:
            raise CameraError(
                Message(
                    "no camera found: turn the Pi off and check both ends of the ribbon cable, or "
                    "choose another camera: `traykeeper cameras` lists them"
                )
            )
        self._rotation = tuning.rotation
        picamera2 = _import_picamera2().Picamera2
        self._camera = picamera2.__new__(picamera2)
        try:
            self._camera.__init__(cameras[number].libcamera_number)
        except Exception as error:
            with suppress(AttributeError, OSError):  # picamera2 leaves this end of its pipe open
                os.close(self._camera.notifyme_w)
            raise CameraError(_not_started(error)) from error
        try:
            self._streams = _configure(self._camera, tuning.width_px)
            self._camera.start()
            self._reports_exposure = "ExposureTime" in self._metadata()
            self._controls = PicameraControls(self._camera, self._metadata, tuning)
            self._controls.apply()
        except Exception as error:
            self.close()  # otherwise the camera stays in use and cannot be reopened
            if isinstance(error, CameraError):
                raise
            raise CameraError(_not_started(error)) from error
        model = str(self._camera.camera_properties.get("Model", "camera"))
        self.name = f"{model} ({number})" if number else model

    @property
    def complaint(self) -> Message | None:
        """A message saying that the lens could not be focused; None if it could, or if it is a fixed lens."""
        return self._controls.complaint

    @property
    def tuning(self) -> Tuning:
        """Implement `Tunable.tuning`: the current settings."""
        return self._controls.tuning

    def relock_exposure(self) -> None:
        """Implement `Tunable.relock_exposure`: let exposure and white balance adapt, then fix them."""
        self._controls.relock_exposure()

    def refocus(self) -> float | None:
        """Implement `Tunable.refocus`: focus, and return the position of the lens, or None if it is not known."""
        return self._controls.refocus()

    def preview(self) -> Frame:
        """Implement `Camera.preview`: return a small frame."""
        return self._take("lores", fresh=False)

    def capture(self) -> Frame:
        """Implement `Camera.capture`: return a full frame whose exposure began after this call."""
        return self._take("main", fresh=True)

    def close(self) -> None:
        """Implement `Camera.close`: release the camera, or give up after `CLOSING_S` seconds if it hangs."""
        closing = Thread(target=self._release, name="closing the camera", daemon=True)
        closing.start()
        closing.join(CLOSING_S)
        if closing.is_alive():
            log.warning("the camera hangs and cannot be closed; going on without closing it")
            raise CameraStuckError(closing)

    def _release(self) -> None:
        # A request that is waiting for a frame that never arrives would block the command to stop.
        self._camera.cancel_all_and_flush()
        self._camera.close()

    def _take(self, stream: str, *, fresh: bool) -> Frame:
        with self._request(fresh=fresh) as request:
            image = as_bgr(request.make_array(stream), self._streams[stream])
            return Frame(
                read_only(rotated(image, self._rotation)), _exposure_start_s(request.get_metadata())
            )

    def _metadata(self) -> dict[str, Any]:
        with self._request(fresh=False) as request:
            return dict(request.get_metadata())

    @contextmanager
    def _request(self, *, fresh: bool) -> Iterator[Any]:
        """Yield the next frame or, if `fresh` is true, the next frame whose exposure began after this call."""
        called_s = monotonic()
        while monotonic() - called_s < TIMEOUT_S:
            request = self._next(flush=fresh and self._reports_exposure)
            try:
                if not fresh or _exposure_start_s(request.get_metadata()) >= called_s:
                    yield request
                    return
            finally:
                request.release()
        raise CameraError(_NO_PICTURES)

    def _next(self, *, flush: bool) -> Any:
        """Return the next frame. If `flush` is true, frames that began before this call are skipped."""
        try:
            return self._camera.capture_request(wait=TIMEOUT_S, flush=flush or None)
        except TimeoutError as error:
            raise CameraError(_NO_PICTURES) from error


def _not_started(error: Exception) -> Message:
    return Message(
        "the camera does not start (%(why)s): close other programs that use it", why=reason(error)
    )


def as_bgr(array: Image, stream: dict[str, Any]) -> Image:
    """Convert an array from a camera stream to a BGR image.

    Args:
        array: The array as picamera2 delivers it, in the format of the stream.
        stream: Configuration of the stream, read back from the camera.

    Raises:
        CameraError: If the format of the stream is not known.
    """
    width, height = stream["size"]
    name = stream["format"]
    if name == "RGB888":
        return np.ascontiguousarray(array[:height, :width])
    if name not in _TO_BGR:
        raise CameraError(
            Message(
                "the camera sends %(format)s: use one that supports RGB888 or YUV420",
                format=name,
            )
        )
    if name in _PLANAR:
        array = array[: height * 3 // 2]
    # Lines may be padded at their end; the padding is cut off after the conversion.
    image = cv2.cvtColor(np.ascontiguousarray(array), _TO_BGR[name])
    return np.ascontiguousarray(image[:height, :width], np.uint8)


def _import_picamera2() -> ModuleType:
    """Import picamera2, whose packages raise any kind of error if they do not fit together."""
    try:
        return importlib.import_module("picamera2")
    except ModuleNotFoundError as error:
        raise CameraError(
            Message(
                "picamera2 or a part of it is not installed (%(why)s): run `sudo apt install python3-picamera2 "
                "--no-install-recommends`, then the installer again",
                why=reason(error),
            )
        ) from error
    except Exception as error:
        raise CameraError(
            Message(
                "picamera2 cannot be loaded (%(why)s): run `sudo apt full-upgrade`, restart the Pi "
                "and, if that does not help, update Traykeeper",
                why=reason(error),
            )
        ) from error


def _configure(camera: Any, width_px: int) -> dict[str, dict[str, Any]]:
    """Configure the streams of a camera, and return the configurations that the camera has chosen.

    Args:
        camera: A `Picamera2` that has not been started.
        width_px: Largest width of a full frame.

    Returns:
        The configuration of each stream, by its name: "main" and "lores".
    """
    mode = _full_field(camera.sensor_modes)
    width, height = _at_most(width_px, mode["size"] if mode else USUAL_SIZE_PX)
    small = (PREVIEW_WIDTH_PX, 2 * round(PREVIEW_WIDTH_PX * height / width / 2))
    wanted = {
        "main": {"size": (width, height), "format": "RGB888"},
        "lores": {"size": small, "format": "YUV420"},
        "buffer_count": 4,
    }
    if mode:
        wanted["sensor"] = {"output_size": mode["size"], "bit_depth": mode["bit_depth"]}
    camera.configure(camera.create_video_configuration(**wanted))
    streams = camera.camera_configuration()
    return {name: streams[name] for name in ("main", "lores")}


def _at_most(width_px: int, size: tuple[int, int]) -> tuple[int, int]:
    """Return the size (width, height) or, if it is wider than `width_px`, a smaller one with the same aspect ratio.

    The width and height of the smaller size are even.
    """
    width, height = size
    if width <= width_px:
        return size
    return 2 * round(width_px / 2), 2 * round(height * width_px / width / 2)


def _full_field(modes: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the widest full-field sensor mode up to `WIDTH_PX` pixels wide or, if all are wider, the narrowest.

    Return None if no mode reports which part of the sensor it uses.
    """
    known = [mode for mode in modes if "crop_limits" in mode]
    if not known:
        return None
    widest = max(_field_px(mode) for mode in known)
    full = [mode for mode in known if _field_px(mode) >= MIN_FIELD_SHARE * widest]
    useful = [mode for mode in full if mode["size"][0] <= WIDTH_PX]
    if useful:
        return max(useful, key=lambda mode: mode["size"][0])
    return min(full, key=lambda mode: mode["size"][0])


def _field_px(mode: dict[str, Any]) -> int:
    """Return the area of the sensor that a mode uses, in pixels of the sensor."""
    _, _, width, height = mode["crop_limits"]
    return int(width * height)


def _exposure_start_s(metadata: dict[str, Any]) -> float:
    """Return when the exposure of a frame began, in seconds on the clock of `time.monotonic`."""
    return float(metadata["SensorTimestamp"] / 1000 - metadata.get("ExposureTime", 0)) / 1e6
