"""Estimates whether a die lies flat, and whether it could lean against anything."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.crops import picture_to_die
from vision.face_reader import Closeup, query_networks
from vision.networks import sigmoid
from vision.pose import CameraPose
from vision.reading import Lean, Quad

PoseEstimator = Callable[[Sequence[Lean]], CameraPose | None]
"""Estimates the camera pose from the leans of dice."""

MIN_WALL_EDGES = 1.1
"""A die whose centre is at least this far from every wall, in die edges, touches none: no corner of a cube is more than
0.87 edges from its centre. The rest is a margin."""

MIN_NEIGHBOUR_EDGES = 0.85
"""Smallest distance to another object, as a factor of the sum of both edges."""


@dataclass(frozen=True, slots=True)
class TiltEstimate:
    """Evidence about how one die lies.

    Attributes:
        cocked: Probability that the die does not lie flat.
        stacked: Probability that the die lies on another die.
        lean: Measured lean of the die, or None if the camera pose is unknown. Then the probabilities are much less reliable.
    """

    cocked: float
    stacked: float
    lean: Lean | None


def estimate_tilt(closeup: Closeup, pose: CameraPose | None) -> TiltEstimate:
    """Convert the network outputs for a die into probabilities and a measured lean.

    Args:
        closeup: The die, with the network outputs for its views.
        pose: Camera pose that the networks were given, or None if it is unknown.
    """
    cocked, _, stacked = (float(p) for p in sigmoid(closeup.mean.tilt_log_odds))
    return TiltEstimate(cocked, stacked, None if pose is None else _measure_lean(closeup, pose))


def _measure_lean(closeup: Closeup, pose: CameraPose) -> Lean:
    at = closeup.detection
    extra = picture_to_die(at.turn).T @ closeup.mean.extra_lean
    right, down = np.add(pose.lean_at(at.x, at.y), extra)
    x, y = np.subtract((at.x, at.y), pose.centre) / pose.long_side_px
    return Lean(float(x), float(y), float(right), float(down), at.edge / pose.long_side_px)


def refine_pose(
    dice: Sequence[Closeup], pose: CameraPose | None, estimate: PoseEstimator
) -> tuple[CameraPose | None, list[Closeup]]:
    """Refine the camera pose from the leans of the dice, and query the networks again if it changes.

    Args:
        dice: Closeups of likely dice.
        pose: Camera pose from the tray's corners, or None if it is unknown.
        estimate: Estimates the pose from the leans of dice.

    Returns:
        The pose, and the closeups with network outputs for that pose.
    """
    if pose is None or not dice:
        return pose, list(dice)
    refined = estimate([_measure_lean(die, pose) for die in dice])
    if refined == pose:
        return pose, list(dice)
    return refined, query_networks(
        [Closeup(die.detection, die.patches, {}) for die in dice], refined
    )


@dataclass(frozen=True, slots=True)
class GroundPosition:
    """Position in frame pixels at which an object stands on the floor, and its edge in pixels."""

    x: float
    y: float
    edge: float


def is_isolated(die: GroundPosition, others: Iterable[GroundPosition], tray: Quad) -> bool:
    """Check whether a die in the tray has nothing near it to lean against. Such a die lies flat.

    Args:
        die: Position and edge of the die.
        others: Positions and edges of other dice and objects.
        tray: Floor of the tray in frame pixels.
    """
    floor = np.array(tray.corners, np.float32)
    wall_px = cv2.pointPolygonTest(floor, (die.x, die.y), measureDist=True)
    if wall_px < MIN_WALL_EDGES * die.edge:
        return False
    return all(
        np.hypot(die.x - other.x, die.y - other.y) > MIN_NEIGHBOUR_EDGES * (die.edge + other.edge)
        for other in others
    )
