"""The first look: where dice may lie, how large, how turned, and whether a hand is in the way.

By two networks that were taught apart: one sees the tray as it was when it was empty, too, the other the
picture alone. The mean of what they say is nearer to the truth.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks import Floats, run_named, sigmoid

Image = NDArray[np.uint8]
LOOK_PX = 384  # the longer side of what the finder sees of a picture of unknown scale
TRAY_PX = 576  # the same of a tray: a die of 16 mm is some 35 px
COARSE_PX = 154  # its second look at such a picture, which may be full of one die
GRID = 32  # the network halves its input five times
STRIDE = 4  # input pixels in one cell of its answer
LEAST_HEAT = 0.06
APART = 0.5  # of the larger edge: two dice are never nearer, one on the other may be


@dataclass(frozen=True, slots=True)
class Detection:
    """Where a die may be, in picture pixels."""

    x: float
    y: float
    edge: float
    turn: float  # radians, of the edges
    heat: float  # how surely there is a die


@dataclass(frozen=True, slots=True, eq=False)
class FinderResult:
    """What the finder says of a picture.

    Attributes:
        detections: where dice may be, best first.
        hand: the share of the picture that a hand covers.
        things: (rows, columns) log odds that a cell shows something that is neither ground, die nor hand.
        step: picture pixels in such a cell, across and down.
    """

    detections: list[Detection]
    hand: float
    things: Floats
    step: tuple[float, float]


def find_dice(picture: Image, look_px: int, empty: Image | None = None) -> FinderResult:
    """All that is seen in a picture, and against the same place empty where that is known."""
    height, width = picture.shape[:2]
    scale = min(2.0, look_px / max(height, width))
    size = max(GRID, round(width * scale)), max(GRID, round(height * scale))
    answer = _answer(_planes(picture, size), None if empty is None else _planes(empty, size))
    rows, columns = (-(-side // STRIDE) for side in (size[1], size[0]))
    answer = {name: of[..., :rows, :columns] for name, of in answer.items()}
    step = STRIDE * width / size[0], STRIDE * height / size[1]
    hand = float((answer["hand"] > 0).mean())
    return FinderResult(_peaks(answer, step), hand, answer["thing"], step)


def _answer(now: Floats, before: Floats | None) -> dict[str, Floats]:
    """What both finders say of each cell; a hand that one of them sees is enough."""
    known = np.zeros((4, *now.shape[1:]), np.float32)
    if before is not None:
        known[:3], known[3] = before, 1
    both = {
        name: of[0] for name, of in run_named("finder", np.concatenate([now, known])[None]).items()
    }
    alone = {name: of[0] for name, of in run_named("finder_alone", now[None]).items()}
    mean = {name: (both[name] + of) / 2 for name, of in alone.items()}
    return both | mean | {"hand": np.maximum(both["hand"], alone["hand"])}


def _grown(size: tuple[int, int]) -> tuple[int, int]:
    """Rows and columns that the network can halve as often as it must."""
    return size[1] + -size[1] % GRID, size[0] + -size[0] % GRID


def _planes(picture: Image, size: tuple[int, int]) -> Floats:
    """(3, rows, columns) of 0..1."""
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    rows, columns = _grown(size)
    padded = cv2.copyMakeBorder(
        small, 0, rows - size[1], 0, columns - size[0], cv2.BORDER_REPLICATE
    )
    return np.asarray(padded.transpose(2, 0, 1) / np.float32(255), np.float32)


def _peaks(answer: Mapping[str, Floats], step: tuple[float, float]) -> list[Detection]:
    heat = sigmoid(answer["heat"])
    tops = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > LEAST_HEAT)
    return suppress_overlaps([_sighting(answer, heat, place, step) for place in np.argwhere(tops)])


def _sighting(
    answer: Mapping[str, Floats], heat: Floats, place: NDArray[np.intp], step: tuple[float, float]
) -> Detection:
    row, column = place
    off = np.clip(answer["offset"][:, row, column], -2, 2)
    cosine, sine = answer["turn"][:, row, column]
    edge = float(np.exp(np.clip(answer["size"][row, column], 0, 6)))
    return Detection(
        float(column + 0.5 + off[0]) * step[0],
        float(row + 0.5 + off[1]) * step[1],
        edge * sum(step) / 2 / STRIDE,
        float(np.arctan2(sine, cosine)) / 4,
        float(heat[row, column]),
    )


def suppress_overlaps(detections: list[Detection], *, in_order: bool = False) -> list[Detection]:
    """Of detections that cannot be two dice, the better one: the earlier, or the hotter."""
    kept: list[Detection] = []
    for one in detections if in_order else sorted(detections, key=lambda s: -s.heat):
        if all(np.hypot(one.x - s.x, one.y - s.y) > APART * max(one.edge, s.edge) for s in kept):
            kept.append(one)
    return kept
