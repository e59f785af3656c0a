"""Draws the six faces of a die as images, in which both renderers look up colours and heights.

The columns and rows of a face follow the two axes that `world.face_axes` returns, from -1 to 1.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.colours import Rgb, scale_colour
from training.scenes.dice.bodies import CLEAR, HEIGHT, INK, ROUGH, draw_body_faces
from training.scenes.dice.die_style import DieStyle
from training.scenes.dice.pips import pip_centres, pip_colour

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class DieSheet:
    """The faces of a die as images.

    Attributes:
        faces: Channels (6, p, p, 8) of the faces 1 to 6 (see `training.scenes.dice.bodies`).
    """

    faces: Floats

    def unrolled(self, channels: list[int]) -> Floats:
        """Return some channels of all faces as one image (2 p, 3 p, c): 1 2 3 above 4 5 6."""
        rows = [np.hstack(list(self.faces[k : k + 3][..., channels])) for k in (0, 3)]
        return np.vstack(rows)


def draw_die_sheet(style: DieStyle, face_px: int) -> DieSheet:
    """Draw the faces of a set of dice.

    Args:
        style: Appearance of the set of dice.
        face_px: Width and height of a face in pixels.
    """
    rng = np.random.default_rng(style.noise_seed)
    faces = draw_body_faces(style, face_px)
    if style.chips:
        _chip(faces, style, rng)
    for value in range(1, 7):
        face = faces[value - 1]
        if style.frame:
            _frame(face, style)
        if style.logo == value:
            _logo(face, style, rng)
        for x, y in pip_centres(style.pips, value):
            _pip(face, style, rng, value, (x, y))
    if style.scratches:
        _scratch(faces, style, rng)
    if style.dirt:
        _soil(faces, style, rng)
    return DieSheet(faces)


# Marks on the faces


@lru_cache(maxsize=8)
def _grid(px: int) -> tuple[Floats, Floats]:
    line = ((np.arange(px, dtype=np.float32) + 0.5) / px) * 2 - 1
    x, y = np.meshgrid(line, line)
    return x, y


def _pip(
    face: Floats, style: DieStyle, rng: Generator, value: int, place: tuple[float, float]
) -> None:
    marks, px = style.pips, face.shape[0]
    radius = marks.radius * (marks.lone_scale if value == 1 else 1)
    centre = np.array(place) + (rng.normal(0, marks.wobble, 2) if marks.wobble else 0)
    box = _box(centre, 1.35 * radius * (1 + marks.rim), px)
    part = face[box]
    x, y = (k[box] for k in _grid(px))
    away = pip_distance(style, x - centre[0], y - centre[1]) / radius
    sharp = radius * px / 2
    ink = ((1 - away) * sharp + 0.5).clip(0, 1)
    if marks.rim:
        outer = ((1 + marks.rim - away) * sharp + 0.5).clip(0, 1)
        _paint(part, outer, style, marks.rim_colour)
    ring = ((away - marks.hole) * sharp + 0.5).clip(0, 1) if marks.hole else 1.0
    paint = ink * ring
    if style.wear:
        worn = cv2.resize(rng.random((5, 5)), paint.shape[::-1], interpolation=cv2.INTER_CUBIC)
        paint = paint * (1 - 0.85 * ((worn - 1 + style.wear) * 4).clip(0, 1))
    _paint(part, paint, style, pip_colour(marks, value))
    part[..., INK] = np.maximum(part[..., INK], ink * ring)
    depth = _profile(style.finish, away) * style.depth
    part[..., HEIGHT] = np.where(
        np.abs(depth) > np.abs(part[..., HEIGHT]), -depth, part[..., HEIGHT]
    )


def pip_distance(style: DieStyle, x: Floats, y: Floats) -> Floats:
    """Return the distance of points from the centre of a pip, scaled to be 1 on the outline of the pip.

    Args:
        style: Appearance of the set of dice.
        x: Columns of the points relative to the centre of the pip, in half edges.
        y: Rows of the points relative to the centre of the pip, in half edges.
    """
    marks = style.pips
    c, s = np.cos(marks.turn), np.sin(marks.turn)
    x, y = (x, y) if marks.power == 2 and not marks.lobes else (c * x + s * y, c * y - s * x)
    if marks.power == 2:
        away = np.hypot(x, y)
    else:
        # The sides of a square are nearer to its centre than the outline of a disc of the same area.
        even = 0.89 if marks.power > 2 else 1.2
        away = (np.abs(x) ** marks.power + np.abs(y) ** marks.power) ** (1 / marks.power) / even
    if marks.lobes:
        away = away / (1 + marks.lobe * np.cos(marks.lobes * np.arctan2(y, x)))
    return np.asarray(away, np.float32)


def _profile(finish: str, away: Floats) -> Floats:
    """Return the depth of a pip, 0 to 1, at a distance from its centre, for a kind of finish."""
    if finish in ("drilled", "inlaid"):
        return np.asarray(((1.04 - away) * 7).clip(0, 1), np.float32)
    if finish == "groove":
        return np.asarray((1 - ((away - 0.85) / 0.2) ** 2).clip(0, 1), np.float32)
    return np.asarray(np.sqrt((1 - away**2).clip(0, 1)), np.float32)


def _paint(part: Floats, share: Floats, style: DieStyle, colour: Rgb) -> None:
    share = share[..., None]
    part[..., :3] = part[..., :3] * (1 - share) + np.array(colour, np.float32) * share
    stuff = np.array([style.pip_rough, style.pip_metal, 0.0], np.float32)
    part[..., ROUGH : CLEAR + 1] = part[..., ROUGH : CLEAR + 1] * (1 - share) + stuff * share


def _box(centre: NDArray[np.float64], reach: float, px: int) -> tuple[slice, slice]:
    low = np.floor(((centre - reach) + 1) / 2 * px).astype(int).clip(0, px - 1)
    high = np.ceil(((centre + reach) + 1) / 2 * px).astype(int).clip(1, px)
    return slice(low[1], high[1]), slice(low[0], high[0])


def _frame(face: Floats, style: DieStyle) -> None:
    """Draw a line along the edges of a face."""
    px = face.shape[0]
    x, y = _grid(px)
    reach = np.maximum(np.abs(x), np.abs(y))
    middle = 1 - style.edge - 1.5 * style.frame
    share = ((style.frame - np.abs(reach - middle)) * px / 2 + 0.5).clip(0, 1)
    _paint(face, share, style, style.pips.colour)


def _logo(face: Floats, style: DieStyle, rng: Generator) -> None:
    """Draw a number or a logo next to the pips of a face."""
    px = face.shape[0]
    mask = np.zeros((px * 2, px * 2), np.uint8)
    at = (rng.uniform(0.1, 0.75, 2) * px * 2).astype(int)
    if rng.random() < 0.65:
        text = "".join(rng.choice(list("ABCDEFGHKLMNRSTVX0123456789"), int(rng.integers(2, 7))))
        size = px / 32 * float(rng.uniform(0.25, 0.6))
        where = (int(at[0]), int(at[1]))
        cv2.putText(
            mask, text, where, int(rng.integers(0, 5)), size, 255, max(1, px // 40), cv2.LINE_AA
        )
    else:
        radius = int(px * rng.uniform(0.08, 0.3))
        thick = max(1, int(radius * rng.uniform(0.1, 0.4)))
        cv2.ellipse(mask, (int(at[0]), int(at[1])), (radius, max(2, radius // 2)),
                    float(rng.uniform(0, 180)), 0, 360, 255, thick, cv2.LINE_AA)  # fmt: skip
    share = cv2.resize(mask, (px, px), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    flip = np.rot90(share, int(rng.integers(4)))
    _paint(face, flip * float(rng.uniform(0.5, 1)), style, style.pips.colour)


def _chip(faces: Floats, style: DieStyle, rng: Generator) -> None:
    """Break bits off along the edges of the faces, so that the inside shows."""
    px = faces.shape[1]
    x, y = _grid(px)
    reach = np.maximum(np.abs(x), np.abs(y))
    inside = scale_colour(style.body.colours[0], float(rng.uniform(0.5, 1.4)), 0.1, rng)
    for face in faces:
        bits = cv2.resize(
            rng.random((9, 9)).astype(np.float32), (px, px), interpolation=cv2.INTER_CUBIC
        )
        broken = (bits + reach > 1.95 - 0.35 * style.chips).astype(np.float32)
        face[..., :3] += broken[..., None] * (np.array(inside, np.float32) - face[..., :3])
        face[..., ROUGH] += broken * (0.9 - face[..., ROUGH])
        face[..., HEIGHT] -= 0.04 * broken


def _scratch(faces: Floats, style: DieStyle, rng: Generator) -> None:
    px = faces.shape[1]
    for face in faces:
        mask = np.zeros((px, px), np.uint8)
        for _ in range(style.scratches // 3):
            ends = rng.uniform(-0.2, 1.2, (2, 2)) * px
            cv2.line(mask, tuple(map(int, ends[0])), tuple(map(int, ends[1])), int(rng.uniform(40, 160)),
                     1, cv2.LINE_AA)  # fmt: skip
        share = mask.astype(np.float32) / 255
        face[..., :3] += share[..., None] * (0.5 - face[..., :3]) * 0.5
        face[..., ROUGH] += share * (0.8 - face[..., ROUGH])


def _soil(faces: Floats, style: DieStyle, rng: Generator) -> None:
    """Add dirt to the dents, and smear it over the rest of the faces."""
    px = faces.shape[1]
    for face in faces:
        smear = cv2.resize(
            rng.random((6, 6)).astype(np.float32), (px, px), interpolation=cv2.INTER_CUBIC
        )
        deep = (-face[..., HEIGHT]).clip(0, None) * 2
        share = (style.dirt * (0.5 * smear.clip(0, 1) + deep)).clip(0, 0.85)[..., None]
        face[..., :3] *= 1 - share * np.array([0.6, 0.68, 0.8], np.float32)
