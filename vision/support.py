"""What a die could lean on. One that has nothing near it lies flat: there is no other way to lie still."""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.reading import Quad

WALL = 1.1
"""Edges from a wall to the middle of a die that touches it: 0.87 at most, and some for what is not seen well."""
BESIDE = 0.85
"""The same to another thing, for each of the two by its own edge."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Something that stands there, in picture pixels: where it touches the ground, and its edge."""

    x: float
    y: float
    edge: float


def stands_free(die: Standing, others: Iterable[Standing], tray: Quad) -> bool:
    """Whether it is in the tray, and neither wall nor anything else is near enough to lean on."""
    floor = np.array(tray.corners, np.float32)
    if cv2.pointPolygonTest(floor, (die.x, die.y), measureDist=True) < WALL * die.edge:
        return False
    return all(
        np.hypot(die.x - other.x, die.y - other.y) > BESIDE * (die.edge + other.edge)
        for other in others
    )
