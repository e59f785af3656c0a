"""One die as a small image with soft edges, to be composed over the table."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import pi

import cv2
import numpy as np

from device.cameras.base import Image
from device.cameras.simulated.die_pose import NORMALS, DiePose
from device.cameras.simulated.lens import Floats, Lens, TrayPoints
from device.cameras.simulated.tray_geometry import (
    LAMP,
    SKY,
    TO_LIGHT,
    TrayLook,
    light_of,
    to_grey_levels,
)

ROUNDING = (
    0.13  # radius of the rounded edges, in die edges: 0 for casino dice, up to 0.2 for travel dice
)
PIP_RADIUS = 0.088
PIP_OFFSET = (
    0.235  # distance of the outer pips from the centre of the face along each axis, in die edges
)

# The pips of each face, as steps of `PIP_OFFSET` along the face's two axes.
_CORNERS = ((-1, -1), (1, 1), (-1, 1), (1, -1))
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: _CORNERS[:2],
    3: (*_CORNERS[:2], (0, 0)),
    4: _CORNERS,
    5: (*_CORNERS, (0, 0)),
    6: (*_CORNERS, (-1, 0), (1, 0)),
}


def face_axes(value: int) -> tuple[Floats, Floats]:
    """Return two unit vectors that span face `value` of a die and form a right-handed system with its normal."""
    normal = NORMALS[value]
    across = np.roll(normal, 1) * np.sign(normal.sum())
    return across, np.cross(normal, across)


@lru_cache(maxsize=4)
def rounded_cube(*, bends: int, flats: int) -> tuple[Floats, Floats]:
    """Return the facets of a cube with rounded edges.

    Args:
        bends: Number of facets along the rounding of each edge.
        flats: Number of facets across each flat face.

    Returns:
        Four corners of each facet, (facets, 4, 3), on a die with edge 1 centred on the origin, and the outward unit
        vector of each facet, (facets, 3).
    """
    steps = _steps(bends, flats)
    faces = [_face(value, steps) for value in NORMALS]
    corners, normals = (np.concatenate(parts) for parts in zip(*faces, strict=True))
    return corners, normals


def _steps(bends: int, flats: int) -> Floats:
    """Return the coordinates at which to cut the faces of the enclosing cube, from -0.5 to 0.5.

    The facets of a rounded edge then all have the same angle to their neighbours.

    Args:
        bends: Number of facets along the rounding of each edge.
        flats: Number of facets across each flat face.
    """
    flat = 0.5 - ROUNDING
    bent = flat + ROUNDING * np.tan(np.linspace(0, pi / 4, bends + 1))[1:]
    return np.concatenate([-bent[::-1], np.linspace(-flat, flat, flats + 1), bent])


def _face(value: int, steps: Floats) -> tuple[Floats, Floats]:
    across, along = face_axes(value)
    grid = NORMALS[value] * 0.5 + steps[:, None, None] * across + steps[None, :, None] * along
    inside = np.clip(grid, ROUNDING - 0.5, 0.5 - ROUNDING)
    outward = (grid - inside) / np.linalg.norm(grid - inside, axis=-1, keepdims=True)
    normals = _facets(outward).mean(axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return _facets(inside + ROUNDING * outward), normals


def _facets(grid: Floats) -> Floats:
    """Return the four corners of every cell in a grid of points: (rows, columns, 3) becomes (cells, 4, 3)."""
    cells = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2)
    return cells.reshape(-1, 4, 3)


@lru_cache(maxsize=16)
def pip_outlines(value: int, *, points: int, radius: float = PIP_RADIUS) -> Floats:
    """Return the pips of a face as polygons on a die of edge 1, (pips, points, 3).

    Args:
        value: The face, 1 to 6.
        points: Number of corners of each polygon.
        radius: Radius of a pip in die edges.
    """
    across, along = face_axes(value)
    angles = np.linspace(0, 2 * pi, points, endpoint=False)
    ring = radius * (np.cos(angles)[:, None] * across + np.sin(angles)[:, None] * along)
    middles = [PIP_OFFSET * (a * across + b * along) for a, b in _PIPS[value]]
    return np.array([NORMALS[value] * 0.5 + middle + ring for middle in middles])


LAMP_MM = 900.0  # distance of the lamp, small enough for gloss to move across a face
GLOSS = 0.10  # gloss of a polished acrylic die; that of a mirror is 1
GLOSS_SHARPNESS = 24
FOOT_SHADE = 0.5  # share of the light that a side loses where it meets the floor


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


SUBPIXEL_BITS = 4  # cv2 then expects polygon corners in sixteenths of a pixel


@dataclass(frozen=True, slots=True)
class PipLayer:
    """One of the stacked discs that form a pip.

    Attributes:
        width: Diameter of the disc as a fraction of the pip's diameter.
        lit: How strongly the disc is lit, 0 to 1.
        shift: How far the disc is shifted towards the lamp, in radii of the pip.
    """

    width: float
    lit: float
    shift: float


@dataclass(frozen=True, slots=True)
class Detail:
    """The level of detail with which a die is drawn.

    Attributes:
        supersampling: Factor by which the canvas is finer than the frame.
        bends: Number of facets along the rounding of each edge.
        flats: Number of facets across each flat face.
        pip_points: Number of corners of the polygon that draws a pip.
        layers: The stacked discs that form a pip, from bottom to top.
    """

    supersampling: int
    bends: int
    flats: int
    pip_points: int
    layers: tuple[PipLayer, ...]


_DENT = (PipLayer(1.0, 1.0, 0.0), PipLayer(0.8, 0.0, 0.16))
FINE = Detail(supersampling=3, bends=4, flats=3, pip_points=24, layers=_DENT)
COARSE = Detail(supersampling=3, bends=1, flats=1, pip_points=6, layers=_DENT[1:])


@dataclass(frozen=True, slots=True, eq=False)
class DieSprite:
    """The image of one die.

    Attributes:
        left_px: Column of the image's left edge in the frame.
        top_px: Row of the image's top edge in the frame.
        colour: (height, width, 3) uint8 BGR, already multiplied by `cover`.
        cover: (height, width, 3) uint8: 255 where the die hides what is behind it, 0 outside the die.
    """

    left_px: int
    top_px: int
    colour: Image
    cover: Image

    def compose_over(self, picture: Image) -> None:
        """Draw the die over a frame, in place. Parts outside the frame are cut off."""
        height, width = self.cover.shape[:2]
        top, left = max(0, self.top_px), max(0, self.left_px)
        bottom = min(picture.shape[0], self.top_px + height)
        right = min(picture.shape[1], self.left_px + width)
        if top >= bottom or left >= right:
            return
        here = (
            slice(top - self.top_px, bottom - self.top_px),
            slice(left - self.left_px, right - self.left_px),
        )
        under = picture[top:bottom, left:right]
        seen = cv2.multiply(under, 255 - self.cover[here], scale=1 / 255)
        picture[top:bottom, left:right] = cv2.add(seen, self.colour[here])


class SpritePainter:
    """Draws dice as they are seen through one lens.

    Args:
        look: Colours and size of the dice.
        lens: The lens through which the dice are seen.
        detail: How finely to draw the dice.
    """

    def __init__(self, look: TrayLook, lens: Lens, detail: Detail) -> None:
        self._edge_mm, self._lens, self._detail = look.die_mm, lens, detail
        self._body, self._pip, self._floor = map(light_of, (look.body, look.pip, look.felt))

    def draw(self, pose: DiePose, *, margin_px: int = 3) -> DieSprite:
        """Draw one die.

        Args:
            pose: Position and rotation of the die.
            margin_px: Number of empty pixels around the die, which leave room for blur.
        """
        corners, normals = rounded_cube(bends=self._detail.bends, flats=self._detail.flats)
        normals = normals @ pose.turn.T
        corners = corners * self._edge_mm @ pose.turn.T + pose.centre_mm
        middles = corners.mean(axis=1)
        facing = ((self._lens.eye_mm - middles) * normals).sum(axis=1) > 0
        outlines = self._projected(corners[facing])
        heights = (middles[facing, 2] - pose.centre_mm[2]) / self._edge_mm + 0.5
        canvas = _DieCanvas(outlines, margin_px, self._detail.supersampling)
        canvas.fill(outlines, self._colours_of_body(middles[facing], normals[facing], heights))
        self._draw_pips(canvas, pose)
        return canvas.finished()

    def _draw_pips(self, canvas: "_DieCanvas", pose: DiePose) -> None:
        """Draw the pips of a die as dark dents, with a crescent where the lamp reaches the far side."""
        for value, normal in self._facing_faces(pose):
            to_lamp = TO_LIGHT - normal * float(TO_LIGHT @ normal)
            for layer in self._detail.layers:
                radius = PIP_RADIUS * layer.width
                rings = pip_outlines(value, points=self._detail.pip_points, radius=radius)
                shifted = rings @ pose.turn.T + to_lamp * (layer.shift * PIP_RADIUS)
                colour = self._colour_of_pip(normal, lit=layer.lit)
                outlines = self._projected(shifted * self._edge_mm + pose.centre_mm)
                canvas.fill(outlines, np.repeat(colour[None], len(rings), axis=0))

    def _facing_faces(self, pose: DiePose) -> Iterator[tuple[int, Floats]]:
        """Yield the faces of a die that the camera sees, with their normals in tray coordinates."""
        to_eye = self._lens.eye_mm - pose.centre_mm
        for value, direction in NORMALS.items():
            normal = pose.turn @ direction
            if float(to_eye @ normal) > self._edge_mm / 2:
                yield value, normal

    def _projected(self, outlines: Floats) -> Floats:
        """Project n outlines from tray coordinates, (n, corners, 3), to pixels of the frame, (n, corners, 2)."""
        points = self._lens.project(TrayPoints(outlines.reshape(-1, 3)))
        return points.reshape(*outlines.shape[:2], 2)

    def _colours_of_body(self, points_mm: Floats, normals: Floats, height: Floats) -> Floats:
        """Return the colours of n facets of a die's body, (n, 3) BGR, 0 to 255.

        Args:
            points_mm: Centres of the facets in tray coordinates, (n, 3).
            normals: Unit vectors at right angles to the facets, (n, 3).
            height: Height of each facet, (n,): 0 at the foot of the die, 1 at its top.
        """
        up = normals[:, 2:]
        lamp = LAMP * np.clip(normals @ TO_LIGHT, 0, None)[:, None] / TO_LIGHT[2]
        sky = SKY * (0.5 + 0.5 * up)
        bounce = 0.55 * (0.5 - 0.5 * up) * self._floor
        foot = 1 - FOOT_SHADE * np.clip(1 - height, 0, 1)[:, None] ** 2 * (1 - np.clip(up, 0, 1))
        light = (lamp + sky + bounce) * foot * self._body
        return to_grey_levels(light + self._gloss(points_mm, normals)[:, None])

    def _colour_of_pip(self, normal: Floats, *, lit: float) -> Floats:
        """Return the colour of a pip, (3,) BGR, 0 to 255.

        Args:
            normal: Unit vector at right angles to the face, (3,).
            lit: 1 for the side of the pip that faces the lamp, 0 for the other side.
        """
        lamp = LAMP * max(0.0, float(normal @ TO_LIGHT)) / TO_LIGHT[2]
        return to_grey_levels(self._pip * (0.8 + 0.2 * lit) * (lamp + SKY) + 0.012 * lit)

    def _gloss(self, points_mm: Floats, normals: Floats) -> Floats:
        to_lamp = TO_LIGHT * LAMP_MM - points_mm
        to_eye = self._lens.eye_mm - points_mm
        half = _unit(_unit(to_lamp) + _unit(to_eye))
        glint = np.clip((half * normals).sum(axis=1), 0, 1)
        return np.asarray(GLOSS * glint**GLOSS_SHARPNESS)


class _DieCanvas:
    """A small canvas for one die, several times finer than the frame.

    Args:
        outlines_px: Outlines that the canvas must contain, (n, corners, 2) in pixels of the frame.
        margin_px: Number of empty pixels of the frame around them.
        supersampling: Factor by which the canvas is finer than the frame.
    """

    def __init__(self, outlines_px: Floats, margin_px: int, supersampling: int) -> None:
        self.low = np.floor(outlines_px.min(axis=(0, 1))) - margin_px
        high = np.ceil(outlines_px.max(axis=(0, 1))) + margin_px
        self.width, self.height = (int(n) for n in high - self.low)
        self.fine = supersampling
        shape = (self.height * supersampling, self.width * supersampling)
        self.colour: Image = np.zeros((*shape, 3), np.uint8)
        self.cover: Image = np.zeros(shape, np.uint8)

    def fill(self, outlines_px: Floats, colours: Floats) -> None:
        """Fill n convex outlines, (n, corners, 2) in pixels of the frame, with n colours, (n, 3) BGR."""
        # In cv2, integer coordinates are the centres of pixels; here, they are the corners of pixels.
        fine = (outlines_px - self.low) * self.fine - 0.5
        fixed = np.rint(fine * (1 << SUBPIXEL_BITS)).astype(np.int32)
        for outline, colour in zip(fixed, colours.tolist(), strict=True):
            cv2.fillConvexPoly(self.colour, outline, colour, cv2.LINE_8, SUBPIXEL_BITS)
            cv2.fillConvexPoly(self.cover, outline, 255, cv2.LINE_8, SUBPIXEL_BITS)

    def finished(self) -> DieSprite:
        size = (self.width, self.height)
        colour = cv2.resize(self.colour, size, interpolation=cv2.INTER_AREA)
        cover = cv2.resize(self.cover, size, interpolation=cv2.INTER_AREA)
        return DieSprite(
            int(self.low[0]),
            int(self.low[1]),
            np.asarray(colour, np.uint8),
            np.asarray(cv2.merge([cover, cover, cover]), np.uint8),
        )
