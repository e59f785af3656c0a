"""Finds objects in the tray that the empty-tray image does not show, and tells them apart from shadows.

A small network compares both images. The reading asks about large objects other than the dice that were read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images import Image, ImagePyramid, bounding_box, padded_input
from vision.known_tray import KnownTray, Mask, match_brightness
from vision.networks import Floats, run_named
from vision.reading import Quad

INPUT_PX = 384
"""Longer side of the network's input: a die of 16 mm is then about 24 px wide."""

STRIDE, GRID = 4, 16
"""Input pixels in one cell of the output. Sides of the input are multiples of GRID."""

DIE_REACH_EDGES = 0.35
"""Within this distance of the centre of a top face, in die edges, a frame shows nothing but the die."""

MIN_CHANGED_SHARE = 0.1
"""If less of the centre of a die has changed, it was there before, whatever it looks like."""

MAX_SHADOW_LEVEL, MAX_DARK_FLOOR_LEVEL = 45, 140
"""A pixel may lie in the shadow of a single lamp if it is darker than the first, from 0 to 255, and the empty tray is
darker than the second there."""

SMOOTHING_PX, MIN_DIFFERENCE = 3, 10.0
"""Smoothing, and the difference from 0 to 255 that noise and a flickering lamp can still cause."""

WHITE_LEVEL = 250
"""If all channels are at least this bright, from 0 to 255, glare hides what lies there."""

MAX_CHANGED_SHARE = 0.5
"""If a larger share of the compared area has changed, it is another tray, something covers it, or the camera was moved."""

MIN_SHADOW_SHARE, MAX_LIT_SHARE = 0.5, 0.02
"""A region is a black shadow if at least the first share of it is black. In a shadow of any kind, a smaller share than
the second is lighter than the empty tray."""

MAX_SHADOW_TINT, MAX_SHADOW_SPREAD = 0.2, 0.1
"""How much a shadow may change the colour of the floor, and how much this change may vary within the shadow, as
log ratios."""

MIN_KEPT_TEXTURE = 0.4
"""Smallest correlation of the floor's texture inside a shadow with the texture in the empty-tray image. An object
hides the texture."""

TOUCHING_CELLS = 5
"""Width in cells of the neighbourhood of a die in which its shadow begins."""

DETAIL_PX, DARK_OFFSET = 7, 8.0
"""Width of the neighbourhood whose mean is subtracted to obtain texture, and the number that is added to pixels
before taking logarithms, so that noise in dark pixels has little effect."""

DIE_MARGIN_CELLS = 1.25
"""Cells around a die that show its edge and its darkest shadow."""


@dataclass(frozen=True, slots=True)
class RegionShade:
    """How a region differs in light and texture from the same part of the empty-tray image.

    Attributes:
        tint: Median change of colour, as a log ratio; 0 if the shadow has the colour of the floor.
        spread: Mean deviation from that change of colour within the region, as a log ratio.
        texture: Correlation of the fine detail with that of the floor, from -1 to 1.
    """

    tint: float
    spread: float
    texture: float

    @property
    def is_uniform(self) -> bool:
        """Whether the region's colour is close to the floor's and differs from it by the same amount everywhere."""
        return self.tint < MAX_SHADOW_TINT and self.spread < MAX_SHADOW_SPREAD


@dataclass(frozen=True, slots=True)
class ChangedRegion:
    """A connected region of the tray that differs from the empty-tray image. Lengths are in frame pixels.

    Attributes:
        x: Column of the centre.
        y: Row of the centre.
        edge: Side of a square of the same area.
        elongation: Length divided by width, at least 1.
        turn: Rotation of the longer side in radians.
        black: Share of the area that could be the shadow of a single lamp.
        lit: Share of the area that is lighter than the empty tray, which a shadow never is.
        is_entering: Whether the region reaches in from outside the tray.
        is_touching: Whether the region touches a die that was read.
        shade: How light and texture differ from those in the empty-tray image.
    """

    x: float
    y: float
    edge: float
    elongation: float
    turn: float
    black: float
    lit: float
    is_entering: bool
    is_touching: bool
    shade: RegionShade

    @property
    def width(self) -> float:
        """Shorter side of a rectangle of the same area and elongation."""
        return self.edge / float(np.sqrt(self.elongation))

    @property
    def is_shadow(self) -> bool:
        """Whether the region is a shadow and not an object.

        A shadow is nowhere lighter than the floor. It is either mostly black, or a uniformly darker area of the floor,
        which either begins at a die or still shows the floor's texture.
        """
        is_floor = self.is_touching or self.shade.texture > MIN_KEPT_TEXTURE
        is_black = self.black > MIN_SHADOW_SHARE
        return self.lit < MAX_LIT_SHARE and (is_black or (is_floor and self.shade.is_uniform))


