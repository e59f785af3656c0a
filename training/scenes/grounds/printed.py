"""Draws floors with patterns as texture tiles: dots, checks, letters, cards and weaves.

Many of the patterns are as large as pips or dice.
"""

import cv2
import numpy as np
from numpy.random import Generator

from training.scenes.grounds.natural import (
    Floats,
    GroundTile,
    TileDrawer,
    nearest_points,
    pixel_grid,
)
from training.scenes.noise import soft_step, tileable_fractal, tileable_noise

PATTERN_MM = (2.5, 34.0)
"""Range of the period of a pattern, from that of pips close together to that of dice lying apart."""


def _print(
    second: Floats, rng: Generator, feature: float, sizes: tuple[float, float] = PATTERN_MM,
    third: Floats | None = None,
) -> GroundTile:  # fmt: skip
    """Return a texture tile with a pattern printed on a flat surface.

    `second` and `third` are the shares of two inks, `feature` is the period of the pattern in widths of the tile, and
    `sizes` its smallest and largest period in millimetres.
    """
    heights = tileable_fractal(rng, len(second), 48)
    faded = 1 - float(rng.uniform(0, 0.3)) * tileable_fractal(rng, len(second), 6)
    return GroundTile(np.asarray(second * faded, np.float32), third, heights, feature, sizes)


def _local(rng: Generator, side: int, low: int = 3, high: int = 12) -> tuple[Floats, Floats, int]:
    """Divide a texture tile into a random grid, and return each pixel's x and y in its cell, from -1 to 1.

    Also return the number of cells across the tile, which is between `low` and `high`.
    """
    x, y = pixel_grid(side)
    count = int(rng.integers(low, high))
    if rng.random() < 0.35:  # every other row is shifted by half a cell
        count += count % 2
        x = x + 0.5 / count * (np.floor(y * count) % 2)
    return 2 * (x * count % 1) - 1, 2 * (y * count % 1) - 1, count


def draw_dots(rng: Generator, side: int) -> GroundTile:
    """Draw discs or rings in rows.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y, count = _local(rng, side)
    away = np.hypot(x, y)
    radius = float(rng.uniform(0.15, 0.85))
    disc = soft_step(-away, -radius, 0.06)
    if rng.random() < 0.2:
        disc = disc * soft_step(away, radius * float(rng.uniform(0.4, 0.8)), 0.06)
    return _print(disc, rng, 1 / count)


def draw_random_dots(rng: Generator, side: int) -> GroundTile:
    """Draw discs at random places, like terrazzo made of pips.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    near, which = nearest_points(
        rng, side, int(rng.integers(9, 400)), even=float(rng.uniform(0, 0.8))
    )
    size = rng.uniform(0.1, 0.42, which.max() + 1).astype(np.float32)[which]
    return _print(soft_step(size - near, 0, 0.03), rng, 1 / np.sqrt(100), (8, 60))


def draw_faces(rng: Generator, side: int) -> GroundTile:
    """Draw squares that contain dots, like dice seen from above.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y, count = _local(rng, side, 2, 6)
    half = float(rng.uniform(0.45, 0.95))
    square = soft_step(-np.maximum(np.abs(x), np.abs(y)), -half, 0.03)
    rows, columns = (int(n) for n in rng.integers(1, 4, 2))
    px, py = (((k / half + 1) / 2 * n % 1 - 0.5) / n for k, n in ((x, columns), (y, rows)))
    pips = soft_step(-np.hypot(px, py), -float(rng.uniform(0.05, 0.14)), 0.015) * square
    return _print(square * (1 - pips), rng, 1 / count, (8, 40), third=pips.astype(np.float32))


def draw_checks(rng: Generator, side: int) -> GroundTile:
    """Draw checks, as on a chessboard, or finer ones.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y = pixel_grid(side)
    count = 2 * int(rng.integers(1, 7))
    board = (np.floor(x * count) + np.floor(y * count)) % 2
    return _print(board.astype(np.float32), rng, 1 / count, (3, 60))


