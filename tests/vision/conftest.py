"""Dice drawn by the tests themselves, and where the pictures of real ones are."""

import os
from dataclasses import dataclass, field
from math import cos, radians, sin
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.frame import Image

Colour = tuple[int, int, int]

IVORY: Colour = (225, 235, 240)
BLACK: Colour = (25, 25, 25)
FELT: Colour = (60, 110, 40)

_CORNERS = ((-1, -1), (1, 1)), ((-1, 1), (1, -1))
_MIDDLES = ((-1, 0), (1, 0))
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: _CORNERS[0],
    3: (*_CORNERS[0], (0, 0)),
    4: (*_CORNERS[0], *_CORNERS[1]),
    5: (*_CORNERS[0], *_CORNERS[1], (0, 0)),
    6: (*_CORNERS[0], *_CORNERS[1], *_MIDDLES),
}
DRAWN_AT = 4  # times larger, then shrunk: edges as soft as a camera's


@dataclass
class Table:
    """A plain ground on which dice are drawn, in pixels of the finished picture."""

    width: int = 480
    height: int = 360
    ground: Colour = FELT
    _canvas: Image = field(init=False)

    def __post_init__(self) -> None:
        shape = (self.height * DRAWN_AT, self.width * DRAWN_AT, 3)
        self._canvas = np.full(shape, self.ground, np.uint8)

    def die(
        self,
        value: int,
        x: float,
        y: float,
        size: float = 60,
        *,
        angle: float = 0,
        body: Colour = IVORY,
        pips: Colour = BLACK,
    ) -> "Table":
        """Draw a die with its middle at (x, y), turned by `angle` degrees."""
        self.square(x, y, size, angle=angle, colour=body)
        for a, b in PIPS[value]:
            self.disc(*_turned(x, y, 0.25 * size * a, 0.25 * size * b, angle), 0.09 * size, pips)
        return self

    def square(
        self, x: float, y: float, size: float, *, angle: float = 0, colour: Colour = IVORY
    ) -> "Table":
        """A square body with round corners, darker at its rim as a real one is."""
        rim = tuple(int(0.6 * c) for c in colour)
        for part, paint in ((1.0, rim), (0.955, colour)):
            half, round_ = part * size / 2, 0.08 * size
            inner = half - round_
            corners = [
                _turned(x, y, inner * a, inner * b, angle)
                for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            shape = (np.array(corners) * DRAWN_AT).round().astype(np.int32)
            cv2.fillPoly(self._canvas, [shape], paint)
            cv2.polylines(self._canvas, [shape], True, paint, round(2 * round_ * DRAWN_AT))
        return self

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> "Table":
        middle = round(x * DRAWN_AT), round(y * DRAWN_AT)
        cv2.circle(self._canvas, middle, round(radius * DRAWN_AT), colour, -1)
        return self

    def picture(self, noise: float = 2.0) -> Image:
        """The finished picture (height, width, 3), with the noise of a sensor."""
        size = (self.width, self.height)
        shrunk = cv2.resize(self._canvas, size, interpolation=cv2.INTER_AREA)
        grain = np.random.default_rng(7).normal(0, noise, shrunk.shape)
        return np.clip(shrunk + grain, 0, 255).astype(np.uint8)


def _turned(x: float, y: float, a: float, b: float, angle: float) -> tuple[float, float]:
    c, s = cos(radians(angle)), sin(radians(angle))
    return x + a * c - b * s, y + a * s + b * c


@pytest.fixture
def table() -> type[Table]:
    return Table


@pytest.fixture(scope="session")
def pictures() -> Path:
    """The folder of real and rendered pictures with labels."""
    folder = Path(os.environ.get("TRAYKEEPER_PICTURES", ""))
    if not (folder / "photos" / "labels.jsonl").is_file():
        pytest.skip("no pictures: set TRAYKEEPER_PICTURES to the folder of photos/ and renders/")
    return folder
