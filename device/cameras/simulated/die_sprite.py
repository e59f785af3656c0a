"""One die as a small picture with soft edges, ready to be laid over the table."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from device.cameras.base import Image
from device.cameras.simulated.die_pose import NORMALS, DiePose
from device.cameras.simulated.lens import Floats, Lens, TrayPoints
from device.cameras.simulated.mesh import PIP_RADIUS, pip_outlines, rounded_cube
from device.cameras.simulated.tray_geometry import LAMP, SKY, TO_LIGHT, TrayLook, light_of, shown

LAMP_MM = 900.0  # how far the lamp is: near enough that gloss wanders over a face
GLOSS = 0.10  # of a polished acrylic die, against 1 for a mirror
GLOSS_SHARPNESS = 24
FOOT_SHADE = 0.5  # how dark a side gets where it meets the floor


@dataclass(frozen=True, slots=True, eq=False)
class TableLight:
    """The light at one table."""

    body: Floats
    pip: Floats
    floor: Floats
    eye_mm: Floats

    @classmethod
    def of(cls, look: TrayLook, eye_mm: Floats) -> "TableLight":
        return cls(light_of(look.body), light_of(look.pip), light_of(look.felt), eye_mm)

    def on_body(self, points_mm: Floats, normals: Floats, height: Floats) -> Floats:
        """The grey levels of facets, (n, 3). `height` is 0 at the foot of the die, 1 at its top."""
        up = normals[:, 2:]
        lamp = LAMP * np.clip(normals @ TO_LIGHT, 0, None)[:, None] / TO_LIGHT[2]
        sky = SKY * (0.5 + 0.5 * up)
        bounce = 0.55 * (0.5 - 0.5 * up) * self.floor
        foot = 1 - FOOT_SHADE * np.clip(1 - height, 0, 1)[:, None] ** 2 * (1 - np.clip(up, 0, 1))
        light = (lamp + sky + bounce) * foot * self.body
        return shown(light + self._gloss(points_mm, normals)[:, None])

    def on_pip(self, normal: Floats, *, lit: float) -> Floats:
        """The grey level of a dent's bottom; `lit` 1 is the side that faces the lamp."""
        lamp = LAMP * max(0.0, float(normal @ TO_LIGHT)) / TO_LIGHT[2]
        return shown(self.pip * (0.8 + 0.2 * lit) * (lamp + SKY) + 0.012 * lit)

    def _gloss(self, points_mm: Floats, normals: Floats) -> Floats:
        to_lamp = TO_LIGHT * LAMP_MM - points_mm
        to_eye = self.eye_mm - points_mm
        half = _unit(_unit(to_lamp) + _unit(to_eye))
        glint = np.clip((half * normals).sum(axis=1), 0, 1)
        return np.asarray(GLOSS * glint**GLOSS_SHARPNESS)


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


SUBPIXEL_BITS = 4  # cv2 takes polygon corners in sixteenths of a pixel


@dataclass(frozen=True, slots=True)
class Bowl:
    """One layer of a pip: its width against the dent's, how lit it is, its shift to the lamp."""

    width: float
    lit: float
    shift: float


@dataclass(frozen=True, slots=True)
class Detail:
    """How carefully a die is drawn."""

    supersampling: int
    bends: int
    flats: int
    pip_points: int
    bowls: tuple[Bowl, ...]


_DENT = (Bowl(1.0, 1.0, 0.0), Bowl(0.8, 0.0, 0.16))
FINE = Detail(supersampling=3, bends=4, flats=3, pip_points=24, bowls=_DENT)
COARSE = Detail(supersampling=3, bends=1, flats=1, pip_points=6, bowls=_DENT[1:])


@dataclass(frozen=True, slots=True, eq=False)
class DieSprite:
    """A picture to be laid at `left_px`, `top_px`; `colour` is already multiplied by `cover`.

    `colour` is (h, w, 3), `cover` (h, w, 3) with 255 where the die hides all behind it.
    """

    left_px: int
    top_px: int
    colour: Image
    cover: Image

    def lay_on(self, picture: Image) -> None:
        """Compose over a picture, in place; what lies outside of it is cut off."""
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


@dataclass(frozen=True, slots=True)
class SpritePainter:
    """Draws dice of one size through one lens."""

    edge_mm: float
    lens: Lens
    light: TableLight
    detail: Detail

    def draw(self, pose: DiePose, *, margin_px: int = 3) -> DieSprite:
        """One die. `margin_px` leaves room for blur around it."""
        mesh = rounded_cube(bends=self.detail.bends, flats=self.detail.flats)
        normals = mesh.normals @ pose.turn.T
        corners = mesh.corners * self.edge_mm @ pose.turn.T + pose.centre_mm
        middles = corners.mean(axis=1)
        facing = ((self.lens.eye_mm - middles) * normals).sum(axis=1) > 0
        outlines = self._projected(corners[facing])
        heights = (middles[facing, 2] - pose.centre_mm[2]) / self.edge_mm + 0.5
        easel = _Easel(outlines, margin_px, self.detail.supersampling)
        easel.fill(outlines, self.light.on_body(middles[facing], normals[facing], heights))
        self._draw_pips(easel, pose)
        return easel.finished()

    def _draw_pips(self, easel: "_Easel", pose: DiePose) -> None:
        """Dents: dark, with a crescent where the lamp reaches the far side of the bowl."""
        for value, normal in self._facing_faces(pose):
            to_lamp = TO_LIGHT - normal * float(TO_LIGHT @ normal)
            for bowl in self.detail.bowls:
                radius = PIP_RADIUS * bowl.width
                rings = pip_outlines(value, points=self.detail.pip_points, radius=radius)
                shifted = rings @ pose.turn.T + to_lamp * (bowl.shift * PIP_RADIUS)
                colour = self.light.on_pip(normal, lit=bowl.lit)
                outlines = self._projected(shifted * self.edge_mm + pose.centre_mm)
                easel.fill(outlines, np.repeat(colour[None], len(rings), axis=0))

    def _facing_faces(self, pose: DiePose) -> Iterator[tuple[int, Floats]]:
        """The faces that the camera sees, with their directions in the tray."""
        to_eye = self.lens.eye_mm - pose.centre_mm
        for value, direction in NORMALS.items():
            normal = pose.turn @ direction
            if float(to_eye @ normal) > self.edge_mm / 2:
                yield value, normal

    def _projected(self, outlines: Floats) -> Floats:
        """Outlines (n, corners, 3) in the tray as (n, corners, 2) in the picture."""
        points = self.lens.project(TrayPoints(outlines.reshape(-1, 3)))
        return points.reshape(*outlines.shape[:2], 2)


class _Easel:
    """A little canvas, several times finer than the picture."""

    def __init__(self, outlines_px: Floats, margin_px: int, supersampling: int) -> None:
        """Large enough for the outlines and a margin around them."""
        self.low = np.floor(outlines_px.min(axis=(0, 1))) - margin_px
        high = np.ceil(outlines_px.max(axis=(0, 1))) + margin_px
        self.width, self.height = (int(n) for n in high - self.low)
        self.fine = supersampling
        shape = (self.height * supersampling, self.width * supersampling)
        self.colour: Image = np.zeros((*shape, 3), np.uint8)
        self.cover: Image = np.zeros(shape, np.uint8)

    def fill(self, outlines_px: Floats, colours: Floats) -> None:
        """Fill convex outlines (n, corners, 2) of the picture with n colours."""
        # A pixel's middle is its integer coordinate in cv2, and half a pixel further on here.
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
