"""A picture made ready: cut to what matters, at a bounded scale, as a pyramid of log light.

Everything behind this works in *frame pixels*: those of the finest level. Light is kept as its
logarithm, so that a pip is as deep in the shade as under the lamp: contrast is a ratio of light.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.picture import Image, extent
from vision.reading import Quad

Floats = NDArray[np.floating[Any]]

LEVELS = 5  # each halves the picture: pips of 4 to 9 px on one of them, so dice of 20 to 700 px
MOST_ZOOM = 2.0  # small dice get more pixels to work on, not more detail
SMALLEST_LEVEL_PX = 16  # the shorter side: below it there is no die to be seen whole
# Below this light a sensor shows noise only; it keeps black from being infinitely deep.
DARK_OFFSET = 48
# Log units: 255 levels for the whole range from black to white, about 138 for a factor e.
LOG_GAIN = 255 / log((255 + DARK_OFFSET) / DARK_OFFSET)
_LOG_TABLE = np.rint(LOG_GAIN * np.log((np.arange(256) + DARK_OFFSET) / DARK_OFFSET)).astype(
    np.uint8
)


@dataclass(frozen=True, slots=True)
class Level:
    """One step of the pyramid: `grey` (h, w) and `colour` (h, w, 3) in log units."""

    grey: Image
    least: Image
    colour: Image
    step: float  # frame pixels in one pixel of this level


@dataclass(frozen=True, slots=True)
class Frame:
    """The pyramid, and where it lies in the picture it was made from."""

    levels: tuple[Level, ...]
    left_px: int
    top_px: int
    scale: float  # frame pixels in one picture pixel

    @property
    def width(self) -> int:
        return int(self.levels[0].grey.shape[1])

    @property
    def height(self) -> int:
        return int(self.levels[0].grey.shape[0])

    def to_picture(self, points: Floats) -> Floats:
        """Frame pixels (n, 2) to picture pixels."""
        return (points + 0.5) / self.scale - 0.5 + (self.left_px, self.top_px)


def make_frame(image: Image, *quads: Quad | None, work_px: float) -> Frame:
    """Cut `image` (h, w, 3) to the quads and scale it to at most `work_px` pixels in all."""
    left, top, right, bottom = extent(image, [quad for quad in quads if quad is not None])
    cut = image[top:bottom, left:right]
    scale = min(MOST_ZOOM, sqrt(work_px / (cut.shape[0] * cut.shape[1])))
    return Frame(_pyramid(_scaled(cut, scale)), left, top, scale)


def _scaled(image: Image, scale: float) -> Image:
    """Halved as often as can be, which is exact and fast, then interpolated."""
    size = tuple(max(1, round(side * scale)) for side in image.shape[1::-1])
    while image.shape[1] >= 2 * size[0] and image.shape[0] >= 2 * size[1]:
        image = _half(image)
    return cv2.resize(image, size, interpolation=cv2.INTER_LINEAR)  # type: ignore[return-value]


def _half(image: Image) -> Image:
    size = max(1, image.shape[1] // 2), max(1, image.shape[0] // 2)
    even = image[: 2 * size[1], : 2 * size[0]]  # an odd row would make every pixel a mixture
    return cv2.resize(even, size, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def _pyramid(image: Image) -> tuple[Level, ...]:
    colour: Image = cv2.LUT(image, _LOG_TABLE)  # type: ignore[assignment]
    levels = [_level(colour, 1.0)]
    while len(levels) < LEVELS and min(colour.shape[:2]) >= 2 * SMALLEST_LEVEL_PX:
        colour = _half(colour)
        levels.append(_level(colour, 2.0 ** len(levels)))
    return tuple(levels)


def _level(colour: Image, step: float) -> Level:
    blue, green, red = cv2.split(colour)
    least = cv2.min(cv2.min(blue, green), red)
    grey = cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY)
    return Level(grey, least, colour, step)  # type: ignore[arg-type]
