"""A painted tray on which tests place dice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import radians

import cv2
import numpy as np
from numpy.typing import NDArray

from device.cameras.simulated.background import backdrop
from device.cameras.simulated.die_pose import DiePose, flat_rotation, rotation
from device.cameras.simulated.die_sprite import FINE
from device.cameras.simulated.painter import ExposedDie, Painter
from device.cameras.simulated.tray_geometry import ASIDE, FLOOR, LENS, TrayLook
from vision import Quad, Reading, read
from vision.images import Image


@dataclass(frozen=True)
class Put:
    """A die, with its centre in millimetres from the centre of the floor."""

    value: int
    x_mm: float
    y_mm: float
    turn_deg: float = 0.0
    lean_deg: float = 0.0


@dataclass(frozen=True)
class Shot:
    """A frame of a painted tray, with the positions of the tray and the set-aside area."""

    image: Image
    tray: Quad
    aside: Quad
    values: tuple[int, ...]

    def read(self) -> Reading:
        return read(self.image, self.tray)

    def scaled(self, by: float) -> "Shot":
        """Return the frame that a camera of another resolution would take."""
        way = cv2.INTER_AREA if by < 1 else cv2.INTER_CUBIC
        image = cv2.resize(self.image, None, fx=by, fy=by, interpolation=way)
        a, b, c, d = ((x * by, y * by) for x, y in self.tray.corners)
        return replace(self, image=np.asarray(image, np.uint8), tray=Quad((a, b, c, d)))


@cache
def _grain(shape: tuple[int, ...], seed: int) -> NDArray[np.float32]:
    """Return sensor noise of variance 1."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def photograph(dice: Sequence[Put], look: TrayLook, seed: int = 0) -> Shot:
    """Take a frame of the dice with the simulated camera, including sensor noise."""
    painter = Painter(look, LENS, backdrop(look), FINE)
    clean = painter.paint([ExposedDie(pose, pose) for pose in (_pose(d, look) for d in dice)])
    image = np.clip(clean + look.noise * _grain(clean.shape, seed), 0, 255).astype(np.uint8)
    values = tuple(sorted(die.value for die in dice))
    return Shot(image, FLOOR.in_frame_of(LENS), ASIDE.in_frame_of(LENS), values)


def _pose(die: Put, look: TrayLook) -> DiePose:
    flat = flat_rotation(die.value, radians(die.turn_deg))
    turn = rotation(np.array([1.0, 0.0, 0.0]), radians(die.lean_deg)) @ flat
    high_mm = float(np.abs(turn).sum(axis=1)[2]) * look.die_mm / 2
    return DiePose(np.array([die.x_mm, die.y_mm, high_mm]), turn)
