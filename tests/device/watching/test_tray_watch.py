"""The watch over the tray: when it reads, and what it does if the camera fails."""

import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import cv2
import numpy as np
import pytest

from device.cameras.base import CameraError, Frame, LoginRefusedError
from device.cameras.controls import Tuning
from device.watching import camera_link
from device.watching.reports import CameraFound, CameraLost, CapturedReading, TimedOut
from device.watching.tray_watch import TrayWatch, WatchOptions
from game.message import Message
from tests.handled_tray import HandledTray
from tests.waiting import PATIENCE_S
from vision.reading import Quad

FAST_S = 1 / 30
SIMULATED_LIMIT_S = 60.0


class Reports:
    """A watch with the reports that it has posted; the clock advances with each step."""

    def __init__(self, clock, open_camera, **options):
        self.clock, self.posted = clock, []
        self.watch = TrayWatch(
            open_camera, self.posted.append, WatchOptions(period_s=FAST_S, **options), clock
        )

    def step(self):
        wait_s = self.watch.run_once()
        self.clock.now_s += wait_s

    def wait_s(self, seconds):
        end_s = self.clock() + seconds
        while self.clock() < end_s:
            self.step()

    def next(self, kind, timeout_s=SIMULATED_LIMIT_S):
        """Return the next report of this kind, and drop the reports before it."""
        end_s = self.clock() + timeout_s
        while True:
            while self.posted:
                if isinstance(report := self.posted.pop(0), kind):
                    return report
            assert self.clock() < end_s, f"no {kind.__name__} within {timeout_s} s"
            self.step()


class Faulty:
    """A simulated tray whose camera can fail in several ways."""

    tray = aside = None
    name = "faulty"

    def __init__(self, source):
        self.source = source
        self.fault = None
        self.opened = 0
        self.last = None

    def open(self):
        self.opened += 1
        if self.fault == "unplugged":
            raise CameraError(Message("no camera there: plug one in"))
        return self

    def preview(self):
        return self._frame(self.source.preview)

    def capture(self):
        return self._frame(self.source.capture)

    def close(self):
        pass

    def _frame(self, take):
        if self.fault == "unplugged":
            raise CameraError(Message("it is not sending any pictures: plug it in again"))
        if self.fault == "hung" and self.last is not None:
            return self.last
        self.last = take()
        if self.fault == "black":
            return replace(self.last, image=np.zeros_like(self.last.image))
        if self.fault == "empty buffers":
            return replace(self.last, image=np.full_like(self.last.image, (0, 135, 0)))
        return self.last


def read_tray(reports):
    """Request a reading and return its report."""
    reports.watch.request_reading()
    return reports.next(CapturedReading)


@pytest.fixture
def faulty(clock):
    return Faulty(HandledTray(seed=1, roll_s=0, clock=clock))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("unplugged", "plug it in"),
        ("hung", "is not responding"),
        ("black", "black"),
        ("empty buffers", "black"),
    ],
)
def test_a_camera_that_fails_is_noticed_within_5_s_and_reopened(clock, faulty, fault, message):
    reports = Reports(clock, faulty.open)
    reports.next(CameraFound)
    faulty.fault = fault
    assert message in str(reports.next(CameraLost, timeout_s=5).reason)

    faulty.fault = None
    reports.next(CameraFound)


def test_a_missing_camera_is_retried_with_increasing_pauses(clock, faulty):
    faulty.fault = "unplugged"
    watch = Reports(clock, faulty.open).watch

    assert [watch.run_once() for _ in range(6)] == [1, 2, 4, 8, 8, 8]
    assert faulty.opened == 6


def test_a_camera_with_black_images_is_never_reported_as_found(clock, faulty):
    faulty.fault = "black"
    reports = Reports(clock, faulty.open)
    reports.next(CameraLost)
    reports.next(CameraLost)

    with pytest.raises(AssertionError):
        reports.next(CameraFound)


def test_the_darkest_tray_is_not_a_black_image():
    tray = HandledTray(seed=1, look="black")

    assert camera_link.has_content(tray.preview().image)
    assert camera_link.has_content((tray.preview().image * 0.2).astype(np.uint8))


