"""A builder that collects the solids and covers (surface materials) of a scene."""

from dataclasses import dataclass, field

import numpy as np

from training.scenes.world import Cover, Form, Part, Rotation, Solid, Vector


def rotation_about_z(angle: float) -> Rotation:
    """Return the rotation (3, 3) by an angle in radians, anticlockwise as seen from above."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


LYING = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
"""Rotation that lays a solid on its side, so that its own z axis points along x."""
MIN_TILE_PX = 32
"""Smallest width of a texture tile in pixels. In a smaller tile, patterns would vanish."""


@dataclass
class SceneBuilder:
    """The solids and covers (surface materials) of a scene so far, and the position and rotation of the next solid."""

    side: int  # width of the texture tiles of floors and walls, in pixels
    covers: list[Cover] = field(default_factory=list)
    solids: list[Solid] = field(default_factory=list)
    at: Vector = field(default_factory=lambda: np.zeros(3))
    turn: Rotation = field(default_factory=lambda: np.eye(3))
    part: Part = Part.FOREIGN_OBJECT
    fixed: bool = False

    @property
    def small(self) -> int:
        """Width of the texture tiles of small objects in pixels."""
        return max(MIN_TILE_PX, self.side // 4)

    def cover(self, cover: Cover) -> int:
        """Add a cover (surface material), and return its number."""
        self.covers.append(cover)
        return len(self.covers) - 1

    def move(self, at: Vector, yaw: float = 0.0) -> None:
        """Set the position and rotation of the axes in which the next solids are placed.

        Args:
            at: Position (3,) in millimetres.
            yaw: Rotation about the vertical axis in radians.
        """
        self.at, self.turn = np.asarray(at, float), rotation_about_z(yaw)

    def add(  # noqa: PLR0917 - all properties of a solid
        self, form: Form, half: tuple[float, float, float], place: tuple[float, float, float], cover: int,
        turn: Rotation | None = None, round_mm: float = 0.0, planes: Vector | None = None,
    ) -> None:  # fmt: skip
        """Add a solid to the scene.

        Args:
            form: Shape of the solid.
            half: Half sizes along its own axes in millimetres.
            place: Position in the axes of the builder, in millimetres.
            cover: Number of its surface material.
            turn: Rotation (3, 3) in the axes of the builder. None is no rotation.
            round_mm: Radius of its rounded edges in millimetres.
            planes: Planes (k, 4) of a hull, each with its outward normal and distance. None for other shapes.
        """
        own = self.turn if turn is None else self.turn @ turn
        self.solids.append(
            Solid(form, self.at + self.turn @ np.array(place), own, np.array(half), cover, self.part,
                  round_mm, planes, self.fixed)
        )  # fmt: skip

    def box(self, half: tuple[float, float, float], place: tuple[float, float, float], cover: int,
            round_mm: float = 0.0, turn: Rotation | None = None) -> None:  # fmt: skip
        """Add a box to the scene.

        Args:
            half: Half sizes along its own axes in millimetres.
            place: Position in the axes of the builder, in millimetres.
            cover: Number of its surface material.
            round_mm: Radius of its rounded edges in millimetres.
            turn: Rotation (3, 3) in the axes of the builder. None is no rotation.
        """
        self.add(Form.BOX, half, place, cover, turn, min(round_mm, *half))

    def disc(  # noqa: PLR0917 - all properties of a disc
        self, radius: float, half_height: float, place: tuple[float, float, float], cover: int,
        round_mm: float = 0.0, turn: Rotation | None = None,
    ) -> None:  # fmt: skip
        """Add a cylinder around the z axis to the scene.

        Args:
            radius: Radius in millimetres.
            half_height: Half of its height in millimetres.
            place: Position in the axes of the builder, in millimetres.
            cover: Number of its surface material.
            round_mm: Radius of its rounded edges in millimetres.
            turn: Rotation (3, 3) in the axes of the builder. None is no rotation.
        """
        self.add(Form.CYLINDER, (radius, radius, half_height), place, cover, turn,
                 min(round_mm, radius, half_height))  # fmt: skip

    def rod(self, start: Vector, end: Vector, radius: float, cover: int) -> None:
        """Add a rod with rounded ends between two points to the scene.

        Args:
            start: One end (3,) in the axes of the builder, in millimetres.
            end: The other end (3,).
            radius: Radius in millimetres.
            cover: Number of its surface material.
        """
        way = np.asarray(end, float) - start
        length = float(np.linalg.norm(way))
        z = way / max(length, 1e-9)
        x = np.cross(z, [0.31, 0.2, 0.93])
        x /= np.linalg.norm(x)
        middle = (np.asarray(start) + end) / 2
        self.add(Form.CAPSULE, (radius, radius, length / 2), tuple(middle), cover,
                 np.column_stack([x, np.cross(z, x), z]))  # fmt: skip