def draw_tiles(rng: Generator, side: int) -> GroundTile:
    """Draw floor tiles with joints, each tile with its own shade.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y = pixel_grid(side)
    columns, rows = int(rng.integers(1, 7)), int(rng.integers(1, 7)) * 2
    x = x + float(rng.choice([0, 0.5])) / columns * (np.floor(y * rows) % 2)
    u, v = x * columns % 1, y * rows % 1
    joint = float(rng.uniform(0.01, 0.08))
    gap = ((np.minimum(u, 1 - u) * rows < joint * columns) | (np.minimum(v, 1 - v) < joint)) * 1.0
    shade = rng.random((rows, columns))[
        (y * rows).astype(int) % rows, (x * columns).astype(int) % columns
    ]
    second = shade * float(rng.uniform(0, 0.7)) + 0.2 * tileable_fractal(rng, side, 8)
    return GroundTile(
        second.astype(np.float32),
        gap.astype(np.float32),
        (1 - gap).astype(np.float32),
        1 / rows,
        (6, 90),
        relief_mm=0.5,
    )


def draw_stripes(rng: Generator, side: int) -> GroundTile:
    """Draw stripes of one or several widths.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, _ = pixel_grid(side)
    count = int(rng.integers(3, 14))
    marks = rng.random(count * 4)[(x * count * 4).astype(int) % (count * 4)]
    even = (x * count % 1 < float(rng.uniform(0.2, 0.8))) * 1.0
    return _print(
        (even if rng.random() < 0.6 else marks).astype(np.float32), rng, 1 / count, (1.5, 50)
    )


def draw_tartan(rng: Generator, side: int) -> GroundTile:
    """Draw tartan: stripes that cross other stripes.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    widths = rng.random(int(rng.integers(4, 14)))
    line = np.repeat(widths, -(-side // len(widths)))[:side].astype(np.float32)
    twill = np.add.outer(np.arange(side), np.arange(side)) // 2 % 4 < 2
    second = np.where(twill, line[None], line[:, None])
    return GroundTile(second.astype(np.float32), (line[None] * line[:, None] > 0.5).astype(np.float32) * 0.6,
                 tileable_noise(rng, side, side / 4), 1, (30, 200), soft=True, relief_mm=0.3)  # fmt: skip


def draw_weave(rng: Generator, side: int) -> GroundTile:
    """Draw woven threads that cross over and under each other, from sacking to linen.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y = pixel_grid(side)
    count = 2 * int(rng.integers(6, 40))
    u, v = x * count * np.pi, y * count * np.pi
    over = (np.floor(u / np.pi) + np.floor(v / np.pi)) % 2
    heights = np.where(over > 0, np.abs(np.sin(u)), np.abs(np.sin(v)))
    thread = np.where(
        over > 0,
        rng.random(count)[(x * count).astype(int) % count],
        rng.random(count)[(y * count).astype(int) % count],
    )
    second = (1 - heights) * 0.5 + 0.5 * thread * float(rng.uniform(0, 1))
    return GroundTile(
        second.astype(np.float32),
        None,
        heights.astype(np.float32),
        1 / count,
        (0.5, 6),
        soft=True,
        relief_mm=0.5,
    )


