"""Measures drift since calibration: whether the tray has moved, and whether the light has changed.

Across each side of the tray, the brightness changes in a characteristic way: felt, wall, rim, table. The
profile stores this brightness as two rows of numbers for each side, one for each half. If a row matches the current
frame better after a shift, or does not match it at all, that half of the side is no longer where it was.
"""

from dataclasses import dataclass
from math import log

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import tray_width_px
from calibration.rectify import GAMMA, Image, brightness, rectify_floor
from vision.reading import Quad

Row = tuple[float, ...]
Floats = NDArray[np.float64]

REACH = 0.12
"""Distance on both sides of an edge that a row covers, in tray widths."""

ROW_LENGTH = 49
"""Number of values in a row: one for each 1/200 of the tray's width."""

SIDES, HALVES = 4, 2
"""Sides of a tray, and rows for each. In a single row, the two halves of a side that has turned would cancel out."""

FIRST_ALONG, LAST_ALONG, SAMPLES = 0.08, 0.92, 43
"""The part of a side that is sampled, and the number of samples. Their median is used, so that dice at the wall do not
affect it."""

MIN_CHANGED_ROWS = 3 / 8
"""If at least this share of the rows has shifted or is not recognised, the tray has moved. A hand or an object can cover
two rows."""

MIN_MOVE = 0.02
"""If the tray has moved farther than this, in tray widths, the reader may confuse or lose dice near the walls."""

MAX_MOVE = 0.08
"""Largest shift that is searched, in tray widths."""

MIN_CORRELATION = 0.75
"""Two rows with at least this correlation show the same edge."""

MIN_GAIN = 0.1
"""A shift counts only if its correlation exceeds that without a shift by this much."""

MAX_LIGHT_RATIO = 1.5
"""Ratio of brightness, in either direction, from which the exposure must be set again."""

MAX_COMPARABLE_RATIO = 3.0
"""Ratio of brightness, in either direction, from which edges can be invisible, so that those that are not recognised do not
mean that the tray has moved."""

NOISE_LEVEL = 0.03
"""Share of full light below which there is only noise. This limit keeps the logarithm of black finite."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Changes since the profile was made.

    Attributes:
        has_tray_moved: Whether the tray has moved too far for the profile.
        brightness_ratio: Brightness now divided by brightness then.
    """

    has_tray_moved: bool
    brightness_ratio: float

    @property
    def has_light_changed(self) -> bool:
        """Whether the light has changed too much for the exposure of the profile."""
        return not 1 / MAX_LIGHT_RATIO < self.brightness_ratio < MAX_LIGHT_RATIO


def edge_signature(image: Image, tray: Quad, per_side: int = HALVES) -> tuple[Row, ...]:
    """Return rows of log brightness across the four sides of the tray, from inside to outside.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
        per_side: Number of rows for each side, each of which covers an equal part of it.
    """
    light = np.log(brightness(image).astype(np.float64) ** GAMMA + NOISE_LEVEL).astype(np.float32)
    parts = np.array_split(np.linspace(FIRST_ALONG, LAST_ALONG, SAMPLES), per_side)
    rows = (_row(light, tray, side, along) for side in range(SIDES) for along in parts)
    return tuple(tuple(round(float(v), 3) for v in row) for row in rows)


def floor_brightness(image: Image, tray: Quad) -> float:
    """Return the median brightness of the floor, from 0 to 1. Dice on the floor do not affect it.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
    """
    return float(np.median(brightness(rectify_floor(image, tray, side_px=96))))


def measure_drift(
    image: Image, tray: Quad, sides: tuple[Row, ...], old_brightness: float | None
) -> Drift:
    """Compare a frame with the measurements in a profile.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels, according to the profile.
        sides: Result of `edge_signature` when the profile was made, or an empty tuple if there is none.
        old_brightness: Result of `floor_brightness` when the profile was made, or None if unknown.
    """
    now = floor_brightness(image, tray) ** GAMMA + NOISE_LEVEL
    ratio = 1.0 if old_brightness is None else now / (old_brightness**GAMMA + NOISE_LEVEL)
    if not sides:
        return Drift(has_tray_moved=False, brightness_ratio=ratio)
    rows = edge_signature(image, tray, len(sides) // SIDES)
    shifts = [_shift(np.array(then), np.array(now)) for then, now in zip(sides, rows, strict=True)]
    has_light = 1 / MAX_COMPARABLE_RATIO < ratio < MAX_COMPARABLE_RATIO
    unknown = shifts.count(None) if has_light else 0
    shifted = sum(abs(shift) > MIN_MOVE for shift in shifts if shift is not None)
    return Drift(unknown + shifted >= MIN_CHANGED_ROWS * len(sides), ratio)


def _shift(then: Floats, now: Floats) -> float | None:
    """Return how far an edge has shifted between two rows, in tray widths, or None if the edge is not recognised."""
    step = 2 * REACH / (ROW_LENGTH - 1)
    most = round(MAX_MOVE / step)
    found = [(_correlation(then, now, shift), shift) for shift in range(-most, most + 1)]
    unmoved = _correlation(then, now, 0)
    best, shift = max(found, key=lambda one: one[0])
    if best < MIN_CORRELATION:
        return None
    return 0.0 if unmoved > best - MIN_GAIN else shift * step


def _correlation(then: Floats, now: Floats, shift: int) -> float:
    """Return the correlation of two rows where they overlap after one is shifted by `shift` samples."""
    a = then[max(0, -shift) : len(then) - max(0, shift)]
    b = now[max(0, shift) : len(now) - max(0, -shift)]
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / max(np.sqrt((a * a).sum() * (b * b).sum()), log(2) * 1e-6))


def _row(light: NDArray[np.float32], tray: Quad, side: int, positions: Floats) -> Floats:
    """Return the log brightness across one side (0 to 3) of the tray, from inside to outside.

    Each value is the median over the positions along the side, from 0 to 1. `light` is the log brightness of each pixel.
    """
    corners = np.array(tray.corners, np.float64)
    start, end = corners[side], corners[(side + 1) % 4]
    along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
    out = np.array((along[1], -along[0]))
    if float(out @ (corners.mean(axis=0) - start)) > 0:
        out = -out
    across = np.linspace(-REACH, REACH, ROW_LENGTH) * tray_width_px(tray)
    points = (start + positions[:, None, None] * (end - start)) + across[None, :, None] * out
    samples = cv2.remap(
        light, points[..., 0].astype(np.float32), points[..., 1].astype(np.float32),
        cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return np.asarray(np.median(samples, axis=0), np.float64)
