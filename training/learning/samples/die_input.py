"""What the networks of one die are given: the die upright in its patch, and how a flat one would stand.

One sees a die near by and little else; the other sees it smaller, with what it leans on. Both say the
same things, and were taught apart from each other: where they agree they are seldom wrong.
"""

import cv2
import numpy as np

from vision.crops import patch, upright
from vision.images import Image
from vision.networks import Floats
from vision.pose import CameraPose

PATCH_PX = 64
DIE_PX = {"near": 35, "wide": 26}
"""The edge of the die in the patch, for each of the two networks."""
CHANNELS = 7
"""Blue, green, red; the lean right and down; whether it is told; what a flat die would cover."""
TOP, SIDES = 1.0, 0.5
PARTS = 4
"""Corners are drawn to 1/2**PARTS of a pixel."""


def die_input(  # noqa: PLR0917 - where a die is
    picture: Image, at: tuple[float, float], edge: float, turn: float, pose: CameraPose | None, kind: str
) -> Floats:  # fmt: skip
    """(CHANNELS, PATCH_PX, PATCH_PX) for the network `kind`.

    Args:
        picture: what to cut from.
        at: the middle of its top, in picture pixels.
        edge: of its top, in picture pixels.
        turn: of its edges, in radians.
        pose: how the camera stands; None where nothing tells.
        kind: "near" or "wide".
    """
    die_px = DIE_PX[kind]
    lean = None if pose is None else upright(turn) @ np.array(pose.lean(*at), np.float32)
    seen = patch(picture, at, edge, turn, (PATCH_PX, die_px))
    return np.concatenate([seen, lean_planes(lean, die_px)])


def lean_planes(lean: Floats | None, die_px: int) -> Floats:
    """(4, PATCH_PX, PATCH_PX): how far a flat die's top stands off its foot, in edges; all 0 untold."""
    out = np.zeros((4, PATCH_PX, PATCH_PX), np.float32)
    if lean is not None:
        out[0], out[1], out[2] = lean[0], lean[1], 1
        out[3] = silhouette(lean, die_px)
    return out


def silhouette(lean: Floats, die_px: int) -> Floats:
    """(PATCH_PX, PATCH_PX): what a flat die covers whose top, in the middle, leans so off its foot."""
    top = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * die_px / 2
    foot = top - np.asarray(lean) * die_px
    out = np.zeros((PATCH_PX, PATCH_PX), np.float32)
    hull = cv2.convexHull(np.concatenate([top, foot]).astype(np.float32))[:, 0]
    for outline, light in ((hull, SIDES), (top, TOP)):
        corners = np.round((outline + (PATCH_PX - 1) / 2) * 2**PARTS).astype(np.int32)
        cv2.fillConvexPoly(out, corners, light, cv2.LINE_AA, PARTS)
    return out
