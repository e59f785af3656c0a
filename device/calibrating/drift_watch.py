"""Looks now and then whether the tray still lies where the profile says, under the same light."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from calibration.drift import Drift, measure_drift
from device.calibrating.profile_store import ProfileStore
from device.cameras.base import Camera, Frame
from game.message import Message

AGAIN_S = 600.0
"""The exposure is not found again more often: each time the tray is not watched for seconds."""

MOVED = Message("The tray or the camera has moved: calibrate again.")
DARKER = Message("It is darker than when this was calibrated: light on, or calibrate again.")
LIGHTER = Message(
    "It is brighter than when this was calibrated: calibrate again if dice are not read."
)


@dataclass(frozen=True, slots=True)
class Drifted:
    """What changed since the profile was made: a sentence, None where nothing did.

    `resettle` asks for the exposure to be found again.
    """

    words: Message | None
    moved: bool = False
    resettle: bool = False


class DriftWatch:
    """Compares previews of a tray at rest with the profile.

    Args:
        profiles: where the profile is.
        post: takes what is found, when it is found twice running, and when it is over; again
            while the exposure is still to be found.
        clock: seconds that never run backwards.

    Attributes:
        found: what was told last; replaced, never changed.
    """

    def __init__(
        self,
        profiles: ProfileStore,
        post: Callable[[Drifted], object],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._profiles, self._post, self._clock = profiles, post, clock
        self._last: Message | None = None
        self._told: Message | None = None
        self.found = Drifted(None)
        self._resettled_s: float | None = None

    def look(self, frame: Frame, camera: Camera) -> None:
        """Take a preview of a tray at rest, with no hand in it."""
        profile = self._profiles.profile_for(camera.name)
        if profile is None or not profile.sides:
            return
        height, width = frame.image.shape[:2]
        quad = profile.tray.in_px(width, height)
        found = measure_drift(frame.image, quad, profile.sides, profile.level)
        words = _words(found)
        if words == self._last:
            self._found_twice(Drifted(words, found.has_tray_moved, self._may_resettle(found)))
        self._last = words

    def forget(self) -> None:
        """The profile was made anew."""
        self.found = Drifted(None)

    def _found_twice(self, drifted: Drifted) -> None:
        """It is told once; while the light stays changed, the exposure is tried again."""
        if drifted.words != self._told or drifted.resettle:
            self._told, self.found = drifted.words, drifted
            self._post(drifted)

    def _may_resettle(self, found: Drift) -> bool:
        now_s = self._clock()
        recent = self._resettled_s is not None and now_s - self._resettled_s < AGAIN_S
        if not found.has_light_changed or recent:
            return False
        self._resettled_s = now_s
        return True


def _words(found: Drift) -> Message | None:
    if found.has_tray_moved:
        return MOVED
    if found.has_light_changed:
        return DARKER if found.brightness_ratio < 1 else LIGHTER
    return None
