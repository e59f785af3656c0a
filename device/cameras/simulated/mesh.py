"""A rounded cube as small flat facets, and the outlines of its pips."""

from dataclasses import dataclass
from functools import lru_cache
from math import pi

import numpy as np

from device.cameras.simulated.die_pose import NORMALS
from device.cameras.simulated.lens import Floats

ROUNDING = (
    0.13  # radius of the rounded edges, in die edges: 0 for casino dice, up to 0.2 for travel dice
)
PIP_RADIUS = 0.088
PIP_OFFSET = (
    0.235  # distance of the outer pips from the centre of the face along each axis, in die edges
)

# The pips of each face, as steps of `PIP_OFFSET` along the face's two axes.
_CORNERS = ((-1, -1), (1, 1), (-1, 1), (1, -1))
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: _CORNERS[:2],
    3: (*_CORNERS[:2], (0, 0)),
    4: _CORNERS,
    5: (*_CORNERS, (0, 0)),
    6: (*_CORNERS, (-1, 0), (1, 0)),
}


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """The facets of a die with edge 1, centred on the origin.

    Attributes:
        corners: Four corners of each facet, (facets, 4, 3).
        normals: The outward unit vector of each facet, (facets, 3).
    """

    corners: Floats
    normals: Floats


def face_axes(value: int) -> tuple[Floats, Floats]:
    """Return two unit vectors that span face `value` of a die and form a right-handed system with its normal."""
    normal = NORMALS[value]
    across = np.roll(normal, 1) * np.sign(normal.sum())
    return across, np.cross(normal, across)


@lru_cache(maxsize=4)
def rounded_cube(*, bends: int, flats: int) -> Mesh:
    """Return the facets of a cube with rounded edges.

    Args:
        bends: Number of facets along the rounding of each edge.
        flats: Number of facets across each flat face.
    """
    steps = _steps(bends, flats)
    faces = [_face(value, steps) for value in NORMALS]
    return Mesh(
        corners=np.concatenate([corners for corners, _ in faces]),
        normals=np.concatenate([normals for _, normals in faces]),
    )


def _steps(bends: int, flats: int) -> Floats:
    """Return the coordinates at which to cut the faces of the enclosing cube, from -0.5 to 0.5.

    The facets of a rounded edge then all have the same angle to their neighbours.

    Args:
        bends: Number of facets along the rounding of each edge.
        flats: Number of facets across each flat face.
    """
    flat = 0.5 - ROUNDING
    bent = flat + ROUNDING * np.tan(np.linspace(0, pi / 4, bends + 1))[1:]
    return np.concatenate([-bent[::-1], np.linspace(-flat, flat, flats + 1), bent])


def _face(value: int, steps: Floats) -> tuple[Floats, Floats]:
    across, along = face_axes(value)
    grid = NORMALS[value] * 0.5 + steps[:, None, None] * across + steps[None, :, None] * along
    inside = np.clip(grid, ROUNDING - 0.5, 0.5 - ROUNDING)
    outward = (grid - inside) / np.linalg.norm(grid - inside, axis=-1, keepdims=True)
    normals = _facets(outward).mean(axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return _facets(inside + ROUNDING * outward), normals


def _facets(grid: Floats) -> Floats:
    """Return the four corners of every cell in a grid of points: (rows, columns, 3) becomes (cells, 4, 3)."""
    cells = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2)
    return cells.reshape(-1, 4, 3)


@lru_cache(maxsize=16)
def pip_outlines(value: int, *, points: int, radius: float = PIP_RADIUS) -> Floats:
    """Return the pips of a face as polygons on a die of edge 1, (pips, points, 3).

    Args:
        value: The face, 1 to 6.
        points: Number of corners of each polygon.
        radius: Radius of a pip in die edges.
    """
    across, along = face_axes(value)
    angles = np.linspace(0, 2 * pi, points, endpoint=False)
    ring = radius * (np.cos(angles)[:, None] * across + np.sin(angles)[:, None] * along)
    middles = [PIP_OFFSET * (a * across + b * along) for a, b in _PIPS[value]]
    return np.array([NORMALS[value] * 0.5 + middle + ring for middle in middles])
