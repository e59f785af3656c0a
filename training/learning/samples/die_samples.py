"""What the networks of one die learn from: dice cut out as vision does it, and what is none."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.die_sizes import DIE_SIZES, PARTS_PX
from training.learning.samples.lures import is_die, lures
from training.learning.samples.retaking import photographed
from training.learning.samples.tray_views import TrayView, edges
from training.scenes.truth import COCKED_DEG, SEEN
from training.scenes.world import Part
from vision.crops import PATCH_REACH, cut_patch, lean_planes, picture_to_die

Floats = NDArray[np.float32]
SEEN_PX = (13.0, 120.0)
"""So large a camera sees the edge of a die."""
LARGEST = 1.4
"""No picture is enlarged more."""
DICE, UNEVEN = 0.64, 0.4
"""Of patches so many are of dice, and of those so many of such as do not lie well, where there are any."""
FAINT = 5.0
"""Units of Lab: of pips that stand out less, the face is not to be learnt."""
ROUGH = 0.4
"""So many are cut out as the finder errs, the others as after one correction."""
TOLD, ROUGHLY_TOLD = 0.5, 0.7
"""Up to here the camera's stand is well known, up to there about, from there on not."""
LURED = 0.5
"""Of places that are no die so many are such as the finder takes for one."""
SIDES, SIDE_SEEN = 0.25, 0.4
"""Share of places that are side faces, where a side is seen; and its least height, in edges, to be seen."""
UNSURE = {"leaning": (8.0, 12.0), "hidden": (0.92, 0.98)}
"""Between these degrees, and shares of the top seen, nothing is said of a die."""
UNEVEN_DEG = 4.0
INSIDE = 0.6
"""Edges from the border of a view: what is beyond nobody knows."""
NO_DIE = -2
"""Instead of the number of a die; -1 is what is none in `TrayView.die`."""


@dataclass(frozen=True)
class CutPlace:
    """Where something may be taken for a die, in pixels of a picture; `turn` of its edges in radians."""

    x: float
    y: float
    edge: float
    turn: float


@dataclass(frozen=True)
class DieSample:
    """A patch and what is true of it; a weight of 0 leaves a truth out. For `numbers` see NUMBERS."""

    pixels: NDArray[np.uint8]  # (3, p, p)
    flat: NDArray[np.uint8]  # (p, p) what a flat die would cover
    parts: NDArray[np.uint8]  # (3, 16, 16) how much of each spot is the die, its top, another die
    numbers: Floats


@dataclass(frozen=True)
class Cut:
    """A patch: what is seen of it, (3, p, p) `pixels`, (4, p, p) `planes`, `parts`; `into` its axes from the view's."""

    pixels: Floats
    planes: Floats
    parts: NDArray[np.uint8]
    into: Floats


NUMBERS = (
    "lean_x", "lean_y", "told", "value", "value_weight", "die", "die_weight", "leaning", "leaning_weight",
    "hidden", "hidden_weight", "stacked", "stacked_weight", "off_x", "off_y", "larger", "off_weight",
    "tilt", "tilt_weight", "stand_x", "stand_y", "stand_weight", "parts_weight",
)  # fmt: skip
"""Of a sample. The value 0 is no die; `tilt` is in tens of degrees, lengths in edges."""


def die_samples(view: TrayView, rng: Generator, count: int, kind: str) -> list[DieSample]:
    """Some of a view, each as another camera takes it; fewer where places are dice after all."""
    size = np.array(view.part.shape[::-1])
    middles = view.dice.quads.mean(axis=1)
    margin = INSIDE * edges(view.dice.quads)[:, None]
    shown = np.flatnonzero(((middles > margin) & (middles < size - margin)).all(axis=1))
    out = []
    for _ in range(count):
        if len(shown) and rng.random() < DICE:
            out.append(_of_die(view, rng, _choice(view, shown, rng), kind))
        elif (place := _no_die(view, rng)) is not None:
            cut = _cut(view, place, rng, kind, NO_DIE)
            known = float(view.is_cast)
            out.append(_sample(cut, {"die_weight": 1, "value_weight": 1, "parts_weight": known}))
    return out


def _choice(view: TrayView, shown: NDArray[np.int64], rng: Generator) -> int:
    """One of the dice that are shown, more often one that lies ill."""
    dice = view.dice
    ill = (dice.tilt_deg > UNEVEN_DEG) | dice.stacked | (dice.seen < UNSURE["hidden"][1])
    some = shown[ill[shown] & (dice.seen[shown] > 0.5)]
    return int(rng.choice(some if len(some) and rng.random() < UNEVEN else shown))


