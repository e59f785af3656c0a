"""How a die lies, where it is known how the camera stands, and what it could lean on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.crops import picture_to_die
from vision.face_reader import Closeup, query_networks
from vision.networks import sigmoid
from vision.pose import CameraPose
from vision.reading import Lean, Quad

PoseOf = Callable[[Sequence[Lean]], CameraPose | None]
"""How the camera stands where dice are seen to lean so."""
WALL = 1.1
"""Edges from a wall to the middle of a die that touches it: 0.87 at most, and some for what is not seen well."""
BESIDE = 0.85
"""The same to another thing, for each of the two by its own edge."""


@dataclass(frozen=True, slots=True)
class TiltEstimate:
    """Chances that it is cocked, and that it lies on another die; and how it is seen to stand."""

    cocked: float
    stacked: float
    lean: Lean


def estimate_tilt(seen: Closeup, pose: CameraPose) -> TiltEstimate:
    """How a die lies, by what the networks say of it."""
    cocked, _, stacked = (float(c) for c in sigmoid(seen.mean.lies))
    at = seen.detection
    further = picture_to_die(at.turn).T @ seen.mean.stand
    right, down = np.add(pose.lean_at(at.x, at.y), further)
    x, y = np.subtract((at.x, at.y), pose.centre) / pose.long_side_px
    lean = Lean(float(x), float(y), float(right), float(down), at.edge / pose.long_side_px)
    return TiltEstimate(cocked, stacked, lean)


def refine_pose(
    dice: Sequence[Closeup], pose: CameraPose | None, pose_of: PoseOf
) -> tuple[CameraPose | None, list[Closeup]]:
    """How the camera stands, by how dice are seen to stand; and the dice as they look then."""
    if pose is None or not dice:
        return pose, list(dice)
    better = pose_of([estimate_tilt(one, pose).lean for one in dice])
    if better == pose:
        return pose, list(dice)
    return better, query_networks([Closeup(one.detection, one.pixels, {}) for one in dice], better)


@dataclass(frozen=True, slots=True)
class GroundPosition:
    """Where something stands on the ground, in picture pixels, and its edge."""

    x: float
    y: float
    edge: float


def is_isolated(die: GroundPosition, others: Iterable[GroundPosition], tray: Quad) -> bool:
    """Whether it is in the tray, and has nothing near that it could lean on: then it lies flat."""
    floor = np.array(tray.corners, np.float32)
    if cv2.pointPolygonTest(floor, (die.x, die.y), measureDist=True) < WALL * die.edge:
        return False
    return all(
        np.hypot(die.x - other.x, die.y - other.y) > BESIDE * (die.edge + other.edge)
        for other in others
    )
