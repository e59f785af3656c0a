"""A picture made ready: three channels of eight bits, cut to what matters."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Quad

Image = NDArray[np.uint8]
MARGIN = 0.06
"""Of the tray: a die at the wall leans over it in the picture."""


def as_bgr(image: NDArray[np.generic]) -> Image:
    """Any 8-bit grey, BGR or BGRA picture as BGR.

    Raises:
        ValueError: for anything else.
    """
    if image.dtype != np.uint8 or image.ndim not in (2, 3) or 0 in image.shape:
        raise ValueError("a picture is a uint8 array of (height, width) or (height, width, 3)")
    flat = np.ascontiguousarray(image, dtype=np.uint8)
    channels = 1 if flat.ndim == 2 else flat.shape[2]  # noqa: PLR2004
    match channels:
        case 1:
            return cv2.cvtColor(flat, cv2.COLOR_GRAY2BGR)  # type: ignore[return-value]
        case 3:
            return flat
        case 4:
            return cv2.cvtColor(flat, cv2.COLOR_BGRA2BGR)  # type: ignore[return-value]
    raise ValueError(f"a picture has 1, 3 or 4 channels, not {channels}")


def extent(image: Image, quads: list[Quad]) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what holds the quads and a little around; without any, all."""
    height, width = image.shape[:2]
    if not quads:
        return 0, 0, width, height
    corners = np.concatenate([quad.corners for quad in quads])
    low, high = corners.min(0), corners.max(0)
    margin = MARGIN * float((high - low).max())
    left, top = np.clip(low - margin, 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(high + margin, (left + 1, top + 1), (width, height)).astype(int)
    return int(left), int(top), int(right), int(bottom)
