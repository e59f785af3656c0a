"""Where a die is and how it is turned.

The faces of a die of edge 1: 1 looks along +x, 2 along +y, 3 along +z, opposite faces sum to 7;
so 1, 2, 3 run counter-clockwise around their corner, as on nearly all Western dice.
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
    """The middle of a die in tray millimetres and its rotation (3, 3)."""

    centre_mm: Floats
    turn: Floats

    @property
    def top_face(self) -> int:
        return max(NORMALS, key=lambda value: float(self.turn[2] @ NORMALS[value]))

    @property
    def tilt(self) -> float:
        """How far from flat, in radians."""
        flat = float(self.turn[2] @ NORMALS[self.top_face])
        return float(np.arccos(min(1.0, flat)))


def rotation(axis: Floats, angle: float) -> Floats:
    """The rotation by `angle` radians about a unit axis (Rodrigues)."""
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


def flat_turn(value: int, yaw: float) -> Floats:
    """The rotation of a die that shows `value`, turned by `yaw` radians on the floor."""
    normal = NORMALS[value]
    if abs(normal[2]) > 0:
        lying = rotation(np.array([1.0, 0.0, 0.0]), 0 if normal[2] > 0 else np.pi)
    else:
        lying = rotation(np.cross(normal, UP), np.pi / 2)
    return rotation(UP, yaw) @ lying


def yaw_of(turn: Floats) -> float:
    """The direction of a flat die's edges, 0 to a quarter turn, in radians."""
    edge = turn[:, int(np.argmax(np.abs(turn[0])))]
    return float(np.arctan2(edge[1], edge[0]) % (np.pi / 2))


def reach(turn: Floats, edge_mm: float) -> Floats:
    """How far a turned cube reaches from its middle along x, y and z, in millimetres."""
    return np.asarray(np.abs(turn).sum(axis=1) * edge_mm / 2)
