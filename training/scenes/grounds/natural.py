"""Felt, wood, leather, stone, carpet and their like, as tiles that can be laid side by side."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.noise import spread, step, tile_cloud, tile_noise

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Drawn:
    """A tile without colours: how much of the second and the third there is, and heights, 0..1."""

    second: Floats  # (s, s)
    third: Floats | None
    heights: Floats
    feature: float  # how large what repeats is, in tiles; 0: nothing does
    sizes_mm: tuple[float, float]  # how large that is, or a tile where nothing repeats
    soft: bool = False  # cloth and fur: no gloss
    relief_mm: float = 0.05  # at most


Drawer = Callable[[Generator, int], Drawn]
TILE_MM = (90.0, 420.0)


def grid(side: int) -> tuple[Floats, Floats]:
    """X and y of the pixels, 0..1."""
    line = (np.arange(side, dtype=np.float32) + 0.5) / side
    x, y = np.meshgrid(line, line)
    return x, y


def felt(rng: Generator, side: int) -> Drawn:
    """Fibres, and patches where it was rubbed."""
    fibres = tile_cloud(rng, side, 64, 0.9)
    rubbed = tile_cloud(rng, side, float(rng.integers(2, 7))) * float(rng.uniform(0, 0.8))
    return Drawn(rubbed * 0.7 + fibres * 0.3, None, fibres, 0, TILE_MM, soft=True, relief_mm=0.4)


def plain(rng: Generator, side: int) -> Drawn:
    """Nearly nothing."""
    return Drawn(tile_cloud(rng, side, 2) * float(rng.uniform(0, 0.25)), None,
                 tile_cloud(rng, side, 32), 0, TILE_MM)  # fmt: skip


def wood(rng: Generator, side: int) -> Drawn:
    """Rings cut along the trunk, fibres, pores, planks."""
    x, _ = grid(side)
    bend = tile_cloud(rng, side, 2, 0.45, 3.0) * float(rng.uniform(0.05, 0.7))
    rings = np.sin(2 * np.pi * (np.round(rng.uniform(2, 18)) * x + bend * float(rng.uniform(2, 9))))
    fibres = tile_cloud(rng, side, 48, 0.8, 24)
    pores = step(tile_noise(rng, side, side / 3, side / 40), 0.82, 0.2)
    second = step(rings / 2 + 0.5, 0.5, float(rng.uniform(0.2, 1.6))) * 0.45 + fibres * 0.4
    third = pores * float(rng.uniform(0, 0.8))
    if rng.random() < 0.35:
        gaps = int(rng.integers(2, 7))
        third = np.maximum(third, (x * gaps % 1 < 0.012) * 1.0)
        second = (
            second + 0.5 * rng.random(gaps)[(x * gaps).astype(int) % gaps] * rng.uniform(0, 1)
        ).clip(0, 1)
    return Drawn(
        second.astype(np.float32), third.astype(np.float32), fibres, 0, (60, 500), relief_mm=0.12
    )


def cells(
    rng: Generator, side: int, count: int, even: float = 0.0
) -> tuple[Floats, NDArray[np.int32]]:
    """How near the nearest of random points is, in cell widths, and which it is."""
    root = max(1, round(np.sqrt(count)))
    rows, columns = np.mgrid[0:root, 0:root]
    jitter = rng.random((2, root, root)) * (1 - even) + even / 2
    points = np.stack([(columns + jitter[0]) / root, (rows + jitter[1]) / root], -1).reshape(-1, 2)
    mask = np.full((side * 3, side * 3), 255, np.uint8)
    for i in range(3):
        for j in range(3):
            at = ((points + (i, j)) * side).astype(int).clip(0, 3 * side - 1)
            mask[at[:, 1], at[:, 0]] = 0
    pad = side // 2
    mask = mask[side - pad : 2 * side + pad, side - pad : 2 * side + pad]
    near, which = cv2.distanceTransformWithLabels(
        mask, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_CCOMP
    )
    inner = slice(pad, pad + side)
    return np.asarray(near[inner, inner] / (side / root), np.float32), which[inner, inner]


def leather(rng: Generator, side: int) -> Drawn:
    """Grains parted by creases, and wear."""
    near, _ = cells(rng, side, int(rng.integers(500, 6000)))
    bumps = 1 - np.clip(near * 1.35, 0, 1) ** 2
    worn = tile_cloud(rng, side, float(rng.integers(2, 6))) * float(rng.uniform(0.1, 0.8))
    return Drawn(
        0.3 * (1 - bumps) + 0.7 * worn,
        None,
        bumps,
        0,
        (60, 260),
        relief_mm=float(rng.uniform(0.1, 0.8)),
    )


def stone(rng: Generator, side: int) -> Drawn:
    """Granite: noise of all scales, specks."""
    base = tile_cloud(rng, side, float(rng.integers(4, 40)), float(rng.uniform(0.7, 1)))
    specks = step(tile_noise(rng, side, side / 4), 0.8, 0.1) * float(rng.uniform(0, 1))
    return Drawn(base, specks, base, 0, TILE_MM, relief_mm=0.1)


def veined(rng: Generator, side: int) -> Drawn:
    """Polished marble."""
    base = tile_cloud(rng, side, float(rng.integers(2, 6)), 0.65)
    veins = 1 - (
        np.abs(tile_cloud(rng, side, float(rng.integers(2, 5)), 0.6) - 0.5)
        * float(rng.uniform(8, 30))
    ).clip(0, 1)
    return Drawn(base * 0.4, veins * float(rng.uniform(0.3, 1)), base, 0, TILE_MM, relief_mm=0.02)


def cork(rng: Generator, side: int) -> Drawn:
    """Crumbs of all browns."""
    near, which = cells(rng, side, int(rng.integers(300, 3000)))
    shade = rng.random(which.max() + 1).astype(np.float32)[which]
    dark = step(tile_noise(rng, side, side / 8), 0.85, 0.1)
    return Drawn(shade, dark, shade * (1 - near.clip(0, 1)), 0, (60, 260), relief_mm=0.3)


def carpet(rng: Generator, side: int) -> Drawn:
    """Tufts and the dark between them."""
    tufts = tile_cloud(rng, side, float(rng.integers(20, 110)), 0.75)
    return Drawn((1 - tufts) * float(rng.uniform(0.4, 1)), tile_cloud(rng, side, 6) * float(rng.uniform(0, 0.5)),
                 tufts, 0, (60, 300), soft=True, relief_mm=2.0)  # fmt: skip


def fur(rng: Generator, side: int) -> Drawn:
    """Long fibres that lie one way, grass, straw."""
    long = tile_cloud(rng, side, 60, 0.85, float(rng.uniform(5, 14)))
    return Drawn(long, None, long, 0, (60, 240), soft=True, relief_mm=1.5)


def clouds(rng: Generator, side: int) -> Drawn:
    """Like a photograph of nothing in particular: the same strength at every scale."""
    fall = float(rng.uniform(0.5, 1.0))
    stretch = float(np.exp(rng.normal(0, 0.4)))
    return Drawn(tile_cloud(rng, side, 2, fall, stretch), tile_cloud(rng, side, 2, fall, stretch) * float(rng.uniform(0, 1)),
                 tile_cloud(rng, side, 8), 0, (60, 500), relief_mm=0.15)  # fmt: skip


def wrinkles(rng: Generator, side: int) -> Drawn:
    """Cloth that does not lie flat."""
    fold = (
        1
        - np.abs(
            tile_cloud(rng, side, float(rng.integers(2, 6)), 0.4, float(np.exp(rng.normal(0, 0.6))))
            - 0.5
        )
        * 2
    )
    fine = tile_cloud(rng, side, 64)
    return Drawn(
        0.25 * fine,
        None,
        (0.93 * fold + 0.07 * fine).astype(np.float32),
        0,
        (120, 500),
        soft=True,
        relief_mm=3.0,
    )


def scuffed(rng: Generator, side: int) -> Drawn:
    """Scratches, rings of glasses, stains."""
    marks = np.zeros((side, side), np.uint8)
    for _ in range(int(rng.integers(10, 120))):
        start = rng.uniform(0, side, 2)
        end = start + rng.normal(0, side / 6, 2)
        cv2.line(
            marks,
            tuple(map(int, start)),
            tuple(map(int, end)),
            int(rng.uniform(30, 200)),
            1,
            cv2.LINE_AA,
        )
    for _ in range(int(rng.integers(0, 5))):
        at = tuple(map(int, rng.uniform(0, side, 2)))
        cv2.circle(
            marks,
            at,
            int(rng.uniform(0.02, 0.14) * side),
            int(rng.uniform(30, 200)),
            int(rng.integers(1, 6)),
            cv2.LINE_AA,
        )
    stains = step(tile_cloud(rng, side, 4), 0.72, 0.1) * float(rng.uniform(0, 0.6))
    return Drawn(stains, marks.astype(np.float32) / 255, tile_cloud(rng, side, 24), 0, TILE_MM)


def gradient(rng: Generator, side: int) -> Drawn:
    """One colour runs into another and back."""
    x, y = grid(side)
    wave = 0.5 + 0.5 * np.sin(
        2 * np.pi * (x * int(rng.integers(0, 3)) + y + 0.3 * tile_noise(rng, side, 2))
    )
    return Drawn(wave.astype(np.float32), None, tile_cloud(rng, side, 32), 0, (200, 900))


def sand(rng: Generator, side: int) -> Drawn:
    """Grains, each of its own colour."""
    grains = tile_noise(rng, side, side / float(rng.uniform(2, 6)))
    return Drawn(
        spread(grains),
        step(tile_noise(rng, side, side / 4), 0.75, 0.15),
        grains,
        0,
        (40, 200),
        relief_mm=0.5,
    )


def cracks(rng: Generator, side: int) -> Drawn:
    """Dried mud, old paint."""
    near, which = cells(rng, side, int(rng.integers(20, 300)))
    edge = 1 - step(
        cv2.GaussianBlur(
            (cv2.Laplacian(which.astype(np.float32), cv2.CV_32F) != 0).astype(np.float32),
            (0, 0),
            1.2,
        ),
        0.3,
        0.3,
    )
    shade = rng.random(which.max() + 1).astype(np.float32)[which] * float(rng.uniform(0, 0.5))
    return Drawn(shade, 1 - edge, edge * (1 - 0.3 * near), 0, TILE_MM, relief_mm=0.8)


NATURAL: dict[str, Drawer] = {
    "felt": felt, "plain": plain, "wood": wood, "leather": leather, "stone": stone, "veined": veined,
    "cork": cork, "carpet": carpet, "fur": fur, "clouds": clouds, "wrinkles": wrinkles,
    "scuffed": scuffed, "gradient": gradient, "sand": sand, "cracks": cracks,
}  # fmt: skip
