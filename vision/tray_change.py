"""What is known of a table, and what stands in it that was not there when it was empty: no shadow.

A small network sees both pictures. What is left of what it sees when the dice that were read are taken
away must be explained by somebody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images import Image, bounding_box
from vision.known_tray import match_brightness
from vision.networks import run_named
from vision.reading import Quad

LOOK_PX = 384
"""The longer side of what the network sees: a die of 16 mm is some 24 px."""
STRIDE, GRID = 4, 16
"""Input pixels in one cell of what it says; and it halves its input four times."""
REACH = 0.35
"""Of a die's edge: around the middle of its top nothing else is seen."""
LEAST_NEW = 0.1
"""Of its middle: what shows less that is new was there before, whatever it looks like."""
BLACK, DARK_GROUND = 45, 140
"""Of 255: the shadow of a single lamp, on ground that throws little light about."""
SMOOTH_PX, STEADY = 3, 10.0
"""What noise and a lamp that flickers change, of 255, in a picture so smoothed."""
MOST = 0.5
"""Where more of a tray has changed, it is another tray, or the camera was moved."""
SHADOW, NO_SHADOW = 0.5, 0.02
"""Shares of a shadow that are black at least, and light at most."""
SEAM = 1.25
"""Cells about a die that are its own edge and its darkest shadow."""

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class ChangedRegion:
    """Something in the tray that nothing explains, in picture pixels.

    `edge` is the side of a square as large; `long` how many times longer than wide it is; `turn` that
    of its longer side in radians; `black` the share of it that could be the shadow of a hard lamp,
    `light` the share that could not; `enters` is true where it reaches in from outside.
    """

    x: float
    y: float
    edge: float
    long: float
    turn: float
    black: float
    light: float
    enters: bool

    @property
    def wide(self) -> float:
        """Of its shorter side."""
        return self.edge / float(np.sqrt(self.long))

    @property
    def is_shadow(self) -> bool:
        """Black for the most part, and nowhere lighter than the ground was: dice have pips."""
        return self.black > SHADOW and self.light < NO_SHADOW


@dataclass(frozen=True, slots=True, eq=False)
class TrayChange:
    """What is new, in cells of `step` picture pixels of which the first begins at left, top.

    Attributes:
        differs: (rows, columns) cells that do not look as they did, be it for a shadow.
        stands: (rows, columns) cells in which something stands.
        black: (rows, columns) the share of each cell that is black by now, where the ground was not light.
        light: (rows, columns) the share of each cell that is lighter than before: no shadow does that.
    """

    changed: Mask
    objects: Mask
    black: Floats
    light: Floats
    left: int
    top: int
    cell_px: float

    def is_new(self, x: float, y: float, edge: float) -> bool:
        """Whether the middle of a die there does not look as it did: else it is the ground's pattern."""
        reach = max(0.5, REACH * edge / self.cell_px)
        at_x, at_y = (x - self.left) / self.cell_px, (y - self.top) / self.cell_px
        rows = slice(max(0, int(at_y - reach)), max(0, int(at_y + reach) + 1))
        columns = slice(max(0, int(at_x - reach)), max(0, int(at_x + reach) + 1))
        part = self.changed[rows, columns]
        return not part.size or float(part.mean()) >= LEAST_NEW

    def regions(self, tray: Quad, explained: Sequence[NDArray[np.floating]]) -> list[ChangedRegion]:
        """What stands in the tray beside what is explained, outlines (n, 2) in picture pixels."""
        left = self.objects.copy()
        for outline in explained:
            cv2.fillPoly(left, [self._cells(outline)], 0)
            cv2.polylines(left, [self._cells(outline)], True, 0, round(2 * SEAM))
        left = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))  # type: ignore[assignment]
        floor = np.zeros_like(left)
        cv2.fillConvexPoly(floor, self._cells(np.array(tray.corners)), 1)
        count, labels = cv2.connectedComponents(left)
        found = (labels == number for number in range(1, count))
        return [self._blot(one, floor > 0) for one in found if (one & (floor > 0)).any()]

    def _blot(self, here: NDArray[np.bool_], floor: NDArray[np.bool_]) -> ChangedRegion:
        inside = np.argwhere(here & floor)[:, ::-1].astype(np.float32)
        (x, y), (wide, high), turn = cv2.minAreaRect(inside)
        sides = sorted((wide + 1, high + 1))
        return ChangedRegion(
            self.left + (x + 0.5) * self.cell_px,
            self.top + (y + 0.5) * self.cell_px,
            float(np.sqrt(len(inside))) * self.cell_px,
            sides[1] / sides[0],
            float(np.radians(turn)),
            float(self.black[here].mean()),
            float(self.light[here].mean()),
            bool((here & ~floor).any() or _touches_border(here)),
        )

    def _cells(self, outline: NDArray[np.floating]) -> NDArray[np.int32]:
        cells = (outline - (self.left, self.top)) / self.cell_px - 0.5
        return np.round(cells).astype(np.int32)