def _of_die(view: TrayView, rng: Generator, k: int, kind: str) -> DieSample:
    quad = view.dice.quads[k]
    true_edge, middle = float(edges(quad[None])[0]), quad.mean(axis=0)
    rough = rng.random() < ROUGH
    shift = np.clip(rng.normal(0, 0.12 if rough else 0.04, 2), -0.3, 0.3) * true_edge
    larger = float(np.clip(rng.normal(0, 0.2 if rough else 0.06), -0.5, 0.5))
    along = quad[1] - quad[0]
    turn = np.arctan2(along[1], along[0]) + rng.normal(0, np.radians(12 if rough else 4))
    x, y = middle + shift
    place = CutPlace(
        float(x), float(y), true_edge * float(np.exp(larger)), float(turn + np.pi / 2 * rng.integers(4))
    )  # fmt: skip
    cut = _cut(view, place, rng, kind, k)
    off = cut.into @ -shift / place.edge
    stand = cut.into @ (middle - view.dice.foot[k]) / true_edge - cut.planes[:2, 0, 0]
    return _sample(cut, _truth(view, k) | _geometry(off, larger, stand))


def _truth(view: TrayView, k: int) -> dict[str, float]:
    dice, size = view.dice, view.part.shape[::-1]
    tilt, seen = float(dice.tilt_deg[k]), float(dice.seen[k])
    whole = bool((dice.quads[k] >= 0).all() and (dice.quads[k] < size).all())
    half_seen, legible = seen > 0.5, dice.contrast[k] > FAINT
    known = not np.isnan(tilt)
    low, high = UNSURE["leaning"]
    least, most = UNSURE["hidden"]
    return {
        "value": float(dice.value[k]), "value_weight": not tilt >= 25 and seen > 0.9 and legible,
        "die": 1, "die_weight": half_seen,
        "leaning": tilt > COCKED_DEG, "leaning_weight": half_seen and known and not low < tilt < high,
        "hidden": seen < SEEN or not whole, "hidden_weight": known and not least < seen < most,
        "stacked": bool(dice.stacked[k]), "stacked_weight": half_seen and known,
        "off_weight": half_seen, "tilt": np.nan_to_num(tilt) / 10, "tilt_weight": half_seen and known,
        "stand_weight": half_seen and not np.isnan(dice.foot[k]).any(),
        "parts_weight": view.is_cast,
    }  # fmt: skip


def _geometry(off: Floats, larger: float, stand: Floats) -> dict[str, float]:
    x, y = np.nan_to_num(stand)
    return {"off_x": off[0], "off_y": off[1], "larger": -larger, "stand_x": x, "stand_y": y}


def _sample(cut: Cut, truth: dict[str, float]) -> DieSample:
    told = dict(zip(NUMBERS[:3], cut.planes[:3, 0, 0], strict=True))
    row = np.array([(told | truth).get(name, 0) for name in NUMBERS], np.float32)
    return DieSample(_bytes(cut.pixels), _bytes(cut.planes[3]), cut.parts, row)


def _bytes(shares: Floats) -> NDArray[np.uint8]:
    return (shares * 255 + 0.5).astype(np.uint8)


def _cut(view: TrayView, place: CutPlace, rng: Generator, kind: str, k: int) -> Cut:
    """A place photographed, in which die `k` lies, or NO_DIE."""
    patch_px, die_px = sizes = DIE_SIZES[kind]
    reach = patch_px / die_px * PATCH_REACH * place.edge + 4
    (left, top, right, bottom) = _around(view, place, reach)
    scale = min(LARGEST, float(np.exp(rng.uniform(*np.log(SEEN_PX)))) / place.edge)
    x, y, turn = (place.x - left) * scale, (place.y - top) * scale, place.turn
    flip = np.eye(2)
    if mirrored := rng.random() < 0.5:
        flip[0, 0], turn = -1, -turn
    into = picture_to_die(turn) @ flip

    def resized(light: Floats) -> Floats:
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        out = cv2.resize(light, None, fx=scale, fy=scale, interpolation=how).clip(0)
        return np.ascontiguousarray(out[:, ::-1]) if mirrored else np.asarray(out, np.float32)

    near = resized(view.light[top:bottom, left:right])
    at = (near.shape[1] - 1 - x if mirrored else x), y
    pixels = cut_patch(photographed(near, rng), at, place.edge * scale, turn, sizes)
    shown = resized(_parts(view, (left, top, right, bottom), k))
    parts = cut_patch(
        (shown * 255).clip(0, 255).astype(np.uint8), at, place.edge * scale, turn, sizes
    )
    small = cv2.resize(parts.transpose(1, 2, 0), (PARTS_PX, PARTS_PX), interpolation=cv2.INTER_AREA)
    planes = lean_planes(_lean(view, place, into, rng), sizes)
    return Cut(pixels, planes, _bytes(small.transpose(2, 0, 1)), into)