def test_the_exposure_is_relocked_on_the_thread_that_owns_the_camera(clock):
    class Adjustable(Faulty):
        tuning = Tuning()
        threads = ()

        def relock_exposure(self):
            self.threads = (*self.threads, threading.current_thread().name)

        def refocus(self):
            return None

    camera = Adjustable(HandledTray(seed=1))
    reports = SimpleQueue()
    watch = TrayWatch(camera.open, reports.put, WatchOptions(period_s=FAST_S))
    watch.start()
    reports.get(timeout=PATIENCE_S)
    watch.relock_exposure()
    watch.run_with_camera(lambda _: None).result(timeout=PATIENCE_S)  # runs after it
    watch.close()

    assert camera.threads == ("camera",)


# Requests


def test_a_request_while_dice_roll_is_answered_once_they_are_still(clock):
    tray = HandledTray(seed=2, roll_s=1.0, clock=clock)
    reports = Reports(clock, lambda: tray)
    reports.next(CameraFound)
    tray.throw(values=[1, 2, 3, 4, 5, 6])
    reports.wait_s(0.3)
    reports.watch.request_reading()
    seen = reports.next(CapturedReading)

    assert not tray.is_rolling
    assert len(seen.tray_reading.reading.dice_in_tray) == 6


def test_a_request_while_a_hand_is_there_is_answered_once_it_has_gone(clock):
    tray = HandledTray(seed=2, roll_s=0, clock=clock)
    reports = Reports(clock, lambda: tray)
    reports.next(CameraFound)
    tray.throw(values=[1, 2, 3, 4, 5, 6])
    reports.wait_s(0.6)
    tray.show_hand()
    reports.wait_s(0.8)
    reports.watch.request_reading()
    with pytest.raises(AssertionError):
        reports.next(CapturedReading, 1.0)
    tray.show_hand(False)
    seen = reports.next(CapturedReading)

    assert len(seen.tray_reading.reading.dice_in_tray) == 6


def test_a_request_times_out_if_the_tray_is_never_still(clock):
    class Shaken(HandledTray):
        def preview(self):
            frame = super().preview()
            return replace(frame, image=np.roll(frame.image, int(frame.time_s * 40) % 9, axis=1))

    tray = Shaken(seed=2, clock=clock)
    reports = Reports(clock, lambda: tray)
    reports.next(CameraFound)
    number = reports.watch.request_reading(wait_s=0.5)

    assert reports.next(TimedOut) == TimedOut(number)


class Counted(HandledTray):
    """A simulated tray that counts the full frames taken of it."""

    captured = 0

    def capture(self):
        self.captured += 1
        return super().capture()


def watch_rolled_dice(clock, *values, **options):
    """Return a tray and a watch that has seen dice come to rest some time ago."""
    tray = Counted(seed=2, roll_s=0.6, clock=clock)
    reports = Reports(clock, lambda: tray, **options)
    reports.next(CameraFound)
    reports.wait_s(0.5)
    tray.throw(values=values)
    reports.wait_s(2.0)
    return tray, reports


def test_a_throw_at_rest_is_read_before_anybody_asks(clock):
    tray, reports = watch_rolled_dice(clock, 1, 2, 3, 4, 5, 6)
    before, number = tray.captured, reports.watch.request_reading()
    reports.step()
    (seen,) = (report for report in reports.posted if isinstance(report, CapturedReading))

    assert seen.number == number
    assert sorted(die.value for die in seen.reading.dice_in_tray) == [1, 2, 3, 4, 5, 6]
    assert tray.captured == before


@pytest.mark.parametrize("burst_frames", [1, 2, 3])
def test_a_burst_is_read_ahead_and_nothing_more(clock, burst_frames):
    tray, reports = watch_rolled_dice(clock, 2, 4, 6, burst_frames=burst_frames)
    before = tray.captured
    reports.wait_s(5.0)

    # One frame when the camera is opened, one of the empty tray; the frame of the new rest is the first of the burst.
    assert (before, tray.captured) == (2 + burst_frames, 2 + burst_frames)


