"""This set of dice, of one look or of several: learnt from a few throws, so that what has not its sizes is known.

A die of the set must never vanish: whatever may be one stays as the reader left it, or is asked about.
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
"""Fewer do not show how much dice of one set differ."""

FACE = 0.8
"""Of a top face, what is looked at: its rounded edges show the light, not the body."""

PIPS = 0.25
"""Of the face of a die with two pips or more: the shades farthest from the body's are pips'."""

NEVER = 2.2
"""No die of a set is so much larger or smaller than the others, however near it is to the lens."""

ODD = 1.6
"""So much larger or smaller is not believed without being asked about."""

NEAR = 22.0
"""Bodies whose colours are nearer, in Lab, are alike under one light."""

AS_LARGE = 1.3
"""Dice of one size look so much larger at most where they lie nearer to the lens."""


@dataclass(frozen=True, slots=True)
class DieAppearance:
    """One die as it looked: edge in tray widths, colours in Lab; `pip` is None where it has one only."""

    edge: float
    body: Colour
    pip: Colour | None


def describe_dice(image: Image, reading: Reading, tray: Quad) -> tuple[DieAppearance, ...]:
    """How each die that was read for sure in the tray looks."""
    whole_px = tray_width_px(tray)
    return tuple(
        _look(face, die.size / whole_px, die.value)
        for die in reading.dice_in_tray
        if die.value is not None and die.problem is None
        for face in [_face(image, die)]
        if len(face)
    )


def learn_dice_set(seen: Sequence[DieAppearance]) -> DiceSet | None:
    """The set that these dice are of; None while they are too few."""
    if len(seen) < MIN_DICE:
        return None
    groups: list[list[DieAppearance]] = []
    for one in seen:
        alike = next((group for group in groups if _alike(one, group)), None)
        if alike is None:
            groups.append(alike := [])
        alike.append(one)
    return DiceSet(tuple(_learnt(group) for group in sorted(groups, key=len, reverse=True)))


def _alike(one: DieAppearance, group: Sequence[DieAppearance]) -> bool:
    edge, body = _middle(group)
    near = float(np.linalg.norm(np.array(one.body) - body)) < NEAR
    return near and max(one.edge / edge, edge / one.edge) < AS_LARGE


def _middle(group: Sequence[DieAppearance]) -> tuple[float, NDArray[np.float64]]:
    edges, bodies = [one.edge for one in group], [one.body for one in group]
    return float(np.median(edges)), np.asarray(np.median(bodies, axis=0), np.float64)


def _learnt(group: Sequence[DieAppearance]) -> DiceLook:
    edge, body = _middle(group)
    edges, bodies = (np.array([getattr(one, name) for one in group]) for name in ("edge", "body"))
    pips = np.array([one.pip for one in group if one.pip is not None] or [_colour(body)])
    return DiceLook(
        edge=edge,
        spread=float(np.percentile(np.abs(edges - edge), 90) / edge),
        body=_colour(body),
        pip=_colour(np.median(pips, axis=0)),
        tone=float(np.percentile(np.linalg.norm(bodies - body, axis=1), 90)),
        dice=len(group),
    )


def filter_reading(reading: Reading, tray: Quad, dice: DiceSet) -> Reading:
    """The reading as these dice make it likely.

    Dropped: what was not read, and is smaller than any die of the set can look. What is larger may be
    a sleeve with dice under it.
    Questioned: a face that was read on something of no size of theirs.
    """
    whole_px = tray_width_px(tray)
    kept = (_sifted(die, whole_px, dice) for die in reading.dice)
    return replace(reading, dice=tuple(die for die in kept if die is not None))


def _sifted(die: Die, whole_px: float, dice: DiceSet) -> Die | None:
    edge = die.size / whole_px
    if die.value is None:
        crumb = all(_surely(look.edge / edge, look) > NEVER for look in dice.looks)
        return None if crumb and die.problem is not Problem.FOREIGN_OBJECT else die
    odd = all(_surely(max(edge / look.edge, look.edge / edge), look) > ODD for look in dice.looks)
    return replace(die, problem=Problem.UNREADABLE) if odd and die.problem is None else die


def _surely(times: float, look: DiceLook) -> float:
    """How many times larger or smaller than any die of this look, seen as so many times."""
    return times / (1 + 2 * look.spread)


def _look(face: NDArray[np.float32], edge: float, value: int) -> DieAppearance:
    body = np.median(face, axis=0)
    away = np.linalg.norm(face - body, axis=1)
    # Pips cover a tenth of a six and less of the others; of those the middle of the darkest half.
    share = 100 * (1 - PIPS * value / 12)
    pip = np.median(face[away >= np.percentile(away, share)], axis=0)
    return DieAppearance(edge, _colour(body), _colour(pip) if value > 1 else None)


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
    return np.asarray(to_lab(cut)[inside > 0], np.float32)


def _colour(values: NDArray[np.floating]) -> Colour:
    lightness, a, b = (round(float(value), 2) for value in values)
    return lightness, a, b