def draw_letters(rng: Generator, side: int) -> GroundTile:
    """Draw a printed page, such as a newspaper or a rule sheet.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    page = np.zeros((side, side), np.uint8)
    lines = int(rng.integers(4, 26))
    line = side / lines
    alphabet = list("aeinorst dlmu,.GHOQ0568%o:; ")
    font = int(rng.integers(0, 5))
    for k in range(lines):
        text = "".join(rng.choice(alphabet, 120))
        cv2.putText(page, text, (int(rng.integers(-20, 1)), int((k + 0.75) * line)), font, line / 34, 255,
                    max(1, int(line / 14)), cv2.LINE_AA)  # fmt: skip
    if rng.random() < 0.3:
        for _ in range(6):
            corner = rng.integers(0, side, 2)
            cv2.rectangle(page, tuple(map(int, corner)), tuple(map(int, corner + rng.integers(5, side // 3, 2))),
                          255, int(rng.integers(1, 5)))  # fmt: skip
    return _print(page.astype(np.float32) / 255, rng, 1 / lines, (3, 22))


def draw_cards(rng: Generator, side: int) -> GroundTile:
    """Draw playing cards with pips, strewn about.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    page, ink = np.zeros((side, side), np.float32), np.zeros((side, side), np.float32)
    wide = side * float(rng.uniform(0.15, 0.4))
    for _ in range(int(rng.integers(4, 14))):
        at, angle = rng.uniform(0, side, 2), float(rng.uniform(0, 180))
        box = cv2.boxPoints(((float(at[0]), float(at[1])), (wide, wide * 1.5), angle))
        cv2.fillConvexPoly(page, box.astype(np.int32), float(rng.uniform(0.6, 1)), cv2.LINE_AA)
        cv2.fillConvexPoly(ink, box.astype(np.int32), 0.0)
        axes = (box[1] - box[0], box[3] - box[0])
        count = int(rng.integers(1, 4)), int(rng.integers(1, 5))
        for i in range(count[0]):
            for j in range(count[1]):
                spot = (
                    box[0] + axes[0] * (i + 1) / (count[0] + 1) + axes[1] * (j + 1) / (count[1] + 1)
                )
                cv2.circle(
                    ink,
                    tuple(map(int, spot)),
                    max(1, int(wide * rng.uniform(0.06, 0.12))),
                    1.0,
                    -1,
                    cv2.LINE_AA,
                )
    return _print(page, rng, 1.0, (90, 320), third=ink)


def draw_shapes(rng: Generator, side: int) -> GroundTile:
    """Draw squares, discs and triangles, some as large as dice.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    page, other = np.zeros((side, side), np.float32), np.zeros((side, side), np.float32)
    for _ in range(int(rng.integers(10, 60))):
        at, size = rng.uniform(0, side, 2), side * float(np.exp(rng.uniform(-4, -1.9)))
        sides = int(rng.choice([3, 4, 4, 4, 5, 20]))
        angles = np.arange(sides) * 2 * np.pi / sides + rng.uniform(0, 6.28)
        ring = (at + size * np.column_stack([np.cos(angles), np.sin(angles)])).astype(np.int32)
        cv2.fillConvexPoly(
            page if rng.random() < 0.6 else other, ring, float(rng.uniform(0.4, 1)), cv2.LINE_AA
        )
    return _print(page, rng, 1.0, (60, 300), third=other)


def draw_honeycomb(rng: Generator, side: int) -> GroundTile:
    """Draw hexagons separated by lines, as on battle maps and bathroom floors.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    _, which = nearest_points(
        rng, side, int(rng.integers(3, 12)) ** 2, even=float(rng.uniform(0.7, 1))
    )
    edge = (cv2.Laplacian(which.astype(np.float32), cv2.CV_32F) != 0).astype(np.float32)
    edge = cv2.dilate(edge, np.ones((3, 3))) if rng.random() < 0.6 else edge
    shade = rng.random(which.max() + 1).astype(np.float32)[which] * float(rng.uniform(0, 0.5))
    return _print(shade, rng, 1 / 8, (6, 50), third=edge)


