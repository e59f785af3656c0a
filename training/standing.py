"""Does it lie flat? Patches of dice in trays, with how their tops really stand off their feet."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator

from training.camera import Picture
from training.samples import COCKED_DEG, Floats, Traced, _warp, edges, photographed
from vision.standing import DIE_PX, PATCH_PX, silhouette

UNSURE_DEG = 2.5
"""So near to COCKED_DEG nothing is said of a die."""
KNOWN = 0.65
"""So often the lens is known; where it is not, only how far a top stands off is learnt."""


@dataclass(frozen=True)
class Stance:
    """What the network learns from."""

    pixels: Picture  # (PATCH_PX, PATCH_PX, 3)
    flat: Floats  # (PATCH_PX, PATCH_PX) what a flat die would cover
    cocked: float
    cocked_weight: float
    stacked: float
    off: tuple[float, ...]  # how far the top really is off the silhouette's, in edges
    off_weight: float


def stances(traced: Traced, rng: Generator, count: int) -> list[Stance]:
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


def _stance(traced: Traced, rng: Generator, k: int) -> Stance:
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
    pixels, matrix = _cut(traced, rng, seen_top - lean * seen_edge / 2, seen_edge, seen_turn)
    linear = matrix[:, :2] / np.sqrt(abs(np.linalg.det(matrix[:, :2])))
    off = (top - traced.foot[k]) / edge - lean
    tilt = float(traced.tilt[k])
    return Stance(
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
    """The photographed patch and the map into it, upright, mirrored as often as not."""
    reach = PATCH_PX / DIE_PX * 0.75 * edge
    high, wide = traced.coded.shape[:2]
    left, top = (int(max(0, c - reach)) for c in centre)
    right, bottom = int(min(wide, centre[0] + reach)) + 1, int(min(high, centre[1] + reach)) + 1
    near = traced.coded[top:bottom, left:right]
    pixels = float(np.exp(rng.uniform(np.log(15), np.log(70))))  # the edge as the camera has it
    scale = min(1.0, pixels / edge)
    if scale < 1:
        near = cv2.resize(near, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    picture = photographed(near, rng)
    spin = turn + np.pi / 2 * int(rng.integers(4))
    flip = np.diag([1.0, -1.0 if rng.random() < 0.5 else 1.0])
    c, s = np.cos(spin), np.sin(spin)
    full = DIE_PX / edge * flip @ np.array([[c, s], [-s, c]])
    small = full / scale
    middle = (np.asarray(centre) - (left, top)) * scale
    matrix = np.column_stack([small, (PATCH_PX - 1) / 2 - small @ middle]).astype(np.float32)
    patch = np.asarray(_warp(picture, matrix, (PATCH_PX, PATCH_PX)), np.uint8)
    return patch, np.column_stack([full, np.zeros(2)]).astype(np.float32)
