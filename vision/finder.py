"""Finder: detects where dice may lie in a frame, and whether a hand is in the way.

The result is the mean of two networks that were trained separately. One of them also sees the empty-tray
image, the other only the frame. With both, more readings are right than with the first one alone (docs/decisions/reading.md).
But it suffices for a closer look at small dice in a frame of unknown scale. Both know hands from rendered images only. So without an
empty-tray image, a third network, which has learnt from photographs of hands, checks whether there is a hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images import ImagePyramid, padded_input
from vision.networks import Floats, run_named, sigmoid

FRAME_PX = 384
"""Longer side of the finder's input for a frame of unknown scale."""

TRAY_PX = 576
"""Longer side of the finder's input for a tray: a die of 16 mm is then about 35 px wide."""

COARSE_PX = 154
"""Longer side of the second input, in which the finder sees dice that fill a large part of the frame."""

MIN_LIKELY = 0.3
"""Detections that are at least this likely to be dice determine the size of the dice and the camera pose."""

SMALL_TRAY_DIE_PX = 11.0
"""If the dice in a tray are smaller than this in the finder's input, the finder runs again at twice the size."""

LARGE_TRAY_DIE_SHARE = 0.12
"""From this edge on, as a share of the longer side of a tray, the finder may miss a die at the scale of a tray,
because it takes the pips for dice. At the coarse scale, the finder sees such a die."""

KNOWN_DIE_PX, MIN_TRAY_PX = 24.0, 320
"""If the size of the dice in a tray is known, the input is scaled so that the smallest die is as wide as the first. Its
longer side is at least the second and at most TRAY_PX."""

SMALL_FRAME_DIE_PX, FRAME_DIE_PX, MAX_INPUT_PX = 20.0, 24.0, 1152
"""If the dice in a frame of unknown scale are smaller than the first, the finder misses some of them. It runs
again at the scale that makes them as large as the second, with an input no larger than the third."""

GRID = 32
"""Sides of the input are multiples of this, because the network halves them five times."""

STRIDE = 4
"""Input pixels in one cell of the output."""

MIN_PROBABILITY = 0.06
"""Less probable peaks are not detections."""

MIN_DISTANCE_EDGES = 0.5
"""Detections that are closer than this, in die edges, count as one die. Only stacked dice can be
this close together."""

MIN_HAND_LOG_ODDS, MIN_HAND_LOG_ODDS_ANYWHERE = 0.0, 1.5
"""Log odds from which the finder sees a hand in a cell, in a tray and in a frame of unknown scale. The second are higher, because
photographs show more things that look like skin."""

HAND_PX, HAND_STRIDE = 192, 16
"""Longer side of the input of the network `hand`, and input pixels in one cell of its output."""

MIN_HAND_HINT = -1.0
"""The network `hand` is run if the finder gives any cell at least these log odds: for all of 88 images of real hands, and for 11
of 70 photographs of casino dice."""

MIN_CERTAIN_HAND_LOG_ODDS, MIN_POSSIBLE_HAND_LOG_ODDS, MIN_HAND_CELLS = 1.5, -0.5, 2
"""The network `hand` sees a hand where its log odds are above the first, in at least as many cells as the third says: single
cells are often wrong. In photographs of a desk and of casino dice without hands, the second highest log odds are at most 0.71.
If fewer cells reach even the second, there is no hand, whatever the finder says (docs/decisions/reading.md, "Real hands")."""

SAME_PLACE_EDGES, SAME_LOG_SIZE = 0.12, 0.15
"""Detections at different scales that differ by less than this in position, in die edges, and in the logarithm of their size
are examined once."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A place where a die may lie.

    Attributes:
        x: Column of the centre of the top face in frame pixels.
        y: Row of the centre of the top face in frame pixels.
        edge: Edge of the top face in frame pixels.
        turn: Rotation of the edges in radians.
        probability: Probability that a die lies there, according to the finder.
    """

    x: float
    y: float
    edge: float
    turn: float
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class FinderResult:
    """Output of the finder for a frame or part of it.

    Attributes:
        detections: Places where dice may lie, in no particular order. After runs at several scales, several may show
            the same die.
        hand: (rows, columns), True where the frame shows a hand, at the scale of the first run.
    """

    detections: list[Detection]
    hand: NDArray[np.bool_]

    @property
    def hand_share(self) -> float:
        """Share of the examined part of the frame that shows a hand."""
        return float(self.hand.mean())


