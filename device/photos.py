"""The last few readings as annotated photos, for the phones."""

from collections import OrderedDict

import cv2
import numpy as np
from vision.annotate import annotate

from device.camera import Image
from vision.reading import Die, Reading
from web.table import Photo, PhotoDie

KEPT = 8
"""A phone that is some snapshots behind still finds its photo."""

WIDTH_PX = 1024
"""Sharp on a phone, and about 100 kB."""

JPEG_QUALITY = 80


class Album:
    """Keeps the newest annotated photos; written by one thread, read by many."""

    def __init__(self) -> None:
        self._jpegs: OrderedDict[str, bytes] = OrderedDict()
        self._number = 0

    def add(self, image: Image, reading: Reading) -> Photo:
        """Annotate and keep the picture; gives what the page needs to show it."""
        self._number += 1
        name = str(self._number)
        height, width = image.shape[:2]
        self._jpegs[name] = jpeg(annotate(image, reading))
        if len(self._jpegs) > KEPT:
            self._jpegs.popitem(last=False)
        dice = tuple(_photo_die(die, width, height) for die in reading.dice)
        return Photo(name, width, height, dice)

    def get(self, name: str) -> bytes | None:
        return self._jpegs.get(name)


def jpeg(image: Image, width_px: int = WIDTH_PX) -> bytes:
    """The picture as JPEG, at most so wide."""
    height, width = image.shape[:2]
    if width > width_px:
        size = (width_px, round(height * width_px / width))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return data.tobytes()


def _photo_die(die: Die, width: int, height: int) -> PhotoDie:
    return PhotoDie(
        die.value,
        die.x / width,
        die.y / height,
        die.w / width,
        die.h / height,
        die.angle,
        str(die.zone),
        str(die.problem) if die.problem else None,
    )
