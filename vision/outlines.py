"""Blobs of a mask as discs: place, size and roundness of hundreds of outlines at once."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Floats
from vision.picture import Image

Outline = NDArray[np.generic]  # (n, 1, 2) the outer pixels of a blob, in order

SOLID = 0.85  # area by that of the ellipse of the same moments: a disc of few pixels is above
ROUND = 0.45  # short by long axis: pips of side faces too, but no scratches


def outlines_of(mask: Image, least_px: float, most_px: float) -> list[Outline]:
    """Outlines of the blobs that may be discs of `least_px` to `most_px` diameter."""
    found = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    # A disc has about 2.8 outer pixels for each of its diameter; an ellipse or a rough one more.
    return [line for line in found if 2 * least_px < len(line) < 4.5 * most_px]


def disc_shapes(outlines: Sequence[Outline]) -> tuple[Floats, NDArray[np.bool_]]:
    """Rows of x, y, r, aspect (n, 4) of the filled outlines and which of them are round (n,)."""
    length = np.array([len(line) for line in outlines])
    first = np.cumsum(length) - length
    x, y = np.concatenate(outlines).reshape(-1, 2).T.astype(float)
    after = np.arange(1, len(x) + 1)
    after[first + length - 1] = first
    cross = x * y[after] - x[after] * y

    def total(weights: Floats) -> Floats:
        return np.add.reduceat(weights, first)

    twice = total(cross)
    some = np.abs(twice) > 1
    sure = np.where(some, twice, 1.0)
    cx, cy = total(cross * (x + x[after])) / 3 / sure, total(cross * (y + y[after])) / 3 / sure
    xx = total(cross * (x * x + x * x[after] + x[after] ** 2)) / 6 / sure - cx * cx
    yy = total(cross * (y * y + y * y[after] + y[after] ** 2)) / 6 / sure - cy * cy
    xy = (
        total(cross * (x * (2 * y + y[after]) + x[after] * (y + 2 * y[after]))) / 12 / sure
        - cx * cy
    )
    spread = np.sqrt((xx - yy) ** 2 / 4 + xy**2)
    # The outline runs through the middles of the outer pixels: half a pixel is added all around.
    long = 2 * np.sqrt(np.maximum((xx + yy) / 2 + spread, 0)) + 0.5
    short = 2 * np.sqrt(np.maximum((xx + yy) / 2 - spread, 0)) + 0.5
    area = np.abs(twice) / 2 + length / 2 + 1  # Pick's theorem
    good = some & (area > SOLID * np.pi * long * short) & (short > ROUND * long)
    return np.column_stack((cx, cy, np.sqrt(area / np.pi), short / long)), good
