"""Draws felt, wood, leather, stone, carpet and similar floors as texture tiles that repeat without a seam."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.scenes.noise import soft_step, stretch_contrast, tileable_fractal, tileable_noise

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class GroundTile:
    """A texture tile before its colours are chosen.

    Attributes:
        second: Share (s, s) of the second colour in each pixel, 0 to 1.
        third: Share (s, s) of the third colour, or None if there is none.
        heights: Height (s, s) of each pixel, 0 to 1.
        feature: Size of the repeating feature in widths of the tile, or 0 if nothing repeats.
        sizes_mm: Smallest and largest size of that feature, or of the tile if nothing repeats.
        soft: Whether the surface has no gloss, like cloth and fur.
        relief_mm: Largest height in millimetres.
    """

    second: Floats
    third: Floats | None
    heights: Floats
    feature: float
    sizes_mm: tuple[float, float]
    soft: bool = False
    relief_mm: float = 0.05


TileDrawer = Callable[[Generator, int], GroundTile]
TILE_SIZES_MM = (90.0, 420.0)


def pixel_grid(side: int) -> tuple[Floats, Floats]:
    """Return the x and y (side, side) of the pixels of a texture tile, 0 to 1."""
    line = (np.arange(side, dtype=np.float32) + 0.5) / side
    x, y = np.meshgrid(line, line)
    return x, y


def draw_felt(rng: Generator, side: int) -> GroundTile:
    """Draw felt: fibres, and patches where it is worn.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    fibres = tileable_fractal(rng, side, 64, 0.9)
    rubbed = tileable_fractal(rng, side, float(rng.integers(2, 7))) * float(rng.uniform(0, 0.8))
    return GroundTile(
        rubbed * 0.7 + fibres * 0.3, None, fibres, 0, TILE_SIZES_MM, soft=True, relief_mm=0.4
    )


def draw_plain(rng: Generator, side: int) -> GroundTile:
    """Draw a plain surface that is almost even.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    return GroundTile(tileable_fractal(rng, side, 2) * float(rng.uniform(0, 0.25)), None,
                 tileable_fractal(rng, side, 32), 0, TILE_SIZES_MM)  # fmt: skip


def draw_wood(rng: Generator, side: int) -> GroundTile:
    """Draw wood: annual rings cut along the trunk, fibres, pores and sometimes planks.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, _ = pixel_grid(side)
    bend = tileable_fractal(rng, side, 2, 0.45, 3.0) * float(rng.uniform(0.05, 0.7))
    rings = np.sin(2 * np.pi * (np.round(rng.uniform(2, 18)) * x + bend * float(rng.uniform(2, 9))))
    fibres = tileable_fractal(rng, side, 48, 0.8, 24)
    pores = soft_step(tileable_noise(rng, side, side / 3, side / 40), 0.82, 0.2)
    second = soft_step(rings / 2 + 0.5, 0.5, float(rng.uniform(0.2, 1.6))) * 0.45 + fibres * 0.4
    third = pores * float(rng.uniform(0, 0.8))
    if rng.random() < 0.35:
        gaps = int(rng.integers(2, 7))
        third = np.maximum(third, (x * gaps % 1 < 0.012) * 1.0)
        second = (
            second + 0.5 * rng.random(gaps)[(x * gaps).astype(int) % gaps] * rng.uniform(0, 1)
        ).clip(0, 1)
    return GroundTile(
        second.astype(np.float32), third.astype(np.float32), fibres, 0, (60, 500), relief_mm=0.12
    )


def nearest_points(
    rng: Generator, side: int, count: int, even: float = 0.0
) -> tuple[Floats, NDArray[np.int32]]:
    """Return, for each pixel of a texture tile, the distance to the nearest random point, and that point's number.

    Distances are in widths of the cell that each point has on average.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
        count: Number of points.
        even: Regularity of the points, from 0 (random) to 1 (a grid).
    """
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


def draw_leather(rng: Generator, side: int) -> GroundTile:
    """Draw leather: grains separated by creases, and wear.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    near, _ = nearest_points(rng, side, int(rng.integers(500, 6000)))
    bumps = 1 - np.clip(near * 1.35, 0, 1) ** 2
    worn = tileable_fractal(rng, side, float(rng.integers(2, 6))) * float(rng.uniform(0.1, 0.8))
    return GroundTile(
        0.3 * (1 - bumps) + 0.7 * worn,
        None,
        bumps,
        0,
        (60, 260),
        relief_mm=float(rng.uniform(0.1, 0.8)),
    )


def draw_stone(rng: Generator, side: int) -> GroundTile:
    """Draw granite: noise at every scale, and specks.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    base = tileable_fractal(rng, side, float(rng.integers(4, 40)), float(rng.uniform(0.7, 1)))
    specks = soft_step(tileable_noise(rng, side, side / 4), 0.8, 0.1) * float(rng.uniform(0, 1))
    return GroundTile(base, specks, base, 0, TILE_SIZES_MM, relief_mm=0.1)


