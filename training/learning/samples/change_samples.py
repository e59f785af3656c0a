"""Makes samples for the change network: crops of an image and of the empty-tray image."""

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
"""Range of the edges of dice in the samples. A tray is about twenty dice wide."""
MIN_FILLED, MAX_EMPTY = 0.6, 0.1
"""A cell shows an object if at least the first share of it is covered, and none if at most the second is."""
MAX_TRIES = 6


@dataclass(frozen=True)
class ChangeSample:
    """An image crop, and whether each of its cells of STRIDE by STRIDE pixels shows an object.

    Attributes:
        picture: Crop (h, w, 3) BGR.
        empty: The same crop (h, w, 3) BGR of the empty-tray image, adapted to the brightness of `picture`.
        flags: Two masks (2, h/4, w/4): cells with an object, and cells that are used for training.
    """

    picture: NDArray[np.uint8]
    empty: NDArray[np.uint8]
    flags: NDArray[np.uint8]


def make_change_sample(view: TrayView, rng: Generator) -> ChangeSample | None:
    """Return a crop of a view as a random camera takes it, or None if there is no empty-tray image.

    Args:
        view: A tray as linear light, rendered or photographed, with the true labels.
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
