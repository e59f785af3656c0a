"""Finds false detections of the finder, which serve as counterexamples for the networks that read one die."""

from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from training.learning.samples.camera_shots import photograph
from training.learning.samples.tray_views import TrayView, mean_edges
from vision.finder import FRAME_PX, TRAY_PX, find_dice
from vision.images import ImagePyramid

Floats = NDArray[np.float32]
SAME_DIE_OFFSET, SAME_DIE_LOG_SIZE = 0.4, 0.55
"""A place shows a die if their distance in die edges and the logarithm of the ratio of their sizes are below these."""
CACHED_VIEWS = 64


@lru_cache(maxsize=CACHED_VIEWS)
def find_false_detections(view: TrayView) -> Floats:
    """Return the x, y, edge and rotation (n, 4) of false detections in a view, best first, in pixels and radians."""
    rng = np.random.default_rng(crc32(view.name.encode()))
    look_px = int(rng.choice([FRAME_PX, TRAY_PX]))
    seen = find_dice(ImagePyramid(photograph(view.light, rng)), look_px).detections
    rows = [(s.x, s.y, s.edge, s.turn) for s in seen if not is_on_die(view, (s.x, s.y), s.edge)]
    return np.array(rows, np.float32).reshape(-1, 4)


def is_on_die(view: TrayView, at: tuple[float, float], edge: float) -> bool:
    """Return whether a place shows one of the dice in a view.

    Args:
        view: A tray as linear light, rendered or photographed, with the true labels.
        at: Column and row of the centre of the place in pixels.
        edge: Edge of the place in pixels, as if it were a die.
    """
    quads = view.dice.quads
    sizes = mean_edges(quads)
    away = np.linalg.norm(quads.mean(axis=1) - at, axis=1)
    alike = np.abs(np.log(edge / sizes)) < SAME_DIE_LOG_SIZE
    return bool(((away < SAME_DIE_OFFSET * np.minimum(edge, sizes)) & alike).any())
