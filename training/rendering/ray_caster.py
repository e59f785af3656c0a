"""A world in a tenth of a second: rays met by compiled code, with soft shadows, one bounce, glass.

It shows the same worlds as `path_tracer`, a hundred times as fast, and beside the picture the same
tray empty and what each pixel is.
"""

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.rendering.casting import packed as at
from training.rendering.casting.frames import (
    NORMALS,
    SCRATCH,
    changed,
    light_all,
    patch_up,
    plan,
    see_all,
    shade_all,
)  # fmt: skip
from training.rendering.casting.hiding import hide
from training.rendering.casting.lighting_up import LIGHT
from training.rendering.casting.packed import NOTHING, Rows
from training.rendering.casting.packing import rows
from training.rendering.casting.softening import fill, share
from training.scenes.dice.die_sheet import DieSheet, die_sheet
from training.scenes.world import Part, RestingDie, Vector, World

Floats = NDArray[np.float32]
SHEET_PX = (16, 160)
TOP_POINTS = 11
NEAR_PX = 7
SAME = 0.004
"""Light that differs by so little is the same."""


@dataclass(frozen=True)
class CastPicture:
    """Linear RGB light, the same of the empty tray, and what each pixel shows."""

    light: Floats  # (h, w, 3)
    empty: Floats | None  # (h, w, 3)
    part: NDArray[np.uint8]  # (h, w) a `Part`
    die: NDArray[np.int16]  # (h, w) number of the die, or -1


def cast(world: World, *, empty: bool = True) -> CastPicture:
    """A picture of a world."""
    sheets = [_sheet(world, k) for k in range(len(world.styles))]
    frame = _Frame.of(rows(world, sheets, np.random.default_rng(world.seed + 2)))
    everywhere = np.ones(frame.shape, bool)
    frame.see(everywhere, loose=True)
    frame.gather(everywhere)
    light = np.zeros((*frame.shape, 3), np.float32)
    frame.shade(everywhere, light, loose=True)
    part, die = frame.masks()
    return CastPicture(light, frame.empty(light, part) if empty else None, part, die)


@dataclass(frozen=True)
class _Frame:
    """What is known of each pixel, while it is worked out."""

    all: Rows
    found: NDArray[np.int32]  # (h, w)
    far: Floats
    normals: Floats
    soft: Floats  # (h, w, LIGHT)
    hard: Floats
    scratch: Floats

    @classmethod
    def of(cls, all_: Rows) -> "_Frame":
        shape = int(all_.w[at.HEIGHT]), int(all_.w[at.WIDTH])
        f = np.float32
        return cls(
            all_, np.full(shape, NOTHING, np.int32), np.zeros(shape, f), np.zeros((*shape, NORMALS), f),
            np.zeros((*shape, LIGHT), f), np.zeros((*shape, LIGHT), f), np.zeros(SCRATCH, f),
        )  # fmt: skip

    @property
    def shape(self) -> tuple[int, int]:
        return self.found.shape[0], self.found.shape[1]

    def see(self, only: NDArray[np.bool_], *, loose: bool) -> None:
        """What each pixel shows."""
        see_all(*self.all, self.scratch, loose, only, self.found, self.far, self.normals)

    def gather(self, only: NDArray[np.bool_]) -> None:
        """What light falls there."""
        looked = np.zeros(self.shape, np.int8)
        plan(self.all.w, only, self.found, looked)
        where = (self.found, self.far, self.normals)
        if self._has_sharp:
            light_all(*self.all, self.scratch, True, looked, *where, self.hard)
        raw = np.zeros_like(self.soft)
        light_all(*self.all, self.scratch, False, looked, *where, raw)
        for step in (1, 2):
            share(self.found, self.normals, looked, step, raw, self.soft)
        fill(self.found, self.normals, looked, self.soft)
        patch_up(*self.all, self.scratch, looked, *where, self.soft)

    @property
    def _has_sharp(self) -> bool:
        first, count = self.all.w[at.F_LAMPS], self.all.w[at.N_LAMPS]
        return bool(
            (self.all.f[first : first + count * at.LAMP].reshape(-1, at.LAMP)[:, 7] > 0).any()
        )

    def shade(self, only: NDArray[np.bool_], out: Floats, *, loose: bool) -> None:
        """What of it is seen."""
        where = (self.found, self.far, self.normals, self.soft, self.hard)
        shade_all(*self.all, self.scratch, loose, only, *where, out)

    def masks(self) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
        """What each pixel shows: a `Part`, and the number of the die or -1."""
        first, count = self.all.w[at.W_SOLIDS], self.all.w[at.N_SOLIDS]
        kinds = self.all.w[first : first + count * at.W_SOLID].reshape(-1, at.W_SOLID)
        kinds = np.vstack([kinds, [0, 0, Part.GROUND, 0, 0, -1]])
        solid = np.where(self.found >= 0, self.found, count)
        return kinds[solid, at.PART].astype(np.uint8), kinds[solid, at.OWN].astype(np.int16)

    def empty(self, light: Floats, part: NDArray[np.uint8]) -> Floats:
        """The tray alone: looked up anew where something lay, shaded anew where something took light."""
        hidden = part != Part.GROUND
        self.see(hidden, loose=False)
        # around what lay there, soft light had been shared among fewer than there are now
        near, about = _grown(hidden, NEAR_PX), _grown(hidden, 2 * NEAR_PX)
        other = replace(self, soft=np.zeros_like(self.soft), hard=self.hard)
        other.gather(about)
        self.soft[near] = other.soft[near]
        anew = np.zeros(self.shape, bool)
        changed(self.soft, self.hard, SAME, anew)
        anew = _grown(anew | near, 1)
        out = light.copy()
        self.shade(anew, out, loose=False)
        return out


