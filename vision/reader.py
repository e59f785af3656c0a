"""From a picture to a Reading."""

from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.candidates import Candidate, looks
from vision.decision import Verdict, judge
from vision.images import Image, as_bgr, extent
from vision.reading import Die, Problem, Quad, Reading, Zone

HAND = 0.001
"""Of the picture: the tip of a finger."""
DARK = 24
"""Where of 255 the brightest hundredth of what is read is darker, a black die cannot be told."""


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
    picture = as_bgr(image)
    places, hand = looks(picture, tray, aside)
    verdicts = [(place, judge(place, told_tray=tray is not None)) for place in places]
    dice = tuple(_die(p, v, _zone(p.foot, tray, aside)) for p, v in verdicts if v is not None)
    in_the_way = {
        Problem.HAND: tray is not None and hand > HAND,
        Problem.DARK: _is_dark(picture, tray),
    }
    problems = tuple(problem for problem, holds in in_the_way.items() if holds)
    return Reading(dice, problems, (perf_counter() - start) * 1000)


def _is_dark(picture: Image, tray: Quad | None) -> bool:
    left, top, right, bottom = extent(picture, [tray] if tray else [])
    return float(np.percentile(picture[top:bottom:4, left:right:4], 99)) < DARK


def _die(place: Candidate, verdict: Verdict, zone: Zone) -> Die:
    sighting = place.sighting
    angle = float(np.degrees(sighting.turn)) % 90
    turn = np.radians(angle)
    box = sighting.edge * float(np.cos(turn) + np.sin(turn))
    return Die(
        verdict.value, float(sighting.x), float(sighting.y), box, box, angle, verdict.confidence,
        zone, verdict.problem,
    )  # fmt: skip


def _zone(foot: tuple[float, float], tray: Quad | None, aside: Quad | None) -> Zone:
    if tray is None or _inside(tray, foot):
        return Zone.TRAY
    return Zone.ASIDE if aside is not None and _inside(aside, foot) else Zone.OUTSIDE


def _inside(quad: Quad, point: tuple[float, float]) -> bool:
    return cv2.pointPolygonTest(np.array(quad.corners, np.float32), point, measureDist=False) >= 0
