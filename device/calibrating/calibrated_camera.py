"""A camera whose tray and set-aside area come from the profile."""

from collections.abc import Callable

from calibration.outline import Outline
from device.calibrating.profile_store import ProfileStore
from device.cameras.base import Camera, Frame
from device.cameras.controls import Tunable, Tuning, complaint_of
from game.message import Message
from vision.reading import Quad


class CalibratedCamera:
    """A camera with the tray of its profile, or its own tray without a profile.

    Args:
        camera: The camera.
        profiles: Where the profile is saved; a profile saved later counts at once.
    """

    def __init__(self, camera: Camera, profiles: ProfileStore) -> None:
        self._camera, self._profiles = camera, profiles
        self._size: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"<CalibratedCamera {self.name}, tray {self.tray}>"

    @property
    def name(self) -> str:
        """The name of the camera."""
        return self._camera.name

    @property
    def tray(self) -> Quad | None:
        """The floor of the tray in the frames of `capture`; None until it is known."""
        profile = self._profiles.profile_for(self.name)
        return self._in_px(profile.tray) if profile else self._camera.tray

    @property
    def aside(self) -> Quad | None:
        """The set-aside area in the frames of `capture`; None if there is none."""
        profile = self._profiles.profile_for(self.name)
        return self._in_px(profile.aside) if profile else self._camera.aside

    def preview(self) -> Frame:
        """Implement `Camera.preview`."""
        return self._camera.preview()

    def capture(self) -> Frame:
        """Implement `Camera.capture`."""
        frame = self._camera.capture()
        height, width = frame.image.shape[:2]
        self._size = width, height
        return frame

    def close(self) -> None:
        """Implement `Camera.close`."""
        self._camera.close()

    def _in_px(self, outline: Outline | None) -> Quad | None:
        """Return the outline in pixels; None until the first `capture`, which shows the size."""
        if outline is None or self._size is None:
            return None
        return outline.in_px(*self._size)


class CalibratedTunable(CalibratedCamera):
    """A calibrated camera whose focus and exposure can be set."""

    def __init__(self, camera: Tunable, profiles: ProfileStore) -> None:
        super().__init__(camera, profiles)
        self._tunable = camera

    @property
    def tuning(self) -> Tuning:
        """What the camera holds now."""
        return self._tunable.tuning

    @property
    def complaint(self) -> Message | None:
        """Which controls the camera did not take; None if it took all."""
        return complaint_of(self._tunable)

    def relock_exposure(self) -> None:
        """Implement `Tunable.relock_exposure`."""
        self._tunable.relock_exposure()

    def refocus(self) -> float | None:
        """Implement `Tunable.refocus`."""
        return self._tunable.refocus()


def with_profile(camera: Camera, profiles: ProfileStore) -> Camera:
    """Wrap a camera so that it knows the tray of its profile.

    Args:
        camera: The camera.
        profiles: Where the profile is saved.
    """
    return (
        CalibratedTunable(camera, profiles)
        if isinstance(camera, Tunable)
        else CalibratedCamera(camera, profiles)
    )


def calibrated_opener(
    open_camera: Callable[[], Camera], profiles: ProfileStore
) -> Callable[[], Camera]:
    """Return a function that opens the camera and wraps it.

    Args:
        open_camera: Opens the camera.
        profiles: Where the profile is saved.
    """
    return lambda: with_profile(open_camera(), profiles)
