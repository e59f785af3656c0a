"""Focus, exposure and white balance of a libcamera camera: found once, then kept fixed.

Exposure and gain are fixed by setting their values, never by switching AeEnable off, because doing both
causes a race condition. They are released by setting zeros as well as AeEnable, because some versions of
libcamera obey the zeros and others AeEnable.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from device.cameras.controls import HeldLight, Tuning, flicker_free
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
