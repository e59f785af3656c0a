"""Refines four guessed corners of a tray until the lines between them follow the real edges of its floor.

"Frame" here means four corners around the tray. The area around the guess is projected onto a square, in which
a network locates the edge of the floor on each side. The corners are moved to where these edges cross, and
this is repeated several times. The more clearly the edges are located, the higher the confidence.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import corner_turns, tray_width_px
from calibration.rectify import Image, floor_corners, network_input, rectify_floor
from vision.networks import run
from vision.reading import Quad

Floats = NDArray[np.float64]
Map = NDArray[np.float32]

SQUARE_PX = 160
"""Side of the network's input."""

MARGIN_WIDTHS = 0.3
"""Width of the margin around the guess in the square input, relative to the width of the guess."""

INSIDE_PX = SQUARE_PX / (1 + 2 * MARGIN_WIDTHS)
MARGIN_PX = (SQUARE_PX - INSIDE_PX) / 2
"""Width of the guess in the square, and of the margin on either side of it."""

REDUCED_PX = 130
"""Width of the guess in the image before projection: slightly more than in the square, because fine texture
would turn into noise."""

SAMPLES_PER_SIDE = 32

COLUMNS = np.rint(MARGIN_PX + np.linspace(0.03, 0.97, SAMPLES_PER_SIDE) * INSIDE_PX).astype(int)
ROWS = np.arange(int(2 * MARGIN_PX))
"""Rows of the square to search after a side has been rotated to the top: the margin, and the same width
inside the guess."""

MAX_ROUNDS, MIN_MOVE = 6, 0.003
"""Maximum number of times that the corners are moved, and the distance in tray widths below which they have
converged."""

PEAK_WIDTHS = 0.015
"""Positions this close to the likeliest one, in tray widths, belong to the same peak."""

MAX_SIDE_ERROR = 0.012
"""Distance in tray widths between a sample and a straight side up to which the sample supports it."""

MIN_CROSSING_SINE = 0.3
"""Two sides must cross at more than 17 degrees."""

