"""Trays, dice, light and camera that stay for an evening, and the throws into them."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from training.rendering.sensor import CameraStyle, camera_style
from training.scenes.dice.choosing import die_style
from training.scenes.dice.die_style import DieStyle
from training.scenes.grounds.tray_shapes import rectangle
from training.scenes.kept_out import Chooser, Purpose
from training.scenes.lighting import light
from training.scenes.staging import (
    clutter,
    dressed,
    free_of,
    grounds,
    obstacles,
    reach_in,
    set_aside,
    walls,
)
from training.scenes.throws.rest import Rest
from training.scenes.throws.throwing import Throwing, thrown
from training.scenes.viewing import looking
from training.scenes.workbench import Workbench
from training.scenes.world import HandShape, Light, Pinhole, RestingDie, TrayFloor, World

SIZES = ((1280, 960), (1536, 864))
TRACED = 2 / 3
"""Of the size is traced, and enlarged before the camera takes it."""
SIDE = 768


@dataclass(frozen=True)
class Setting:
    """What stays all evening."""

    seed: int
    chooser: Chooser
    tray: TrayFloor
    edge_mm: float
    styles: tuple[DieStyle, ...]
    bench: Workbench
    grounds: tuple[int, int]
    drop_mm: float
    light: Light
    camera: Pinhole
    sensor: CameraStyle


@dataclass(frozen=True)
class PlannedThrow:
    """What one picture of it shows."""

    dice: int
    apart: bool = False
    hand: bool = False
    things: bool = False
    tricky: bool = False
    aside: bool = False


def setting(seed: int, purpose: Purpose) -> Setting:
    """The evening of a seed."""
    rng = np.random.default_rng(seed)
    chooser = Chooser(rng, purpose)
    width = float(rng.uniform(150, 330))
    corners = rectangle(width, width * float(rng.uniform(0.65, 1)))
    slope = float(rng.uniform(3, 15)) if rng.random() < 0.25 else 0.0
    tray = TrayFloor(corners, float(rng.uniform(10, 48)), float(rng.uniform(3, 16)), slope, corners)
    bench, drop = Workbench(SIDE), float(rng.uniform(2, 8))
    both = grounds(bench, chooser)
    walls(bench, chooser, bare(tray), drop, both[0])
    camera = _over(rng, tray)
    styles = tuple(die_style(chooser) for _ in range(1 if rng.random() < 0.6 else 2))
    shining = light(chooser, width, camera.at)
    sensor = camera_style(rng, moderate=True)
    return Setting(
        seed,
        chooser,
        tray,
        float(rng.uniform(9.5, 20)),
        styles,
        bench,
        both,
        drop,
        shining,
        camera,
        sensor,
    )


def bare(tray: TrayFloor) -> Rest:
    none = np.zeros((0, 3))
    flags = np.zeros(0, bool)
    return Rest(tray, np.zeros(0), none, np.zeros((0, 4)), flags, flags, (), open_floor=False)


def _over(rng: Generator, tray: TrayFloor) -> Pinhole:
    """A camera that has all of the tray in view, most times level."""
    width, height = (int(v * TRACED) for v in SIZES[int(rng.integers(2))])
    focal = width / 2 / np.tan(np.radians(rng.uniform(42, 80)) / 2)
    tilt = np.radians(rng.uniform(0, 7) if rng.random() < 0.8 else rng.uniform(7, 18))
    size = np.ptp(tray.outline, axis=0) + 2 * tray.wall_mm * np.tan(np.radians(tray.slope_deg))
    away = (
        focal * max(size[1] / height, size[0] / width) / float(rng.uniform(0.78, 0.96))
        + tray.wall_mm
    )
    turned = looking(rng, (width, height), focal, np.zeros(3), away, tilt)
    roll = rng.normal(0, 0.06) + np.pi * rng.integers(2)
    down = np.cross(turned.turn[2], [np.cos(roll), np.sin(roll), 0])
    down /= np.linalg.norm(down)
    return replace(turned, turn=np.array([np.cross(down, turned.turn[2]), down, turned.turn[2]]))


def thrown_there(here: Setting, wanted: PlannedThrow, rng: Generator) -> Rest:
    """Dice at rest in this tray, as wanted where a few tries give it."""
    best = bare(here.tray)
    for _ in range(25 if wanted.tricky or wanted.apart else 4):
        rest = thrown(_throwing(here, wanted.dice, rng), rng)
        if rest is None or len(rest.edges_mm) < wanted.dice:
            continue
        best = rest
        amiss = bool(rest.stacked.any() or (rest.tilts_deg() > 5).any())
        if not (wanted.apart and (amiss or rest.touching.any())) and not (
            wanted.tricky and not amiss
        ):
            break
    return best


def _throwing(here: Setting, count: int, rng: Generator) -> Throwing:
    edge, way = here.edge_mm, rng.uniform(0, 2 * np.pi)
    ahead = np.array([np.cos(way), np.sin(way), 0])
    starts = rng.normal(0, 0.7 * edge, (count, 3)) + [0, 0, here.tray.wall_mm + 2.5 * edge]
    starts[:, 2] += rng.permutation(count) * edge * 0.7
    starts -= ahead * np.abs(here.tray.outline).max(axis=0).min() * 0.4
    speeds = np.column_stack([
        ahead * rng.uniform(0, 80) + rng.normal(0, 10, (count, 3)), rng.normal(0, 14, (count, 3))
    ])  # fmt: skip
    return Throwing(here.tray, np.full(count, edge), starts, speeds, float(rng.uniform(0.35, 0.9)))


def scene(here: Setting, wanted: PlannedThrow, seed: int) -> World:
    """One picture of the evening."""
    rng = np.random.default_rng(seed)
    chooser = Chooser(rng, here.chooser.purpose)
    rest = thrown_there(here, wanted, rng) if wanted.dice else bare(here.tray)
    bench = Workbench(SIDE, list(here.bench.covers), list(here.bench.solids))
    dice: tuple[RestingDie, ...] = dressed(rng, rest, here.styles)
    if wanted.aside:
        dice += set_aside(
            rng, replace(rest, edges_mm=np.array([here.edge_mm])), len(here.styles), here.drop_mm
        )
    hand: HandShape | None = reach_in(bench, chooser, rest) if wanted.hand else None
    dice = free_of(hand, dice)
    obstacles(bench, chooser, rest)
    if wanted.things:
        reach = float(np.abs(here.tray.outline).max())
        clutter(
            bench,
            chooser,
            "clutter" if rng.random() < 0.3 else "table",
            dice,
            rest,
            here.drop_mm,
            reach,
        )
    return World(
        seed, "evening", here.tray, *here.grounds, here.drop_mm, here.styles, dice, tuple(bench.covers),
        tuple(bench.solids), hand, here.light, here.camera,
    )  # fmt: skip
