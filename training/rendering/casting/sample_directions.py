"""Chooses the directions in which light is gathered: towards bright parts of the room, and around a normal."""

import cv2
import numpy as np
from numpy.random import Generator

from training.rendering.casting.scene_layout import SETS, Floats
from training.scenes.world import Vector

ROOM_LEVELS = 6
ROOM_RAYS, BOUNCE_RAYS, LAMP_POINTS = 4, 2, 2
"""Number of rays of each kind that a pixel sends. Sixteen neighbours share their results."""


def fit_room_gradient(room: Floats) -> Vector:
    """Return, for each colour channel, the mean light of a room and its slope along x, y and z (3, 4).

    `room` is a panorama (rows, 2 rows, 3) of linear light.
    """
    rows_, columns = room.shape[:2]
    lean = (np.arange(rows_) + 0.5) / rows_ * np.pi
    azimuth = (0.5 - (np.arange(columns) + 0.5) / columns) * 2 * np.pi
    area = np.sin(lean)[:, None] * np.pi / rows_ * 2 * np.pi / columns * np.ones(columns)
    ways = np.stack([
        np.ones_like(area), np.sin(lean)[:, None] * np.cos(azimuth), np.sin(lean)[:, None] * np.sin(azimuth),
        np.cos(lean)[:, None] * np.ones(columns),
    ])  # fmt: skip
    return np.einsum("kij,ijc,ij->ck", ways, room, area) / (4 * np.pi) * (1, 2, 2, 2)


def blur_room(room: Floats) -> Floats:
    """Return a panorama of the room at increasing amounts of blur, stacked along the first axis."""
    out = [room.astype(np.float32)]
    columns = room.shape[1]
    for sigma in (0.8, 1.6, 3.0, 6.0, 10.0)[: ROOM_LEVELS - 1]:
        wide = np.concatenate([room, room, room], axis=1)
        smooth = cv2.GaussianBlur(wide, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
        out.append(smooth[:, columns : 2 * columns])
    return np.ascontiguousarray(np.stack(out), np.float32)


def _spread_over(rng: Generator, count: int) -> Vector:
    """Return random points (SETS * count, 2) in the unit square, spread evenly overall and within each set of `count`."""
    n = SETS * count
    golden = np.array([0.7548776662466927, 0.5698402909980532])
    places: Vector = (rng.random(2) + np.arange(n)[:, None] * golden) % 1
    order = (np.arange(n) * 7) % n if n % 7 else np.arange(n)
    return places[order]


def sample_room(room: Floats, rng: Generator) -> tuple[Floats, Floats]:
    """Return directions towards bright parts of a room, and the light from there, both (SETS, ROOM_RAYS, 3).

    Args:
        room: Panorama (rows, 2 rows, 3) of the light from the room.
        rng: Source of random numbers.
    """
    rows, columns = room.shape[:2]
    lean = (np.arange(rows) + 0.5) / rows * np.pi
    weight = room.mean(axis=2) * np.sin(lean)[:, None]
    weight[rows // 2 + 2 :] *= 0.3  # the table blocks most light from below
    chances = (weight / weight.sum()).ravel()
    u = _spread_over(rng, ROOM_RAYS)
    n = len(u)
    # stratified along the rows of the room, so that every bright part is sampled
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
    light = room[i, j] * (area / (chances[pick] * ROOM_RAYS))[:, None]
    return _by_set(ways), _by_set(light)


def _by_set(values: Vector) -> Floats:
    return np.ascontiguousarray(values.reshape(SETS, -1, 3), np.float32)


def sample_hemisphere(rng: Generator) -> Floats:
    """Return random directions (SETS, BOUNCE_RAYS, 3) around z, with a density proportional to the cosine."""
    u = _spread_over(rng, BOUNCE_RAYS)
    radius, angle = np.sqrt(u[:, 0]), 2 * np.pi * u[:, 1]
    return _by_set(
        np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.sqrt(1 - u[:, 0])])
    )


def sample_disc(rng: Generator, at: Vector, radius: float) -> Vector:
    """Return random points (SETS, LAMP_POINTS, 3) on a disc-shaped lamp that faces the origin.

    Args:
        rng: Source of random numbers.
        at: Position (3,) of the lamp in millimetres.
        radius: Radius of the disc in millimetres.
    """
    u = _spread_over(rng, LAMP_POINTS)
    away, angle = radius * np.sqrt(u[:, :1]), 2 * np.pi * u[:, 1:]
    z = at / np.linalg.norm(at)
    x = np.cross(z, [0.31, 0.2, 0.93])
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    places: Vector = at + away * (np.cos(angle) * x + np.sin(angle) * y)
    return places.reshape(SETS, LAMP_POINTS, 3)
