"""Learns the set of dice in use from a few throws, and removes from readings whatever cannot be one of its dice.

A die of the set must never disappear from a reading. Anything that could be one stays as the reader
reported it, or becomes a question.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import tray_width_px
from calibration.profile import Colour, DiceLook, DiceSet
from calibration.rectify import Image, to_lab
from vision.reading import Die, Problem, Quad, Reading

MIN_DICE = 5
"""Number of dice needed to show how much the dice of one set differ."""

FACE_SHARE = 0.8
"""Share of the top face to examine: its rounded edges reflect the light instead of showing the body's colour."""

PIP_SHARE = 0.25
"""Share of a face of six pips that is examined as pips: the part that differs most from the body's colour."""

MAX_SIZE_RATIO = 2.2
"""No die of a set looks larger or smaller than the others by this factor, however close it is to the lens."""

DOUBTFUL_SIZE_RATIO = 1.6
"""If something with a face looks larger or smaller by this factor, the reading asks about it."""

SAME_COLOUR_DISTANCE = 22.0
"""Bodies whose colours are closer than this, in CIE Lab, look alike in one light."""

SAME_SIZE_RATIO = 1.3
"""Dice of one size look larger by at most this factor where they are closer to the lens."""


@dataclass(frozen=True, slots=True)
class DieAppearance:
    """Size and colours of one die in one frame.

    Attributes:
        edge: Edge of the top face in tray widths.
        body: Colour of the body in CIE Lab.
        pip: Colour of the pips in CIE Lab, or None if the face has only one pip.
    """

    edge: float
    body: Colour
    pip: Colour | None


def describe_dice(image: Image, reading: Reading, tray: Quad) -> tuple[DieAppearance, ...]:
    """Describe each die in the tray that was read with certainty.

    Args:
        image: Frame (height, width, 3) BGR.
        reading: Reading of that frame.
        tray: Floor of the tray in frame pixels.
    """
    tray_px = tray_width_px(tray)
    return tuple(
        _appearance(face, die.size / tray_px, die.value)
        for die in reading.dice_in_tray
        if die.value is not None and die.problem is None
        for face in [_face_colours(image, die)]
        if len(face)
    )


def learn_dice_set(seen: Sequence[DieAppearance]) -> DiceSet | None:
    """Describe a set of dice by grouping those that look alike. Return None if there are too few dice."""
    if len(seen) < MIN_DICE:
        return None
    groups: list[list[DieAppearance]] = []
    for one in seen:
        group = next((group for group in groups if _is_alike(one, group)), None)
        if group is None:
            groups.append(group := [])
        group.append(one)
    return DiceSet(tuple(_dice_look(group) for group in sorted(groups, key=len, reverse=True)))


def filter_reading(reading: Reading, tray: Quad, dice: DiceSet) -> Reading:
    """Return a reading without objects that are too small to be dice of the set, and mark dice of an unlikely size.

    An object without a value is dropped if it looks smaller than any die of the set can look. A larger one
    stays, because it may be a sleeve that covers dice. A die of an unlikely size is marked as unreadable.

    Args:
        reading: Reading of a frame.
        tray: Floor of the tray in pixels of that frame.
        dice: The set of dice in use.
    """
    tray_px = tray_width_px(tray)
    kept = (_filtered(die, die.size / tray_px, dice) for die in reading.dice)
    return replace(reading, dice=tuple(die for die in kept if die is not None))


def _filtered(die: Die, edge: float, dice: DiceSet) -> Die | None:
    if die.value is None:
        is_crumb = all(_min_ratio(look.edge / edge, look) > MAX_SIZE_RATIO for look in dice.looks)
        return None if is_crumb and die.problem is not Problem.FOREIGN_OBJECT else die
    is_doubtful = all(
        _min_ratio(max(edge / look.edge, look.edge / edge), look) > DOUBTFUL_SIZE_RATIO
        for look in dice.looks
    )
    if is_doubtful and die.problem is None:
        return replace(die, problem=Problem.UNREADABLE)
    return die


def _min_ratio(ratio: float, look: DiceLook) -> float:
    """Return a size ratio reduced by twice the spread of the sizes of dice that look alike."""
    return ratio / (1 + 2 * look.spread)


def _is_alike(one: DieAppearance, group: Sequence[DieAppearance]) -> bool:
    edge, body = _medians(group)
    is_same_colour = float(np.linalg.norm(np.array(one.body) - body)) < SAME_COLOUR_DISTANCE
    return is_same_colour and max(one.edge / edge, edge / one.edge) < SAME_SIZE_RATIO


def _medians(group: Sequence[DieAppearance]) -> tuple[float, NDArray[np.float64]]:
    edges, bodies = [one.edge for one in group], [one.body for one in group]
    return float(np.median(edges)), np.asarray(np.median(bodies, axis=0), np.float64)


def _dice_look(group: Sequence[DieAppearance]) -> DiceLook:
    edge, body = _medians(group)
    edges, bodies = (np.array([getattr(one, name) for one in group]) for name in ("edge", "body"))
    pips = np.array([one.pip for one in group if one.pip is not None] or [_rounded(body)])
    return DiceLook(
        edge=edge,
        spread=float(np.percentile(np.abs(edges - edge), 90) / edge),
        body=_rounded(body),
        pip=_rounded(np.median(pips, axis=0)),
        tone=float(np.percentile(np.linalg.norm(bodies - body, axis=1), 90)),
        dice=len(group),
    )


def _appearance(face: NDArray[np.float32], edge: float, value: int) -> DieAppearance:
    body = np.median(face, axis=0)
    distance = np.linalg.norm(face - body, axis=1)
    # The pips of a six cover a tenth of its face, those of other values less. The colour of the pips
    # is the median of the half of that area that differs most from the body.
    percentile = 100 * (1 - PIP_SHARE * value / 12)
    pip = np.median(face[distance >= np.percentile(distance, percentile)], axis=0)
    return DieAppearance(edge, _rounded(body), _rounded(pip) if value > 1 else None)


def _face_colours(image: Image, die: Die) -> NDArray[np.float32]:
    """Return the CIE Lab colours (n, 3) in the inner part of a top face; n is 0 if the face is outside the frame."""
    half = FACE_SHARE * die.size / 2
    turn = radians(die.angle)
    a, b = half * cos(turn), half * sin(turn)
    corners = np.array([(a - b, b + a), (-a - b, a - b), (b - a, -a - b), (a + b, b - a)])
    corners += np.array((die.x, die.y))
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    high = np.ceil(corners.max(axis=0)).astype(int) + 1
    crop = image[low[1] : high[1], low[0] : high[0]]
    if not crop.size:
        return np.zeros((0, 3), np.float32)
    inside = np.zeros(crop.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.rint(corners - low).astype(np.int32), 1)
    return np.asarray(to_lab(crop)[inside > 0], np.float32)


def _rounded(values: NDArray[np.floating]) -> Colour:
    lightness, a, b = (round(float(value), 2) for value in values)
    return lightness, a, b
