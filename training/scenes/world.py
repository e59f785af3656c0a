"""Everything in an image: dice, solids with covers, light and a camera. Data only, no drawing.

Lengths are in millimetres. The z axis points up, and the floor of the tray is at z = 0.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from training.scenes.dice.die_style import DieStyle

Vector = NDArray[np.float64]
Rotation = NDArray[np.float64]  # (3, 3): the columns are the directions of a solid's own axes
Floats = NDArray[np.float32]

# The direction of each face in the die's own axes; opposite faces add up to seven.
FACE_NORMALS = {
    1: (1, 0, 0), 2: (0, 1, 0), 3: (0, 0, 1), 4: (0, 0, -1), 5: (0, -1, 0), 6: (-1, 0, 0),
}  # fmt: skip
CUBE_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


class Part(IntEnum):
    """What a pixel of a mask shows."""

    GROUND = 0  # floor, walls, table, mats and all shadows on them
    DIE = 1
    HAND = 2
    FOREIGN_OBJECT = 3


class Form(IntEnum):
    """Shape of a solid, along its own axes."""

    BOX = 0  # half sizes; edges are rounded by `round_mm`
    CYLINDER = 1  # around z: radius half[0], half of its height half[2], rounded edges
    CAPSULE = 2  # around z: radius half[0], half of its straight length half[2]
    BALL = 3  # an ellipsoid with these half axes
    HULL = 4  # the space below all of its planes


@dataclass(frozen=True)
class RestingDie:
    """A die at rest; `turn` maps the die's own axes to those of the table."""

    style: int
    edge_mm: float
    at: Vector
    turn: Rotation
    stacked: bool = False
    touching: bool = False
    in_tray: bool = True

    def top(self) -> tuple[int, float]:
        """Return the value of the face nearest to upwards, and its tilt in degrees."""
        ups = {value: float((self.turn @ np.array(n))[2]) for value, n in FACE_NORMALS.items()}
        value = max(ups, key=lambda v: ups[v])
        return value, float(np.degrees(np.arccos(min(1, ups[value]))))

    def corners(self) -> Vector:
        """Return (8, 3) corners of the cube without rounded edges."""
        out: Vector = self.at + CUBE_CORNERS @ self.turn.T * self.edge_mm / 2
        return out

    def top_face(self, share: float = 1.0) -> Vector:
        """Return (4, 3) corners of the middle `share` of the top face, in order."""
        normal = np.array(FACE_NORMALS[self.top()[0]], float)
        side, other = face_axes(normal)
        ways = ((1, 1), (1, -1), (-1, -1), (-1, 1))
        ring = [normal + (a * side + b * other) * share for a, b in ways]
        out: Vector = self.at + np.array(ring) @ self.turn.T * self.edge_mm / 2
        return out


@dataclass(frozen=True)
class Cover:
    """The surface of a solid: a tile that repeats, with colours, heights and gloss."""

    colours: Floats  # (s, s, 3) linear RGB
    heights: Floats  # (s, s) 0..1
    tile_mm: float
    turn: float  # rotation of the tile in radians
    rough: float
    metal: float = 0.0
    relief_mm: float = 0.0
    clear: float = 0.0  # transparency, 1 for glass
    shift_mm: tuple[float, float] = (0.0, 0.0)
    kind: str = "plain"


@dataclass(frozen=True)
class Solid:
    """One piece of a tray, a table or a foreign object."""

    form: Form
    at: Vector
    turn: Rotation
    half: Vector  # (3,) half sizes
    cover: int
    part: Part
    round_mm: float = 0.0
    planes: Vector | None = None  # (k, 4) outward normals and distances of a hull, in its own axes
    fixed: bool = False  # belongs to the empty tray

    @property
    def box(self) -> Vector:
        """(3,) half sizes of the enclosing box."""
        if self.form is Form.CAPSULE:
            return np.asarray(self.half + np.array([0, 0, self.half[0]]))
        return self.half


@dataclass(frozen=True)
class HandShape:
    """Chains of balls that are blended into one skin."""

    starts: Vector  # (n, 3)
    ends: Vector  # (n, 3)
    radii: Vector  # (n, 2) radii at the start and at the end
    cover: int


@dataclass(frozen=True)
class AreaLamp:
    """A disc that emits light; `power` is the light on a level place at the origin."""

    at: Vector
    radius_mm: float
    power: Vector  # (3,)


@dataclass(frozen=True)
class Shade:
    """A flat card between the lamps and the tray; its sides lie along x and y of `turn`."""

    at: Vector
    turn: Rotation
    half: Vector  # (2,)


@dataclass(frozen=True)
class Light:
    """A room around the scene, and lamps."""

    room: Floats  # (h, 2 h, 3) linear; rows go from straight up to straight down
    lamps: tuple[AreaLamp, ...]
    shades: tuple[Shade, ...]
    kind: str = "none"


@dataclass(frozen=True)
class Pinhole:
    """A camera; `turn` maps the table's axes to the camera's (x right, y down, z ahead)."""

    width: int
    height: int
    focal_px: float
    at: Vector
    turn: Rotation

    def project(self, points: Vector) -> Vector:
        """Return (n, 2) pixels of (n, 3) points on the table."""
        seen = (points - self.at) @ self.turn.T
        flat = seen[:, :2] / seen[:, 2:3] * self.focal_px
        out: Vector = flat + (self.width / 2, self.height / 2)
        return out


@dataclass(frozen=True)
class TrayFloor:
    """A level floor with walls: a convex polygon, anticlockwise as seen from above."""

    outline: Vector  # (k, 2)
    wall_mm: float
    thick_mm: float
    slope_deg: float  # outward slope of the walls
    corners: Vector | None  # (4, 2) corners of a rectangle, else None


@dataclass(frozen=True)
class World:
    """Everything in one image."""

    seed: int
    kind: str
    tray: TrayFloor | None
    ground: int  # number of the cover of the floor at z = 0, inside the tray or everywhere
    table: int  # number of the cover of the table at -drop_mm
    drop_mm: float
    styles: tuple[DieStyle, ...]
    dice: tuple[RestingDie, ...]
    covers: tuple[Cover, ...]
    solids: tuple[Solid, ...]
    hand: HandShape | None
    light: Light
    camera: Pinhole


def face_axes(normal: Vector) -> tuple[Vector, Vector]:
    """Return the two axes of a face of a die, across and along."""
    side = np.roll(np.abs(normal), 1)
    return side, np.cross(normal, side)
