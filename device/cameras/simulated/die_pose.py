"""Position and rotation of a die.

On an unrotated die, face 1 points along +x, 2 along +y and 3 along +z; opposite faces add up to 7. So
1, 2 and 3 run counter-clockwise around their corner, as on nearly all Western dice.
"""

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from device.cameras.simulated.lens import Floats

NORMALS: dict[int, Floats] = {
    1: np.array([1.0, 0.0, 0.0]),
    2: np.array([0.0, 1.0, 0.0]),
    3: np.array([0.0, 0.0, 1.0]),
    4: np.array([0.0, 0.0, -1.0]),
    5: np.array([0.0, -1.0, 0.0]),
    6: np.array([-1.0, 0.0, 0.0]),
}
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class DiePose:
    """Position and rotation of a die.

    Attributes:
        centre_mm: The centre of the die in tray coordinates, (3,).
        turn: Rotation matrix of the die, (3, 3).
    """

    centre_mm: Floats
    turn: Floats

    @property
    def top_face(self) -> int:
        """The face that points most nearly upwards, 1 to 6."""
        return max(NORMALS, key=lambda value: float(self.turn[2] @ NORMALS[value]))

    @property
    def tilt(self) -> float:
        """The angle between the top face and the horizontal, in radians."""
        flat = float(self.turn[2] @ NORMALS[self.top_face])
        return float(np.arccos(min(1.0, flat)))


def rotation(axis: Floats, angle: float) -> Floats:
    """Return a rotation matrix, (3, 3), computed with Rodrigues' formula.

    Args:
        axis: Unit vector of the axis, (3,).
        angle: Angle in radians, by the right-hand rule.
    """
    x, y, z = (float(v) for v in axis)
    s, c = sin(angle), cos(angle)
    d = 1 - c
    return np.array(
        [
            [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
            [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
            [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
        ]
    )


def flat_rotation(value: int, yaw: float) -> Floats:
    """Return the rotation matrix, (3, 3), of a die that lies flat.

    Args:
        value: The face on top, 1 to 6.
        yaw: Rotation about the vertical axis in radians.
    """
    normal = NORMALS[value]
    if abs(normal[2]) > 0:
        lying = rotation(np.array([1.0, 0.0, 0.0]), 0 if normal[2] > 0 else np.pi)
    else:
        lying = rotation(np.cross(normal, UP), np.pi / 2)
    return rotation(UP, yaw) @ lying


def yaw_of(turn: Floats) -> float:
    """Return the angle between the x axis and the edges of a flat die in radians, from 0 to a quarter turn."""
    edge = turn[:, int(np.argmax(np.abs(turn[0])))]
    return float(np.arctan2(edge[1], edge[0]) % (np.pi / 2))


def extent_mm(turn: Floats, edge_mm: float) -> Floats:
    """Return how far a rotated cube extends from its centre along x, y and z, in millimetres.

    Args:
        turn: Rotation matrix of the cube, (3, 3).
        edge_mm: Edge of the cube in millimetres.
    """
    return np.asarray(np.abs(turn).sum(axis=1) * edge_mm / 2)
