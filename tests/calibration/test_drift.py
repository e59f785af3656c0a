"""The tray is known again by its edges, whatever lies in it, and its light is compared."""

import cv2
import numpy as np
import pytest

from calibration.drift import MOVED, drift, level, signature
from calibration.outline import width_px
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.simulated.tray_geometry import LOOKS


def moved(image, right_px, down_px):
    shift = np.array([[1, 0, right_px], [0, 1, down_px]], np.float64)
    return cv2.warpAffine(image, shift, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)


def smaller(image, quad, width=320):
    scale = width / image.shape[1]
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return small, type(quad)(tuple((x * scale, y * scale) for x, y in quad.corners))


@pytest.fixture(scope="module", params=LOOKS)
def scene(request):
    """A tray as it lies empty, and its picture."""
    tray = SimulatedTray(seed=2, look=request.param, roll_s=0.0)
    return tray, *smaller(tray.capture().image, tray.tray)


def test_what_has_not_changed_is_not_said_to_have(scene):
    tray, image, quad = scene
    sides, then = signature(image, quad), level(image, quad)
    tray.throw_all([1, 2, 3, 4, 5, 6])
    later, _ = smaller(tray.capture().image, tray.tray)
    found = drift(later, quad, sides, then)

    assert not found.tray_moved
    assert not found.light_changed


@pytest.mark.parametrize("share", [0.035, 0.06])
def test_a_tray_that_moved_is_noticed(scene, share):
    _, image, quad = scene
    by = share * width_px(quad)
    found = drift(moved(image, by, by), quad, signature(image, quad), level(image, quad))

    assert found.tray_moved
    assert found.moved == pytest.approx(share, abs=0.015)


def test_a_hair_is_no_move(scene):
    _, image, quad = scene
    by = 0.4 * MOVED * width_px(quad)

    assert not drift(moved(image, by, by), quad, signature(image, quad), None).tray_moved


@pytest.mark.parametrize(("shade", "changed"), [(0.5, True), (0.9, False), (1.08, False)])
def test_light_is_compared(scene, shade, changed):
    _, image, quad = scene
    other = np.clip(image * shade, 0, 255).astype(np.uint8)
    found = drift(other, quad, signature(image, quad), level(image, quad))

    assert not found.tray_moved
    if level(image, quad) > 0.2:  # black felt shows little of the light
        assert found.light_changed == changed


def test_another_picture_says_nothing_of_the_tray(scene):
    _, image, quad = scene
    noise = np.random.default_rng(1).integers(0, 255, image.shape, np.uint8)

    assert drift(noise, quad, signature(image, quad), None).moved is None


def test_a_profile_without_sides_says_nothing_of_the_tray(scene):
    _, image, quad = scene

    assert drift(image, quad, (), 0.3).moved is None