def find_changes(picture: Image, empty: Image | None, zones: Sequence[Quad]) -> TrayChange | None:
    """What stands in these zones; None where the empty tray is not known, or is not this one."""
    if empty is None or empty.shape != picture.shape:
        return None
    left, top, right, bottom = bounding_box(picture, list(zones))
    short, long = sorted((right - left, bottom - top))
    scale = min(1.0, max(LOOK_PX / long, 1 / short))  # of a strip a pixel is left
    now, before = (_small(image[top:bottom, left:right], scale) for image in (picture, empty))
    lit = match_brightness(now, before)
    stands = _stands(now, lit)
    if stands.mean() > MOST:
        return None
    differs = _shares(_differ(now, lit), stands.shape) > 0
    black = np.asarray((_brightest(now) < BLACK) & (_brightest(lit) < DARK_GROUND))
    light = np.asarray(_brightest(now - lit) > STEADY)
    return TrayChange(
        differs.astype(np.uint8),
        stands,
        _shares(black, stands.shape),
        _shares(light, stands.shape),
        left,
        top,
        STRIDE / scale,
    )


def _small(image: Image, scale: float) -> Image:
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))


def _differ(now: Image, before: Floats) -> NDArray[np.bool_]:
    """Pixels that are neither like they were nor like what was beside them: a camera may shake."""
    smooth, kernel = (SMOOTH_PX, SMOOTH_PX), np.ones((3, 3), np.uint8)
    calm, were = cv2.blur(now.astype(np.float32), smooth), cv2.blur(before, smooth)
    low, high = cv2.erode(were, kernel), cv2.dilate(were, kernel)
    return np.asarray(_brightest(np.maximum(calm - high, low - calm)) > STEADY)


def _brightest(image: NDArray[Any]) -> NDArray[Any]:
    """(h, w) the largest of three channels; numpy's own `max` of so short an axis takes 25 times as long."""
    return np.asarray(np.maximum(np.maximum(image[..., 0], image[..., 1]), image[..., 2]))


def _shares(pixels: NDArray[np.bool_], shape: tuple[int, ...]) -> Floats:
    """Of each cell, how many of its pixels are so."""
    (rows, columns), (high, wide) = shape, pixels.shape
    padded = np.pad(pixels, ((0, rows * STRIDE - high), (0, columns * STRIDE - wide)))
    cells = padded.reshape(rows, STRIDE, columns, STRIDE)
    return np.asarray(cells.mean(axis=(1, 3)), np.float32)


def _stands(now: Image, before: Floats) -> Mask:
    both = np.concatenate([now.astype(np.float32), before], axis=2) / 255
    high, wide = now.shape[:2]
    padded = np.pad(both, ((0, -high % GRID), (0, -wide % GRID), (0, 0)), mode="edge")
    answer = run_named("change", np.ascontiguousarray(padded.transpose(2, 0, 1)[None]))["stands"][0]
    answer = answer[: -(-high // STRIDE), : -(-wide // STRIDE)]
    return np.asarray(answer > 0, np.uint8)


def _touches_border(here: NDArray[np.bool_]) -> bool:
    return bool(here[0].any() or here[-1].any() or here[:, 0].any() or here[:, -1].any())