CORNERS = floor_corners(SQUARE_PX, MARGIN_WIDTHS)
"""Corners of the guess in the square."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameFit:
    """The result of refining four corners.

    Attributes:
        corners: The final corners (4, 2) in picture pixels.
        confidence: From 0 to 1, how certain it is that all four sides are right.
        clarity: How clearly each side (4,) was located, from 0 to 1.
    """

    corners: Floats
    confidence: float
    clarity: Floats


def fit_frame(picture: Image, corners: Floats) -> FrameFit:
    """Refine guessed corners so that the lines between them follow the edges of the floor.

    If the corners do not converge, the confidence is 0.

    Args:
        picture: Picture (height, width, 3) BGR.
        corners: Guessed corners (4, 2), convex and clockwise, in picture pixels.
    """
    picture, scale = shrink_to_frame(picture, corners)
    corners = corners * scale
    moved, clarity = 1.0, np.zeros(4)
    for _ in range(MAX_ROUNDS):
        before = corners
        corners, clarity = _moved(picture, before)
        moved = float(np.abs(corners - before).max() / tray_width_px(Quad.of(before)))
        if moved < MIN_MOVE:
            break
    confidence = float(clarity.prod()) if moved < MAX_SIDE_ERROR else 0.0
    return FrameFit(corners / scale, confidence, clarity)


def shrink_to_frame(picture: Image, corners: Floats) -> tuple[Image, float]:
    """Reduce a picture to the resolution that `frame_square` needs, and return it with the scale factor.

    Args:
        picture: Picture (height, width, 3) BGR.
        corners: Corners (4, 2) of the tray in picture pixels.
    """
    scale = min(1.0, REDUCED_PX / tray_width_px(Quad.of(corners)))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), scale


def frame_square(picture: Image, corners: Floats) -> Image:
    """Project the tray and the area around it onto a square image (SQUARE_PX, SQUARE_PX, 3).

    Args:
        picture: Picture (height, width, 3) BGR.
        corners: Corners (4, 2) of the tray in picture pixels.
    """
    return rectify_floor(picture, Quad.of(corners), side_px=SQUARE_PX, margin=MARGIN_WIDTHS)


def square_to_picture(corners: Floats) -> Floats:
    """Return the projection (3, 3) from the square to the picture, for the corners (4, 2) given to `frame_square`."""
    matrix = cv2.getPerspectiveTransform(CORNERS, corners.astype(np.float32))
    return np.asarray(matrix, np.float64)


def rotate_side_up(side: int, points: Floats) -> Floats:
    """Return where points (n, 2) of the square lie after it has been rotated with `numpy.rot90`.

    Args:
        side: Number of the side that moves to the top, clockwise from the top side, which is 0.
        points: Points before the rotation.
    """
    for _ in range(side):
        points = np.column_stack([points[:, 1], SQUARE_PX - 1 - points[:, 0]])
    return points


def rotate_side_back(side: int, points: Floats) -> Floats:
    """Return where points of the rotated square lay before `rotate_side_up`.

    Args:
        side: Number of the side that `rotate_side_up` moved to the top.
        points: Points (n, 2) after the rotation.
    """
    for _ in range(side):
        points = np.column_stack([SQUARE_PX - 1 - points[:, 1], points[:, 0]])
    return points


def _moved(picture: Image, corners: Floats) -> tuple[Floats, Floats]:
    """Refine the corners once, and return them (4, 2) with the clarity (4,) of each side from 0 to 1.

    If the new sides do not form a frame, the corners stay and the clarity is 0.
    """
    inputs = network_input(frame_square(picture, corners))
    scores = run("frame", inputs, room="calibration")[0]
    ends = [_end(np.rot90(score, side)) for side, score in enumerate(scores)]
    lines = [rotate_side_back(side, line) for side, (line, _) in enumerate(ends)]
    crossings = [_crossing(lines[side - 1], lines[side]) for side in range(4)]
    known = np.array([corner for corner in crossings if corner is not None])
    if len(known) == len(crossings):
        moved = cv2.perspectiveTransform(known[None], square_to_picture(corners))[0]
        if (corner_turns(np.asarray(moved, np.float64)) > 0).all():
            return np.asarray(moved, np.float64), np.array([clarity for _, clarity in ends])
    return corners, np.zeros(4)


def _end(score: Map) -> tuple[Floats, float]:
    """Return the edge of the floor on the side that is at the top, as a line, and its clarity from 0 to 1.

    `score` (SQUARE_PX, SQUARE_PX) is higher where an edge is more likely. The line is given by two points (2, 2)
    on it. The clarity is the mean support of the quarter of the samples that support the line least.
    """
    samples = score[ROWS][:, COLUMNS].T
    shares = np.exp(samples - samples.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    peak = ROWS[shares.argmax(axis=1)]
    near = shares * (np.abs(ROWS[None] - peak[:, None]) < PEAK_WIDTHS * INSIDE_PX)
    weight = near.sum(axis=1).astype(np.float64)
    position = (near * ROWS).sum(axis=1) / np.maximum(weight, 1e-9)
    slope, start = _robust_line(position, weight)
    rows = slope * COLUMNS + start
    support = weight * (np.abs(position - rows) < MAX_SIDE_ERROR * INSIDE_PX)
    weakest = np.sort(support)[: SAMPLES_PER_SIDE // 4]
    return np.array([(COLUMNS[k], rows[k]) for k in (0, -1)], np.float64), float(weakest.mean())


def _robust_line(position: Floats, weight: Floats) -> tuple[float, float]:
    """Fit a line to one point in each column of COLUMNS, and return its slope and its row at column 0.

    The method is iteratively reweighted least squares. `position` is the row of each point, and `weight` says how clear
    the point is.
    """
    slope, start = 0.0, float(np.median(position))
    for _ in range(8):
        error = np.abs(position - slope * COLUMNS - start)
        trust = weight / (1 + (error / (MAX_SIDE_ERROR * INSIDE_PX)) ** 2)
        fit = np.polyfit(COLUMNS, position, 1, w=np.sqrt(trust + 1e-6))
        slope, start = (float(v) for v in fit)
    return slope, start


def _crossing(a: Floats, b: Floats) -> Floats | None:
    """Return where two lines cross, each given by two points (2, 2), or None if they are almost parallel."""
    (p, v), (q, w) = ((line[0], _direction(line)) for line in (a, b))
    sine = v[0] * w[1] - v[1] * w[0]
    if abs(sine) < MIN_CROSSING_SINE:
        return None
    d = q - p
    return np.asarray(p + v * (d[0] * w[1] - d[1] * w[0]) / sine)


def _direction(line: Floats) -> Floats:
    step = line[1] - line[0]
    return np.asarray(step / max(float(np.hypot(*step)), 1e-9))
