"""Pictures in other colours than a camera gives: what is learnt shall not hang on hues."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Tint:
    """One way to change colours, the same for a picture and its empty tray."""

    order: tuple[int, int, int] | None = None  # channels anew
    grey: bool = False
    hue: float = 0.0  # of 180
    saturation: float = 1.0

    def of(self, picture: Picture) -> Picture:
        """(h, w, 3) in other colours."""
        if self.grey:
            one = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
            return np.repeat(one[..., None], 3, axis=2).astype(np.uint8)
        if self.order is not None:
            return np.ascontiguousarray(picture[..., self.order])
        if self.hue or self.saturation != 1:
            hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV).astype(np.float32)
            hsv[..., 0] = (hsv[..., 0] + self.hue) % 180
            hsv[..., 1] = np.clip(hsv[..., 1] * self.saturation, 0, 255)
            return np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)
        return picture


def tint(rng: Generator) -> Tint:
    """None most times."""
    chance = rng.random()
    if chance < 0.07:
        return Tint(grey=True)
    if chance < 0.17:
        first, second, third = (int(k) for k in rng.permutation(3))
        return Tint(order=(first, second, third))
    if chance < 0.4:
        return Tint(hue=float(rng.uniform(-25, 25)), saturation=float(rng.uniform(0.3, 1.4)))
    return Tint()
