"""The watch loop: opens the camera, takes previews and answers requests for a reading."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from device.cameras.base import Camera, CameraError, Frame, Image, zones_of
from device.cameras.roll_clip import ClipRecorder, RollClip
from device.machine_fit import return_free_memory
from device.session.tray_reader import TrayReading
from device.watching.burst import BURST_FRAMES, BurstReader, ReadingFilter, ZonesOf
from device.watching.camera_link import CameraLink, CameraTasks
from device.watching.marked_motion import MarkedMotion
from device.watching.motion import STILL_S, MotionWatch
from device.watching.read_requests import ReadRequest, ReadRequests
from device.watching.reports import (
    CameraFound,
    CameraLost,
    CapturedReading,
    DiceSettled,
    Report,
    TimedOut,
)
from device.watching.rest_history import RestHistory, TrayRest
from device.watching.tray_memory import TrayMemory, WatchedTray
from device.watching.tray_preview import TrayPreview
from game.message import Message
from vision.reading import Lean

log = logging.getLogger(__name__)

PREVIEW_PERIOD_S = 1 / 15
"""Time between two previews in seconds. A falling die is in view for tenths of a second: a few frames at 15 Hz."""

QUIET_S = 20.0
QUIET_PERIOD_S = 1 / 8
"""Time between two previews after `QUIET_S` without motion, in seconds. A throw still lasts for several previews."""

IDLE_S = 20.0
"""Time between two calls of `on_idle` while the tray is at rest, in seconds."""

FAILED = Message("it has failed, as described in the log; Traykeeper will reopen it")


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
    leans: Callable[[str], tuple[Lean, ...]] = lambda _camera: ()
    on_idle: Callable[[Frame, Camera], object] = lambda _frame, _camera: None


@dataclass(frozen=True, slots=True, eq=False)
class WatchParts:
    """The parts of the tray watch that the loop shares with other threads.

    Attributes:
        link: The connection to the camera.
        tasks: Tasks that other threads have queued for the camera's thread.
        requests: The outstanding request for a reading.
        motion: Motion over the tray since the last accepted reading.
        memory: The knowledge about the tray.
        preview: What the camera sees now.
    """

    link: CameraLink
    tasks: CameraTasks
    requests: ReadRequests
    motion: MarkedMotion
    memory: TrayMemory
    preview: TrayPreview


@dataclass(frozen=True, slots=True, eq=False)
class _Watched:
    """An open camera with one calibration, and the helper objects created for it.

    Attributes:
        camera: The open camera.
        tray: The camera's tray.
        motion: Detects motion in the previews.
        rests: Frames from the last two times the tray was at rest.
        clips: Records how dice come to rest.
    """

    camera: Camera
    tray: WatchedTray
    motion: MotionWatch
    rests: RestHistory
    clips: ClipRecorder


class WatchLoop:
    """The loop that passes frames to the parts of the tray watch and answers the outstanding request.

    Args:
        parts: The parts of the tray watch.
        options: How the tray is watched.
        post: Receives the reports of the tray watch.
        clock: Monotonic clock in seconds, the same as that of the camera's frames.
    """

    def __init__(
        self,
        parts: WatchParts,
        options: WatchOptions,
        post: Callable[[Report], None],
        clock: Callable[[], float],
    ) -> None:
        self._parts, self._options, self._post, self._clock = parts, options, post, clock
        self._burst = BurstReader(
            parts.link,
            parts.memory,
            options.burst_frames,
            options.zones_of,
            options.filter_reading,
        )
        self._watched: _Watched | None = None
        self._next_s = self._reported_s = 0.0
        self._idle_s = float("-inf")

    def step(self) -> float:
        """Open the camera if it is closed, take one preview, and read the dice if the tray is ready for it.

        Returns:
            Seconds until the next step is due.
        """
        self._parts.link.note_call()
        try:
            self._observe(self._connect())
        except CameraError as error:
            return self._lose(error.message)
        except Exception:
            log.exception("watching the tray failed")
            return self._lose(FAILED)
        self._next_s = max(self._next_s + self._period_s, self._clock())
        return self._next_s - self._clock()

    def close(self) -> None:
        """Stop watching and release the camera."""
        self._watched = None
        self._parts.preview.end()
        self._parts.motion.end()
        self._parts.link.close()

    def _connect(self) -> _Watched:
        """Open the camera if it is closed, and start over if the tray has been calibrated in the meantime."""
        watched = self._watched
        if watched is None:
            camera, image = self._parts.link.open()
            watched = self._begin(camera, (image.shape[1], image.shape[0]), image)
            self._post(CameraFound(camera.name))
        elif watched.tray.zones != self._options.zones_of(watched.camera, watched.tray.frame_px):
            watched = self._begin(watched.camera, watched.tray.frame_px, None)
        return watched

    def _begin(self, camera: Camera, frame_px: tuple[int, int], image: Image | None) -> _Watched:
        zones = self._options.zones_of(camera, frame_px)
        tray = WatchedTray(camera.name, frame_px, zones)
        motion = MotionWatch(still_s=self._options.still_s, tray=zones.tray, picture_px=frame_px)
        self._parts.memory.begin(tray, self._options.leans(camera.name))
        self._parts.motion.begin(motion)
        self._parts.preview.begin(tray, image)
        self._burst.discard()
        self._next_s, self._idle_s = self._clock(), float("-inf")
        self._watched = _Watched(
            camera,
            tray,
            motion,
            RestHistory(zones.tray, frame_px),
            ClipRecorder(zones.tray if self._options.records_clips else None, frame_px),
        )
        return self._watched

    def _lose(self, reason: Message) -> float:
        self.close()
        self._post(CameraLost(reason))
        self._parts.tasks.fail_all(reason)
        return self._parts.link.note_failure()

    @property
    def _period_s(self) -> float:
        is_busy = self._parts.requests.current is not None
        if is_busy or not self._is_quiet:
            return self._options.period_s
        return max(self._options.period_s, QUIET_PERIOD_S)

    @property
    def _is_quiet(self) -> bool:
        return self._parts.preview.activity.still_s > QUIET_S

    def _take_preview(self, watched: _Watched) -> Frame:
        frame = self._parts.link.preview(watched.camera)
        activity = self._parts.motion.feed(watched.motion, frame)
        self._parts.preview.show(frame.image, activity)
        watched.clips.feed(frame, still_s=activity.still_s, is_settled=activity.is_settled)
        return frame

    def _finish_clip(self, clips: ClipRecorder, still: Frame) -> RollClip | None:
        motion = self._parts.motion
        has_rolled = motion.surely_tumbled_since(clips.rested_s)
        return clips.finish(still, has_rolled=has_rolled, accepted_s=motion.marked_s)

    def _observe(self, watched: _Watched) -> None:
        parts, camera = self._parts, watched.camera
        parts.tasks.run_all(camera)
        frame = self._take_preview(watched)
        is_settled = parts.preview.is_settled
        if not is_settled:
            self._burst.discard()
        rest = watched.rests.feed(
            frame,
            is_settled=is_settled,
            capture=partial(parts.link.capture, camera),
            finish_clip=partial(self._finish_clip, watched.clips),
        )
        if request := parts.requests.current:
            self._answer(request, watched, rest)
        elif is_settled:
            self._use_rest(frame, camera)
        if rest:
            parts.link.note_call()
            parts.memory.learn_empty_tray(rest.image, watched.tray.zones)
        if (
            parts.preview.is_settled
            and parts.requests.current is None
            and self._has_unreported_throw
            and not self._burst.is_complete
        ):
            self._burst.add_frame(camera, rest.image if rest else None)

    @property
    def _has_unreported_throw(self) -> bool:
        since_s = max(self._reported_s, self._parts.motion.marked_s)
        return self._parts.motion.surely_tumbled_since(since_s)

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

    def _answer(self, request: ReadRequest, watched: _Watched, rest: TrayRest | None) -> None:
        """Answer a request if the tray is ready to be read, or report that the request has timed out.

        Args:
            request: The outstanding request.
            watched: The camera, and the helper objects created for it.
            rest: The period of rest that begins with the current preview; None if none does.
        """
        has_moved = self._parts.motion.has_moved_since(request.since_s)
        if (
            self._parts.preview.is_settled
            and (has_moved or not request.needs_motion)
            and self._read(request, watched, rest)
        ):
            return
        if not request.needs_motion and self._clock() - request.since_s > request.wait_s:
            self._close_request(request, TimedOut(request.number))

    def _read(self, request: ReadRequest, watched: _Watched, rest: TrayRest | None) -> bool:
        """Read the dice and report the reading, if a frame that was taken after the request still shows them.

        All frames of a reading were taken since the tray came to rest. If a later frame, taken after the request,
        shows the tray still at rest, then the reading is valid for the moment of the request.

        Args:
            request: The request to answer.
            watched: The camera, and the helper objects created for it.
            rest: The period of rest that begins with the current preview; None if none does.

        Returns:
            Whether the reading was reported. If not, something has begun to move, or the newest frame was taken
            before the request.
        """
        parts = self._parts
        reading, image = self._burst.finish(watched.camera, rest.image if rest else None)
        frame = self._take_preview(watched)
        if parts.preview.is_settled and not frame.was_taken_after(request.since_s):
            return False
        self._burst.discard()
        if not parts.preview.is_settled:
            return False
        self._reported_s = seen_s = frame.time_s
        tray_reading = TrayReading(reading, parts.motion.has_tumbled, seen_s)
        captured = CapturedReading(request.number, tray_reading, image, watched.tray.zones.known)
        if watched.rests.last:
            captured = replace(captured, clip=watched.rests.last.clip)
        parts.memory.add(seen_s, image, reading)
        if not request.is_unprompted and reading.is_sure and not reading.dice_in_tray:
            captured = replace(captured, earlier=self._read_previous(watched, captured))
        self._close_request(request, captured)
        return True

    def _read_previous(self, watched: _Watched, empty: CapturedReading) -> CapturedReading | None:
        """Read the dice that lay in the tray before it was emptied, unless they had already been accepted.

        Args:
            watched: The camera, and the helper objects created for it.
            empty: The reading of the empty tray.
        """
        rest = watched.rests.take_previous(self._parts.motion.marked_s)
        if rest is None:
            return None
        reading = self._burst.read_image(watched.camera, rest.image)
        tray_reading = TrayReading(reading, empty.tray_reading.has_tumbled, rest.until_s)
        return replace(empty, tray_reading=tray_reading, image=rest.image, clip=rest.clip)

    def _close_request(self, request: ReadRequest, report: Report) -> None:
        if self._parts.requests.close(request):
            self._post(report)
