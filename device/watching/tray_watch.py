"""The tray watch: opens the camera, watches what moves in the tray, and reads the dice on request.

The tray watch posts reports of what it sees and never changes the match. If the camera fails, the tray watch
reopens the camera after a while; until then, dice can be entered on a phone.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from device.cameras.base import (
    Camera,
    CameraError,
    Frame,
    Image,
    LoginRefusedError,
    TrayZones,
    zones_of,
)
from device.cameras.controls import Tunable
from device.cameras.roll_clip import ClipRecorder, RollClip
from device.machine_fit import return_free_memory
from device.session.tray_reader import TrayReading
from device.watching.camera_link import RETRY_S, CameraLink
from device.watching.motion import (
    STILL_S,
    Activity,
    Grey,
    MarkedMotion,
    Motion,
    MotionWatch,
    Region,
    find_motion,
    to_grey,
)
from device.watching.reports import (
    CameraFound,
    CameraLost,
    CapturedReading,
    DiceSettled,
    Report,
    TimedOut,
)
from device.watching.tray_memory import TrayMemory, WatchedTray
from game.message import Message
from vision import Die, Reading, read
from vision.known_tray import KnownTray
from vision.reading import Lean, Quad, combine_readings

BURST_FRAMES = 2
"""Number of frames whose readings must agree. The sensor's noise differs between them; the dice do not."""

ZonesOf = Callable[[Camera, tuple[int, int]], TrayZones]
"""A function that returns where a camera sees its tray, given the width and height of its full frames in pixels."""

ReadingFilter = Callable[[Reading, Quad | None, str], Reading]
"""A function that returns a reading corrected with what is known about the dice.

It is called with the reading, the corners of the tray (None if they are not known) and the name of the camera.
"""


T = TypeVar("T")
log = logging.getLogger(__name__)

WAIT_S = 20.0
"""How long the tray may take to come to rest, in seconds, before a request times out."""

PREVIEW_PERIOD_S = 1 / 15
"""Time between two previews in seconds. A falling die is in view for tenths of a second: a few frames at 15 Hz."""

QUIET_S = 20.0
QUIET_PERIOD_S = 1 / 8
"""Time between two previews after `QUIET_S` without motion, in seconds. A throw still lasts for several previews."""

IDLE_S = 20.0
"""Time between two calls of `on_idle` while the tray is at rest, in seconds."""

JOIN_S = 5.0
"""How long to wait for the thread to end, in seconds: longer than a camera takes for one frame.

A thread whose camera hangs is abandoned."""

FAILED = Message("it has failed, as described in the log; Traykeeper will reopen it")

MAX_LIGHT_RATIO = 1.5
"""Largest factor by which two previews may differ in brightness if they are compared.

If they differ by more, a correction of the exposure can hide that a white die was removed. Against an almost black or an
overexposed preview, it hides everything."""

