"""A hand that reaches over the tray, modelled as a few capsules."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from device.cameras.base import Image
from device.cameras.simulated.die_sprite import DieSprite
from device.cameras.simulated.lens import Lens, TrayPoints

HAND_MM = 60.0  # height of the hand above the floor
SPRITE_PX_PER_MM = 4
REACH_S = 0.35  # time to move in or out
SKIN = np.array([132.0, 166.0, 214.0])  # blue, green, red

# Each bone: (x, y) of both ends and the width at each, in mm. The origin is the centre of the palm, and the
# fingers point up.
_Point = tuple[float, float]
_BONES: tuple[tuple[_Point, _Point, float, float], ...] = (
    ((2.0, -330.0), (0.0, -62.0), 66.0, 44.0),  # forearm, from outside the frame
    ((0.0, -62.0), (0.0, -30.0), 44.0, 58.0),  # wrist
    ((-16.0, -22.0), (-20.0, 22.0), 36.0, 30.0),  # palm
    ((0.0, -24.0), (0.0, 24.0), 44.0, 34.0),
    ((16.0, -20.0), (19.0, 22.0), 38.0, 30.0),
    ((-27.0, 22.0), (-40.0, 60.0), 16.0, 12.0),  # from the little finger to the forefinger
    ((-11.0, 28.0), (-18.0, 80.0), 18.0, 13.0),
    ((6.0, 30.0), (6.0, 87.0), 18.0, 13.5),
    ((22.0, 27.0), (29.0, 77.0), 18.0, 13.0),
    ((22.0, -22.0), (47.0, 10.0), 26.0, 18.0),  # thumb
    ((47.0, 10.0), (55.0, 34.0), 18.0, 14.0),
)
_LEFT_MM, _TOP_MM, _WIDTH_MM, _HEIGHT_MM = -80.0, 105.0, 160.0, 435.0


@dataclass(frozen=True, slots=True)
class Hand:
    """The position of a hand over the tray.

    Attributes:
        x_mm: x of the centre of the palm in tray coordinates.
        y_mm: y of the centre of the palm in tray coordinates.
        turn_deg: Rotation of the arm in degrees; 0 for an arm that comes straight from the near side.
    """

    x_mm: float
    y_mm: float
    turn_deg: float = 14.0


IN_TRAY = Hand(16.0, -34.0)
OUTSIDE = Hand(50.0, -265.0)


@dataclass(frozen=True, slots=True)
class HandMotion:
    """A hand that moves in and out of the frame.

    Attributes:
        share: How far the hand had come in at `since_s`: 0 is outside the frame, 1 is in the tray.
        since_s: When the hand starts to move in, in seconds.
        out_s: When the hand starts to move out, in seconds.
    """

    share: float = 0.0
    since_s: float = 0.0
    out_s: float = float("-inf")

    @property
    def entry_s(self) -> float:
        """How long the hand takes from `since_s` until it is in the tray, in seconds."""
        return (1 - self.share) * REACH_S

    def redirected(self, now_s: float, *, inwards: bool) -> "HandMotion":
        """Return the motion after a change of direction.

        Args:
            now_s: When the direction changes, in seconds.
            inwards: True if the hand then moves in, False if it moves out.
        """
        return HandMotion(self.at(now_s), now_s, float("inf") if inwards else now_s)

    def visit(self, now_s: float, stay_s: float) -> "HandMotion":
        """Return a motion in which the hand moves in, stays, and moves out again.

        Args:
            now_s: When the hand starts to move in, in seconds.
            stay_s: How long the hand stays, in seconds.
        """
        going = self.redirected(now_s, inwards=True)
        return HandMotion(going.share, now_s, now_s + going.entry_s + stay_s)

    def at(self, now_s: float) -> float:
        """Return how far the hand has come in at a time in seconds: 0 is outside the frame, 1 is in the tray."""
        until_s = min(now_s, self.out_s)
        inside = min(1.0, self.share + max(0.0, until_s - self.since_s) / REACH_S)
        return max(0.0, inside - max(0.0, now_s - max(self.out_s, self.since_s)) / REACH_S)

    def hand(self, now_s: float) -> Hand | None:
        """Return the position of the hand at a time in seconds; None if it is outside the frame."""
        share = self.at(now_s)
        if share <= 0:
            return None
        left = (1 - share) ** 2
        return Hand(
            IN_TRAY.x_mm + left * (OUTSIDE.x_mm - IN_TRAY.x_mm),
            IN_TRAY.y_mm + left * (OUTSIDE.y_mm - IN_TRAY.y_mm),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Sprite:
    colour: Image
    cover: Image


@lru_cache(maxsize=1)
def _sprite() -> _Sprite:
    outlines = [_bone(*bone) for bone in _BONES]
    cover = cv2.GaussianBlur(np.maximum.reduce(outlines), (0, 0), 4)
    # The edge is sharpened again, with rounded webs between the fingers.
    cover = np.clip(cover * 4.0 - 382, 0, 255).astype(np.uint8)
    height = np.maximum.reduce([_roundness(outline) for outline in outlines])
    for _ in range(3):
        height = cv2.blur(height, (17, 17))
    slope_x, slope_y = cv2.Sobel(height, cv2.CV_32F, 1, 0), cv2.Sobel(height, cv2.CV_32F, 0, 1)
    lit = np.clip(0.95 + 0.045 * (slope_x + slope_y), 0.3, 1.12)[..., None]
    warm = 1 + (1 - lit) * np.array([-0.35, -0.15, 0.12])
    cover3 = cv2.merge([cover] * 3)
    colour = np.clip(SKIN * lit * warm, 0, 255) * (cover3 / 255.0)
    return _Sprite(np.asarray(colour, np.uint8), np.asarray(cover3, np.uint8))


def _bone(start: _Point, end: _Point, start_mm: float, end_mm: float) -> Image:
    """Return the mask of a tapering limb: the hull of two circles, one at each end.

    Args:
        start: Centre of the first circle in millimetres.
        end: Centre of the second circle in millimetres.
        start_mm: Diameter of the first circle.
        end_mm: Diameter of the second circle.
    """
    size = (round(_HEIGHT_MM * SPRITE_PX_PER_MM), round(_WIDTH_MM * SPRITE_PX_PER_MM))
    mask: Image = np.zeros(size, np.uint8)
    around = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    circle = np.stack([np.cos(around), np.sin(around)], axis=1) * SPRITE_PX_PER_MM / 2
    ends = np.vstack([_texel(*start) + circle * start_mm, _texel(*end) + circle * end_mm])
    cv2.fillConvexPoly(mask, cv2.convexHull(np.rint(ends).astype(np.int32)), 255, cv2.LINE_AA)
    return mask


def _texel(x_mm: float, y_mm: float) -> tuple[int, int]:
    return (
        round((x_mm - _LEFT_MM) * SPRITE_PX_PER_MM),
        round((_TOP_MM - y_mm) * SPRITE_PX_PER_MM),
    )


def _roundness(mask: Image) -> npt.NDArray[np.float32]:
    """Return, for each pixel of a limb's mask, the height of its rounded surface above the edge, in pixels."""
    inside = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    radius = max(1.0, float(inside.max()))
    return np.asarray(np.sqrt(np.clip(2 * radius * inside - inside**2, 0, None)), np.float32)


