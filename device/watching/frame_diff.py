"""Detects what has changed between two previews of the tray.

Thresholds are relative to the image and to its noise, which is measured in each pair of previews.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from device.cameras.base import Image
from vision.reading import Quad

Grey = npt.NDArray[np.float32]

WIDTH_PX = 320  # a die of 16 mm is 13 px wide, its pips 2 px: enough to see a die turn
MIN_CHANGE = 5.0  # grey levels: JPEG blocks and flickering lamps change a preview by less
NOISE_PERCENTILE = 35  # at least this share of a preview is always free of hands
NOISE_QUANTILE = 0.4538  # the 35th percentile of |x| for a standard normal distribution
MIN_NOISE_RATIO = 6.0  # by chance, none of 57,600 pixels differs by this many standard deviations
MIN_BLOB_PX = 3  # smaller blobs are hot pixels
# Area of a die as a share of the watched region: from 8 mm in a wide view to 16 mm with motion blur.
MIN_DIE_SHARE, MAX_DIE_SHARE = 0.0004, 0.03
MAX_DICE = 14  # more blobs than this mean that the table was shaken
ARM_PX = 28  # an arm is thicker than this everywhere; a flying die with its shadow is not
REGION_MARGIN = 0.06  # added around the tray, as a share of its size: walls lean outwards in view
MIN_GAIN_CHANGE = 0.05  # a smaller change of brightness hides no hand
# Number of cells across and down: a new exposure changes all of them, except one that is too bright or dark.
GRID = 3
MIN_CELL_SHARE = (
    0.8  # share of the gain: tone curves bend, but not so much that a cell stays the same
)
SHAKEN_SHARE = 0.5  # share of the difference that a single shift of the whole image must explain

_TOUCHING = np.ones((3, 3), np.uint8)
_HOLES = np.ones((7, 7), np.uint8)
_ARM = np.ones((ARM_PX, ARM_PX), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The watched part of a preview.

    Attributes:
        mask: (height, width) uint8: 255 inside the region, 0 outside.
        ring: (height, width) bool: True at the border of the region.
        pixels: Number of pixels in the region.
    """

    mask: Image
    ring: npt.NDArray[np.bool_]
    pixels: int

    @classmethod
    def of(
        cls, shape: tuple[int, ...], tray: Quad | None, picture_px: tuple[int, int] | None
    ) -> "Region":
        """Return the region of the tray with a margin, or the whole preview if the tray is not known.

        Args:
            shape: Shape of the preview: height and width.
            tray: Corners of the tray's floor in pixels of a full frame; None if they are not known.
            picture_px: Width and height of a full frame in pixels; None if they are not known.
        """
        mask: Image = np.zeros(shape, np.uint8)
        if tray is None or picture_px is None:
            mask[:] = 255
        else:
            cv2.fillConvexPoly(mask, _with_margin(tray, shape, picture_px), 255)
        border = cv2.BORDER_CONSTANT
        inner = cv2.erode(mask, np.ones((5, 5), np.uint8), borderType=border, borderValue=0)
        return cls(mask, (mask > 0) & (inner == 0), int(np.count_nonzero(mask)))


