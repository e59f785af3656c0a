"""Dice at rest, as the library of throws keeps them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.scenes.world import TrayFloor, Turn, Vector


@dataclass(frozen=True)
class Obstacle:
    """What lay in the way of dice, in millimetres: coin, rod, bead, bit, slab."""

    kind: str
    at: Vector
    turn: Turn
    half: Vector


@dataclass(frozen=True)
class Rest:
    """One throw that has come to rest; which face of a die is which is not said."""

    tray: TrayFloor
    edges_mm: Vector  # (n,)
    at: Vector  # (n, 3)
    quaternions: Vector  # (n, 4) w x y z
    stacked: NDArray[np.bool_]
    touching: NDArray[np.bool_]
    obstacles: tuple[Obstacle, ...]
    open_floor: bool

    def turns(self) -> Vector:
        """(n, 3, 3) as matrices."""
        w, x, y, z = self.quaternions.T
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        return np.array(rows).transpose(2, 0, 1)

    def tilts_deg(self) -> Vector:
        """(n,) how far the face nearest to up leans."""
        ups = np.abs(self.turns()[:, 2, :]).max(axis=1)
        return np.asarray(np.degrees(np.arccos(ups.clip(0, 1))))
