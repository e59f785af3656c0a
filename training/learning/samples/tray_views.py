"""Views for training: a tray as linear light, the empty tray, and the true labels of each die.

A view is loaded from a path-traced file, or rendered in memory for a single use.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.rendering.glare import add_glare
from training.rendering.light import decode_light
from training.rendering.own_settings import (
    PlannedThrow,
    draw_setting,
    resized_camera,
    stage_throw,
)
from training.rendering.picture_files import auto_exposure, load_masks
from training.rendering.ray_caster import cast_picture, visible_top_shares
from training.rendering.simulated import paint_frame
from training.scenes.hard_light import move_lamps
from training.scenes.kept_out import Purpose
from training.scenes.staging import SceneRequest, stage_world
from training.scenes.throws.rest_library import RestLibrary
from training.scenes.truth import true_labels
from training.scenes.world import World

Floats = NDArray[np.float32]
UNKNOWN_PART = 255
"""Value in `TrayView.part` of a pixel whose part is unknown, as in a real photograph."""
EVENING_SCALE = 0.7
"""Scale at which a whole tray is rendered, compared with a path-traced one. A die is then about 35 px wide."""
EVENING_DICE = (0.04, 0.06, 0.1, 0.15, 0.2, 0.2, 0.25)
"""Probability of each number of dice in a whole tray, from none to six."""
EVENING_HAND_CHANCE, EVENING_OBJECT_CHANCE = 0.1, 0.3
EVENING_TRICKY_CHANCE, EVENING_ASIDE_CHANCE = 0.2, 0.15
"""Probabilities that a whole tray shows a hand, foreign objects, a cocked or stacked die, and dice beside the tray."""


@dataclass(frozen=True)
class TrueDice:
    """The true labels of n dice in an image."""

    quads: Floats  # (n, 4, 2) corners of the tops, pixels
    foot: Floats  # (n, 2) point on the underside of the die below the centre of each top, pixels
    value: NDArray[np.int64]
    tilt_deg: Floats
    seen: Floats  # visible share of the flat part of the top, 0 to 1
    contrast: Floats  # contrast of the weakest pip of the top
    stacked: NDArray[np.bool_]
    touching: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TrayView:
    """A tray as linear BGR light, scaled as automatic exposure would scale it, and the true labels."""

    name: str
    light: Floats  # (h, w, 3)
    empty: Floats | None  # (h, w, 3)
    part: NDArray[np.uint8]  # (h, w) a `world.Part`
    die: NDArray[np.int16]  # (h, w) number of the die, or -1
    dice: TrueDice
    tray: Floats | None  # (4, 2)
    focal_px: float
    up: Floats  # the table's z axis in the camera's axes

    @property
    def is_cast(self) -> bool:
        """Whether the view was rendered, so that the camera and what each pixel shows are known."""
        return self.focal_px > 0

    def lean(self, pixel: Any) -> Floats:
        """Return the displacement (2,) of the top of a flat die from its foot at a pixel, in die edges."""
        middle = np.array(self.part.shape[::-1]) / 2
        out = self.up[:2] - (np.asarray(pixel) - middle) / self.focal_px * self.up[2]
        return np.asarray(out, np.float32)


def load_traced(path: Path) -> TrayView:
    """Load a path-traced view, given the path of its PNG file."""
    row = json.loads(path.with_suffix(".json").read_text())
    empty = path.with_suffix(".empty.png")
    part, die = load_masks(path)
    return _view(path.stem, _read(path), _read(empty) if empty.exists() else None, (part, die), row)


def _read(path: Path) -> Floats:
    code = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if code is None:
        raise FileNotFoundError(
            f"{path} is not an image. Delete its .json file and make the image again."
        )
    return np.asarray(decode_light(np.asarray(code, np.uint16)), np.float32)


@dataclass(frozen=True)
class Surprises:
    """Probabilities of changes to an image after its scene has been composed."""

    moved_lamps: float = 0.0  # lamps move between the empty-tray image and the image with dice
    glare: float = 0.0


NO_SURPRISES = Surprises()


def cast_view(
    seed: int, purpose: Purpose, library: RestLibrary, request: SceneRequest, surprises: Surprises = NO_SURPRISES, *, empty: bool
) -> TrayView:  # fmt: skip
    """Render a view with the ray caster.

    Args:
        seed: Seed for the scene. The same seed and library give the same scene.
        purpose: Whether the images are for training or for one of the two kinds of tests.
        library: Simulated throws after the dice have come to rest.
        request: The desired content of the scene.
        surprises: Probabilities that lamps move after the empty-tray image was taken, and of glare.
        empty: Whether to render the empty tray as well.
    """
    return _cast(stage_world(seed, purpose, library, request), surprises, empty=empty)


def cast_evening(
    seed: int, purpose: Purpose, surprises: Surprises = NO_SURPRISES, *, empty: bool
) -> TrayView:
    """Render a view of a whole tray, nearly always from straight above, as a companion above a table sees it.

    Args:
        seed: Seed for the scene.
        purpose: Whether the images are for training or for one of the two kinds of tests.
        surprises: Probabilities that lamps move after the empty-tray image was taken, and of glare.
        empty: Whether to render the empty tray as well.
    """
    rng = np.random.default_rng([seed, 13])
    here = draw_setting(seed, purpose)
    planned = PlannedThrow(
        int(rng.choice(len(EVENING_DICE), p=EVENING_DICE)),
        hand=rng.random() < EVENING_HAND_CHANCE,
        things=rng.random() < EVENING_OBJECT_CHANCE,
        tricky=rng.random() < EVENING_TRICKY_CHANCE,
        aside=rng.random() < EVENING_ASIDE_CHANCE,
    )
    smaller = replace(here, camera=resized_camera(here.camera, EVENING_SCALE))
    return _cast(stage_throw(smaller, planned, seed), surprises, empty=empty)


def _cast(one: World, surprises: Surprises, *, empty: bool) -> TrayView:
    """Render a view of a scene with the ray caster."""
    seed = one.seed
    rng = np.random.default_rng([seed, 11])
    empty = empty and one.kind != "field"
    moves = empty and bool(one.light.lamps) and rng.random() < surprises.moved_lamps
    shown = cast_picture(one, empty=empty and not moves)
    before = _under_moved_lamps(one, rng) if moves else shown.empty
    factor = np.float32(auto_exposure(shown.light, np.random.default_rng(seed + 7)))
    light = np.ascontiguousarray(shown.light[..., ::-1] * factor)
    alone = None if before is None else np.ascontiguousarray(before[..., ::-1] * factor)
    if rng.random() < surprises.glare:
        light, alone = add_glare(rng, light, alone, shown.part)
    return _view(
        str(seed), light, alone, (shown.part, shown.die), true_labels(one, visible_top_shares(one))
    )


def _under_moved_lamps(one: World, rng: Generator) -> Floats:
    """Return the light (h, w, 3) of the empty tray with the lamps in their earlier positions."""
    fixed = tuple(solid for solid in one.solids if solid.fixed)
    before = replace(one, dice=(), solids=fixed, hand=None, light=move_lamps(rng, one.light))
    return cast_picture(before, empty=False).light


def paint_view(seed: int) -> TrayView:
    """Return a view of the simulated tray, which `traykeeper play` shows if there is no camera."""
    shown = paint_frame(seed)
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


def mean_edges(quads: Floats) -> Floats:
    """Return the mean edge (n,) of each face in pixels, given its corners (n, 4, 2)."""
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    return np.asarray(sides.mean(axis=1), np.float32)
