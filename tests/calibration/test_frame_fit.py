"""Guessed corners move to the edges of the floor of the tray."""

import numpy as np
import pytest

from calibration.frame_fit import SQUARE_PX, fit_frame, rotate_side_back, rotate_side_up
from device.cameras.simulated.tray import SimulatedTray


@pytest.fixture(scope="module")
def table():
    """Return a frame of an empty tray and its corners (4, 2)."""
    tray = SimulatedTray(seed=6, look="green", roll_s=0.0)
    return tray.capture().image, np.array(tray.tray.corners)


@pytest.mark.parametrize("way", [(30, 0), (-30, 10), (0, 35), (15, -25)])
@pytest.mark.parametrize("size", [0.92, 1.08])
def test_a_guess_beside_the_tray_moves_to_the_tray(table, way, size):
    image, tray = table
    middle = tray.mean(axis=0)
    fit = fit_frame(image, middle + (tray - middle) * size + way)

    assert np.abs(fit.corners - tray).max() < 0.03 * np.ptp(tray[:, 0])
    assert fit.confidence > 0.5


def test_corners_on_a_bare_table_have_little_confidence(table):
    image, _ = table
    fit = fit_frame(
        np.full_like(image, 90), np.array([(300, 300), (700, 300), (700, 600), (300, 600)])
    )

    assert fit.confidence < 0.5


@pytest.mark.parametrize("side", range(4))
def test_rotate_side_back_undoes_rotate_side_up(side):
    points = np.random.default_rng(side).uniform(0, 160, (6, 2))

    assert np.allclose(rotate_side_back(side, rotate_side_up(side, points)), points)


@pytest.mark.parametrize("side", range(4))
def test_points_rotate_like_images(side):
    shown = np.zeros((SQUARE_PX, SQUARE_PX), np.uint8)
    shown[20, 110] = 1
    row, column = np.argwhere(np.rot90(shown, side))[0]

    assert rotate_side_up(side, np.array([(110.0, 20.0)])).tolist() == [[column, row]]


@pytest.mark.parametrize("size", [(24, 32), (300, 4000), (2592, 4608)])
def test_corners_partly_outside_an_image_of_any_size_can_be_fitted(size):
    picture = np.random.default_rng(2).integers(0, 255, (*size, 3), np.uint8)
    high, wide = size
    fit = fit_frame(
        picture, np.array([(-0.2, 0.1), (0.9, -0.1), (1.2, 0.9), (0.1, 1.1)]) * (wide, high)
    )

    assert np.isfinite(fit.corners).all()
    assert 0 <= fit.confidence <= 1


def test_edges_beyond_the_horizon_leave_the_corners_unchanged_without_confidence(
    table, monkeypatch
):
    image, _ = table
    outside = np.zeros((1, 4, SQUARE_PX, SQUARE_PX), np.float32)
    for side in range(4):
        np.rot90(outside[0, side], side)[2] = 50
    monkeypatch.setattr("calibration.frame_fit.run", lambda *_, **__: outside)
    steep = np.array([(400.0, 300), (900, 300), (670, 550), (630, 550)])
    fit = fit_frame(image, steep)

    assert np.allclose(fit.corners, steep)
    assert fit.confidence == 0
