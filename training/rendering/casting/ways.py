"""In which ways light is looked for: towards what is bright in the room, and evenly about a surface."""

import cv2
import numpy as np
from numpy.random import Generator

from training.rendering.casting.packed import SETS, Floats
from training.scenes.world import Vector

ROOM_LEVELS = 6
ROOM_WAYS, BOUNCES, LAMP_POINTS = 4, 2, 2
"""Rays of each kind that a pixel sends; sixteen neighbours share theirs."""


def roughly(room: Floats) -> Vector:
    """(3, 4) of each colour the mean of the room, and how it grows along x, y and z."""
    rows_, columns = room.shape[:2]
    lean = (np.arange(rows_) + 0.5) / rows_ * np.pi
    azimuth = (0.5 - (np.arange(columns) + 0.5) / columns) * 2 * np.pi
    area = np.sin(lean)[:, None] * np.pi / rows_ * 2 * np.pi / columns * np.ones(columns)
    ways = np.stack([
        np.ones_like(area), np.sin(lean)[:, None] * np.cos(azimuth), np.sin(lean)[:, None] * np.sin(azimuth),
        np.cos(lean)[:, None] * np.ones(columns),
    ])  # fmt: skip
    return np.einsum("kij,ijc,ij->ck", ways, room, area) / (4 * np.pi) * (1, 2, 2, 2)


def smoothed_rooms(room: Floats) -> Floats:
    """The room, and the same ever smoother."""
    out = [room.astype(np.float32)]
    columns = room.shape[1]
    for sigma in (0.8, 1.6, 3.0, 6.0, 10.0)[: ROOM_LEVELS - 1]:
        wide = np.concatenate([room, room, room], axis=1)
        smooth = cv2.GaussianBlur(wide, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
        out.append(smooth[:, columns : 2 * columns])
    return np.ascontiguousarray(np.stack(out), np.float32)


def _spread_over(rng: Generator, count: int) -> Vector:
    """(SETS * count, 2) of 0..1, evenly over the square and over each set."""
    n = SETS * count
    golden = np.array([0.7548776662466927, 0.5698402909980532])
    places: Vector = (rng.random(2) + np.arange(n)[:, None] * golden) % 1
    order = (np.arange(n) * 7) % n if n % 7 else np.arange(n)
    return places[order]


def room_ways(room: Floats, rng: Generator) -> tuple[Floats, Floats]:
    """Ways to where the room is bright, and what comes from there."""
    rows, columns = room.shape[:2]
    lean = (np.arange(rows) + 0.5) / rows * np.pi
    weight = room.mean(axis=2) * np.sin(lean)[:, None]
    weight[rows // 2 + 2 :] *= 0.3  # from below little comes past the table
    chances = (weight / weight.sum()).ravel()
    u = _spread_over(rng, ROOM_WAYS)
    n = len(u)
    # stratified along the room's rows, so that all bright places are looked at
    pick = np.searchsorted(
        np.cumsum(chances), ((np.arange(n) + u[:, 0]) / n).clip(0, 1 - 1e-9)
    ).clip(0, chances.size - 1)
    pick = pick[rng.permutation(n)]
    i, j = np.divmod(pick, columns)
    angle = (i + u[:, 1]) / rows * np.pi
    azimuth = (0.5 - (j + rng.random(n)) / columns) * 2 * np.pi
    ways = np.column_stack(
        [np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)]
    )
    area = np.sin(lean)[i] * np.pi / rows * 2 * np.pi / columns
    light = room[i, j] * (area / (chances[pick] * ROOM_WAYS))[:, None]
    return _by_set(ways), _by_set(light)


def _by_set(values: Vector) -> Floats:
    return np.ascontiguousarray(values.reshape(SETS, -1, 3), np.float32)


def cosine_ways(rng: Generator) -> Floats:
    u = _spread_over(rng, BOUNCES)
    radius, angle = np.sqrt(u[:, 0]), 2 * np.pi * u[:, 1]
    return _by_set(
        np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.sqrt(1 - u[:, 0])])
    )


def on_disc(rng: Generator, at: Vector, radius: float) -> Vector:
    """(SETS, LAMP_POINTS, 3) places on a disc that faces the origin."""
    u = _spread_over(rng, LAMP_POINTS)
    away, angle = radius * np.sqrt(u[:, :1]), 2 * np.pi * u[:, 1:]
    z = at / np.linalg.norm(at)
    x = np.cross(z, [0.31, 0.2, 0.93])
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    places: Vector = at + away * (np.cos(angle) * x + np.sin(angle) * y)
    return places.reshape(SETS, LAMP_POINTS, 3)
