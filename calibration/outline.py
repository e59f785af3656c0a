"""Outlines of areas in the frame: four corners as shares of the frame's width and height, valid at any resolution."""

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

MAX_OUTSIDE = 0.25
"""A corner may lie this far outside the frame, as a share of the frame's size, if the tray is not fully in view."""

MIN_AREA = 0.002
"""Share of the frame that an outline must cover. If it covers less, the corners were dragged onto each other."""


class OutlineFault(StrEnum):
    """The reason why four corners do not form an outline."""

    OUTSIDE = "a corner lies outside the picture"
    CROSSED = "the corners cross each other"
    TOO_CLOSE = "the corners lie too close together"


class OutlineError(ValueError):
    """Four corners that do not form an outline, for the reason in `fault`."""

    def __init__(self, fault: OutlineFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Outline:
    """The convex outline of a tray or set-aside area in the frame.

    Attributes:
        corners: Four (x, y) in order around the area, as shares of the frame's width and height.

    Raises:
        OutlineError: If the corners do not form such an outline.
    """

    corners: tuple[Share, Share, Share, Share]

    def __post_init__(self) -> None:
        low, high = -MAX_OUTSIDE, 1 + MAX_OUTSIDE
        is_near = all(low <= value <= high for corner in self.corners for value in corner)
        if not is_near or not all(0 < value < 1 for value in np.mean(self.corners, axis=0)):
            raise OutlineError(OutlineFault.OUTSIDE)
        if not is_convex(np.array(self.corners)):
            raise OutlineError(OutlineFault.CROSSED)
        if self.area < MIN_AREA:
            raise OutlineError(OutlineFault.TOO_CLOSE)

    @classmethod
    def of(cls, quad: Quad, width_px: int, height_px: int) -> Self:
        """Make an outline from corners in pixels.

        Args:
            quad: Corners in pixels.
            width_px: Width of the frame in pixels.
            height_px: Height of the frame in pixels.
        """
        a, b, c, d = ((x / width_px, y / height_px) for x, y in quad.corners)
        return cls((a, b, c, d))

    @classmethod
    def centred(cls, share: float = 0.6) -> Self:
        """Return a rectangle in the centre of the frame that takes up this share of the frame's width and height."""
        low, high = (1 - share) / 2, (1 + share) / 2
        return cls(((low, low), (high, low), (high, high), (low, high)))

    def in_px(self, width_px: int, height_px: int) -> Quad:
        """Convert the corners to pixels.

        Args:
            width_px: Width of the frame in pixels.
            height_px: Height of the frame in pixels.
        """
        a, b, c, d = ((x * width_px, y * height_px) for x, y in self.corners)
        return Quad((a, b, c, d))

    @property
    def area(self) -> float:
        """Share of the frame that the outline covers."""
        ring = (*self.corners, self.corners[0])
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring))) / 2


def is_convex(corners: Floats) -> bool:
    """Check that the outline of four corners (4, 2) turns in the same direction at each of them, so that no sides cross."""
    turns = corner_turns(corners)
    return bool((turns > 0).all() or (turns < 0).all())


def corner_turns(corners: Floats) -> Floats:
    """Return how much the outline turns at each of four corners (4, 2), positive if clockwise in the frame.

    The turns (4,) are cross products of the two sides that meet at each corner.
    """
    ahead = np.roll(corners, -1, axis=0) - corners
    after = np.roll(ahead, -1, axis=0)
    return np.asarray(ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0])


def clockwise(corners: Floats) -> Floats:
    """Sort four corners (4, 2) clockwise as seen in the frame, beginning with the one closest to its top left."""
    angle = np.arctan2(*(corners - corners.mean(axis=0)).T[::-1])
    ordered = corners[np.argsort(angle)]
    return np.roll(ordered, -int(ordered.sum(axis=1).argmin()), axis=0)


def tray_width_px(quad: Quad) -> float:
    """Return the size of a tray in the frame: the mean length of its four sides."""
    ring = (*quad.corners, quad.corners[0])
    return sum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(ring)) / 4


def worst_corner_error(found: Quad, truth: Quad) -> float:
    """Return the distance of the worst corner from its true position, in tray widths.

    Args:
        found: Outline to judge. It may begin at any corner and run in either direction.
        truth: The true outline.
    """
    corners = np.array(truth.corners)
    orders = [np.roll(way, turn, axis=0) for way in (corners, corners[::-1]) for turn in range(4)]
    error = min(np.linalg.norm(np.array(found.corners) - one, axis=1).max() for one in orders)
    return float(error / tray_width_px(truth))
