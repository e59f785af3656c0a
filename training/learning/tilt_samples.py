"""Does it lie flat? Patches of dice in trays, with how their tops really stand off their feet."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from training.learning.samples import COCKED_DEG, Floats, Traced, close_by, edges, warp
from training.rendering.camera import Picture
from vision.crops import DIAGONAL, upright
from vision.tilt import DIE_PX, PATCH_PX, silhouette

UNSURE_DEG = 2.5
"""So near to COCKED_DEG nothing is said of a die."""
KNOWN = 0.65
"""So often the lens is known; where it is not, only how far a top stands off is learnt."""


@dataclass(frozen=True)
class TiltSample:
    """What the network learns from."""

    pixels: Picture  # (PATCH_PX, PATCH_PX, 3)
    flat: Floats  # (PATCH_PX, PATCH_PX) what a flat die would cover
    cocked: float
    cocked_weight: float
    stacked: float
    off: tuple[float, ...]  # how far the top really is off the silhouette's, in edges
    off_weight: float


def stances(traced: Traced, rng: Generator, count: int) -> list[TiltSample]:
    """Of one photographed picture, half of them of dice that do not lie flat where there are any."""
    middles = traced.quads.mean(axis=1)
    high, wide = traced.coded.shape[:2]
    shown = (traced.seen > 0.5) & ((middles > 2) & (middles < (wide - 3, high - 3))).all(axis=1)
    uneven = (traced.tilt > COCKED_DEG) | traced.stacked
    groups = [
        g for g in (np.flatnonzero(shown & uneven), np.flatnonzero(shown & ~uneven)) if len(g)
    ]
    if not groups:
        return []
    return [
        _stance(traced, rng, int(rng.choice(groups[int(rng.integers(len(groups)))])))
        for _ in range(count)
    ]


def _stance(traced: Traced, rng: Generator, k: int) -> TiltSample:
    quad, edge = traced.quads[k], float(edges(traced.quads[k : k + 1])[0])
    top = quad.mean(axis=0)
    along = quad[1] - quad[0]
    rough = rng.random() < 0.2  # as the other looks err
    seen_top = top + rng.normal(0, 0.09 if rough else 0.04, 2) * edge
    seen_edge = edge * float(np.exp(rng.normal(0, 0.12 if rough else 0.05)))
    seen_turn = np.arctan2(along[1], along[0]) + rng.normal(0, np.radians(12 if rough else 4))
    known = rng.random() < KNOWN
    spread, slip = (0.06, 0.01) if known else (0.3, 0.04)
    lean = traced.lean(seen_top) * np.exp(rng.normal(0, spread)) + rng.normal(0, slip, 2)
    pixels, linear = _cut(traced, rng, seen_top - lean * seen_edge / 2, seen_edge, seen_turn)
    off = (top - traced.foot[k]) / edge - lean
    tilt = float(traced.tilt[k])
    return TiltSample(
        pixels,
        silhouette(linear @ lean),
        float(tilt > COCKED_DEG),
        float(known and abs(tilt - COCKED_DEG) > UNSURE_DEG),
        float(traced.stacked[k]),
        tuple(np.nan_to_num(linear @ off)),
        float(not np.isnan(off).any()),
    )


def _cut(
    traced: Traced, rng: Generator, centre: Any, edge: float, turn: float
) -> tuple[Picture, Floats]:
    """The photographed patch, upright, mirrored as often as not, and (2, 2) how it is turned."""
    reach = PATCH_PX / DIE_PX * DIAGONAL * edge
    picture, middle, scale = close_by(traced, rng, centre, edge, reach=reach, seen_px=(15, 70))
    flip = np.diag([1.0, -1.0 if rng.random() < 0.5 else 1.0])
    linear = flip @ upright(turn + np.pi / 2 * int(rng.integers(4)))
    into = linear * (DIE_PX / edge / scale)
    matrix = np.column_stack([into, (PATCH_PX - 1) / 2 - into @ middle]).astype(np.float32)
    return np.asarray(warp(picture, matrix, (PATCH_PX, PATCH_PX)), np.uint8), linear