def find_dice_in_tray(
    picture: ImagePyramid,
    empty: ImagePyramid | None = None,
    edge_range: tuple[float, float] | None = None,
) -> FinderResult:
    """Detect dice and hands in a tray, at every scale that is needed.

    Args:
        picture: The part of the frame that shows the tray.
        empty: The same part of the empty-tray image, or None if there is none.
        edge_range: Smallest and largest edge of the dice in pixels, or None if unknown. If it is known, a smaller input
            usually suffices, and the coarse one is left out unless the dice are large.
    """
    long_px = max(picture.size)
    input_px, min_large_edge = TRAY_PX, LARGE_TRAY_DIE_SHARE * long_px
    if edge_range is not None:
        input_px = min(TRAY_PX, max(MIN_TRAY_PX, round(long_px * KNOWN_DIE_PX / edge_range[0])))
    found = find_dice(picture, input_px, empty, min_hand_log_odds=MIN_HAND_LOG_ODDS)
    detections = found.detections
    if _median_edge(detections) * input_px / long_px < SMALL_TRAY_DIE_PX:
        detections = find_dice(picture, 2 * input_px, empty).detections
    if edge_range is None or edge_range[1] > min_large_edge:
        coarse = find_dice(picture, COARSE_PX, empty).detections
        detections = detections + [one for one in coarse if one.edge > min_large_edge]
    return FinderResult(detections, found.hand)


def find_dice_anywhere(picture: ImagePyramid, empty: ImagePyramid | None = None) -> FinderResult:
    """Detect dice and hands in a frame of unknown scale, at every scale that is needed.

    Several detections may show the same die. They are kept if they differ in position or size, because a blurred shape at a
    coarse scale can get a higher probability than a die.

    Args:
        picture: The frame.
        empty: Image of the same view without dice, or None if there is none.
    """
    found = find_dice(picture, FRAME_PX, empty, min_hand_log_odds=MIN_HAND_LOG_ODDS_ANYWHERE)
    edge_px = _median_edge(found.detections) * FRAME_PX / max(picture.size)
    detections = found.detections + find_dice(picture, COARSE_PX, empty).detections
    if edge_px < SMALL_FRAME_DIE_PX:
        closer_px = min(MAX_INPUT_PX, round(FRAME_PX * FRAME_DIE_PX / edge_px))
        closer = find_dice(picture, closer_px, empty, uses_both=False)
        detections = detections + closer.detections
    return FinderResult(_without_copies(detections), found.hand)


def _without_copies(detections: list[Detection]) -> list[Detection]:
    """Keep only the best of several detections that hardly differ in position and size."""
    kept: list[Detection] = []
    for one in sorted(detections, key=lambda d: -d.probability):
        if not any(_is_copy(one, other) for other in kept):
            kept.append(one)
    return kept


def _is_copy(one: Detection, other: Detection) -> bool:
    distance = np.hypot(one.x - other.x, one.y - other.y)
    return bool(distance < SAME_PLACE_EDGES * other.edge) and (
        abs(np.log(one.edge / other.edge)) < SAME_LOG_SIZE
    )


