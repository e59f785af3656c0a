"""Training samples from path traced pictures: views for the finder, patches for the reader."""

import json
from argparse import ArgumentTypeError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.rendering.camera import Picture, photograph
from training.rendering.light import decoded

VIEW = (320, 256)  # width and height of what the finder learns from
STRIDE = 4
DIE_PX = (7.0, 60.0)  # edges of dice the finder learns
COCKED_DEG, SEEN = 10.0, 0.965
UNKNOWN = (np.nan, np.nan)
NEAR_EDGES, NEAR_SIZE = 0.4, 0.55  # nearer than this, and so alike in size, it is the die
HELD_BACK = 10  # every tenth picture measures, and is not learnt from: fewer do not do
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Traced:
    """One traced picture: coded light, the dice, where a hand is, and how the camera stands."""

    name: str
    coded: NDArray[np.uint16]
    quads: Floats  # (n, 4, 2)
    foot: Floats  # (n, 2) below the middle of each top; NaN where it is not known
    boxes: Floats  # (n, 4)
    value: NDArray[np.int64]
    tilt: Floats
    seen: Floats
    stacked: NDArray[np.bool_]
    hand: Floats  # (k, 3)
    tray: Floats | None
    focal: float
    up: Floats  # the table's z in the camera's axes
    false: Floats  # (m, 3) x, y, edge of what the finder took for dice

    def lean(self, pixel: Any) -> Floats:
        """(2,) how far the top of a cube is displaced from its foot at a pixel, in edges."""
        middle = np.array(self.coded.shape[1::-1]) / 2
        out = self.up[:2] - (np.asarray(pixel) - middle) / self.focal * self.up[2]
        return np.asarray(out, np.float32)


def photographed(coded: NDArray[np.uint16], rng: Generator) -> Picture:
    """Coded light as a random camera takes it."""
    return photograph(decoded(coded), rng)


def pictures(text: str) -> Path:
    """A folder of labelled pictures, as an argument of a command: enough to hold some back."""
    folder = Path(text)
    if sum(path.with_suffix(".json").exists() for path in folder.glob("*.png")) < HELD_BACK:
        make = f"python -m training.rendering.make_pictures {text}"
        raise ArgumentTypeError(
            f"fewer than {HELD_BACK} labelled pictures in {text}: {make} makes more"
        )
    return folder


def load(path: Path) -> Traced:
    """A traced picture, by the path of its PNG; its labels are beside it."""
    row: dict[str, Any] = json.loads(path.with_suffix(".json").read_text())
    dice = row["dice"]
    coded = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    tray = None if row["tray"] is None else np.array(row["tray"], np.float32)
    return Traced(
        path.stem,
        np.asarray(coded, np.uint16),
        np.array([d["quad"] for d in dice], np.float32).reshape(-1, 4, 2),
        np.array([d.get("foot", UNKNOWN) for d in dice], np.float32).reshape(-1, 2),
        np.array([d["box"] for d in dice], np.float32).reshape(-1, 4),
        np.array([d["value"] for d in dice], np.int64),
        np.array([d["tilt"] for d in dice], np.float32),
        np.array([d["seen"] for d in dice], np.float32),
        np.array([d["how"] == "stacked" for d in dice], bool),
        np.array(row["hand"], np.float32).reshape(-1, 3),
        tray,
        row["focal"],
        np.array(row["up"], np.float32),
        np.array(_mined(path), np.float32).reshape(-1, 3),
    )


def _mined(path: Path) -> list[tuple[float, float, float]]:
    mined = path.with_suffix(".false.json")
    return json.loads(mined.read_text()) if mined.exists() else []


def edges(quads: Floats) -> Floats:
    """(n,) mean edge of each face in pixels."""
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    return np.asarray(sides.mean(axis=1), np.float32)


def _turned(
    rng: Generator, scale: float, centre: Any, size: tuple[int, int], spin: float
) -> Floats:
    """An affine map that turns, mirrors and scales around `centre` into the middle of `size`."""
    c, s = np.cos(spin) * scale, np.sin(spin) * scale
    flip = -1 if rng.random() < 0.5 else 1
    linear = np.array([[c * flip, -s], [s * flip, c]])
    shift = (np.array(size) - 1) / 2 - linear @ np.asarray(centre)
    return np.column_stack([linear, shift]).astype(np.float32)


