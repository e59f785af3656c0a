"""A moved tray is recognised by its edges, whatever lies in it, and the light is compared."""

import cv2
import numpy as np
import pytest

from calibration.drift import MIN_MOVE, edge_signature, floor_brightness, measure_drift
from calibration.outline import tray_width_px
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
    """Return an empty tray, its frame and its floor."""
    tray = SimulatedTray(seed=2, look=request.param, roll_s=0.0)
    return tray, *smaller(tray.capture().image, tray.tray)


def test_dice_in_an_unmoved_tray_are_not_drift(scene):
    tray, image, quad = scene
    sides, then = edge_signature(image, quad), floor_brightness(image, quad)
    tray.throw_all([1, 2, 3, 4, 5, 6])
    later, _ = smaller(tray.capture().image, tray.tray)
    found = measure_drift(later, quad, sides, then)

    assert not found.has_tray_moved
    assert not found.has_light_changed


@pytest.mark.parametrize("share", [0.035, 0.06, 0.09, 0.12, 0.2, 0.3, 0.5])
@pytest.mark.parametrize("down", [0, 1])
def test_a_moved_tray_is_detected_however_far_it_moved(scene, share, down):
    _, image, quad = scene
    by = share * tray_width_px(quad)
    found = measure_drift(
        moved(image, by, down * by),
        quad,
        edge_signature(image, quad),
        floor_brightness(image, quad),
    )

    assert found.has_tray_moved


@pytest.mark.parametrize(("turn_deg", "scale"), [(6, 1), (10, 1), (45, 1), (0, 0.8), (0, 1.25)])
def test_a_tray_that_was_turned_or_a_camera_at_another_height_is_detected(scene, turn_deg, scale):
    _, image, quad = scene
    centre = tuple(np.mean(quad.corners, axis=0))
    turn = cv2.getRotationMatrix2D(centre, turn_deg, scale)
    now = cv2.warpAffine(image, turn, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)

    assert measure_drift(now, quad, edge_signature(image, quad), None).has_tray_moved


def test_the_rows_of_whole_sides_in_an_older_profile_detect_a_move(scene):
    tray, image, quad = scene
    old = edge_signature(image, quad, per_side=1)
    by = 0.2 * tray_width_px(quad)
    tray.throw_all([1, 2, 3, 4, 5, 6])
    later, _ = smaller(tray.capture().image, tray.tray)

    assert len(old) == 4
    assert measure_drift(moved(image, by, by), quad, old, None).has_tray_moved
    assert not measure_drift(later, quad, old, None).has_tray_moved


def test_a_tiny_shift_is_not_a_move(scene):
    _, image, quad = scene
    by = 0.4 * MIN_MOVE * tray_width_px(quad)

    assert not measure_drift(
        moved(image, by, by), quad, edge_signature(image, quad), None
    ).has_tray_moved


@pytest.mark.parametrize(("shade", "changed"), [(0.5, True), (0.9, False), (1.08, False)])
def test_a_change_of_light_is_detected(scene, shade, changed):
    _, image, quad = scene
    other = np.clip(image * shade, 0, 255).astype(np.uint8)
    found = measure_drift(other, quad, edge_signature(image, quad), floor_brightness(image, quad))

    assert not found.has_tray_moved
    if floor_brightness(image, quad) > 0.2:  # black felt reflects too little light to compare
        assert found.has_light_changed == changed


def test_an_unrelated_frame_is_a_move_unless_it_is_dark(scene):
    _, image, quad = scene
    noise = np.random.default_rng(1).integers(0, 255, image.shape, np.uint8)
    sides, level = edge_signature(image, quad), floor_brightness(image, quad)

    assert measure_drift(noise, quad, sides, None).has_tray_moved
    assert not measure_drift(noise // 200, quad, sides, max(level, 0.3)).has_tray_moved


def test_a_profile_without_rows_detects_no_move(scene):
    _, image, quad = scene

    assert not measure_drift(image[::-1], quad, (), None).has_tray_moved
