"""Projects the floor of the tray as if seen from directly above, and converts the colours of pixels."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Quad

Image = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]

SIDE_PX = 256

GAMMA = 2.2
"""Exponent that turns the encoded brightness of an image into light, nearly as in sRGB."""


def rectify_floor(
    image: Image, tray: Quad, *, side_px: int = SIDE_PX, margin: float = 0.0
) -> Image:
    """Project the floor of the tray onto a square image (side_px, side_px, 3) uint8.

    Args:
        image: Frame (height, width, 3) BGR. Its border pixels are repeated beyond the border.
        tray: Floor of the tray in frame pixels.
        side_px: Side of the result in pixels.
        margin: Width of the area to show around the floor, in tray widths.
    """
    target = floor_corners(side_px, margin)
    matrix = cv2.getPerspectiveTransform(np.array(tray.corners, np.float32), target)
    # Area sampling keeps fine texture from turning into noise where the frame is much larger.
    square = cv2.warpPerspective(
        image, matrix, (side_px, side_px), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(square, np.uint8)


def floor_corners(side_px: int, margin: float) -> NDArray[np.float32]:
    """Return the corners (4, 2) of the floor in the square image that `rectify_floor` returns.

    Args:
        side_px: Side of the square in pixels.
        margin: Width of the area around the floor, in tray widths.
    """
    low = side_px * margin / (1 + 2 * margin)
    high = side_px - low
    return np.array([(low, low), (high, low), (high, high), (low, high)], np.float32)


def network_input(image: Image) -> NDArray[np.float32]:
    """Convert an image to (1, 3, height, width) with values from 0 to 1."""
    return np.asarray(image.transpose(2, 0, 1)[None] / np.float32(255), np.float32)


def floor_mask(shape: tuple[int, ...], tray: Quad) -> NDArray[np.bool_]:
    """Mark the pixels (height, width) of a frame that show the floor.

    Args:
        shape: Shape of the frame, beginning with height and width.
        tray: Floor of the tray in frame pixels.
    """
    filled: Image = np.zeros(shape[:2], np.uint8)
    corners = np.rint(np.array(tray.corners) * 16).astype(np.int32)
    cv2.fillConvexPoly(filled, corners, 1, cv2.LINE_8, 4)
    return filled > 0


def to_lab(image: Image) -> NDArray[np.float32]:
    """Convert BGR to CIE Lab (height, width, 3): lightness from 0 to 100, and two opponent colours around 0."""
    return np.asarray(cv2.cvtColor(image.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)


def brightness(image: Image) -> NDArray[np.float32]:
    """Convert BGR to encoded (not linear) brightness (height, width) from 0 to 1."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32) / np.float32(255)
