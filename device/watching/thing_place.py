"""Which part of a picture belongs to a thing in the tray that is no die."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from device.cameras.base import Image
from vision.reading import Die
from vision.tray_change import TrayChange

AROUND = 1.0
"""Of its size, from its middle: what was ringed on the photo, and a little more."""
DIE = 0.8
"""Of a die's edge, from its middle: a square reaches 0.71 at its corners."""


def thing_place(
    thing: Die, others: Sequence[Die], new: TrayChange | None, shape: tuple[int, ...]
) -> Image:
    """(height, width) of 255 where it lies, and all that hangs together with it; dice beside it stay out.

    Args:
        thing: as it was read.
        others: what else was read.
        new: what stands there that was not there before, if that can be told.
        shape: of the picture.
    """
    place: Image = np.zeros(shape[:2], np.uint8)
    _fill(place, thing, AROUND, 255)
    if new is not None:
        place |= _hanging_together(place, new)
    for other in others:
        _fill(place, other, DIE, 0)
    return place


def _fill(place: Image, die: Die, share: float, value: int) -> None:
    centre = round(die.x), round(die.y)
    cv2.circle(place, centre, max(1, round(share * die.size)), value, cv2.FILLED)


def _hanging_together(place: Image, new: TrayChange) -> Image:
    """All of what is new and begins at this place, with a cell around it."""
    _, found = cv2.connectedComponents(new.objects)
    labels = _in_picture(found.astype(np.float32), new, place.shape)
    begun = np.setdiff1d(labels[place > 0], 0)
    whole = np.isin(found, begun).astype(np.uint8) * 255
    wider = cv2.dilate(whole, np.ones((3, 3), np.uint8))
    return np.asarray(_in_picture(wider, new, place.shape), np.uint8)


def _in_picture(cells: NDArray[Any], new: TrayChange, shape: tuple[int, ...]) -> NDArray[Any]:
    """Cells of a change as pixels of the picture."""
    to_picture = np.array([[new.cell_px, 0, new.left], [0, new.cell_px, new.top]], np.float32)
    size = shape[1], shape[0]
    return np.asarray(cv2.warpAffine(cells, to_picture, size, flags=cv2.INTER_NEAREST))