def _with_margin(
    tray: Quad, shape: tuple[int, ...], picture_px: tuple[int, int]
) -> npt.NDArray[np.int32]:
    """Return the corners of the tray in pixels of the preview, (4, 2), moved outwards by the margin.

    Args:
        tray: Corners of the tray's floor in pixels of a full frame.
        shape: Shape of the preview: height and width.
        picture_px: Width and height of a full frame in pixels.
    """
    corners = np.array(tray.corners) * (shape[1] / picture_px[0], shape[0] / picture_px[1])
    centre = corners.mean(axis=0)
    outwards = centre + (corners - centre) * (1 + 2 * REGION_MARGIN)
    return np.asarray(np.rint(outwards), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class FrameDiff:
    """The pixels that have changed between two previews, and their connected blobs.

    Attributes:
        mask: (height, width) uint8: 255 where something has changed, otherwise 0.
        shares: Area of each blob, as a share of the watched region.
        at_border: For each blob, whether it touches the border of the region.
        has_arm: Whether one of the blobs at the border is as thick as an arm.
    """

    mask: Image
    shares: tuple[float, ...]
    at_border: tuple[bool, ...]
    has_arm: bool

    @property
    def has_changes(self) -> bool:
        """Whether anything has changed."""
        return bool(self.shares)

    @property
    def looks_like_dice(self) -> bool:
        """Whether at least one blob could be a die inside the tray, and there are not too many blobs."""
        large = [
            (share, at_border)
            for share, at_border in zip(self.shares, self.at_border, strict=True)
            if share > MIN_DIE_SHARE
        ]
        has_die = any(share < MAX_DIE_SHARE and not at_border for share, at_border in large)
        return has_die and len(large) <= MAX_DICE


def to_grey(image: Image) -> Grey:
    """Return the smoothed brightness of a BGR image, scaled to a width of `WIDTH_PX`, (height, width)."""
    levels = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    height, width = levels.shape
    if width != WIDTH_PX:
        size = (WIDTH_PX, round(height * WIDTH_PX / width))
        levels = cv2.resize(levels, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(levels.astype(np.float32), (3, 3)), np.float32)


def find_motion(before: Grey, now: Grey, region: Region) -> FrameDiff:
    """Return the differences between two previews that neither noise nor a changed exposure explains.

    Args:
        before: The earlier preview, as returned by `to_grey`.
        now: The later preview, of the same shape.
        region: The part of the preview that is watched.
    """
    mask: Image = _changed(before, now) & region.mask
    if np.count_nonzero(mask) < MIN_BLOB_PX:  # most previews: the tray is at rest
        return FrameDiff(mask, shares=(), at_border=(), has_arm=False)
    count, components = cv2.connectedComponents(cv2.dilate(mask, _TOUCHING))
    labels = np.asarray(components, np.int32)
    areas = np.bincount(labels[mask > 0], minlength=count)
    border = set(np.unique(labels[region.ring]).tolist()) - {0}
    blobs = [i for i in range(1, count) if areas[i] >= MIN_BLOB_PX]
    return FrameDiff(
        mask=mask,
        shares=tuple(float(areas[i]) / region.pixels for i in blobs),
        at_border=tuple(i in border for i in blobs),
        has_arm=not border.isdisjoint(_thick_blobs(mask, labels)),
    )


def _changed(before: Grey, now: Grey) -> Image:
    gain = _exposure_gain(before, now)
    difference = np.asarray(cv2.addWeighted(now, 1.0, before, -gain, 0.0))
    np.abs(difference, out=difference)
    noise = float(np.percentile(difference[::4, ::4], NOISE_PERCENTILE)) / NOISE_QUANTILE
    # Tone curves bend, so a correction of the exposure may be wrong by as much as it corrects.
    unexplained = cv2.scaleAdd(before, -abs(gain - 1), difference)
    threshold = np.float32(max(MIN_CHANGE, MIN_NOISE_RATIO * noise))
    return np.asarray((unexplained > threshold).view(np.uint8) * 255, np.uint8)


def _exposure_gain(before: Grey, now: Grey) -> float:
    """Return the factor by which the brightness of the whole image has changed; 1 if only a part has changed.

    The factor is the median over the brighter half of the pixels.
    """
    old = before[::6, ::6]
    ratio = np.asarray(now[::6, ::6] / np.maximum(old, 1), np.float32)
    bright = old >= max(1.0, float(np.median(old)))
    gain = float(np.median(ratio[bright])) if bright.any() else 1.0
    return gain if _is_global(gain, ratio) else 1.0


def _is_global(gain: float, ratio: Grey) -> bool:
    """Return whether the whole image changed by this gain; a hand over half of it changes only that half.

    Args:
        gain: Ratio of the brightness now to the brightness before.
        ratio: This ratio, pixel by pixel.
    """
    if abs(gain - 1) < MIN_GAIN_CHANGE:
        return True
    rows = np.array_split(ratio, GRID)
    cells = [float(np.median(cell)) for row in rows for cell in np.array_split(row, GRID, axis=1)]
    alike = sum(abs(cell - gain) < MIN_CELL_SHARE * abs(gain - 1) for cell in cells)
    return alike >= len(cells) - 1


def _thick_blobs(mask: Image, labels: npt.NDArray[np.int32]) -> list[int]:
    """Return the labels of the blobs that are as thick as an arm at some point.

    Args:
        mask: (height, width) uint8: 255 where something has changed, otherwise 0.
        labels: (height, width): number of the blob that each pixel belongs to.
    """
    if np.count_nonzero(mask) < ARM_PX**2:
        return []
    solid = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _HOLES)
    return [int(label) for label in np.unique(labels[cv2.erode(solid, _ARM) > 0])]


def is_shaken(before: Grey, now: Grey) -> bool:
    """Return whether the whole image has shifted because somebody bumped the table or the camera arm.

    This is one step of the Lucas-Kanade method, applied to all pixels together.

    Args:
        before: The earlier preview, as returned by `to_grey`.
        now: The later preview, of the same shape.
    """
    half = (WIDTH_PX // 2, now.shape[0] // 2)
    old = np.asarray(cv2.resize(before, half, interpolation=cv2.INTER_AREA))
    new = np.asarray(cv2.resize(now, half, interpolation=cv2.INTER_AREA))
    across = cv2.Sobel(old + new, cv2.CV_32F, 1, 0, scale=1 / 16).ravel()
    down = cv2.Sobel(old + new, cv2.CV_32F, 0, 1, scale=1 / 16).ravel()
    slopes = np.stack([across, down])
    difference = (old - new).ravel()
    shift = np.linalg.lstsq(slopes @ slopes.T, slopes @ difference, rcond=None)[0]
    unexplained = difference - shift @ slopes
    before_shift, after = float(difference @ difference), float(unexplained @ unexplained)
    return after < (1 - SHAKEN_SHARE) * before_shift
