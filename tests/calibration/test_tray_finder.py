"""The tray is found in simulated frames and in renders of many trays."""

import json
import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.outline import Outline, worst_corner_error
from calibration.tray_finder import NOT_FOUND, find_tray
from device.cameras.simulated.tray import SimulatedTray
from vision.images import load
from vision.reading import Quad

RIGHT = 0.03
"""Largest error of a corner, in tray widths."""


def worst(found: Outline, truth, size) -> float:
    """Return the error of the worst corner in tray widths. `truth` (4, 2) may begin at any corner."""
    a, b, c, d = (tuple(corner) for corner in truth)
    return worst_corner_error(found.in_px(*size), Quad((a, b, c, d)))


@pytest.mark.parametrize("look", ["green", "blue", "travel", "ruby"])
@pytest.mark.parametrize("dice", [False, True])
def test_the_simulated_tray_is_found_with_certainty(look, dice):
    tray = SimulatedTray(seed=6, look=look, roll_s=0.0)
    if dice:
        tray.throw_all()
    found = find_tray([tray.capture().image, tray.capture().image])

    assert worst(found.tray, tray.tray.corners, (1536, 864)) < RIGHT
    assert found.is_sure


@pytest.mark.parametrize("look", ["red", "black"])
def test_a_tray_with_walls_as_dark_as_its_floor_is_right_or_uncertain(look):
    tray = SimulatedTray(seed=6, look=look, roll_s=0.0)
    found = find_tray([tray.capture().image])

    assert not found.is_sure or worst(found.tray, tray.tray.corners, (1536, 864)) < RIGHT


def test_in_dim_light_a_side_that_may_be_the_edge_of_a_shadow_is_not_certain():
    tray = SimulatedTray(seed=6, look="ruby", roll_s=0.0)
    image = tray.capture().image
    corners = np.array(tray.tray.corners)
    highest = corners[corners[:, 1].argsort()[:2]]
    far = highest + np.array([0, -0.12 * np.ptp(corners[:, 0])])
    band = cv2.convexHull(np.concatenate([highest, far]).astype(np.int32))
    mask = cv2.fillConvexPoly(np.zeros(image.shape[:2], np.uint8), band, 1)
    floor = np.median(image[400:450, 700:800].reshape(-1, 3), axis=0)
    shadow = image.copy()
    shadow[mask > 0] = 0.3 * floor
    noise = np.random.default_rng(1).normal(0, 8, image.shape)
    dim, dim_shadow = (
        np.clip(0.4 * one + noise, 0, 255).astype(np.uint8) for one in (image, shadow)
    )

    assert find_tray([dim]).is_sure
    assert not find_tray([dim_shadow]).is_sure


def test_the_resolution_does_not_matter():
    tray = SimulatedTray(seed=6, roll_s=0.0)
    small = cv2.resize(tray.capture().image, (640, 360), interpolation=cv2.INTER_AREA)

    assert (
        worst(find_tray([small]).tray, np.array(tray.tray.corners) * 640 / 1536, (640, 360)) < RIGHT
    )


def test_the_corners_run_clockwise_from_the_far_left():
    tray = SimulatedTray(seed=6, roll_s=0.0)
    a, b, c, d = find_tray([tray.capture().image]).tray.corners

    assert a[0] < b[0]
    assert b[1] < c[1]
    assert d[0] < c[0]
    assert a[1] < d[1]


@pytest.mark.parametrize(
    "picture",
    [
        np.full((480, 640, 3), 90, np.uint8),
        np.zeros((480, 640, 3), np.uint8),
        np.random.default_rng(1).integers(0, 255, (480, 640, 3), np.uint8),
    ],
)
def test_without_a_tray_a_rectangle_in_the_centre_is_proposed(picture):
    assert find_tray([picture]) == NOT_FOUND
    assert not NOT_FOUND.is_sure


def test_an_empty_list_of_frames_is_an_error():
    with pytest.raises(ValueError, match="without a frame"):
        find_tray([])


@pytest.fixture(scope="module")
def renders():
    folder = os.environ.get("TRAYKEEPER_PICTURES")
    if not folder or not (Path(folder) / "renders" / "labels.jsonl").exists():
        pytest.skip("TRAYKEEPER_PICTURES does not name a folder with renders/labels.jsonl")
    found = []
    lines = (Path(folder) / "renders" / "labels.jsonl").read_text("utf-8").splitlines()
    for line in lines[::4]:
        label = json.loads(line)
        image = load(Path(folder) / "renders" / label["image"])
        tray = find_tray([image])
        size = (label["width"], label["height"])
        found.append((worst(tray.tray, label["tray_corners"], size), tray.is_sure))
    return found


@pytest.mark.pictures
@pytest.mark.long
def test_two_thirds_of_rendered_trays_are_found_within_three_per_cent(renders):
    assert np.mean([away < RIGHT for away, _ in renders]) >= 2 / 3


@pytest.mark.pictures
def test_trays_found_with_certainty_are_right(renders):
    sure = [away for away, sure in renders if sure]

    assert len(sure) >= len(renders) / 3
    assert np.mean([away < RIGHT for away in sure]) >= 0.9
    assert max(sure) < 3 * RIGHT