def _grown(mask: NDArray[np.bool_], by_px: int) -> NDArray[np.bool_]:
    size = 2 * by_px + 1
    return cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)) > 0


def parts(world: World) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """(h, w) what each pixel shows, and the number of the die there or -1."""
    blank = DieSheet(np.zeros((6, 2, 2, 8), np.float32))
    frame = _Frame.of(rows(world, [blank] * len(world.styles), np.random.default_rng(0)))
    frame.see(np.ones(frame.shape, bool), loose=True)
    return frame.masks()


def tops_seen(world: World) -> list[float]:
    """The share of the flat of each die's top that the camera sees."""
    if not world.dice:
        return []
    blank = DieSheet(np.zeros((6, 2, 2, 8), np.float32))
    all_ = rows(world, [blank] * len(world.styles), np.random.default_rng(0))
    points = np.concatenate([_on_top(world, die) for die in world.dice])
    own = np.repeat(np.arange(len(world.dice)), len(points) // len(world.dice))
    hidden = np.zeros(len(points), bool)
    hide(*all_, points.astype(np.float32), own, hidden)
    pixels, size = world.camera.project(points), (world.camera.width, world.camera.height)
    hidden |= ~((pixels >= 0) & (pixels <= size)).all(axis=1)
    return [float(v) for v in 1 - hidden.reshape(len(world.dice), -1).mean(axis=1)]


def _on_top(world: World, die: RestingDie) -> Vector:
    """(n, 3) places on the flat of its top."""
    flat = min(0.9, 1 - world.styles[die.style].edge)
    a, b, _, d = die.top_face(flat)
    line = np.linspace(0, 1, TOP_POINTS)
    s, t = np.meshgrid(line, line)
    return np.asarray(a + s.reshape(-1, 1) * (b - a) + t.reshape(-1, 1) * (d - a))


def _sheet(world: World, style: int) -> DieSheet:
    """As many pixels as its largest die shows."""
    camera = world.camera
    edges = [
        d.edge_mm * camera.focal_px / max(1.0, float(np.linalg.norm(d.at - camera.at)))
        for d in world.dice
        if d.style == style
    ]
    return die_sheet(world.styles[style], int(np.clip(1.25 * max(edges, default=0), *SHEET_PX)))


def main() -> None:
    """How fast it is: pictures and dice a second, of each kind."""
    from training.scenes.kept_out import Purpose  # noqa: PLC0415
    from training.scenes.staging import KINDS, Wish, world  # noqa: PLC0415
    from training.scenes.throws.rest_library import load  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rests", type=Path, help="what training.scenes.throws.rest_library wrote")
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    library = load(options.rests)
    cast(world(0, Purpose.TEACH, library, Wish("table", size=(480, 360))))
    for kind in KINDS:
        begun, spent, dice = time.perf_counter(), time.process_time(), 0
        for seed in range(options.count):
            one = world(seed, Purpose.TEACH, library, Wish(kind, size=(480, 360)))
            cast(one, empty=kind != "field")
            dice += len(one.dice)
        wall, spent = time.perf_counter() - begun, time.process_time() - spent
        print(f"{kind}: {options.count / wall:.1f} pictures/s, {dice / wall:.0f} dice/s"
              f" ({options.count / spent:.1f} and {dice / spent:.0f} by CPU time)", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
