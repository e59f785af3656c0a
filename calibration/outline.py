"""Four corners as shares of a picture's width and height: they hold for any size of it."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import hypot
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vision.reading import Quad

Share = tuple[float, float]
Floats = NDArray[np.float64]

OUT = 0.25
"""A corner may lie so far outside the picture, in its sizes: a tray that is not quite in view."""

LEAST_AREA = 0.002
"""Of the picture: no tray is smaller, and no four corners that were dragged onto each other hold."""


class OutlineFault(StrEnum):
    """Why four corners make no outline."""

    OUTSIDE = "a corner lies outside the picture"
    CROSSED = "the corners cross each other"
    TOO_CLOSE = "the corners lie too close together"


class OutlineError(ValueError):
    """These four corners make no outline; `fault` says why."""

    def __init__(self, fault: OutlineFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Outline:
    """A tray or a zone in the picture: convex, in order around, (x, y) each as shares.

    Raises:
        OutlineError: these four make no such outline.
    """

    corners: tuple[Share, Share, Share, Share]

    def __post_init__(self) -> None:
        if not all(-OUT <= value <= 1 + OUT for corner in self.corners for value in corner):
            raise OutlineError(OutlineFault.OUTSIDE)
        turned = corner_turns(np.array(self.corners))
        if not ((turned > 0).all() or (turned < 0).all()):
            raise OutlineError(OutlineFault.CROSSED)
        if self.area < LEAST_AREA:
            raise OutlineError(OutlineFault.TOO_CLOSE)

    @classmethod
    def of(cls, quad: Quad, tray_width_px: int, height_px: int) -> Self:
        """From pixels of a picture of this size."""
        a, b, c, d = ((x / tray_width_px, y / height_px) for x, y in quad.corners)
        return cls((a, b, c, d))

    @classmethod
    def centred(cls, share: float = 0.6) -> Self:
        """A frame in the middle of the picture, to be dragged."""
        low, high = (1 - share) / 2, (1 + share) / 2
        return cls(((low, low), (high, low), (high, high), (low, high)))

    def in_px(self, tray_width_px: int, height_px: int) -> Quad:
        a, b, c, d = ((x * tray_width_px, y * height_px) for x, y in self.corners)
        return Quad((a, b, c, d))

    @property
    def area(self) -> float:
        """As a share of the picture."""
        ring = (*self.corners, self.corners[0])
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring))) / 2


def corner_turns(corners: Floats) -> Floats:
    """How much the way around turns at each of four corners (4, 2): more than 0 is clockwise as seen."""
    ahead = np.roll(corners, -1, axis=0) - corners
    after = np.roll(ahead, -1, axis=0)
    return np.asarray(ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0])


def clockwise(corners: Floats) -> Floats:
    """Four corners (4, 2) clockwise as seen, the one nearest to the top left first."""
    angle = np.arctan2(*(corners - corners.mean(axis=0)).T[::-1])
    ordered = corners[np.argsort(angle)]
    return np.roll(ordered, -int(ordered.sum(axis=1).argmin()), axis=0)


def as_quad(corners: Floats) -> Quad:
    """Of four points (4, 2)."""
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return Quad((a, b, c, d))


def tray_width_px(quad: Quad) -> float:
    """The width of a tray in the picture: the mean of its four sides' lengths."""
    ring = (*quad.corners, quad.corners[0])
    return sum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(ring)) / 4


def worst_corner_error(found: Quad, truth: Quad) -> float:
    """How far the worst corner is off, in widths of the tray; each may begin anywhere and go either way round."""
    corners = np.array(truth.corners)
    turned = [np.roll(way, turn, axis=0) for way in (corners, corners[::-1]) for turn in range(4)]
    away = min(np.linalg.norm(np.array(found.corners) - one, axis=1).max() for one in turned)
    return float(away / tray_width_px(truth))
