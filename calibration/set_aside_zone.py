"""Proposes a set-aside area: the strip beside the tray with the most room in the frame."""

import numpy as np

from calibration.outline import Outline, clockwise, tray_width_px
from vision.reading import Quad

GAP = 0.11
"""Gap between the floor of the tray and the area, in tray widths: walls lean outwards in the frame."""

MIN_DEPTH, MAX_DEPTH = 0.14, 0.5
"""Depth of the area in tray widths: at least enough for a row of two dice, at most within reach."""

BORDER = 0.01
"""Share of the frame that stays free at its border."""

SIDE_WEIGHTS = ((3, 0.95), (1, 1.0), (2, 0.85), (0, 0.7))
"""Sides of the tray, numbered clockwise from the far side, and the convenience of each. Most people are
right-handed."""


def propose_zone(tray: Outline, width: int, height: int) -> Outline | None:
    """Return a set-aside area beside the tray, or None if there is no room.

    Args:
        tray: Floor of the tray.
        width: Width of the frame in pixels.
        height: Height of the frame in pixels.
    """
    corners = clockwise(np.array(tray.corners))
    strips = [
        (depth * weight, zone)
        for side, weight in SIDE_WEIGHTS
        for depth, zone in [_strip(corners, side, width, height)]
        if depth >= MIN_DEPTH and zone is not None
    ]
    return max(strips, key=lambda strip: strip[0])[1] if strips else None


def _strip(corners: np.ndarray, side: int, width: int, height: int) -> tuple[float, Outline | None]:
    """Return the depth of the strip beyond one side, in tray widths, and the area, or None if it does not fit.

    `corners` (4, 2) are shares of the frame, which is `width` by `height` pixels in size. Sides are numbered
    clockwise from the far one.
    """
    size = np.array((width, height))
    points = corners * size
    tray_px = tray_width_px(Quad.of(points))
    a, b = points[side], points[(side + 1) % 4]
    out_a, out_b = _unit(a - points[side - 1]), _unit(b - points[(side + 2) % 4])
    reach = min(_room(a, out_a, size), _room(b, out_b, size)) / tray_px
    depth = min(reach - GAP, MAX_DEPTH)
    if depth < MIN_DEPTH:
        return depth, None
    near, far = GAP * tray_px, (GAP + depth) * tray_px
    zone = (a + out_a * near, a + out_a * far, b + out_b * far, b + out_b * near)
    shares = [(float(x), float(y)) for x, y in np.array(zone) / size]
    try:
        return depth, Outline(tuple(shares))  # type: ignore[arg-type]
    except ValueError:
        return 0.0, None


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / max(float(np.hypot(*vector)), 1e-9))


def _room(start: np.ndarray, direction: np.ndarray, size: np.ndarray) -> float:
    """Return the distance in pixels from a point, in a direction, to the border of a frame of this size."""
    low, high = BORDER * size, (1 - BORDER) * size
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(direction > 0, (high - start) / direction, (low - start) / direction)
    steps = steps[np.abs(direction) > 1e-6]  # noqa: PLR2004 - parallel to the border
    return float(max(0.0, steps.min())) if len(steps) else 0.0
