"""What a picture of the tray is good for: framing, light, glare and focus.

Everything is measured against the tray, a die or the picture's own range, never in pixels.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import tray_width_px
from calibration.rectify import Image, brightness, floor_mask, rectify_floor
from vision.reading import Quad

USUAL_EDGE = 0.075
"""A die of 16 mm in tray widths of one of 21 cm: taken while the dice are not known."""

CUT, TIGHT = 0.0, 0.01
"""Of the picture, how near to its edge a corner may come: not all in view, hardly in view."""

SMALL = 0.1
"""Of the picture's area: a tray that fills less is far away."""

LEAST_DIE_PX = 28
"""Below this the pips of a die run together, however sharp the picture is."""

SLANTED = 1.3
"""Ratio of opposite sides of the tray: from here on the sides of the dice are in view."""

DARK, BURNT = 0.16, 0.10
"""Brightness that the lightest of tray and walls must reach, black felt or not; share of the floor
that may be as bright as can be."""

WHITE = 0.985
"""Of full brightness: from here on a sensor has seen enough, and shows nothing more."""

FADES = 0.5
"""Of the step from the floor to white: what rises less within two hundredths of the tray fades out."""

UNEVEN = 5.0
"""Light on the brightest quarter of the floor by that on the darkest."""

WALLS = 0.12
"""Of the tray's width: so far its walls reach in the picture."""

GAMMA = 2.2

GLARE = 0.003
"""Of the tray, how much may mirror a lamp."""

SOFT = 0.04
"""Edges wider than this share of a die blur its pips."""

STEP = 0.035
"""Of full brightness, within the blur that is added: what changes less is no edge to judge by."""

MORE, DENOISE_PX = 0.06, 0.7
"""Blur that is added to compare with, in dice; and that which takes the noise out first."""

GRID = 4


class CheckName(StrEnum):
    """What is looked at."""

    FRAMING = "framing"
    LIGHT = "light"
    GLARE = "glare"
    FOCUS = "focus"


class PictureFinding(StrEnum):
    """What a picture shows of the tray, good or bad."""

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
    """Of the picture."""

    LEFT = "left"
    RIGHT = "right"
    TOP = "top"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True)
class PictureCheck:
    """What one check found.

    Attributes:
        name: what was looked at.
        ok: None where the picture cannot tell.
        finding: what was found.
        sides: of the picture, where the tray touches them.
        share: how much of the picture, the tray, full brightness or a die: which, `finding` says.
        ratio: light of one end of the tray by that of another.
        die_px: how large a die is.
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
    """All checks of a picture (h, w, 3) in which the tray lies there.

    `die_edge` is that of this dice set, in tray widths.
    """
    edge = die_edge or USUAL_EDGE
    return (framing(image, tray, edge), light(image, tray), glare(image, tray, edge),
            focus(image, tray, edge))  # fmt: skip


def framing(image: Image, tray: Quad, edge: float = USUAL_EDGE) -> PictureCheck:
    """Whether all of the tray is in view, from above, and large enough."""
    height, width = image.shape[:2]
    shares = np.array(tray.corners) / (width, height)
    room = {PictureSide.LEFT: shares[:, 0].min(), PictureSide.RIGHT: 1 - shares[:, 0].max(),
            PictureSide.TOP: shares[:, 1].min(), PictureSide.BOTTOM: 1 - shares[:, 1].max()}  # fmt: skip
    tight = tuple(side for side, left in room.items() if left < TIGHT)
    if any(left < CUT for left in room.values()):
        return PictureCheck(CheckName.FRAMING, False, PictureFinding.CUT_OFF, sides=tight)
    share, die_px = _area(tray) / (width * height), edge * tray_width_px(tray)
    if die_px < LEAST_DIE_PX or share < SMALL:
        return PictureCheck(
            CheckName.FRAMING, False, PictureFinding.FAR_AWAY, share=share, die_px=die_px
        )
    if _slant(tray) > SLANTED:
        return PictureCheck(CheckName.FRAMING, False, PictureFinding.FROM_THE_SIDE)
    if tight:
        return PictureCheck(CheckName.FRAMING, True, PictureFinding.TIGHT, sides=tight)
    return PictureCheck(CheckName.FRAMING, True, PictureFinding.WHOLE, die_px=die_px)


def _slant(tray: Quad) -> float:
    """How much longer a side of the tray is than the one opposite."""
    sides = np.linalg.norm(np.diff([*tray.corners, tray.corners[0]], axis=0), axis=1)
    return float(max(a / b for a, b in zip(sides, np.roll(sides, 2), strict=True)))


def light(image: Image, tray: Quad) -> PictureCheck:
    """Whether there is enough light, not too much, and from more than one side."""
    floor = brightness(rectify_floor(image, tray, side_px=128))
    around = brightness(rectify_floor(image, tray, side_px=128, margin=WALLS))
    bright = float(np.percentile(around, 98))
    if bright < DARK:
        return PictureCheck(CheckName.LIGHT, False, PictureFinding.DARK, share=bright)
    burnt = float((rectify_floor(image, tray, side_px=128).max(axis=2) > WHITE * 255).mean())
    if burnt > BURNT:
        return PictureCheck(CheckName.LIGHT, False, PictureFinding.TOO_BRIGHT, share=burnt)
    uneven = _unevenness(floor)
    if uneven > UNEVEN:
        return PictureCheck(CheckName.LIGHT, False, PictureFinding.UNEVEN, ratio=uneven)
    return PictureCheck(CheckName.LIGHT, True, PictureFinding.WELL_LIT)


def glare(image: Image, tray: Quad, edge: float = USUAL_EDGE) -> PictureCheck:
    """Whether a lamp is mirrored on the floor: spots of white much lighter than their surroundings."""
    share = glare_share(image, tray, edge)
    if share > GLARE:
        return PictureCheck(CheckName.GLARE, False, PictureFinding.MIRRORED, share=share)
    return PictureCheck(CheckName.GLARE, True, PictureFinding.MATT)


def glare_share(image: Image, tray: Quad, edge: float) -> float:
    """How much of the tray is white spots, those of the size of a white die and its faces left out.

    A white die has sharp sides; what is mirrored fades out.
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
    sharp = FADES * (WHITE - around)
    return float(sum(areas[n] for n in large if _rim(steep, np.asarray(labels) == n) < sharp))


