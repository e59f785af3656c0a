"""The tray as if seen from straight above: its floor as a square picture."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Quad

Image = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]

SIDE_PX = 256


def rectify_floor(
    image: Image, tray: Quad, *, side_px: int = SIDE_PX, margin: float = 0.0
) -> Image:
    """The floor, (side, side, 3) uint8, with `margin` of its width around it."""
    target = floor_corners(side_px, margin)
    warp = cv2.getPerspectiveTransform(np.array(tray.corners, np.float32), target)
    # Shrunk first where the picture is much larger, else fine texture turns to noise.
    laid = cv2.warpPerspective(
        image, warp, (side_px, side_px), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(laid, np.uint8)


def floor_corners(side_px: int, margin: float) -> NDArray[np.float32]:
    """(4, 2) where in such a square the corners of the floor lie."""
    low = side_px * margin / (1 + 2 * margin)
    high = side_px - low
    return np.array([(low, low), (high, low), (high, high), (low, high)], np.float32)


def network_input(image: Image) -> NDArray[np.float32]:
    """(1, 3, h, w) 0..1, as a network sees it."""
    return np.asarray(image.transpose(2, 0, 1)[None] / np.float32(255), np.float32)


def floor_mask(shape: tuple[int, ...], tray: Quad) -> NDArray[np.bool_]:
    """Which pixels (h, w) of the picture are the floor."""
    filled: Image = np.zeros(shape[:2], np.uint8)
    corners = np.rint(np.array(tray.corners) * 16).astype(np.int32)
    cv2.fillConvexPoly(filled, corners, 1, cv2.LINE_8, 4)
    return filled > 0


def to_lab(image: Image) -> NDArray[np.float32]:
    """(h, w, 3) CIE Lab: lightness 0..100, opponent colours around 0."""
    return np.asarray(cv2.cvtColor(image.astype(np.float32) / 255, cv2.COLOR_BGR2LAB), np.float32)


def brightness(image: Image) -> NDArray[np.float32]:
    """(h, w) 0..1, as the picture shows it."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32) / np.float32(255)
