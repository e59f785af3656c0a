"""Checks of a frame of the tray: framing, light, glare and focus.

All limits are relative to the tray, to a die or to the range of brightness, so they hold for any resolution.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import tray_width_px
from calibration.rectify import GAMMA, Image, brightness, floor_mask, rectify_floor
from vision.reading import Quad

USUAL_EDGE = 0.075
"""Edge of a die of 16 mm in widths of a tray of 21 cm: the default until the dice are known."""

MIN_MARGIN, TIGHT_MARGIN = 0.0, 0.01
"""Distance of a corner from the border, as a share of the frame. Below the first, the tray is cut off; below
the second, it is only just in view."""

MIN_TRAY_AREA = 0.1
"""Share of the frame's area that a tray must fill: a smaller one is too far away."""

MIN_DIE_PX = 28
"""Below this edge, the pips of a die merge, however sharp the frame is."""

MAX_SLANT = 1.3
"""Ratio of opposite sides of the tray from which the sides of the dice are visible."""

MIN_BRIGHTNESS = 0.16
"""Brightness that the lightest parts of the tray and its walls must reach, even with black felt."""

MAX_BURNT_SHARE = 0.10
"""Share of the floor that may be overexposed."""

WHITE = 0.985
"""Share of full brightness from which a sensor is saturated."""

FADING = 0.5
"""If the brightness rises within two hundredths of the tray by less than this share of the step from the floor to
white, the rise is gradual."""

MAX_UNEVENNESS = 5.0
"""Largest ratio of the light on the brightest part of the floor to that on the darkest."""

WALL_WIDTHS = 0.12
"""Visible width of the walls, in tray widths."""

MAX_GLARE_SHARE = 0.003
"""Share of the tray that may reflect a lamp."""

MAX_BLUR = 0.04
"""Blur, as a share of a die's edge, above which pips become indistinct."""

MIN_STEP = 0.035
"""Change of brightness within the added blur that makes an edge worth measuring, as a share of full brightness."""

ADDED_BLUR, DENOISE_PX = 0.06, 0.7
"""Blur that is added for comparison, as a share of a die's edge, and blur in pixels that removes noise first."""

GRID = 4


class CheckName(StrEnum):
    """The aspect of a picture that a check examines."""

    FRAMING = "framing"
    LIGHT = "light"
    GLARE = "glare"
    FOCUS = "focus"


class PictureFinding(StrEnum):
    """The result of a check, good or bad."""

    WHOLE = "all in view"
    TIGHT = "all in view, hardly"
    CUT_OFF = "cut off"
    FAR_AWAY = "far away"
    FROM_THE_SIDE = "from the side"
    WELL_LIT = "well lit"
    DARK = "dark"
    TOO_BRIGHT = "too bright"
    UNEVEN = "unevenly lit"
    MATT = "nothing mirrored"
    MIRRORED = "a lamp mirrored"
    SHARP = "sharp"
    SOFT = "soft"
    BARE = "nothing to focus on"


class PictureSide(StrEnum):
    """A side of the frame."""

    LEFT = "left"
    RIGHT = "right"
    TOP = "top"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True)
class PictureCheck:
    """The result of one check.

    Attributes:
        name: Subject of the check.
        ok: Whether the frame passed, or None if the frame does not show enough to decide.
        finding: The result of the check.
        sides: Sides of the frame that the tray touches.
        share: Measured share of the frame, the tray, full brightness or a die, depending on `finding`.
        ratio: Ratio of the light on two parts of the tray.
        die_px: Edge of a die in pixels.
    """

    name: CheckName
    ok: bool | None
    finding: PictureFinding
    sides: tuple[PictureSide, ...] = ()
    share: float = 0.0
    ratio: float = 0.0
    die_px: float = 0.0


def check_picture(
    image: Image, tray: Quad, die_edge: float | None = None
) -> tuple[PictureCheck, ...]:
    """Check the framing, light, glare and focus of a frame.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
        die_edge: Edge of the dice in tray widths, or None if the dice are unknown.
    """
    edge = die_edge or USUAL_EDGE
    return (framing(image, tray, edge), light(image, tray), glare(image, tray, edge),
            focus(image, tray, edge))  # fmt: skip


