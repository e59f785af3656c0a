"""Puts dice on top of other dice, because simulated throws produce too few such cases for training."""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from training.scenes.scene_builder import rotation_about_z
from training.scenes.world import RestingDie

MAX_FLAT_DEG = 2.0
"""Largest tilt of a die on which another die can lie."""
MAX_OVERHANG = 0.46
"""Largest distance between the centres of the two dice along one axis, in edges of the lower die."""
MAX_TRIES = 8
MIN_CLEARANCE = 1.25
"""Smallest horizontal or vertical distance between the centres of the upper die and a third die, in edges."""


def stack_dice(rng: Generator, dice: tuple[RestingDie, ...]) -> tuple[RestingDie, ...]:
    """Return the dice with one of them moved onto another, if there is room.

    A single die gets a copy of itself on top.

    Args:
        rng: Source of random numbers.
        dice: The dice in the scene.
    """
    flat = [k for k, die in enumerate(dice) if die.top()[1] < MAX_FLAT_DEG and not die.stacked]
    if not flat:
        return dice
    for _ in range(MAX_TRIES):
        lower = int(rng.choice(flat))
        others = [k for k in range(len(dice)) if k != lower]
        upper = int(rng.choice(others)) if others else lower
        placed = _on(rng, dice[lower], dice[upper])
        rest = [die for k, die in enumerate(dice) if k not in (lower, upper)]
        if all(_is_clear(placed, die) for die in rest):
            base = replace(dice[lower], touching=True)
            return (*rest, base, placed)
    return dice


def _on(rng: Generator, lower: RestingDie, upper: RestingDie) -> RestingDie:
    """Return the upper die lying flat on the lower one, nearly aligned with it half of the time."""
    x, y = lower.turn[:, 0], lower.turn[:, 1]
    yaw = float(rng.normal(0, 0.12)) if rng.random() < 0.5 else float(rng.uniform(0, np.pi / 2))
    offset = rng.uniform(-MAX_OVERHANG, MAX_OVERHANG, 2) * lower.edge_mm
    level = [axis for axis in lower.turn.T if abs(axis[2]) < 0.5]
    x, y = level[0], level[1]
    at = lower.at + x * offset[0] + y * offset[1]
    at = np.array([at[0], at[1], lower.at[2] + (lower.edge_mm + upper.edge_mm) / 2])
    turn = rotation_about_z(yaw) @ _lying_flat(lower)
    quarter = rotation_about_z(np.pi / 2 * int(rng.integers(4)))
    faces = np.eye(3)[:, rng.permutation(3)] * rng.choice([-1, 1], 3)
    if np.linalg.det(faces) < 0:
        faces[:, 0] *= -1
    return replace(upper, at=at, turn=quarter @ turn @ faces, stacked=True, touching=True)


def _lying_flat(die: RestingDie) -> np.ndarray:
    """Return the axes (3, 3) of a die that lies exactly flat, rotated about the vertical axis like `die`."""
    side = next(axis for axis in die.turn.T if abs(axis[2]) < 0.5)
    return rotation_about_z(float(np.arctan2(side[1], side[0])))


def _is_clear(placed: RestingDie, other: RestingDie) -> bool:
    """Return whether a die that was placed on another one does not overlap a third die."""
    reach = (placed.edge_mm + other.edge_mm) / 2
    off = placed.at - other.at
    return bool(
        np.hypot(off[0], off[1]) > MIN_CLEARANCE * reach or abs(off[2]) > MIN_CLEARANCE * reach
    )