def test_a_second_request_reads_new_frames(clock):
    tray, reports = watch_rolled_dice(clock, 1, 2, 3, 4, 5, 6)
    first = read_tray(reports)
    before = tray.captured
    again = read_tray(reports)

    assert again.image is not first.image
    assert tray.captured == before + 2


def test_dice_that_were_moved_after_they_were_read_ahead_are_read_again(clock):
    tray, reports = watch_rolled_dice(clock, 1, 2, 3, 4, 5, 6)
    tray.show_hand()
    reports.wait_s(0.5)
    tray.place([6, 6, 6, 5, 5, 5])
    tray.show_hand(False)
    seen = read_tray(reports)

    assert sorted(die.value for die in seen.reading.dice_in_tray) == [5, 5, 5, 6, 6, 6]


def test_frames_are_read_again_if_more_was_learnt_about_the_tray(clock):
    tray, reports = watch_rolled_dice(clock, 1, 2, 3)
    reports.watch.mark_accepted(read_tray(reports).tray_reading.time_s)
    tray.throw(values=[4, 5, 6])
    reports.wait_s(2.0)
    second = read_tray(reports)
    tray.throw(values=[1, 1, 5])
    reports.wait_s(2.0)
    before, known = tray.captured, reports.watch.memory.known
    reports.watch.mark_accepted(second.tray_reading.time_s)  # the first throw teaches now
    read_tray(reports)

    assert reports.watch.memory.known is not known
    assert tray.captured > before


# Rendered throws


class Film:
    """A camera that shows a rendered sequence at 20 frames a second, and then keeps showing the last frame."""

    name = "film"
    aside = None

    def __init__(self, folder, clock):
        self._clock = clock
        meta = json.loads((folder / "meta.json").read_text())
        lines = (folder / "labels.jsonl").read_text().splitlines()
        self.labels = [json.loads(line) for line in lines]
        self.images = [cv2.imread(str(folder.parent / label["file"])) for label in self.labels]
        self.tray = Quad(tuple(tuple(corner) for corner in meta["tray_corners"]))
        self.began_s = None

    def start(self):
        self.began_s = self._clock()

    def shown(self):
        elapsed_s = self._clock() - self.began_s if self.began_s else 0.0
        return min(int(elapsed_s * 20), len(self.images) - 1)

    def capture(self):
        return Frame(self.images[self.shown()], self._clock())

    def preview(self):
        frame = self.capture()
        return frame.preview()

    def close(self):
        pass

    def frame_of(self, image):
        return next(i for i, shown in enumerate(self.images) if shown is image)


def sequences():
    folder = os.environ.get("TRAYKEEPER_PICTURES")
    return sorted(Path(folder).glob("renders/sequences/*/labels.jsonl")) if folder else []


@pytest.fixture(params=sequences() or [None], ids=lambda path: path.parent.name if path else "none")
def film(request, clock):
    if request.param is None:
        pytest.skip("TRAYKEEPER_PICTURES does not name a folder with renders/sequences")
    return Film(request.param.parent, clock)


@pytest.mark.pictures
@pytest.mark.parametrize("pressed_s", [0.2, 0.8, 1.6])
def test_only_a_settled_frame_of_a_rendered_throw_is_read(clock, film, pressed_s):
    """A frame is never read while dice are moving or a hand is there, whenever the request arrives."""
    reports = Reports(clock, lambda: film)
    reports.next(CameraFound)
    film.start()
    reports.wait_s(pressed_s)
    number = reports.watch.request_reading()
    seen = reports.next(CapturedReading)
    if (
        not seen.reading.dice_in_tray
    ):  # the tray was still empty: wait for a throw, as the session does
        number = reports.watch.request_reading(needs_motion=True)
        seen = reports.next(CapturedReading)

    label = film.labels[film.frame_of(seen.image)]
    assert seen.number == number
    assert not label["moving"]
    assert not label["hand"]
    assert label["phase"] == "settled"


def test_a_preview_exists_when_the_camera_is_reported_as_found(clock):
    seen = []
    watch = TrayWatch(
        lambda: HandledTray(seed=3, roll_s=0, clock=clock),
        lambda report: seen.append((type(report), watch.preview.latest is not None)),
        clock=clock,
    )
    watch.run_once()

    assert seen == [(CameraFound, True)]


