"""Finds the floor of the tray in pictures by itself.

One small network says of each spot how likely it is floor: that gives a first guess of four sides.
A second sees what they frame, and says where around it the floor ends: see `frame_fit`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import frame_fit
from calibration.outline import Outline, as_quad, clockwise, tray_width_px
from calibration.rectify import Image, network_input
from vision.networks import run, sigmoid

Floats = NDArray[np.float64]
Map = NDArray[np.float32]
INPUT_SIZE_PX = (192, 160)
"""What the first network was taught on: width and height, the picture in the middle."""

LEAST_FLOOR = 0.02
"""Of that view: less is no tray."""

START_SCALES = (1.0, 0.87, 1.13)
"""Of the guess: where the search begins."""

AGREED = 0.03
"""Of the tray's width: ends that lie so near to each other are the same."""

LEAST, MIN_SURE_CONFIDENCE = 0.05, 0.68
"""Confidence from which a guess is better than a frame in the middle; and from which it is found: of
600 trays of kinds that were never taught one was wrong from there on."""

LIKELY = 0.5
"""More likely floor than not."""


@dataclass(frozen=True, slots=True)
class FoundTray:
    """A proposal: `confidence` 0..1 is larger where all four corners are likelier right, within 3 % of its width."""

    tray: Outline
    confidence: float

    @property
    def is_sure(self) -> bool:
        return self.confidence >= MIN_SURE_CONFIDENCE


NOT_FOUND = FoundTray(Outline.centred(), 0.0)
"""A frame to be dragged."""


def find_tray(images: Sequence[Image]) -> FoundTray:
    """The tray in one picture or several of the same view (h, w, 3) uint8 BGR.

    Where none is found for sure, an unsure one comes back, to be dragged: the best guess, or a
    frame in the middle of the picture.
    """
    if not images:
        raise ValueError("find a tray in one picture at least")
    height, width = images[0].shape[:2]
    likely = np.mean([floor_map(image) for image in images], axis=0).astype(np.float32)
    guess = _around(likely, (width, height))
    if guess is None:
        return NOT_FOUND
    fitted, confidence = _fitted(np.median(np.stack(images), axis=0).astype(np.uint8), guess)
    if confidence < LEAST:
        return NOT_FOUND
    within = np.clip(fitted, 0, (width, height))  # where a finger can take hold of it
    corners = clockwise(within if confidence < MIN_SURE_CONFIDENCE else fitted)
    try:
        return FoundTray(Outline.of(as_quad(corners), width, height), confidence)
    except ValueError:
        return NOT_FOUND


def floor_map(image: Image) -> Map:
    """How likely each spot is floor: (80, 96), the picture letterboxed in the middle."""
    scale, left, top = _letterbox(image.shape[1], image.shape[0])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    wide, high = INPUT_SIZE_PX
    height, width = small.shape[:2]
    boxed = cv2.copyMakeBorder(
        small, top, high - height - top, left, wide - width - left, cv2.BORDER_REPLICATE
    )
    logits = run("tray", network_input(np.asarray(boxed, np.uint8)), room="calibration")[0, 0]
    return sigmoid(logits)


def _letterbox(width: int, height: int) -> tuple[float, int, int]:
    """Scale, and what is left and above the picture in the network's view."""
    scale = min(INPUT_SIZE_PX[0] / width, INPUT_SIZE_PX[1] / height)
    left = (INPUT_SIZE_PX[0] - round(width * scale)) // 2
    top = (INPUT_SIZE_PX[1] - round(height * scale)) // 2
    return scale, left, top


def _around(likely: Map, size: tuple[int, int]) -> Floats | None:
    """Four sides around the largest blob of floor: corners (4, 2) in pixels of the picture."""
    contours, _ = cv2.findContours(
        (likely > LIKELY).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    blob = max(contours, key=cv2.contourArea, default=None)
    if blob is None or cv2.contourArea(blob) < LEAST_FLOOR * likely.size:
        return None
    corners = cv2.boxPoints(cv2.minAreaRect(blob)).astype(np.float64)
    scale, left, top = _letterbox(*size)
    in_view = (corners + 0.5) * 2  # a spot is two by two pixels of the view
    return clockwise((in_view - (left, top)) / scale)


def _fitted(image: Image, guess: Floats) -> tuple[Floats, float]:
    """The sides moved to where the floor ends, and how sure that is.

    It begins with a frame of the guess's size, a smaller and a larger one: from a wrong guess the
    rim of the walls may look like the floor's end. Where they lead to different ends, it is not sure.
    """
    middle = guess.mean(axis=0)
    ends = [frame_fit.fit_frame(image, middle + (guess - middle) * size) for size in START_SCALES]
    best = max(ends, key=lambda end: end.clear)
    wide = tray_width_px(as_quad(best.corners))
    agree = [float(np.abs(end.corners - best.corners).max()) < AGREED * wide for end in ends]
    return best.corners, best.clear * sum(agree) / len(agree)
