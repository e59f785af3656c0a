"""Dots, checks, tiles, letters, cards, weaves: patterns that repeat, many as large as pips or dice."""

import cv2
import numpy as np
from numpy.random import Generator

from training.scenes.grounds.natural import Drawer, Drawn, Floats, cells, grid
from training.scenes.noise import step, tile_cloud, tile_noise

PIPS_TO_DICE = (2.5, 34.0)
"""Repeats of so many millimetres, from pips close together to dice apart."""


def _print(
    second: Floats, rng: Generator, feature: float, sizes: tuple[float, float] = PIPS_TO_DICE,
    third: Floats | None = None,
) -> Drawn:  # fmt: skip
    """Ink on something flat."""
    heights = tile_cloud(rng, len(second), 48)
    faded = 1 - float(rng.uniform(0, 0.3)) * tile_cloud(rng, len(second), 6)
    return Drawn(np.asarray(second * faded, np.float32), third, heights, feature, sizes)


def _local(rng: Generator, side: int, low: int = 3, high: int = 12) -> tuple[Floats, Floats, int]:
    """X and y within cells of a grid, -1..1, and how many cells there are across."""
    x, y = grid(side)
    count = int(rng.integers(low, high))
    if rng.random() < 0.35:  # every other row is off by half
        count += count % 2
        x = x + 0.5 / count * (np.floor(y * count) % 2)
    return 2 * (x * count % 1) - 1, 2 * (y * count % 1) - 1, count


def dots(rng: Generator, side: int) -> Drawn:
    """Discs or rings, in rows."""
    x, y, count = _local(rng, side)
    away = np.hypot(x, y)
    radius = float(rng.uniform(0.15, 0.85))
    disc = step(-away, -radius, 0.06)
    if rng.random() < 0.2:
        disc = disc * step(away, radius * float(rng.uniform(0.4, 0.8)), 0.06)
    return _print(disc, rng, 1 / count)


def random_dots(rng: Generator, side: int) -> Drawn:
    """Discs anywhere: terrazzo of pips."""
    near, which = cells(rng, side, int(rng.integers(9, 400)), even=float(rng.uniform(0, 0.8)))
    size = rng.uniform(0.1, 0.42, which.max() + 1).astype(np.float32)[which]
    return _print(step(size - near, 0, 0.03), rng, 1 / np.sqrt(100), (8, 60))


def faces(rng: Generator, side: int) -> Drawn:
    """Squares with dots in them, like dice seen from above."""
    x, y, count = _local(rng, side, 2, 6)
    half = float(rng.uniform(0.45, 0.95))
    square = step(-np.maximum(np.abs(x), np.abs(y)), -half, 0.03)
    rows, columns = (int(n) for n in rng.integers(1, 4, 2))
    px, py = (((k / half + 1) / 2 * n % 1 - 0.5) / n for k, n in ((x, columns), (y, rows)))
    pips = step(-np.hypot(px, py), -float(rng.uniform(0.05, 0.14)), 0.015) * square
    return _print(square * (1 - pips), rng, 1 / count, (8, 40), third=pips.astype(np.float32))


def checks(rng: Generator, side: int) -> Drawn:
    """A chess board, or a finer one."""
    x, y = grid(side)
    count = 2 * int(rng.integers(1, 7))
    board = (np.floor(x * count) + np.floor(y * count)) % 2
    return _print(board.astype(np.float32), rng, 1 / count, (3, 60))


def tiles(rng: Generator, side: int) -> Drawn:
    """Tiles with joints, each of its own shade."""
    x, y = grid(side)
    columns, rows = int(rng.integers(1, 7)), int(rng.integers(1, 7)) * 2
    x = x + float(rng.choice([0, 0.5])) / columns * (np.floor(y * rows) % 2)
    u, v = x * columns % 1, y * rows % 1
    joint = float(rng.uniform(0.01, 0.08))
    gap = ((np.minimum(u, 1 - u) * rows < joint * columns) | (np.minimum(v, 1 - v) < joint)) * 1.0
    shade = rng.random((rows, columns))[
        (y * rows).astype(int) % rows, (x * columns).astype(int) % columns
    ]
    second = shade * float(rng.uniform(0, 0.7)) + 0.2 * tile_cloud(rng, side, 8)
    return Drawn(
        second.astype(np.float32),
        gap.astype(np.float32),
        (1 - gap).astype(np.float32),
        1 / rows,
        (6, 90),
        relief_mm=0.5,
    )


def stripes(rng: Generator, side: int) -> Drawn:
    """Stripes of one or several widths."""
    x, _ = grid(side)
    count = int(rng.integers(3, 14))
    marks = rng.random(count * 4)[(x * count * 4).astype(int) % (count * 4)]
    even = (x * count % 1 < float(rng.uniform(0.2, 0.8))) * 1.0
    return _print(
        (even if rng.random() < 0.6 else marks).astype(np.float32), rng, 1 / count, (1.5, 50)
    )


