"""The eye over the tray: when it reads, and what it does when the camera fails."""

import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep

import cv2
import numpy as np
import pytest

from device.cameras import SimulatedTray
from device.cameras.base import CameraError, Frame, small
from device.cameras.controls import Tuning
from device.watching import camera_thread, liveness
from device.watching.camera_thread import CameraThread
from device.watching.reports import CameraFound, CameraLost, Seen, TimedOut
from vision.reading import Quad

FAST_S = 1 / 30
PATIENCE_S = 10.0


class Reports:
    """What an eye says, in order."""

    def __init__(self, open_camera, **options):
        self.queue = SimpleQueue()
        self.camera_thread = CameraThread(open_camera, self.queue.put, period_s=FAST_S, **options)

    def __enter__(self):
        self.camera_thread.start()
        return self

    def __exit__(self, *_):
        self.camera_thread.close()

    def next(self, kind, timeout_s=PATIENCE_S):
        """The next report of this kind; others are let go."""
        until_s = monotonic() + timeout_s
        while True:
            try:
                report = self.queue.get(timeout=max(0, until_s - monotonic()))
            except Empty:
                raise AssertionError(f"no {kind.__name__} within {timeout_s} s") from None
            if isinstance(report, kind):
                return report


class Faulty:
    """A simulated tray whose cable can be pulled, in several ways."""

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
            raise CameraError("no camera there: plug one in")
        return self

    def preview(self):
        return self._frame(self.source.preview)

    def capture(self):
        return self._frame(self.source.capture)

    def close(self):
        pass

    def _frame(self, take):
        if self.fault == "unplugged":
            raise CameraError("gives no pictures: plug it in again")
        if self.fault == "hung" and self.last is not None:
            return self.last
        self.last = take()
        if self.fault == "black":
            return replace(self.last, image=np.zeros_like(self.last.image))
        if self.fault == "empty buffers":
            return replace(self.last, image=np.full_like(self.last.image, (0, 135, 0)))
        return self.last


@pytest.fixture
def faulty():
    return Faulty(SimulatedTray(seed=1, roll_s=0))


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("unplugged", "plug it in"),
        ("hung", "hangs"),
        ("black", "black"),
        ("empty buffers", "black"),
    ],
)
def test_a_camera_that_fails_is_noticed_within_5_s_and_taken_again(
    monkeypatch, faulty, fault, says
):
    monkeypatch.setattr(camera_thread, "RETRY_S", (0.2, 0.4))
    with Reports(faulty.open) as reports:
        reports.next(CameraFound)
        faulty.fault = fault
        began_s = monotonic()
        assert says in reports.next(CameraLost).reason
        assert monotonic() - began_s < 5

        faulty.fault = None
        reports.next(CameraFound)


def test_a_camera_that_stays_away_is_tried_with_growing_patience(monkeypatch, faulty):
    monkeypatch.setattr(camera_thread, "RETRY_S", (0.05, 0.1, 0.4))
    faulty.fault = "unplugged"
    with Reports(faulty.open):
        sleep(1.2)

    assert faulty.opened == pytest.approx(5, abs=1)


def test_a_camera_that_opens_but_shows_nothing_is_never_called_found(monkeypatch, faulty):
    monkeypatch.setattr(camera_thread, "RETRY_S", (0.05,))
    faulty.fault = "black"
    with Reports(faulty.open) as reports:
        reports.next(CameraLost)
        reports.next(CameraLost)
        with pytest.raises(AssertionError):
            reports.next(CameraFound, 0.3)


def test_the_darkest_tray_shows_something():
    tray = SimulatedTray(seed=1, look="black")

    assert liveness.shows_something(tray.preview().image)
    assert liveness.shows_something((tray.preview().image * 0.2).astype(np.uint8))


def test_the_light_settles_again_on_request_on_the_thread_that_owns_the_camera():
    class Adjustable(Faulty):
        tuning = Tuning()
        threads = ()

        def resettle(self):
            self.threads = (*self.threads, threading.current_thread().name)

        def refocus(self):
            return None

    camera = Adjustable(SimulatedTray(seed=1))
    with Reports(camera.open) as reports:
        reports.next(CameraFound)
        reports.camera_thread.resettle()
        sleep(0.3)

    assert camera.threads == ("eye",)


