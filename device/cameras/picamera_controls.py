"""Lets a libcamera camera find exposure, white balance and focus, and holds them.

Exposure and gain are held by setting values, never by switching AeEnable off: both together race.
They are let go by zeros and by AeEnable: which of the two is heard depends on libcamera's version.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from device.cameras.controls import HeldLight, Tuning, flicker_free

log = logging.getLogger(__name__)

Metadata = dict[str, Any]
Frames = Callable[[], Metadata]
"""Gives what libcamera says about the next frame."""

SETTLE_FRAMES = 90
"""Three seconds at 30 frames a second: libcamera needs about one."""

CALM_FRAMES = 8
CALM = 0.02
"""So many frames that differ by less than this are settled."""

TAKE_UP_FRAMES = 12
"""A control takes effect within some 4 frames; the next of the sensor's lines is near enough."""

AUTOFOCUS_S = 6.0
"""A scan takes one to two seconds; some never end."""

MANUAL = 1
"""libcamera's AeFlickerModeEnum.FlickerManual."""

AF_MANUAL = 0
"""libcamera's AfModeEnum.Manual."""


class Settling:
    """The controls of one camera.

    Args:
        camera: a started Picamera2.
        frames: gives the metadata of its next frame.
        tuning: what to hold; what it leaves open is looked for.
    """

    def __init__(self, camera: Any, frames: Frames, tuning: Tuning) -> None:
        self._camera, self._frames = camera, frames
        self.tuning = tuning

    def begin(self) -> None:
        """Set what is known, look for the rest."""
        self._set(AeFlickerMode=MANUAL, AeFlickerPeriod=self.tuning.half_period_us)
        if self.tuning.focus_dpt is None:
            self.refocus()
        else:
            self._focus(self.tuning.focus_dpt)
        if self.tuning.light is None:
            self.relock_exposure()
        else:
            self._hold(self.tuning.light)

    def relock_exposure(self) -> None:
        """Let exposure and white balance go, wait until they stand still, hold them."""
        self._set(AeEnable=True, AwbEnable=True, ExposureTime=0, AnalogueGain=0.0)
        metadata = self._settled()
        light = None if metadata is None else self._light(metadata)
        self.tuning = replace(self.tuning, light=light)
        if light:
            self._hold(light)

    def refocus(self) -> float | None:
        """Focus once, and stay there."""
        if not self._has("AfMode", "LensPosition"):
            return None
        try:
            self._camera.autofocus_cycle(wait=AUTOFOCUS_S)
        except TimeoutError:
            log.warning("the autofocus found nothing sharp: it stays where it is")
            self._camera.cancel_all_and_flush()
        focus_dpt = float(self._frames()["LensPosition"])
        self._focus(focus_dpt)
        self.tuning = replace(self.tuning, focus_dpt=focus_dpt)
        return focus_dpt

    def _focus(self, focus_dpt: float) -> None:
        self._set(AfMode=AF_MANUAL, LensPosition=focus_dpt)

    def _hold(self, light: HeldLight) -> None:
        self._set(ExposureTime=light.exposure_us, AnalogueGain=light.gain)
        if light.red is not None and light.blue is not None:
            self._set(ColourGains=(light.red, light.blue))
        for _ in range(TAKE_UP_FRAMES):
            if _near(self._frames().get("ExposureTime", 0), light.exposure_us):
                return

    def _light(self, metadata: Metadata) -> HeldLight:
        """What this frame was exposed with, made free of flicker."""
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

    def _settled(self) -> Metadata | None:
        """The first frame of those that no longer change; None where the camera tells nothing."""
        metadata, calm = self._frames(), 0
        if "ExposureTime" not in metadata or not self._has("ExposureTime", "AnalogueGain"):
            return None
        for _ in range(SETTLE_FRAMES):
            newer = self._frames()
            calm = calm + 1 if _alike(metadata, newer) else 0
            metadata = newer
            if calm == CALM_FRAMES:
                break
        return metadata

    def _has(self, *names: str) -> bool:
        return all(name in self._camera.camera_controls for name in names)

    def _set(self, **controls: Any) -> None:
        """Set those that this camera has."""
        there = {name: value for name, value in controls.items() if self._has(name)}
        if there:
            self._camera.set_controls(there)


def _alike(old: Metadata, new: Metadata) -> bool:
    return all(_near(a, b) for a, b in zip(_amounts(old), _amounts(new), strict=True))


def _amounts(metadata: Metadata) -> tuple[float, ...]:
    """How much light is taken in all, and in red and blue."""
    amount = metadata["ExposureTime"] * metadata["AnalogueGain"] * metadata.get("DigitalGain", 1.0)
    return (amount, *(metadata.get("ColourGains") or ()))


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= CALM * max(abs(a), abs(b))