# What it learns about the tray


def test_a_new_calibration_leaves_open_whether_dice_tumbled(clock):
    tray = HandledTray(seed=3, roll_s=0.4, clock=clock)
    camera = Faulty(tray)
    reports = Reports(clock, camera.open)
    reports.wait_s(1)
    reports.watch.mark_accepted()
    reports.wait_s(1)
    assert reports.watch.has_tumbled is False
    tray.throw()
    reports.wait_s(2)
    assert reports.watch.has_tumbled is True
    camera.tray = tray.tray
    reports.wait_s(2)

    assert reports.watch.has_tumbled is None


@pytest.mark.parametrize("seed", range(4))
def test_a_quiet_tray_is_watched_less_often_and_a_throw_is_still_seen(clock, seed):
    tray = HandledTray(seed=seed, roll_s=0.6, clock=clock)
    reports = Reports(clock, lambda: tray)
    reports.next(CameraFound)
    reports.wait_s(30)
    reports.watch.mark_accepted()
    assert reports.watch.run_once() > FAST_S

    tray.throw(values=[1, 2, 3, 4, 5, 6])
    reports.wait_s(1)
    assert reports.watch.run_once() <= FAST_S
    assert reports.watch.has_tumbled is True


def test_freed_memory_is_returned_only_after_a_while_without_motion(clock, monkeypatch):
    returned_s = []
    monkeypatch.setattr(
        "device.watching.tray_watch.return_free_memory", lambda: returned_s.append(clock())
    )
    tray = HandledTray(seed=3, roll_s=1.0, clock=clock)
    reports = Reports(clock, lambda: tray)
    for _ in range(6):
        tray.throw_all()
        reports.wait_s(15)
    assert returned_s == []

    reports.wait_s(40)
    assert 1 <= len(returned_s) <= 2


def test_the_empty_tray_is_learnt_between_throws_without_a_request(clock):
    tray = HandledTray(seed=3, roll_s=0, clock=clock)
    reports = Reports(clock, lambda: tray)
    reports.next(CameraFound)
    reports.wait_s(1.0)

    assert reports.watch.memory.known.empty is not None

    first = reports.watch.memory.known.empty
    tray.throw(values=[1, 2, 3, 4, 5, 6])
    reports.wait_s(1.0)
    assert reports.watch.memory.known.empty is first

    tray.gather()
    reports.wait_s(1.0)
    assert reports.watch.memory.known.empty is not first


@pytest.mark.parametrize(("level", "noise"), [(3, 1.2), (250, 0.0)])
def test_a_picture_without_light_or_with_too_much_is_not_learnt_as_the_empty_tray(
    clock, level, noise
):
    random = np.random.default_rng(1)

    class Unlit(Faulty):
        is_lit = True

        def _frame(self, take):
            frame = super()._frame(take)
            if self.is_lit:
                return frame
            grey = random.normal(level, noise, frame.image.shape).clip(0, 255)
            return replace(frame, image=grey.astype(np.uint8))

    camera = Unlit(HandledTray(seed=3, roll_s=0, clock=clock))
    camera.tray = camera.source.tray
    camera.source.throw(values=[1, 2, 3, 4, 5, 6])
    reports = Reports(clock, camera.open)
    reports.next(CameraFound)
    camera.is_lit = False
    reports.wait_s(2.0)
    assert reports.watch.memory.known.empty is None

    camera.is_lit = True
    reports.wait_s(1.0)
    assert read_tray(reports).reading.values == (1, 2, 3, 4, 5, 6)
    camera.source.gather()
    reports.wait_s(1.0)
    assert reports.watch.memory.known.empty is not None


def thrown(reports, tray, *values):
    """Throw dice with these faces, and return the report of their reading."""
    tray.throw(values=values)
    reports.wait_s(1.0)
    return read_tray(reports)