@dataclass(frozen=True, slots=True, eq=False)
class TrayChange:
    """Difference between a frame and the empty-tray image, divided into square cells.

    Attributes:
        changed: (rows, columns), 1 in cells that look different, even if only because of a shadow, and in cells that
            are white in both images, where glare hides every difference.
        objects: (rows, columns), 1 in cells that show an object.
        black: (rows, columns), share of each cell that turned black where the floor was not light.
        lit: (rows, columns), share of each cell that became lighter, which a shadow cannot cause.
        left: Column of the frame at which the first cell begins.
        top: Row of the frame at which the first cell begins.
        cell_px: Side of a cell in frame pixels.
        now: The frame (height, width, 3), scaled to STRIDE pixels per cell.
        before: The empty-tray image (height, width, 3), adapted to the light and the scale of `now`.
    """

    changed: Mask
    objects: Mask
    black: Floats
    lit: Floats
    left: int
    top: int
    cell_px: float
    now: Image
    before: Floats

    def is_new(self, x: float, y: float, edge: float) -> bool:
        """Check that a detected die differs from the empty tray, and so is not a pattern on the floor.

        Args:
            x: Column of the centre of the die.
            y: Row of the centre of the die.
            edge: Edge of the die in frame pixels.
        """
        reach = max(0.5, DIE_REACH_EDGES * edge / self.cell_px)
        at_x, at_y = (x - self.left) / self.cell_px, (y - self.top) / self.cell_px
        rows = slice(max(0, int(at_y - reach)), max(0, int(at_y + reach) + 1))
        columns = slice(max(0, int(at_x - reach)), max(0, int(at_x + reach) + 1))
        part = self.changed[rows, columns]
        return not part.size or float(part.mean()) >= MIN_CHANGED_SHARE

    def object_share(self, mask: NDArray[np.bool_]) -> float:
        """Return the share of the compared area that is marked and shows a new object, and not the shadow of one.

        Args:
            mask: (rows, columns) bool: True at marked places in the same area, at any resolution.
        """
        rows, columns = self.changed.shape
        marks = cv2.resize(mask.astype(np.uint8), (columns, rows), interpolation=cv2.INTER_NEAREST)
        shown = np.logical_and(marks, self.changed & self.objects)
        count, labels = cv2.connectedComponents(shown.astype(np.uint8))
        parts = (labels == number for number in range(1, count))
        return float(sum(part.mean() for part in parts if not self._is_floor_in_shadow(part)))

    def _is_floor_in_shadow(self, mask: NDArray[np.bool_]) -> bool:
        """Check whether an area is nowhere lighter than the empty tray, and shows the texture of the floor."""
        shade = self._shade(mask)
        is_floor = shade.is_uniform and shade.texture > MIN_KEPT_TEXTURE
        return is_floor and float(self.lit[mask].mean()) < MAX_LIT_SHARE

    def regions(self, tray: Quad, explained: Sequence[NDArray[np.floating]]) -> list[ChangedRegion]:
        """Return the connected regions of the tray that have changed, apart from those that were recognised.

        Args:
            tray: Floor of the tray in frame pixels.
            explained: Outlines (n, 2), in frame pixels, of everything that was recognised.
        """
        rest, dice = self.objects.copy(), np.zeros_like(self.objects)
        for outline in explained:
            cv2.fillPoly(dice, [self._to_cells(outline)], 1)
            cv2.polylines(dice, [self._to_cells(outline)], True, 1, round(2 * DIE_MARGIN_CELLS))
        rest[dice > 0] = 0
        near = cv2.dilate(dice, np.ones((TOUCHING_CELLS, TOUCHING_CELLS), np.uint8))
        rest = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))  # type: ignore[assignment]
        floor = np.zeros_like(rest)
        cv2.fillConvexPoly(floor, self._to_cells(np.array(tray.corners)), 1)
        count, labels = cv2.connectedComponents(rest)
        masks = (labels == number for number in range(1, count))
        return [
            self._region(mask, floor > 0, near > 0) for mask in masks if (mask & (floor > 0)).any()
        ]

    def _region(
        self, mask: NDArray[np.bool_], floor: NDArray[np.bool_], near: NDArray[np.bool_]
    ) -> ChangedRegion:
        inside = np.argwhere(mask & floor)[:, ::-1].astype(np.float32)
        (x, y), (width, height), turn = cv2.minAreaRect(inside)
        short, long = sorted((width + 1, height + 1))
        return ChangedRegion(
            self.left + (x + 0.5) * self.cell_px,
            self.top + (y + 0.5) * self.cell_px,
            float(np.sqrt(len(inside))) * self.cell_px,
            long / short,
            float(np.radians(turn)),
            float(self.black[mask].mean()),
            float(self.lit[mask].mean()),
            bool((mask & ~floor).any() or _touches_border(mask)),
            bool((mask & near).any()),
            self._shade(mask),
        )

    def _shade(self, mask: NDArray[np.bool_]) -> RegionShade:
        left, top, width, height = cv2.boundingRect(mask.astype(np.uint8))
        rows, columns = (
            slice(max(0, first - 1), first + count + 1)
            for first, count in ((top, height), (left, width))
        )
        cells = rows, columns
        pixels = tuple(slice(STRIDE * part.start, STRIDE * part.stop) for part in cells)
        now, before = self.now[pixels].astype(np.float32), self.before[pixels]
        inside = np.kron(mask[cells].astype(np.uint8), np.ones((STRIDE, STRIDE), np.uint8))
        height, width = now.shape[:2]
        return _compare_shade(now, before, np.asarray(inside[:height, :width], np.uint8))

    def _to_cells(self, outline: NDArray[np.floating]) -> NDArray[np.int32]:
        cells = (outline - (self.left, self.top)) / self.cell_px - 0.5
        return np.round(cells).astype(np.int32)


