"""What is left when the dice are found: pips without a face, bodies without pips.

A die that is seen but not read must become a question, or the reading would be wrong and sure.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.evidence import Seen
from vision.frame import Floats, Frame
from vision.spots import Spots, look_inside

Mask = NDArray[np.bool_]

# Without a die to compare with, only what is as deep, round and even as printed pips are.
PIP_DEPTH, PIP_ROUND, PIP_ASPECT = 80, 0.87, 0.55
PIPS_IN_HALF = 5  # radii of a pip in half an edge, about
# Like the pips of a die found: the share of their depth, and the ratio of their radii.
LIKE_DEPTH, LIKE_RADIUS = 0.55, 1.5
LIKE_ROUND, LIKE_ASPECT = 0.85, 0.6
SIDE_FACES = 2.3  # half edges from the middle of a die: pips nearer stand on its own side faces
BESIDE, SEEN_FLAT = 1.4, 0.8  # but these are too round for a side face
DISC = 1.13  # radius of the disc of a square's area, in its half edges; side faces widen it
BODY_LEAST, BODY_MOST = 0.75, 1.7
BODY_COLOUR = 30.0  # log units between the body of a die found and one that may be another
ONCE = 1.6  # half edges: nearer doubts are about the same die
INSIDE = 1.2  # half edges: what lies nearer belongs to the die found


@dataclass(frozen=True, slots=True)
class Doubt:
    """A place where a die seems to lie, in frame pixels."""

    centre: Floats
    half: float


def doubts(frame: Frame, spots: Spots, dice: list[Seen]) -> list[Doubt]:
    """Places of dice that were not read, each once."""
    if not len(spots):
        return []
    if dice:
        found = _pips_left(spots, dice) + _bodies_left(frame, spots, dice)
    else:
        found = _pips_alone(spots)
    kept: list[Doubt] = []
    for doubt in found:
        if all(np.hypot(*(doubt.centre - k.centre)) > ONCE * k.half for k in kept):
            kept.append(doubt)
    return kept


def _pips_left(spots: Spots, dice: list[Seen]) -> list[Doubt]:
    gap = _distance(spots, dice).min(1)
    far = (gap > SIDE_FACES) | ((gap > BESIDE) & (spots.aspect > SEEN_FLAT))
    far &= (spots.roundness > LIKE_ROUND) & (spots.aspect > LIKE_ASPECT)
    like = np.zeros((len(spots), len(dice)), bool)
    for k, die in enumerate(dice):
        depth = float(np.median(spots.depth[list(die.face.pips)]))
        ratio = np.maximum(spots.r / die.face.radius, die.face.radius / spots.r)
        like[:, k] = (spots.depth > LIKE_DEPTH * depth) & (ratio < LIKE_RADIUS)
        like[:, k] &= spots.light == die.face.light
    rows = np.flatnonzero(far & like.any(1))
    return [Doubt(spots.xy[k], dice[int(like[k].argmax())].half) for k in rows]


def _bodies_left(frame: Frame, spots: Spots, dice: list[Seen]) -> list[Doubt]:
    free = (_distance(spots, dice) > INSIDE).all(1)
    inner, spread = look_inside(frame, spots)
    doubts = []
    for k in np.flatnonzero(free & (spread < BODY_COLOUR)):
        for die in dice:
            body = np.median(spots.body[list(die.face.pips)], axis=0)
            fits = BODY_LEAST < spots.r[k] / (DISC * die.half) < BODY_MOST
            if fits and np.abs(inner[k] - body).max() < BODY_COLOUR:
                doubts.append(Doubt(spots.xy[k], die.half))
                break
    return doubts


def _distance(spots: Spots, dice: list[Seen]) -> Floats:
    """From each spot to the middle of each die (n, m) in half edges of the die."""
    centres = np.array([die.face.centre for die in dice])
    gap = np.hypot(*(spots.xy[:, None] - centres).transpose(2, 0, 1))
    relative: Floats = gap / np.array([die.half for die in dice])
    return relative


def _pips_alone(spots: Spots) -> list[Doubt]:
    good = (spots.depth > PIP_DEPTH) & (spots.roundness > PIP_ROUND) & (spots.aspect > PIP_ASPECT)
    return [Doubt(spots.xy[k], PIPS_IN_HALF * float(spots.r[k])) for k in np.flatnonzero(good)]
