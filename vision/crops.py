"""Cuts a square patch out of a frame around each die: upright, centred and scaled to one size.

Each patch comes with the lean that a flat die would have there: how far its top appears displaced
from its foot.
"""

import cv2
import numpy as np

from vision.images import Image, halved
from vision.networks import Floats
from vision.pose import CameraPose

MIN_WARP_SCALE = 0.6
"""If a patch would be reduced to less than this scale, the image is halved first, because warping alone would alias
fine texture."""

PATCH_REACH = 0.75
"""Distance from the centre to a corner, as a share of the patch's side: half the diagonal and a margin."""

View = tuple[int, bool]
"""Number of anticlockwise quarter turns, and whether the patch is then mirrored."""

VIEWS: tuple[View, ...] = tuple((turn, mirror) for mirror in (False, True) for turn in range(4))
"""All orientations of a patch. A network is not invariant to them, so the mean over several is more accurate."""

PLANES = 7
"""Input channels: blue, green, red, lean right, lean down, whether the lean is known, expected outline."""

LEAN = slice(3, 5)
TOP_LEVEL, SIDE_LEVEL = 1.0, 0.5
"""Values of the expected outline: the top face, and the visible sides of a die that lies flat."""

FRACTION_BITS = 4
"""Corners are drawn to 1 / 2**FRACTION_BITS of a pixel."""

PatchSizes = tuple[int, int]
"""Side of a patch and edge of the die in it, in pixels."""


def network_input(
    pixels: Floats, at: tuple[float, float], turn: float, pose: CameraPose | None, sizes: PatchSizes
) -> Floats:
    """Return the network input (PLANES, side, side) for one die.

    Args:
        pixels: Patch (3, side, side) of the die, cut out by `cut_patch`.
        at: Centre of the top face in frame pixels.
        turn: Rotation of the die's edges in radians.
        pose: Pose of the camera, or None if it is unknown.
        sizes: Side of the patch and edge of the die in it, in pixels.
    """
    lean = None if pose is None else picture_to_die(turn) @ np.array(pose.lean_at(*at), np.float32)
    return np.concatenate([pixels, lean_planes(lean, sizes)])


def turn_inputs(inputs: Floats, view: View) -> Floats:
    """Rotate and mirror network inputs, including the lean directions that they contain.

    Args:
        inputs: Inputs (n, PLANES, side, side), one for each die.
        view: Quarter turns and mirroring to apply.
    """
    out = turn_patches(inputs, view)
    out[:, LEAN] = np.einsum("ij,njhw->nihw", patch_to_view(view), out[:, LEAN])
    return out


def lean_planes(lean: Floats | None, sizes: PatchSizes) -> Floats:
    """Return the last four input channels (4, side, side) of a die, which describe its expected lean.

    Args:
        lean: Displacement (2,) of the top of a flat die from its foot, right and down, in die edges.
            If it is None, all channels are 0.
        sizes: Side of the patch and edge of the die in it, in pixels.
    """
    out = np.zeros((4, sizes[0], sizes[0]), np.float32)
    if lean is not None:
        out[0], out[1], out[2] = lean[0], lean[1], 1
        out[3] = silhouette(lean, sizes)
    return out


def silhouette(lean: Floats, sizes: PatchSizes) -> Floats:
    """Draw the outline (side, side) of an upright flat die whose top face is in the centre.

    Args:
        lean: Displacement (2,) of the top from the foot, right and down, in die edges.
        sizes: Side of the patch and edge of the die in it, in pixels.
    """
    patch_px, die_px = sizes
    top = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * die_px / 2
    foot = top - np.asarray(lean) * die_px
    out = np.zeros((patch_px, patch_px), np.float32)
    hull = cv2.convexHull(np.concatenate([top, foot]).astype(np.float32))[:, 0]
    for outline, level in ((hull, SIDE_LEVEL), (top, TOP_LEVEL)):
        corners = np.round((outline + (patch_px - 1) / 2) * 2**FRACTION_BITS).astype(np.int32)
        cv2.fillConvexPoly(out, corners, level, cv2.LINE_AA, FRACTION_BITS)
    return out


def cut_patch(
    picture: Image, at: tuple[float, float], edge: float, turn: float, sizes: PatchSizes
) -> Floats:
    """Cut an upright patch (3, side, side) with values from 0 to 1 out of a frame.

    Args:
        picture: (height, width, 3) BGR. Its border pixels are repeated beyond the border.
        at: Centre of the patch in frame pixels.
        edge: Edge of the die in frame pixels.
        turn: Rotation of the die's edges in radians.
        sizes: Side of the patch and edge of the die in it, in pixels.
    """
    patch_px, die_px = sizes
    crop, corner = _crop_around(picture, at, edge * patch_px / die_px * PATCH_REACH)
    scale, centre = die_px / edge, np.array(at) - corner
    while scale < MIN_WARP_SCALE and min(crop.shape[:2]) > 1:
        crop = halved(crop)
        scale, centre = 2 * scale, centre / 2
    linear = scale * picture_to_die(turn)
    matrix = np.column_stack([linear, (patch_px - 1) / 2 - linear @ centre])
    patch = cv2.warpAffine(crop, matrix, (patch_px, patch_px), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(patch.transpose(2, 0, 1) / np.float32(255), np.float32)


def picture_to_die(turn: float) -> Floats:
    """Return the matrix (2, 2) that converts frame axes to the axes of a die turned by `turn` radians."""
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, s], [-s, c]], np.float32)


def turn_patches(patches: Floats, view: View) -> Floats:
    """Rotate and mirror patches.

    Args:
        patches: Patches (n, channels, side, side).
        view: Quarter turns and mirroring to apply.
    """
    turn, is_mirrored = view
    turned = np.rot90(patches, turn, (2, 3))
    return np.ascontiguousarray(turned[..., ::-1] if is_mirrored else turned)


def patch_to_view(view: View) -> Floats:
    """Return the matrix (2, 2) that converts the axes of a patch to those of the rotated or mirrored patch."""
    turn, is_mirrored = view
    mirror = np.diag([-1 if is_mirrored else 1, 1]).astype(np.float32)
    return mirror @ picture_to_die(turn * np.pi / 2)


def _crop_around(
    picture: Image, at: tuple[float, float], reach: float
) -> tuple[Image, tuple[int, int]]:
    """Return a crop with all pixels within `reach` of a point (at least one pixel), and its first column and row."""
    height, width = picture.shape[:2]
    x, y = at
    left, top = (int(np.clip(v - reach, 0, most - 1)) for v, most in ((x, width), (y, height)))
    right, bottom = min(width, int(x + reach) + 2), min(height, int(y + reach) + 2)
    return picture[top : max(bottom, top + 1), left : max(right, left + 1)], (left, top)
