"""Smooth noise: in space for what dice are made of, and on tiles that can be laid side by side."""

import cv2
import numpy as np
from numba import njit
from numpy.random import Generator
from numpy.typing import NDArray

CELLS = 64
VOLUME = np.random.default_rng(20261).random((CELLS, CELLS, CELLS), np.float32)
"""Random numbers that noise is smoothed from; the same for ever."""
Floats = NDArray[np.float32]


@njit(cache=True, fastmath=True, inline="always")
def _smooth(t: float) -> float:
    return t * t * (3 - 2 * t)


@njit(cache=True, fastmath=True)
def noise(volume: Floats, x: float, y: float, z: float) -> float:
    """0..1 at a place; changes about once in a unit."""
    x0, y0, z0 = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    u, v, w = _smooth(x - x0), _smooth(y - y0), _smooth(z - z0)
    a, b, c = x0 & (CELLS - 1), y0 & (CELLS - 1), z0 & (CELLS - 1)
    d, e, f = (a + 1) & (CELLS - 1), (b + 1) & (CELLS - 1), (c + 1) & (CELLS - 1)
    low = (volume[a, b, c] * (1 - u) + volume[d, b, c] * u) * (1 - v)
    low += (volume[a, e, c] * (1 - u) + volume[d, e, c] * u) * v
    high = (volume[a, b, f] * (1 - u) + volume[d, b, f] * u) * (1 - v)
    high += (volume[a, e, f] * (1 - u) + volume[d, e, f] * u) * v
    return low * (1 - w) + high * w


@njit(cache=True, fastmath=True)
def cloud(  # noqa: PLR0917 - compiled
    volume: Floats, x: float, y: float, z: float, octaves: int, fall: float
) -> float:
    """0..1: noise at so many scales, each half as large and `fall` as strong."""
    total, weight, share = 0.0, 0.0, 1.0
    for _ in range(octaves):
        total += share * noise(volume, x, y, z)
        weight += share
        share *= fall
        x, y, z = 2 * x + 17.3, 2 * y + 5.1, 2 * z + 31.7
    return total / weight


def tile_noise(rng: Generator, side: int, across: float, along: float = 0.0) -> Floats:
    """(side, side) smooth noise of so many cells, 0..1, that meets itself at the borders."""
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


def tile_cloud(
    rng: Generator, side: int, first: float, fall: float = 0.6, stretch: float = 1.0
) -> Floats:
    """(side, side) noise at every scale from `first` cells down to pixels, spread over 0..1."""
    total = np.zeros((side, side), np.float32)
    share, across = 1.0, first
    while across <= side:
        total += np.float32(share) * tile_noise(rng, side, across, across / stretch)
        share *= fall
        across *= 2
    return spread(total)


def spread(values: Floats) -> Floats:
    """The same so that all but the outermost are within 0..1, and 0.5 is the median."""
    low, middle, high = np.percentile(values[::4, ::4], (1, 50, 99))
    up = (values - middle) / max(high - middle, 1e-6)
    down = (values - middle) / max(middle - low, 1e-6)
    return np.asarray(np.where(values > middle, up, down).clip(-1, 1) / 2 + 0.5, np.float32)


def step(values: Floats, middle: float, soft: float) -> Floats:
    """From 0 below `middle` to 1 above it, over a ramp of `soft`."""
    return np.asarray(((values - middle) / max(soft, 1e-6) + 0.5).clip(0, 1), np.float32)