def framing(image: Image, tray: Quad, edge: float = USUAL_EDGE) -> PictureCheck:
    """Check that the whole tray is in view, seen from above and large enough.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
        edge: Edge of a die in tray widths.
    """
    height, width = image.shape[:2]
    shares = np.array(tray.corners) / (width, height)
    room = {PictureSide.LEFT: shares[:, 0].min(), PictureSide.RIGHT: 1 - shares[:, 0].max(),
            PictureSide.TOP: shares[:, 1].min(), PictureSide.BOTTOM: 1 - shares[:, 1].max()}  # fmt: skip
    tight = tuple(side for side, left in room.items() if left < TIGHT_MARGIN)
    if any(left < MIN_MARGIN for left in room.values()):
        return PictureCheck(CheckName.FRAMING, False, PictureFinding.CUT_OFF, sides=tight)
    share, die_px = _area(tray) / (width * height), edge * tray_width_px(tray)
    if die_px < MIN_DIE_PX or share < MIN_TRAY_AREA:
        return PictureCheck(
            CheckName.FRAMING, False, PictureFinding.FAR_AWAY, share=share, die_px=die_px
        )
    if _slant(tray) > MAX_SLANT:
        return PictureCheck(CheckName.FRAMING, False, PictureFinding.FROM_THE_SIDE)
    if tight:
        return PictureCheck(CheckName.FRAMING, True, PictureFinding.TIGHT, sides=tight)
    return PictureCheck(CheckName.FRAMING, True, PictureFinding.WHOLE, die_px=die_px)


def _slant(tray: Quad) -> float:
    """Return the largest ratio of a side of the tray to the opposite side."""
    sides = np.linalg.norm(np.diff([*tray.corners, tray.corners[0]], axis=0), axis=1)
    return float(max(a / b for a, b in zip(sides, np.roll(sides, 2), strict=True)))


def light(image: Image, tray: Quad) -> PictureCheck:
    """Check that there is enough light but not too much, and that it comes from more than one side.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
    """
    floor = rectify_floor(image, tray, side_px=128)
    around = brightness(rectify_floor(image, tray, side_px=128, margin=WALL_WIDTHS))
    bright = float(np.percentile(around, 98))
    if bright < MIN_BRIGHTNESS:
        return PictureCheck(CheckName.LIGHT, False, PictureFinding.DARK, share=bright)
    burnt = float((floor.max(axis=2) > WHITE * 255).mean())
    if burnt > MAX_BURNT_SHARE:
        return PictureCheck(CheckName.LIGHT, False, PictureFinding.TOO_BRIGHT, share=burnt)
    uneven = _unevenness(brightness(floor))
    if uneven > MAX_UNEVENNESS:
        return PictureCheck(CheckName.LIGHT, False, PictureFinding.UNEVEN, ratio=uneven)
    return PictureCheck(CheckName.LIGHT, True, PictureFinding.WELL_LIT)


def glare(image: Image, tray: Quad, edge: float = USUAL_EDGE) -> PictureCheck:
    """Check that the floor does not reflect a lamp as a white spot.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
        edge: Edge of a die in tray widths.
    """
    share = glare_share(image, tray, edge)
    if share > MAX_GLARE_SHARE:
        return PictureCheck(CheckName.GLARE, False, PictureFinding.MIRRORED, share=share)
    return PictureCheck(CheckName.GLARE, True, PictureFinding.MATT)


