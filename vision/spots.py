"""Find the round spots that may be pips: dark on light or light on dark, of any size."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Floats, Frame, Level
from vision.outlines import Outline, disc_shapes, outlines_of
from vision.picture import Image

# In pixels of the level: a pip fills this window nowhere, the next pip lies partly outside it.
WINDOW_PX = 13
SMALLEST_PX, LARGEST_PX = 3.2, 10.5  # diameters looked for at one level; twice as large at the next
# Log units (see frame): a third more light. Pips have 50 and more, nine tenths of textures less.
SHALLOWEST = 40
NEAR_PX = 7  # the deepest point of a pip is within half of that
HEIGHTS = (0.5, 0.78)  # of the depth: half is the edge; higher up, pips that blur together part
NOISES, NOISIEST = 3, 60  # a spot is deeper than so many times the texture, but pips are deeper
SAME_PLACE, SAME_SIZE = 0.6, 2.0  # of the larger radius; ratio of both
DEEP_ENOUGH = 80  # deeper is no better a pip
LIGHT_PLANES = 2  # the first of the inverted planes
# A pip's ring must be the body nearly all around; in a six two neighbours may stand in it.
RING_RAYS = 16
RING_GOOD = 10
RING_EVEN = 0.33  # of the depth: ring and body differ less
MOST_SPOTS = 240  # of one picture: six dice show 36 pips and at most as many at their sides


@dataclass(frozen=True, slots=True)
class Spots:
    """Candidates for pips, one a row; lengths in frame pixels, light in log units.

    `xy` (n, 2) centres, `r` (n,) radii of the circle of the same area, `aspect` (n,) short axis
    by long axis, `depth` (n,) contrast with the ring, `light` (n,) lighter than the ring,
    `body` (n, 3) colour of the ring, `roundness` (n,) share of the ring that is body.
    """

    xy: Floats
    r: Floats
    aspect: Floats
    depth: Floats
    light: NDArray[np.bool_]
    body: Floats
    roundness: Floats

    def __len__(self) -> int:
        return len(self.r)

    def pick(self, index: NDArray[np.generic]) -> "Spots":
        return Spots(
            self.xy[index],
            self.r[index],
            self.aspect[index],
            self.depth[index],
            self.light[index],
            self.body[index],
            self.roundness[index],
        )


_NONE = Spots(
    np.empty((0, 2)),
    np.empty(0),
    np.empty(0),
    np.empty(0),
    np.empty(0, np.bool_),
    np.empty((0, 3)),
    np.empty(0),
)


def find_spots(frame: Frame) -> Spots:
    """All pip-like spots of the frame, the deepest, roundest and largest first."""
    spots = _join([_spots_of(level) for level in frame.levels])
    # Of doubles the larger is kept (it was measured at half height), of textures the coarser.
    worth = spots.roundness * np.minimum(spots.depth, DEEP_ENOUGH) * np.sqrt(spots.r)
    order = np.argsort(-worth, kind="stable")
    return _without_doubles(spots.pick(order[: 2 * MOST_SPOTS]))


def _spots_of(level: Level) -> Spots:
    """Dark spots of four planes: the light and its least colour, as they are and inverted."""
    planes = [level.grey, level.least]
    planes += [np.asarray(cv2.bitwise_not(plane), np.uint8) for plane in planes]
    outlines: list[Outline] = []
    owner: list[int] = []
    for number, plane in enumerate(planes):
        for mask in _masks(plane):
            found = outlines_of(mask, SMALLEST_PX, LARGEST_PX)
            outlines += found
            owner += [number] * len(found)
    if not outlines:
        return _NONE
    shapes, good = disc_shapes(outlines)
    across = 2 * shapes[:, 2]
    good &= (across >= SMALLEST_PX) & (across <= LARGEST_PX)
    return _verified(level, np.stack(planes), np.array(owner)[good], shapes[good])


def _masks(plane: Image) -> Iterator[Image]:
    """Where the light is nearer to the bottom of its hollow than to the brim, at two heights."""
    window = np.ones((WINDOW_PX, WINDOW_PX), np.uint8)
    depth = cv2.subtract(cv2.morphologyEx(plane, cv2.MORPH_CLOSE, window), plane)
    peak = cv2.dilate(depth, np.ones((NEAR_PX, NEAR_PX), np.uint8))
    noise = float(np.median(depth[::8, ::8]))
    least = max(SHALLOWEST, min(NOISES * noise, NOISIEST))
    deep = cv2.threshold(depth, least, 255, cv2.THRESH_BINARY)[1]
    for part in HEIGHTS:
        above = cv2.compare(depth, cv2.convertScaleAbs(peak, alpha=part), cv2.CMP_GT)
        yield np.asarray(cv2.bitwise_and(above, deep), np.uint8)


def _verified(level: Level, planes: Image, owner: NDArray[np.intp], shapes: Floats) -> Spots:
    """Keep the blobs that have body nearly all around; `owner` (n,) is the plane of each."""
    x, y, r, aspect = shapes.T
    at_x, at_y = _around(x, y, (1.35 * r + 1.0) / np.sqrt(np.maximum(aspect, 0.5)), RING_RAYS)
    light = _look(planes, at_x, at_y, owner[:, None])
    brim = np.median(light, axis=1)
    depth = brim - np.median(_look(planes, *_within(x, y, r), owner[:, None]), axis=1)
    close = np.abs(light - brim[:, None]) < np.maximum(RING_EVEN * depth, 10)[:, None]
    high, wide = level.grey.shape
    inside = (at_x >= 0) & (at_y >= 0) & (at_x < wide) & (at_y < high)
    good = ((close & inside).sum(1) >= RING_GOOD) & (depth > SHALLOWEST)
    spots = Spots(
        xy=np.column_stack((x, y)) * level.step + (level.step - 1) / 2,
        r=r * level.step,
        aspect=aspect,
        depth=depth,
        light=owner >= LIGHT_PLANES,
        body=np.median(_look(level.colour, at_x, at_y), axis=1),
        roundness=close.mean(1),
    )
    return spots.pick(good)


def _around(x: Floats, y: Floats, reach: Floats, rays: int) -> tuple[Floats, Floats]:
    """`rays` places around each point, (n, rays) each."""
    turn = np.arange(rays) * (2 * np.pi / rays)
    return (
        x[:, None] + reach[:, None] * np.cos(turn),
        y[:, None] + reach[:, None] * np.sin(turn),
    )


def _within(x: Floats, y: Floats, r: Floats) -> tuple[Floats, Floats]:
    """Nine places inside each disc, (n, 9) each: a shine covers some of them only."""
    at_x, at_y = _around(x, y, 0.5 * r, 8)
    return np.column_stack((at_x, x)), np.column_stack((at_y, y))


def look_inside(frame: Frame, spots: Spots) -> tuple[Floats, Floats]:
    """The colour (n, 3) inside each spot and how much it varies there (n,), in log units."""
    x, y = spots.xy.T
    colour = _look(frame.levels[0].colour, *_within(x, y, spots.r))
    middle = np.median(colour, axis=1)
    return middle, np.median(np.abs(colour - middle[:, None]).max(2), axis=1)


def _look(image: Image, x: Floats, y: Floats, plane: NDArray[np.intp] | None = None) -> Floats:
    """Values of the nearest pixels; with `plane` of a stack (planes, h, w)."""
    high, wide = image.shape[:2] if plane is None else image.shape[1:]
    cols = np.clip(np.rint(x).astype(int), 0, wide - 1)
    rows = np.clip(np.rint(y).astype(int), 0, high - 1)
    values: Floats = (image[rows, cols] if plane is None else image[plane, rows, cols]).astype(
        float
    )
    return values


def _join(parts: list[Spots]) -> Spots:
    return Spots(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in Spots.__dataclass_fields__)
    )


def _without_doubles(spots: Spots) -> Spots:
    """One spot for each place: the same pip shows at two levels of the pyramid."""
    gap = np.hypot(*(spots.xy[:, None] - spots.xy).transpose(2, 0, 1))
    same = gap < SAME_PLACE * np.maximum(spots.r[:, None], spots.r)
    same &= spots.light[:, None] == spots.light
    same &= np.abs(np.log(spots.r[:, None] / spots.r)) < np.log(SAME_SIZE)
    first = ~np.triu(same, 1).any(axis=0)
    return spots.pick(np.flatnonzero(first)[:MOST_SPOTS])
