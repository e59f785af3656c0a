"""The thread that owns the camera: watches the tray, and reads it when asked, once it is still.

It sends what it finds to `post` and never touches the match. A camera that fails is opened
again with growing patience, while the match goes on by tapping.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic

from device.cameras.base import Camera, CameraError, Frame, Image
from device.cameras.controls import Tunable
from device.session.judge import Sight
from device.watching.last_rest import LastRest
from device.watching.liveness import Liveness, dark, shows_something
from device.watching.motion import Activity, MotionWatch
from device.watching.reports import CameraFound, CameraLost, ReadRequest, Report, Seen, TimedOut
from vision import Quad, Reading, read
from vision.consensus import agree

log = logging.getLogger(__name__)

BURST = 2
"""Looks at one rest that must agree; sensor noise differs, the dice do not."""

PREVIEW_PERIOD_S = 1 / 15
"""A die that falls is in view for some tenths of a second: a few frames at 15 Hz."""

MAX_GAP_S = 0.25
"""A short throw fits between two frames so far apart: then nobody can say it was none."""

IDLE_S = 20.0
"""How often a tray at rest is looked at for what has changed since it was calibrated."""

HUNG_S = 20.0
"""Opening a camera and letting it settle takes some seconds, reading on an old Pi a few."""

RETRY_S = (1.0, 2.0, 4.0, 8.0)
"""Patience before the camera is opened again; the last one repeats."""


Errand = Callable[[Camera], object]
"""Something to be done with the camera, on the thread that owns it."""

Sift = Callable[[Reading, Image, Camera], Reading]
"""Takes out of a reading what is known to be no die."""


class CameraThread:
    """Watches the tray on a thread of its own.

    Args:
        open_camera: opens the camera; called again after it failed.
        post: takes the reports; called on the eye's thread.
        still_s: how long the tray must be still before it is read.
        period_s: time between two previews.
        sift: what becomes of each reading.
        idle: called with a preview now and then while the tray is at rest.
    """

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        post: Callable[[Report], None],
        *,
        still_s: float = 0.4,
        period_s: float = PREVIEW_PERIOD_S,
        sift: Sift = lambda reading, _image, _camera: reading,
        idle: Callable[[Frame, Camera], object] = lambda _frame, _camera: None,
    ) -> None:
        self._open, self._post = open_camera, post
        self._sift, self._idle = sift, idle
        self._errands: SimpleQueue[tuple[Errand, Future[object]]] = SimpleQueue()
        self._still_s, self._period_s = still_s, period_s
        self._stop = Event()
        self._lock = Lock()
        self._look: ReadRequest | None = None
        self._number = 0
        self._watch: MotionWatch | None = None
        self._marked_s: float | None = None
        self._latest: Image | None = None
        self._moving = self._settled = False
        self._light_changed = Event()
        self._gap_s = self._seen_s = self._moved_s = self._idle_s = 0.0
        self._beat_s = monotonic()
        self._name: str | None = None
        self._thread = Thread(target=self._run, name="eye", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=5)

    def look(self, *, armed: bool = False, wait_s: float = 20.0) -> int:
        """Ask for a reading; its report carries the number that this gives. Replaces any other."""
        with self._lock:
            self._number += 1
            self._look = ReadRequest(self._number, armed, monotonic(), wait_s)
            return self._number

    def cancel(self) -> None:
        with self._lock:
            self._look = None

    def mark(self, time_s: float | None = None) -> None:
        """`tumbled` speaks of what happened since the tray was seen so at this time, or now."""
        with self._lock:
            self._marked_s = monotonic() if time_s is None else time_s

    def resettle(self) -> None:
        """The light has changed: a camera that can, finds its exposure again."""
        self._light_changed.set()

    def with_camera(self, errand: Errand) -> "Future[object]":
        """Do this with the camera, between two previews; it fails where there is none."""
        done: Future[object] = Future()
        self._errands.put((errand, done))
        return done

    @property
    def tumbled(self) -> bool | None:
        """Whether dice were seen rolling since the mark; None if nobody watched all the time."""
        with self._lock:
            watch, marked_s = self._watch, self._marked_s
        if watch is None or marked_s is None:
            return None
        tumbled = watch.tumbled_since(marked_s)
        return None if tumbled is False and self._gap_s > marked_s else tumbled

    @property
    def hangs(self) -> bool:
        """Whether the camera has not come back from what it was last asked for."""
        return monotonic() - self._beat_s > HUNG_S

    @property
    def camera_name(self) -> str | None:
        """What the camera is called that is open now."""
        return self._name

    @property
    def moving(self) -> bool:
        """Whether something, and no hand, is in motion over the tray now."""
        return self._moving

    @property
    def settled(self) -> bool:
        """Whether the tray is still long enough to be read, with no hand in it."""
        return self._settled

    @property
    def latest(self) -> Image | None:
        """The newest preview picture, for showing."""
        return self._latest

    def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            self._beat_s = monotonic()
            try:
                with closing(self._open()) as camera:
                    height, width = _first_picture(camera).shape[:2]
                    self._name = camera.name
                    self._post(CameraFound(camera.name))
                    failures = 0
                    self._watch_over(camera, (width, height))
            except CameraError as error:
                failures = self._lost(str(error), failures)
            except Exception:
                log.exception("watching the tray failed")
                failures = self._lost("it failed, the log says how; it is opened again", failures)
            finally:
                self._name = None
                with self._lock:
                    self._watch, self._marked_s = None, None
                self._moving = self._settled = False

    def _lost(self, reason: str, failures: int) -> int:
        self._post(CameraLost(reason))
        self._refuse_errands(reason)
        self._beat_s = monotonic() + RETRY_S[-1]
        self._stop.wait(RETRY_S[min(failures, len(RETRY_S) - 1)])
        return failures + 1

    def _watch_over(self, camera: Camera, picture_px: tuple[int, int]) -> None:
        """Until it is closed. A tray that is calibrated meanwhile is watched anew."""
        self._idle_s = 0.0
        while not self._stop.is_set():
            self._watch_zones(camera, picture_px, _zones(camera))

    def _watch_zones(
        self, camera: Camera, picture_px: tuple[int, int], zones: tuple[Quad, ...]
    ) -> None:
        watch = MotionWatch(still_s=self._still_s, tray=camera.tray, picture_px=picture_px)
        with self._lock:
            self._watch = watch
        pulse, rests = Liveness(), LastRest(camera.tray, picture_px)
        next_s = self._seen_s = self._moved_s = monotonic()
        while not self._stop.is_set() and zones == _zones(camera):
            self._resettle_if_asked(camera)
            self._run_errands(camera)
            frame, scene = self._watch_once(camera, watch)
            pulse.feel(frame, monotonic())
            if look := self._look:
                ready = scene.settled and (self._moved_s > look.asked_s or not look.armed)
                self._serve(camera, watch, rests, look, ready=ready)
            elif scene.settled and monotonic() - self._idle_s > IDLE_S:
                self._idle_s = monotonic()
                self._idle(frame, camera)
            rests.see(frame, settled=scene.settled, capture=camera.capture)
            next_s = max(next_s + self._period_s, monotonic())
            self._stop.wait(next_s - monotonic())

    def _run_errands(self, camera: Camera) -> None:
        while True:
            try:
                errand, done = self._errands.get_nowait()
            except Empty:
                return
            try:
                done.set_result(errand(camera))
            except CameraError as error:
                done.set_exception(error)
                raise
            except Exception as error:  # noqa: BLE001 - handed to whoever asked
                done.set_exception(error)

    def _refuse_errands(self, reason: str) -> None:
        while not self._errands.empty():
            _, done = self._errands.get_nowait()
            done.set_exception(CameraError(reason))

    def _resettle_if_asked(self, camera: Camera) -> None:
        if self._light_changed.is_set():
            self._light_changed.clear()
            if isinstance(camera, Tunable):
                camera.resettle()

    def _watch_once(self, camera: Camera, watch: MotionWatch) -> tuple[Frame, Activity]:
        self._beat_s = monotonic()
        frame = camera.preview()
        scene = watch.feed(frame)
        if scene.still_s == 0:
            self._moved_s = frame.time_s
            if frame.time_s - self._seen_s > MAX_GAP_S:  # a throw may have hidden in it
                self._gap_s = frame.time_s
        self._seen_s = frame.time_s
        self._latest = frame.image
        self._moving = not scene.settled and not scene.hand
        self._settled = scene.settled
        return frame, scene

    def _serve(
        self, camera: Camera, watch: MotionWatch, rests: LastRest, look: ReadRequest, *, ready: bool
    ) -> None:
        if ready:
            reading, image = self._read(camera)
            _, scene = self._watch_once(camera, watch)
            if scene.settled:  # nothing began to move meanwhile
                seen = Seen(
                    look.number, Sight(reading, self.tumbled, self._seen_s), image, _zones(camera)
                )
                self._finish(look, self._with_earlier(seen, camera, rests))
        elif not look.armed and monotonic() - look.asked_s > look.wait_s:
            self._finish(look, TimedOut(look.number))

    def _with_earlier(self, seen: Seen, camera: Camera, rests: LastRest) -> Seen:
        """On an empty tray also what lay there before it was scooped, if that was never read."""
        if not seen.sight.reading.sure or seen.sight.reading.in_tray:
            return seen
        still = rests.before(self._marked_s or 0.0)
        if still is None:
            return seen
        reading = self._read_one(still.image, camera)
        sight = Sight(reading, seen.sight.tumbled, still.until_s)
        return replace(seen, earlier=Seen(seen.look, sight, still.image, seen.zones))

    def _read(self, camera: Camera) -> tuple[Reading, Image]:
        """What lies there, as several looks agree on it, and the first of their pictures."""
        frames = [camera.capture() for _ in range(BURST)]
        readings = [self._read_one(frame.image, camera) for frame in frames]
        return agree(readings), frames[0].image

    def _read_one(self, image: Image, camera: Camera) -> Reading:
        return self._sift(read(image, camera.tray, aside=camera.aside), image, camera)

    def _finish(self, look: ReadRequest, report: Report) -> None:
        with self._lock:
            if self._look is not look:
                return
            self._look = None
        self._post(report)


def _zones(camera: Camera) -> tuple[Quad, ...]:
    return tuple(zone for zone in (camera.tray, camera.aside) if zone)


def _first_picture(camera: Camera) -> Image:
    """A camera that shows nothing is none."""
    image = camera.capture().image
    if not shows_something(image):
        raise dark()
    return image
