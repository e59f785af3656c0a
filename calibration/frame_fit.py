"""Moves the sides of a guessed frame to where the floor of the tray ends.

What the guess frames is laid out as a square with some room around it, and a network says of each
side where in it the floor ends. The frame is moved there, again and again; how sharply the ends are
told is how clear it is.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import as_quad, corner_turns, tray_width_px
from calibration.rectify import Image, floor_corners, network_input, rectify_floor
from vision.networks import run

Floats = NDArray[np.float64]
Map = NDArray[np.float32]
SQUARE_PX = 160
"""What the network sees: width and height."""

ROOM = 0.3
"""Of the frame's width: how much lies around it in the square."""

INSIDE_PX = SQUARE_PX / (1 + 2 * ROOM)
MARGIN_PX = (SQUARE_PX - INSIDE_PX) / 2
"""Of the square: how much the frame takes, and how much lies beside it."""

SHRUNK_PX = 130
"""The frame's width in the picture that is laid out: a little more than in the square, or fine
texture turns to noise."""

SAMPLES_PER_SIDE = 32
"""Looks at each side."""

COLUMNS = np.rint(MARGIN_PX + np.linspace(0.03, 0.97, SAMPLES_PER_SIDE) * INSIDE_PX).astype(int)
ROWS = np.arange(int(2 * MARGIN_PX))
"""Of a side that is turned up: from far outside to as far inside."""

ROUNDS, AT_REST = 6, 0.003
"""How often a frame is moved at most; and how little, of its width, the last time."""

PEAK = 0.015
"""Of the tray's width: what lies so near to the likeliest place counts as the same place."""

NEAR = 0.012
"""Of the tray's width: how far a look may lie from a straight side and still speak for it."""

CORNERS = floor_corners(SQUARE_PX, ROOM)
"""Of the frame in the square."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameFit:
    """Where the sides came to rest: corners (4, 2), and how clear it is that all four lie there, 0..1."""

    corners: Floats
    clear: float


def fit_frame(picture: Image, corners: Floats) -> FrameFit:
    """A convex frame (4, 2), clockwise, moved to where the floor ends.

    One that does not come to rest is not clear.
    """
    picture, scale = shrink_to_frame(picture, corners)
    corners = corners * scale
    moved, clear = 1.0, np.zeros(4)
    for _ in range(ROUNDS):
        before = corners
        corners, clear = _moved(picture, before)
        moved = float(np.abs(corners - before).max() / tray_width_px(as_quad(before)))
        if moved < AT_REST:
            break
    return FrameFit(corners / scale, float(clear.prod()) if moved < NEAR else 0.0)


def shrink_to_frame(picture: Image, corners: Floats) -> tuple[Image, float]:
    """As large as it should be to be laid out, and its scale."""
    scale = min(1.0, SHRUNK_PX / tray_width_px(as_quad(corners)))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), scale


def frame_square(picture: Image, corners: Floats) -> Image:
    """(SQUARE_PX, SQUARE_PX, 3): what a frame frames, and its room around."""
    return rectify_floor(picture, as_quad(corners), side_px=SQUARE_PX, margin=ROOM)


def square_to_picture(corners: Floats) -> Floats:
    """The projection (3, 3) from the square into the picture."""
    there = cv2.getPerspectiveTransform(CORNERS, corners.astype(np.float32))
    return np.asarray(there, np.float64)


def rotate_side_up(side: int, points: Floats) -> Floats:
    """Points (n, 2) of the square as they lie once this side is turned up, as np.rot90 turns pictures."""
    for _ in range(side):
        points = np.column_stack([points[:, 1], SQUARE_PX - 1 - points[:, 0]])
    return points


def rotate_side_back(side: int, points: Floats) -> Floats:
    """The other way round."""
    for _ in range(side):
        points = np.column_stack([SQUARE_PX - 1 - points[:, 1], points[:, 0]])
    return points


def _moved(picture: Image, corners: Floats) -> tuple[Floats, Floats]:
    """One round: new corners, and of each side how clearly it is seen, 0..1.

    Where the ends make no frame, the old one, and nothing is clear.
    """
    scores = run("frame", network_input(frame_square(picture, corners)), room="calibration")[0]
    ends = [_end(np.rot90(score, side)) for side, score in enumerate(scores)]
    lines = [rotate_side_back(side, line) for side, (line, _) in enumerate(ends)]
    met = [_met(lines[side - 1], lines[side]) for side in range(4)]
    known = np.array([corner for corner in met if corner is not None])
    if len(known) == len(met):
        there = cv2.perspectiveTransform(known[None], square_to_picture(corners))[0]
        if _is_frame(there):
            return np.asarray(there, np.float64), np.array([clear for _, clear in ends])
    return corners, np.zeros(4)


def _is_frame(corners: Floats) -> bool:
    """Whether they are convex and clockwise."""
    return bool((corner_turns(corners) > 0).all())


def _end(score: Map) -> tuple[Floats, float]:
    """The line on which the floor ends, of the side that is turned up, and how much speaks for it.

    The line is two points (2, 2) on it; how much is asked of the quarter of the looks where least does.
    `score` (SQUARE_PX, SQUARE_PX) is the network's, larger where an end is likelier.
    """
    looks = score[ROWS][:, COLUMNS].T
    shares = np.exp(looks - looks.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    peak = ROWS[shares.argmax(axis=1)]
    near = shares * (np.abs(ROWS[None] - peak[:, None]) < PEAK * INSIDE_PX)
    weight = near.sum(axis=1).astype(np.float64)
    place = (near * ROWS).sum(axis=1) / np.maximum(weight, 1e-9)
    slope, start = _straight(place, weight)
    rows = slope * COLUMNS + start
    speaks = weight * (np.abs(place - rows) < NEAR * INSIDE_PX)
    weakest = np.sort(speaks)[: SAMPLES_PER_SIDE // 4]
    return np.array([(COLUMNS[k], rows[k]) for k in (0, -1)], np.float64), float(weakest.mean())


def _straight(place: Floats, weight: Floats) -> tuple[float, float]:
    """Slope and row at column 0 of the line that most looks lie on: those away from it lose their say."""
    slope, start = 0.0, float(np.median(place))
    for _ in range(8):
        away = np.abs(place - slope * COLUMNS - start)
        say = weight / (1 + (away / (NEAR * INSIDE_PX)) ** 2)
        slope, start = (float(v) for v in np.polyfit(COLUMNS, place, 1, w=np.sqrt(say + 1e-6)))
    return slope, start


def _met(a: Floats, b: Floats) -> Floats | None:
    """Where two lines, each through two points (2, 2), meet; None where they hardly do."""
    (p, v), (q, w) = ((line[0], _way(line)) for line in (a, b))
    det = v[0] * w[1] - v[1] * w[0]
    if abs(det) < 0.3:  # noqa: PLR2004 - less than 17 degrees apart
        return None
    d = q - p
    return np.asarray(p + v * (d[0] * w[1] - d[1] * w[0]) / det)


def _way(line: Floats) -> Floats:
    way = line[1] - line[0]
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9))