def find_changes(picture: Image, known: KnownTray, zones: Sequence[Quad]) -> TrayChange | None:
    """Compare a frame with the empty-tray image.

    Args:
        picture: Frame (height, width, 3) BGR.
        known: Knowledge about the tray, with its empty-tray image.
        zones: Areas of the frame to compare, such as the tray. If there are none, the whole frame is compared.

    Returns:
        The difference, or None if there is no empty-tray image of this shape, or if the images differ so much
        that nothing can be said about single objects.
    """
    left, top, right, bottom = box = bounding_box(picture, zones)
    empty = known.empty_crop(picture.shape, box)
    part = ImagePyramid(picture[top:bottom, left:right])
    return None if empty is None else compare(part, empty, (left, top))


def compare(
    picture: ImagePyramid, empty: ImagePyramid, corner: tuple[int, int]
) -> TrayChange | None:
    """Compare part of a frame with the same part of the empty-tray image.

    Args:
        picture: Part of the frame.
        empty: The same part of the empty-tray image.
        corner: Column and row of the frame at which the part begins.

    Returns:
        The difference, or None if the images differ so much that nothing can be said about single objects.
    """
    short, long = sorted(picture.size)
    scale = min(1.0, max(INPUT_PX / long, 1 / short))  # a narrow strip keeps at least one pixel
    width, height = (max(1, round(side * scale)) for side in picture.size)
    now, before = (image.scaled(width, height) for image in (picture, empty))
    matched = match_brightness(now, before)
    objects = _find_objects(now, matched)
    if objects.mean() > MAX_CHANGED_SHARE:
        return None
    # Where both images are white, glare may hide that a die has appeared or gone.
    is_blind = _darkest(np.minimum(now, before)) >= WHITE_LEVEL
    changed = _cell_shares(_differs(now, matched) | is_blind, objects.shape) > 0
    was_dark = _brightest(matched) < MAX_DARK_FLOOR_LEVEL
    black = np.asarray((_brightest(now) < MAX_SHADOW_LEVEL) & was_dark)
    lit = np.asarray(_brightest(now - matched) > MIN_DIFFERENCE)
    return TrayChange(
        changed.astype(np.uint8),
        objects,
        _cell_shares(black, objects.shape),
        _cell_shares(lit, objects.shape),
        *corner,
        STRIDE / scale,
        now,
        matched,
    )


