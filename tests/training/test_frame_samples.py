"""Samples for the network that corrects the corners of a tray: the labelled edges of the floor are correct."""

import numpy as np
import pytest

TRAY = np.array([(120, 70), (330, 80), (345, 260), (105, 255)], np.float32)


@pytest.fixture(scope="module")
def lesson():
    """Return 90 square images of a bright floor on a dark table, with labels."""
    import cv2

    from training.learning.samples.frame_samples import make_frame_batch
    from training.learning.samples.tray_images import TrayImages

    light = np.full((336, 448, 3), 0.03, np.float32)
    cv2.fillPoly(light, [np.rint(TRAY).astype(np.int32)], (0.6, 0.6, 0.6))
    view = TrayImages((light.astype(np.float16),), TRAY)
    return [part.numpy() for part in make_frame_batch([view], np.random.default_rng(4), 30)]


def test_the_floor_lies_inside_each_labelled_edge(lesson):
    from calibration.frame_fit import COLUMNS

    squares, ends, floors = lesson
    inside, outside = [], []
    for shown, sides, floor in zip(squares, ends, floors, strict=True):
        for side, rows in enumerate(sides):
            up, seen = np.rot90(floor, side), np.rot90(shown.mean(axis=0), side)
            there = ~np.isnan(rows)
            if not there.any():  # an image does not always show the edge on each side
                continue
            row, column = np.rint(rows[there]).astype(int), COLUMNS[there]
            assert (up[row + 2, column] == 1).mean() > 0.85
            assert (up[row - 2, column] == 0).mean() > 0.85
            inside.append(seen[row + 3, column])
            outside.append(seen[np.maximum(row - 3, 0), column])

    brighter = np.concatenate(inside) > np.concatenate(outside)
    assert len(brighter) > 5000
    assert brighter.mean() > 0.97


def test_if_the_guessed_corners_are_correct_the_labelled_edges_lie_on_the_frame(lesson):
    from calibration.frame_fit import CORNERS, MARGIN_PX
    from training.learning.samples.frame_samples import find_true_ends

    for side in range(4):
        assert np.allclose(find_true_ends(CORNERS.astype(np.float64), side), MARGIN_PX, atol=1)


def test_the_loss_is_smallest_at_the_correct_edges(lesson):
    import torch

    from calibration.frame_fit import COLUMNS, SQUARE_PX
    from training.learning.train_tray import frame_loss

    _, ends, floors = (torch.from_numpy(part[:6]) for part in lesson)

    def said(off):
        out = np.zeros((6, 5, SQUARE_PX, SQUARE_PX), np.float32)
        for k, sides in enumerate(ends.numpy()):
            for side, rows in enumerate(sides):
                there = ~np.isnan(rows)
                turned = np.rot90(out[k, side], side)
                turned[np.rint(rows[there]).astype(int) + off, COLUMNS[there]] = 9
        out[:, 4] = np.where(floors.numpy() > 0, 9, -9)
        return float(frame_loss(torch.from_numpy(out), ends, floors))

    assert said(0) < min(said(-3), said(3))
