"""Samples for the change network: pieces of an image and of the empty tray."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.camera_shots import take_shot
from training.learning.samples.finder_samples import PIECE_PX, choose_piece
from training.learning.samples.tray_views import TrayView
from training.scenes.world import Part
from vision.known_tray import match_brightness
from vision.tray_change import STRIDE

DIE_RANGE_PX = (9.0, 48.0)
"""Edges of dice to learn; a tray is about twenty dice wide."""
MIN_FILLED, MAX_EMPTY = 0.6, 0.1
"""Share of a cell from which it holds an object, and up to which it holds none."""
MAX_TRIES = 6


@dataclass(frozen=True)
class ChangeSample:
    """A piece, and whether an object stands in each of its cells of STRIDE pixels."""

    picture: NDArray[np.uint8]  # (h, w, 3) BGR
    empty: NDArray[np.uint8]  # (h, w, 3) BGR, matched to the brightness of the image
    flags: NDArray[np.uint8]  # (2, h/4, w/4): an object stands there; 1 where that is to be learnt


def make_change_sample(view: TrayView, rng: Generator) -> ChangeSample | None:
    """Return a piece of a view, as a random camera takes it, or None without an empty-tray image.

    Args:
        view: Light over a tray, with the true labels.
        rng: Source of random numbers.
    """
    if view.empty is None:
        return None
    for _ in range(MAX_TRIES):
        shot = take_shot(view, choose_piece(view, rng, DIE_RANGE_PX), PIECE_PX, rng)
        if shot.empty is not None:
            empty = np.round(match_brightness(shot.picture, shot.empty)).astype(np.uint8)
            return ChangeSample(shot.picture, empty, _cells(shot.part))
    return None


def _cells(part: NDArray[np.uint8]) -> NDArray[np.uint8]:
    size = (part.shape[1] // STRIDE, part.shape[0] // STRIDE)
    stands = (part != Part.GROUND).astype(np.float32)
    share = cv2.resize(stands, size, interpolation=cv2.INTER_AREA)
    return np.stack([share > MIN_FILLED, (share > MIN_FILLED) | (share < MAX_EMPTY)]).astype(
        np.uint8
    )
