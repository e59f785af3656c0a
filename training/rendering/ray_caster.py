"""A fast renderer in compiled code: soft shadows, one bounce of light and glass, in a tenth of a second per image.

The ray caster renders the same scenes as `path_tracer`, a hundred times as fast. It also renders the same tray without
dice, and returns what each pixel shows.
"""

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.rendering.casting import scene_layout as at
from training.rendering.casting.image_passes import (
    NORMALS,
    SCRATCH,
    fill_gaps,
    find_surfaces,
    gather_light,
    mark_changed,
    plan_light,
    shade_image,
)  # fmt: skip
from training.rendering.casting.irradiance import LIGHT
from training.rendering.casting.light_smoothing import interpolate_light, share_light
from training.rendering.casting.scene_layout import NOTHING, PackedScene
from training.rendering.casting.scene_packing import pack_scene
from training.rendering.casting.visibility import mark_hidden
from training.scenes.dice.die_sheet import DieSheet, draw_die_sheet
from training.scenes.world import Part, RestingDie, Vector, World

Floats = NDArray[np.float32]
SHEET_PX = (16, 160)
TOP_POINTS = 11
SHARED_LIGHT_PX = 7
SAME_LIGHT = 0.004
"""Light counts as unchanged if its relative difference is smaller than this."""


@dataclass(frozen=True)
class CastPicture:
    """Linear RGB light of a scene and of the empty tray, and what each pixel shows."""

    light: Floats  # (h, w, 3)
    empty: Floats | None  # (h, w, 3)
    part: NDArray[np.uint8]  # (h, w) a `Part`
    die: NDArray[np.int16]  # (h, w) number of the die, or -1


def cast_picture(world: World, *, empty: bool = True) -> CastPicture:
    """Render a scene.

    Args:
        world: The scene to show.
        empty: Whether to render the empty tray as well.
    """
    sheets = [_sheet(world, k) for k in range(len(world.styles))]
    frame = _Frame.from_scene(pack_scene(world, sheets, np.random.default_rng(world.seed + 2)))
    everywhere = np.ones(frame.shape, bool)
    frame.see(everywhere, loose=True)
    frame.gather(everywhere)
    light = np.zeros((*frame.shape, 3), np.float32)
    frame.shade(everywhere, light, loose=True)
    part, die = frame.masks()
    return CastPicture(light, frame.empty(light, part) if empty else None, part, die)


@dataclass(frozen=True)
class _Frame:
    """The intermediate results for each pixel of an image.

    Attributes:
        all: The packed scene.
        found: Number (h, w) of the surface that each pixel shows.
        far: Distance (h, w) of that surface from the camera in millimetres.
        normals: Smooth normal, bump-mapped normal and roughness (h, w, NORMALS).
        soft: Light with soft shadows (h, w, LIGHT).
        hard: Light with sharp shadows (h, w, LIGHT).
        scratch: Working memory (SCRATCH,).
    """

    all: PackedScene
    found: NDArray[np.int32]
    far: Floats
    normals: Floats
    soft: Floats
    hard: Floats
    scratch: Floats

    @classmethod
    def from_scene(cls, all_: PackedScene) -> "_Frame":
        """Return empty results for a packed scene."""
        shape = int(all_.w[at.HEIGHT]), int(all_.w[at.WIDTH])
        f = np.float32
        return cls(
            all_, np.full(shape, NOTHING, np.int32), np.zeros(shape, f), np.zeros((*shape, NORMALS), f),
            np.zeros((*shape, LIGHT), f), np.zeros((*shape, LIGHT), f), np.zeros(SCRATCH, f),
        )  # fmt: skip

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return self.found.shape[0], self.found.shape[1]

    def see(self, only: NDArray[np.bool_], *, loose: bool) -> None:
        """Find the surface that each pixel in the mask `only` shows.

        If `loose` is false, dice, foreign objects and hands are left out.
        """
        find_surfaces(*self.all, self.scratch, loose, only, self.found, self.far, self.normals)

    def gather(self, only: NDArray[np.bool_]) -> None:
        """Compute the light that falls on the surfaces that the pixels in the mask `only` show."""
        looked = np.zeros(self.shape, np.int8)
        plan_light(self.all.w, only, self.found, looked)
        where = (self.found, self.far, self.normals)
        if self._has_sharp:
            gather_light(*self.all, self.scratch, True, looked, *where, self.hard)
        raw = np.zeros_like(self.soft)
        gather_light(*self.all, self.scratch, False, looked, *where, raw)
        for step in (1, 2):
            share_light(self.found, self.normals, looked, step, raw, self.soft)
        interpolate_light(self.found, self.normals, looked, self.soft)
        fill_gaps(*self.all, self.scratch, looked, *where, self.soft)

    @property
    def _has_sharp(self) -> bool:
        first, count = self.all.w[at.F_LAMPS], self.all.w[at.N_LAMPS]
        return bool(
            (self.all.f[first : first + count * at.LAMP].reshape(-1, at.LAMP)[:, 7] > 0).any()
        )

    def shade(self, only: NDArray[np.bool_], out: Floats, *, loose: bool) -> None:
        """Compute the light that reaches the camera at the pixels in the mask `only`, and write it to `out`.

        If `loose` is false, dice, foreign objects and hands are left out.
        """
        where = (self.found, self.far, self.normals, self.soft, self.hard)
        shade_image(*self.all, self.scratch, loose, only, *where, out)

    def masks(self) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
        """Return, for each pixel, the `Part` that it shows, and the number of the die or -1."""
        first, count = self.all.w[at.W_SOLIDS], self.all.w[at.N_SOLIDS]
        kinds = self.all.w[first : first + count * at.W_SOLID].reshape(-1, at.W_SOLID)
        kinds = np.vstack([kinds, [0, 0, Part.GROUND, 0, 0, -1]])
        solid = np.where(self.found >= 0, self.found, count)
        return kinds[solid, at.PART].astype(np.uint8), kinds[solid, at.OWN].astype(np.int16)

    def empty(self, light: Floats, part: NDArray[np.uint8]) -> Floats:
        """Return the light (h, w, 3) of the empty tray.

        Only pixels that dice and objects change are computed again. `light` and `part` are the image with them, and
        what each of its pixels shows.
        """
        hidden = part != Part.GROUND
        self.see(hidden, loose=False)
        # Around a removed object, soft light was shared between fewer neighbours than there are now.
        near, about = _grown(hidden, SHARED_LIGHT_PX), _grown(hidden, 2 * SHARED_LIGHT_PX)
        other = replace(self, soft=np.zeros_like(self.soft), hard=self.hard)
        other.gather(about)
        self.soft[near] = other.soft[near]
        anew = np.zeros(self.shape, bool)
        mark_changed(self.soft, self.hard, SAME_LIGHT, anew)
        anew = _grown(anew | near, 1)
        out = light.copy()
        self.shade(anew, out, loose=False)
        return out