def tartan(rng: Generator, side: int) -> Drawn:
    """Stripes across stripes."""
    widths = rng.random(int(rng.integers(4, 14)))
    line = np.repeat(widths, -(-side // len(widths)))[:side].astype(np.float32)
    twill = np.add.outer(np.arange(side), np.arange(side)) // 2 % 4 < 2
    second = np.where(twill, line[None], line[:, None])
    return Drawn(second.astype(np.float32), (line[None] * line[:, None] > 0.5).astype(np.float32) * 0.6,
                 tile_noise(rng, side, side / 4), 1, (30, 200), soft=True, relief_mm=0.3)  # fmt: skip


def weave(rng: Generator, side: int) -> Drawn:
    """Threads over and under threads; coarse ones are sacking, fine ones linen."""
    x, y = grid(side)
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
    return Drawn(
        second.astype(np.float32),
        None,
        heights.astype(np.float32),
        1 / count,
        (0.5, 6),
        soft=True,
        relief_mm=0.5,
    )


def letters(rng: Generator, side: int) -> Drawn:
    """A printed page, a newspaper, a rule sheet."""
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


def cards(rng: Generator, side: int) -> Drawn:
    """Cards with pips on them, strewn about."""
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


def shapes(rng: Generator, side: int) -> Drawn:
    """Squares, discs and triangles strewn about, some as large as dice."""
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


def honeycomb(rng: Generator, side: int) -> Drawn:
    """Hexagons with joints, as on battle maps and bathroom floors."""
    _, which = cells(rng, side, int(rng.integers(3, 12)) ** 2, even=float(rng.uniform(0.7, 1)))
    edge = (cv2.Laplacian(which.astype(np.float32), cv2.CV_32F) != 0).astype(np.float32)
    edge = cv2.dilate(edge, np.ones((3, 3))) if rng.random() < 0.6 else edge
    shade = rng.random(which.max() + 1).astype(np.float32)[which] * float(rng.uniform(0, 0.5))
    return _print(shade, rng, 1 / 8, (6, 50), third=edge)


def art(rng: Generator, side: int) -> Drawn:
    """A neoprene mat with a picture on it: smooth blots and swirls with outlines."""
    blots = tile_cloud(rng, side, float(rng.integers(2, 7)), float(rng.uniform(0.3, 0.6)))
    levels = int(rng.integers(2, 8))
    second = np.floor(blots * levels) / levels
    outline = (cv2.Laplacian(second, cv2.CV_32F) != 0).astype(np.float32)
    return Drawn(
        second,
        outline * float(rng.integers(0, 2)),
        tile_noise(rng, side, side / 3),
        0,
        (120, 600),
        soft=True,
        relief_mm=0.15,
    )


def grid_lines(rng: Generator, side: int) -> Drawn:
    """Squared paper, a cutting mat, a crossword."""
    x, y, count = _local(rng, side, 4, 16)
    thin = float(rng.uniform(0.03, 0.15))
    lines = np.maximum(step(np.abs(x), 1 - thin, 0.03), step(np.abs(y), 1 - thin, 0.03))
    filled = rng.random((count, count)) < rng.uniform(0, 0.3)
    gx, gy = grid(side)
    third = filled[(gy * count).astype(int) % count, (gx * count).astype(int) % count].astype(
        np.float32
    )
    return _print(lines, rng, 1 / count, (4, 30), third=third)


def houndstooth(rng: Generator, side: int) -> Drawn:
    """Broken checks."""
    x, y = grid(side)
    count = int(rng.integers(3, 10))
    u, v = (x * count % 1) * 4, (y * count % 1) * 4
    tooth = np.where((np.floor(u) % 4 < 2), ((u + v) % 4 < 2), np.floor(v) % 4 < 2)
    return _print(tooth.astype(np.float32), rng, 1 / count, (4, 40))


def dominoes(rng: Generator, side: int) -> Drawn:
    """Oblongs halved by a line, with dots in each half."""
    drawn = faces(rng, side)
    _, y = grid(side)
    bar = (np.abs((y * 4 % 2) - 1) < 0.06).astype(np.float32)
    return Drawn(
        drawn.second, np.maximum(drawn.third, bar), drawn.heights, drawn.feature, drawn.sizes_mm
    )


def fish_scales(rng: Generator, side: int) -> Drawn:
    """Rows of half discs that overlap."""
    x, y = grid(side)
    count = int(rng.integers(4, 12))
    second = np.zeros((side, side), np.float32)
    for row in (0.0, 0.5):
        u = 2 * ((x * count + row) % 1) - 1
        v = (y * count + row) % 1
        second = np.maximum(
            second, step(np.hypot(u, v * 1.4), 0.85, 0.1) * step(-np.hypot(u, v * 1.4), -1.05, 0.1)
        )
    return _print(second, rng, 1 / count, (5, 40))


def knit(rng: Generator, side: int) -> Drawn:
    """Stitches like rows of V."""
    x, y = grid(side)
    count = 2 * int(rng.integers(6, 22))
    u = x * count % 1
    slant = np.abs(u - 0.5) * 1.6
    stitch = 0.5 + 0.5 * np.sin(2 * np.pi * (y * count * 0.8 // 0.8 * 1.0 + slant))
    heights = (stitch * np.sin(np.pi * u)).astype(np.float32).clip(0, 1)
    rows = rng.random(count)[(y * count).astype(int) % count] < 0.3
    return Drawn(
        (1 - heights) * 0.6,
        rows.astype(np.float32),
        heights,
        1 / count,
        (1.5, 9),
        soft=True,
        relief_mm=1.0,
    )


PRINTED: dict[str, Drawer] = {
    "dots": dots, "random_dots": random_dots, "faces": faces, "checks": checks, "tiles": tiles,
    "stripes": stripes, "tartan": tartan, "weave": weave, "letters": letters, "cards": cards,
    "shapes": shapes, "honeycomb": honeycomb, "art": art, "grid_lines": grid_lines,
    "houndstooth": houndstooth, "dominoes": dominoes, "fish_scales": fish_scales, "knit": knit,
}  # fmt: skip
