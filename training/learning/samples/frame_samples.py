"""Makes samples for the network that corrects the guessed corners of a tray: images around the guesses, and true edges."""

import cv2
import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor

from calibration.frame_fit import (
    COLUMNS,
    ROWS,
    SAMPLES_PER_SIDE,
    SQUARE_PX,
    frame_square,
    rotate_side_up,
    shrink_to_frame,
    square_to_picture,
)
from calibration.outline import clockwise, corner_turns, tray_width_px
from calibration.rectify import network_input
from calibration.tray_finder import START_SCALES
from training.learning.samples.camera_shots import photograph
from training.learning.samples.tray_images import TrayImages
from vision.reading import Quad

Floats = NDArray[np.float64]
Picture = NDArray[np.uint8]
GUESSES_PER_IMAGE = 3
"""Number of guesses for each image."""

CORNER_ERROR, CORNER_ERROR_SPREAD = 0.035, 0.7
"""Median error of the corners of a guess in tray widths, and the standard deviation of its logarithm."""

SHIFT_FACTOR = 0.7
"""Ratio of the shift of the whole guessed frame to the error of its corners."""


def make_frame_batch(
    pool: list[TrayImages], rng: Generator, count: int = 4
) -> tuple[Tensor, Tensor, Tensor]:
    """Return images of guessed frames (n, 3, h, w), the edges of their floors (n, 4, k) and masks of the floor (n, h, w).

    A frame is four corners around a tray. After each of the four sides has been rotated to the top, its edge is given as
    the row in which the floor ends, at each of COLUMNS. The row is NaN where the floor does not end inside the image.

    Args:
        pool: Images of trays to draw from.
        rng: Source of random numbers.
        count: Number of images, from each of which GUESSES_PER_IMAGE samples are made.
    """
    samples = []
    for _ in range(count):
        picture, tray = _mirrored(pool[int(rng.integers(len(pool)))], rng)
        for _ in range(GUESSES_PER_IMAGE):
            true = np.roll(tray, int(rng.integers(4)), axis=0)
            samples.append(_sample(picture, true, guess_frame(true, rng)))
    squares, ends, floors = zip(*samples, strict=True)
    inputs = np.concatenate([network_input(one) for one in squares])
    return (
        torch.from_numpy(inputs),
        torch.from_numpy(np.stack(ends)),
        torch.from_numpy(np.stack(floors)),
    )


def guess_frame(tray: Floats, rng: Generator) -> Floats:
    """Return guessed corners (4, 2), with errors as large as at the start of a search or after its first round.

    Args:
        tray: True corners (4, 2) in pixels.
        rng: Source of random numbers.
    """
    while True:
        frame = _moved(tray, rng)
        if (corner_turns(frame) > 0).all():
            return frame


def _moved(tray: Floats, rng: Generator) -> Floats:
    wide = tray_width_px(Quad.of(tray))
    off = np.exp(rng.normal(np.log(CORNER_ERROR), CORNER_ERROR_SPREAD))
    moved = tray + rng.normal(0, off, tray.shape) * wide
    grown = float(rng.choice((1.0, *START_SCALES))) * np.exp(rng.normal(0, off))
    middle = tray.mean(axis=0)
    return np.asarray(
        middle + (moved - middle) * grown + rng.normal(0, off, 2) * wide * SHIFT_FACTOR
    )


def find_true_ends(tray: Floats, side: int) -> Floats:
    """Return the row of one side of the tray at each of COLUMNS, or NaN where the side is not in the image.

    Args:
        tray: True corners (4, 2) in the square image of `calibration.frame_fit`.
        side: Number of the side, 0 to 3, which is rotated to the top first.
    """
    up = rotate_side_up(side, tray)
    (x, y), (x_end, y_end) = up[side], up[(side + 1) % 4]
    if abs(x_end - x) < 1:
        return np.full(SAMPLES_PER_SIDE, np.nan)
    share = (COLUMNS - x) / (x_end - x)
    row = y + share * (y_end - y)
    corners = (share > -0.01) & (share < 1.01) & (row > 1) & (row < len(ROWS) - 2)
    return np.where(corners, row, np.nan)


def _mirrored(view: TrayImages, rng: Generator) -> tuple[Picture, Floats]:
    """Return an image and the corners (4, 2) of its tray, both mirrored half of the time."""
    picture, tray = photograph(view.seen(rng), rng), view.tray.astype(np.float64)
    if rng.random() < 0.5:
        return picture, clockwise(tray)
    corners = np.column_stack([picture.shape[1] - 1 - tray[:, 0], tray[:, 1]])
    return np.ascontiguousarray(picture[:, ::-1]), clockwise(corners)


def _sample(
    picture: Picture, tray: Floats, guess: Floats
) -> tuple[Picture, NDArray[np.float32], NDArray[np.float32]]:
    small, scale = shrink_to_frame(picture, guess)
    from_picture = np.linalg.inv(square_to_picture(guess * scale))
    corners = np.asarray(
        cv2.perspectiveTransform((tray * scale)[None], from_picture)[0], np.float64
    )
    ends = np.stack([find_true_ends(corners, side) for side in range(4)])
    floor = np.zeros((SQUARE_PX, SQUARE_PX), np.float32)
    cv2.fillPoly(floor, [np.rint(corners * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
    return frame_square(small, guess * scale), ends.astype(np.float32), floor
