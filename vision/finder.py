"""The first look: where dice may lie, how large, how turned, and whether a hand is in the way."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks import Floats, chance, chances, run

Image = NDArray[np.uint8]
LOOK_PX = 384  # the longer side of what the finder sees of a picture of unknown scale
TRAY_PX = 576  # the same of a tray: a die of 16 mm is some 35 px
COARSE_PX = 154  # its second look at such a picture, which may be full of one die
GRID = 32  # the network halves its input five times
STRIDE = 4  # input pixels in one cell of its answer
LEAST_HEAT = 0.15
APART = 0.5  # of the larger edge: two dice are never nearer, one on the other may be


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a die may be, in picture pixels. `faces` are the chances of 1..6 at this look."""

    x: float
    y: float
    edge: float
    turn: float  # radians, of the edges
    heat: float  # how surely there is a die
    faces: tuple[float, ...]


def find(picture: Image, look_px: int) -> tuple[list[Sighting], float]:
    """All sightings in a picture, best first, and how many cells a hand covers, 0..1."""
    height, width = picture.shape[:2]
    scale = min(2.0, look_px / max(height, width))
    size = max(GRID, round(width * scale)), max(GRID, round(height * scale))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    below, beside = -size[1] % GRID, -size[0] % GRID
    padded = cv2.copyMakeBorder(small, 0, below, 0, beside, cv2.BORDER_REPLICATE)
    blob = np.asarray(cv2.dnn.blobFromImage(padded, 1 / 255), np.float32)
    answer = run("finder", blob)[0]
    answer = answer[:, : -(-size[1] // STRIDE), : -(-size[0] // STRIDE)]
    hand = float((answer[1] > 0).mean())
    return _peaks(answer, width / size[0], height / size[1]), hand


def _peaks(answer: Floats, step_x: float, step_y: float) -> list[Sighting]:
    heat = chance(answer[0])
    tops = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > LEAST_HEAT)
    out = []
    for row, column in np.argwhere(tops):
        _, _, size, dx, dy, cosine, sine, _, *faces = answer[:, row, column]
        out.append(
            Sighting(
                float(column + 0.5 + np.clip(dx, -2, 2)) * STRIDE * step_x,
                float(row + 0.5 + np.clip(dy, -2, 2)) * STRIDE * step_y,
                float(np.exp(np.clip(size, 0, 6))) * (step_x + step_y) / 2,
                float(np.arctan2(sine, cosine)) / 4,
                float(heat[row, column]),
                tuple(float(c) for c in chances(np.array(faces))),
            )
        )
    return apart(out)


def apart(sightings: list[Sighting], *, in_order: bool = False) -> list[Sighting]:
    """Of sightings that cannot be two dice, the better one: the earlier, or the hotter."""
    kept: list[Sighting] = []
    for one in sightings if in_order else sorted(sightings, key=lambda s: -s.heat):
        if all(np.hypot(one.x - s.x, one.y - s.y) > APART * max(one.edge, s.edge) for s in kept):
            kept.append(one)
    return kept
