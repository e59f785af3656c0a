"""Occasional comparisons of the tray with its profile, to notice when the tray has moved or the light has changed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from calibration.drift import Drift, measure_drift
from calibration.profile import Profile
from device.calibrating.profile_file import ProfileStore
from device.cameras.base import PREVIEW_WIDTH_PX, Camera, Frame, Image, scaled
from game.message import Message
from vision import Problem, Reading, read

MIN_RELOCK_S = 600.0
"""Shortest time between two adjustments of the exposure, in seconds. Each one interrupts the tray watch."""

MOVED = Message("The tray or the camera has moved: calibrate again.")
DARKER = Message("It is darker than during calibration: turn on the light, or calibrate again.")
LIGHTER = Message("It is brighter than during calibration: calibrate again if dice are not read.")


@dataclass(frozen=True, slots=True)
class Drifted:
    """The changes since the profile was made.

    Attributes:
        words: A sentence about the change; None if nothing has changed.
        has_moved: Whether the tray or the camera has moved.
        should_relock: Whether the camera should adjust its exposure again.
    """

    words: Message | None
    has_moved: bool = False
    should_relock: bool = False


class DriftWatch:
    """Compares previews of the tray at rest with the profile.

    Args:
        profiles: The store that holds the calibration profile.
        post: Called with each change once two successive previews show it, and when the change is
            over. While the light stays changed, the function is called again each time the exposure
            should be adjusted.
        clock: Monotonic clock in seconds.

    Attributes:
        found: The change that was posted last. Other threads may read it, because it is replaced and
            never modified.
    """

    def __init__(
        self,
        profiles: ProfileStore,
        post: Callable[[Drifted], object],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._profiles, self._post, self._clock = profiles, post, clock
        self._last: Message | None = None
        self._posted: Message | None = None
        self.found = Drifted(None)
        self._relocked_s: float | None = None

    def compare(self, frame: Frame, camera: Camera) -> None:
        """Compare a preview with the profile.

        Args:
            frame: A preview of the tray at rest, without a hand in it.
            camera: The camera that took the preview.
        """
        profile = self._comparable_profile(camera.name)
        if profile is None:
            return
        found = _measure(frame.image, profile)
        words = _words(found)
        if words == self._last:
            self._confirm(Drifted(words, found.has_tray_moved, self._should_relock(found)))
        self._last = words

    def check_for_move(self, reading: Reading, image: Image, camera: str) -> Reading:
        """Return a reading that is uncertain if the tray has moved. Any thread may call this.

        Args:
            reading: The reading of the tray where the profile says that it is.
            image: The frame that was read, (height, width, 3) BGR.
            camera: Name of the camera that took the frame.
        """
        profile = self._comparable_profile(camera)
        return reading if profile is None else check_for_move(reading, image, profile)

    def forget(self) -> None:
        """Forget the last change, because there is a new profile."""
        self.found, self._last, self._posted = Drifted(None), None, None

    def _comparable_profile(self, camera: str) -> Profile | None:
        """Return the profile of this camera, or None if there is none, or nothing in it to compare a frame with."""
        profile = self._profiles.profile_for(camera)
        return profile if profile and profile.sides else None

    def _confirm(self, drifted: Drifted) -> None:
        if drifted.words != self._posted or drifted.should_relock:
            self._posted, self.found = drifted.words, drifted
            self._post(drifted)

    def _should_relock(self, found: Drift) -> bool:
        now_s = self._clock()
        recent = self._relocked_s is not None and now_s - self._relocked_s < MIN_RELOCK_S
        if not found.has_light_changed or recent:
            return False
        self._relocked_s = now_s
        return True


def check_for_move(reading: Reading, image: Image, profile: Profile) -> Reading:
    """Return a reading that is uncertain if the tray has moved since the calibration, and the whole frame shows other dice.

    Args:
        reading: The reading of the tray where the profile says that it is.
        image: The frame that was read, (height, width, 3) BGR.
        profile: The profile.
    """
    if not _measure(scaled(image, PREVIEW_WIDTH_PX), profile).has_tray_moved:
        return reading
    whole = read(image)
    has_as_many = len(whole.dice) == len(reading.dice_in_tray)
    if has_as_many and (whole.values == reading.values or not reading.is_sure):
        return reading
    return replace(reading, problems=(*reading.problems, Problem.MOVED), ms=reading.ms + whole.ms)


def _measure(image: Image, profile: Profile) -> Drift:
    """Return the changes since the profile was made."""
    height, width = image.shape[:2]
    return measure_drift(image, profile.tray.in_px(width, height), profile.sides, profile.level)


def _words(found: Drift) -> Message | None:
    if found.has_tray_moved:
        return MOVED
    if found.has_light_changed:
        return DARKER if found.brightness_ratio < 1 else LIGHTER
    return None
