"""The connection to a camera that starts black, hangs, or cannot be closed."""

import numpy as np
import pytest

from device.cameras.base import CameraError, CameraStuckError, Frame
from device.hardware.systemd import MIN_UPTIME_S, SelfRestart
from device.watching.camera_link import DARK_FRAMES, DARK_S, LOST_S, STUCK_S, CameraLink
from game.message import Message
from tests.clock import Clock

LIT = np.random.default_rng(1).integers(0, 255, (90, 160, 3), np.uint8)
BLACK = np.zeros_like(LIT)


class Driver:
    """A stand-in for the thread that waits for a driver to release a camera."""

    def __init__(self):
        self.hangs = True

    def is_alive(self):
        return self.hangs


class StartingCamera:
    """A camera that begins with black frames and may hang."""

    name, tray, aside = "webcam", None, None

    def __init__(self, clock, black=0, frame_s=0.1):
        self.clock, self.black, self.frame_s = clock, black, frame_s
        self.closed = 0
        self.hangs_at_close = self.is_busy = False
        self.driver = Driver()

    def open(self):
        if self.is_busy:
            raise CameraError(Message("cannot open it: close other programs that use it"))
        return self

    def capture(self):
        self.clock.now_s += self.frame_s
        self.black -= 1
        return Frame(LIT if self.black < 0 else BLACK, self.clock())

    def close(self):
        self.closed += 1
        if self.hangs_at_close:
            self.is_busy = True
            raise CameraStuckError(self.driver)


@pytest.fixture
def clock():
    return Clock()


@pytest.mark.parametrize("black", [0, 1, 4, 30])
def test_a_camera_that_starts_with_black_frames_opens(clock, black):
    _, image = CameraLink(StartingCamera(clock, black).open, clock).open()

    assert image is LIT


@pytest.mark.parametrize("frame_s", [0.01, 0.1, 0.5])
def test_a_camera_that_stays_black_is_closed_with_the_remedy_after_some_seconds(clock, frame_s):
    camera = StartingCamera(clock, black=10_000, frame_s=frame_s)
    began_s = clock()
    with pytest.raises(CameraError, match="black: turn on the light"):
        CameraLink(camera.open, clock).open()

    assert camera.closed == 1
    assert clock() - began_s <= min(DARK_S, DARK_FRAMES * frame_s) + 2 * frame_s


def test_a_slow_dark_camera_does_not_count_as_hung(clock):
    link = CameraLink(StartingCamera(clock, black=10).open, clock)
    link.open()

    assert not link.is_hung


def test_a_camera_that_cannot_be_closed_is_not_in_use_by_other_programs(clock):
    camera = StartingCamera(clock)
    link = CameraLink(camera.open, clock)
    link.open()
    camera.hangs_at_close = True
    link.close()

    with pytest.raises(CameraStuckError, match="is not responding and cannot be closed"):
        link.open()
    assert not link.needs_new_process
    clock.now_s += STUCK_S + 1
    link.note_call()
    assert link.needs_new_process


def test_a_driver_that_releases_the_camera_late_needs_no_new_process(clock):
    camera = StartingCamera(clock)
    link = CameraLink(camera.open, clock)
    link.open()
    camera.hangs_at_close = True
    link.close()
    camera.driver.hangs = False
    clock.now_s += STUCK_S + 1
    link.note_call()

    assert not link.needs_new_process
    with pytest.raises(CameraError, match="close other programs"):
        link.open()


def test_a_camera_that_gets_stuck_while_it_opens_needs_a_new_process(clock):
    def stuck():
        raise CameraStuckError(Driver())

    link = CameraLink(stuck, clock)
    with pytest.raises(CameraStuckError):
        link.open()
    clock.now_s += STUCK_S + 1
    link.note_call()

    assert link.needs_new_process


def test_a_call_that_never_returns_needs_a_new_process(clock):
    link = CameraLink(StartingCamera(clock).open, clock)
    link.open()
    clock.now_s += LOST_S - 1
    assert not link.needs_new_process
    clock.now_s += 2

    assert link.needs_new_process


def test_the_process_ends_once_and_never_within_five_minutes_of_its_start(clock):
    ends = []
    restart = SelfRestart({"NOTIFY_SOCKET": "/run/systemd/notify"}, clock, lambda: ends.append(1))
    for _ in range(int(MIN_UPTIME_S)):
        restart()
        clock.now_s += 1
    assert ends == []
    restart()
    restart()

    assert ends == [1]


def test_without_systemd_nobody_would_start_the_process_again(clock):
    ends = []
    restart = SelfRestart({}, clock, lambda: ends.append(1))
    clock.now_s += 2 * MIN_UPTIME_S
    restart()

    assert ends == []