def glare_share(image: Image, tray: Quad, edge: float) -> float:
    """Return the share of the tray that reflects a lamp.

    A reflection is a white spot, at least as large as a pip, that fades out. A white die has sharp edges.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
        edge: Edge of a die in tray widths.
    """
    side = 256
    floor = brightness(rectify_floor(image, tray, side_px=side))
    around = float(np.median(floor))
    white = np.asarray(floor > WHITE, np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(white)
    window = np.ones((3, 3), np.uint8)
    steep = np.asarray(cv2.dilate(floor, window)) - np.asarray(cv2.erode(floor, window))
    areas = stats[:, cv2.CC_STAT_AREA] / side**2
    large = [n for n in range(1, count) if areas[n] > (edge / 8) ** 2]
    sharp = FADING * (WHITE - around)
    return float(
        sum(areas[n] for n in large if _edge_steepness(steep, np.asarray(labels) == n) < sharp)
    )


def _edge_steepness(steep: NDArray[Any], spot: NDArray[np.bool_]) -> float:
    """Return the median of `steep`, the local change of brightness, around a spot that a mask marks."""
    around = cv2.dilate(spot.astype(np.uint8), np.ones((5, 5), np.uint8))
    return float(np.median(steep[(np.asarray(around) > 0) & ~spot]))


def focus(image: Image, tray: Quad, edge: float = USUAL_EDGE) -> PictureCheck:
    """Check that edges in the tray are sharp, relative to the size of a die.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
        edge: Edge of a die in tray widths.
    """
    blur = blur_share(image, tray, edge)
    if blur is None:
        return PictureCheck(CheckName.FOCUS, None, PictureFinding.BARE)
    if blur > MAX_BLUR:
        return PictureCheck(CheckName.FOCUS, False, PictureFinding.SOFT, share=blur)
    return PictureCheck(CheckName.FOCUS, True, PictureFinding.SHARP, share=blur)


def blur_share(image: Image, tray: Quad, edge: float) -> float | None:
    """Return the blur (sigma) of the sharpest edges, as a share of a die's edge, or None if there are none.

    A known amount of extra blur flattens a sharp edge more than a soft one, whatever the contrast.

    Args:
        image: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels.
        edge: Edge of a die in tray widths.
    """
    die_px = edge * tray_width_px(tray)
    more_px = max(1.0, ADDED_BLUR * die_px)
    levels = cv2.GaussianBlur(brightness(image), (0, 0), DENOISE_PX)
    steep, softened = _steepness(levels), _steepness(cv2.GaussianBlur(levels, (0, 0), more_px))
    judged = _tray_and_walls(image.shape, tray, round(0.3 * die_px)) & _is_ridge(steep)
    judged &= softened * more_px > MIN_STEP
    if judged.sum() < die_px:
        return None
    loss = np.maximum((steep[judged] / np.maximum(softened[judged], 1e-6)) ** 2 - 1, 1e-3)
    blur_px = np.sqrt(np.maximum(more_px**2 / loss - DENOISE_PX**2, 0))
    return float(np.percentile(blur_px, 20) / die_px)


def _steepness(levels: NDArray[Any]) -> NDArray[np.float32]:
    """Return the magnitude of the brightness gradient, per pixel."""
    dx = cv2.Sobel(levels, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    dy = cv2.Sobel(levels, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return np.asarray(np.hypot(dx, dy), np.float32)


def _is_ridge(steep: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Mark the pixels whose gradient is at least as large as that of every neighbour."""
    return np.asarray(steep >= cv2.dilate(steep, np.ones((3, 3), np.uint8)))


def _tray_and_walls(shape: tuple[int, ...], tray: Quad, reach: int) -> NDArray[np.bool_]:
    """Mark the floor of the tray and everything within `reach` pixels of it, which includes its walls."""
    inside = floor_mask(shape, tray).astype(np.uint8)
    window = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    return np.asarray(cv2.dilate(inside, window) > 0)


def _unevenness(floor: NDArray[np.float32]) -> float:
    """Return the ratio of the light on the brightest part of the floor to that on the darkest.

    The parts are cells of a grid. The median of each is used, so that dice do not affect it.
    """
    step = floor.shape[0] // GRID
    fields = [
        float(np.median(floor[y : y + step, x : x + step]))
        for y in range(0, step * GRID, step)
        for x in range(0, step * GRID, step)
    ]
    darkest, brightest = np.percentile(np.array(fields) ** GAMMA, [10, 90])
    return float(brightest / max(darkest, 1e-4))


def _area(tray: Quad) -> float:
    return float(cv2.contourArea(np.array(tray.corners, np.float32)))
