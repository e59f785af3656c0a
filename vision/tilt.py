"""The third look: whether a die lies flat, where it is known how the camera stands.

A flat die shows its sides by so much and no more. The network sees the die with what it leans on,
and what a flat one would cover there.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.crops import VIEWS, Sizes, View, axes, patch, silhouette, upright, viewed
from vision.finder import Sighting
from vision.images import Image
from vision.networks import Floats, chance, said
from vision.pose import CameraPose
from vision.reading import Lean, Quad

SIZES: Sizes = (64, 26)
"""Of the patches that the network was taught, and of the dice in them."""
TWO_VIEWS = VIEWS[::4]
"""So seen and in a mirror."""
OTHER_VIEWS = tuple(view for view in VIEWS if view not in TWO_VIEWS)
FLAT = 0.05
"""From two sides less likely than this to lean: of 658 such dice none did from all eight."""
PoseOf = Callable[[Sequence[Lean]], CameraPose | None]
"""How the camera stands where dice are seen to lean so."""
WALL = 1.1
"""Edges from a wall to the middle of a die that touches it: 0.87 at most, and some for what is not seen well."""
BESIDE = 0.85
"""The same to another thing, for each of the two by its own edge."""


@dataclass(frozen=True, slots=True)
class Stance:
    """Chances that it is cocked, and that it lies on another die; and how it is seen to stand."""

    cocked: float
    stacked: float
    lean: Lean


def stances(
    picture: Image, sightings: Sequence[Sighting], stand: PoseOf
) -> tuple[CameraPose | None, dict[Sighting, Stance]]:
    """How the camera stands, by how the dice are seen to stand, and how each of them does then.

    Nothing of the dice where it is not known how the camera stands.
    """
    first = stand(())
    if first is None or not sightings:
        return first, {}
    seen = _TwoViews.of(picture, sightings, first)
    pose = stand([stance.lean for stance in _stances(seen.answers, sightings, first)])
    if pose is None:
        return None, {}
    if pose != first:
        seen = _TwoViews.of(picture, sightings, pose)
    answers = _doubted(seen)
    return pose, dict(zip(sightings, _stances(answers, sightings, pose), strict=True))


@dataclass(frozen=True, slots=True)
class _TwoViews:
    """What the network is given of each die, and says of it from two sides: they tell most."""

    inputs: Floats
    answers: Floats

    @classmethod
    def of(cls, picture: Image, sightings: Sequence[Sighting], pose: CameraPose) -> "_TwoViews":
        inputs = np.stack([_input(picture, sighting, pose) for sighting in sightings])
        return cls(inputs, _answers(inputs, TWO_VIEWS))


def _doubted(seen: _TwoViews) -> Floats:
    """Answers from all sides, of those that may lean."""
    answers = seen.answers.copy()
    doubtful = chance(answers[:, :2]).sum(axis=1) > FLAT
    if doubtful.any():
        others = _answers(seen.inputs[doubtful], OTHER_VIEWS)
        share = len(TWO_VIEWS) / len(VIEWS)
        answers[doubtful] = share * answers[doubtful] + (1 - share) * others
    return answers


def _answers(inputs: Floats, views: Sequence[View]) -> Floats:
    """(n, 4) cocked, stacked and where it stands: the mean of what is said of the views."""
    out = np.zeros((len(inputs), 4), np.float32)
    for view in views:
        told = said("standing", viewed(inputs, view))
        stand = told["stand"] @ axes(view)
        out += np.column_stack([told["cocked"], told["stacked"], stand]) / len(views)
    return out


def _stances(answers: Floats, sightings: Sequence[Sighting], pose: CameraPose) -> list[Stance]:
    return [_stance(*one, pose) for one in zip(answers, sightings, strict=True)]


def _stance(answer: Floats, sighting: Sighting, pose: CameraPose) -> Stance:
    cocked, stacked = (float(c) for c in chance(answer[:2]))
    off = upright(sighting.turn).T @ answer[2:]
    right, down = np.add(pose.lean(sighting.x, sighting.y), off)
    x, y = np.subtract((sighting.x, sighting.y), pose.middle) / pose.side
    lean = Lean(float(x), float(y), float(right), float(down), sighting.edge / pose.side)
    return Stance(cocked, stacked, lean)


def _input(picture: Image, sighting: Sighting, pose: CameraPose) -> Floats:
    """(4, p, p): the die around the middle of top and foot, and its silhouette."""
    lean = np.array(pose.lean(sighting.x, sighting.y), np.float32)
    x, y = np.array([sighting.x, sighting.y]) - lean * sighting.edge / 2
    seen = patch(picture, (x, y), sighting.edge, sighting.turn, SIZES)
    return np.concatenate([seen, silhouette(upright(sighting.turn) @ lean, SIZES, down=0.5)[None]])


@dataclass(frozen=True, slots=True)
class Footing:
    """Where something stands on the ground, in picture pixels, and its edge."""

    x: float
    y: float
    edge: float


def stands_free(die: Footing, others: Iterable[Footing], tray: Quad) -> bool:
    """Whether it is in the tray, and has nothing near that it could lean on: then it lies flat."""
    floor = np.array(tray.corners, np.float32)
    if cv2.pointPolygonTest(floor, (die.x, die.y), measureDist=True) < WALL * die.edge:
        return False
    return all(
        np.hypot(die.x - other.x, die.y - other.y) > BESIDE * (die.edge + other.edge)
        for other in others
    )
