"""Felt, wood, leather, carpet, paper: what dice lie on and trays are made of, as pictures.

They are drawn once and looked up by the path tracer, which is five times as fast as letting it
work them out at every sample.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.looks import colour, dark, light, strong, wooden

SIDE = 512
KINDS = {
    "felt": 0.18, "wood": 0.25, "leather": 0.12, "plain": 0.17, "stone": 0.07,
    "weave": 0.06, "dots": 0.05, "print": 0.05, "carpet": 0.05,
}  # fmt: skip


@dataclass(frozen=True)
class Surface:
    """A tile: (SIDE, SIDE, 3) linear RGB, and heights 0..1 for the light to catch."""

    colours: NDArray[np.float32]
    heights: NDArray[np.float32]
    tile: float  # its edge in die edges
    rough: float
    relief: float


def surface(rng: Generator, kind: str | None = None) -> Surface:
    """A random one, or a random one of a kind."""
    kind = kind or str(rng.choice(list(KINDS), p=list(KINDS.values())))
    base = np.array(rng.choice([dark, light, strong, wooden], p=[0.3, 0.2, 0.3, 0.2])(rng))
    if kind == "wood":
        base = np.array(rng.choice([wooden, dark, light], p=[0.8, 0.1, 0.1])(rng))
    other = np.clip(base * rng.uniform(0.3, 1.3) * rng.uniform(0.85, 1.15, 3), 0, 1)
    if kind in ("dots", "print"):
        other = np.array(colour(rng, float(rng.uniform(0, 1)), float(rng.uniform(0, 1))))
    tile = float(rng.uniform(8, 30))
    share, heights = PATTERNS[kind](rng)
    share = share[..., None]
    colours = base * (1 - share) + other * share
    colours = np.clip(
        colours * (1 + rng.uniform(0, 0.12) * (_noise(rng, SIDE) - 0.5)[..., None]), 0, 1
    )
    soft = kind in ("felt", "carpet", "weave")
    rough = float(rng.uniform(0.75, 1)) if soft else float(rng.uniform(0.12, 0.9))
    relief = {"leather": 0.5, "carpet": 0.9, "felt": 0.35, "weave": 0.6}.get(kind, 0.1)
    relief *= float(rng.uniform(0.2, 1))
    return Surface(colours.astype(np.float32), heights.astype(np.float32), tile, rough, relief)


def _noise(rng: Generator, cells: int, stretch: int = 1) -> NDArray[np.float64]:
    """Smooth noise of so many cells across, 0..1."""
    grid = rng.random((max(2, cells // stretch), cells)).astype(np.float32)
    out: NDArray[np.float64] = cv2.resize(grid, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC).astype(
        float
    )
    return np.clip(out, 0, 1)


def _cloud(rng: Generator, first: int, stretch: int = 1) -> NDArray[np.float64]:
    """Noise at every scale from `first` cells down to pixels."""
    total, weight, cells = np.zeros((SIDE, SIDE)), 0.0, first
    fall = float(rng.uniform(0.45, 0.8))
    share = 1.0
    while cells <= SIDE:
        total += share * _noise(rng, cells, stretch)
        weight += share
        share *= fall
        cells *= 2
    return total / weight


def _step(values: NDArray[np.float64], middle: float, soft: float) -> NDArray[np.float64]:
    return np.clip((values - middle) / soft / 2 + 0.5, 0, 1)


def _mottled(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    heights = _cloud(rng, 64)
    return _step(_cloud(rng, int(rng.integers(2, 9))), 0.5, float(rng.uniform(0.1, 0.5))) * float(
        rng.uniform(0.1, 0.6)
    ), heights


def _plain(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return _cloud(rng, 2) * float(rng.uniform(0, 0.2)), _cloud(rng, 32)


def _wood(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    bend = _cloud(rng, 2, 2) * float(rng.uniform(0.1, 1.2)) + _noise(rng, 3) * 0.3
    rings = np.sin(2 * np.pi * (x * float(rng.uniform(4, 22)) + bend * float(rng.uniform(2, 9))))
    fibres = _cloud(rng, 64, 24)
    share = _step(rings / 2 + 0.5, 0.5, float(rng.uniform(0.2, 0.8))) * 0.5 + fibres * 0.5
    if rng.random() < 0.3:  # planks
        share = np.where((x * int(rng.integers(2, 6))) % 1 < 0.012, 1.0, share)
    return share * float(rng.uniform(0.2, 1)), fibres + 0 * y


def _cells(rng: Generator, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distance to the nearest and the second of random points, in cell widths."""
    points = (rng.random((count, 2)) * SIDE).astype(np.float32)
    mask = np.full((SIDE, SIDE), 255, np.uint8)
    for px, py in points.astype(int):
        mask[py % SIDE, px % SIDE] = 0
    nearest = cv2.distanceTransform(mask, cv2.DIST_L2, 5).astype(float)
    return nearest / (SIDE / np.sqrt(count)), nearest


def _leather(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    near, _ = _cells(rng, int(rng.integers(600, 6000)))
    bumps = 1 - np.clip(near * 1.4, 0, 1) ** 2
    return _cloud(rng, 4) * 0.4 + 0.2 * (1 - bumps), bumps


def _dots(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if rng.random() < 0.5:
        near, _ = _cells(rng, int(rng.integers(60, 1500)))
    else:
        count = int(rng.integers(8, 40))
        y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * count
        near = np.hypot(x % 1 - 0.5, y % 1 - 0.5)
    spots = _step(-near, -float(rng.uniform(0.1, 0.35)), 0.02)
    return spots, _cloud(rng, 64)


def _weave(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    count = int(rng.integers(24, 120))
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE * count * np.pi
    warp, weft = np.abs(np.sin(x)), np.abs(np.sin(y))
    over = (np.floor(x / np.pi) + np.floor(y / np.pi)) % 2
    heights = np.where(over > 0, warp, weft)
    share = (1 - heights) * 0.5
    if rng.random() < 0.4:  # checks
        share = np.where((x // (8 * np.pi) + y // (8 * np.pi)) % 2 > 0, share + 0.4, share)
    return np.clip(share, 0, 1), heights


def _print(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    page = np.zeros((SIDE, SIDE), np.uint8)
    line = int(rng.integers(10, 40))
    letters = np.array(list("aeinorst dlmu,.GH0568o: "))
    for y in range(line, SIDE, line):
        text = "".join(rng.choice(letters, 60))
        cv2.putText(
            page,
            text,
            (0, y),
            int(rng.integers(0, 5)),
            line / 32,
            255,
            max(1, line // 16),
            cv2.LINE_AA,
        )
    if rng.random() < 0.3:
        for _ in range(8):
            at = tuple(int(v) for v in rng.integers(0, SIDE, 2))
            cv2.circle(
                page, at, int(rng.integers(4, 60)), 255, int(rng.integers(-1, 6)) or 1, cv2.LINE_AA
            )
    return page / 255, _cloud(rng, 64)


def _carpet(rng: Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    heights = _cloud(rng, int(rng.integers(24, 100)))
    heights = (heights - heights.min()) / np.ptp(heights)
    return (1 - heights) * float(rng.uniform(0.3, 1)), heights


PATTERNS = {
    "felt": _mottled, "wood": _wood, "leather": _leather, "plain": _plain, "stone": _mottled,
    "weave": _weave, "dots": _dots, "print": _print, "carpet": _carpet,
}  # fmt: skip
