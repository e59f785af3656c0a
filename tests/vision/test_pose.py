"""The camera pose follows from the corners of the tray, and from the dice where the corners are ambiguous."""

from dataclasses import replace

import numpy as np
import pytest

from vision.pose import CameraPose, Lean, estimate_pose
from vision.reading import Quad

WIDTH, HEIGHT = 1536, 864
PLACES = [(300, 200), (1250, 180), (350, 700), (1200, 650), (760, 120)]


def camera(focal, tilt_deg=0.0):
    tilt = np.radians(tilt_deg)
    return CameraPose(
        focal * WIDTH, (WIDTH / 2, HEIGHT / 2), (0.0, float(np.sin(tilt)), -float(np.cos(tilt)))
    )


def tray_under(stand, half=(6.0, 4.0), height=18.0):
    """Return the corners of a floor below the centre of the frame."""
    _, y, z = stand.up
    across, along = np.array([0.8, -0.6 * z, 0.6 * y]), np.array([-0.6, -0.8 * z, 0.8 * y])
    middle = np.array([0, 0, height])
    corners = [middle + a * half[0] * across + b * half[1] * along for a, b in
               ((-1, -1), (1, -1), (1, 1), (-1, 1))]  # fmt: skip
    return Quad(
        tuple(tuple(stand.focal_px * p[:2] / p[2] + np.array(stand.centre)) for p in corners)
    )


def seen(stand, places=PLACES):
    middle = np.array(stand.centre)
    return [
        Lean(
            *(((x, y) - middle) / stand.long_side_px), *stand.lean_at(x, y), 40 / stand.long_side_px
        )
        for x, y in places
    ]


@pytest.mark.parametrize("focal", [0.5, 0.8, 1.4])
def test_the_corners_determine_the_pose_of_a_tilted_camera(focal):
    stand = camera(focal, 25)

    found = estimate_pose(tray_under(stand), WIDTH, HEIGHT)

    assert found.focal_px == pytest.approx(stand.focal_px, rel=0.12)
    assert found.up == pytest.approx(stand.up, abs=0.03)


@pytest.mark.parametrize("focal", [0.5, 0.8, 1.4])
def test_from_directly_above_the_dice_determine_the_focal_length(focal):
    stand = camera(focal)
    tray = tray_under(stand)

    assert estimate_pose(tray, WIDTH, HEIGHT, seen(stand)).focal_px == pytest.approx(
        stand.focal_px, rel=0.12
    )
    assert estimate_pose(tray, WIDTH, HEIGHT).focal_px == pytest.approx(0.8 * WIDTH, rel=0.12)


def test_the_edge_at_the_centre_scales_with_the_resolution():
    stand = camera(0.8, 20)
    small = replace(stand, focal_px=stand.focal_px / 2, centre=(WIDTH / 4, HEIGHT / 4))
    x, y = PLACES[1]
    shares = np.subtract((x, y), stand.centre) / stand.long_side_px
    lean = Lean(*shares, 0.0, 0.0, 50 * stand.scale_at(x, y) / stand.long_side_px)

    assert stand.edge_at_centre(lean) == pytest.approx(50)
    assert small.edge_at_centre(lean) == pytest.approx(25)


def test_one_cocked_die_among_five_does_not_change_the_focal_length():
    stand = camera(1.2)
    dice = seen(stand)
    dice[2] = replace(dice[2], right=dice[2].right - 0.5, down=dice[2].down + 0.4)

    found = estimate_pose(tray_under(stand), WIDTH, HEIGHT, dice)

    assert found.focal_px == pytest.approx(stand.focal_px, rel=0.12)


def test_corners_that_cross_give_no_pose():
    crossed = Quad(((0, 0), (100, 100), (100, 0), (0, 100)))

    assert estimate_pose(crossed, WIDTH, HEIGHT) is None
