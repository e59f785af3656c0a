"""Pictures of the tray for people: frames cropped to the tray, scaled down and encoded as JPEG."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2

from device.cameras.base import Image, scaled
from vision.reading import Quad

WIDTH_PX = 800
"""Usual width of a picture: twice the width of an upright phone in CSS pixels."""

MARGIN = 0.09
"""Margin as a fraction of the height of the zones: walls lean outwards, and the labels of dice need room."""

JPEG_QUALITY = 75
"""Usual JPEG quality. A picture then takes 30 to 50 kB, so that the first page stays below 100 kB in all."""


@dataclass(frozen=True, slots=True)
class TrayCut:
    """The part of a frame that is shown, as a rectangle in pixels of that frame."""

    left: int
    top: int
    width: int
    height: int

    def of(self, image: Image) -> Image:
        """Return this part of a frame."""
        return image[self.top : self.top + self.height, self.left : self.left + self.width]


def tray_cut(width: int, height: int, zones: Sequence[Quad]) -> TrayCut:
    """Return the rectangle around the zones, with a margin for walls and labels.

    Args:
        width: Width of the frame in pixels.
        height: Height of the frame in pixels.
        zones: Corners of the zones to show, in pixels of the frame; if there are none, the whole
            frame is shown.
    """
    if not zones:
        return TrayCut(0, 0, width, height)
    xs, ys = zip(*(corner for zone in zones for corner in zone.corners), strict=True)
    margin = MARGIN * (max(ys) - min(ys))
    left, top = (max(0, int(min(side) - margin)) for side in (xs, ys))
    right, bottom = min(width, int(max(xs) + margin)), min(height, int(max(ys) + margin))
    return TrayCut(left, top, right - left, bottom - top)


def encode_jpeg(image: Image, width_px: int = WIDTH_PX, quality: int = JPEG_QUALITY) -> bytes:
    """Return an image encoded as JPEG.

    Args:
        image: (height, width, 3) BGR.
        width_px: Largest width of the JPEG; a wider image is scaled down.
        quality: JPEG quality, 0 to 100.
    """
    if image.shape[1] > width_px:
        image = scaled(image, width_px)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()
