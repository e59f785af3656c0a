"""A tray that moves and light that changes are noticed, told once, and forgotten when over."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.drift import level, signature
from calibration.outline import Outline
from calibration.profile import Profile
from device.camera import Frame
from device.cameras.simulated import SimulatedTray
from device.drifting import AGAIN_S, DARKER, MOVED, Drifted, DriftWatch
from device.eye import CameraThread
from device.shelf import ProfileStore
from tests.clock import Clock


@pytest.fixture
def tray():
    return SimulatedTray(seed=1, roll_s=0.0)


@pytest.fixture
def drifting(tray):
    """With what it says in `said`."""
    image = tray.preview().image
    height, width = image.shape[:2]
    outline = Outline.of(tray.tray, 1536, 864)
    quad = outline.in_px(width, height)
    shelf = ProfileStore()
    shelf.keep(
        Profile(tray.name, "now", outline, level=level(image, quad), sides=signature(image, quad))
    )
    said = []
    drifting = DriftWatch(shelf, said.append, Clock())
    drifting.said = said
    return drifting


def moved(frame, px=8):
    shift = np.array([[1, 0, px], [0, 1, px]], np.float64)
    image = cv2.warpAffine(frame.image, shift, frame.image.shape[1::-1])
    return replace(frame, image=image)


def darker(frame):
    return Frame((frame.image * 0.45).astype(np.uint8), frame.time_s)


def test_a_tray_where_it_was_says_nothing(drifting, tray):
    for _ in range(5):
        tray.throw_all()
        drifting.look(tray.preview(), tray)

    assert drifting.said == []


def test_a_move_is_told_when_seen_twice_and_once_only(drifting, tray):
    drifting.look(moved(tray.preview()), tray)
    assert drifting.said == []
    for _ in range(3):
        drifting.look(moved(tray.preview()), tray)
    assert drifting.said == [Drifted(MOVED, moved=True)]

    for _ in range(3):
        drifting.look(tray.preview(), tray)
    assert drifting.said[1:] == [Drifted("")]


def test_the_exposure_is_found_again_but_not_again_and_again(drifting, tray):
    def dark_twice():
        for frame in (darker(tray.preview()), darker(tray.preview())):
            drifting.look(frame, tray)

    def light_twice():
        for _ in range(2):
            drifting.look(tray.preview(), tray)

    dark_twice()
    assert drifting.said == [Drifted(DARKER, resettle=True)]
    light_twice()
    dark_twice()
    assert drifting.said[-1] == Drifted(DARKER, resettle=False)
    light_twice()
    drifting._clock.now_s += AGAIN_S + 1
    dark_twice()
    assert drifting.said[-1] == Drifted(DARKER, resettle=True)


def test_without_a_profile_of_this_camera_nothing_is_looked_at(tray):
    said = []
    DriftWatch(ProfileStore(), said.append).look(tray.preview(), tray)

    assert said == []


def test_the_eye_looks_soon_after_the_start_and_only_at_rest(tray):
    seen = []
    eye = CameraThread(
        lambda: tray, lambda _: None, idle=lambda frame, camera: seen.append(camera.name)
    )
    eye.start()
    try:
        eye.with_camera(lambda _: None).result(5)
        for _ in range(100):
            if seen:
                break
            eye.with_camera(lambda _: None).result(5)
    finally:
        eye.close()
    assert seen == ["simulated tray"]