def find_dice(
    picture: ImagePyramid,
    input_px: int,
    empty: ImagePyramid | None = None,
    *,
    min_hand_log_odds: float | None = None,
    uses_both: bool = True,
) -> FinderResult:
    """Detect dice and hands in a frame.

    Args:
        picture: Frame, or the part of it to examine.
        input_px: Length of the longer side of the network's input. The frame is enlarged at most twofold.
        empty: Image of the same view without dice, of the same size, or None if there is none.
        min_hand_log_odds: Log odds from which the finder sees a hand, or None to look for dice only.
        uses_both: Whether to use both networks. One of them suffices where dice have the size that suits it best.
    """
    width, height = picture.size
    scale = min(2.0, input_px / max(height, width))
    size = max(GRID, round(width * scale)), max(GRID, round(height * scale))
    reference = None if empty is None else _as_input(empty, size)
    outputs = _outputs(_as_input(picture, size), reference, uses_both=uses_both)
    rows, columns = (-(-side // STRIDE) for side in (size[1], size[0]))
    outputs = {name: values[..., :rows, :columns] for name, values in outputs.items()}
    cell_px = STRIDE * width / size[0], STRIDE * height / size[1]
    hand = np.zeros((rows, columns), bool)
    if min_hand_log_odds is not None:
        hand = np.asarray(outputs["hand"] > min_hand_log_odds)
        if empty is None and outputs["hand"].max() > MIN_HAND_HINT:
            hand = _check_hand(picture, hand)
    return FinderResult(_peaks(outputs, cell_px), hand)


def suppress_overlaps(detections: list[Detection], *, is_ranked: bool = False) -> list[Detection]:
    """Keep only the best detection wherever several overlap too much to be different dice.

    Args:
        detections: Detections in frame pixels.
        is_ranked: Whether `detections` are in order, best first. Otherwise the more probable ones are better.
    """
    ranked = detections if is_ranked else sorted(detections, key=lambda d: -d.probability)
    kept: list[Detection] = []
    for one in ranked:
        if all(
            np.hypot(one.x - other.x, one.y - other.y)
            > MIN_DISTANCE_EDGES * max(one.edge, other.edge)
            for other in kept
        ):
            kept.append(one)
    return kept


def _median_edge(detections: list[Detection]) -> float:
    """Return the median edge of likely dice in pixels, or infinity if there are none."""
    return float(np.median([d.edge for d in detections if d.probability > MIN_LIKELY] or [inf]))


def _outputs(now: Floats, empty: Floats | None, *, uses_both: bool) -> dict[str, Floats]:
    """Return the outputs of the network that sees both images or, if `uses_both` is true, their mean with those of the other.

    `now` and `empty` are the frame and the empty-tray image as network inputs (3, rows, columns). Of the output
    "hand", there is no mean: with an empty-tray image, it comes from the network that sees both, and without one, it is the
    larger of the two.
    """
    reference = np.zeros((4, *now.shape[1:]), np.float32)
    if empty is not None:
        reference[:3], reference[3] = empty, 1
    inputs = np.concatenate([now, reference])[None]
    paired = {name: values[0] for name, values in run_named("finder", inputs).items()}
    if not uses_both:
        return paired
    alone = {name: values[0] for name, values in run_named("finder_alone", now[None]).items()}
    mean = {name: (paired[name] + values) / 2 for name, values in alone.items()}
    hand = np.maximum(paired["hand"], alone["hand"]) if empty is None else paired["hand"]
    return paired | mean | {"hand": hand}


def _check_hand(picture: ImagePyramid, hand: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return where a frame shows a hand, after asking the network `hand`.

    Args:
        picture: The frame.
        hand: (rows, columns), True where the finder sees a hand.
    """
    width, height = picture.size
    scale = min(2.0, HAND_PX / max(width, height))
    size = max(GRID, round(width * scale)), max(GRID, round(height * scale))
    rows, columns = (-(-side // HAND_STRIDE) for side in (size[1], size[0]))
    log_odds = run_named("hand", _as_input(picture, size)[None])["hand"][0, :rows, :columns]
    if (log_odds > MIN_POSSIBLE_HAND_LOG_ODDS).sum() < MIN_HAND_CELLS:
        return np.zeros_like(hand)
    cells = log_odds > MIN_CERTAIN_HAND_LOG_ODDS
    if cells.sum() < MIN_HAND_CELLS:
        return hand
    shown = cv2.resize(cells.astype(np.uint8), hand.shape[::-1], interpolation=cv2.INTER_NEAREST)
    return hand | (shown > 0)


def _as_input(picture: ImagePyramid, size: tuple[int, int]) -> Floats:
    """Scale a frame to `size` (width, height) and pad it to the grid: (3, rows, columns) from 0 to 1."""
    inputs: Floats = padded_input(picture.scaled(*size), GRID)[0]
    return inputs


def _peaks(outputs: Mapping[str, Floats], cell_px: tuple[float, float]) -> list[Detection]:
    probability = sigmoid(outputs["heat"])
    is_peak = probability >= cv2.dilate(probability, np.ones((3, 3), np.uint8))
    cells = np.argwhere(is_peak & (probability > MIN_PROBABILITY))
    return suppress_overlaps([_detection(outputs, probability, cell, cell_px) for cell in cells])


def _detection(
    outputs: Mapping[str, Floats],
    probability: Floats,
    cell: NDArray[np.intp],
    cell_px: tuple[float, float],
) -> Detection:
    row, column = cell
    offset = np.clip(outputs["offset"][:, row, column], -2, 2)
    cosine, sine = outputs["turn"][:, row, column]
    edge = float(np.exp(np.clip(outputs["size"][row, column], 0, 6)))
    return Detection(
        float(column + 0.5 + offset[0]) * cell_px[0],
        float(row + 0.5 + offset[1]) * cell_px[1],
        edge * sum(cell_px) / 2 / STRIDE,
        float(np.arctan2(sine, cosine)) / 4,
        float(probability[row, column]),
    )
