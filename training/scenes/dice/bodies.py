"""Draws the material of a die's body, which fills its volume, as it appears on the six faces."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from training.scenes.dice.die_style import BodyMaterial, DieStyle
from training.scenes.noise import RANDOM_VOLUME, fractal_noise, value_noise

Floats = NDArray[np.float32]
RED, GREEN, BLUE, HEIGHT, ROUGH, METAL, CLEAR, INK = range(8)
"""Channels of a face. Heights are in half edges of the die."""
BODY_KINDS = ("plain", "marble", "swirl", "layers", "speckle", "blotch", "wood", "stone", "gradient",
         "metal", "pearl", "glitter", "camouflage", "flakes", "cells", "ribbons", "halves")  # fmt: skip
FACE_DIRECTIONS = np.array(
    [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0), (-1, 0, 0)], np.float32
)


def draw_body_faces(style: DieStyle, face_px: int) -> Floats:
    """Draw the six faces (6, face_px, face_px, 8) of a die without pips or other marks.

    Args:
        style: Appearance of the set of dice.
        face_px: Width and height of a face in pixels.
    """
    faces = np.zeros((6, face_px, face_px, 8), np.float32)
    _fill_body(faces, style.body)
    return faces


def _fill_body(faces: Floats, body: BodyMaterial) -> None:
    colours = np.array(body.colours, np.float32)
    axis = np.array(body.axis, np.float32)
    across = np.cross(axis, [0.37, 0.6, 0.71]).astype(np.float32)
    across /= np.linalg.norm(across)
    frame = np.stack([across, np.cross(axis, across), axis]).astype(np.float32)
    shares = _shares(faces.shape[1], FACE_DIRECTIONS, frame, RANDOM_VOLUME, BODY_KINDS.index(body.kind), body.scale,
                     body.stretch, body.warp, body.seed)  # fmt: skip
    second = _ramp(shares[..., 0], 1 - body.share, body.soft)
    third = _ramp(shares[..., 1], 1 - body.third, body.soft)
    if body.kind == "plain":
        second = 0.15 * (shares[..., 0] - 0.5)
        third = np.zeros_like(third)
    mixed = colours[0] + (colours[1] - colours[0]) * second[..., None]
    mixed = mixed + (colours[2] - mixed) * third[..., None]
    faces[..., :3] = (mixed * (1 + 0.06 * (shares[..., 2:] - 0.5))).clip(0, 1)
    faces[..., ROUGH] = body.rough + (body.second_rough - body.rough) * second
    faces[..., METAL] = body.metal
    faces[..., CLEAR] = body.clear + (body.second_clear - body.clear) * second
    if body.kind == "glitter":
        _glitter(faces, shares[..., 1], body)


def _glitter(faces: Floats, shares: Floats, body: BodyMaterial) -> None:
    """Add flakes of metal to the faces of a die where `shares` is large."""
    flake = shares > 1 - 0.3 * body.share
    faces[flake, :3] = np.array(body.colours[2], np.float32) * 0.5 + 0.4
    faces[flake, METAL] = 1.0
    faces[flake, ROUGH] = 0.3
    faces[flake, CLEAR] = 0.0


def _ramp(shares: Floats, middle: float, soft: float) -> Floats:
    """Map `shares` to a linear ramp from 0 to 1 that is `soft` wide and is 0.5 at `middle`."""
    return np.asarray(((shares - middle) / soft + 0.5).clip(0, 1), np.float32)


@njit(cache=True, fastmath=True)
def _shares(  # noqa: PLR0917 - compiled
    px: int, normals: Floats, frame: Floats, volume: Floats, kind: int, scale: float,
    stretch: float, warp: float, seed: float,
) -> Floats:  # fmt: skip
    """Return, for each pixel of the faces (6, px, px, 3), the shares of the second and third material, and fine grain.

    All are from 0 to 1.
    """
    out = np.empty((6, px, px, 3), np.float32)
    for face in range(6):
        n = normals[face]
        u = np.array([abs(n[2]), abs(n[0]), abs(n[1])])
        v = np.array([
            n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0],
        ])  # fmt: skip
        for row in range(px):
            t = (row + 0.5) / px * 2 - 1
            for column in range(px):
                s = (column + 0.5) / px * 2 - 1
                x, y, z = (
                    n[0] + s * u[0] + t * v[0],
                    n[1] + s * u[1] + t * v[1],
                    n[2] + s * u[2] + t * v[2],
                )
                a = frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z
                b = frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z
                c = frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z
                first, second = _share(volume, kind, a, b, c, scale, stretch, warp, seed)
                out[face, row, column, 0] = first
                out[face, row, column, 1] = second
                out[face, row, column, 2] = value_noise(volume, 40 * a + seed, 40 * b, 40 * c)
    return out


@njit(cache=True, fastmath=True)
def _share(  # noqa: PLR0912, PLR0917, C901 - one branch for each kind
    volume: Floats, kind: int, x: float, y: float, z: float, scale: float, stretch: float,
    warp: float, seed: float,
) -> tuple[float, float]:  # fmt: skip
    """Return the shares, from about 0 to 1, of the second and the third material at a point in the die."""
    a, b, c = scale * x + seed, scale * y + 3.1 + seed, scale * z / stretch
    bend = warp * (fractal_noise(volume, 0.7 * a, 0.7 * b, 0.7 * c + 9, 3, 0.5) - 0.5)
    other = fractal_noise(volume, 1.3 * a + 20, 1.3 * b + 3, 1.3 * c, 3, 0.55)
    first = 0.0
    if kind in (0, 5):  # plain, blotch
        first = fractal_noise(volume, a, b, c, 3, 0.4)
    elif kind == 1:  # marble: veins
        first = 1 - 2.4 * abs(fractal_noise(volume, a + bend, b + bend, c, 5, 0.55) - 0.5)
    elif kind == 2:  # swirl
        first = 0.5 + 0.5 * np.sin(2.2 * scale * z + 9 * bend + 2 * np.sin(a + 4 * bend))
    elif kind == 3:  # layers
        first = (0.5 * scale * z + 0.5 * bend) % 1.0
        first = 1 - abs(2 * first - 1)
    elif kind == 4:  # speckle
        first = value_noise(volume, 5 * a, 5 * b, 5 * c * stretch)
        other = value_noise(volume, 6 * a + 7, 6 * b, 6 * c * stretch)
    elif kind == 6:  # wood: rings about a far axis, and fibres
        away = np.sqrt((x + 2.5) ** 2 + (y + 0.5) ** 2) * 1.6 * scale + 1.5 * bend
        fibre = value_noise(volume, 18 * x, 18 * y, 1.2 * z)
        first = 0.62 * (away % 1.0) + 0.38 * fibre
        other = value_noise(volume, 30 * x + 5, 30 * y, 1.5 * z)
    elif kind == 7:  # stone
        first = fractal_noise(volume, 2 * a, 2 * b, 2 * c, 6, 0.85)
        other = value_noise(volume, 9 * a, 9 * b, 9 * c)
    elif kind == 8:  # gradient
        first = 0.5 + 0.33 * z + 0.3 * bend
    elif kind == 9:  # metal: brushed
        first = value_noise(volume, 45 * x, 45 * y, 1.5 * z)
    elif kind == 10:  # pearl
        first = 0.5 + 0.5 * np.sin(1.4 * scale * z + 6 * bend)
    elif kind in (11, 13):  # glitter, flakes
        size = 14.0 if kind == 11 else 5.0
        first = fractal_noise(volume, a, b, c, 3, 0.5)
        other = _cell(volume, size * x + seed, size * y, size * z)
    elif kind == 12:  # camouflage
        first = 0.5 + 2.5 * (fractal_noise(volume, a, b, c, 2, 0.3) - 0.5)
        other = 0.5 + 2.5 * (fractal_noise(volume, a + 31, b, c, 2, 0.3) - 0.5)
    elif kind == 14:  # cells
        first = _cell(volume, 1.5 * a, 1.5 * b, 1.5 * c)
        other = _cell(volume, 1.5 * a + 11, 1.5 * b, 1.5 * c)
    elif kind == 15:  # ribbons
        first = 0.5 + 0.5 * np.sin(3 * a + 5 * bend) * np.sin(2 * b + 7 * bend)
        other = 0.5 + 0.5 * np.sin(4 * b + 5 * bend)
    else:  # halves
        first = 0.5 + 3 * z + bend
    return first, other


@njit(cache=True, fastmath=True)
def _cell(volume: Floats, x: float, y: float, z: float) -> float:
    """Return a random number from 0 to 1 that belongs to the nearest of many randomly placed points."""
    x0, y0, z0 = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    least, found = 1e9, 0.0
    for i in range(x0 - 1, x0 + 2):
        for j in range(y0 - 1, y0 + 2):
            for k in range(z0 - 1, z0 + 2):
                p, q, r = i & 63, j & 63, k & 63
                dx = i + volume[p, q, r] - x
                dy = j + volume[q, r, p] - y
                dz = k + volume[r, p, q] - z
                away = dx * dx + dy * dy + dz * dz
                if away < least:
                    least, found = away, volume[p, r, q]
    return found