def draw_art(rng: Generator, side: int) -> GroundTile:
    """Draw a neoprene mat with a picture: smooth blots and swirls with outlines.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    blots = tileable_fractal(rng, side, float(rng.integers(2, 7)), float(rng.uniform(0.3, 0.6)))
    levels = int(rng.integers(2, 8))
    second = np.floor(blots * levels) / levels
    outline = (cv2.Laplacian(second, cv2.CV_32F) != 0).astype(np.float32)
    return GroundTile(
        second,
        outline * float(rng.integers(0, 2)),
        tileable_noise(rng, side, side / 3),
        0,
        (120, 600),
        soft=True,
        relief_mm=0.15,
    )


def draw_grid_lines(rng: Generator, side: int) -> GroundTile:
    """Draw a grid of lines, as on squared paper, a cutting mat or a crossword.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y, count = _local(rng, side, 4, 16)
    thin = float(rng.uniform(0.03, 0.15))
    lines = np.maximum(soft_step(np.abs(x), 1 - thin, 0.03), soft_step(np.abs(y), 1 - thin, 0.03))
    filled = rng.random((count, count)) < rng.uniform(0, 0.3)
    gx, gy = pixel_grid(side)
    third = filled[(gy * count).astype(int) % count, (gx * count).astype(int) % count].astype(
        np.float32
    )
    return _print(lines, rng, 1 / count, (4, 30), third=third)


def draw_houndstooth(rng: Generator, side: int) -> GroundTile:
    """Draw houndstooth, a pattern of broken checks.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y = pixel_grid(side)
    count = int(rng.integers(3, 10))
    u, v = (x * count % 1) * 4, (y * count % 1) * 4
    tooth = np.where((np.floor(u) % 4 < 2), ((u + v) % 4 < 2), np.floor(v) % 4 < 2)
    return _print(tooth.astype(np.float32), rng, 1 / count, (4, 40))


def draw_dominoes(rng: Generator, side: int) -> GroundTile:
    """Draw dominoes: rectangles divided by a line, with dots in each half.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    drawn = draw_faces(rng, side)
    _, y = pixel_grid(side)
    bar = (np.abs((y * 4 % 2) - 1) < 0.06).astype(np.float32)
    return GroundTile(
        drawn.second, np.maximum(drawn.third, bar), drawn.heights, drawn.feature, drawn.sizes_mm
    )


def draw_fish_scales(rng: Generator, side: int) -> GroundTile:
    """Draw fish scales: rows of overlapping half discs.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y = pixel_grid(side)
    count = int(rng.integers(4, 12))
    second = np.zeros((side, side), np.float32)
    for row in (0.0, 0.5):
        u = 2 * ((x * count + row) % 1) - 1
        v = (y * count + row) % 1
        second = np.maximum(
            second,
            soft_step(np.hypot(u, v * 1.4), 0.85, 0.1)
            * soft_step(-np.hypot(u, v * 1.4), -1.05, 0.1),
        )
    return _print(second, rng, 1 / count, (5, 40))


def draw_knit(rng: Generator, side: int) -> GroundTile:
    """Draw knitwear: stitches like rows of the letter V.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    x, y = pixel_grid(side)
    count = 2 * int(rng.integers(6, 22))
    u = x * count % 1
    slant = np.abs(u - 0.5) * 1.6
    stitch = 0.5 + 0.5 * np.sin(2 * np.pi * (y * count * 0.8 // 0.8 * 1.0 + slant))
    heights = (stitch * np.sin(np.pi * u)).astype(np.float32).clip(0, 1)
    rows = rng.random(count)[(y * count).astype(int) % count] < 0.3
    return GroundTile(
        (1 - heights) * 0.6,
        rows.astype(np.float32),
        heights,
        1 / count,
        (1.5, 9),
        soft=True,
        relief_mm=1.0,
    )


PRINTED_DRAWERS: dict[str, TileDrawer] = {
    "dots": draw_dots, "random_dots": draw_random_dots, "faces": draw_faces, "checks": draw_checks, "tiles": draw_tiles,
    "stripes": draw_stripes, "tartan": draw_tartan, "weave": draw_weave, "letters": draw_letters, "cards": draw_cards,
    "shapes": draw_shapes, "honeycomb": draw_honeycomb, "art": draw_art, "grid_lines": draw_grid_lines,
    "houndstooth": draw_houndstooth, "dominoes": draw_dominoes, "fish_scales": draw_fish_scales, "knit": draw_knit,
}  # fmt: skip
