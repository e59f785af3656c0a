"""Draws a reading on its frame, large enough to be legible on a phone."""

from math import cos, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images import Image, as_bgr
from vision.reading import Die, Reading, Zone

Colour = tuple[int, int, int]  # BGR
Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, width, height

# From the palette of Okabe and Ito, which is distinguishable with any colour vision deficiency.
TEAL: Colour = (150, 200, 40)
ORANGE: Colour = (0, 150, 240)
GREY: Colour = (190, 190, 190)
INK: Colour = (35, 30, 25)
FONT = cv2.FONT_HERSHEY_DUPLEX
CAPITAL_PX = 22.0
"""Height of the font's capital letters at scale 1."""

LINE_SHARE = 1 / 320
"""Line width relative to the longer side: about one point on a phone that shows the frame 400 points wide."""

LABEL_SHARE = 1 / 34
"""Height of a label's letters relative to the longer side: legible on a phone that shows the frame 400 points wide."""


def annotate(image: NDArray[np.generic], reading: Reading) -> Image:
    """Return a copy of a frame with every die outlined and its value or problem beside it.

    Args:
        image: (height, width) grey or (height, width, 3) BGR.
        reading: Reading of that frame.
    """
    picture = as_bgr(image).copy()
    unit = max(picture.shape[:2])
    for die in reading.dice:
        _outline(picture, die, unit)
    taken = [_box(die) for die in reading.dice]
    for die in sorted(reading.dice, key=lambda d: (d.problem is not None, d.y)):
        _tag(picture, die, unit, taken)
    if reading.problems:
        _banner(picture, ", ".join(reading.problems), unit)
    return picture


def _outline(picture: Image, die: Die, unit: int) -> None:
    width = max(1, round(unit * LINE_SHARE))
    if die.problem is None:
        shape = _square(die)
        cv2.polylines(picture, [shape], True, INK, width + 2, cv2.LINE_AA, 3)
        cv2.polylines(picture, [shape], True, _colour(die), width, cv2.LINE_AA, 3)
        return
    centre, radius = _fixed((die.x, die.y)), round(0.78 * die.size * 8)
    cv2.circle(picture, centre, radius, INK, 2 * width + 2, cv2.LINE_AA, 3)
    cv2.circle(picture, centre, radius, ORANGE, 2 * width, cv2.LINE_AA, 3)


def _colour(die: Die) -> Colour:
    if die.zone is not Zone.TRAY:
        return GREY
    return TEAL if die.problem is None else ORANGE


def _square(die: Die) -> NDArray[np.int32]:
    """Return the corners (4, 1, 2) of the top face in eighths of a pixel."""
    half = die.size / 2
    a, b = half * cos(radians(die.angle)), half * sin(radians(die.angle))
    corners = ((a - b, b + a), (-a - b, a - b), (b - a, -a - b), (a + b, b - a))
    return np.array([[_fixed((die.x + x, die.y + y))] for x, y in corners], np.int32)


def _box(die: Die) -> Box:
    """Return the part of the top face that contains the pips, which labels must not cover."""
    edge = 0.8 * die.size
    return die.x - edge / 2, die.y - edge / 2, edge, edge


def _fixed(point: Point) -> tuple[int, int]:
    return round(point[0] * 8), round(point[1] * 8)


def _tag(picture: Image, die: Die, unit: int, taken: list[Box]) -> None:
    """Draw a label with the value or the problem of a die beside it, and add its box to `taken`."""
    word = str(die.value) if die.problem is None else str(die.problem)
    letters = unit * LABEL_SHARE * (1.0 if die.problem is None else 0.62)
    scale = letters / CAPITAL_PX
    width, height = _extent(word, scale)
    left, top = _free_place(picture, die, (width, height), taken)
    taken.append((left, top, width, height))
    _label(picture, word, (left, top), scale, _colour(die))


def _extent(word: str, scale: float) -> Point:
    (width, height), _ = cv2.getTextSize(word, FONT, scale, _stroke(scale))
    return width + 0.9 * height, 1.7 * height


def _stroke(scale: float) -> int:
    return max(1, round(1.6 * scale))


def _free_place(picture: Image, die: Die, size: Point, taken: list[Box]) -> Point:
    """Return the left and top coordinates of a label of this size beside a die, clear of the boxes in `taken`.

    The label goes above the die, below it, to its right or to its left, in this order of preference.
    """
    width, height = size
    away = max(die.w, die.h) / 2 if die.problem is None else 0.82 * die.size
    places = (
        (die.x - width / 2, die.y - away - height),
        (die.x - width / 2, die.y + away),
        (die.x + away, die.y - height / 2),
        (die.x - away - width, die.y - height / 2),
    )
    rows, cols = picture.shape[:2]
    for left, top in places:
        inside = left >= 0 and top >= 0 and left + width <= cols and top + height <= rows
        if inside and not any(_overlap((left, top, width, height), other) for other in taken):
            return left, top
    left, top = places[0]
    return min(max(0.0, left), max(0.0, cols - width)), min(max(0.0, top), max(0.0, rows - height))


def _overlap(a: Box, b: Box) -> bool:
    return abs(a[0] + a[2] / 2 - b[0] - b[2] / 2) < (a[2] + b[2]) / 2 and (
        abs(a[1] + a[3] / 2 - b[1] - b[3] / 2) < (a[3] + b[3]) / 2
    )


def _label(picture: Image, word: str, corner: Point, scale: float, colour: Colour) -> None:
    width, height = _extent(word, scale)
    left, top = round(corner[0]), round(corner[1])
    radius = round(height * 0.28)
    _rounded(picture, (left, top, round(width), round(height)), radius, colour)
    (text_width, text_height), _ = cv2.getTextSize(word, FONT, scale, _stroke(scale))
    at = round(left + (width - text_width) / 2), round(top + (height + text_height) / 2)
    cv2.putText(picture, word, at, FONT, scale, INK, _stroke(scale), cv2.LINE_AA)


def _rounded(picture: Image, box: tuple[int, int, int, int], radius: int, colour: Colour) -> None:
    """Fill a rectangle with rounded corners."""
    left, top, width, height = box
    right, bottom = left + width, top + height
    cv2.rectangle(picture, (left + radius, top), (right - radius, bottom), colour, -1)
    cv2.rectangle(picture, (left, top + radius), (right, bottom - radius), colour, -1)
    for x in (left + radius, right - radius):
        for y in (top + radius, bottom - radius):
            cv2.circle(picture, (x, y), radius, colour, -1, cv2.LINE_AA)


def _banner(picture: Image, words: str, unit: int) -> None:
    scale = unit * LABEL_SHARE * 0.8 / CAPITAL_PX
    _label(picture, words, (unit * 0.015, unit * 0.015), scale, ORANGE)
