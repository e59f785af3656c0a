"""One die cut out of the picture: upright, in the middle, at one size; and how a flat one would stand there."""

import cv2
import numpy as np

from vision.images import Image
from vision.networks import Floats
from vision.pose import CameraPose

SHRUNK = 0.7  # below this a picture is shrunk by areas first, or fine texture turns to noise
PATCH_REACH = 0.75  # of a patch, with some to spare: so far from its middle it may reach
View = tuple[int, bool]
"""So many quarter turns to the left, and whether in a mirror then."""
VIEWS: tuple[View, ...] = tuple((turn, mirror) for mirror in (False, True) for turn in range(4))
"""A network does not see the same from all sides: the mean of what it sees is nearer to the truth."""
PLANES = 7
"""Blue, green, red; the lean right and down; whether it is told; what a flat die would cover."""
LEAN = slice(3, 5)
TOP, SIDES = 1.0, 0.5
PARTS = 4
"""Corners are drawn to 1/2**PARTS of a pixel."""
PatchSizes = tuple[int, int]
"""Edges of a patch and of the die in it, in pixels."""


def network_input(
    pixels: Floats, at: tuple[float, float], turn: float, pose: CameraPose | None, sizes: PatchSizes
) -> Floats:
    """(PLANES, p, p) for a network that was taught patches of these sizes.

    Args:
        pixels: (3, p, p), see `patch`.
        at: the middle of its top, in picture pixels.
        turn: of its edges, in radians.
        pose: how the camera stands; None where nothing tells.
        sizes: of the patch and of the die in it.
    """
    lean = None if pose is None else picture_to_die(turn) @ np.array(pose.lean_at(*at), np.float32)
    return np.concatenate([pixels, lean_planes(lean, sizes)])


def turn_inputs(inputs: Floats, view: View) -> Floats:
    """(n, PLANES, p, p) as they look from another side, with their leans."""
    out = turn_patches(inputs, view)
    out[:, LEAN] = np.einsum("ij,njhw->nihw", patch_to_view(view), out[:, LEAN])
    return out


def lean_planes(lean: Floats | None, sizes: PatchSizes) -> Floats:
    """(4, p, p): how far a flat die's top stands off its foot, in edges, and what it covers; all 0 untold."""
    out = np.zeros((4, sizes[0], sizes[0]), np.float32)
    if lean is not None:
        out[0], out[1], out[2] = lean[0], lean[1], 1
        out[3] = silhouette(lean, sizes)
    return out


def silhouette(lean: Floats, sizes: PatchSizes) -> Floats:
    """(p, p): what an upright flat die covers, its top in the middle, whose top leans so far off its foot."""
    patch_px, die_px = sizes
    top = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * die_px / 2
    foot = top - np.asarray(lean) * die_px
    out = np.zeros((patch_px, patch_px), np.float32)
    hull = cv2.convexHull(np.concatenate([top, foot]).astype(np.float32))[:, 0]
    for outline, light in ((hull, SIDES), (top, TOP)):
        corners = np.round((outline + (patch_px - 1) / 2) * 2**PARTS).astype(np.int32)
        cv2.fillConvexPoly(out, corners, light, cv2.LINE_AA, PARTS)
    return out


def cut_patch(
    picture: Image, at: tuple[float, float], edge: float, turn: float, sizes: tuple[int, int]
) -> Floats:
    """(3, p, p) of 0..1 around a place, turned by `turn` radians.

    Args:
        picture: what to cut from; beyond its border its last pixels are repeated.
        at: the middle in picture pixels.
        edge: of the die, in picture pixels.
        turn: of the die's edges.
        sizes: of the patch and of the die in it, in pixels.
    """
    patch_px, die_px = sizes
    near, corner = _near(picture, at, edge * patch_px / die_px * PATCH_REACH)
    scale, shrunk = die_px / edge, 1.0
    if scale < SHRUNK and min(near.shape[:2]) * scale >= 1:
        near = cv2.resize(near, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        scale, shrunk = 1.0, scale
    linear = scale * picture_to_die(turn)
    middle = (np.array(at) - corner) * shrunk
    matrix = np.column_stack([linear, (patch_px - 1) / 2 - linear @ middle])
    cut = cv2.warpAffine(near, matrix, (patch_px, patch_px), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut.transpose(2, 0, 1) / np.float32(255), np.float32)


def picture_to_die(turn: float) -> Floats:
    """(2, 2) from the picture's axes to those of a die turned by `turn` radians."""
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, s], [-s, c]], np.float32)


def turn_patches(patches: Floats, view: View) -> Floats:
    """(n, c, p, p) as they look from another side."""
    turn, mirror = view
    turned = np.rot90(patches, turn, (2, 3))
    return np.ascontiguousarray(turned[..., ::-1] if mirror else turned)


def patch_to_view(view: View) -> Floats:
    """(2, 2) from the axes of a patch to those of a view of it."""
    turn, mirror = view
    return np.diag([-1 if mirror else 1, 1]).astype(np.float32) @ picture_to_die(turn * np.pi / 2)


def _near(picture: Image, at: tuple[float, float], reach: float) -> tuple[Image, tuple[int, int]]:
    """The part of the picture that matters, a pixel at least, and where it begins."""
    height, width = picture.shape[:2]
    x, y = at
    left, top = (int(np.clip(v - reach, 0, most - 1)) for v, most in ((x, width), (y, height)))
    right, bottom = min(width, int(x + reach) + 2), min(height, int(y + reach) + 2)
    return picture[top : max(bottom, top + 1), left : max(right, left + 1)], (left, top)
