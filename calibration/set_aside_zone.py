"""Where set-aside dice can lie: the strip beside the tray that has most room in the picture."""

import numpy as np

from calibration.outline import Outline, as_quad, clockwise, tray_width_px

GAP = 0.11
"""Of the tray's width, between its floor and the zone: walls lean outwards in the picture."""

LEAST, MOST = 0.14, 0.5
"""How deep the zone is, in tray widths: two dice in a row at least, and no more than is reached."""

BORDER = 0.01
"""Of the picture, kept free at its edges."""

HANDY = (0.95, 1.0, 0.85, 0.7)
"""How handy each side is, by its number around: left, right, near, far. Right hands are most."""


def propose_zone(tray: Outline, width: int, height: int) -> Outline | None:
    """A zone beside the tray in a picture of this size; None where there is no room."""
    strips = [
        (depth * handy, zone)
        for side, handy in zip((3, 1, 2, 0), HANDY, strict=True)
        for depth, zone in [_strip(clockwise(np.array(tray.corners)), side, width, height)]
        if depth >= LEAST and zone is not None
    ]
    return max(strips, key=lambda strip: strip[0])[1] if strips else None


def _strip(corners: np.ndarray, side: int, width: int, height: int) -> tuple[float, Outline | None]:
    """How deep the strip beyond this side is, in tray widths, and the zone there."""
    size = np.array((width, height))
    points = corners * size
    whole_px = tray_width_px(as_quad(points))
    a, b = points[side], points[(side + 1) % 4]
    out_a, out_b = _unit(a - points[side - 1]), _unit(b - points[(side + 2) % 4])
    reach = min(_room(a, out_a, size), _room(b, out_b, size)) / whole_px
    depth = min(reach - GAP, MOST)
    if depth < LEAST:
        return depth, None
    near, far = GAP * whole_px, (GAP + depth) * whole_px
    zone = (a + out_a * near, a + out_a * far, b + out_b * far, b + out_b * near)
    shares = [(float(x), float(y)) for x, y in np.array(zone) / size]
    try:
        return depth, Outline(tuple(shares))  # type: ignore[arg-type]
    except ValueError:
        return 0.0, None


def _unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / max(float(np.hypot(*vector)), 1e-9))


def _room(start: np.ndarray, way: np.ndarray, size: np.ndarray) -> float:
    """How far one can go from here before the picture ends."""
    low, high = BORDER * size, (1 - BORDER) * size
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(way > 0, (high - start) / way, (low - start) / way)
    steps = steps[np.abs(way) > 1e-6]  # noqa: PLR2004 - no way at all
    return float(max(0.0, steps.min())) if len(steps) else 0.0
