"""A scene as plain data: dice, other solids and their surface materials, light and a camera.

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

# The outward direction of each face in the die's own axes; opposite faces add up to seven.
FACE_NORMALS = {
    1: (1, 0, 0), 2: (0, 1, 0), 3: (0, 0, 1), 4: (0, 0, -1), 5: (0, -1, 0), 6: (-1, 0, 0),
}  # fmt: skip
CUBE_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


class Part(IntEnum):
    """The kinds of things that a pixel of an image can show."""

    GROUND = 0  # floor, walls, table, mats and all shadows on them
    DIE = 1
    HAND = 2
    FOREIGN_OBJECT = 3


class Form(IntEnum):
    """The shape of a solid, in the solid's own axes."""

    BOX = 0  # half sizes; edges are rounded by `round_mm`
    CYLINDER = 1  # around z: radius half[0], half of its height half[2], rounded edges
    CAPSULE = 2  # around z: radius half[0], half of its straight length half[2]
    BALL = 3  # an ellipsoid with these half axes
    HULL = 4  # the space below all of its planes


@dataclass(frozen=True)
class RestingDie:
    """A die that has come to rest.

    Attributes:
        style: Index of its appearance in `World.styles`.
        edge_mm: Edge of the die.
        at: Position (3,) of its centre.
        turn: Rotation (3, 3) from the axes of the die to those of the table.
        stacked: Whether the die lies on another die.
        touching: Whether the die touches another die.
        in_tray: Whether the die lies in the tray and not beside it.
    """

    style: int
    edge_mm: float
    at: Vector
    turn: Rotation
    stacked: bool = False
    touching: bool = False
    in_tray: bool = True

    def top(self) -> tuple[int, float]:
        """Return the value of the face that points most nearly upwards, and its tilt in degrees."""
        ups = {value: float((self.turn @ np.array(n))[2]) for value, n in FACE_NORMALS.items()}
        value = max(ups, key=lambda v: ups[v])
        return value, float(np.degrees(np.arccos(min(1, ups[value]))))

    def corners(self) -> Vector:
        """Return the corners (8, 3) of the die as if its edges were sharp."""
        out: Vector = self.at + CUBE_CORNERS @ self.turn.T * self.edge_mm / 2
        return out

    def top_face(self, share: float = 1.0) -> Vector:
        """Return the corners (4, 3), in order, of a square at the centre of the top face.

        `share` is the edge of the square relative to the edge of the face.
        """
        normal = np.array(FACE_NORMALS[self.top()[0]], float)
        side, other = face_axes(normal)
        ways = ((1, 1), (1, -1), (-1, -1), (-1, 1))
        ring = [normal + (a * side + b * other) * share for a, b in ways]
        out: Vector = self.at + np.array(ring) @ self.turn.T * self.edge_mm / 2
        return out


@dataclass(frozen=True)
class Cover:
    """The material of a surface: a texture tile that repeats, with colours, heights and gloss."""

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
    """A solid that forms a tray, a table or a foreign object, or part of one."""

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
        """Half sizes (3,) of the enclosing box."""
        if self.form is Form.CAPSULE:
            return np.asarray(self.half + np.array([0, 0, self.half[0]]))
        return self.half


@dataclass(frozen=True)
class HandShape:
    """A hand, as rounded cones that are blended into one surface."""

    starts: Vector  # (n, 3)
    ends: Vector  # (n, 3)
    radii: Vector  # (n, 2) radii at the start and at the end
    cover: int


@dataclass(frozen=True)
class AreaLamp:
    """A lamp: a disc that emits light.

    Attributes:
        at: Position (3,) of its centre.
        radius_mm: Radius of the disc.
        power: RGB light (3,) that a level surface at the origin gets from the lamp.
    """

    at: Vector
    radius_mm: float
    power: Vector


@dataclass(frozen=True)
class Shade:
    """A flat card between the lamps and the tray, which casts a shadow.

    Attributes:
        at: Position (3,) of its centre.
        turn: Axes (3, 3) of the card. Its sides are along the first two.
        half: Half sizes (2,).
    """

    at: Vector
    turn: Rotation
    half: Vector


@dataclass(frozen=True)
class Light:
    """The light in a scene: the room around it, lamps, and cards that shade them."""

    room: Floats  # (h, 2 h, 3) linear; rows go from straight up to straight down
    lamps: tuple[AreaLamp, ...]
    shades: tuple[Shade, ...]
    kind: str = "none"


@dataclass(frozen=True)
class Pinhole:
    """A pinhole camera.

    Attributes:
        width: Width of the image in pixels.
        height: Height of the image in pixels.
        focal_px: Focal length in pixels.
        at: Position (3,).
        turn: Rotation (3, 3) from the axes of the table to those of the camera (x right, y down, z ahead).
    """

    width: int
    height: int
    focal_px: float
    at: Vector
    turn: Rotation

    def project(self, points: Vector) -> Vector:
        """Return the pixels (n, 2) at which points (n, 3) in the axes of the table appear."""
        seen = (points - self.at) @ self.turn.T
        flat = seen[:, :2] / seen[:, 2:3] * self.focal_px
        out: Vector = flat + (self.width / 2, self.height / 2)
        return out


@dataclass(frozen=True)
class TrayFloor:
    """The level floor of a tray, and the shape of its walls.

    Attributes:
        outline: Corners (k, 2) of the floor, a convex polygon, anticlockwise as seen from above.
        wall_mm: Height of the walls.
        thick_mm: Thickness of the walls.
        slope_deg: Angle by which the walls lean outwards.
        corners: Corners (4, 2) of the floor if it is a rectangle, otherwise None.
    """

    outline: Vector
    wall_mm: float
    thick_mm: float
    slope_deg: float
    corners: Vector | None


@dataclass(frozen=True)
class World:
    """A scene: everything that one image shows, and the camera that takes the image."""

    seed: int
    kind: str
    tray: TrayFloor | None
    ground: int  # number of the surface material of the floor at z = 0, in the tray or everywhere
    table: int  # number of the surface material of the table at z = -drop_mm
    drop_mm: float
    styles: tuple[DieStyle, ...]
    dice: tuple[RestingDie, ...]
    covers: tuple[Cover, ...]
    solids: tuple[Solid, ...]
    hand: HandShape | None
    light: Light
    camera: Pinhole


def face_axes(normal: Vector) -> tuple[Vector, Vector]:
    """Return the axes of a die's face, in the directions of its columns and rows, given the face's normal."""
    side = np.roll(np.abs(normal), 1)
    return side, np.cross(normal, side)
