"""What is read where reading is timed: six dice in the simulated tray, at any size."""

from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np

from device.cameras.base import Image
from device.cameras.simulated.tray import SimulatedTray
from vision import Quad, read
from vision.candidates import ENOUGH_LEANS
from vision.known_tray import KnownTray


@dataclass(frozen=True, slots=True, eq=False)
class StagedThrow:
    """A picture of dice that lie still, the same tray empty, and its corners in both."""

    image: Image
    empty: Image
    tray: Quad

    @classmethod
    def of(cls, n_dice: int = 6, seed: int = 1) -> Self:
        """As the simulated camera takes them."""
        tray = SimulatedTray(seed=seed, n_dice=n_dice, roll_s=0)
        empty = tray.capture().image
        tray.throw_all()
        return cls(tray.capture().image, empty, tray.tray)

    def sized(self, width_px: int) -> Self:
        """The same, so many pixels wide."""
        by = width_px / self.image.shape[1]
        size = (width_px, round(self.image.shape[0] * by))
        a, b, c, d = ((x * by, y * by) for x, y in self.tray.corners)
        return type(self)(
            _resized(self.image, size), _resized(self.empty, size), Quad((a, b, c, d))
        )

    def known(self) -> KnownTray:
        """The table as a companion knows it after as many throws as tell the lens."""
        table = KnownTray(self.empty)
        for _ in range(ENOUGH_LEANS):
            table = table.with_reading(self.image, read(self.image, self.tray, known=table))
            if len(table.leans) >= ENOUGH_LEANS:
                break
        return table


def _resized(image: Image, size: tuple[int, int]) -> Image:
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
