"""The tray, dice, light and camera of an evening, which stay the same while dice are thrown."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from training.rendering.sensor import CameraStyle, draw_camera_style
from training.scenes.dice.choosing import choose_die_style
from training.scenes.dice.die_style import DieStyle
from training.scenes.grounds.tray_shapes import rectangle_corners
from training.scenes.kept_out import Chooser, Purpose
from training.scenes.lighting import draw_light
from training.scenes.scene_builder import SceneBuilder
from training.scenes.staging import (
    add_clutter,
    add_grounds,
    add_hand,
    add_obstacles,
    add_walls,
    dress_dice,
    place_aside,
    remove_dice_in_hand,
)
from training.scenes.throws.rest import Rest
from training.scenes.throws.throwing import ThrowSetup, simulate_throw
from training.scenes.viewing import aim_camera
from training.scenes.world import HandShape, Light, Pinhole, RestingDie, TrayFloor, World

IMAGE_SIZES_PX = ((1280, 960), (1536, 864))
TRACED_SCALE = 2 / 3
"""Scale at which an image is path traced. It is enlarged before the simulated camera takes it."""
TILE_PX = 768


@dataclass(frozen=True)
class Setting:
    """The tray, dice, light and camera of an evening, which stay the same."""

    seed: int
    chooser: Chooser
    tray: TrayFloor
    edge_mm: float
    styles: tuple[DieStyle, ...]
    builder: SceneBuilder
    grounds: tuple[int, int]
    drop_mm: float
    light: Light
    camera: Pinhole
    sensor: CameraStyle


@dataclass(frozen=True)
class PlannedThrow:
    """The plan for one image of an evening.

    Attributes:
        dice: Number of dice.
        apart: Whether all dice must lie flat, without touching each other.
        hand: Whether a hand reaches into the tray.
        things: Whether there may be foreign objects.
        tricky: Whether a die should be cocked or stacked.
        aside: Whether dice lie beside the tray.
    """

    dice: int
    apart: bool = False
    hand: bool = False
    things: bool = False
    tricky: bool = False
    aside: bool = False


def draw_setting(seed: int, purpose: Purpose) -> Setting:
    """Draw the tray, dice, light and camera of an evening.

    Args:
        seed: Seed for the evening.
        purpose: Whether the images are for training or for one of the two kinds of tests.
    """
    rng = np.random.default_rng(seed)
    chooser = Chooser(rng, purpose)
    width = float(rng.uniform(150, 330))
    corners = rectangle_corners(width, width * float(rng.uniform(0.65, 1)))
    slope = float(rng.uniform(3, 15)) if rng.random() < 0.25 else 0.0
    tray = TrayFloor(corners, float(rng.uniform(10, 48)), float(rng.uniform(3, 16)), slope, corners)
    builder, drop = SceneBuilder(TILE_PX), float(rng.uniform(2, 8))
    both = add_grounds(builder, chooser)
    add_walls(builder, chooser, empty_rest(tray), drop, both[0])
    camera = _over(rng, tray)
    styles = tuple(choose_die_style(chooser) for _ in range(1 if rng.random() < 0.6 else 2))
    shining = draw_light(chooser, width, camera.at)
    sensor = draw_camera_style(rng, moderate=True)
    return Setting(
        seed,
        chooser,
        tray,
        float(rng.uniform(9.5, 20)),
        styles,
        builder,
        both,
        drop,
        shining,
        camera,
        sensor,
    )


def empty_rest(tray: TrayFloor) -> Rest:
    """Return a throw into a tray that contains no dice."""
    none = np.zeros((0, 3))
    flags = np.zeros(0, bool)
    return Rest(tray, np.zeros(0), none, np.zeros((0, 4)), flags, flags, (), open_floor=False)


def _over(rng: Generator, tray: TrayFloor) -> Pinhole:
    """Draw a camera that sees the whole tray, nearly always from straight above."""
    width, height = (int(v * TRACED_SCALE) for v in IMAGE_SIZES_PX[int(rng.integers(2))])
    focal = width / 2 / np.tan(np.radians(rng.uniform(42, 80)) / 2)
    tilt = np.radians(rng.uniform(0, 7) if rng.random() < 0.8 else rng.uniform(7, 18))
    size = np.ptp(tray.outline, axis=0) + 2 * tray.wall_mm * np.tan(np.radians(tray.slope_deg))
    away = (
        focal * max(size[1] / height, size[0] / width) / float(rng.uniform(0.78, 0.96))
        + tray.wall_mm
    )
    turned = aim_camera(rng, (width, height), focal, np.zeros(3), away, tilt)
    roll = rng.normal(0, 0.06) + np.pi * rng.integers(2)
    down = np.cross(turned.turn[2], [np.cos(roll), np.sin(roll), 0])
    down /= np.linalg.norm(down)
    return replace(turned, turn=np.array([np.cross(down, turned.turn[2]), down, turned.turn[2]]))


def resized_camera(camera: Pinhole, scale: float) -> Pinhole:
    """Return a camera that takes the same image at another size.

    Args:
        camera: The camera.
        scale: Pixels of the new camera per pixel of the old one.
    """
    size = (round(camera.width * scale), round(camera.height * scale))
    return replace(camera, width=size[0], height=size[1], focal_px=camera.focal_px * scale)


def throw_as_planned(here: Setting, planned: PlannedThrow, rng: Generator) -> Rest:
    """Simulate throws until one of them is as planned, and return the dice at rest.

    After a few tries, the last throw is returned, or an empty tray if no throw has come to rest.

    Args:
        here: The tray, dice, light and camera of the evening.
        planned: The plan for the image.
        rng: Source of random numbers.
    """
    best = empty_rest(here.tray)
    for _ in range(25 if planned.tricky or planned.apart else 4):
        rest = simulate_throw(_throwing(here, planned.dice, rng), rng)
        if rest is None or len(rest.edges_mm) < planned.dice:
            continue
        best = rest
        is_unusual = bool(rest.stacked.any() or (rest.tilts_deg() > 5).any())
        if not (planned.apart and (is_unusual or rest.touching.any())) and not (
            planned.tricky and not is_unusual
        ):
            break
    return best


def _throwing(here: Setting, count: int, rng: Generator) -> ThrowSetup:
    edge, way = here.edge_mm, rng.uniform(0, 2 * np.pi)
    ahead = np.array([np.cos(way), np.sin(way), 0])
    starts = rng.normal(0, 0.7 * edge, (count, 3)) + [0, 0, here.tray.wall_mm + 2.5 * edge]
    starts[:, 2] += rng.permutation(count) * edge * 0.7
    starts -= ahead * np.abs(here.tray.outline).max(axis=0).min() * 0.4
    speeds = np.column_stack([
        ahead * rng.uniform(0, 80) + rng.normal(0, 10, (count, 3)), rng.normal(0, 14, (count, 3))
    ])  # fmt: skip
    return ThrowSetup(
        here.tray, np.full(count, edge), starts, speeds, float(rng.uniform(0.35, 0.9))
    )


def stage_throw(here: Setting, planned: PlannedThrow, seed: int) -> World:
    """Compose the scene of one image of an evening.

    Args:
        here: The tray, dice, light and camera of the evening.
        planned: The plan for the image.
        seed: Seed for the throw.
    """
    rng = np.random.default_rng(seed)
    chooser = Chooser(rng, here.chooser.purpose)
    rest = throw_as_planned(here, planned, rng) if planned.dice else empty_rest(here.tray)
    builder = SceneBuilder(TILE_PX, list(here.builder.covers), list(here.builder.solids))
    dice: tuple[RestingDie, ...] = dress_dice(rng, rest, here.styles)
    if planned.aside:
        dice += place_aside(
            rng, replace(rest, edges_mm=np.array([here.edge_mm])), len(here.styles), here.drop_mm
        )
    hand: HandShape | None = add_hand(builder, chooser, rest) if planned.hand else None
    dice = remove_dice_in_hand(hand, dice)
    add_obstacles(builder, chooser, rest)
    if planned.things:
        reach = float(np.abs(here.tray.outline).max())
        add_clutter(
            builder,
            chooser,
            "clutter" if rng.random() < 0.3 else "table",
            dice,
            rest,
            here.drop_mm,
            reach,
        )
    return World(
        seed, "evening", here.tray, *here.grounds, here.drop_mm, here.styles, dice, tuple(builder.covers),
        tuple(builder.solids), hand, here.light, here.camera,
    )  # fmt: skip