def warp(picture: Any, matrix: Floats, size: tuple[int, int], border: Any = None) -> Any:
    """`picture` through `matrix`; outside it `border`, or the last pixel repeated."""
    scale = float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
    if scale < 0.7:  # shrink by areas first, else fine texture turns to noise
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        matrix = np.column_stack([matrix[:, :2] / scale, matrix[:, 2]])
    mode = cv2.BORDER_REPLICATE if border is None else cv2.BORDER_CONSTANT
    return cv2.warpAffine(
        picture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=mode, borderValue=border or 0
    )


def _moved(points: Floats, matrix: Floats) -> Floats:
    return np.asarray(points @ matrix[:, :2].T + matrix[:, 2], np.float32)


def view(pool: list[Traced], rng: Generator) -> tuple[Picture, dict[str, Floats]]:
    """One picture of VIEW and what the finder should say: maps over cells of STRIDE pixels."""
    width, height = VIEW
    maps = empty_maps(width // STRIDE, height // STRIDE)
    if rng.random() < 0.6:
        return _crop(pool[int(rng.integers(len(pool)))], rng, VIEW, maps, (0, 0)), maps
    half = (width // 2, height // 2)
    picture = np.zeros((height, width, 3), np.uint8)
    for x, y in ((0, 0), (half[0], 0), (0, half[1]), half):
        part = _crop(pool[int(rng.integers(len(pool)))], rng, half, maps, (x, y))
        picture[y : y + half[1], x : x + half[0]] = part
    return picture, maps


def empty_maps(width: int, height: int) -> dict[str, Floats]:
    """Nothing to find anywhere."""
    flat = {k: np.zeros((height, width), np.float32) for k in ("heat", "hand", "trouble")}
    flat |= {k: np.zeros((height, width), np.float32) for k in ("weight", "value_weight", "size")}
    flat["care"] = np.ones((height, width), np.float32)
    flat["value"] = np.zeros((height, width), np.float32)
    flat["offset"] = np.zeros((2, height, width), np.float32)
    flat["turn"] = np.zeros((2, height, width), np.float32)
    return flat


def _crop(
    traced: Traced,
    rng: Generator,
    size: tuple[int, int],
    maps: dict[str, Floats],
    at: tuple[int, int],
) -> Picture:
    full = traced.coded.shape[1::-1]
    spin = float(
        rng.choice([0, 0.5, 1, 1.5]) * np.pi + (rng.normal(0, 0.1) if rng.random() < 0.5 else 0)
    )
    cover = max(
        size[0] / full[0], size[1] / full[1], size[0] / full[1] if abs(np.sin(spin)) > 0.5 else 0
    )
    if len(traced.quads):
        edge = float(np.median(edges(traced.quads)))
        target = np.exp(rng.uniform(np.log(DIE_PX[0]), np.log(min(DIE_PX[1], min(size) * 0.45))))
        scale = float(target / edge)
        if cover * edge < 1.3 * DIE_PX[1]:
            scale = max(scale, cover)
        middle = traced.quads[int(rng.integers(len(traced.quads)))].mean(axis=0)
        centre = middle + rng.uniform(-0.45, 0.45, 2) * size / scale
    else:
        scale = float(rng.uniform(0.3, 1.2))
        centre = rng.uniform(0, 1, 2) * full
    scale = min(scale, 1.6)
    fits = np.array(size) / scale / 2  # keep the view inside the picture where it can be
    bounds = np.array(full, float)
    centre = np.where(
        2 * fits < bounds, np.clip(centre, fits, np.maximum(fits, bounds - fits)), bounds / 2
    )
    matrix = _turned(rng, scale, centre, size, spin)
    coded = warp(traced.coded, matrix, size, [float(v) for v in rng.uniform(0, 40000, 3)])
    out = photographed(coded, rng)
    _mark(maps, traced, matrix, size, at)
    return out


def _mark(
    maps: dict[str, Floats],
    traced: Traced,
    matrix: Floats,
    size: tuple[int, int],
    at: tuple[int, int],
) -> None:
    left, top = at[0] // STRIDE, at[1] // STRIDE
    wide, high = size[0] // STRIDE, size[1] // STRIDE
    part = {k: m[..., top : top + high, left : left + wide] for k, m in maps.items()}
    scale = float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
    for x, y, r in traced.hand:
        cx, cy = _moved(np.array([x, y], np.float32), matrix) / STRIDE
        hand = np.ascontiguousarray(part["hand"])
        cv2.circle(
            hand, (round(float(cx)), round(float(cy))), round(float(r) * scale / STRIDE), 1.0, -1
        )
        part["hand"][...] = hand
    quads = _moved(traced.quads, matrix) if len(traced.quads) else traced.quads
    ys, xs = np.mgrid[0:high, 0:wide].astype(np.float32)
    for k, quad in enumerate(quads):
        centre = quad.mean(axis=0)
        inside = bool((quad >= 0).all() and (quad < size).all())
        edge = float(edges(quad[None])[0])
        cx, cy = centre / STRIDE - 0.5
        far = np.hypot(xs - cx, ys - cy) * STRIDE / edge
        if not (0 <= centre[0] < size[0] and 0 <= centre[1] < size[1]) or traced.seen[k] < 0.35:
            part["care"][far < 0.9] = 0
            continue
        sigma = max(0.55, 0.11 * edge / STRIDE)
        part["heat"][...] = np.maximum(
            part["heat"], np.exp(-((xs - cx) ** 2 + (ys - cy) ** 2) / (2 * sigma**2))
        )
        i, j = (
            int(np.clip(round(float(cy)), 0, high - 1)),
            int(np.clip(round(float(cx)), 0, wide - 1)),
        )
        part["heat"][i, j] = 1
        near = far < 0.18
        near[i, j] = True
        part["weight"][near] = 1 / near.sum()
        part["size"][near] = np.log(edge)
        part["offset"][0][near] = cx - xs[near]
        part["offset"][1][near] = cy - ys[near]
        along = quad[1] - quad[0]
        angle = 4 * np.arctan2(along[1], along[0])
        part["turn"][0][near], part["turn"][1][near] = np.cos(angle), np.sin(angle)
        bad = (
            traced.tilt[k] > COCKED_DEG or traced.seen[k] < SEEN or traced.stacked[k] or not inside
        )
        part["trouble"][near] = float(bad)
        part["value"][near] = traced.value[k] - 1
        part["value_weight"][near] = (traced.tilt[k] < 25 and traced.seen[k] > 0.9) / near.sum()


@dataclass(frozen=True)
class Patch:
    """What the reader learns from: `value` 0 is no die; a weight of 0 leaves a label out."""

    pixels: Picture  # (p, p, 3)
    lean: Floats  # (3,): lean in the patch's axes and whether it is told
    value: int
    value_weight: float
    trouble: tuple[float, float, float]  # cocked, hidden, stacked
    trouble_weight: tuple[float, float, float]
    off: tuple[float, float, float]  # where the face really is, in edges, and the log of its size
    off_weight: float


def patches(traced: Traced, rng: Generator, count: int, patch_die: tuple[int, int]) -> list[Patch]:
    """Patches of one photographed picture, some of dice, some of anything else.

    `patch_die` are the edges of a patch and of the die in it, in pixels.
    """
    out = []
    middles = traced.quads.mean(axis=1)
    shown = np.flatnonzero(
        ((middles > 2) & (middles < np.array(traced.coded.shape[1::-1]) - 3)).all(axis=1)
    )
    for _ in range(count):
        if len(shown) and rng.random() < 0.72:
            out.append(_die_patch(traced, rng, int(rng.choice(shown)), patch_die))
        elif (patch := _other_patch(traced, rng, patch_die)) is not None:
            out.append(patch)
    return out


def close_by(
    traced: Traced, rng: Generator, centre: Any, edge: float, *, reach: float, seen_px: Any
) -> tuple[Picture, Any, float]:
    """What is within `reach` of `centre`, photographed: where that is in it, and its scale.

    A die's `edge` is as many pixels there as a camera has, between those of `seen_px`, no more than
    were traced.
    """
    high, wide = traced.coded.shape[:2]
    left, top = (max(0, int(c - reach)) for c in centre)
    right, bottom = min(wide, int(centre[0] + reach) + 1), min(high, int(centre[1] + reach) + 1)
    near = traced.coded[top:bottom, left:right]
    scale = min(1.0, float(np.exp(rng.uniform(*np.log(seen_px)))) / edge)
    if scale < 1:
        near = cv2.resize(near, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return photographed(near, rng), (np.asarray(centre) - (left, top)) * scale, scale


def _cut(
    traced: Traced, centre: Any, edge: float, rng: Generator, patch_die: tuple[int, int]
) -> tuple[Picture, Floats, Floats]:
    """The patch around `centre`, turned at random, the lean there, and how it is turned."""
    picture, middle, scale = close_by(traced, rng, centre, edge, reach=1.5 * edge, seen_px=(13, 60))
    patch_px, die_px = patch_die
    size, spin = (patch_px, patch_px), float(rng.uniform(0, 2 * np.pi))
    matrix = _turned(rng, die_px / edge / scale, middle, size, spin)
    lean = matrix[:, :2] @ traced.lean(centre) / (die_px / edge / scale)
    lean = lean * np.exp(rng.normal(0, 0.15)) + rng.normal(0, 0.02, 2)  # the lens is not known
    told = np.array([*lean, 1.0] if rng.random() < 0.7 else [0.0, 0.0, 0.0], np.float32)
    turn = matrix[:, :2] / np.sqrt(abs(np.linalg.det(matrix[:, :2])))
    return np.asarray(warp(picture, matrix, size), np.uint8), told, turn


def _die_patch(traced: Traced, rng: Generator, k: int, patch_die: tuple[int, int]) -> Patch:
    edge = float(edges(traced.quads[k : k + 1])[0])
    wide = rng.random() < 0.5  # as the finder errs, or after one correction
    shift = np.clip(rng.normal(0, 0.12 if wide else 0.04, 2), -0.3, 0.3) * edge
    scale = float(np.clip(rng.normal(0, 0.2 if wide else 0.06), -0.5, 0.5))
    middle = traced.quads[k].mean(axis=0)
    centre = np.clip(middle + shift, 2, np.array(traced.coded.shape[1::-1]) - 3)
    used = edge * float(np.exp(scale))
    pixels, lean, turn = _cut(traced, centre, used, rng, patch_die)
    dx, dy = turn @ (middle - centre) / used
    inside = bool(
        (traced.quads[k] >= 0).all() and (traced.quads[k] < traced.coded.shape[1::-1]).all()
    )
    tilt, seen = traced.tilt[k], traced.seen[k]
    return Patch(
        pixels,
        lean,
        value=int(traced.value[k]) if seen > 0.35 else 0,
        value_weight=float(tilt < 25 and seen > 0.9),
        trouble=(
            float(tilt > COCKED_DEG),
            float(seen < SEEN or not inside),
            float(traced.stacked[k]),
        ),
        trouble_weight=(
            float(not 8 < tilt < 12 and seen > 0.5),
            float(not 0.92 < seen < 0.98),
            float(seen > 0.5),
        ),
        off=(float(dx), float(dy), -scale),
        off_weight=float(seen > 0.5),
    )


def _other_patch(traced: Traced, rng: Generator, patch_die: tuple[int, int]) -> Patch | None:
    """Ground, things, pieces of dice and what lies between dice; None where a die is in the middle."""
    sizes = edges(traced.quads)
    edge = float(np.median(sizes)) if len(sizes) else float(rng.uniform(12, 80))
    edge *= float(np.exp(rng.normal(0, 0.4)))
    centre = rng.uniform(0, 1, 2) * traced.coded.shape[1::-1]
    if len(sizes) and rng.random() < 0.6:
        k = int(rng.integers(len(sizes)))
        way = rng.uniform(0, 2 * np.pi)
        step = np.array([np.cos(way), np.sin(way)]) * sizes[k]
        centre = traced.quads[k].mean(axis=0) + step * rng.uniform(0.5, 1.3)
    if len(traced.false) and rng.random() < 0.6:
        x, y, size = traced.false[int(rng.integers(len(traced.false)))]
        edge = float(size * np.exp(rng.normal(0, 0.05)))
        centre = np.array([x, y]) + rng.normal(0, 0.04, 2) * edge
    centre = np.clip(centre, 2, np.array(traced.coded.shape[1::-1]) - 3)
    away = np.linalg.norm(traced.quads.mean(axis=1) - centre, axis=1)
    alike = np.abs(np.log(edge / sizes)) < NEAR_SIZE
    if ((away < NEAR_EDGES * np.minimum(edge, sizes)) & alike).any():
        return None
    pixels, lean, _ = _cut(traced, centre, edge, rng, patch_die)
    nothing = (0.0, 0.0, 0.0)
    return Patch(pixels, lean, 0, 1.0, nothing, nothing, nothing, 0.0)