def _grown(mask: NDArray[np.bool_], by_px: int) -> NDArray[np.bool_]:
    size = 2 * by_px + 1
    return cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)) > 0


def cast_masks(world: World) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Return, for each pixel of a scene (h, w), the `Part` that it shows, and the number of the die or -1."""
    blank = DieSheet(np.zeros((6, 2, 2, 8), np.float32))
    frame = _Frame.from_scene(
        pack_scene(world, [blank] * len(world.styles), np.random.default_rng(0))
    )
    frame.see(np.ones(frame.shape, bool), loose=True)
    return frame.masks()


def visible_top_shares(world: World) -> list[float]:
    """Return, for each die, the share of the flat part of its top that the camera sees."""
    if not world.dice:
        return []
    blank = DieSheet(np.zeros((6, 2, 2, 8), np.float32))
    all_ = pack_scene(world, [blank] * len(world.styles), np.random.default_rng(0))
    points = np.concatenate([_on_top(world, die) for die in world.dice])
    own = np.repeat(np.arange(len(world.dice)), len(points) // len(world.dice))
    hidden = np.zeros(len(points), bool)
    mark_hidden(*all_, points.astype(np.float32), own, hidden)
    pixels, size = world.camera.project(points), (world.camera.width, world.camera.height)
    hidden |= ~((pixels >= 0) & (pixels <= size)).all(axis=1)
    return [float(v) for v in 1 - hidden.reshape(len(world.dice), -1).mean(axis=1)]


def _on_top(world: World, die: RestingDie) -> Vector:
    """Return points (n, 3) on the flat part of a die's top face."""
    flat = min(0.9, 1 - world.styles[die.style].edge)
    a, b, _, d = die.top_face(flat)
    line = np.linspace(0, 1, TOP_POINTS)
    s, t = np.meshgrid(line, line)
    return np.asarray(a + s.reshape(-1, 1) * (b - a) + t.reshape(-1, 1) * (d - a))


def _sheet(world: World, style: int) -> DieSheet:
    """Draw the unrolled faces of a style of dice, with as many pixels as the largest such die needs."""
    camera = world.camera
    edges = [
        d.edge_mm * camera.focal_px / max(1.0, float(np.linalg.norm(d.at - camera.at)))
        for d in world.dice
        if d.style == style
    ]
    return draw_die_sheet(
        world.styles[style], int(np.clip(1.25 * max(edges, default=0), *SHEET_PX))
    )


def main() -> None:
    """Print how many images and dice per second are rendered, for each kind of scene."""
    from training.scenes.kept_out import Purpose  # noqa: PLC0415
    from training.scenes.staging import SCENE_WEIGHTS, SceneRequest, stage_world  # noqa: PLC0415
    from training.scenes.throws.rest_library import load_rests  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "rests", type=Path, help="rests.npz, written by training.scenes.throws.rest_library"
    )
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    library = load_rests(options.rests)
    cast_picture(stage_world(0, Purpose.TEACH, library, SceneRequest("table", size=(480, 360))))
    for kind in SCENE_WEIGHTS:
        begun, spent, dice = time.perf_counter(), time.process_time(), 0
        for seed in range(options.count):
            one = stage_world(seed, Purpose.TEACH, library, SceneRequest(kind, size=(480, 360)))
            cast_picture(one, empty=kind != "field")
            dice += len(one.dice)
        wall, spent = time.perf_counter() - begun, time.process_time() - spent
        print(f"{kind}: {options.count / wall:.1f} images/s, {dice / wall:.0f} dice/s"
              f" ({options.count / spent:.1f} and {dice / spent:.0f} per second of CPU time)", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
