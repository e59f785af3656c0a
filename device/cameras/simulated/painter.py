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
from device.cameras.simulated.shadows import Ground, paint_shadows
from device.cameras.simulated.throw import DieMotion
from device.cameras.simulated.tray_geometry import FLOOR, RIM_MM, TABLE_MM, TrayLook

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
        table = Ground(TABLE_MM, self._backdrop.table)
        floor = Ground(0.0, self._backdrop.floor)
        paint_shadows(picture, beside, self._edge_mm, table, self._lens)
        paint_shadows(picture, inside, self._edge_mm, floor, self._lens)

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
