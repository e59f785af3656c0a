"""The newest preview of the tray, made available to other threads."""

from dataclasses import dataclass, replace

from device.cameras.base import Image
from device.watching.motion import Activity, Motion
from device.watching.tray_memory import WatchedTray
from vision.reading import Quad

NOT_SETTLED = Activity(Motion.STILL, 0.0, has_hand=False, is_settled=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    tray: WatchedTray
    latest: Image | None
    activity: Activity = NOT_SETTLED


class TrayPreview:
    """The newest preview, and what moves in it. Any thread may read the properties."""

    def __init__(self) -> None:
        self._seen: _Seen | None = None  # replaced and never modified, so that no lock is needed

    def begin(self, tray: WatchedTray, latest: Image | None) -> None:
        """Start showing what a camera sees, after the camera has been opened or calibrated.

        Args:
            tray: The camera and its tray.
            latest: An image to show until the next preview; None shows nothing until then.
        """
        self._seen = _Seen(tray, latest)

    def show(self, preview: Image, activity: Activity) -> None:
        """Make the next preview available.

        Args:
            preview: The image of the preview.
            activity: The motion in that preview.
        """
        if self._seen:
            self._seen = replace(self._seen, latest=preview, activity=activity)

    def end(self) -> None:
        """Drop the preview, because the camera is gone."""
        self._seen = None

    @property
    def camera_name(self) -> str | None:
        """The name of the open camera; None if there is none."""
        return self._seen.tray.camera if self._seen else None

    @property
    def latest(self) -> Image | None:
        """The image of the newest preview; None if there is none."""
        return self._seen.latest if self._seen else None

    @property
    def zones_in_view(self) -> tuple[Quad, ...]:
        """The corners of the tray and of any set-aside area in pixels of `latest`; empty if they are not known."""
        seen = self._seen
        if seen is None or seen.latest is None:
            return ()
        factor = seen.latest.shape[1] / seen.tray.frame_px[0]
        return tuple(zone.scaled(factor) for zone in seen.tray.zones.known)

    @property
    def activity(self) -> Activity:
        """The motion in the newest preview."""
        return self._seen.activity if self._seen else NOT_SETTLED

    @property
    def is_settled(self) -> bool:
        """Whether the tray has been still long enough to be read, with no hand in it."""
        return self.activity.is_settled

    @property
    def is_moving(self) -> bool:
        """Whether something other than a hand is moving over the tray now."""
        return self._seen is not None and not (self.is_settled or self.activity.has_hand)
