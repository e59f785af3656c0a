"""The simulated table without dice, drawn once: table top, felt, walls and their shadows."""

# np.random takes time and memory to import, and only a simulated tray needs it
from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from device.cameras.base import Image
from device.cameras.simulated.lens import Floats, Lens, TrayPoints
from device.cameras.simulated.tray_geometry import (
    DISPLAY_GAMMA,
    FLOOR,
    LAMP,
    LENS,
    RIM_MM,
    SKY,
    TABLE_MM,
    TO_LIGHT,
    WALL_MM,
    Area,
    Colour,
    TrayLook,
    light_of,
    to_grey_levels,
)

Floats32 = npt.NDArray[np.float32]


def _noise(rng: np.random.Generator, height: int, width: int) -> Floats32:
    return rng.standard_normal((height, width), dtype=np.float32)


def _clouds(
    rng: np.random.Generator, height: int, width: int, *, across: int, down: int
) -> Floats32:
    """Return smooth noise of standard deviation 1, (height, width).

    Args:
        rng: Source of random numbers.
        height: Height in pixels.
        width: Width in pixels.
        across: Approximate number of blotches from left to right.
        down: Approximate number of blotches from top to bottom.
    """
    coarse = _noise(rng, down, across)
    return np.asarray(
        cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.float32
    )


def _felt(rng: np.random.Generator, height: int, width: int) -> Floats32:
    """Return the texture of felt as brightness around 1, (height, width).

    It has fibres in two directions, and faint mottling from wear.
    """
    grain = _noise(rng, height, width)
    fibres = cv2.GaussianBlur(grain, (0, 0), sigmaX=2.4, sigmaY=0.7) + cv2.GaussianBlur(
        grain[::-1], (0, 0), sigmaX=0.7, sigmaY=2.4
    )
    mottling = _clouds(rng, height, width, across=14, down=10)
    return np.asarray(1 + 0.13 * fibres + 0.025 * mottling, np.float32)


