"""Whether the tray still lies where the profile says, and under the same light.

Across each side of the tray the picture changes in its own way: felt, wall, rim, table. How it
does is kept as a row of numbers; a row that fits better some way off says how far the tray moved.
"""

from dataclasses import dataclass
from math import log

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import tray_width_px
from calibration.rectify import Image, brightness, rectify_floor
from vision.reading import Quad

Row = tuple[float, ...]
Floats = NDArray[np.float64]

REACH = 0.12
"""Of the tray's width: how far to both sides of an edge is looked."""

STEPS = 49
"""Numbers in a row: half a hundredth of the tray's width each."""

ALONG = np.linspace(0.08, 0.92, 43)
"""Where along a side it is looked; the middle of all counts, so that dice there do not."""

MOVED = 0.02
"""Of the tray's width: from here on dice near the walls are taken for others, or lost."""

FARTHEST = 0.08
ALIKE = 0.75
"""Correlation from which two rows are of the same edge."""

LIGHTER = 1.5
"""Ratio of light, both ways, from which the exposure is found again."""

GAMMA = 2.2
FAINT = 0.03
"""Of full light: below is noise; it keeps black from being infinitely deep."""


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed since the profile was made.

    Attributes:
        moved: how far the tray moved, in its widths; None where that cannot be told.
        light: how many times as bright it is.
    """

    distance: float | None
    brightness_ratio: float

    @property
    def has_tray_moved(self) -> bool:
        return self.distance is not None and self.distance > MOVED

    @property
    def has_light_changed(self) -> bool:
        return not 1 / LIGHTER < self.brightness_ratio < LIGHTER


def edge_signature(image: Image, tray: Quad) -> tuple[Row, ...]:
    """How the picture changes across each of the four sides, from inside to outside."""
    light = np.log(brightness(image).astype(np.float64) ** GAMMA + FAINT).astype(np.float32)
    return tuple(tuple(round(float(v), 3) for v in _row(light, tray, side)) for side in range(4))


def floor_brightness(image: Image, tray: Quad) -> float:
    """Brightness of the floor as shown, 0..1; dice on it do not count."""
    return float(np.median(brightness(rectify_floor(image, tray, side_px=96))))


def measure_drift(image: Image, tray: Quad, sides: tuple[Row, ...], then: float | None) -> Drift:
    """What changed in a picture since the profile with these `sides` and this `level` was made."""
    now = floor_brightness(image, tray)
    ratio = 1.0 if then is None else ((now**GAMMA + FAINT) / (then**GAMMA + FAINT))
    return Drift(_moved(edge_signature(image, tray), sides), ratio)


def _moved(now: tuple[Row, ...], then: tuple[Row, ...]) -> float | None:
    """The second largest shift of those sides that are known again: one alone may be covered."""
    if len(then) != len(now) or any(len(row) != STEPS for row in then):
        return None
    shifts = [_shift(np.array(a), np.array(b)) for a, b in zip(then, now, strict=True)]
    known = sorted(abs(shift) for shift in shifts if shift is not None)
    return known[-2] if len(known) > 2 else None  # noqa: PLR2004 - of four


def _shift(then: Floats, now: Floats) -> float | None:
    """How far the edge is away from where it was, in tray widths; None where it is not found."""
    step = 2 * REACH / (STEPS - 1)
    most = round(FARTHEST / step)
    found = [(_likeness(then, now, shift), shift) for shift in range(-most, most + 1)]
    stayed = _likeness(then, now, 0)
    best, shift = max(found, key=lambda one: one[0])
    if best < ALIKE:
        return None
    return 0.0 if stayed > best - 0.02 else shift * step


def _likeness(then: Floats, now: Floats, shift: int) -> float:
    """Correlation of both rows where they overlap when one is shifted."""
    a = then[max(0, -shift) : len(then) - max(0, shift)]
    b = now[max(0, shift) : len(now) - max(0, -shift)]
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / max(np.sqrt((a * a).sum() * (b * b).sum()), log(2) * 1e-6))


def _row(light: NDArray[np.float32], tray: Quad, side: int) -> Floats:
    """The middle of many looks across this side."""
    corners = np.array(tray.corners, np.float64)
    start, end = corners[side], corners[(side + 1) % 4]
    way = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
    out = np.array((way[1], -way[0]))
    if float(out @ (corners.mean(axis=0) - start)) > 0:
        out = -out
    across = np.linspace(-REACH, REACH, STEPS) * tray_width_px(tray)
    points = (start + ALONG[:, None, None] * (end - start)) + across[None, :, None] * out
    seen = cv2.remap(
        light, points[..., 0].astype(np.float32), points[..., 1].astype(np.float32),
        cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return np.asarray(np.median(seen, axis=0), np.float64)
