"""Makes samples for the networks that read one die: patches that are cut out in the same way as in `vision`."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.camera_shots import photograph
from training.learning.samples.die_sizes import PART_GRID, PATCH_SIZES
from training.learning.samples.false_detections import find_false_detections, is_on_die
from training.learning.samples.tray_views import TrayView, mean_edges
from training.scenes.truth import COCKED_DEG, MIN_SEEN
from training.scenes.world import Part
from vision.crops import PATCH_REACH, cut_patch, lean_planes, picture_to_die

Floats = NDArray[np.float32]
DIE_RANGE_PX = (13.0, 120.0)
"""Smallest and largest edge of a die in the simulated camera image."""
MAX_ENLARGEMENT = 1.4
"""Largest factor by which light is enlarged."""
DICE_SHARE, COCKED_SHARE = 0.64, 0.4
"""Share of patches that show a die, and the share of these that show a cocked, stacked or hidden die if there is
one."""
MIN_CONTRAST = 5.0
"""Smallest contrast of pips in units of CIE L*a*b*. A face with a lower contrast is not used for training."""
ROUGH_SHARE = 0.4
"""Share of patches whose position and size are as inaccurate as the finder's. The others are as inaccurate as after one
correction."""
EXACT_POSE_SHARE, ANY_POSE_SHARE = 0.5, 0.7
"""Share of patches with an exact camera pose, and share of patches with an exact or inexact pose. The others have none.
"""
FALSE_DETECTION_SHARE = 0.5
"""Among the places without a die, the share at which the finder detects one."""
SIDE_SHARE, MIN_SIDE_HEIGHT = 0.35, 0.4
"""Share of places without a die that are side faces, if a side is visible, and the smallest height of such a side in die
edges."""
CUT_SHARE, CUT_RANGE_EDGES, MIN_CUT_EDGES = 0.08, (-0.4, 0.7), 0.03
"""Share of dice near the border of the image, range of how much of a die the border cuts off, and from how much on the
die counts as hidden, in die edges. Negative values leave a margin."""
BLURRED_SHARE, BLUR_EDGES, MAX_READABLE_BLUR = 0.06, (0.02, 0.14), 0.07
"""Share of patches that are out of focus, standard deviation of their blur, and the blur beyond which nobody can read a
face, in die edges."""
AMBIGUOUS = {"leaning": (8.0, 12.0), "hidden": (0.92, 0.98)}
"""Ranges of the tilt in degrees, and of the visible share of the top, that are too ambiguous to be used for training.
"""
MIN_COCKED_DEG = 4.0
BORDER_MARGIN = 0.6
"""Width in die edges of the margin along the border of a view in which dice are not used."""
MIN_SHOWN = 0.1
"""Smallest visible share of the top of a die that is used for training."""
NO_DIE = -2
"""Number of the die for a patch without a die. In `TrayView.die`, -1 means no die."""


@dataclass(frozen=True)
class PatchPlace:
    """A place that may be taken for a die: centre and edge in pixels, rotation (`turn`) in radians."""

    x: float
    y: float
    edge: float
    turn: float


@dataclass(frozen=True)
class DieSample:
    """A patch and its true labels, for training.

    Attributes:
        pixels: Patch (3, p, p) BGR.
        flat: Area (p, p) that a flat die would cover.
        parts: Share of each cell (3, 16, 16) that shows the die, its top, or another die, from 0 to 255.
        numbers: Labels and their weights, in the order of NUMBER_NAMES. A label whose weight is 0 is not used.
    """

    pixels: NDArray[np.uint8]
    flat: NDArray[np.uint8]
    parts: NDArray[np.uint8]
    numbers: Floats


@dataclass(frozen=True)
class CutPatch:
    """A patch cut out of a view.

    Attributes:
        pixels: Image (3, p, p) from 0 to 1.
        planes: Further input channels (4, p, p; see `vision.crops.lean_planes`).
        parts: Share of each cell (3, 16, 16) that shows the die, its top, or another die, from 0 to 255.
        into: Matrix (2, 2) from the axes of the view to those of the patch.
        is_upright: Whether the top of the view is within 45 degrees of the top of the patch.
        blur: Standard deviation of the blur of an image that is out of focus, in die edges.
    """

    pixels: Floats
    planes: Floats
    parts: NDArray[np.uint8]
    into: Floats
    is_upright: bool
    blur: float


NUMBER_NAMES = (
    "lean_x", "lean_y", "told", "value", "value_weight", "die", "die_weight", "leaning", "leaning_weight",
    "hidden", "hidden_weight", "stacked", "stacked_weight", "off_x", "off_y", "larger", "off_weight",
    "tilt", "tilt_weight", "stand_x", "stand_y", "stand_weight", "parts_weight",
    "steep", "steep_weight", "side", "side_weight", "upright",
)  # fmt: skip
"""Names of the numbers of a sample. The value 0 means no die, `tilt` and `steep` are in tens of degrees, and lengths are in
die edges. `steep` is the angle between straight down and the direction in which the camera sees the die. `side` says that the
place is a side of a die. In an `upright` patch, the top of the image is at the top."""
UPRIGHT_KINDS = ("deep",)
"""Networks whose patches are upright, with the top of the image within 45 degrees of the top of the patch. They are used
without a camera pose, and learn how the camera sees a die."""


def make_die_samples(view: TrayView, rng: Generator, count: int, kind: str) -> list[DieSample]:
    """Return samples of a view, each from a different camera.

    There may be fewer samples than `count`, because a random place for a sample without a die may show a die.

    Args:
        view: A tray as linear light, rendered or photographed, with the true labels.
        rng: Source of random numbers.
        count: Number of samples to try to make.
        kind: Name of the network: "near", "wide" or "deep".
    """
    size = np.array(view.part.shape[::-1])
    middles = view.dice.quads.mean(axis=1)
    margin = BORDER_MARGIN * mean_edges(view.dice.quads)[:, None]
    is_inside = ((middles > margin) & (middles < size - margin)).all(axis=1)
    shown = np.flatnonzero(is_inside & (view.dice.seen > MIN_SHOWN))
    out = []
    for _ in range(count):
        if len(shown) and rng.random() < DICE_SHARE:
            out.append(_of_die(view, rng, _choice(view, shown, rng), kind))
        elif (found := _no_die(view, rng)) is not None:
            place, is_side = found
            cut = _cut(view, place, rng, kind, NO_DIE)
            known = float(view.is_cast)
            truth = {"die_weight": 1, "value_weight": 1, "parts_weight": known}
            if is_side:
                truth |= {"side": 1, "side_weight": 1, "steep_weight": 1}
            out.append(_sample(cut, truth | {"steep": _steepness(view, place)}))
    return out


def _steepness(view: TrayView, place: PatchPlace) -> float:
    """Return the angle between straight down and the direction in which the camera sees a place, in tens of degrees."""
    if not view.is_cast:
        return 0.0
    middle = np.array(view.part.shape[::-1]) / 2
    ray = np.array([*(np.array([place.x, place.y]) - middle) / view.focal_px, 1.0])
    cosine = -float(view.up @ ray) / float(np.linalg.norm(ray))
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))) / 10


def _choice(view: TrayView, shown: NDArray[np.int64], rng: Generator) -> int:
    """Return the number of one of the dice in `shown`, with a preference for cocked, stacked or hidden ones."""
    dice = view.dice
    ill = (dice.tilt_deg > MIN_COCKED_DEG) | dice.stacked | (dice.seen < AMBIGUOUS["hidden"][1])
    some = shown[ill[shown] & (dice.seen[shown] > 0.5)]
    return int(rng.choice(some if len(some) and rng.random() < COCKED_SHARE else shown))


def _of_die(view: TrayView, rng: Generator, k: int, kind: str) -> DieSample:
    quad = view.dice.quads[k]
    true_edge, middle = float(mean_edges(quad[None])[0]), quad.mean(axis=0)
    rough = rng.random() < ROUGH_SHARE
    shift = np.clip(rng.normal(0, 0.12 if rough else 0.04, 2), -0.3, 0.3) * true_edge
    larger = float(np.clip(rng.normal(0, 0.2 if rough else 0.06), -0.5, 0.5))
    along = quad[1] - quad[0]
    turn = np.arctan2(along[1], along[0]) + rng.normal(0, np.radians(12 if rough else 4))
    x, y = middle + shift
    place = PatchPlace(
        float(x), float(y), true_edge * float(np.exp(larger)), float(turn + np.pi / 2 * rng.integers(4))
    )  # fmt: skip
    missing = float(rng.uniform(*CUT_RANGE_EDGES)) if rng.random() < CUT_SHARE else None
    cut = _cut(view, place, rng, kind, k, missing=missing)
    off = cut.into @ -shift / place.edge
    stand = cut.into @ (middle - view.dice.foot[k]) / true_edge - cut.planes[:2, 0, 0]
    truth = _truth(view, k) | _geometry(off, larger, stand) | {"steep": _steepness(view, place)}
    if missing is not None and missing > MIN_CUT_EDGES:
        truth |= {"hidden": 1, "hidden_weight": 1, "value_weight": 0, "parts_weight": 0}
    if cut.blur > MAX_READABLE_BLUR:
        truth |= {"value_weight": 0}
    return _sample(cut, truth)


def _truth(view: TrayView, k: int) -> dict[str, float]:
    dice, size = view.dice, view.part.shape[::-1]
    tilt, seen = float(dice.tilt_deg[k]), float(dice.seen[k])
    whole = bool((dice.quads[k] >= 0).all() and (dice.quads[k] < size).all())
    half_seen, legible = seen > 0.5, dice.contrast[k] > MIN_CONTRAST
    known = not np.isnan(tilt)
    low, high = AMBIGUOUS["leaning"]
    least, most = AMBIGUOUS["hidden"]
    return {
        "value": float(dice.value[k]), "value_weight": not tilt >= 25 and seen > 0.9 and legible,
        "die": 1, "die_weight": half_seen,
        "leaning": tilt > COCKED_DEG, "leaning_weight": half_seen and known and not low < tilt < high,
        "hidden": seen < MIN_SEEN or not whole, "hidden_weight": known and not least < seen < most,
        "stacked": bool(dice.stacked[k]), "stacked_weight": half_seen and known,
        "off_weight": half_seen, "tilt": np.nan_to_num(tilt) / 10, "tilt_weight": half_seen and known,
        "stand_weight": half_seen and not np.isnan(dice.foot[k]).any(),
        "parts_weight": view.is_cast,
        "steep_weight": view.is_cast and half_seen and tilt < COCKED_DEG, "side_weight": half_seen,
    }  # fmt: skip


def _geometry(off: Floats, larger: float, stand: Floats) -> dict[str, float]:
    x, y = np.nan_to_num(stand)
    return {"off_x": off[0], "off_y": off[1], "larger": -larger, "stand_x": x, "stand_y": y}


def _sample(cut: CutPatch, truth: dict[str, float]) -> DieSample:
    told = dict(zip(NUMBER_NAMES[:3], cut.planes[:3, 0, 0], strict=True)) | {
        "upright": cut.is_upright
    }
    row = np.array([(told | truth).get(name, 0) for name in NUMBER_NAMES], np.float32)
    return DieSample(_bytes(cut.pixels), _bytes(cut.planes[3]), cut.parts, row)


def _bytes(shares: Floats) -> NDArray[np.uint8]:
    return (shares * 255 + 0.5).astype(np.uint8)


def _cut(
    view: TrayView,
    place: PatchPlace,
    rng: Generator,
    kind: str,
    k: int,
    *,
    missing: float | None = None,
) -> CutPatch:
    """Return the patch at a place as a random camera sees it.

    `k` is the number of the die at this place, or NO_DIE. `missing` is how much of that die the border of the image cuts off,
    in die edges, or None.
    """
    patch_px, die_px = sizes = PATCH_SIZES[kind]
    is_upright = kind in UPRIGHT_KINDS
    reach = patch_px / die_px * PATCH_REACH * place.edge + 4
    (left, top, right, bottom) = _around(view, place, reach)
    if missing is not None:
        left, top, right, bottom = _cut_off(
            view.dice.quads[k], missing, (left, top, right, bottom), rng
        )
    scale = min(MAX_ENLARGEMENT, float(np.exp(rng.uniform(*np.log(DIE_RANGE_PX)))) / place.edge)
    turn = upright_turn(place.turn) if is_upright else place.turn
    x, y = (place.x - left) * scale, (place.y - top) * scale
    flip = np.eye(2)
    if mirrored := rng.random() < 0.5:
        flip[0, 0], turn = -1, -turn
    into = picture_to_die(turn) @ flip

    def resized(light: Floats) -> Floats:
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        out = cv2.resize(light, None, fx=scale, fy=scale, interpolation=how).clip(0)
        return np.ascontiguousarray(out[:, ::-1]) if mirrored else np.asarray(out, np.float32)

    near = resized(view.light[top:bottom, left:right])
    blur = float(rng.uniform(*BLUR_EDGES)) if rng.random() < BLURRED_SHARE else 0.0
    if blur:
        near = np.asarray(cv2.GaussianBlur(near, (0, 0), blur * place.edge * scale), np.float32)
    at = (near.shape[1] - 1 - x if mirrored else x), y
    pixels = cut_patch(photograph(near, rng), at, place.edge * scale, turn, sizes)
    shown = resized(_parts(view, (left, top, right, bottom), k))
    parts = cut_patch(
        (shown * 255).clip(0, 255).astype(np.uint8), at, place.edge * scale, turn, sizes
    )
    small = cv2.resize(
        parts.transpose(1, 2, 0), (PART_GRID, PART_GRID), interpolation=cv2.INTER_AREA
    )
    planes = lean_planes(None if is_upright else _lean(view, place, into, rng), sizes)
    return CutPatch(pixels, planes, _bytes(small.transpose(2, 0, 1)), into, is_upright, blur)


def upright_turn(turn: float) -> float:
    """Return the rotation of the edges of a die, in radians, as an angle from -45 to 45 degrees."""
    return (turn + np.pi / 4) % (np.pi / 2) - np.pi / 4


def _cut_off(
    quad: Floats, missing: float, box: tuple[int, int, int, int], rng: Generator
) -> tuple[int, int, int, int]:
    """Return a smaller box, whose border cuts off `missing` edges of a top face on a random side."""
    edge = float(mean_edges(quad[None])[0])
    (west, north), (east, south) = quad.min(axis=0), quad.max(axis=0)
    left, top, right, bottom = box
    step = missing * edge
    match int(rng.integers(4)):
        case 0:
            left = max(left, round(float(west + step)))
        case 1:
            top = max(top, round(float(north + step)))
        case 2:
            right = min(right, round(float(east - step)))
        case _:
            bottom = min(bottom, round(float(south - step)))
    return (left, top, right, bottom) if right - left > 3 and bottom - top > 3 else box


def _parts(view: TrayView, box: tuple[int, int, int, int], k: int) -> Floats:
    """Return, for each pixel of a box, whether it shows die `k`, its top, or another die, as 0 or 1 (h, w, 3)."""
    left, top, right, bottom = box
    dice = view.die[top:bottom, left:right]
    this = dice == k
    roof = np.zeros(dice.shape, np.uint8)
    if k != NO_DIE:
        corners = np.rint(view.dice.quads[k] - (left, top)).astype(np.int32)
        cv2.fillConvexPoly(roof, corners, 1)
    return np.stack([this, this & (roof > 0), (dice >= 0) & ~this], axis=2).astype(np.float32)


def _around(view: TrayView, place: PatchPlace, reach: float) -> tuple[int, int, int, int]:
    """Return the left, top, right and bottom of the pixels within `reach` of a place."""
    high, wide = view.part.shape
    left, top = max(0, int(place.x - reach)), max(0, int(place.y - reach))
    right, bottom = min(wide, int(place.x + reach) + 1), min(high, int(place.y + reach) + 1)
    return left, top, right, bottom


def _lean(view: TrayView, place: PatchPlace, into: Floats, rng: Generator) -> Floats | None:
    """Return the displacement (2,) of a flat die's top from its foot in the patch's axes, or None if unknown.

    Errors of the camera pose are simulated.
    """
    chance = rng.random()
    if chance > ANY_POSE_SHARE or not view.is_cast:
        return None
    spread, slip = (0.06, 0.01) if chance < EXACT_POSE_SHARE else (0.2, 0.03)
    lean = view.lean((place.x, place.y)) * np.exp(rng.normal(0, spread)) + rng.normal(0, slip, 2)
    return np.asarray(into @ lean, np.float32)


def _no_die(view: TrayView, rng: Generator) -> tuple[PatchPlace, bool] | None:
    """Draw a place that is not a die: ground, an object, a hand or part of a die. Return None if it is a die.

    The second result is whether the place is a side of a die.
    """
    side = _side_face(view, rng)
    if side is not None and rng.random() < SIDE_SHARE:
        return side, True
    if rng.random() < FALSE_DETECTION_SHARE and len(found := find_false_detections(view)):
        x, y, edge, turn = (float(v) for v in found[int(rng.integers(len(found)))])
        return PatchPlace(x, y, edge * float(np.exp(rng.normal(0, 0.08))), turn), False
    size = np.array(view.part.shape[::-1])
    sizes = mean_edges(view.dice.quads)
    edge = float(np.median(sizes)) if len(sizes) else float(rng.uniform(12, 80))
    edge *= float(np.exp(rng.normal(0, 0.4)))
    edge = min(edge, float(size.max()))  # a die may be very close to the lens
    x, y = (float(v) for v in np.clip(_somewhere(view, rng, sizes), 2, size - 3))
    if is_on_die(view, (x, y), edge):
        return None
    return PatchPlace(x, y, edge, float(rng.uniform(0, 2 * np.pi))), False


def _side_face(view: TrayView, rng: Generator) -> PatchPlace | None:
    """Return the place of a visible side of a die, which has pips but is not a die itself, or None."""
    quads, feet = view.dice.quads, view.dice.foot
    drop = feet - quads.mean(axis=1)
    sizes = mean_edges(quads)
    tall = np.flatnonzero(np.linalg.norm(drop, axis=1) > MIN_SIDE_HEIGHT * sizes)
    if not len(tall):
        return None
    k = int(rng.choice(tall))
    quad, middle = quads[k], quads[k].mean(axis=0)
    borders = (quad + np.roll(quad, -1, axis=0)) / 2
    outward = (borders - middle) @ drop[k]
    j = int(rng.choice(4, p=np.clip(outward, 0, None) / np.clip(outward, 0, None).sum()))
    x, y = borders[j] + drop[k] / 2
    along = quad[(j + 1) % 4] - quad[j]
    inside = 0 <= x < view.die.shape[1] and 0 <= y < view.die.shape[0]
    if not inside or view.die[int(y), int(x)] != k:
        return None
    edge = float(np.linalg.norm(along) + np.linalg.norm(drop[k])) / 2
    edge *= float(np.exp(rng.normal(0, 0.12)))
    turn = float(np.arctan2(along[1], along[0]) + rng.normal(0, 0.07))
    jitter = rng.normal(0, 0.06, 2) * edge
    return PatchPlace(float(x + jitter[0]), float(y + jitter[1]), edge, turn)


def _somewhere(view: TrayView, rng: Generator, sizes: Floats) -> Floats:
    """Return a point (2,) on an object, on a hand, next to a die, or anywhere."""
    chance, size = rng.random(), np.array(view.part.shape[::-1])
    if chance < 0.4:
        part = Part.HAND if chance < 0.08 else Part.FOREIGN_OBJECT
        rows, columns = np.nonzero(view.part[::4, ::4] == part)
        if len(rows):
            k = int(rng.integers(len(rows)))
            return np.array([columns[k], rows[k]]) * 4.0
    if chance < 0.8 and len(sizes):
        k, way = int(rng.integers(len(sizes))), rng.uniform(0, 2 * np.pi)
        step = np.array([np.cos(way), np.sin(way)]) * sizes[k] * rng.uniform(0, 1.3)
        return np.asarray(view.dice.quads[k].mean(axis=0) + step)
    return rng.uniform(0, 1, 2) * size
