"""Draws covers at random: the surface materials of floors, walls, tables and objects, with their colours."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from training.scenes.colours import (
    Rgb,
    draw_any_colour,
    draw_black,
    draw_cloth,
    draw_earth,
    draw_furniture,
    draw_ivory,
    draw_leather,
    draw_metal,
    draw_pastel,
    draw_strong,
    draw_white,
    draw_wood,
    scale_colour,
)  # fmt: skip
from training.scenes.grounds.natural import NATURAL_DRAWERS, GroundTile
from training.scenes.grounds.printed import PRINTED_DRAWERS
from training.scenes.kept_out import Chooser, Purpose
from training.scenes.world import Cover

GROUND_WEIGHTS = {
    "felt": 0.13, "wood": 0.14, "leather": 0.08, "plain": 0.09, "stone": 0.03, "veined": 0.02,
    "cork": 0.02, "carpet": 0.03, "fur": 0.01, "clouds": 0.05, "wrinkles": 0.03, "scuffed": 0.03,
    "gradient": 0.01, "sand": 0.01, "cracks": 0.01, "dots": 0.04, "random_dots": 0.03, "faces": 0.02,
    "checks": 0.03, "tiles": 0.03, "stripes": 0.02, "tartan": 0.02, "weave": 0.05, "letters": 0.03,
    "cards": 0.02, "shapes": 0.02, "honeycomb": 0.01, "art": 0.03, "grid_lines": 0.02,
    "houndstooth": 0.01, "dominoes": 0.01, "fish_scales": 0.01, "knit": 0.01,
}  # fmt: skip
ORDINARY_GROUND_WEIGHTS = {
    "felt": 0.34,
    "wood": 0.28,
    "leather": 0.18,
    "plain": 0.12,
    "weave": 0.05,
    "cork": 0.03,
}
WALL_WEIGHTS = {
    "wood": 0.45,
    "leather": 0.16,
    "plain": 0.22,
    "felt": 0.1,
    "stone": 0.04,
    "weave": 0.03,
}
WOODEN_KINDS = ("wood", "cork")
PALETTE_WEIGHTS = (
    (draw_black, 0.24),
    (draw_white, 0.12),
    (draw_strong, 0.24),
    (draw_wood, 0.14),
    (draw_earth, 0.14),
    (draw_pastel, 0.06),
    (draw_any_colour, 0.06),
)
TILE_DRAWERS = NATURAL_DRAWERS | PRINTED_DRAWERS
DRAWINGS_PER_KIND = 40
"""Number of different texture tiles of each kind. Colours, scales and rotations vary freely."""


@lru_cache(maxsize=400)
def draw_tile(kind: str, number: int, side: int) -> GroundTile:
    """Return a texture tile of one kind. The same arguments give the same tile.

    Args:
        kind: Kind of the material, a key of TILE_DRAWERS.
        number: Number of the tile, 0 to DRAWINGS_PER_KIND - 1.
        side: Width and height of the texture tile in pixels.
    """
    tile = TILE_DRAWERS[kind](np.random.default_rng([number, len(kind), ord(kind[0])]), side)
    second, third, heights = (
        None if k is None else np.clip(np.asarray(k, np.float32), 0, 1)
        for k in (tile.second, tile.third, tile.heights)
    )
    return replace(tile, second=second, third=third, heights=heights)


def draw_cover(chooser: Chooser, side: int, kinds: dict[str, float] | None = None) -> Cover:
    """Draw a cover (the material of a surface).

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        side: Width and height of the texture tile in pixels.
        kinds: Relative frequency of each kind. None selects the usual frequencies for floors and tables.
    """
    rng = chooser.rng
    if kinds is None:
        kinds = ORDINARY_GROUND_WEIGHTS if chooser.purpose is Purpose.ORDINARY else GROUND_WEIGHTS
    kind = chooser.draw_kind("ground", kinds)
    tile = draw_tile(kind, int(rng.integers(DRAWINGS_PER_KIND)), side)
    first, second, third = _colours(rng, kind, ordinary=chooser.purpose is Purpose.ORDINARY)
    one, two, three = (np.array(c, np.float32) for c in (first, second, third))
    colours = one + (two - one) * tile.second[..., None]
    if tile.third is not None:
        colours += (three - colours) * tile.third[..., None]
    soft = tile.soft or rng.random() < 0.1
    rough = float(rng.uniform(0.75, 1)) if soft else float(rng.uniform(0.12, 0.95))
    size = float(np.exp(rng.uniform(*np.log(tile.sizes_mm))))
    return Cover(
        colours, tile.heights,
        tile_mm=float(np.clip(size / (tile.feature or 1), 12, 900)),
        turn=float(rng.choice([0, np.pi / 2, rng.uniform(0, 6.28)])),
        rough=rough,
        metal=float(rng.uniform(0.5, 1)) if rng.random() < 0.02 else 0.0,
        relief_mm=tile.relief_mm * float(rng.uniform(0.3, 1)),
        shift_mm=(float(rng.uniform(0, 500)), float(rng.uniform(0, 500))),
        kind=kind,
    )  # fmt: skip


def make_plain_cover(rgb: Rgb, rough: float, metal: float = 0.0, clear: float = 0.0) -> Cover:
    """Return a cover (the material of a surface) in a single colour.

    Args:
        rgb: Linear red, green and blue, each 0 to 1.
        rough: Roughness, 0 to 1.
        metal: Share of metallic reflection: 0 for none, 1 for metal.
        clear: Transparency: 0 for none, 1 for glass.
    """
    colours = np.broadcast_to(np.array(rgb, np.float32), (4, 4, 3)).copy()
    return Cover(colours, np.zeros((4, 4), np.float32), 100.0, 0.0, rough, metal, clear=clear)


def _colours(rng: Generator, kind: str, *, ordinary: bool) -> tuple[Rgb, Rgb, Rgb]:
    weights = np.array([w for _, w in PALETTE_WEIGHTS])
    draw = PALETTE_WEIGHTS[int(rng.choice(len(PALETTE_WEIGHTS), p=weights / weights.sum()))][0]
    if ordinary:
        draw = {"felt": draw_cloth, "leather": draw_leather}.get(kind, draw_furniture)
    if kind in WOODEN_KINDS and (ordinary or rng.random() < 0.85):
        draw = draw_wood
    first = draw(rng)
    near = scale_colour(first, float(np.exp(rng.normal(-0.25, 0.45))), 0.15, rng)
    far = [draw_any_colour, draw_black, draw_white, draw_strong, draw_ivory, draw_metal][
        int(rng.integers(6))
    ](rng)
    printed = kind in PRINTED_DRAWERS and kind not in ("weave", "tiles")
    is_far = rng.random() < (0.75 if printed else 0.12)
    second = far if is_far and not ordinary else near
    third = (
        draw_any_colour(rng)
        if rng.random() < 0.5 and printed
        else scale_colour(first, float(rng.uniform(0.2, 0.7)))
    )
    return first, second, third
