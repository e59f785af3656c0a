"""The tray watch, and the thread that runs it.

The tray watch posts reports of what it sees and never changes the match. If the camera fails, the tray watch
reopens the camera after a while; until then, dice can be entered on a phone.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Event, Thread
from time import monotonic
from typing import TypeVar

from device.cameras.base import Camera
from device.cameras.controls import Tunable
from device.watching.camera_link import CameraLink, CameraTasks
from device.watching.marked_motion import MarkedMotion
from device.watching.read_requests import WAIT_S, ReadRequest, ReadRequests
from device.watching.reports import Report
from device.watching.tray_memory import TrayMemory
from device.watching.tray_preview import TrayPreview
from device.watching.watch_loop import WatchLoop, WatchOptions, WatchParts
from vision import Die

T = TypeVar("T")

JOIN_S = 5.0
"""How long to wait for the thread to end, in seconds: longer than a camera takes for one frame.

A thread whose camera hangs is abandoned."""


class TrayWatch:
    """Watches the tray with a camera, and reads the dice on request.

    Any thread may call its methods, except that `step` and `close` must always be called on the same
    thread.

    Args:
        open_camera: Opens the camera, and is called again after each failure.
        post: Receives the reports of the tray watch.
        options: How the tray is watched.
        clock: Monotonic clock in seconds, the same as that of the camera's frames.

    Attributes:
        preview: What the camera sees now.
        link: The connection to the camera.
        memory: The knowledge about the tray.
    """

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        post: Callable[[Report], None],
        options: WatchOptions = WatchOptions(),  # noqa: B008 - it is frozen
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.preview, self.memory = TrayPreview(), TrayMemory()
        self.link = CameraLink(open_camera, clock)
        self._requests, self._tasks, self._motion = (
            ReadRequests(),
            CameraTasks(),
            MarkedMotion(clock),
        )
        parts = WatchParts(
            self.link, self._tasks, self._requests, self._motion, self.memory, self.preview
        )
        self._loop, self._clock = WatchLoop(parts, options, post, clock), clock

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
        return self._requests.put(ReadRequest(since_s, needs_motion, is_unprompted, wait_s))

    def cancel_request(self) -> None:
        """Implement `TrayReader.cancel_request`: cancel the outstanding request."""
        self._requests.cancel()

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
        self._tasks.add(lambda _: self.memory.add_foreign_object(time_s, thing))

    def relock_exposure(self) -> None:
        """Let the camera adapt its exposure to changed light, if it can."""
        self._tasks.add(_relock_exposure)

    def run_with_camera(self, task: Callable[[Camera], T]) -> "Future[T]":
        """Queue a task for the camera's thread, and return its future, which fails if there is no camera."""
        return self._tasks.add(task)

    @property
    def has_tumbled(self) -> bool | None:
        """Implement `TrayReader.has_tumbled`: whether dice have been seen rolling since the last accepted reading.

        It is None if the tray was not watched throughout.
        """
        return self._motion.has_tumbled

    def surely_tumbled_since(self, time_s: float) -> bool:
        """Implement `TrayReader.surely_tumbled_since`: return whether dice certainly rolled after a time."""
        return self._motion.surely_tumbled_since(time_s)

    @property
    def is_moving(self) -> bool:
        """Implement `TrayReader.is_moving`: whether something other than a hand is moving now."""
        return self.preview.is_moving

    def step(self) -> float:
        """Take one step of the tray watch and return the seconds until the next one is due."""
        return self._loop.step()

    def close(self) -> None:
        """Stop watching and release the camera."""
        self._loop.close()


def _relock_exposure(camera: Camera) -> None:
    if isinstance(camera, Tunable):
        camera.relock_exposure()


class CameraThread:
    """The thread that calls `TrayWatch.step` whenever a step is due.

    Args:
        watch: The tray watch.
    """

    def __init__(self, watch: TrayWatch) -> None:
        self._watch = watch
        self._stop = Event()
        self._thread = Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching, and release the camera unless it hangs."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=JOIN_S)

    def _run(self) -> None:
        while not self._stop.wait(self._watch.step()):
            pass
        self._watch.close()