def _compare_shade(now: Floats, before: Floats, inside: Mask) -> RegionShade:
    """Compare the colours and the fine detail of two images in a region, without its edge, where a shadow fades.

    `inside` (height, width) is not 0 in the region.
    """
    core = cv2.erode(inside, np.ones((5, 5), np.uint8)) > 0
    if not core.any():
        core = inside > 0
    size = (SMOOTHING_PX, SMOOTHING_PX)
    ratio = np.log(cv2.blur(now, size) + DARK_OFFSET) - np.log(cv2.blur(before, size) + DARK_OFFSET)
    colour = (ratio - ratio.mean(axis=2, keepdims=True))[core]
    usual = np.median(colour, axis=0)
    fine, reference = (_detail(image)[core] for image in (now, before))
    strength = float(np.sqrt((fine**2).mean() * (reference**2).mean()))
    return RegionShade(
        float(np.abs(usual).max()),
        float(np.abs(colour - usual).max(axis=1).mean()),
        float((fine * reference).mean()) / max(strength, 1e-6),
    )


def _detail(image: Floats) -> Floats:
    """Return the fine detail (height, width): log brightness minus its mean over the neighbourhood."""
    brightness = np.log(image.mean(axis=2) + DARK_OFFSET)
    return np.asarray(brightness - cv2.blur(brightness, (DETAIL_PX, DETAIL_PX)), np.float32)


def _differs(now: Image, before: Floats) -> NDArray[np.bool_]:
    """Mark pixels that differ from their whole neighbourhood in `before`, so that a shaking camera does no harm."""
    size, kernel = (SMOOTHING_PX, SMOOTHING_PX), np.ones((3, 3), np.uint8)
    smooth, reference = cv2.blur(now.astype(np.float32), size), cv2.blur(before, size)
    low, high = cv2.erode(reference, kernel), cv2.dilate(reference, kernel)
    return np.asarray(_brightest(np.maximum(smooth - high, low - smooth)) > MIN_DIFFERENCE)


def _brightest(image: NDArray[Any]) -> NDArray[Any]:
    """Return the largest of the three channels. On so short an axis, this is 25 times as fast as NumPy's `max`."""
    return np.asarray(np.maximum(np.maximum(image[..., 0], image[..., 1]), image[..., 2]))


def _darkest(image: NDArray[Any]) -> NDArray[Any]:
    """Return the smallest of the three channels."""
    return np.asarray(np.minimum(np.minimum(image[..., 0], image[..., 1]), image[..., 2]))


def _cell_shares(pixels: NDArray[np.bool_], shape: tuple[int, ...]) -> Floats:
    """Return the share of marked pixels in each cell of STRIDE by STRIDE pixels, as an array of the given shape."""
    (rows, columns), (height, width) = shape, pixels.shape
    padding = 0, rows * STRIDE - height, 0, columns * STRIDE - width
    padded = cv2.copyMakeBorder(pixels.astype(np.float32), *padding, cv2.BORDER_CONSTANT)
    return np.asarray(cv2.resize(padded, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)


def _find_objects(now: Image, before: Floats) -> Mask:
    height, width = now.shape[:2]
    inputs = np.concatenate([padded_input(image, GRID) for image in (now, before)], axis=1)
    log_odds = run_named("change", inputs)["stands"][0]
    return np.asarray(log_odds[: -(-height // STRIDE), : -(-width // STRIDE)] > 0, np.uint8)


def _touches_border(mask: NDArray[np.bool_]) -> bool:
    return bool(mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any())
