"""Finds the pixels of a frame that belong to an object in the tray that is not a die."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from device.cameras.base import Image
from vision.reading import Die
from vision.tray_change import TrayChange

OBJECT_RADIUS = 1.0
"""Radius of a foreign object, as a multiple of its size: slightly more than the ring drawn around it on the photo."""

DIE_RADIUS = 0.8
"""Radius of a die, as a multiple of its edge: the corners of a square are 0.71 away from its centre."""


def foreign_object_mask(
    thing: Die, others: Sequence[Die], new: TrayChange | None, shape: tuple[int, ...]
) -> Image:
    """Return a mask of the object and everything connected to it, but not of the dice next to it.

    Args:
        thing: The object, with the position and size that were read.
        others: The dice in the same reading.
        new: Differences between the frame and the empty-tray image; None if they are not known.
        shape: Shape of the frame, starting with height and width.

    Returns:
        (height, width) uint8: 255 where the object is, otherwise 0.
    """
    mask: Image = np.zeros(shape[:2], np.uint8)
    _fill_circle(mask, thing, OBJECT_RADIUS, 255)
    if new is not None:
        mask |= _connected_objects(mask, new)
    for other in others:
        _fill_circle(mask, other, DIE_RADIUS, 0)
    return mask


def _fill_circle(mask: Image, die: Die, radius: float, value: int) -> None:
    centre = round(die.x), round(die.y)
    cv2.circle(mask, centre, max(1, round(radius * die.size)), value, cv2.FILLED)


def _connected_objects(mask: Image, new: TrayChange) -> Image:
    """Return a mask of the objects in `new` that touch the given mask, widened by one cell on every side."""
    _, found = cv2.connectedComponents(new.objects)
    labels = _cells_to_pixels(found.astype(np.float32), new, mask.shape)
    touching = np.setdiff1d(labels[mask > 0], 0)
    objects = np.isin(found, touching).astype(np.uint8) * 255
    wider = cv2.dilate(objects, np.ones((3, 3), np.uint8))
    return np.asarray(_cells_to_pixels(wider, new, mask.shape), np.uint8)


def _cells_to_pixels(cells: NDArray[Any], new: TrayChange, shape: tuple[int, ...]) -> NDArray[Any]:
    to_frame = np.array([[new.cell_px, 0, new.left], [0, new.cell_px, new.top]], np.float32)
    size = shape[1], shape[0]
    return np.asarray(cv2.warpAffine(cells, to_frame, size, flags=cv2.INTER_NEAREST))
