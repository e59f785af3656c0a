"""Makes smooth noise: in space for the material of dice, and on texture tiles that repeat without a seam."""

import cv2
import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import NDArray

VOLUME_CELLS = 64
RANDOM_VOLUME = np.random.default_rng(20261).random(
    (VOLUME_CELLS, VOLUME_CELLS, VOLUME_CELLS), np.float32
)
"""Random numbers that all noise interpolates. The seed is fixed, so that the seed of a scene always gives the same scene.
"""
Floats = NDArray[np.float32]


@njit(cache=True, fastmath=True, inline="always")
def _smooth(t: float) -> float:
    return t * t * (3 - 2 * t)


@njit(cache=True, fastmath=True)
def value_noise(volume: Floats, x: float, y: float, z: float) -> float:
    """Return smooth noise, from 0 to 1, at a point in space. It changes about once per unit of length.

    Args:
        volume: Cube of random numbers to interpolate, `RANDOM_VOLUME`.
        x: First coordinate.
        y: Second coordinate.
        z: Third coordinate.
    """
    x0, y0, z0 = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    u, v, w = _smooth(x - x0), _smooth(y - y0), _smooth(z - z0)
    a, b, c = x0 & (VOLUME_CELLS - 1), y0 & (VOLUME_CELLS - 1), z0 & (VOLUME_CELLS - 1)
    d, e, f = (
        (a + 1) & (VOLUME_CELLS - 1),
        (b + 1) & (VOLUME_CELLS - 1),
        (c + 1) & (VOLUME_CELLS - 1),
    )
    low = (volume[a, b, c] * (1 - u) + volume[d, b, c] * u) * (1 - v)
    low += (volume[a, e, c] * (1 - u) + volume[d, e, c] * u) * v
    high = (volume[a, b, f] * (1 - u) + volume[d, b, f] * u) * (1 - v)
    high += (volume[a, e, f] * (1 - u) + volume[d, e, f] * u) * v
    return low * (1 - w) + high * w


@njit(cache=True, fastmath=True)
def fractal_noise(  # noqa: PLR0917 - compiled
    volume: Floats, x: float, y: float, z: float, octaves: int, fall: float
) -> float:
    """Return the weighted mean of noise at several scales, from 0 to 1, at a point in space.

    Args:
        volume: Cube of random numbers to interpolate, `RANDOM_VOLUME`.
        x: First coordinate.
        y: Second coordinate.
        z: Third coordinate.
        octaves: Number of scales, each half as large as the previous one.
        fall: Strength of each scale relative to the previous one.
    """
    total, weight, share = 0.0, 0.0, 1.0
    for _ in range(octaves):
        total += share * value_noise(volume, x, y, z)
        weight += share
        share *= fall
        x, y, z = 2 * x + 17.3, 2 * y + 5.1, 2 * z + 31.7
    return total / weight


def tileable_noise(rng: Generator, side: int, across: float, along: float = 0.0) -> Floats:
    """Return smooth noise (side, side), from 0 to 1, for a texture tile whose opposite borders match.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
        across: Number of cells from left to right.
        along: Number of cells from top to bottom, or 0 for as many as across.
    """
    columns, rows = max(2, round(across)), max(2, round(along or across))
    columns, rows = min(columns, side), min(rows, side)
    grid = rng.random((rows, columns)).astype(np.float32)
    wide = cv2.copyMakeBorder(grid, 3, 3, 3, 3, cv2.BORDER_WRAP)
    scale = (side / columns, side / rows)
    size = (round(wide.shape[1] * scale[0]), round(wide.shape[0] * scale[1]))
    fine = min(columns, rows) > side / 6
    smooth = cv2.resize(wide, size, interpolation=cv2.INTER_LINEAR if fine else cv2.INTER_CUBIC)
    left, top = round(3 * scale[0]), round(3 * scale[1])
    return np.clip(smooth[top : top + side, left : left + side], 0, 1)


def tileable_fractal(
    rng: Generator, side: int, first: float, fall: float = 0.6, stretch: float = 1.0
) -> Floats:
    """Return noise at every scale (side, side), from 0 to 1, for a texture tile whose opposite borders match.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
        first: Number of cells across at the coarsest scale.
        fall: Strength of each scale relative to the coarser one.
        stretch: Ratio of the height of a cell to its width.
    """
    total = np.zeros((side, side), np.float32)
    share, across = 1.0, first
    while across <= side:
        total += np.float32(share) * tileable_noise(rng, side, across, across / stretch)
        share *= fall
        across *= 2
    return stretch_contrast(total)


def stretch_contrast(values: Floats) -> Floats:
    """Rescale values so that nearly all of them lie between 0 and 1, with a median of 0.5, and clip the others."""
    low, middle, high = np.percentile(values[::4, ::4], (1, 50, 99))
    up = (values - middle) / max(high - middle, 1e-6)
    down = (values - middle) / max(middle - low, 1e-6)
    return np.asarray(np.where(values > middle, up, down).clip(-1, 1) / 2 + 0.5, np.float32)


def soft_step(values: Floats, middle: float, soft: float) -> Floats:
    """Apply a step with a soft edge to values: 0 below it, 1 above it, and a linear ramp in between.

    Args:
        values: The values.
        middle: Value for which the result is 0.5.
        soft: Width of the ramp.
    """
    return np.asarray(((values - middle) / max(soft, 1e-6) + 0.5).clip(0, 1), np.float32)
