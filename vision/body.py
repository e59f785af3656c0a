"""The second look: is there the square body of a die around these pips?

The surroundings of a face are turned upright into a small patch in units of the face. Going
outwards from the middle, the colour along lines parallel to a side stays that of the body and
then steps: at the edge of the die, at a gap, at its side face. Averaged along the line a step
outshouts texture and noise.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.frame import Floats, Frame
from vision.picture import Image

PATCH = 56  # pixels each way
MIDDLE = (PATCH - 1) / 2
STEP = 2  # pixels of the patch that a blurred edge takes
_BESIDE = np.arange(-4, 5)[:, None]  # lines beside a diagonal, averaged with it


@dataclass(frozen=True, slots=True)
class Sides:
    """What the four sides (right, left, up, down) show, lengths in halves of the patch.

    `steps` (4,) strength of the step at the common border in log units, `at` how far from the
    middle that border is, `calm` the strongest step inside the face,
    `seam` the strongest across its diagonals, `spread` how much the
    body's colour varies there.
    """

    steps: Floats
    at: float
    calm: float
    seam: float
    spread: float


def cut_patch(frame: Frame, centre: Floats, along: Floats, down: Floats) -> Image:
    """The parallelogram `centre` ± `along` ± `down` in frame pixels as a (PATCH, PATCH, 3) patch."""
    pixel = min(np.hypot(*along), np.hypot(*down)) / (PATCH / 2)
    level = next(lv for lv in reversed(frame.levels) if lv.step <= max(pixel, 1.0))
    axes = np.column_stack((along, down)) / (MIDDLE * level.step)
    origin = (centre + 0.5) / level.step - 0.5 - axes @ (MIDDLE, MIDDLE)
    matrix = np.column_stack((axes, origin))
    return cv2.warpAffine(  # type: ignore[return-value]
        level.colour,
        matrix,
        (PATCH, PATCH),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )


def pip_mask(places: Floats, radii: Floats) -> Floats:
    """1 where the patch is not a pip: `places` (n, 2) and `radii` (n,) in halves of the patch."""
    mask = np.ones((PATCH, PATCH), np.uint8)
    for (x, y), radius in zip(places, radii, strict=True):
        at = round(float(MIDDLE * (1 + x))), round(float(MIDDLE * (1 + y)))
        cv2.circle(mask, at, max(1, round(float(radius) * MIDDLE)), 0, -1)
    return mask.astype(np.float32)


def look_at_sides(patch: Image, mask: Floats, near: float, far: float) -> Sides:
    """Search the four borders between `near` and `far` halves of the patch from its middle."""
    sides = _profiles(patch, mask, near)
    low, high = round(near * MIDDLE), round(far * MIDDLE)
    steps = np.abs(np.diff(sides, axis=1)).max(2)
    steps = steps[:, :-1] + steps[:, 1:]  # a blurred edge takes two pixels
    at = _common_border(steps, low, high)
    return Sides(
        steps=_around(steps)[:, at],
        at=(at + 1.5) / MIDDLE,
        calm=_part(steps[:, : low - 2].ravel(), 0.9),
        seam=_seam(patch, mask, near),
        spread=_spread(patch, mask, near),
    )


def _seam(patch: Image, mask: Floats, near: float) -> float:
    """The strongest step along the diagonals, where the gap between two dice would be crossed."""
    half = round(0.9 * near * MIDDLE)
    along = np.arange(PATCH // 2 - half, PATCH // 2 + half)
    rows, cols = along + _BESIDE, along - _BESIDE
    strongest = 0.0
    for x in (cols, PATCH - 1 - cols):
        weight = mask[rows, x]
        known = weight.sum(0) >= len(_BESIDE) / 2
        line = (patch[rows, x] * weight[..., None]).sum(0)[known]
        line /= weight.sum(0)[known][:, None]
        if len(line) > STEP:
            strongest = max(strongest, float(np.abs(line[STEP:] - line[:-STEP]).max()))
    return strongest


def _part(values: Floats, share: float) -> float:
    """The value below which this share of the values lies (np.percentile takes ten times longer)."""
    at = int(share * (len(values) - 1))
    return float(np.partition(values, at)[at])


def _around(steps: Floats) -> Floats:
    """The strongest step one pixel either way: a die seen aslant is not quite a square."""
    wide = np.pad(steps, ((0, 0), (1, 1)))
    return np.maximum(steps, np.maximum(wide[:, :-2], wide[:, 2:]))


def _common_border(steps: Floats, low: int, high: int) -> int:
    """The distance at which at least three sides step, the fourth too if it can."""
    ranked = np.sort(_around(steps), axis=0)
    return int((ranked[1] + 0.5 * ranked[0] + 0.25 * ranked[2])[low:high].argmax()) + low


def _profiles(patch: Image, mask: Floats, near: float) -> Floats:
    """Mean colour (4, PATCH // 2, 3) on lines parallel to each side, from the middle outwards."""
    half = round(0.8 * near * MIDDLE)
    strip = slice(PATCH // 2 - half, PATCH // 2 + half)
    weighed = patch * mask[..., None]
    across = _bridged(weighed[strip].sum(0), mask[strip].sum(0), half)
    down = _bridged(weighed[:, strip].sum(1), mask[:, strip].sum(1), half)
    return np.stack([side for lines in (across, down) for side in lines])


def _bridged(total: Floats, known: Floats, half: int) -> tuple[Floats, Floats]:
    """Both ways from the middle; lines that are nearly all pip take the value of the one before."""
    mean = total / np.maximum(known, 1)[:, None]
    enough = known >= 0.15 * 2 * half
    ways = []
    for way in (slice(PATCH // 2, None), slice(PATCH // 2 - 1, None, -1)):
        index = np.where(enough[way], np.arange(PATCH // 2), 0)
        ways.append(mean[way][np.maximum.accumulate(index)])
    return ways[0], ways[1]


def _spread(patch: Image, mask: Floats, near: float) -> float:
    half = round(0.8 * near * MIDDLE)
    strip = slice(PATCH // 2 - half, PATCH // 2 + half)
    core = np.sort(patch[strip, strip][mask[strip, strip] > 0], axis=0).astype(float)
    if not len(core):
        return 255.0
    low, high = (int(share * (len(core) - 1)) for share in (0.15, 0.85))
    return float((core[high] - core[low]).max())


def blots(patch: Image, mask: Floats, places: Floats, *, light: bool) -> float:
    """How far the pip-likest of these places (n, 2) stands out from the body, in log units."""
    if not len(places):
        return 0.0
    grey = patch.sum(axis=2, dtype=np.float32) / 3
    half = round(MIDDLE / 2)
    core = (slice(PATCH // 2 - half, PATCH // 2 + half),) * 2
    body = _part(grey[core][mask[core] > 0], 0.5) if mask[core].any() else 0.0
    cols, rows = np.rint(MIDDLE * (1 + places)).astype(int).T
    near = np.arange(-1, 2)
    found = grey[rows[:, None, None] + near[:, None], cols[:, None, None] + near].mean(axis=(1, 2))
    return float((found - body).max() if light else (body - found).max())


TURNS = 18  # of a square by 5 degrees each: half of that is lost in the width of a step
ONE_REACH = 8.0  # radii of its single pip from the middle of a die to beyond its side
ONE_NEAR, ONE_FAR = 2.3, 7.2


@dataclass(frozen=True, slots=True)
class Square:
    """The best upright square around one point: half edge in frame pixels, turn in radians."""

    half_px: float
    turn: float


def square_around(frame: Frame, centre: Floats, radius: float) -> Square:
    """The square body around a single pip: nothing but its four sides tells its turn and size."""
    reach = ONE_REACH * radius
    turns = np.arange(TURNS) * (np.pi / 2 / TURNS)
    patches = np.stack([_turned(frame, centre, reach, turn) for turn in turns]).astype(np.float32)
    half = round(1.9 / ONE_REACH * MIDDLE)
    low, high, middle = PATCH // 2 - half, PATCH // 2 + half, PATCH // 2
    upright = patches[:, :, low:high].mean(2)
    level = patches[:, low:high].mean(1)
    lines = np.stack(
        (
            level[:, middle:],
            level[:, middle - 1 :: -1],
            upright[:, middle:],
            upright[:, middle - 1 :: -1],
        )
    )
    steps = np.abs(lines[:, :, STEP:] - lines[:, :, :-STEP]).max(-1)  # (side, turn, distance)
    return _best_square(steps, reach, turns)


def _best_square(steps: Floats, reach: float, turns: Floats) -> Square:
    pixel = reach / MIDDLE
    first, last = (round(k / ONE_REACH * MIDDLE) for k in (ONE_NEAR, ONE_FAR))
    pip = round(1.5 / ONE_REACH * MIDDLE)
    wide = np.maximum(steps, np.maximum(np.roll(steps, 1, 2), np.roll(steps, -1, 2)))
    weakest = np.sort(wide, axis=0)
    calm = np.maximum.accumulate(steps[:, :, pip:].max(0), axis=1)
    calm = np.pad(calm, ((0, 0), (pip + 3, 0)))[:, : steps.shape[2]]
    worth = weakest[0] + weakest[1] + 0.5 * weakest[2] - 1.5 * calm
    turn, at = np.unravel_index(worth[:, first:last].argmax(), (len(turns), last - first))
    return Square((float(at) + first + 1.5) * pixel, float(turns[turn]))


def _turned(frame: Frame, centre: Floats, reach: float, turn: float) -> Image:
    along = reach * np.array((np.cos(turn), np.sin(turn)))
    return cut_patch(frame, centre, along, np.array((-along[1], along[0])))
