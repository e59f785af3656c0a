"""What a picture is taken of: dice, solids with covers, light, a camera. Pure data, no drawing.

Lengths are millimetres; z is up and the floor that dice lie on at z = 0.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from training.scenes.dice.die_style import DieStyle

Vector = NDArray[np.float64]
Turn = NDArray[np.float64]  # (3, 3): columns are where a thing's own axes point
Floats = NDArray[np.float32]

# Where the die's own axes point when a face is up.
NORMALS = {
    1: (1, 0, 0), 2: (0, 1, 0), 3: (0, 0, 1), 4: (0, 0, -1), 5: (0, -1, 0), 6: (-1, 0, 0),
}  # fmt: skip
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


class Part(IntEnum):
    """What a pixel shows, in masks."""

    GROUND = 0  # floor, walls, table, mats, and every shadow on them
    DIE = 1
    HAND = 2
    THING = 3


class Form(IntEnum):
    """How a solid is shaped, along its own axes."""

    BOX = 0  # half sizes, edges rounded by `round_mm`
    CYLINDER = 1  # around z: radius half[0], half its height half[2], rounded
    CAPSULE = 2  # around z: radius half[0], half its straight length half[2]
    BALL = 3  # an ellipsoid of half axes
    HULL = 4  # what is below all its planes


@dataclass(frozen=True)
class RestingDie:
    """A die where it came to rest; `turn` maps its own axes to the table's."""

    style: int
    edge_mm: float
    at: Vector
    turn: Turn
    stacked: bool = False
    touching: bool = False
    in_tray: bool = True

    def top(self) -> tuple[int, float]:
        """The face nearest to up, and how far it leans, in degrees."""
        ups = {value: float((self.turn @ np.array(n))[2]) for value, n in NORMALS.items()}
        value = max(ups, key=lambda v: ups[v])
        return value, float(np.degrees(np.arccos(min(1, ups[value]))))

    def corners(self) -> Vector:
        """(8, 3) corners of the sharp cube."""
        out: Vector = self.at + CORNERS @ self.turn.T * self.edge_mm / 2
        return out

    def top_face(self, share: float = 1.0) -> Vector:
        """(4, 3) corners of the top face, in order, or of the middle `share` of it."""
        normal = np.array(NORMALS[self.top()[0]], float)
        side, other = face_axes(normal)
        ways = ((1, 1), (1, -1), (-1, -1), (-1, 1))
        ring = [normal + (a * side + b * other) * share for a, b in ways]
        out: Vector = self.at + np.array(ring) @ self.turn.T * self.edge_mm / 2
        return out


@dataclass(frozen=True)
class Cover:
    """What a solid is covered with: a tile that is repeated, in all but a thing's own axes."""

    colours: Floats  # (s, s, 3) linear RGB
    heights: Floats  # (s, s) 0..1
    tile_mm: float
    turn: float  # of the tile, radians
    rough: float
    metal: float = 0.0
    relief_mm: float = 0.0
    clear: float = 0.0  # 1: glass
    shift_mm: tuple[float, float] = (0.0, 0.0)
    kind: str = "plain"


@dataclass(frozen=True)
class Solid:
    """One piece of a tray, a table or a thing."""

    form: Form
    at: Vector
    turn: Turn
    half: Vector  # (3,) half sizes
    cover: int
    part: Part
    round_mm: float = 0.0
    planes: Vector | None = None  # (k, 4) outward normals and distances, own axes, of a hull
    fixed: bool = False  # there while the tray is empty, too

    @property
    def box(self) -> Vector:
        """(3,) half sizes of the box around it."""
        if self.form is Form.CAPSULE:
            return np.asarray(self.half + np.array([0, 0, self.half[0]]))
        return self.half


@dataclass(frozen=True)
class HandShape:
    """Balls in chains that are melted into one skin."""

    starts: Vector  # (n, 3)
    ends: Vector  # (n, 3)
    radii: Vector  # (n, 2) at start and end
    cover: int


@dataclass(frozen=True)
class AreaLamp:
    """A disc that shines; `power` is the light it gives to a level place below it at the origin."""

    at: Vector
    radius_mm: float
    power: Vector  # (3,)


@dataclass(frozen=True)
class Shade:
    """A flat card between the lamps and the tray: x and y of `turn` along its sides."""

    at: Vector
    turn: Turn
    half: Vector  # (2,)


@dataclass(frozen=True)
class Light:
    """A room around everything, and lamps."""

    room: Floats  # (h, 2 h, 3) linear, rows from straight up to straight down
    lamps: tuple[AreaLamp, ...]
    shades: tuple[Shade, ...]
    kind: str = "none"


@dataclass(frozen=True)
class Pinhole:
    """A camera: `turn` maps the table's axes to its own (x right, y down, z ahead)."""

    width: int
    height: int
    focal_px: float
    at: Vector
    turn: Turn

    def project(self, points: Vector) -> Vector:
        """(n, 3) on the table to (n, 2) pixels."""
        seen = (points - self.at) @ self.turn.T
        flat = seen[:, :2] / seen[:, 2:3] * self.focal_px
        out: Vector = flat + (self.width / 2, self.height / 2)
        return out


@dataclass(frozen=True)
class TrayFloor:
    """A level floor with walls around: a convex polygon, counter-clockwise seen from above."""

    outline: Vector  # (k, 2)
    wall_mm: float
    thick_mm: float
    slope_deg: float  # how far the walls lean outwards
    corners: Vector | None  # (4, 2) of a rectangle


@dataclass(frozen=True)
class World:
    """All of one picture."""

    seed: int
    kind: str
    tray: TrayFloor | None
    ground: int  # the cover of the level z = 0 inside the tray, or everywhere
    table: int  # the cover of the level at -drop_mm, outside the tray
    drop_mm: float
    styles: tuple[DieStyle, ...]
    dice: tuple[RestingDie, ...]
    covers: tuple[Cover, ...]
    solids: tuple[Solid, ...]
    hand: HandShape | None
    light: Light
    camera: Pinhole


def face_axes(normal: Vector) -> tuple[Vector, Vector]:
    """The two axes of a face of a die, across and along."""
    side = np.roll(np.abs(normal), 1)
    return side, np.cross(normal, side)
