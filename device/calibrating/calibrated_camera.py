"""A camera whose tray and set-aside area are taken from the stored profile."""

from collections.abc import Callable

from calibration.outline import Outline
from device.calibrating.profile_store import ProfileStore
from device.cameras.base import Camera, Frame
from device.cameras.controls import Tunable, Tuning, complaint_of
from game.message import Message
from vision.reading import Quad


class CalibratedCamera:
    """A camera that takes the position of its tray from the profile or, if there is none, from the wrapped camera.

    Args:
        camera: The camera to wrap.
        profiles: The store that holds the calibration profile. A profile that is saved later takes effect at once.
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
        """The corners of the tray's floor, in pixels of a frame from `capture`; None until they are known."""
        profile = self._profiles.profile_for(self.name)
        return self._in_px(profile.tray) if profile else self._camera.tray

    @property
    def aside(self) -> Quad | None:
        """The corners of the set-aside area, in pixels of a frame from `capture`; None if there is no such area."""
        profile = self._profiles.profile_for(self.name)
        return self._in_px(profile.aside) if profile else self._camera.aside

    def preview(self) -> Frame:
        """Implement `Camera.preview`: return a small frame from the wrapped camera."""
        return self._camera.preview()

    def capture(self) -> Frame:
        """Implement `Camera.capture`: return a full frame from the wrapped camera."""
        frame = self._camera.capture()
        height, width = frame.image.shape[:2]
        self._size = width, height
        return frame

    def close(self) -> None:
        """Implement `Camera.close`: close the wrapped camera."""
        self._camera.close()

    def _in_px(self, outline: Outline | None) -> Quad | None:
        """Return an outline in pixels; None until the first `capture`, which reveals the size of a frame."""
        if outline is None or self._size is None:
            return None
        return outline.in_px(*self._size)


class CalibratedTunable(CalibratedCamera):
    """A calibrated camera whose focus and exposure can be set.

    Args:
        camera: The camera to wrap.
        profiles: The store that holds the calibration profile.
    """

    def __init__(self, camera: Tunable, profiles: ProfileStore) -> None:
        super().__init__(camera, profiles)
        self._tunable = camera

    @property
    def tuning(self) -> Tuning:
        """The current settings of the camera."""
        return self._tunable.tuning

    @property
    def complaint(self) -> Message | None:
        """A message naming the settings that the camera did not accept; None if it accepted them all."""
        return complaint_of(self._tunable)

    def relock_exposure(self) -> None:
        """Implement `Tunable.relock_exposure`: let exposure and white balance adapt, then fix them."""
        self._tunable.relock_exposure()

    def refocus(self) -> float | None:
        """Implement `Tunable.refocus`: focus, and return the position of the lens, or None if it is not known."""
        return self._tunable.refocus()


def with_profile(camera: Camera, profiles: ProfileStore) -> Camera:
    """Wrap a camera so that it takes the position of its tray from the profile.

    Args:
        camera: The camera.
        profiles: The store that holds the calibration profile.
    """
    return (
        CalibratedTunable(camera, profiles)
        if isinstance(camera, Tunable)
        else CalibratedCamera(camera, profiles)
    )


def calibrated_opener(
    open_camera: Callable[[], Camera], profiles: ProfileStore
) -> Callable[[], Camera]:
    """Return a function that opens a camera that takes the position of its tray from the profile.

    Args:
        open_camera: Opens the camera.
        profiles: The store that holds the calibration profile.
    """
    return lambda: with_profile(open_camera(), profiles)
