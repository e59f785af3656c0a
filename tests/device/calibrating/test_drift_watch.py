"""A moved tray and changed light are noticed, reported once, and forgotten when the change is over."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.drift import edge_signature, floor_brightness
from calibration.outline import Outline
from calibration.profile import Profile
from device.calibrating.drift_watch import DARKER, LIGHTER, MIN_RELOCK_S, MOVED, Drifted, DriftWatch
from device.calibrating.profile_file import ProfileStore
from device.cameras.base import Frame
from device.cameras.simulated.tray import SimulatedTray
from device.watching.tray_watch import TrayWatch, WatchOptions
from tests.clock import Clock


@pytest.fixture
def tray():
    return SimulatedTray(seed=1, roll_s=0.0)


@pytest.fixture
def drift_watch(tray):
    """A drift watch whose reports are collected in `posted`."""
    image = tray.preview().image
    height, width = image.shape[:2]
    outline = Outline.of(tray.tray, 1536, 864)
    quad = outline.in_px(width, height)
    profiles = ProfileStore()
    profiles.save(
        Profile(
            tray.name,
            "now",
            outline,
            level=floor_brightness(image, quad),
            sides=edge_signature(image, quad),
        )
    )
    posted = []
    drift_watch = DriftWatch(profiles, posted.append, Clock())
    drift_watch.posted = posted
    return drift_watch


def moved(frame, px=8):
    shift = np.array([[1, 0, px], [0, 1, px]], np.float64)
    image = cv2.warpAffine(frame.image, shift, frame.image.shape[1::-1])
    return replace(frame, image=image)


def darker(frame):
    return Frame((frame.image * 0.45).astype(np.uint8), frame.time_s)


def brighter(frame):
    return Frame(np.minimum(frame.image * 1.6, 255).astype(np.uint8), frame.time_s)


def test_an_unchanged_tray_is_not_reported(drift_watch, tray):
    for _ in range(5):
        tray.throw_all()
        drift_watch.compare(tray.preview(), tray)

    assert drift_watch.posted == []


def test_a_move_is_reported_once_when_it_was_seen_twice(drift_watch, tray):
    drift_watch.compare(moved(tray.preview()), tray)
    assert drift_watch.posted == []
    for _ in range(3):
        drift_watch.compare(moved(tray.preview()), tray)
    assert drift_watch.posted == [Drifted(MOVED, has_moved=True)]

    for _ in range(3):
        drift_watch.compare(tray.preview(), tray)
    assert drift_watch.posted[1:] == [Drifted(None)]


def test_a_move_after_a_new_profile_was_saved_is_reported_again(drift_watch, tray):
    for _ in range(2):
        drift_watch.compare(moved(tray.preview()), tray)
    drift_watch.forget()
    assert drift_watch.found == Drifted(None)
    for _ in range(2):
        drift_watch.compare(moved(tray.preview(), px=16), tray)

    assert drift_watch.found == Drifted(MOVED, has_moved=True)
    assert drift_watch.posted == 2 * [Drifted(MOVED, has_moved=True)]


def test_the_exposure_is_relocked_but_not_too_often(drift_watch, tray):
    def dark_twice():
        for frame in (darker(tray.preview()), darker(tray.preview())):
            drift_watch.compare(frame, tray)

    def light_twice():
        for _ in range(2):
            drift_watch.compare(tray.preview(), tray)

    dark_twice()
    assert drift_watch.posted == [Drifted(DARKER, should_relock=True)]
    light_twice()
    dark_twice()
    assert drift_watch.posted[-1] == Drifted(DARKER, should_relock=False)
    light_twice()
    drift_watch._clock.now_s += MIN_RELOCK_S + 1
    dark_twice()
    assert drift_watch.posted[-1] == Drifted(DARKER, should_relock=True)


def test_a_second_change_of_light_relocks_the_exposure_as_soon_as_allowed(drift_watch, tray):
    def look_for(seconds, frame):
        for _ in range(seconds // 30):
            drift_watch._clock.now_s += 30
            drift_watch.compare(frame, tray)

    look_for(120, darker(tray.preview()))
    look_for(120, tray.preview())
    look_for(30 * 60, brighter(tray.preview()))

    assert drift_watch.posted[2:5] == [
        Drifted(LIGHTER),
        Drifted(LIGHTER, should_relock=True),
        Drifted(LIGHTER, should_relock=True),
    ]
    assert len(drift_watch.posted) <= 2 + 1 + 30 * 60 // MIN_RELOCK_S


def test_without_a_profile_for_this_camera_nothing_is_compared(tray):
    posted = []
    DriftWatch(ProfileStore(), posted.append).compare(tray.preview(), tray)

    assert posted == []


def test_the_watch_compares_soon_after_the_start_and_only_at_rest(clock):
    seen, tray = [], SimulatedTray(seed=3, roll_s=0, clock=clock)
    options = WatchOptions(on_idle=lambda frame, camera: seen.append(camera.name))
    watch = TrayWatch(lambda: tray, lambda _: None, options, clock)
    for _ in range(20):
        clock.now_s += watch.run_once()

    assert seen == ["simulated tray"]
