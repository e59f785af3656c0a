"""A picture of the dice that a phone took: read as it lies, cut to the dice."""

import numpy as np

from device.cameras.base import Image
from device.session.tray_reader import TrayReading
from device.watching.reports import CapturedReading
from game.message import Message
from game.situation import TableError
from vision import Reading, read
from vision.images import ImageError, decode
from web.picture_check import DAMAGED

LONG_SIDE_PX = 2048
"""A die of 16 mm is 80 pixels wide where half a metre is in view: the reader needs a third of it."""

AROUND = 1.6
"""Edges of a die that are kept around the outermost: enough to see a wall, and no faces of people."""

NO_DICE = Message("No dice are seen in that picture: take it from above, closer, in good light.")


def read_phone_picture(picture: bytes, time_s: float) -> CapturedReading:
    """What lies there, in a JPEG or PNG whose size was looked at.

    Raises:
        TableError: it cannot be decoded, or shows no dice.
    """
    try:
        image = decode(picture, LONG_SIDE_PX)
    except ImageError:
        raise TableError(DAMAGED) from None
    reading = read(image)
    if not reading.dice and not reading.problems:
        raise TableError(NO_DICE)
    part, corner = _cut(image, reading)
    return CapturedReading(0, TrayReading(reading, None, time_s), part, offset_px=corner)


def _cut(image: Image, reading: Reading) -> tuple[Image, tuple[int, int]]:
    """The part around the dice, and where it begins: what else was in view is nobody's business."""
    if not reading.dice:
        return image, (0, 0)
    height, width = image.shape[:2]
    around = AROUND * max(die.size for die in reading.dice)
    xs, ys = [die.x for die in reading.dice], [die.y for die in reading.dice]
    left, top = max(0, int(min(xs) - around)), max(0, int(min(ys) - around))
    right, bottom = min(width, int(max(xs) + around)), min(height, int(max(ys) + around))
    return np.ascontiguousarray(image[top:bottom, left:right]), (left, top)