def _wood(rng: np.random.Generator, height: int, width: int, *, rings: float) -> Floats32:
    """Return the texture of wood as brightness around 1, (height, width).

    The grain runs along the width, and there are `rings` annual rings across it.
    """
    across = np.linspace(0, rings, height, dtype=np.float32)[:, None]
    grain = _clouds(rng, height, width, across=5, down=3)  # bends the rings
    grain *= 0.55
    grain += across
    grain *= 2 * np.pi
    np.sin(grain, out=grain)
    grain *= 0.06
    grain += 0.05 * _clouds(
        rng, height, width, across=max(4, width // 90), down=max(4, height // 3)
    )
    grain += 0.22 * cv2.GaussianBlur(_noise(rng, height, width), (0, 0), sigmaX=9, sigmaY=0.6)
    grain += 0.04 * _clouds(rng, height, width, across=3, down=4)
    grain += 1
    return grain


SUPERSAMPLING = 2
TEXTURE_PX_PER_MM = 5  # finer than the 3.5 of a full frame
SHADOW_EDGE_MM = 3.5  # width of the soft edge of a shadow
WALL_SHADOW = 0.55  # share of a die's shadow that remains on a wall, because walls are upright
VIGNETTE = 0.24  # share of the light that a small lens loses in the corners


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """The empty table as the camera sees it.

    Attributes:
        picture: (height, width, 3) uint8 BGR.
        floor: (height, width) uint8: how strongly the shadow of a die inside the tray shows at each
            pixel, from 0 (not at all) to 255 (fully, on the felt).
        table: (height, width) uint8: how strongly the shadow of a die next to the tray shows at each
            pixel, from 0 (not at all) to 255 (fully, on the table).
    """

    picture: Image
    floor: Image
    table: Image

    def scaled(self, lens: Lens) -> Background:
        """Return the background, scaled to the frame of another lens."""
        size = (lens.width_px, lens.height_px)
        picture, floor, table = (
            np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
            for image in (self.picture, self.floor, self.table)
        )
        return Background(picture, floor, table)


def backdrop(look: TrayLook) -> Background:
    """Return the background for the colours of a table. The same colours always get the same texture."""
    return _painted(TrayLook(felt=look.felt, rim=look.rim, table=look.table))  # without its dice


@lru_cache(maxsize=8)
def _painted(look: TrayLook) -> Background:
    canvas = _Canvas(LENS.scaled(LENS.width_px * SUPERSAMPLING))
    rng = np.random.default_rng(20)
    _paint_table(canvas, look, rng)
    _paint_floor(canvas, look, rng)
    _paint_walls(canvas, look, rng)
    picture = cv2.resize(
        canvas.picture, (LENS.width_px, LENS.height_px), interpolation=cv2.INTER_AREA
    )
    picture = cv2.GaussianBlur(picture, (0, 0), 0.6)
    return Background(
        np.asarray(np.clip(picture * vignette(LENS)[..., None], 0, 255), np.uint8),
        *_shadow_catchers(),
    )


def vignette(lens: Lens) -> Floats32:
    """Return the brightness of each pixel relative to the centre of the frame, (height, width)."""
    x = np.linspace(-1, 1, lens.width_px, dtype=np.float32)
    y = np.linspace(-1, 1, lens.height_px, dtype=np.float32) * lens.height_px / lens.width_px
    from_middle = x[None, :] ** 2 + y[:, None] ** 2
    lamp_side = 1.05 - 0.05 * x[None, :] - 0.03 * y[:, None]
    return np.asarray(lamp_side * (1 - VIGNETTE * from_middle / from_middle.max()), np.float32)


class _Canvas:
    """A frame on which flat surfaces are painted in perspective."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self.picture: Image = np.zeros((lens.height_px, lens.width_px, 3), np.uint8)

    def paint(self, corners: TrayPoints, texture: Image, outline: TrayPoints) -> None:
        """Paint a texture on a flat surface.

        Args:
            corners: The places of the texture's corners, in tray coordinates.
            texture: The texture, (height, width, 3) BGR.
            outline: Corners of the part of the surface that is painted, in tray coordinates.
        """
        height, width = texture.shape[:2]
        source = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
        edge = np.rint(self.lens.project(outline)).astype(np.int32)
        left, top, across, down = cv2.boundingRect(edge)
        target = (self.lens.project(corners) - (left, top)).astype(np.float32)
        warp = cv2.getPerspectiveTransform(source, target)
        laid = cv2.warpPerspective(texture, warp, (across, down), borderMode=cv2.BORDER_REPLICATE)
        mask: Image = np.zeros((down, across), np.uint8)
        cv2.fillConvexPoly(mask, edge - np.array((left, top), np.int32), 255)
        self._copy(np.asarray(laid, np.uint8), mask, left, top)

    def _copy(self, laid: Image, mask: Image, left: int, top: int) -> None:
        y, x = max(0, top), max(0, left)
        below = self.picture[y : top + mask.shape[0], x : left + mask.shape[1]]
        inside = (
            slice(y - top, y - top + below.shape[0]),
            slice(x - left, x - left + below.shape[1]),
        )
        cv2.copyTo(laid[inside], mask[inside], below)

    def line(self, start: Floats, end: Floats, colour: Floats, width_px: int) -> None:
        ends = np.rint(self.lens.project(TrayPoints(np.array([start, end])))).astype(int)
        a, b = ((int(x), int(y)) for x, y in ends)
        cv2.line(self.picture, a, b, colour.tolist(), width_px, cv2.LINE_AA)


def _textured(brightness: Floats32, colour: Colour, light: float | Floats32) -> Image:
    """Return a BGR image of a surface.

    Args:
        brightness: Texture of the surface as brightness around 1, (height, width).
        colour: Colour of the surface.
        light: The light on the surface, 0 to 1; either one value or one for each pixel.
    """
    grey_levels = cv2.pow(brightness * np.float32(light), 1 / DISPLAY_GAMMA)
    channels = [np.asarray(np.clip(grey_levels * c, 0, 255), np.uint8) for c in colour[::-1]]
    return np.asarray(cv2.merge(channels), np.uint8)


def _texels(area: Area) -> tuple[int, int]:
    return (
        round((area.far_mm - area.near_mm) * TEXTURE_PX_PER_MM),
        round((area.right_mm - area.left_mm) * TEXTURE_PX_PER_MM),
    )


def _paint_table(canvas: _Canvas, look: TrayLook, rng: np.random.Generator) -> None:
    area = Area(-240, 275, -160, 150, TABLE_MM)
    grain = _wood(rng, *_texels(area), rings=26)
    outside = FLOOR.expanded(RIM_MM, WALL_MM)
    light = 1 - LAMP * _shadow(area, outside, WALL_MM - TABLE_MM)
    canvas.paint(area.corners(), _textured(grain, look.table, light), area.corners())


def _shadow(area: Area, of: Area, height_mm: float) -> Floats32:
    """Return how dark the shadow of a block is at each texel of an area, 0 to 1.

    Args:
        area: The area on which the shadow falls.
        of: Outline of the block.
        height_mm: Height of the block above the area.
    """
    shift = -TO_LIGHT[:2] / TO_LIGHT[2] * height_mm
    corners = np.array([(x, y) for x, y, _ in of.corners()])
    fallen = cv2.convexHull(np.vstack([corners, corners + shift]).astype(np.float32))[:, 0]
    texels = (fallen - (area.left_mm, area.far_mm)) * (TEXTURE_PX_PER_MM, -TEXTURE_PX_PER_MM)
    mask: Floats32 = np.zeros(_texels(area), np.float32)
    cv2.fillConvexPoly(mask, np.rint(texels).astype(np.int32), 1.0)
    return _softened(mask)


def _softened(mask: Floats32) -> Floats32:
    """Blur a shadow, because the lamp is not a point. Two box blurs resemble a Gaussian and cost little."""
    wide = round(1.7 * SHADOW_EDGE_MM * TEXTURE_PX_PER_MM)
    return np.asarray(cv2.blur(cv2.blur(mask, (wide, wide)), (wide, wide)), np.float32)


def _paint_floor(canvas: _Canvas, look: TrayLook, rng: np.random.Generator) -> None:
    height, width = _texels(FLOOR)
    light = LAMP * _lamp_on_floor() + SKY * _sky_on_floor()
    texture = _textured(_felt(rng, height, width), look.felt, light)
    canvas.paint(FLOOR.corners(), texture, FLOOR.corners())


def _lamp_on_floor() -> Floats32:
    """Return the share of the lamp's light, 0 to 1, that passes over the walls to each texel of the floor."""
    height, width = _texels(FLOOR)
    shift_px = TO_LIGHT[:2] / TO_LIGHT[2] * WALL_MM * TEXTURE_PX_PER_MM
    border = round(4 * SHADOW_EDGE_MM * TEXTURE_PX_PER_MM)
    wide: Floats32 = np.zeros((height + 2 * border, width + 2 * border), np.float32)
    top, left = border + max(0, round(shift_px[1])), border + max(0, round(-shift_px[0]))
    wide[top : border + height + 200, left : border + width + 200] = 1
    soft = _softened(wide)
    return np.asarray(soft[border : border + height, border : border + width], np.float32)


def _sky_on_floor() -> Floats32:
    """Return the ambient light at each texel of the floor, 0 to 1. It is weaker close to a wall."""
    height, width = _texels(FLOOR)
    x = np.arange(width, dtype=np.float32) / TEXTURE_PX_PER_MM
    y = np.arange(height, dtype=np.float32) / TEXTURE_PX_PER_MM
    from_wall_mm = np.minimum(
        np.minimum(x, x[::-1])[None, :],
        np.minimum(y, y[::-1])[:, None],
    )
    return np.asarray(1 - 0.55 * np.exp(-from_wall_mm / (WALL_MM * 0.4)), np.float32)


# The directions in which the four walls face into the tray.
_INWARD = (
    np.array([0.0, -1.0, 0.0]),
    np.array([-1.0, 0.0, 0.0]),
    np.array([0.0, 1.0, 0.0]),
    np.array([1.0, 0.0, 0.0]),
)


def _paint_walls(canvas: _Canvas, look: TrayLook, rng: np.random.Generator) -> None:
    floor = FLOOR.corners()
    inner = FLOOR.expanded(0, WALL_MM).corners()
    outer = FLOOR.expanded(RIM_MM, WALL_MM).corners()
    for side, inward in enumerate(_INWARD):
        a, b = side, (side + 1) % 4
        length = round(float(np.linalg.norm(outer[b] - outer[a])) * TEXTURE_PX_PER_MM)
        face = _wood(rng, round(WALL_MM * TEXTURE_PX_PER_MM), length, rings=5)
        upright = TrayPoints(np.array([inner[a], inner[b], floor[b], floor[a]]))
        canvas.paint(upright, _textured(face, look.rim, _light_on_wall(face, inward)), upright)
        top = _wood(rng, round(RIM_MM * TEXTURE_PX_PER_MM), length, rings=3)
        square = TrayPoints(np.array([outer[a], outer[b], *_below(outer[a], outer[b], inward)]))
        mitred = TrayPoints(np.array([outer[a], outer[b], inner[b], inner[a]]))
        canvas.paint(square, _textured(top, look.rim, 1.0), mitred)
    edge = to_grey_levels(light_of(look.rim) * 1.5 + 0.04)
    for side in range(4):
        canvas.line(inner[side], inner[(side + 1) % 4], edge, SUPERSAMPLING)
        canvas.line(outer[side], inner[side], edge * 0.55, 1)


def _below(a: Floats, b: Floats, inward: Floats) -> tuple[Floats, Floats]:
    return b + inward * RIM_MM, a + inward * RIM_MM


def _light_on_wall(face: Floats32, inward: Floats) -> Floats32:
    """Return the light at each texel of a wall, 0 to 1. A wall is darker than its rim, and darkest at its foot.

    Args:
        face: Texture of the wall, (height, width).
        inward: Unit vector from the wall into the tray, (3,).
    """
    lamp = LAMP * max(0.0, float(inward @ TO_LIGHT)) / TO_LIGHT[2]
    up = np.linspace(1, 0.35, face.shape[0], dtype=np.float32)[:, None]
    return np.asarray((lamp + SKY * 0.9 * up) * np.ones_like(face), np.float32)


def _shadow_catchers() -> tuple[Image, Image]:
    shape = (LENS.height_px, LENS.width_px)
    floor: Image = np.zeros(shape, np.uint8)
    table: Image = np.full(shape, 255, np.uint8)
    _fill(floor, FLOOR.expanded(0, WALL_MM), round(255 * WALL_SHADOW))
    _fill(floor, FLOOR, 255)
    _fill(table, FLOOR.expanded(RIM_MM, WALL_MM), 0)
    return floor, table


def _fill(mask: npt.NDArray[np.uint8], area: Area, value: int) -> None:
    corners = np.rint(LENS.project(area.corners())).astype(np.int32)
    cv2.fillConvexPoly(mask, corners, value)
