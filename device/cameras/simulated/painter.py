"""The image of the table at one moment: background, shadows and dice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from device.cameras.base import Image, read_only
from device.cameras.simulated.background import Background, vignette
from device.cameras.simulated.die_pose import DiePose
from device.cameras.simulated.die_sprite import Detail, DieSprite, SpritePainter
from device.cameras.simulated.lens import Floats, Lens, TrayPoints
from device.cameras.simulated.throw import DieMotion
from device.cameras.simulated.tray_geometry import FLOOR, RIM_MM, TABLE_MM, TO_LIGHT, TrayLook

DEPTH = 0.62  # share of the grey level, after the gamma curve, that is lost without the lamp
CONTACT_MM = 1.2  # width of a shadow's soft edge at the foot of a die
PENUMBRA = 0.16  # additional width for each millimetre of height
ROUNDED = 0.95  # a die with rounded edges has the shadow of a smaller cube

_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def paint_shadows(
    picture: Image,
    dice: Sequence[DiePose],
    edge_mm: float,
    lens: Lens,
    *,
    ground_mm: float,
    catch: Image,
) -> None:
    """Darken the ground below and next to dice, in place.

    Args:
        picture: The frame, (height, width, 3) BGR.
        dice: Poses of the dice that lie on the ground or fly over it.
        edge_mm: Edge of a die.
        ground_mm: Height of the surface on which the shadows fall, in millimetres above the floor of the tray.
        catch: How much of a shadow each pixel of that surface shows, (height, width), 0 to 255.
        lens: The lens through which the frame is seen.
    """
    # All shadows are collected in one mask: where two overlap, the lamp's light is lost only once.
    deep: Image = np.zeros(picture.shape[:2], np.uint8)
    for die in dice:
        _cast(deep, die, edge_mm, ground_mm, lens)
    left, top, width, height = cv2.boundingRect(deep)
    here = (slice(top, top + height), slice(left, left + width))
    if width and height:
        shade = cv2.multiply(deep[here], catch[here], scale=DEPTH / 255)
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


LENS_BLUR_PX = 0.75  # standard deviation in a frame 1536 px wide
MIN_BLUR_PX = 0.3  # a smaller blur is invisible
MIN_SMEAR_PX = 1.0
BRIGHTNESS_STEP_PX = 8  # the vignette changes slowly


@dataclass(frozen=True, slots=True, eq=False)
class ExposedDie:
    """The poses of a die when the shutter of the camera opened and when it closed."""

    opened: DiePose
    closed: DiePose


class Painter:
    """Paints the table as it is seen through one lens.

    Args:
        look: Colours and size of the dice.
        lens: The lens through which the table is seen.
        backdrop: The table without dice, at the size of the lens's frame.
        detail: How finely to draw the dice.
    """

    def __init__(self, look: TrayLook, lens: Lens, backdrop: Background, detail: Detail) -> None:
        self._lens = lens
        self._backdrop = backdrop
        self._edge_mm = look.die_mm
        self._dice = SpritePainter(look, lens, detail)
        self._brightness = vignette(lens.scaled(lens.width_px // BRIGHTNESS_STEP_PX))
        self._blur_px = LENS_BLUR_PX * lens.width_px / 1536

    def paint(self, dice: Sequence[ExposedDie]) -> Image:
        """Return the table as the lens shows it, without the noise of the sensor.

        Args:
            dice: The dice in the frame.
        """
        picture = self._backdrop.picture.copy()
        self._lay_shadows(picture, [die.opened for die in dice])
        for die in sorted(dice, key=self._distance_mm, reverse=True):
            self._draw_die(die).compose_over(picture)
        return picture

    def _distance_mm(self, die: ExposedDie) -> float:
        return float(np.linalg.norm(die.opened.centre_mm - self._lens.eye_mm))

    def _lay_shadows(self, picture: Image, dice: Sequence[DiePose]) -> None:
        inside = [die for die in dice if abs(die.centre_mm[0]) < FLOOR.right_mm + RIM_MM]
        beside = [die for die in dice if abs(die.centre_mm[0]) >= FLOOR.right_mm + RIM_MM]
        back = self._backdrop
        paint_shadows(
            picture, beside, self._edge_mm, self._lens, ground_mm=TABLE_MM, catch=back.table
        )
        paint_shadows(picture, inside, self._edge_mm, self._lens, ground_mm=0.0, catch=back.floor)

    def _draw_die(self, die: ExposedDie) -> DieSprite:
        """Return the image of one die, darkened towards the edge of the frame and blurred by the lens and by motion."""
        ends = TrayPoints(np.array([die.opened.centre_mm, die.closed.centre_mm]))
        began, ended = self._lens.project(ends)
        smear = ended - began
        margin_px = 3 + int(np.abs(smear).max() / 2)
        sharp = self._dice.draw(die.opened, margin_px=margin_px)
        colour = cv2.convertScaleAbs(sharp.colour, alpha=self._brightness_at(began))
        return DieSprite(
            sharp.left_px,
            sharp.top_px,
            _blur(np.asarray(colour, np.uint8), smear, self._blur_px),
            _blur(sharp.cover, smear, self._blur_px),
        )

    def _brightness_at(self, point_px: Floats) -> float:
        last = np.array(self._brightness.shape[::-1]) - 1
        column, row = np.clip(point_px / BRIGHTNESS_STEP_PX, 0, last).astype(int)
        return float(self._brightness[row, column])


def _blur(image: Image, smear_px: Floats, blur_px: float) -> Image:
    """Blur the image of a die as the lens does and, if the die moves, as its motion during the exposure does.

    Args:
        image: The image, (height, width) or (height, width, 3).
        smear_px: The motion of the die during the exposure, as x and y in pixels.
        blur_px: Standard deviation of the blur of the lens.
    """
    if np.hypot(*smear_px) > MIN_SMEAR_PX:
        image = np.asarray(cv2.filter2D(image, -1, _streak(smear_px)), np.uint8)
    if blur_px > MIN_BLUR_PX:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), blur_px), np.uint8)
    return image


def _streak(smear_px: Floats) -> npt.NDArray[np.float32]:
    """Return a filter that averages along the path (x and y) of a moving die."""
    half = int(np.abs(smear_px).max() / 2) + 1
    kernel: npt.NDArray[np.float32] = np.zeros((2 * half + 1, 2 * half + 1), np.float32)
    ends = [np.rint((half + smear_px * share) * 16).astype(int).tolist() for share in (-0.5, 0.5)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(kernel / kernel.sum(), np.float32)


EXPOSURE_S = 0.008  # of a Pi camera in a lit room
NOISE_MARGIN_PX = 128  # each frame takes its noise from a different place in a larger image


class RestView:
    """The table as the camera's sensor sees it, with new noise in each frame.

    The table is painted again only if something has moved.

    Args:
        painter: Paints the table without noise.
        noise: Standard deviation of the noise in grey levels.
    """

    def __init__(self, painter: Painter, noise: float) -> None:
        self._painter = painter
        self._noise = noise
        self._rng = np.random.default_rng(0)
        self._resting: tuple[DieMotion, ...] | None = None
        self._picture: Image | None = None

    def render(self, dice: tuple[DieMotion, ...], now_s: float) -> Image:
        """Return the read-only image that the sensor delivers at a given time.

        Args:
            dice: The motion of each die in the frame.
            now_s: The time in seconds.
        """
        at_rest = all(motion.end_s <= now_s for motion in dice)
        if self._picture is None or not at_rest or self._resting != dice:
            self._picture = self._painter.paint(_exposed(dice, now_s))
            self._resting = dice if at_rest else None
        return read_only(self._noisy(self._picture))

    def _noisy(self, picture: Image) -> Image:
        height, width = picture.shape[:2]
        grain = _grain(width + NOISE_MARGIN_PX, height + NOISE_MARGIN_PX, self._noise)
        x, y = (int(v) for v in self._rng.integers(0, NOISE_MARGIN_PX, 2))
        part = grain[y : y + height, x : x + width]
        return np.asarray(cv2.add(picture, part, dtype=cv2.CV_8U), np.uint8)


def _exposed(dice: Iterable[DieMotion], now_s: float) -> list[ExposedDie]:
    """Return the poses of the dice that are in the frame while the shutter is open."""
    ends = [(motion.at(now_s), motion.at(now_s + EXPOSURE_S)) for motion in dice]
    return [ExposedDie(a, b) for a, b in ends if a is not None and b is not None]


@lru_cache(maxsize=4)
def _grain(width_px: int, height_px: int, level: float) -> npt.NDArray[np.int8]:
    rng = np.random.default_rng(1)
    grain: npt.NDArray[np.int8] = np.empty((height_px, width_px, 3), np.int8)
    for row in grain:
        row[:] = rng.standard_normal(row.shape, dtype=np.float32) * level
    return grain