# When it reads


def test_a_press_while_dice_roll_is_answered_once_they_lie_still():
    tray = SimulatedTray(seed=2, roll_s=1.0)
    with Reports(lambda: tray) as reports:
        reports.next(CameraFound)
        tray.throw(values=[1, 2, 3, 4, 5, 6])
        sleep(0.3)
        reports.camera_thread.look()
        seen = reports.next(Seen)

    assert not tray.rolling
    assert len(seen.sight.reading.in_tray) == 6


def test_a_press_while_a_hand_is_there_is_answered_once_it_has_gone():
    tray = SimulatedTray(seed=2, roll_s=0)
    with Reports(lambda: tray) as reports:
        reports.next(CameraFound)
        tray.throw(values=[1, 2, 3, 4, 5, 6])
        sleep(0.6)
        tray.show_hand()
        sleep(0.8)
        reports.camera_thread.look()
        with pytest.raises(AssertionError):
            reports.next(Seen, 1.0)
        tray.show_hand(False)
        seen = reports.next(Seen)

    assert len(seen.sight.reading.in_tray) == 6


def test_a_tray_that_never_lies_still_is_given_up_in_time():
    class Shaken(SimulatedTray):
        def preview(self):
            frame = super().preview()
            return replace(frame, image=np.roll(frame.image, int(frame.time_s * 40) % 9, axis=1))

    tray = Shaken(seed=2)
    with Reports(lambda: tray) as reports:
        reports.next(CameraFound)
        number = reports.camera_thread.look(wait_s=0.5)

        assert reports.next(TimedOut) == TimedOut(number)


# Rendered throws, shown in real time


class Film:
    """A rendered sequence as a camera: 20 frames a second, the last one stays."""

    name = "film"
    aside = None

    def __init__(self, folder):
        meta = json.loads((folder / "meta.json").read_text())
        lines = (folder / "labels.jsonl").read_text().splitlines()
        self.labels = [json.loads(line) for line in lines]
        self.images = [cv2.imread(str(folder.parent / label["file"])) for label in self.labels]
        self.tray = Quad(tuple(tuple(corner) for corner in meta["tray_corners"]))
        self.began_s = None

    def start(self):
        self.began_s = monotonic()

    def shown(self):
        elapsed_s = monotonic() - self.began_s if self.began_s else 0.0
        return min(int(elapsed_s * 20), len(self.images) - 1)

    def capture(self):
        return Frame(self.images[self.shown()], monotonic())

    def preview(self):
        frame = self.capture()
        return Frame(small(frame.image), frame.time_s)

    def close(self):
        pass

    def frame_of(self, image):
        return next(i for i, shown in enumerate(self.images) if shown is image)


def sequences():
    folder = os.environ.get("TRAYKEEPER_PICTURES")
    return sorted(Path(folder).glob("renders/sequences/*/labels.jsonl")) if folder else []


@pytest.fixture(params=sequences() or [None], ids=lambda path: path.parent.name if path else "none")
def film(request):
    if request.param is None:
        pytest.skip("TRAYKEEPER_PICTURES does not name a folder with renders/sequences")
    return Film(request.param.parent)


@pytest.mark.pictures
@pytest.mark.parametrize("pressed_s", [0.2, 0.8, 1.6])
def test_of_a_rendered_throw_only_a_settled_picture_is_read(film, pressed_s):
    """Whenever the press comes: never while dice move or a hand is there."""
    with Reports(lambda: film) as reports:
        reports.next(CameraFound)
        film.start()
        sleep(pressed_s)
        number = reports.camera_thread.look()
        seen = reports.next(Seen)
        if not seen.sight.reading.in_tray:  # the tray was still empty: armed, as the session does
            number = reports.camera_thread.look(armed=True)
            seen = reports.next(Seen)

    label = film.labels[film.frame_of(seen.image)]
    assert seen.look == number
    assert not label["moving"]
    assert not label["hand"]
    assert label["phase"] == "settled"