def draw_veined(rng: Generator, side: int) -> GroundTile:
    """Draw polished marble with veins.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    base = tileable_fractal(rng, side, float(rng.integers(2, 6)), 0.65)
    veins = 1 - (
        np.abs(tileable_fractal(rng, side, float(rng.integers(2, 5)), 0.6) - 0.5)
        * float(rng.uniform(8, 30))
    ).clip(0, 1)
    return GroundTile(
        base * 0.4, veins * float(rng.uniform(0.3, 1)), base, 0, TILE_SIZES_MM, relief_mm=0.02
    )


def draw_cork(rng: Generator, side: int) -> GroundTile:
    """Draw cork: crumbs, each in its own shade.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    near, which = nearest_points(rng, side, int(rng.integers(300, 3000)))
    shade = rng.random(which.max() + 1).astype(np.float32)[which]
    dark = soft_step(tileable_noise(rng, side, side / 8), 0.85, 0.1)
    return GroundTile(shade, dark, shade * (1 - near.clip(0, 1)), 0, (60, 260), relief_mm=0.3)


def draw_carpet(rng: Generator, side: int) -> GroundTile:
    """Draw carpet: tufts, and the dark gaps between them.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    tufts = tileable_fractal(rng, side, float(rng.integers(20, 110)), 0.75)
    return GroundTile((1 - tufts) * float(rng.uniform(0.4, 1)), tileable_fractal(rng, side, 6) * float(rng.uniform(0, 0.5)),
                 tufts, 0, (60, 300), soft=True, relief_mm=2.0)  # fmt: skip


def draw_fur(rng: Generator, side: int) -> GroundTile:
    """Draw long parallel fibres, as in fur, grass or straw.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    long = tileable_fractal(rng, side, 60, 0.85, float(rng.uniform(5, 14)))
    return GroundTile(long, None, long, 0, (60, 240), soft=True, relief_mm=1.5)


def draw_clouds(rng: Generator, side: int) -> GroundTile:
    """Draw clouds: noise at every scale, with a spectrum like that of a photograph.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    fall = float(rng.uniform(0.5, 1.0))
    stretch = float(np.exp(rng.normal(0, 0.4)))
    return GroundTile(tileable_fractal(rng, side, 2, fall, stretch), tileable_fractal(rng, side, 2, fall, stretch) * float(rng.uniform(0, 1)),
                 tileable_fractal(rng, side, 8), 0, (60, 500), relief_mm=0.15)  # fmt: skip


def draw_wrinkles(rng: Generator, side: int) -> GroundTile:
    """Draw wrinkled cloth.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    fold = (
        1
        - np.abs(
            tileable_fractal(
                rng, side, float(rng.integers(2, 6)), 0.4, float(np.exp(rng.normal(0, 0.6)))
            )
            - 0.5
        )
        * 2
    )
    fine = tileable_fractal(rng, side, 64)
    return GroundTile(
        0.25 * fine,
        None,
        (0.93 * fold + 0.07 * fine).astype(np.float32),
        0,
        (120, 500),
        soft=True,
        relief_mm=3.0,
    )


def draw_scuffed(rng: Generator, side: int) -> GroundTile:
    """Draw a scuffed surface: scratches, rings left by glasses, and stains.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
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
    stains = soft_step(tileable_fractal(rng, side, 4), 0.72, 0.1) * float(rng.uniform(0, 0.6))
    return GroundTile(
        stains, marks.astype(np.float32) / 255, tileable_fractal(rng, side, 24), 0, TILE_SIZES_MM
    )


def draw_gradient(rng: Generator, side: int) -> GroundTile:
    """Draw a gradient: one colour that blends into another and back.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y = pixel_grid(side)
    wave = 0.5 + 0.5 * np.sin(
        2 * np.pi * (x * int(rng.integers(0, 3)) + y + 0.3 * tileable_noise(rng, side, 2))
    )
    return GroundTile(wave.astype(np.float32), None, tileable_fractal(rng, side, 32), 0, (200, 900))


def draw_sand(rng: Generator, side: int) -> GroundTile:
    """Draw sand: grains, each with its own shade.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    grains = tileable_noise(rng, side, side / float(rng.uniform(2, 6)))
    return GroundTile(
        stretch_contrast(grains),
        soft_step(tileable_noise(rng, side, side / 4), 0.75, 0.15),
        grains,
        0,
        (40, 200),
        relief_mm=0.5,
    )


def draw_cracks(rng: Generator, side: int) -> GroundTile:
    """Draw cracks, as in dried mud or old paint.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    near, which = nearest_points(rng, side, int(rng.integers(20, 300)))
    edge = 1 - soft_step(
        cv2.GaussianBlur(
            (cv2.Laplacian(which.astype(np.float32), cv2.CV_32F) != 0).astype(np.float32),
            (0, 0),
            1.2,
        ),
        0.3,
        0.3,
    )
    shade = rng.random(which.max() + 1).astype(np.float32)[which] * float(rng.uniform(0, 0.5))
    return GroundTile(shade, 1 - edge, edge * (1 - 0.3 * near), 0, TILE_SIZES_MM, relief_mm=0.8)


NATURAL_DRAWERS: dict[str, TileDrawer] = {
    "felt": draw_felt, "plain": draw_plain, "wood": draw_wood, "leather": draw_leather, "stone": draw_stone, "veined": draw_veined,
    "cork": draw_cork, "carpet": draw_carpet, "fur": draw_fur, "clouds": draw_clouds, "wrinkles": draw_wrinkles,
    "scuffed": draw_scuffed, "gradient": draw_gradient, "sand": draw_sand, "cracks": draw_cracks,
}  # fmt: skip
