"""A picture of the camera as people see it: cut to the tray, small, as JPEG."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from device.cameras.base import Image
from vision.reading import Quad

WIDTH_PX = 800
"""Twice the points of a phone held upright."""

MARGIN = 0.09
"""Of the height of what is shown: walls lean outwards, and the labels of dice need room."""

JPEG_QUALITY = 75
"""At that width 30 to 50 kB: the first view of the page stays below 100 kB in all."""


@dataclass(frozen=True, slots=True)
class TrayCut:
    """The part of a picture that is shown, in its pixels."""

    left: int
    top: int
    width: int
    height: int

    def of(self, image: Image) -> Image:
        return image[self.top : self.top + self.height, self.left : self.left + self.width]


def tray_cut(width: int, height: int, zones: Sequence[Quad]) -> TrayCut:
    """The upright box around the zones, with a margin for walls and labels."""
    if not zones:
        return TrayCut(0, 0, width, height)
    xs, ys = zip(*(corner for zone in zones for corner in zone.corners), strict=True)
    margin = MARGIN * (max(ys) - min(ys))
    left, top = (max(0, int(min(side) - margin)) for side in (xs, ys))
    right, bottom = min(width, int(max(xs) + margin)), min(height, int(max(ys) + margin))
    return TrayCut(left, top, right - left, bottom - top)


def encode_jpeg(image: Image, width_px: int = WIDTH_PX, quality: int = JPEG_QUALITY) -> bytes:
    """The picture as JPEG, at most so wide."""
    height, width = image.shape[:2]
    if width > width_px:
        size = (width_px, round(height * width_px / width))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()
