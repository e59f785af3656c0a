"""This set of dice: learnt from a few throws, so that what is surely none of it is ignored.

A die of the set must never vanish: whatever is in doubt stays as the reader left it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import width_px
from calibration.profile import Colour, DiceSet
from calibration.rectify import Image, lab
from vision.reading import Die, Problem, Quad, Reading

LEAST_DICE = 5
"""Fewer do not show how much dice of one set differ."""

FACE = 0.8
"""Of a top face, what is looked at: its rounded edges show the light, not the body."""

PIPS = 0.25
"""Of the face of a die with two pips or more: the shades farthest from the body's are pips'."""

NEVER = 2.2
"""No die of a set is so much larger or smaller than the others, however near it is to the lens."""

ODD = 1.6
"""So much larger or smaller is not believed without being asked about."""

NEAR, TONES = 22.0, 3.0
"""Colours nearer than the first, in Lab, are alike under one light; and than so many `tone`."""

NOTHING_OF = 0.06
"""Of its face: what shows less of the set's two colours is none of it."""


@dataclass(frozen=True, slots=True)
class DieColours:
    """One die as it looked: edge in tray widths, colours in Lab; `pip` is None where it has one only."""

    edge: float
    body: Colour
    pip: Colour | None


def looks(image: Image, reading: Reading, tray: Quad) -> tuple[DieColours, ...]:
    """How each die that was read for sure in the tray looks."""
    whole_px = width_px(tray)
    return tuple(
        _look(face, die.size / whole_px, die.value)
        for die in reading.in_tray
        if die.value is not None and die.problem is None
        for face in [_face(image, die)]
        if len(face)
    )


def learn(seen: Sequence[DieColours]) -> DiceSet | None:
    """The set that these dice are of; None while they are too few."""
    if len(seen) < LEAST_DICE:
        return None
    edges = np.array([look.edge for look in seen])
    edge = float(np.median(edges))
    bodies = np.array([look.body for look in seen])
    body = np.median(bodies, axis=0)
    pips = np.array([look.pip for look in seen if look.pip is not None] or [body])
    return DiceSet(
        edge=edge,
        spread=float(np.percentile(np.abs(edges - edge), 90) / edge),
        body=_colour(body),
        pip=_colour(np.median(pips, axis=0)),
        tone=float(np.percentile(np.linalg.norm(bodies - body, axis=1), 90)),
        dice=len(seen),
    )


def sift(reading: Reading, image: Image, tray: Quad, dice: DiceSet) -> Reading:
    """The reading without what is surely no die of this set; what is odd is questioned.

    Dropped: what is larger or smaller than any die of the set can look, and what was not read
    and shows neither of its colours. Questioned: a face that was read on such a thing.
    """
    whole_px = width_px(tray)
    kept = (_sifted(die, image, whole_px, dice) for die in reading.dice)
    return replace(reading, dice=tuple(die for die in kept if die is not None))


def _sifted(die: Die, image: Image, whole_px: float, dice: DiceSet) -> Die | None:
    ratio = die.size / whole_px / dice.edge
    room = 1 + 2 * dice.spread
    if max(ratio, 1 / ratio) > NEVER * room:
        return None
    odd = max(ratio, 1 / ratio) > ODD * room
    strange = _strange(_face(image, die), dice)
    if strange and die.value is None and die.problem is Problem.UNREADABLE:
        return None
    if (odd or strange) and die.value is not None and die.problem is None:
        return replace(die, problem=Problem.UNREADABLE)
    return die


def _strange(face: NDArray[np.float32], dice: DiceSet) -> bool:
    """Whether this face (n, 3) shows next to nothing of the set's colours."""
    if not len(face):
        return False
    near = max(NEAR, TONES * dice.tone)
    shown = [
        np.linalg.norm(face - np.array(colour, np.float32), axis=1) < near
        for colour in (dice.body, dice.pip)
    ]
    return float(np.logical_or(*shown).mean()) < NOTHING_OF


def _look(face: NDArray[np.float32], edge: float, value: int) -> DieColours:
    body = np.median(face, axis=0)
    away = np.linalg.norm(face - body, axis=1)
    # Pips cover a tenth of a six and less of the others; of those the middle of the darkest half.
    share = 100 * (1 - PIPS * value / 12)
    pip = np.median(face[away >= np.percentile(away, share)], axis=0)
    return DieColours(edge, _colour(body), _colour(pip) if value > 1 else None)


def _face(image: Image, die: Die) -> NDArray[np.float32]:
    """The colours (n, 3) of the inner part of the top face; none where it is not in the picture."""
    half = FACE * die.size / 2
    turn = radians(die.angle)
    a, b = half * cos(turn), half * sin(turn)
    corners = np.array([(a - b, b + a), (-a - b, a - b), (b - a, -a - b), (a + b, b - a)])
    corners += np.array((die.x, die.y))
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    high = np.ceil(corners.max(axis=0)).astype(int) + 1
    cut = image[low[1] : high[1], low[0] : high[0]]
    if not cut.size:
        return np.zeros((0, 3), np.float32)
    inside = np.zeros(cut.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.rint(corners - low).astype(np.int32), 1)
    return np.asarray(lab(cut)[inside > 0], np.float32)


def _colour(values: NDArray[np.floating]) -> Colour:
    lightness, a, b = (round(float(value), 2) for value in values)
    return lightness, a, b
