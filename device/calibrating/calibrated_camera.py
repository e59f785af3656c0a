"""A camera whose tray and set-aside zone are those of the profile, as soon as there is one."""

from collections.abc import Callable

from calibration.outline import Outline
from device.calibrating.profile_store import ProfileStore
from device.cameras.base import Camera, Frame
from device.cameras.controls import Tunable, Tuning
from vision.reading import Quad


class CalibratedCamera:
    """Wraps a camera; without a profile made with it, it is as the camera itself says."""

    def __init__(self, camera: Camera, profiles: ProfileStore) -> None:
        self._camera, self._profiles = camera, profiles
        self._size: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"<CalibratedCamera {self.name}, tray {self.tray}>"

    @property
    def name(self) -> str:
        return self._camera.name

    @property
    def tray(self) -> Quad | None:
        profile = self._profiles.profile_for(self.name)
        return self._in_px(profile.tray) if profile else self._camera.tray

    @property
    def aside(self) -> Quad | None:
        profile = self._profiles.profile_for(self.name)
        return self._in_px(profile.aside) if profile else self._camera.aside

    def preview(self) -> Frame:
        return self._camera.preview()

    def capture(self) -> Frame:
        frame = self._camera.capture()
        height, width = frame.image.shape[:2]
        self._size = width, height
        return frame

    def close(self) -> None:
        self._camera.close()

    def _in_px(self, outline: Outline | None) -> Quad | None:
        """In the pictures of `capture`, of which one was taken before anybody asks."""
        if outline is None or self._size is None:
            return None
        return outline.in_px(*self._size)


class CalibratedTunable(CalibratedCamera):
    """The same for a camera that has a lens and an exposure to set."""

    def __init__(self, camera: Tunable, profiles: ProfileStore) -> None:
        super().__init__(camera, profiles)
        self._tunable = camera

    @property
    def tuning(self) -> Tuning:
        return self._tunable.tuning

    def resettle(self) -> None:
        self._tunable.resettle()

    def refocus(self) -> float | None:
        return self._tunable.refocus()


def with_profile(camera: Camera, profiles: ProfileStore) -> Camera:
    """The camera with the profile's tray."""
    return (
        CalibratedTunable(camera, profiles)
        if isinstance(camera, Tunable)
        else CalibratedCamera(camera, profiles)
    )


def calibrated_opener(
    open_camera: Callable[[], Camera], profiles: ProfileStore
) -> Callable[[], Camera]:
    return lambda: with_profile(open_camera(), profiles)