NOT_SETTLED = Activity(Motion.STILL, 0.0, has_hand=False, is_settled=False)


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """How the tray is watched.

    Attributes:
        still_s: How long the tray must be still before it is read, in seconds.
        period_s: Time between two previews, in seconds; after a while without motion, this time
            becomes longer.
        reports_settled_dice: Whether to report dice that have rolled and come to rest, although no
            reading was requested.
        burst_frames: Number of frames whose readings must agree, at least 1.
        records_clips: Whether to record the last seconds of each roll.
        zones_of: Returns where a camera sees its tray.
        filter_reading: Corrects each reading with what is known about the dice.
        check_for_move: Makes the reading of a frame uncertain if the tray is no longer where `zones_of` says. It is called
            with the reading, the frame and the name of the camera.
        leans: Returns how far dice seemed to lean in earlier frames of the camera with this name.
        on_idle: Called from time to time with a preview and the camera while the tray is at rest.
    """

    still_s: float = STILL_S
    period_s: float = PREVIEW_PERIOD_S
    reports_settled_dice: bool = False
    burst_frames: int = BURST_FRAMES
    records_clips: bool = True
    zones_of: ZonesOf = zones_of
    filter_reading: ReadingFilter = lambda reading, _tray, _camera: reading
    check_for_move: Callable[[Reading, Image, str], Reading] = lambda reading, _image, _camera: (
        reading
    )
    leans: Callable[[str], tuple[Lean, ...]] = lambda _camera: ()
    on_idle: Callable[[Frame, Camera], object] = lambda _frame, _camera: None


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request for a reading of the still tray.

    Attributes:
        number: Identifies the request; the report that answers it contains the same number.
        since_s: When the request was made, or the time after which something must have moved, in
            seconds.
        needs_motion: Whether to read only after something has moved. Such a request never times out.
        is_unprompted: True if the program requests the reading by itself, without a person having
            asked for it.
        wait_s: How long the tray may take to come to rest, in seconds.
    """

    number: int
    since_s: float
    needs_motion: bool
    is_unprompted: bool
    wait_s: float


@dataclass(frozen=True, slots=True, eq=False)
class TrayPreview:
    """The newest preview, and what moves in it.

    Attributes:
        tray: The open camera and its tray; None if there is no camera.
        latest: The image of the newest preview; None if there is none.
        activity: The motion in the newest preview.
    """

    tray: WatchedTray | None = None
    latest: Image | None = None
    activity: Activity = NOT_SETTLED

    @property
    def camera_name(self) -> str | None:
        """The name of the open camera; None if there is none."""
        return self.tray.camera if self.tray else None

    @property
    def zones_in_view(self) -> tuple[Quad, ...]:
        """The corners of the tray and of any set-aside area in pixels of `latest`; empty if they are not known."""
        if self.tray is None or self.latest is None:
            return ()
        factor = self.latest.shape[1] / self.tray.frame_px[0]
        return tuple(zone.scaled(factor) for zone in self.tray.zones.known)

    @property
    def is_settled(self) -> bool:
        """Whether the tray has been still long enough to be read, with no hand in it."""
        return self.activity.is_settled

    @property
    def is_moving(self) -> bool:
        """Whether something other than a hand is moving over the tray now."""
        return self.tray is not None and not (self.is_settled or self.activity.has_hand)


@dataclass(frozen=True, slots=True, eq=False)
class TrayRest:
    """A period in which nothing moved in the tray.

    Attributes:
        image: A full frame, captured at the beginning of the period.
        from_s: When the period began, in seconds.
        until_s: When the tray was last seen unchanged, in seconds.
        preview: The preview at the beginning of the period, by which an unchanged tray is recognised
            once a hand has left.
        clip: A clip of how the dice came to rest; None if it was not recorded.
    """

    image: Image
    from_s: float
    until_s: float
    preview: Grey
    clip: RollClip | None = None


class RestHistory:
    """The last two periods in which nothing moved in the tray, for dice that are picked up before they are read.

    Args:
        tray: Corners of the tray's floor in pixels of a full frame; changes outside it are ignored.
            None means the whole frame.
        picture_px: Width and height of a full frame in pixels.

    Attributes:
        last: The current period or, while something moves, the last one; None before the first.
    """

    def __init__(self, tray: Quad | None, picture_px: tuple[int, int]) -> None:
        self._tray, self._picture_px = tray, picture_px
        self.last: TrayRest | None = None
        self._previous: TrayRest | None = None
        self._is_resting = False

    def feed(
        self,
        preview: Frame,
        *,
        is_settled: bool,
        capture: Callable[[], Frame],
        finish_clip: Callable[[Frame], RollClip | None] = lambda _still: None,
    ) -> TrayRest | None:
        """Process the next preview, and capture a full frame whenever the tray has newly come to rest.

        Args:
            preview: The next preview.
            is_settled: Whether the tray is at rest in that preview.
            capture: Captures a full frame.
            finish_clip: Returns the clip of the roll that ends with the given preview; None if none was
                recorded.

        Returns:
            The period of rest that begins with this preview; None if none does.
        """
        new = None
        if is_settled and self._is_resting and self.last:
            self.last = replace(self.last, until_s=preview.time_s)
        elif is_settled and not self._looks_like_last(now := to_grey(preview.image)):
            self._previous = self.last
            image, time_s = capture().image, preview.time_s
            new = self.last = TrayRest(image, time_s, time_s, now, finish_clip(preview))
        self._is_resting = is_settled
        return new

    def interrupt(self) -> None:
        """End the current period of rest, because something moves."""
        self._is_resting = False

    def take_previous(self, since_s: float) -> TrayRest | None:
        """Forget the previous period of rest, and return it if it began after `since_s` in seconds."""
        rest, self._previous = self._previous, None
        return rest if rest and rest.from_s > since_s else None

    def _looks_like_last(self, now: Grey) -> bool:
        if self.last is None or self.last.preview.shape != now.shape:
            return False
        light, before = float(now.mean()), float(self.last.preview.mean())
        if max(light, before) > MAX_LIGHT_RATIO * min(light, before):
            return False
        region = Region.of(now.shape, self._tray, self._picture_px)
        return not find_motion(self.last.preview, now, region).has_changes


@dataclass(frozen=True, slots=True, eq=False)
class _Watched:
    """An open camera with one calibration, and the helper objects created for it.

    Attributes:
        camera: The open camera.
        tray: The camera's tray.
        rests: Frames from the last two times the tray was at rest.
        clips: Records how dice come to rest.
    """

    camera: Camera
    tray: WatchedTray
    rests: RestHistory
    clips: ClipRecorder


class TrayWatch:
    """Watches the tray with a camera, and reads the dice on request.

    Any thread may call its methods, except `run_once`: a thread of the watch calls it after `start`.

    Args:
        open_camera: Opens the camera, and is called again after each failure.
        post: Receives the reports of the tray watch.
        options: How the tray is watched.
        clock: Monotonic clock in seconds, the same as that of the camera's frames.

    Attributes:
        preview: What the camera sees now. It is replaced and never modified, so that no lock is needed.
        link: The connection to the camera.
        memory: The knowledge about the tray.
    """

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        post: Callable[[Report], None],
        options: WatchOptions = WatchOptions(),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._options, self._post, self._clock = options, post, clock
        self.preview, self.memory = TrayPreview(), TrayMemory()
        self.link = CameraLink(open_camera, clock)
        self._motion = MarkedMotion(clock)
        self._tasks: SimpleQueue[tuple[Callable[[Camera], Any], Future[Any]]] = SimpleQueue()
        self._burst: list[tuple[Image, Reading, KnownTray]] = []
        self._request: ReadRequest | None = None
        self._request_numbers, self._request_lock = count(1), Lock()
        self._watched: _Watched | None = None
        self._next_s = self._reported_s = 0.0
        self._idle_s = self._reopen_s = float("-inf")
        self._lost = FAILED
        self._stop = Event()
        self._thread = Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        """Start the thread that calls `run_once` whenever that is due."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching, and release the camera unless it hangs."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=JOIN_S)
        else:
            self._end()

    def _run(self) -> None:
        while not self._stop.wait(self.run_once()):
            pass
        self._end()

    def _end(self) -> None:
        self._release()
        self._fail_tasks(FAILED)

    def request_reading(
        self,
        *,
        needs_motion: bool = False,
        since_s: float | None = None,
        is_unprompted: bool = False,
        wait_s: float = WAIT_S,
    ) -> int:
        """Implement `TrayReader.request_reading`: request a reading, which times out after `wait_s` seconds."""
        since_s = self._clock() if since_s is None else since_s
        with self._request_lock:
            number = next(self._request_numbers)
            self._request = ReadRequest(number, since_s, needs_motion, is_unprompted, wait_s)
        return number

    def cancel_request(self) -> None:
        """Implement `TrayReader.cancel_request`: cancel the outstanding request."""
        with self._request_lock:
            self._request = None

    def mark_accepted(self, time_s: float | None = None) -> None:
        """Implement `TrayReader.mark_accepted`: note that a throw was accepted."""
        self._motion.mark(time_s)
        self.memory.accept(time_s, self._motion.surely_tumbled_since)

    def retract_accepted(self) -> None:
        """Implement `TrayReader.retract_accepted`: note that the last accepted throw was undone."""
        self._motion.distrust()
        self.memory.discard()

    def discard_readings(self, since_s: float = 0.0) -> None:
        """Implement `TrayReader.discard_readings`: forget what was learnt from wrong readings."""
        self.memory.discard(since_s)

    def note_faces(self, time_s: float, dice: Sequence[Die], faces: Sequence[int | None]) -> None:
        """Note the faces that the match records for a reading, so that later readings recognise these faces.

        Args:
            time_s: Time of the reading, in seconds.
            dice: The dice of the reading.
            faces: The face of each die, or None where it is not known.
        """
        self.memory.note_faces(time_s, dice, faces)

    def mark_not_a_die(self, time_s: float, thing: Die) -> None:
        """Treat an object as part of the empty tray, because a person said that it is not a die.

        Args:
            time_s: Time of the reading that contains the object, in seconds.
            thing: The object, with the position and size that were read.
        """
        self.run_with_camera(lambda _: self.memory.add_foreign_object(time_s, thing))

    def relock_exposure(self) -> None:
        """Let the camera adapt its exposure to changed light, if it can."""
        self.run_with_camera(_relock_exposure)

    def run_with_camera(self, task: Callable[[Camera], T]) -> "Future[T]":
        """Queue a task for the camera's thread, and return its future, which fails if there is no camera."""
        done: Future[T] = Future()
        if self._stop.is_set():
            done.set_exception(CameraError(FAILED))
        else:
            self._tasks.put((task, done))
        return done

    @property
    def has_tumbled(self) -> bool | None:
        """Implement `TrayReader.has_tumbled`: whether dice have been seen rolling since the last accepted reading.

        It is None if none were seen, but the tray was not watched throughout.
        """
        return self._motion.has_tumbled

    def surely_tumbled_since(self, time_s: float) -> bool:
        """Implement `TrayReader.surely_tumbled_since`: return whether dice certainly rolled after a time."""
        return self._motion.surely_tumbled_since(time_s)

    @property
    def is_moving(self) -> bool:
        """Implement `TrayReader.is_moving`: whether something other than a hand is moving now."""
        return self.preview.is_moving

    def run_once(self) -> float:
        """Open the camera if it is closed, take one preview, and read the dice if the tray is ready for it.

        Returns:
            Seconds until the next call is due.
        """
        self.link.note_call()
        if (pause_s := self._reopen_s - self._clock()) > 0:
            self._fail_tasks(self._lost)
            return min(pause_s, RETRY_S[-1])
        try:
            self._observe(self._connect())
        except LoginRefusedError as error:
            return self._lose(error.message, is_refused=True)
        except CameraError as error:
            return self._lose(error.message)
        except Exception:
            log.exception("watching the tray failed")
            return self._lose(FAILED)
        is_busy = self._request is not None
        period_s = self._options.period_s
        if self._is_quiet and not is_busy:
            period_s = max(period_s, QUIET_PERIOD_S)
        self._next_s = max(self._next_s + period_s, self._clock())
        return self._next_s - self._clock()

    def _release(self) -> None:
        self._watched = None
        self.preview = TrayPreview()
        self._motion.end()
        self.link.close()

    def _lose(self, reason: Message, *, is_refused: bool = False) -> float:
        self._release()
        pause_s = self.link.note_failure(is_refused=is_refused)
        if is_refused:
            self._reopen_s = self._clock() + pause_s
            reason = Message(
                "%(reason)s; to keep the camera from locking this address, Traykeeper tries again after %(seconds)s "
                "seconds",
                reason=reason,
                seconds=round(pause_s),
            )
            self._lost = reason
        self._post(CameraLost(reason))
        self._fail_tasks(reason)
        return min(pause_s, RETRY_S[-1])

    def _connect(self) -> _Watched:
        """Open the camera if it is closed, and start over if the tray has been calibrated in the meantime."""
        watched = self._watched
        if watched is None:
            camera, image = self.link.open()
            watched = self._begin(camera, (image.shape[1], image.shape[0]), image)
            self._post(CameraFound(camera.name))
        elif watched.tray.zones != self._options.zones_of(watched.camera, watched.tray.frame_px):
            watched = self._begin(watched.camera, watched.tray.frame_px, None)
        return watched

    def _begin(self, camera: Camera, frame_px: tuple[int, int], image: Image | None) -> _Watched:
        zones = self._options.zones_of(camera, frame_px)
        tray = WatchedTray(camera.name, frame_px, zones)
        self.memory.begin(tray, self._options.leans(camera.name))
        self._motion.begin(
            MotionWatch(still_s=self._options.still_s, tray=zones.tray, picture_px=frame_px)
        )
        self.preview = TrayPreview(tray, image)
        self._burst.clear()
        self._next_s, self._idle_s = self._clock(), float("-inf")
        self._watched = _Watched(
            camera,
            tray,
            RestHistory(zones.tray, frame_px),
            ClipRecorder(zones.tray if self._options.records_clips else None, frame_px),
        )
        return self._watched

    @property
    def _is_quiet(self) -> bool:
        return self.preview.activity.still_s > QUIET_S

    def _take_preview(self, watched: _Watched) -> Frame:
        frame = self.link.preview(watched.camera)
        activity = self._motion.feed(frame)
        self.preview = replace(self.preview, latest=frame.image, activity=activity)
        watched.clips.feed(frame, still_s=activity.still_s, is_settled=activity.is_settled)
        if not activity.is_settled:
            self._burst.clear()
            watched.rests.interrupt()
        return frame

    def _finish_clip(self, clips: ClipRecorder, still: Frame) -> RollClip | None:
        has_rolled = self._motion.surely_tumbled_since(clips.rested_s)
        return clips.finish(still, has_rolled=has_rolled, accepted_s=self._motion.marked_s)

    def _run_tasks(self, camera: Camera) -> None:
        """Run the tasks that other threads have queued.

        Raises:
            CameraError: If the camera fails during a task. The future of that task fails as well.
        """
        while not self._tasks.empty():  # only this thread takes tasks out
            task, done = self._tasks.get()
            try:
                done.set_result(task(camera))
            except CameraError as error:
                done.set_exception(error)
                raise
            except Exception as error:
                # The error is logged here, because not every caller asks for the result of its task.
                log.exception("a task with the camera failed")
                done.set_exception(error)

    def _fail_tasks(self, reason: Message) -> None:
        """Make all queued tasks fail, because there is no camera."""
        while not self._tasks.empty():
            self._tasks.get()[1].set_exception(CameraError(reason))

    def _observe(self, watched: _Watched) -> None:
        camera = watched.camera
        self._run_tasks(camera)
        frame = self._take_preview(watched)
        is_settled = self.preview.is_settled
        rest = watched.rests.feed(
            frame,
            is_settled=is_settled,
            capture=partial(self.link.capture, camera, is_at_rest=True),
            finish_clip=partial(self._finish_clip, watched.clips),
        )
        if request := self._request:
            self._answer(request, watched, rest, frame)
        elif is_settled:
            self._use_rest(frame, camera)
        if rest:
            self.link.note_call()
            self.memory.learn_empty_tray(rest.image, watched.tray.zones)
        if (
            self.preview.is_settled
            and self._request is None
            and self._has_unreported_throw
            and not self._is_burst_complete
        ):
            self._read_frame(camera, rest.image if rest else None)

    @property
    def _has_unreported_throw(self) -> bool:
        since_s = max(self._reported_s, self._motion.marked_s)
        return self._motion.surely_tumbled_since(since_s)

    def _use_rest(self, frame: Frame, camera: Camera) -> None:
        """Report dice that have settled or, if no dice have rolled, call `on_idle` if it is due."""
        if self._options.reports_settled_dice and self._has_unreported_throw:
            self._reported_s = frame.time_s
            self._post(DiceSettled())
        elif self._clock() - self._idle_s > IDLE_S:
            self._idle_s = self._clock()
            self._options.on_idle(frame, camera)
            if self._is_quiet:
                return_free_memory()  # the next reading takes a tenth longer

    def _answer(
        self, request: ReadRequest, watched: _Watched, rest: TrayRest | None, frame: Frame
    ) -> None:
        """Answer a request if the tray is ready to be read, or report that the request has timed out.

        Args:
            request: The outstanding request.
            watched: The camera, and the helper objects created for it.
            rest: The period of rest that begins with the current preview; None if none does.
            frame: The current preview.
        """
        if self.preview.is_settled and not frame.was_taken_after(request.since_s):
            frame = self._take_preview(watched)  # the request may have come since the last one
        has_moved = self._motion.has_moved_since(request.since_s)
        if (
            self.preview.is_settled
            and frame.was_taken_after(request.since_s)
            and (has_moved or not request.needs_motion)
        ):
            self._read(request, watched, rest)
        elif not request.needs_motion and self._clock() - request.since_s > request.wait_s:
            self._close_request(request, TimedOut(request.number))

    def _read(self, request: ReadRequest, watched: _Watched, rest: TrayRest | None) -> None:
        """Read the dice and report the reading, or drop it if something has begun to move in the meantime.

        The current preview was taken after the request and shows the tray at rest. All frames of the reading were
        taken since the tray came to rest, so the reading is valid for the moment of the request.

        Args:
            request: The request to answer.
            watched: The camera, and the helper objects created for it.
            rest: The period of rest that begins with the current preview; None if none does.
        """
        reading, image = self._finish_burst(watched.camera, rest.image if rest else None)
        seen_s = self._take_preview(watched).time_s
        if not self.preview.is_settled:
            return
        self._reported_s = seen_s
        tray_reading = TrayReading(reading, self._motion.has_tumbled, seen_s)
        captured = CapturedReading(request.number, tray_reading, image, watched.tray.zones.known)
        if watched.rests.last:
            captured = replace(captured, clip=watched.rests.last.clip)
        self.memory.add(seen_s, image, reading)
        if not request.is_unprompted and tray_reading.is_empty:
            captured = replace(captured, earlier=self._read_previous(watched, captured))
        self._close_request(request, captured)

    def _read_previous(self, watched: _Watched, empty: CapturedReading) -> CapturedReading | None:
        """Read the dice that lay in the tray before it was emptied, unless they had already been accepted.

        Args:
            watched: The camera, and the helper objects created for it.
            empty: The reading of the empty tray.
        """
        rest = watched.rests.take_previous(self._motion.marked_s)
        if rest is None:
            return None
        reading = self._read_image(watched.camera, rest.image)
        reading = self._options.check_for_move(reading, rest.image, watched.camera.name)
        tray_reading = TrayReading(reading, empty.tray_reading.has_tumbled, rest.until_s)
        return replace(empty, tray_reading=tray_reading, image=rest.image, clip=rest.clip)

    # A burst: the readings of several frames that were taken while the tray was at rest.

    @property
    def _is_burst_complete(self) -> bool:
        """Whether enough frames have been read since something was last learnt about the tray."""
        self._burst = [frame for frame in self._burst if frame[2] is self.memory.known]
        return len(self._burst) >= self._options.burst_frames

    def _read_frame(self, camera: Camera, image: Image | None) -> None:
        """Read one more frame; None captures it now."""
        image = self.link.capture(camera, is_at_rest=True).image if image is None else image
        known = self.memory.known
        self._burst.append((image, self._read_image(camera, image), known))

    def _finish_burst(self, camera: Camera, image: Image | None) -> tuple[Reading, Image]:
        """Read the frames that are still missing, and return the combined reading and the first frame.

        Args:
            camera: The open camera.
            image: A frame that was captured when the tray came to rest; None if there is none.
        """
        while not self._is_burst_complete:
            self._read_frame(camera, image)
            image = None
        (images, readings, _), self._burst = zip(*self._burst, strict=True), []
        reading = combine_readings(readings)
        return self._options.check_for_move(reading, images[0], camera.name), images[0]

    def _read_image(self, camera: Camera, image: Image) -> Reading:
        """Read one image, using what is known about the tray."""
        self.link.note_call()
        zones = self._options.zones_of(camera, (image.shape[1], image.shape[0]))
        reading = read(image, zones.tray, aside=zones.aside, known=self.memory.known)
        return self._options.filter_reading(reading, zones.tray, camera.name)

    def _close_request(self, request: ReadRequest, report: Report) -> None:
        """Post the report that answers a request, unless the request has been replaced or cancelled."""
        with self._request_lock:
            if self._request is not request:
                return
            self._request = None
        self._post(report)


def _relock_exposure(camera: Camera) -> None:
    if isinstance(camera, Tunable):
        camera.relock_exposure()
