"""Draws trays with outlines of many kinds, and makes their walls, for the simulated throws and for the renderers."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from training.scenes.world import Rotation, TrayFloor, Vector

OVERLAP_MM = 0.4
"""How far walls extend into each other and below the floor, so that no light leaks in."""
WALL_STEP_MM = 0.03
"""Difference in height between neighbouring walls. If their tops were in one plane, they would be black where they
meet."""


@dataclass(frozen=True)
class WallBox:
    """One wall of a tray: a box with its centre, axes and half sizes in millimetres."""

    at: Vector
    turn: Rotation
    half: Vector


def rectangle_corners(width: float, depth: float) -> Vector:
    """Return the corners (4, 2) of a rectangle around the origin.

    Args:
        width: Extent along x in millimetres.
        depth: Extent along y in millimetres.
    """
    x, y = width / 2, depth / 2
    return np.array([(-x, -y), (x, -y), (x, y), (-x, y)])


def polygon_corners(sides: int, width: float, depth: float) -> Vector:
    """Return the corners (sides, 2) of a regular polygon, stretched to fill a rectangle around the origin.

    Args:
        sides: Number of corners.
        width: Extent along x in millimetres.
        depth: Extent along y in millimetres.
    """
    angles = (np.arange(sides) + 0.5) * 2 * np.pi / sides - np.pi / 2
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.asarray(ring / np.abs(ring).max(axis=0) * (width / 2, depth / 2))


def rounded_corners(width: float, depth: float, radius: float, steps: int) -> Vector:
    """Return the corners (4 * steps + 4, 2) of a polygon: a rectangle with rounded or cut-off corners.

    Args:
        width: Extent along x in millimetres.
        depth: Extent along y in millimetres.
        radius: Radius of the rounded corners in millimetres.
        steps: Number of straight sides that form each rounded corner. With 1, the corners are cut off.
    """
    quarter = np.linspace(0, np.pi / 2, steps + 1)
    middles = rectangle_corners(width - 2 * radius, depth - 2 * radius)
    starts = np.array([np.pi, 1.5 * np.pi, 0, np.pi / 2])
    return np.concatenate([
        m + radius * np.column_stack([np.cos(s + quarter), np.sin(s + quarter)])
        for m, s in zip(middles, starts, strict=True)
    ])  # fmt: skip


OUTLINES = ("rectangle", "rounded", "hexagon", "octagon", "round", "cut", "pentagon")


def outline_corners(kind: str, rng: Generator, width: float, depth: float) -> Vector:
    """Return the corners (k, 2) of a tray's outline, with random details.

    Args:
        kind: Kind of the outline, one of OUTLINES.
        rng: Source of random numbers.
        width: Extent along x in millimetres.
        depth: Extent along y in millimetres.
    """
    if kind == "rectangle":
        return rectangle_corners(width, depth)
    if kind == "rounded":
        return rounded_corners(width, depth, float(rng.uniform(0.06, 0.4)) * depth, 5)
    if kind == "cut":
        return rounded_corners(width, depth, float(rng.uniform(0.1, 0.3)) * depth, 1)
    sides = {"pentagon": 5, "hexagon": 6, "octagon": 8, "round": 28}[kind]
    return polygon_corners(sides, width, width if rng.random() < 0.7 else depth)


def draw_tray_floor(kind: str, rng: Generator, width: float, depth: float) -> TrayFloor:
    """Draw a tray with low or tall walls that are upright or lean outwards.

    Args:
        kind: Kind of the outline, one of OUTLINES.
        rng: Source of random numbers.
        width: Extent along x in millimetres.
        depth: Extent along y in millimetres.
    """
    corners = outline_corners(kind, rng, width, depth)
    wall = float(np.exp(rng.uniform(np.log(6), np.log(65))))
    slope = float(rng.choice([0.0, rng.uniform(2, 15), rng.uniform(15, 45)], p=[0.6, 0.25, 0.15]))
    return TrayFloor(
        corners,
        wall_mm=min(wall, 0.5 * min(width, depth)),
        thick_mm=float(np.exp(rng.uniform(np.log(1.5), np.log(22)))),
        slope_deg=slope,
        corners=corners if kind == "rectangle" else None,
    )


def make_wall_boxes(tray: TrayFloor, below_mm: float = 0.0) -> list[WallBox]:
    """Return the walls of a tray.

    Args:
        tray: The floor of the tray and the shape of its walls.
        below_mm: How far the walls extend below the floor, in millimetres.
    """
    nexts = np.roll(tray.outline, -1, axis=0)
    return [
        _wall(tray, start, end, below_mm, WALL_STEP_MM * k)
        for k, (start, end) in enumerate(zip(tray.outline, nexts, strict=True))
    ]


def _wall(tray: TrayFloor, start: Vector, end: Vector, below_mm: float, more_mm: float) -> WallBox:
    along = (end - start) / np.linalg.norm(end - start)
    out = np.array([along[1], -along[0]])
    lean = np.radians(tray.slope_deg)
    x = np.array([*along, 0.0])
    z = np.array([*(out * np.sin(lean)), np.cos(lean)])  # upwards along the wall
    y = np.cross(z, x)  # into the tray
    high = tray.wall_mm / np.cos(lean) + below_mm + OVERLAP_MM + more_mm
    spread = tray.wall_mm * np.tan(lean) + tray.thick_mm
    reach = np.linalg.norm(end - start) / 2 + spread * _miter(tray)
    foot = np.array([*(start + end) / 2, 0.0]) - y * tray.thick_mm / 2
    middle = foot + z * (high / 2 - below_mm - OVERLAP_MM)
    return WallBox(
        middle, np.column_stack([x, y, z]), np.array([reach, tray.thick_mm / 2, high / 2])
    )


def _miter(tray: TrayFloor) -> float:
    """Return how far a wall must extend past a corner to close the corner, as a share of the wall's outward extent."""
    return float(np.tan(np.pi / len(tray.outline)))


def are_inside(tray: TrayFloor, points: Vector, margin_mm: float = 0.0) -> Vector:
    """Return whether each of several points (n,) is on the floor of a tray.

    Args:
        tray: The floor of the tray and the shape of its walls.
        points: Points (n, 2) in millimetres.
        margin_mm: Smallest distance from the walls in millimetres.
    """
    nexts = np.roll(tray.outline, -1, axis=0)
    along = (nexts - tray.outline) / np.linalg.norm(nexts - tray.outline, axis=1, keepdims=True)
    out = np.column_stack([along[:, 1], -along[:, 0]])
    away = np.einsum("nkc,kc->nk", points[:, None] - tray.outline, out)
    return np.asarray((away <= -margin_mm).all(axis=1))
