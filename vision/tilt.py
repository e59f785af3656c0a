"""How a die lies, where it is known how the camera stands, and what it could lean on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.crops import upright
from vision.face_reader import Closeup, asked
from vision.networks import chance
from vision.pose import CameraPose
from vision.reading import Lean, Quad

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


def stance(seen: Closeup, pose: CameraPose) -> Stance:
    """How a die lies, by what the networks say of it."""
    cocked, _, stacked = (float(c) for c in chance(seen.mean.lies))
    at = seen.sighting
    further = upright(at.turn).T @ seen.mean.stand
    right, down = np.add(pose.lean(at.x, at.y), further)
    x, y = np.subtract((at.x, at.y), pose.middle) / pose.side
    lean = Lean(float(x), float(y), float(right), float(down), at.edge / pose.side)
    return Stance(cocked, stacked, lean)


def settled(
    dice: Sequence[Closeup], pose: CameraPose | None, pose_of: PoseOf
) -> tuple[CameraPose | None, list[Closeup]]:
    """How the camera stands, by how dice are seen to stand; and the dice as they look then."""
    if pose is None or not dice:
        return pose, list(dice)
    better = pose_of([stance(one, pose).lean for one in dice])
    if better == pose:
        return pose, list(dice)
    return better, asked([Closeup(one.sighting, one.pixels, {}) for one in dice], better)


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
