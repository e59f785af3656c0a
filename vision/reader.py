"""From a picture to a Reading."""

from dataclasses import replace
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.agree import agreeing
from vision.evidence import SURE, Seen
from vision.frame import Frame, as_bgr, make_frame
from vision.questions import Doubt, doubts
from vision.reading import Die, Problem, Quad, Reading, Zone
from vision.spots import find_spots

# Of the frame, however large the picture: a die a twelfth as wide as the picture is 75 px there,
# its pips 14, and the whole pyramid takes a third of the time of a 1536x864 picture as it is.
WORK_PX = 650_000
# Shorter by longer side of a face: a camera 20 degrees off overhead still sees 0.94.
LEVEL = 0.87


def read(
    image: NDArray[np.generic], tray: Quad | None = None, *, aside: Quad | None = None
) -> Reading:
    """Read the dice in a picture.

    Args:
        image: (height, width, 3) uint8 BGR; grey or BGRA will do.
        tray: the floor of the tray in pixels of the picture; None: the whole picture.
        aside: where kept dice are laid, if there is such a place.

    Returns:
        The dice with x, y in pixels of `image`. One that was seen but not read for sure carries
        a problem; an empty tray reads as no dice, surely.

    Raises:
        ValueError: `image` is not an 8-bit picture of one, three or four channels.
    """
    start = perf_counter()
    quads = () if tray is None else (tray, aside)
    frame = make_frame(as_bgr(image), *quads, work_px=WORK_PX)
    spots = find_spots(frame)
    faces = agreeing(frame, spots)
    dice = [_die(frame, seen) for seen in faces] + [
        _question(frame, doubt) for doubt in doubts(frame, spots, faces)
    ]
    placed = tuple(_placed(die, tray, aside) for die in dice)
    return Reading(placed, (), (perf_counter() - start) * 1000)


def _die(frame: Frame, seen: Seen) -> Die:
    along = seen.face.along
    angle = float(np.degrees(np.arctan2(along[1], along[0]))) % 90
    edge = 2 * seen.half / frame.scale
    turn = np.radians(angle)
    box = edge * float(np.cos(turn) + np.sin(turn))
    x, y = frame.to_picture(seen.face.centre[None])[0]
    problem = None if seen.strength >= SURE else Problem.UNREADABLE
    if problem is None and seen.slant < LEVEL:
        problem = Problem.COCKED
    return Die(
        seen.face.value, float(x), float(y), box, box, angle, seen.strength, Zone.TRAY, problem
    )


def _question(frame: Frame, doubt: Doubt) -> Die:
    x, y = frame.to_picture(doubt.centre[None])[0]
    edge = 2 * doubt.half / frame.scale
    return Die(None, float(x), float(y), edge, edge, 0.0, 0.0, Zone.TRAY, Problem.UNREADABLE)


def _placed(die: Die, tray: Quad | None, aside: Quad | None) -> Die:
    zone = Zone.TRAY
    if tray is not None and not _inside(tray, die):
        zone = Zone.ASIDE if aside is not None and _inside(aside, die) else Zone.OUTSIDE
    return replace(die, zone=zone)


def _inside(quad: Quad, die: Die) -> bool:
    corners = np.array(quad.corners, np.float32)
    return cv2.pointPolygonTest(corners, (die.x, die.y), measureDist=False) >= 0