def _parts(view: TrayView, box: tuple[int, int, int, int], k: int) -> Floats:
    """(h, w, 3) of a piece of the view: whether it is die `k`, its top, another die."""
    left, top, right, bottom = box
    dice = view.die[top:bottom, left:right]
    this = dice == k
    roof = np.zeros(dice.shape, np.uint8)
    if k != NO_DIE:
        corners = np.rint(view.dice.quads[k] - (left, top)).astype(np.int32)
        cv2.fillConvexPoly(roof, corners, 1)
    return np.stack([this, this & (roof > 0), (dice >= 0) & ~this], axis=2).astype(np.float32)


def _around(view: TrayView, place: CutPlace, reach: float) -> tuple[int, int, int, int]:
    """What is within reach of a place: left, top, right, bottom."""
    high, wide = view.part.shape
    left, top = max(0, int(place.x - reach)), max(0, int(place.y - reach))
    right, bottom = min(wide, int(place.x + reach) + 1), min(high, int(place.y + reach) + 1)
    return left, top, right, bottom


def _lean(view: TrayView, place: CutPlace, into: Floats, rng: Generator) -> Floats | None:
    """(2,) how a flat die would lean there in the patch's axes, as well as it is known."""
    chance = rng.random()
    if chance > ROUGHLY_TOLD or not view.is_cast:
        return None
    spread, slip = (0.06, 0.01) if chance < TOLD else (0.2, 0.03)
    lean = view.lean((place.x, place.y)) * np.exp(rng.normal(0, spread)) + rng.normal(0, slip, 2)
    return np.asarray(into @ lean, np.float32)


def _no_die(view: TrayView, rng: Generator) -> CutPlace | None:
    """Ground, things, hands, pieces of dice and what lies between dice; None where a die is."""
    if rng.random() < LURED and len(found := lures(view)):
        x, y, edge, turn = (float(v) for v in found[int(rng.integers(len(found)))])
        return CutPlace(x, y, edge * float(np.exp(rng.normal(0, 0.08))), turn)
    if rng.random() < SIDES and (side := _side_face(view, rng)) is not None:
        return side
    size = np.array(view.part.shape[::-1])
    sizes = edges(view.dice.quads)
    edge = float(np.median(sizes)) if len(sizes) else float(rng.uniform(12, 80))
    edge *= float(np.exp(rng.normal(0, 0.4)))
    edge = min(edge, float(size.max()))  # a die may be at the lens
    x, y = (float(v) for v in np.clip(_somewhere(view, rng, sizes), 2, size - 3))
    if is_die(view, (x, y), edge):
        return None
    return CutPlace(x, y, edge, float(rng.uniform(0, 2 * np.pi)))


def _side_face(view: TrayView, rng: Generator) -> CutPlace | None:
    """Return a side of a die that the camera sees: it has pips and a square outline, and is no die of its own."""
    quads, feet = view.dice.quads, view.dice.foot
    drop = feet - quads.mean(axis=1)
    sizes = edges(quads)
    tall = np.flatnonzero(np.linalg.norm(drop, axis=1) > SIDE_SEEN * sizes)
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
    edge = float(sizes[k]) * float(np.exp(rng.normal(-0.1, 0.12)))
    turn = float(np.arctan2(along[1], along[0]) + rng.normal(0, 0.07))
    jitter = rng.normal(0, 0.06, 2) * edge
    return CutPlace(float(x + jitter[0]), float(y + jitter[1]), edge, turn)


def _somewhere(view: TrayView, rng: Generator, sizes: Floats) -> Floats:
    """(2,) on a thing or a hand, at a die, or anywhere."""
    chance, size = rng.random(), np.array(view.part.shape[::-1])
    if chance < 0.4:
        part = Part.HAND if chance < 0.08 else Part.THING
        rows, columns = np.nonzero(view.part[::4, ::4] == part)
        if len(rows):
            k = int(rng.integers(len(rows)))
            return np.array([columns[k], rows[k]]) * 4.0
    if chance < 0.8 and len(sizes):
        k, way = int(rng.integers(len(sizes))), rng.uniform(0, 2 * np.pi)
        step = np.array([np.cos(way), np.sin(way)]) * sizes[k] * rng.uniform(0, 1.3)
        return np.asarray(view.dice.quads[k].mean(axis=0) + step)
    return rng.uniform(0, 1, 2) * size
