"""Reads the dice in a photo from a phone, and crops the photo to the dice."""

import numpy as np

from device.cameras.base import Image
from device.session.tray_reader import TrayReading
from device.watching.reports import CapturedReading
from game.message import Message
from game.situation import TableError
from vision import Problem, Reading, read
from vision.images import ImageError, decode
from web.picture_check import DAMAGED

LONG_SIDE_PX = 2048
"""Largest length of a photo's longer side. With half a metre in view, a die of 16 mm is then 80 pixels wide.

The reader needs a third of that."""

MARGIN = 1.6
"""Margin around the outermost dice, in die edges: enough to see a wall of the tray, but not people's faces."""

NO_DICE = Message(
    "There are no dice in that photo: take another one from above, closer up and in good light."
)


def read_phone_picture(picture: bytes, time_s: float) -> CapturedReading:
    """Read the dice in a photo from a phone.

    Args:
        picture: A JPEG or PNG whose size has already been checked.
        time_s: When the photo arrived, in seconds on the tray watch's clock.

    Raises:
        TableError: If the photo cannot be decoded or shows no dice.
    """
    try:
        image = decode(picture, LONG_SIDE_PX)
    except ImageError:
        raise TableError(DAMAGED) from None
    reading = read(image)
    if not reading.dice and Problem.DARK not in reading.problems:
        raise TableError(NO_DICE)
    part, offset_px = _crop_to_dice(image, reading)
    return CapturedReading(0, TrayReading(reading, None, time_s), part, offset_px=offset_px)


def _crop_to_dice(image: Image, reading: Reading) -> tuple[Image, tuple[int, int]]:
    """Return a photo cropped to the dice, and the left and top edges of the crop in pixels of the photo.

    The rest of the photo is private.
    """
    if not reading.dice:
        return image, (0, 0)
    height, width = image.shape[:2]
    margin = MARGIN * max(die.size for die in reading.dice)
    xs, ys = [die.x for die in reading.dice], [die.y for die in reading.dice]
    left, top = max(0, int(min(xs) - margin)), max(0, int(min(ys) - margin))
    right, bottom = min(width, int(max(xs) + margin)), min(height, int(max(ys) + margin))
    return np.ascontiguousarray(image[top:bottom, left:right]), (left, top)
