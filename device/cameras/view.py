"""One stream of the simulated camera: painted pictures with the sensor's noise on them."""

from collections.abc import Iterable
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from device.camera import Image
from device.cameras.frames import sealed
from device.cameras.hand import Hand
from device.cameras.painter import ExposedDie, Painter
from device.cameras.tumble import DieMotion

EXPOSURE_S = 0.008  # a Pi camera's in a lit room
SPARE_PX = 128  # each frame takes its noise from another place of a larger sheet


class RestView:
    """Paints a table at rest once: then only the noise changes from shot to shot."""

    def __init__(self, painter: Painter, noise: float) -> None:
        self._painter = painter
        self._noise = noise
        self._rng = np.random.default_rng(0)
        self._resting: tuple[tuple[DieMotion, ...], Hand | None] | None = None
        self._picture: Image | None = None

    def shot(self, dice: tuple[DieMotion, ...], hand: Hand | None, now_s: float) -> Image:
        """What the sensor delivers at a time; read-only."""
        at_rest = all(motion.end_s <= now_s for motion in dice)
        if self._picture is None or not at_rest or self._resting != (dice, hand):
            self._picture = self._painter.paint(_seen(dice, now_s), hand)
            self._resting = (dice, hand) if at_rest else None
        return sealed(self._noisy(self._picture))

    def _noisy(self, picture: Image) -> Image:
        height, width = picture.shape[:2]
        grain = _grain(width + SPARE_PX, height + SPARE_PX, self._noise)
        x, y = (int(v) for v in self._rng.integers(0, SPARE_PX, 2))
        part = grain[y : y + height, x : x + width]
        return np.asarray(cv2.add(picture, part, dtype=cv2.CV_8U), np.uint8)


def _seen(dice: Iterable[DieMotion], now_s: float) -> list[ExposedDie]:
    """The dice in the picture, while the shutter is open."""
    ends = [(motion.at(now_s), motion.at(now_s + EXPOSURE_S)) for motion in dice]
    return [ExposedDie(a, b) for a, b in ends if a is not None and b is not None]


@lru_cache(maxsize=4)
def _grain(width_px: int, height_px: int, level: float) -> npt.NDArray[np.int8]:
    rng = np.random.default_rng(1)
    grain: npt.NDArray[np.int8] = np.empty((height_px, width_px, 3), np.int8)
    for row in grain:
        row[:] = rng.standard_normal(row.shape, dtype=np.float32) * level
    return grain
