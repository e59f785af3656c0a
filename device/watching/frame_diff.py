"""What changed between two small pictures of the tray.

Everything is relative to the picture and to its noise, which is measured in each pair.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from device.cameras.base import Image
from vision.reading import Quad

Grey = npt.NDArray[np.float32]

WIDTH_PX = 320  # a die of 16 mm is 13 px wide here, its pips 2 px: enough to see it turn
LEAST_CHANGE = 5.0  # grey levels: below this lie JPEG blocks and the flicker of lamps
QUIET = 35  # percent of a picture are free of hands, always
BELL = 0.4538  # so many percent of a bell curve's magnitudes are smaller, in its deviations
NOISE_TIMES = 6.0  # of the measured noise: none of 57,600 pixels gets there by chance
LEAST_BLOB_PX = 3  # smaller specks are hot pixels
# Shares of the watched picture, from a die of 8 mm in a wide view to one of 16 mm, smeared.
DIE_SHARE = (0.0004, 0.03)
DICE_AT_MOST = 14  # more blobs than this are a shaken table
HAND_PX = 28  # an arm is thicker than that everywhere, a flying die with its shadow is not
REGION_MARGIN = 0.06  # around the tray, of its size: walls lean outwards in the picture
EXPOSURE = 0.05  # a smaller change of brightness hides no hand
CELLS = 3  # across and down: an exposure changes them all, but for one that is too bright or dark
ALIKE = 0.8  # of the change: tone curves bend, but not so much that a part stays as it was
SHAKEN = 0.5  # the share of a change that one shift of the whole picture explains

_TOUCHING = np.ones((3, 3), np.uint8)
_HOLES = np.ones((7, 7), np.uint8)
_ARM = np.ones((HAND_PX, HAND_PX), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The part of the picture that is watched: 255 in `mask`. `ring` is its border."""

    mask: Image
    ring: npt.NDArray[np.bool_]
    pixels: int

    @classmethod
    def of(
        cls, shape: tuple[int, ...], tray: Quad | None, picture_px: tuple[int, int] | None
    ) -> "Region":
        """The tray with a margin, or all of a picture of this shape."""
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
    """The tray's corners in the small picture, moved outwards."""
    corners = np.array(tray.corners) * (shape[1] / picture_px[0], shape[0] / picture_px[1])
    middle = corners.mean(axis=0)
    outwards = middle + (corners - middle) * (1 + 2 * REGION_MARGIN)
    return np.asarray(np.rint(outwards), np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class FrameDiff:
    """The pixels that changed (255 in `mask`) and their connected blobs.

    `shares` are the blobs' areas as shares of the watched region; `at_border` which of them touch
    its border; `like_arm` tells that one of those is as thick as an arm.
    """

    mask: Image
    shares: tuple[float, ...]
    at_border: tuple[bool, ...]
    like_arm: bool

    @property
    def any(self) -> bool:
        return bool(self.shares)

    @property
    def like_dice(self) -> bool:
        """Some could be dice inside the tray, and there are not too many."""
        least, most = DIE_SHARE
        blobs = [blob for blob in zip(self.shares, self.at_border, strict=True) if blob[0] > least]
        inside = any(share < most and not border for share, border in blobs)
        return inside and len(blobs) <= DICE_AT_MOST


def grey(image: Image) -> Grey:
    """The picture as smoothed brightness, `WIDTH_PX` wide."""
    levels = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    height, width = levels.shape
    if width != WIDTH_PX:
        size = (WIDTH_PX, round(height * WIDTH_PX / width))
        levels = cv2.resize(levels, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.blur(levels.astype(np.float32), (3, 3)), np.float32)


def changes(before: Grey, now: Grey, region: Region) -> FrameDiff:
    """What differs by more than noise and exposure explain."""
    mask: Image = _changed(before, now) & region.mask
    if np.count_nonzero(mask) < LEAST_BLOB_PX:  # a tray at rest, fifteen times a second
        return FrameDiff(mask, shares=(), at_border=(), like_arm=False)
    count, components = cv2.connectedComponents(cv2.dilate(mask, _TOUCHING))
    labels = np.asarray(components, np.int32)
    areas = np.bincount(labels[mask > 0], minlength=count)
    border = set(np.unique(labels[region.ring]).tolist()) - {0}
    blobs = [i for i in range(1, count) if areas[i] >= LEAST_BLOB_PX]
    return FrameDiff(
        mask=mask,
        shares=tuple(float(areas[i]) / region.pixels for i in blobs),
        at_border=tuple(i in border for i in blobs),
        like_arm=not border.isdisjoint(_thick(mask, labels)),
    )


def _changed(before: Grey, now: Grey) -> Image:
    gain = _gain(before, now)
    difference = np.asarray(cv2.addWeighted(now, 1.0, before, -gain, 0.0))
    np.abs(difference, out=difference)
    noise = float(np.percentile(difference[::4, ::4], QUIET)) / BELL
    # Tone curves bend: a correction of the exposure may be wrong by as much as it corrects.
    unexplained = cv2.scaleAdd(before, -abs(gain - 1), difference)
    threshold = np.float32(max(LEAST_CHANGE, NOISE_TIMES * noise))
    return np.asarray((unexplained > threshold).view(np.uint8) * 255, np.uint8)


def _gain(before: Grey, now: Grey) -> float:
    """How much brighter the exposure became: the ratio that most of the bright half agrees on."""
    old = before[::6, ::6]
    ratio = np.asarray(now[::6, ::6] / np.maximum(old, 1), np.float32)
    bright = old >= max(1.0, float(np.median(old)))
    gain = float(np.median(ratio[bright])) if bright.any() else 1.0
    return gain if _holds_everywhere(gain, ratio) else 1.0


def _holds_everywhere(gain: float, ratio: Grey) -> bool:
    """Whether all of the picture changed so; a hand over half of it changes that half."""
    if abs(gain - 1) < EXPOSURE:
        return True
    rows = np.array_split(ratio, CELLS)
    cells = [float(np.median(cell)) for row in rows for cell in np.array_split(row, CELLS, axis=1)]
    return sum(abs(cell - gain) < ALIKE * abs(gain - 1) for cell in cells) >= len(cells) - 1


def _thick(mask: Image, labels: npt.NDArray[np.int32]) -> list[int]:
    """The blobs that an arm's width fits into."""
    if np.count_nonzero(mask) < HAND_PX**2:
        return []
    solid = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _HOLES)
    return [int(label) for label in np.unique(labels[cv2.erode(solid, _ARM) > 0])]


def shaken(before: Grey, now: Grey) -> bool:
    """Whether the whole picture shifted: somebody bumped against the table or the arm.

    One step of Lucas and Kanade's method, for all pixels together.
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
    return after < (1 - SHAKEN) * before_shift
