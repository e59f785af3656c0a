"""What networks learn from: light over a tray, the same tray empty, and what is true of each die.

From files that were path traced, or made in memory where none is ever seen twice.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.rendering.glare import with_glare
from training.rendering.light import decoded
from training.rendering.picture_files import gain, masks
from training.rendering.ray_caster import cast, tops_seen
from training.rendering.simulated import painted
from training.scenes.hard_light import moved_light
from training.scenes.kept_out import Purpose
from training.scenes.staging import Wish, world
from training.scenes.throws.rest_library import RestLibrary
from training.scenes.truth import truth
from training.scenes.world import World

Floats = NDArray[np.float32]
UNKNOWN = 255
"""In `TrayView.part`: nobody says what a pixel shows, as in a real photograph."""


@dataclass(frozen=True)
class TrueDice:
    """Of n dice in a picture."""

    quads: Floats  # (n, 4, 2) corners of the tops, pixels
    foot: Floats  # (n, 2) below the middle of each top
    value: NDArray[np.int64]
    tilt_deg: Floats
    seen: Floats  # of the top's flat, 0..1
    contrast: Floats  # of the weakest pip of the top
    stacked: NDArray[np.bool_]
    touching: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TrayView:
    """Linear light BGR, exposed as an automatic would, and the truth."""

    name: str
    light: Floats  # (h, w, 3)
    empty: Floats | None  # (h, w, 3)
    part: NDArray[np.uint8]  # (h, w) a `world.Part`
    die: NDArray[np.int16]  # (h, w) number of the die, or -1
    dice: TrueDice
    tray: Floats | None  # (4, 2)
    focal_px: float
    up: Floats  # the table's z in the camera's axes

    @property
    def is_cast(self) -> bool:
        """Whether the camera and every pixel are known; of a photograph they are not."""
        return self.focal_px > 0

    def lean(self, pixel: Any) -> Floats:
        """(2,) how far the top of a cube is displaced from its foot at a pixel, in edges."""
        middle = np.array(self.part.shape[::-1]) / 2
        out = self.up[:2] - (np.asarray(pixel) - middle) / self.focal_px * self.up[2]
        return np.asarray(out, np.float32)


def from_file(path: Path) -> TrayView:
    """A traced picture, by the path of its PNG."""
    row = json.loads(path.with_suffix(".json").read_text())
    empty = path.with_suffix(".empty.png")
    part, die = masks(path)
    return _view(path.stem, _read(path), _read(empty) if empty.exists() else None, (part, die), row)


def _read(path: Path) -> Floats:
    code = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if code is None:
        raise FileNotFoundError(f"{path}: not a picture: make it anew")
    return np.asarray(decoded(np.asarray(code, np.uint16)), np.float32)


@dataclass(frozen=True)
class Surprises:
    """Chances of what changes a picture after it was staged."""

    moved_lamps: float = 0.0  # between the empty picture and the picture with dice
    glare: float = 0.0


NO_SURPRISES = Surprises()


def cast_now(
    seed: int, purpose: Purpose, library: RestLibrary, wish: Wish, surprises: Surprises = NO_SURPRISES, *, empty: bool
) -> TrayView:  # fmt: skip
    """Cast the picture of a seed in memory.

    Args:
        seed: number of the world.
        purpose: whether kinds that are kept out of teaching may be shown.
        library: dice at rest.
        wish: what the world shall be like.
        surprises: chances of lamps that move and of glare.
        empty: whether the empty tray is needed, too.
    """
    one = world(seed, purpose, library, wish)
    rng = np.random.default_rng([seed, 11])
    empty = empty and one.kind != "field"
    moves = empty and bool(one.light.lamps) and rng.random() < surprises.moved_lamps
    shown = cast(one, empty=empty and not moves)
    before = _under_moved_lamps(one, rng) if moves else shown.empty
    factor = np.float32(gain(shown.light, np.random.default_rng(seed + 7)))
    light = np.ascontiguousarray(shown.light[..., ::-1] * factor)
    alone = None if before is None else np.ascontiguousarray(before[..., ::-1] * factor)
    if rng.random() < surprises.glare:
        light, alone = with_glare(rng, light, alone, shown.part)
    return _view(str(seed), light, alone, (shown.part, shown.die), truth(one, tops_seen(one)))


def _under_moved_lamps(one: World, rng: Generator) -> Floats:
    """Return (h, w, 3) light of the empty tray before its lamps were moved."""
    fixed = tuple(solid for solid in one.solids if solid.fixed)
    before = replace(one, dice=(), solids=fixed, hand=None, light=moved_light(rng, one.light))
    return cast(before, empty=False).light


def painted_now(seed: int) -> TrayView:
    """A frame of the simulated tray that people try first."""
    shown = painted(seed)
    return _view(f"painted {seed}", shown.light, shown.empty, (shown.part, shown.die), shown.truth)


def _view(
    name: str,
    light: Floats,
    empty: Floats | None,
    mask: tuple[NDArray[np.uint8], NDArray[np.int16]],
    row: dict[str, Any],
) -> TrayView:
    tray = None if row["tray"] is None else np.array(row["tray"], np.float32)
    up = np.array(row["up"], np.float32)
    return TrayView(name, light, empty, *mask, _dice(row["dice"]), tray, row["focal"], up)


def _dice(rows: list[dict[str, Any]]) -> TrueDice:
    f = np.float32
    return TrueDice(
        np.array([d["quad"] for d in rows], f).reshape(-1, 4, 2),
        np.array([d["foot"] for d in rows], f).reshape(-1, 2),
        np.array([d["value"] for d in rows], np.int64),
        np.array([d["tilt"] for d in rows], f),
        np.array([d["seen"] for d in rows], f),
        np.array([d["contrast"] for d in rows], f),
        np.array([d["how"] == "stacked" for d in rows], bool),
        np.array([d["touching"] for d in rows], bool),
    )


def edges(quads: Floats) -> Floats:
    """(n,) mean edge of each face in pixels."""
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    return np.asarray(sides.mean(axis=1), np.float32)