def _rim(steep: NDArray[Any], spot: NDArray[np.bool_]) -> float:
    """How steep the brightness is around a spot."""
    around = cv2.dilate(spot.astype(np.uint8), np.ones((5, 5), np.uint8))
    return float(np.median(steep[(np.asarray(around) > 0) & ~spot]))


def focus(image: Image, tray: Quad, edge: float = USUAL_EDGE) -> PictureCheck:
    """Whether edges in the tray are sharp, measured in dice."""
    blur = blur_share(image, tray, edge)
    if blur is None:
        return PictureCheck(CheckName.FOCUS, None, PictureFinding.BARE)
    if blur > SOFT:
        return PictureCheck(CheckName.FOCUS, False, PictureFinding.SOFT, share=blur)
    return PictureCheck(CheckName.FOCUS, True, PictureFinding.SHARP, share=blur)


def blur_share(image: Image, tray: Quad, edge: float) -> float | None:
    """How far the sharpest edges in the tray are blurred (sigma), in dice; None without any.

    Blurred a little more by a known amount, a sharp edge loses more of its steepness than one that
    is soft already: contrast drops out.
    """
    die_px = edge * tray_width_px(tray)
    more_px = max(1.0, MORE * die_px)
    levels = cv2.GaussianBlur(brightness(image), (0, 0), DENOISE_PX)
    steep, softened = _steepness(levels), _steepness(cv2.GaussianBlur(levels, (0, 0), more_px))
    judged = _watched(image.shape, tray, round(0.3 * die_px)) & _crest(steep)
    judged &= softened * more_px > STEP
    if judged.sum() < die_px:
        return None
    loss = np.maximum((steep[judged] / np.maximum(softened[judged], 1e-6)) ** 2 - 1, 1e-3)
    blur_px = np.sqrt(np.maximum(more_px**2 / loss - DENOISE_PX**2, 0))
    return float(np.percentile(blur_px, 20) / die_px)


def _steepness(levels: NDArray[Any]) -> NDArray[np.float32]:
    """Of the brightness, a pixel."""
    dx = cv2.Sobel(levels, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    dy = cv2.Sobel(levels, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return np.asarray(np.hypot(dx, dy), np.float32)


def _crest(steep: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where nothing steeper is near."""
    return np.asarray(steep >= cv2.dilate(steep, np.ones((3, 3), np.uint8)))


def _watched(shape: tuple[int, ...], tray: Quad, reach: int) -> NDArray[np.bool_]:
    """The tray and its walls."""
    inside = floor_mask(shape, tray).astype(np.uint8)
    window = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    return np.asarray(cv2.dilate(inside, window) > 0)


def _unevenness(floor: NDArray[np.float32]) -> float:
    """Light of the brightest of some fields of the floor by that of the darkest, dice left out."""
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
