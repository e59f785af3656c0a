"""Pose of the camera over the tray, derived from the four corners of the tray's floor.

The pose determines how far the top of a flat die is displaced from its foot at any place in the frame. A die
with a different displacement is cocked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.reading import Lean, Quad

Vector = NDArray[np.float64]

FOCALS = np.geomspace(0.4, 2.0, 25)
"""Focal lengths to try, as multiples of the frame's longer side: from a wide Camera Module 3 to a long lens."""

USUAL_FOCAL, FOCAL_SPREAD_OCTAVES = 0.8, 0.6
"""Prior of the focal length: a log-normal distribution around the usual one."""

MIN_SIDE_RATIO, MIN_TURN, MAX_SIDE_PX = 0.05, 0.01, 1e6
"""Limits for a measurable tray: shortest side over longest side, turn at a corner, longest side."""

LEAN_ERROR, MAX_LEAN_PENALTY = 0.1, 4.0
"""Standard error of a measured lean in die edges, and the most that one die can add to the misfit."""

MIN_SCALE = 0.05
"""Lower limit of the relative scale: beyond the horizon of the floor there is nothing to measure."""

CORNER_ERROR_DEG = 0.7
"""Standard error of the angle between two walls, from the accuracy of the corners."""


@dataclass(frozen=True, slots=True)
class CameraPose:
    """A pinhole camera over a plane.

    Attributes:
        focal_px: Focal length in pixels.
        centre: Principal point in frame pixels: the centre of the frame.
        up: Unit normal of the plane in the axes of the camera.
    """

    focal_px: float
    centre: tuple[float, float]
    up: tuple[float, float, float]

    @property
    def long_side_px(self) -> float:
        """Longer side of the frame in pixels."""
        return 2 * max(self.centre)

    def lean_at(self, x: float, y: float) -> tuple[float, float]:
        """Return how far the top of a flat die is displaced from its foot, right and down, in die edges.

        Args:
            x: Column of the centre of the top face in frame pixels.
            y: Row of the centre of the top face in frame pixels.
        """
        ahead = self.up[2] / self.focal_px
        return self.up[0] - (x - self.centre[0]) * ahead, self.up[1] - (y - self.centre[1]) * ahead

    def scale_at(self, x: float, y: float) -> float:
        """Return the scale of the floor at a pixel, relative to its scale at the centre of the frame.

        Args:
            x: Column of the pixel.
            y: Row of the pixel.
        """
        right, down = (x - self.centre[0]) / self.focal_px, (y - self.centre[1]) / self.focal_px
        return max(MIN_SCALE, 1 + (self.up[0] * right + self.up[1] * down) / self.up[2])

    def edge_at_centre(self, lean: Lean) -> float:
        """Return the edge in pixels that the die with this lean would have if it lay in the centre of the frame."""
        x, y = (
            share * self.long_side_px + middle
            for share, middle in zip((lean.x, lean.y), self.centre, strict=True)
        )
        return lean.edge * self.long_side_px / self.scale_at(x, y)


def estimate_pose(
    tray: Quad, width: int, height: int, leans: Sequence[Lean] = ()
) -> CameraPose | None:
    """Estimate the pose in which the four corners form a rectangle, with the most likely focal length.

    From directly above, every focal length fits the corners, so the leans of the dice decide: most
    dice lie flat. The estimate assumes no distortion and a principal point at the centre of the frame.

    Args:
        tray: Floor of the tray in frame pixels.
        width: Width of the frame in pixels.
        height: Height of the frame in pixels.
        leans: Leans of dice. Most of these dice must lie flat.

    Returns:
        The pose, or None if the corners are not a rectangle seen from above.
    """
    if not _is_convex(tray):
        return None
    centre = np.array([width, height]) / 2
    side = max(width, height)
    a, b, c, d = (np.append((np.array(corner) - centre) / side, 1.0) for corner in tray.corners)
    # Vanishing points of the two pairs of walls, in homogeneous coordinates.
    across = np.cross(np.cross(a, b), np.cross(d, c))
    along = np.cross(np.cross(b, c), np.cross(a, d))

    directions = _directions(across), _directions(along)
    ups = np.cross(*directions)
    ups *= -np.copysign(1, ups[:, 2:]) / np.linalg.norm(ups, axis=1, keepdims=True)
    best = int(np.argmin(_corner_misfits(*directions) + _lean_misfits(ups, leans)))
    x, y, z = (float(v) for v in ups[best])
    return CameraPose(float(FOCALS[best]) * side, (width / 2, height / 2), (x, y, z))


def _is_convex(tray: Quad) -> bool:
    """Check that the outline turns in the same direction at every corner, and by a measurable angle."""
    corners = np.array(tray.corners)
    steps = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(steps, axis=1)
    if lengths.min() <= MIN_SIDE_RATIO * lengths.max() or not lengths.max() < MAX_SIDE_PX:
        return False
    nexts = np.roll(steps, -1, axis=0)
    turns = (steps[:, 0] * nexts[:, 1] - steps[:, 1] * nexts[:, 0]) / lengths.max() ** 2
    return bool((turns > MIN_TURN).all() or (turns < -MIN_TURN).all())


def _directions(vanishing: Vector) -> Vector:
    """Return the direction (focals, 3) of a wall in camera axes for each focal length.

    `vanishing` is the vanishing point of the wall, in homogeneous coordinates.
    """
    rays = vanishing / np.column_stack([FOCALS, FOCALS, np.ones_like(FOCALS)])
    return np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))


def _corner_misfits(across: Vector, along: Vector) -> Vector:
    """Return, for each focal length, how far the walls are from perpendicular plus how unusual that length is.

    `across` and `along` are the directions (focals, 3) of the walls. The result (focals,) is a sum of squares.
    """
    cosines = np.clip((across * along).sum(axis=1), -1, 1)
    errors = np.degrees(np.arcsin(cosines)) / CORNER_ERROR_DEG
    return np.asarray(errors**2 + (np.log2(FOCALS / USUAL_FOCAL) / FOCAL_SPREAD_OCTAVES) ** 2)


def _lean_misfits(ups: Vector, leans: Sequence[Lean]) -> Vector:
    """Return, for each focal length, how badly the leans fit flat dice, capped so that a cocked die counts little.

    `ups` are the normals (focals, 3) of the floor. The result (focals,) is a sum of squares.
    """
    at = np.array([(lean.x, lean.y) for lean in leans]).reshape(-1, 2)
    measured = np.array([(lean.right, lean.down) for lean in leans]).reshape(-1, 2)
    ahead = (ups[:, 2] / FOCALS)[:, None, None]
    errors = ups[:, None, :2] - at * ahead - measured
    squares = (errors**2).sum(axis=2) / LEAN_ERROR**2
    return np.asarray(np.minimum(MAX_LEAN_PENALTY, squares).sum(axis=1))
