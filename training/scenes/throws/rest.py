"""A simulated throw after the dice have come to rest, as the library of throws stores it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.scenes.world import Rotation, TrayFloor, Vector


@dataclass(frozen=True)
class Obstacle:
    """An object in the way of thrown dice, in millimetres: a coin, a rod, a bead, a fragment or a slab."""

    kind: str
    at: Vector
    turn: Rotation
    half: Vector


@dataclass(frozen=True)
class Rest:
    """A throw of one or more dice that have come to rest. The values of the faces are not decided yet."""

    tray: TrayFloor
    edges_mm: Vector  # (n,)
    at: Vector  # (n, 3)
    quaternions: Vector  # (n, 4) w x y z
    stacked: NDArray[np.bool_]
    touching: NDArray[np.bool_]
    obstacles: tuple[Obstacle, ...]
    open_floor: bool

    def turns(self) -> Vector:
        """Return the rotations (n, 3, 3) of the dice."""
        w, x, y, z = self.quaternions.T
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        return np.array(rows).transpose(2, 0, 1)

    def tilts_deg(self) -> Vector:
        """Return the tilt (n,) of each die: the angle in degrees between its top face and horizontal."""
        ups = np.abs(self.turns()[:, 2, :]).max(axis=1)
        return np.asarray(np.degrees(np.arccos(ups.clip(0, 1))))
