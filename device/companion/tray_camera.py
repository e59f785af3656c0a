"""The camera over the tray, and the parts of the table that depend on the camera."""

import logging
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from time import monotonic

from device.calibrating.drift_watch import Drifted, DriftWatch
from device.calibrating.profile_file import ProfileStore
from device.calibrating.wizard import Wizard
from device.cameras.base import Camera, Image, open_no_camera
from device.cameras.controls import complaint_of
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.tray_picture import encode_jpeg, tray_cut
from device.watching.reports import CameraFound, CameraLost, Report
from device.watching.tray_watch import TrayWatch, WatchOptions
from game.message import Message

log = logging.getLogger(__name__)

HUNG = Message("it is not responding: check its cable, if it has one, then restart Traykeeper")

MIN_PERIOD_S = 0.12
"""Shortest time between two JPEGs, in seconds: short enough to show rolling dice. A shorter time would only
warm the Pi."""


class LiveView:
    """Encodes the newest preview of the tray once for all watchers. Any thread may call its methods.

    The tray watch takes the previews anyway; the live view never asks the camera for a frame.

    Args:
        watch: Takes the previews.
        clock: Monotonic clock in seconds.
    """

    def __init__(self, watch: TrayWatch, clock: Callable[[], float] = monotonic) -> None:
        self._watch, self._clock = watch, clock
        self._lock = Lock()
        self._made_s = float("-inf")
        self._source: Image | None = None
        self._jpeg = b""

    def __repr__(self) -> str:
        return f"<LiveView, {len(self._jpeg)} bytes>"

    def jpeg(self) -> bytes | None:
        """Return a JPEG of the tray, or None while the tray's position is unknown, so that the room is never shown."""
        with self._lock:
            preview = self._watch.preview
            latest, zones = preview.latest, preview.zones_in_view
            if latest is None or not zones:
                self._source, self._jpeg = None, b""
                return None
            if not self._jpeg or (latest is not self._source and self._is_due):
                height, width = latest.shape[:2]
                self._source, self._made_s = latest, self._clock()
                self._jpeg = encode_jpeg(tray_cut(width, height, zones[:1]).of(latest))
            return self._jpeg

    @property
    def _is_due(self) -> bool:
        return self._clock() - self._made_s >= MIN_PERIOD_S


class TrayCamera:
    """The camera over the tray, together with the tray watch, the calibration and the state of the camera.

    Args:
        open_camera: Opens the camera, and is called again after each failure; None if phones take
            the pictures.
        post: Called on the camera's thread with what the tray watch reports.
        changed: Called on any thread if something that the page shows has changed.
        profiles: The stored calibration.
        options: How the tray is watched.
        n_dice: Number of dice in a throw of the self-test.
        simulated_tray: The simulated tray; None if the tray is real.
        has_real_button: Whether there is a physical button at the tray.
        restart: Called repeatedly while the camera hangs and only a new process can use the camera
            again. The function may end this process.
        clock: Monotonic clock in seconds, the same as that of the camera's frames.
        pause: Sleeps for a number of seconds.

    Attributes:
        watch: Watches the tray.
        wizard: Calibrates this table.
        live_view: Shows what the camera sees, cropped to the tray.
        profiles: The stored calibration.
        is_expected: Whether there should be a camera; if not, phones take the pictures.
        name: Name of the camera; None while there is none.
        trouble: Why there is no camera; None while there is one.
    """

    def __init__(
        self,
        open_camera: Callable[[], Camera] | None,
        post: Callable[[Report], None],
        changed: Callable[[], object],
        profiles: ProfileStore,
        options: WatchOptions,
        *,
        n_dice: int,
        simulated_tray: SimulatedTray | None,
        has_real_button: bool,
        restart: Callable[[], object] = lambda: None,
        clock: Callable[[], float],
        pause: Callable[[float], object],
    ) -> None:
        self._changed, self.profiles, self._restart = changed, profiles, restart
        self._drift_watch = DriftWatch(profiles, self._post_drift, clock)
        self.watch = TrayWatch(
            open_camera or open_no_camera,
            post,
            replace(
                options,
                zones_of=profiles.zones_of,
                filter_reading=profiles.filter_reading,
                check_for_move=self._drift_watch.check_for_move,
                leans=profiles.leans_for,
                on_idle=self._drift_watch.compare,
            ),
            clock,
        )
        self.is_expected = open_camera is not None
        self.live_view = LiveView(self.watch, clock)
        self.wizard = Wizard(
            self.watch,
            profiles,
            n_dice=n_dice,
            simulated=simulated_tray,
            real_button=has_real_button,
            changed=changed,
            drift_watch=self._drift_watch,
            clock=clock,
            pause=pause,
        )
        self.name: str | None = None
        self.trouble: Message | None = None
        self._is_hung = False

    def start(self) -> None:
        """Start watching the tray."""
        if self.is_expected:
            self.watch.start()

    def close(self) -> None:
        """Stop watching and release the camera."""
        self.watch.close()

    @property
    def is_calibrated(self) -> bool:
        """Whether the camera is calibrated, or needs no calibration."""
        return not self.wizard.needs_calibration

    @property
    def drift(self) -> Drifted:
        """The changes in the camera's view of the tray since the calibration."""
        return self._drift_watch.found

    @property
    def notice(self) -> Message | None:
        """What people should know about the calibration or the camera's settings; None if there is nothing."""
        return self.drift.words or self.profiles.notice or complaint_of(self.watch.link.camera)

    def found(self, name: str) -> None:
        """Record that the camera with this name works."""
        self.name, self.trouble = name, None
        self.wizard.camera_found(name)

    def lost(self, reason: Message) -> None:
        """Record that there is no camera, and why."""
        if reason != self.trouble:
            log.warning("no camera: %s", reason)
        self.name, self.trouble = None, reason
        self.wizard.camera_lost()

    def check_hung(self) -> CameraFound | CameraLost | None:
        """Return a report if the camera has begun to hang or has recovered, otherwise None.

        The camera's own thread cannot report this, because it hangs as well.
        """
        if self.is_expected and self.watch.link.needs_new_process:
            self._restart()
        if not self.is_expected or self.watch.link.is_hung == self._is_hung:
            return None
        self._is_hung = not self._is_hung
        if self._is_hung:
            return CameraLost(HUNG)
        name = self.watch.preview.camera_name
        return CameraFound(name) if name else None

    def _post_drift(self, drifted: Drifted) -> None:
        """Act on a change in the camera's view. This is called on the camera's thread."""
        if drifted.should_relock:
            self.watch.relock_exposure()
        self._changed()
