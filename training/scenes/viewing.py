"""Cameras over trays: how wide, how far, how far from upright."""

import numpy as np
from numpy.random import Generator

from training.scenes.throws.rest import Rest
from training.scenes.world import Pinhole, RestingDie, Vector

SIZES = ((480, 360), (480, 270), (400, 400), (480, 320))
FILL = {"table": (0.5, 0.97), "field": (0.7, 1.02), "clutter": (0.6, 1.1)}
"""How much of the picture's height the tray takes."""
CLOSE = (0.1, 0.62)
"""How much of its width one die takes, close up."""
NEAR_SIZES = ((360, 270), (300, 300))
NEAR_PX = (26.0, 130.0)
"""Of a die through a longer lens."""
LEANING_DEG = 8.0
LOW_DEG = (32.0, 64.0)
"""Angle between straight down and the view of a camera that looks from the side."""


def overhead(
    rng: Generator,
    rest: Rest,
    dice: tuple[RestingDie, ...],
    kind: str,
    size: tuple[int, int] | None,
    *,
    low: bool = False,
) -> Pinhole:
    """A camera for a rest, over the tray or close to a die."""
    width, height = size or SIZES[int(rng.choice(len(SIZES), p=[0.45, 0.3, 0.1, 0.15]))]
    tilt = abs(rng.normal(0, np.radians(6)))
    if rng.random() < 0.25:
        tilt = np.radians(rng.uniform(8, 26))
    if rest.open_floor and rng.random() < 0.2:
        tilt = np.radians(rng.uniform(15, 42))
    if low:
        tilt = np.radians(rng.uniform(*LOW_DEG))
    fov = np.radians(rng.uniform(28, 95))  # of the longer side
    focal = max(width, height) / 2 / np.tan(fov / 2)
    if kind == "close" and dice:
        die = dice[0]
        share = float(np.exp(rng.uniform(*np.log(CLOSE))))
        away = max(focal * die.edge_mm / (share * width), 1.6 * die.edge_mm)
        aim = die.at + rng.normal(0, 0.6, 3) * die.edge_mm * (1, 1, 0)
        return looking(rng, (width, height), focal, aim, away + die.edge_mm, tilt)
    span = _span(rest, dice)
    away = focal * span / (float(rng.uniform(*FILL.get(kind, FILL["table"]))) * height)
    aim = np.array([*rng.normal(0, 0.04 * span, 2), 0.0])
    if rest.open_floor and dice:
        aim += np.mean([d.at for d in dice], axis=0) * (1, 1, 0)
    return looking(rng, (width, height), focal, aim, away, tilt)


def _span(rest: Rest, dice: tuple[RestingDie, ...]) -> float:
    """How deep what matters is, in millimetres."""
    if not rest.open_floor:
        return float(np.ptp(rest.tray.outline, axis=0).min())
    if not dice:
        return 150.0
    places = np.array([d.at for d in dice])
    return max(
        float(np.ptp(places[:, :2], axis=0).max()) + 3 * dice[0].edge_mm, 5 * dice[0].edge_mm
    )


def nearer(rng: Generator, eye: Pinhole, dice: tuple[RestingDie, ...]) -> Pinhole:
    """From the same place through a longer lens at one of the dice, more often at one that leans.

    A camera of full size shows a die by so many pixels; all of a tray in so many takes six times as long.
    """
    leaning = [die for die in dice if die.top()[1] > LEANING_DEG or die.stacked]
    some = leaning if leaning and rng.random() < 0.5 else dice
    die = some[int(rng.integers(len(some)))]
    aim = die.at + rng.normal(0, 0.9, 3) * die.edge_mm * (1, 1, 0)
    edge_px = float(np.exp(rng.uniform(*np.log(NEAR_PX))))
    focal = edge_px * float(np.linalg.norm(aim - eye.at)) / die.edge_mm
    size = NEAR_SIZES[int(rng.integers(len(NEAR_SIZES)))]
    return _aimed(rng, size, focal, eye.at, aim)


def looking(  # noqa: PLR0917 - what a view is
    rng: Generator, size: tuple[int, int], focal: float, aim: Vector, away: float, tilt: float
) -> Pinhole:
    """From so far away at a place, so far from upright, turned a little or anyhow."""
    azimuth = rng.uniform(0, 2 * np.pi)
    lean = np.sin(tilt)
    at = aim + away * np.array([lean * np.cos(azimuth), lean * np.sin(azimuth), np.cos(tilt)])
    return _aimed(rng, size, focal, at, aim)


def _aimed(rng: Generator, size: tuple[int, int], focal: float, at: Vector, aim: Vector) -> Pinhole:
    ahead = (aim - at) / np.linalg.norm(aim - at)
    roll = rng.normal(0, 0.12) if rng.random() < 0.7 else rng.uniform(0, 2 * np.pi)
    down = np.cross(ahead, [np.cos(roll), np.sin(roll), 0])
    down /= np.linalg.norm(down)
    right = np.cross(down, ahead)
    return Pinhole(size[0], size[1], float(focal), at, np.array([right, down, ahead]))
