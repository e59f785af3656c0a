"""Finds the floor of the tray in frames without any input from a person.

A small network estimates for each cell of the frame how likely it is to show the floor, which gives a first guess
of the four sides. A second network sees the area around this guess and locates the real edges of the floor
(see `frame_fit`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import frame_fit
from calibration.outline import Outline, clockwise, tray_width_px
from calibration.rectify import Image, network_input
from vision.networks import run, sigmoid
from vision.reading import Quad

Floats = NDArray[np.float64]
Map = NDArray[np.float32]

INPUT_SIZE_PX = (192, 160)
"""Width and height of the first network's input, with the frame letterboxed in its centre."""

MIN_FLOOR_SHARE = 0.02
"""Smallest share of the first network's input that the floor of a tray covers."""

START_SCALES = (1.0, 0.87, 1.13)
"""Sizes, relative to the first guess, from which the search begins."""

SAME_RESULT_WIDTHS = 0.03
"""Results whose corners are closer together than this, in tray widths, count as the same."""

MIN_CONFIDENCE, MIN_SURE_CONFIDENCE = 0.05, 0.68
"""Confidence from which a result is better than a rectangle in the centre, and from which it is certain. Of 600
trays of kinds that were never used for training, one was certain and wrong."""

MIN_FLOOR_PROBABILITY = 0.5

SHADOW_LEVEL, OPPOSITE_LEVEL, MAX_SHADOW_CLARITY, SHADOW_FACTOR = 0.45, 0.5, 0.96, 0.8
"""A side may be the edge of a wall's shadow on the floor if its surroundings are darker than the first share of the floor, while
those of the opposite side are brighter than the second, and if it is less clear than the third. The confidence is then
multiplied by the fourth. In rendered trays of leather and felt under warm lamps, the sides that were certain but wrong had 0.31
to 0.40, 0.55 to 1.04, and 0.86 to 0.92 (docs/decisions/teaching.md)."""

SHADOW_STRIP_PX, FLOOR_STRIP_PX, STRIP_END_PX, DARK_OFFSET = (2, 8), (5, 25), 5, 8.0
"""Distances from the side between which its surroundings and the floor are compared, distance from the corners, in pixels of
`frame_square`, and the number that is added to pixels, so that noise in dark ones has little effect."""


@dataclass(frozen=True, slots=True)
class FoundTray:
    """A proposal for the floor of the tray.

    Attributes:
        tray: The floor.
        confidence: From 0 to 1. The higher it is, the more likely all four corners are right to within
            3 % of the tray's width.
    """

    tray: Outline
    confidence: float

    @property
    def is_sure(self) -> bool:
        """Whether the proposal needs no check by a person."""
        return self.confidence >= MIN_SURE_CONFIDENCE


NOT_FOUND = FoundTray(Outline.centred(), 0.0)
"""A rectangle in the centre of the frame for a person to drag into place."""


def find_tray(images: Sequence[Image]) -> FoundTray:
    """Find the tray in one or several frames (height, width, 3) uint8 BGR of the same view.

    If no tray is certain, the result is the best guess or `NOT_FOUND`, for a person to correct.

    Raises:
        ValueError: If there is no frame.
    """
    if not images:
        raise ValueError("cannot find a tray without a frame: pass one at least")
    height, width = images[0].shape[:2]
    likely = np.mean([floor_map(image) for image in images], axis=0).astype(np.float32)
    guess = _enclosing_rectangle(likely, (width, height))
    if guess is None:
        return NOT_FOUND
    median = np.median(np.stack(images), axis=0).astype(np.uint8)
    fitted, confidence = _fit(median, guess)
    if confidence < MIN_CONFIDENCE:
        return NOT_FOUND
    # An uncertain corner must stay in view, where a person can drag it.
    in_view = np.clip(fitted, 0, (width, height))
    corners = clockwise(in_view if confidence < MIN_SURE_CONFIDENCE else fitted)
    try:
        return FoundTray(Outline.of(Quad.of(corners), width, height), confidence)
    except ValueError:
        return NOT_FOUND