def test_leans_are_learnt_from_accepted_dice_once_the_next_throw_is_accepted(clock):
    tray = HandledTray(seed=3, roll_s=0, clock=clock)
    reports = Reports(clock, lambda: tray)
    reports.next(CameraFound)
    first = thrown(reports, tray, 1, 2, 3, 4, 5, 6)
    reports.watch.mark_accepted(first.tray_reading.time_s)
    assert reports.watch.memory.known.leans == ()
    reports.watch.mark_accepted(thrown(reports, tray, 2, 2, 3, 4, 5, 6).tray_reading.time_s)

    assert reports.watch.memory.known.leans == first.reading.leans


def test_nothing_is_learnt_from_dice_that_were_undone(clock):
    tray = HandledTray(seed=3, roll_s=0, clock=clock)
    reports = Reports(clock, lambda: tray)
    reports.next(CameraFound)
    reports.watch.mark_accepted(thrown(reports, tray, 1, 2, 3, 4, 5, 6).tray_reading.time_s)
    reports.watch.retract_accepted()
    reports.watch.mark_accepted(thrown(reports, tray, 2, 2, 3, 4, 5, 6).tray_reading.time_s)

    assert reports.watch.memory.known.leans == ()


def test_the_tray_is_still_known_when_the_camera_is_back(clock):
    camera = Faulty(HandledTray(seed=3, roll_s=0, clock=clock))
    camera.tray = camera.source.tray
    reports = Reports(clock, camera.open)
    reports.next(CameraFound)
    reports.wait_s(1.0)
    before = reports.watch.memory.known
    assert before.empty is not None
    camera.fault = "unplugged"
    reports.next(CameraLost)
    camera.fault = None
    reports.next(CameraFound)

    assert reports.watch.memory.known is before


def test_the_empty_tray_is_learnt_again_after_the_camera_was_moved(clock):
    class Nudged(Faulty):
        by_px = 0

        def _frame(self, take):
            frame = super()._frame(take)
            return replace(frame, image=np.roll(frame.image, self.by_px, axis=1))

    camera = Nudged(HandledTray(seed=3, roll_s=0, clock=clock))
    camera.tray = camera.source.tray
    reports = Reports(clock, camera.open)
    reports.next(CameraFound)
    reports.wait_s(1.0)
    before = reports.watch.memory.known.empty
    camera.by_px = 40
    for values in ([3, 4], [1]):
        camera.source.throw(values=values)
        reports.wait_s(1.0)
        camera.source.gather()
        reports.wait_s(1.0)

    assert np.abs(reports.watch.memory.known.empty.astype(float) - before).mean() > 1


def test_a_camera_that_refuses_the_password_is_asked_less_and_less_often(clock):
    asked_s = []

    def refuse():
        asked_s.append(clock())
        raise LoginRefusedError(Message("the camera refuses the password"))

    began_s, reports = clock(), Reports(clock, refuse)
    while clock() < began_s + 1000:
        reports.step()
        assert not reports.watch.link.is_hung
        assert not reports.watch.link.needs_new_process
        waiting = reports.watch.run_with_camera(lambda camera: camera.capture())
        reports.step()
        assert waiting.exception(timeout=0)

    assert [round(time_s - began_s) for time_s in asked_s] == [0, 5, 20, 80, 380, 680, 980]
    assert "refuses the password" in str(reports.next(CameraLost).reason)
    assert "tries again after 15 seconds" in str(reports.next(CameraLost).reason)


def test_a_password_refused_after_a_long_outage_is_soon_tried_again(clock):
    is_off = True

    def fail():
        reason = Message("the camera refuses the password")
        raise CameraError(reason) if is_off else LoginRefusedError(reason)

    reports = Reports(clock, fail)
    reports.wait_s(60.0)
    is_off = False
    reports.posted.clear()

    assert "tries again after 5 seconds" in str(reports.next(CameraLost).reason)


def test_a_task_for_the_camera_fails_at_once_when_the_watch_ends(clock, faulty):
    watch = Reports(clock, faulty.open).watch
    watch.run_once()
    queued = watch.run_with_camera(lambda camera: camera.capture())
    watch.close()

    assert isinstance(queued.exception(timeout=0), CameraError)
    assert isinstance(watch.run_with_camera(lambda _: None).exception(timeout=0), CameraError)
