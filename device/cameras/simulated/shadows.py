"""The shadows of dice on the felt and on the table."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from device.cameras.base import Image
from device.cameras.simulated.die_pose import DiePose
from device.cameras.simulated.lens import Lens, TrayPoints
from device.cameras.simulated.tray_geometry import TO_LIGHT

DEPTH = 0.62  # share of the grey level, after the gamma curve, that is lost without the lamp
CONTACT_MM = 1.2  # width of a shadow's soft edge at the foot of a die
PENUMBRA = 0.16  # additional width for each millimetre of height
ROUNDED = 0.95  # a die with rounded edges has the shadow of a smaller cube

_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A surface on which shadows fall.

    Attributes:
        height_mm: Height of the surface above the floor of the tray.
        catch: (height, width) uint8: how strongly a shadow shows at each pixel, from 0 (not at all)
            to 255 (fully).
    """

    height_mm: float
    catch: Image


def paint_shadows(
    picture: Image, dice: Sequence[DiePose], edge_mm: float, ground: Ground, lens: Lens
) -> None:
    """Darken the ground below and next to dice, in place.

    Args:
        picture: The frame, (height, width, 3) BGR.
        dice: Poses of the dice that lie on the ground or fly over it.
        edge_mm: Edge of a die.
        ground: The surface on which the shadows fall.
        lens: The lens through which the frame is seen.
    """
    # All shadows are collected in one mask: where two overlap, the lamp's light is lost only once.
    deep: Image = np.zeros(picture.shape[:2], np.uint8)
    for die in dice:
        _cast(deep, die, edge_mm, ground.height_mm, lens)
    left, top, width, height = cv2.boundingRect(deep)
    here = (slice(top, top + height), slice(left, left + width))
    if width and height:
        shade = cv2.multiply(deep[here], ground.catch[here], scale=DEPTH / 255)
        keep = cv2.bitwise_not(cv2.merge([shade, shade, shade]))
        picture[here] = cv2.multiply(picture[here], keep, scale=1 / 255)


def _cast(deep: Image, die: DiePose, edge_mm: float, ground_mm: float, lens: Lens) -> None:
    """Draw the shadow of one die into a mask.

    Args:
        deep: The mask, (height, width) uint8, which is changed in place: 255 in the core of a shadow.
        die: Position and rotation of the die.
        edge_mm: Edge of the die.
        ground_mm: Height of the ground above the floor of the tray.
        lens: The lens through which the frame is seen.
    """
    corners = _CORNERS * edge_mm * ROUNDED @ die.turn.T + die.centre_mm
    fallen = TrayPoints(corners - (corners[:, 2:] - ground_mm) / TO_LIGHT[2] * TO_LIGHT)
    outline = cv2.convexHull(lens.project(fallen).astype(np.float32))[:, 0]
    height_mm = max(0.0, float(die.centre_mm[2]) - ground_mm)
    edge_px = lens.px_per_mm(die.centre_mm) * (CONTACT_MM + PENUMBRA * height_mm)
    soft_px = 1 + 2 * int(edge_px / 2)
    corner = np.floor(outline.min(axis=0)) - 2 * soft_px
    width, height = (int(v) for v in np.ceil(outline.max(axis=0)) - corner + 2 * soft_px)
    mask: Image = np.zeros((height, width), np.uint8)
    sixteenths = np.rint((outline - corner) * 16).astype(np.int32)
    cv2.fillConvexPoly(mask, sixteenths, 255, cv2.LINE_AA, 4)
    for _ in range(2):
        mask = np.asarray(cv2.blur(mask, (soft_px, soft_px)), np.uint8)
    _deepen(deep, mask, int(corner[0]), int(corner[1]))


def _deepen(deep: Image, mask: Image, left: int, top: int) -> None:
    """Add the shadow of one die to the mask of all shadows, in place.

    Args:
        deep: The mask of all shadows, (height, width) uint8.
        mask: The mask of one shadow; parts of it outside `deep` are cut off.
        left: Column of the left edge of `mask` in `deep`.
        top: Row of the top edge of `mask` in `deep`.
    """
    x, y = max(0, left), max(0, top)
    target = deep[y : max(0, top + mask.shape[0]), x : max(0, left + mask.shape[1])]
    rows, columns = target.shape
    part = mask[y - top : y - top + rows, x - left : x - left + columns]
    np.maximum(target, part, out=target)