def floor_map(image: Image) -> Map:
    """Return the probability (80, 96) of floor in each cell of the letterboxed frame."""
    scale, left, top = _letterbox(image.shape[1], image.shape[0])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    input_width, input_height = INPUT_SIZE_PX
    height, width = small.shape[:2]
    boxed = cv2.copyMakeBorder(
        small, top, input_height - height - top, left, input_width - width - left,
        cv2.BORDER_REPLICATE,
    )  # fmt: skip
    logits = run("tray", network_input(np.asarray(boxed, np.uint8)), room="calibration")[0, 0]
    return sigmoid(logits)


def _letterbox(width: int, height: int) -> tuple[float, int, int]:
    """Return the scale of the frame in the network's input, and its left and upper margins."""
    scale = min(INPUT_SIZE_PX[0] / width, INPUT_SIZE_PX[1] / height)
    left = (INPUT_SIZE_PX[0] - round(width * scale)) // 2
    top = (INPUT_SIZE_PX[1] - round(height * scale)) // 2
    return scale, left, top


def _enclosing_rectangle(likely: Map, size: tuple[int, int]) -> Floats | None:
    """Return the corners (4, 2), in frame pixels, of a rectangle around the largest area of floor, or None.

    `likely` is a result of `floor_map`, and `size` the width and height of the frame in pixels.
    """
    contours, _ = cv2.findContours(
        (likely > MIN_FLOOR_PROBABILITY).astype(np.uint8),
        cv2.RETR_EXTERNAL,
        cv2.CHAIN_APPROX_NONE,
    )
    largest = max(contours, key=cv2.contourArea, default=None)
    if largest is None or cv2.contourArea(largest) < MIN_FLOOR_SHARE * likely.size:
        return None
    corners = cv2.boxPoints(cv2.minAreaRect(largest)).astype(np.float64)
    scale, left, top = _letterbox(*size)
    in_input = (corners + 0.5) * 2  # a cell is two by two pixels of the input
    return clockwise((in_input - (left, top)) / scale)


def _fit(image: Image, guess: Floats) -> tuple[Floats, float]:
    """Move the sides to the edges of the floor, and return the corners (4, 2) with their confidence.

    The search starts from the guess, and again from a smaller and a larger one, because after a wrong guess the rim of the
    walls can be mistaken for the edge of the floor. If the results differ, the confidence is lower.
    """
    centre = guess.mean(axis=0)
    fits = [frame_fit.fit_frame(image, centre + (guess - centre) * s) for s in START_SCALES]
    best = max(fits, key=lambda fit: fit.confidence)
    limit_px = SAME_RESULT_WIDTHS * tray_width_px(Quad.of(best.corners))
    agreeing = sum(float(np.abs(fit.corners - best.corners).max()) < limit_px for fit in fits)
    certainty = SHADOW_FACTOR if _may_end_at_shadow(image, best) else 1.0
    return best.corners, certainty * best.confidence * agreeing / len(fits)


def _may_end_at_shadow(image: Image, fit: frame_fit.FrameFit) -> bool:
    """Check whether a side of a tray that was found in an image may be the edge of a shadow on the floor."""
    small, scale = frame_fit.shrink_to_frame(image, fit.corners)
    # The brightest channel, because the shadow of a warm lamp may be blue.
    square = frame_fit.frame_square(small, fit.corners * scale).max(axis=2)
    first, last = (
        round(frame_fit.MARGIN_PX),
        round(frame_fit.MARGIN_PX + frame_fit.INSIDE_PX),
    )
    columns = slice(first + STRIP_END_PX, last - STRIP_END_PX)
    (near, far), (start, end) = SHADOW_STRIP_PX, FLOOR_STRIP_PX
    levels = []
    for side in range(4):
        rows = np.rot90(square, side)[:, columns] + DARK_OFFSET
        outside, floor = rows[first - far : first - near], rows[first + start : first + end]
        levels.append(float(np.median(outside.mean(axis=0) / floor.mean(axis=0))))
    return any(
        level < SHADOW_LEVEL and opposite > OPPOSITE_LEVEL and clarity < MAX_SHADOW_CLARITY
        for level, opposite, clarity in zip(
            levels, levels[2:] + levels[:2], fit.clarity, strict=True
        )
    )
