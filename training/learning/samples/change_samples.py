"""What tells dice, hands and things from shadows learns from: a piece of a picture and of the empty tray."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.finder_samples import PIECE, piece
from training.learning.samples.retaking import retake
from training.learning.samples.tray_views import TrayView
from training.scenes.world import Part
from vision.known_tray import match_brightness
from vision.tray_change import STRIDE

DIE_PX = (9.0, 48.0)
"""Edges of dice that are learnt: a tray is seen some twenty dice wide."""
MOSTLY, HARDLY = 0.6, 0.1
"""Of a cell: from so much on something stands there, and up to so much nothing does."""
TRIES = 6


@dataclass(frozen=True)
class ChangeSample:
    """A piece, and what stands in its cells of STRIDE pixels."""

    picture: NDArray[np.uint8]  # (h, w, 3) BGR
    empty: NDArray[np.uint8]  # (h, w, 3) BGR in the light of the picture
    flags: NDArray[np.uint8]  # (2, h/4, w/4): something stands there; whether that is to be learnt


def change_sample(view: TrayView, rng: Generator) -> ChangeSample | None:
    """A piece of a view, as some camera takes it; None where the empty tray is not known."""
    if view.empty is None:
        return None
    for _ in range(TRIES):
        shot = retake(view, piece(view, rng, DIE_PX), PIECE, rng)
        if shot.empty is not None:
            empty = np.round(match_brightness(shot.picture, shot.empty)).astype(np.uint8)
            return ChangeSample(shot.picture, empty, _cells(shot.part))
    return None


def _cells(part: NDArray[np.uint8]) -> NDArray[np.uint8]:
    size = (part.shape[1] // STRIDE, part.shape[0] // STRIDE)
    stands = (part != Part.GROUND).astype(np.float32)
    share = cv2.resize(stands, size, interpolation=cv2.INTER_AREA)
    return np.stack([share > MOSTLY, (share > MOSTLY) | (share < HARDLY)]).astype(np.uint8)
