"""What all cameras do with their pictures."""

import cv2
import numpy as np

from device.camera import Image

PREVIEW_WIDTH_PX = 320


def sealed(image: Image) -> Image:
    """The same picture, read-only from now on."""
    image.flags.writeable = False
    return image


def small(image: Image) -> Image:
    """A copy 320 px wide, for watching."""
    height, width = image.shape[:2]
    size = (PREVIEW_WIDTH_PX, max(1, round(height * PREVIEW_WIDTH_PX / width)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
