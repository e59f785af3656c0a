from math import pi

import numpy as np
import pytest

from device.cameras.simulated.die_pose import (
    NORMALS,
    DiePose,
    extent_mm,
    flat_rotation,
    rotation,
    yaw_of,
)
from device.cameras.simulated.die_sprite import pip_outlines, rounded_cube


def test_opposite_faces_add_up_to_seven():
    for value, normal in NORMALS.items():
        np.testing.assert_array_equal(-normal, NORMALS[7 - value])


def test_one_two_three_run_counter_clockwise_around_their_corner():
    handedness = np.dot(np.cross(NORMALS[1], NORMALS[2]), NORMALS[3])

    assert handedness == 1


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("yaw", [0.0, 0.3, 2.0, -1.0])
def test_a_flat_die_shows_the_requested_face(value, yaw):
    turn = flat_rotation(value, yaw)
    pose = DiePose(np.zeros(3), turn)

    assert pose.top_face == value
    assert pose.tilt < 1e-6
    assert np.linalg.det(turn) == pytest.approx(1)
    assert yaw_of(turn) % (pi / 2) == pytest.approx(yaw % (pi / 2))


def test_a_leaning_die_reports_its_tilt():
    turn = rotation(np.array([1.0, 0.0, 0.0]), 0.4) @ flat_rotation(6, 0.7)

    assert DiePose(np.zeros(3), turn).tilt == pytest.approx(0.4)


def test_a_die_on_its_corner_extends_furthest():
    np.testing.assert_allclose(extent_mm(flat_rotation(1, 0.0), 16.0), 8.0)
    np.testing.assert_allclose(
        extent_mm(flat_rotation(1, pi / 4), 16.0), [11.3137, 11.3137, 8], rtol=1e-5
    )


@pytest.mark.parametrize("value", range(1, 7))
def test_each_face_has_its_number_of_pips_on_its_own_side(value):
    pips = pip_outlines(value, points=12)

    assert len(pips) == value
    np.testing.assert_allclose(pips @ NORMALS[value], 0.5)


def test_the_rounded_cube_is_closed_and_stays_in_its_box():
    corners, normals = rounded_cube(bends=3, flats=2)
    outwards = (corners.mean(axis=1) * normals).sum(axis=1)

    assert outwards.min() > 0
    assert np.abs(corners).max() == pytest.approx(0.5)
