"""What the finder takes for dice and is none: what the networks of one die are shown most, as in use."""

from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from training.learning.samples.retaking import photographed
from training.learning.samples.tray_views import TrayView, edges
from vision.finder import LOOK_PX, TRAY_PX, find_dice

Floats = NDArray[np.float32]
NEAR_EDGES, NEAR_SIZE = 0.4, 0.55
"""Nearer to a die than this, and so alike in size, a place is that die."""
KEPT = 64


@lru_cache(maxsize=KEPT)
def lures(view: TrayView) -> Floats:
    """(n, 4) x, y, edge and turn, in the view's pixels, best first."""
    rng = np.random.default_rng(crc32(view.name.encode()))
    look_px = int(rng.choice([LOOK_PX, TRAY_PX]))
    seen = find_dice(photographed(view.light, rng), look_px).detections
    rows = [(s.x, s.y, s.edge, s.turn) for s in seen if not is_die(view, (s.x, s.y), s.edge)]
    return np.array(rows, np.float32).reshape(-1, 4)


def is_die(view: TrayView, at: tuple[float, float], edge: float) -> bool:
    """Whether a place of that size is one of the dice."""
    quads = view.dice.quads
    sizes = edges(quads)
    away = np.linalg.norm(quads.mean(axis=1) - at, axis=1)
    alike = np.abs(np.log(edge / sizes)) < NEAR_SIZE
    return bool(((away < NEAR_EDGES * np.minimum(edge, sizes)) & alike).any())