def paint_hand(picture: Image, hand: Hand, lens: Lens) -> None:
    """Paint a hand and its shadow over a frame, in place.

    Args:
        picture: The frame, (height, width, 3) BGR.
        hand: The position of the hand.
        lens: The lens through which the frame is seen.
    """
    warp = _warp(hand, lens, HAND_MM)
    size = (lens.width_px, lens.height_px)
    fallen = _warp(Hand(hand.x_mm + 26, hand.y_mm - 22, hand.turn_deg), lens, 0.0)
    shadow = cv2.warpAffine(_sprite().cover, fallen, size)
    shadow = cv2.blur(shadow, (lens.width_px // 40,) * 2)
    picture[:] = cv2.multiply(picture, 255 - cv2.convertScaleAbs(shadow, alpha=0.42), scale=1 / 255)
    DieSprite(
        0,
        0,
        np.asarray(cv2.warpAffine(_sprite().colour, warp, size, flags=cv2.INTER_AREA), np.uint8),
        np.asarray(cv2.warpAffine(_sprite().cover, warp, size, flags=cv2.INTER_AREA), np.uint8),
    ).compose_over(picture)


def _warp(hand: Hand, lens: Lens, height_mm: float) -> npt.NDArray[np.float64]:
    """Return the affine map, (2, 3), from pixels of the hand's image to pixels of the frame.

    Args:
        hand: The position of the hand.
        lens: The lens through which the frame is seen.
        height_mm: Height of the hand above the floor of the tray.
    """
    palm = np.array([hand.x_mm, hand.y_mm, height_mm])
    scale = lens.px_per_mm(palm) / SPRITE_PX_PER_MM
    x, y = lens.project(TrayPoints(palm[None]))[0]
    turn = cv2.getRotationMatrix2D(tuple(map(float, _texel(0, 0))), hand.turn_deg, scale)
    turn[:, 2] += (x, y) - np.array(_texel(0, 0))
    return np.asarray(turn, np.float64)
