"""Watches the tray, and reads it when asked, once it is still: one step at a time, on any thread.

It sends what it finds to `post` and never touches the match. A camera that fails is opened again with
growing patience, while the match goes on by tapping. `CameraThread` takes the steps.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Event, Lock
from time import monotonic

from device.cameras.base import Camera, CameraError, Frame, Image
from device.cameras.controls import Tunable
from device.session.tray_reader import TrayReading
from device.watching.last_rest import LastRest, Still
from device.watching.liveness import Liveness, dark, shows_something
from device.watching.motion import STILL_S, Activity, Motion, MotionWatch
from device.watching.reports import (
    CameraFound,
    CameraLost,
    CapturedReading,
    DiceSettled,
    ReadRequest,
    Report,
    TimedOut,
)
from device.watching.rest_looks import Look, RestLooks
from device.watching.table_memory import TableInView, TableMemory
from game.message import Message
from vision import Die, Quad, Reading, read
from vision.known_tray import KnownTray
from vision.reading import Lean

log = logging.getLogger(__name__)

BURST_FRAMES = 2
"""At one rest that must agree; sensor noise differs, the dice do not."""

PREVIEW_PERIOD_S = 1 / 15
"""A die that falls is in view for some tenths of a second: a few frames at 15 Hz."""

QUIET_S = 20.0
QUIET_PERIOD_S = 1 / 8
"""A tray where nothing has stirred for so long is looked at less often: a throw still fills some frames."""

MAX_GAP_S = 0.25
"""A short throw fits between two frames so far apart: then nobody can say it was none."""

IDLE_S = 20.0
"""How often a tray at rest is looked at for what has changed since it was calibrated."""

HUNG_S = 20.0
"""Opening a camera and letting it settle takes some seconds, one reading on an old Pi a few."""

RETRY_S = (1.0, 2.0, 4.0, 8.0)
"""Patience before the camera is opened again; the last one repeats."""

FAILED = Message("it failed, the log says how; it is opened again")

CameraTask = Callable[[Camera], object]
"""Something to be done with the camera, by whoever takes the steps."""

ReadingFilter = Callable[[Reading, Camera], Reading]
"""What becomes of a reading by what is known of the dice."""


NOTHING_YET = Activity(Motion.STILL, 0.0, hand=False, settled=False)


@dataclass(eq=False)
class _View:
    """An open camera, and what it sees of the tray under it; times are on the clock of the frames.

    `gap_s` is when nobody had watched for a moment, `idle_s` when the tray at rest was last shown
    around.
    """

    camera: Camera
    picture_px: tuple[int, int]
    zones: tuple[Quad, ...]
    motion: MotionWatch
    rests: LastRest
    looks: RestLooks
    liveness: Liveness
    next_s: float
    seen_s: float
    moved_s: float
    gap_s: float = 0.0
    idle_s: float = 0.0
    latest: Image | None = None
    activity: Activity = NOTHING_YET

    def take(self) -> Frame:
        """The next preview, and what it tells."""
        frame = self.camera.preview()
        self.activity = activity = self.motion.feed(frame)
        if activity.still_s == 0:
            self.moved_s = frame.time_s
            if frame.time_s - self.seen_s > MAX_GAP_S:  # a throw may have hidden in it
                self.gap_s = frame.time_s
        self.seen_s = frame.time_s
        self.latest = frame.image
        return frame


class TrayWatch:
    """Looks at the tray, step by step.

    Args:
        open_camera: opens the camera; called again after it failed.
        post: takes the reports.
        still_s: how long the tray must be still before it is read.
        period_s: time between two previews; more where nothing has stirred for long.
        by_itself: whether it reports dice that came to rest though nobody asked.
        looks: how many readings of one rest must agree; of a throw they are made ahead.
        sift: what becomes of each reading.
        leans: how dice lay in throws under this camera before.
        idle: called with a preview now and then while the tray is at rest.
        clock: seconds that never run backwards; those of the camera's frames.
    """

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        post: Callable[[Report], None],
        *,
        still_s: float = STILL_S,
        period_s: float = PREVIEW_PERIOD_S,
        reports_settled_dice: bool = False,
        burst_frames: int = BURST_FRAMES,
        filter_reading: ReadingFilter = lambda reading, _camera: reading,
        leans: Callable[[Camera], tuple[Lean, ...]] = lambda _camera: (),
        on_idle: Callable[[Frame, Camera], object] = lambda _frame, _camera: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._open, self._post, self._clock = open_camera, post, clock
        self._sift, self._leans, self._idle = filter_reading, leans, on_idle
        self._still_s, self._period_s, self._looks = still_s, period_s, burst_frames
        self._by_itself, self._told_s = reports_settled_dice, 0.0
        self._errands: SimpleQueue[tuple[CameraTask, Future[object]]] = SimpleQueue()
        self._light_changed = Event()
        self._lock = Lock()
        self._wanted: ReadRequest | None = None
        self._number = 0
        self._marked_s: float | None = None
        self._view: _View | None = None
        self._memory = TableMemory()
        self._failures = 0
        self._beat_s = clock()

    # What any thread may ask

    def request_reading(
        self,
        *,
        needs_motion: bool = False,
        since_s: float | None = None,
        is_unprompted: bool = False,
        wait_s: float = 20.0,
    ) -> int:
        """Ask for a reading; its report carries the number that this gives. Replaces any other.

        Args:
            needs_motion: read only what lies there once something has moved.
            since_s: when it must have moved after; now, without it.
            is_unprompted: whether nobody asked.
            wait_s: how long the tray may take to come to rest; one that is needs_motion waits for ever.
        """
        with self._lock:
            self._number += 1
            since_s = self._clock() if since_s is None else since_s
            self._wanted = ReadRequest(self._number, needs_motion, since_s, wait_s, is_unprompted)
            return self._number

    def cancel_request(self) -> None:
        with self._lock:
            self._wanted = None

    def mark_accepted(self, time_s: float | None = None) -> None:
        """What was read of the tray as it was seen at this time is accepted; without one, what was tapped in.

        `tumbled` speaks of what happened since then, or since now.
        """
        with self._lock:
            self._marked_s = self._clock() if time_s is None else time_s
        self._memory.accept(time_s, self._rolled_since)

    def retract_accepted(self) -> None:
        """The reading it was marked with was taken back: that nothing tumbled since says nothing any more."""
        with self._lock:
            if self._view:
                self._view.gap_s = self._clock()
        self.discard_readings()

    def discard_readings(self, since_s: float = 0.0) -> None:
        """What was read since then was not so: the table is known as it was before."""
        self._memory.forget(since_s)

    def mark_not_a_die(self, time_s: float, thing: Die) -> None:
        """What was read there at this time is no die: it is not asked about again while it lies there."""
        self.run_with_camera(lambda _: self._memory.lay_in(time_s, thing))

    def relock_exposure(self) -> None:
        """The light has changed: a camera that can, finds its exposure again."""
        self._light_changed.set()

    def run_with_camera(self, errand: CameraTask) -> "Future[object]":
        """Do this with the camera, between two previews; it fails where there is none."""
        done: Future[object] = Future()
        self._errands.put((errand, done))
        return done

    @property
    def has_tumbled(self) -> bool | None:
        """Whether dice were seen rolling since the mark; None if nobody watched all the time."""
        with self._lock:
            view, marked_s = self._view, self._marked_s
            if view is None or marked_s is None:
                return None
            tumbled = view.motion.tumbled_since(marked_s)
            return None if tumbled is False and view.gap_s > marked_s else tumbled

    @property
    def is_hung(self) -> bool:
        """Whether the camera has not come back from what it was last asked for."""
        return self._clock() - self._beat_s > HUNG_S

    @property
    def camera_name(self) -> str | None:
        """What the camera is called that is open now."""
        view = self._view
        return view.camera.name if view else None

    @property
    def is_moving(self) -> bool:
        """Whether something, and no hand, is in motion over the tray now."""
        view = self._view
        return view is not None and not (view.activity.settled or view.activity.hand)

    @property
    def is_settled(self) -> bool:
        """Whether the tray is still long enough to be read, with no hand in it."""
        view = self._view
        return view is not None and view.activity.settled

    @property
    def table(self) -> KnownTray:
        """What is known of the table that is watched."""
        return self._memory.known

    @property
    def latest(self) -> Image | None:
        """The newest preview picture, for showing."""
        view = self._view
        return view.latest if view else None

    @property
    def zones_in_view(self) -> tuple[Quad, ...]:
        """Tray and set-aside zone in the pixels of `latest`; none while nobody has said where."""
        view = self._view
        if view is None or view.latest is None or not view.zones:
            return ()
        share = view.latest.shape[1] / view.picture_px[0]
        return tuple(_scaled(zone, share) for zone in view.zones)

    # What one thread does

    def step(self) -> float:
        """Open the camera, or take the next preview and do what it allows.

        Returns:
            Seconds until the next step is due.
        """
        self._beat()
        try:
            view = self._view or self._opened()
            if view.zones != _zones(view.camera):  # it was calibrated meanwhile
                view = self._begin(view.camera, view.picture_px)
            self._watch(view)
        except CameraError as error:
            return self._lost(error.message)
        except Exception:
            log.exception("watching the tray failed")
            return self._lost(FAILED)
        view.next_s = max(view.next_s + self._period_of(view), self._clock())
        return view.next_s - self._clock()

    def close(self) -> None:
        """Give the camera back."""
        with self._lock:
            view, self._view, self._marked_s = self._view, None, None
        if view:
            view.camera.close()

    def _opened(self) -> _View:
        camera = self._open()
        try:
            picture = _first_picture(camera)
        except BaseException:
            camera.close()
            raise
        height, width = picture.shape[:2]
        view = self._begin(camera, (width, height))
        view.latest = picture
        self._failures = 0
        self._post(CameraFound(camera.name))
        return view

    def _begin(self, camera: Camera, picture_px: tuple[int, int]) -> _View:
        """Watch the tray that this camera knows."""
        now_s, zones = self._clock(), _zones(camera)
        view = _View(
            camera, picture_px, zones,
            MotionWatch(still_s=self._still_s, tray=camera.tray, picture_px=picture_px),
            LastRest(camera.tray, picture_px), RestLooks(self._looks), Liveness(),
            now_s, now_s, now_s, gap_s=now_s,
        )  # fmt: skip
        self._memory.begin(TableInView(camera.name, picture_px, zones), self._leans(camera))
        with self._lock:
            self._view = view
        return view

    def _lost(self, reason: Message) -> float:
        self.close()
        self._post(CameraLost(reason))
        while not self._errands.empty():
            _, done = self._errands.get_nowait()
            done.set_exception(CameraError(reason))
        self._beat_s = self._clock() + RETRY_S[-1]
        self._failures += 1
        return RETRY_S[min(self._failures, len(RETRY_S)) - 1]

    def _beat(self) -> None:
        """Whatever comes next takes long by itself only if it hangs."""
        self._beat_s = self._clock()

    def _watch(self, view: _View) -> None:
        self._resettle_if_asked(view.camera)
        self._run_errands(view.camera)
        frame = self._take(view)
        view.liveness.feel(frame, self._clock())
        settled = view.activity.settled
        if not settled:
            view.looks.forget()
        rest = view.rests.see(frame, settled=settled, capture=view.camera.capture)
        if wanted := self._wanted:
            ready = settled and (view.moved_s > wanted.since_s or not wanted.needs_motion)
            self._serve(view, wanted, rest, ready=ready)
        elif settled and self._by_itself and self._has_tumbled_since_told(view):
            self._told_s = view.seen_s
            self._post(DiceSettled())
        elif settled and self._clock() - view.idle_s > IDLE_S:
            view.idle_s = self._clock()
            self._idle(frame, view.camera)
        if rest:
            self._beat()
            self._memory.study(rest.image, view.camera, view.zones)
        if settled and self._wanted is None:
            self._look_ahead(view, rest)

    def _period_of(self, view: _View) -> float:
        quiet = view.activity.still_s > QUIET_S and self._wanted is None
        return max(self._period_s, QUIET_PERIOD_S) if quiet else self._period_s

    def _has_tumbled_since_told(self, view: _View) -> bool:
        """Surely, and since the last reading: a throw is told once."""
        with self._lock:
            since_s = max(self._told_s, self._marked_s or 0.0)
        return view.motion.tumbled_since(since_s) is True

    def _rolled_since(self, time_s: float) -> bool:
        with self._lock:
            return self._view is not None and self._view.motion.tumbled_since(time_s) is True

    def _take(self, view: _View) -> Frame:
        self._beat()
        return view.take()

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

    def _resettle_if_asked(self, camera: Camera) -> None:
        if self._light_changed.is_set():
            self._light_changed.clear()
            if isinstance(camera, Tunable):
                camera.resettle()

    def _serve(self, view: _View, wanted: ReadRequest, begun: Still | None, *, ready: bool) -> None:
        if ready:
            reading, image = self._read(view, begun)
            self._take(view)
            if view.activity.settled:  # nothing began to move meanwhile
                self._told_s = view.seen_s
                tray_reading = TrayReading(reading, self.has_tumbled, view.seen_s)
                seen = CapturedReading(wanted.number, tray_reading, image, view.zones)
                self._memory.read(view.seen_s, image, reading)
                self._finish(
                    wanted, seen if wanted.is_unprompted else self._with_earlier(seen, view)
                )
        elif not wanted.needs_motion and self._clock() - wanted.since_s > wanted.wait_s:
            self._finish(wanted, TimedOut(wanted.number))

    def _with_earlier(self, seen: CapturedReading, view: _View) -> CapturedReading:
        """On an empty tray also what lay there before it was scooped, if that was never read."""
        if not seen.reading.is_sure or seen.reading.dice_in_tray:
            return seen
        still = view.rests.before(self._marked_s or 0.0)
        if still is None:
            return seen
        reading = self._read_one(still.image, view)
        tray_reading = TrayReading(reading, seen.tray_reading.has_tumbled, still.until_s)
        return replace(
            seen, earlier=CapturedReading(seen.request, tray_reading, still.image, seen.zones)
        )

    def _look_ahead(self, view: _View, begun: Still | None) -> None:
        """A throw that came to rest is read before anybody asks, one look in each step."""
        if self._has_tumbled_since_told(view) and not view.looks.suffice(self.table):
            self._look(view, begun)

    def _read(self, view: _View, begun: Still | None) -> tuple[Reading, Image]:
        """What lies there, as several looks agree on it, and the first of their pictures."""
        while not view.looks.suffice(self.table):
            self._look(view, begun)
            begun = None
        return view.looks.agreed()

    def _look(self, view: _View, begun: Still | None) -> None:
        """Of a rest that has just begun there is a picture already."""
        image, table = begun.image if begun else view.camera.capture().image, self.table
        view.looks.take(Look(image, self._read_one(image, view), table))

    def _read_one(self, image: Image, view: _View) -> Reading:
        self._beat()
        camera = view.camera
        reading = read(image, camera.tray, aside=camera.aside, known=self.table)
        return self._sift(reading, camera)

    def _finish(self, wanted: ReadRequest, report: Report) -> None:
        with self._lock:
            if self._wanted is not wanted:
                return
            self._wanted = None
        self._post(report)


def _scaled(zone: Quad, share: float) -> Quad:
    a, b, c, d = ((x * share, y * share) for x, y in zone.corners)
    return Quad((a, b, c, d))


def _zones(camera: Camera) -> tuple[Quad, ...]:
    return tuple(zone for zone in (camera.tray, camera.aside) if zone)


def _first_picture(camera: Camera) -> Image:
    """A camera that shows nothing is none."""
    image = camera.capture().image
    if not shows_something(image):
        raise dark()
    return image
