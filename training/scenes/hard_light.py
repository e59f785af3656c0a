"""One small lamp in a dark room, at every height, and lamps that moved after the empty picture.

A small lamp casts shadows with sharp edges and no detail. Such a shadow is easily taken for a thing.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from training.scenes.kept_out import Chooser
from training.scenes.lighting import cast_edges, direction, lamp_at, room_light
from training.scenes.world import AreaLamp, Light, Vector

HARD_LAMPS = {
    "high": 0.16, "middle": 0.2, "low": 0.18, "grazing": 0.08, "pair": 0.12, "near": 0.1, "flash": 0.08,
    "tube": 0.08,
}  # fmt: skip
"""Kinds of hard light and how often each is drawn."""
HEIGHTS_DEG = {"high": (0, 25), "middle": (25, 55), "low": (55, 72), "grazing": (72, 82)}
"""Range of the angle between the way to the lamp and straight up, for one lamp far away."""
RADIUS_SHARE = (-2.3, -0.9)
"""Radius of a lamp as a power of ten of its distance: from a bare LED to a small shade."""
ROOM_POWER = (-3.0, -0.5)
"""Light from the room as a power of ten of the light from the lamp."""
TUBE_LAMPS = 7
"""A tube is a row of small lamps: its shadows are sharp in one direction only."""
EDGED_SHARE = 0.15
"""Share of pictures in which something between lamp and tray casts an edge."""
SWITCHED_SHARE = 0.35
"""Share of moved lights in which a lamp was switched on or off instead of moved."""


def hard_light(chooser: Chooser, span_mm: float, eye: Vector) -> Light:
    """Return one small lamp, or two, over a tray in a room that gives hardly any light.

    Args:
        chooser: source of random numbers; it never draws a lamp that is kept out of teaching.
        span_mm: width of the tray.
        eye: (3,) position of the camera in millimetres.
    """
    rng = chooser.rng
    kind = chooser.kind("hard_lamps", HARD_LAMPS)
    lamps = _lamps(rng, kind, span_mm, eye)
    shades = cast_edges(rng, lamps[0], span_mm) if rng.random() < EDGED_SHARE else ()
    room = room_light(rng) * np.float32(10 ** rng.uniform(*ROOM_POWER))
    return Light(room, lamps, shades, f"hard {kind}")


def _lamps(rng: Generator, kind: str, span_mm: float, eye: Vector) -> tuple[AreaLamp, ...]:
    size = float(10 ** rng.uniform(*RADIUS_SHARE))
    if kind == "flash":
        beside = rng.normal(0, 0.08, 3) * float(np.linalg.norm(eye))
        return (lamp_at(rng, eye + beside, size, 1.0),)
    if kind == "near":
        at = direction(rng, 10, 60) * span_mm * rng.uniform(0.6, 1.2)
        return (lamp_at(rng, at, size, 1.0),)
    if kind == "pair":
        return tuple(
            lamp_at(rng, direction(rng, 10, 75) * span_mm * rng.uniform(1, 5), size, 10 ** rng.uniform(-0.7, 0))
            for _ in range(2)
        )  # fmt: skip
    if kind == "tube":
        middle = direction(rng, 5, 65) * span_mm * rng.uniform(1.5, 5)
        along = np.cross(middle, rng.normal(size=3))
        along *= rng.uniform(0.2, 0.6) / np.linalg.norm(along) * np.linalg.norm(middle)
        steps = np.linspace(-1, 1, TUBE_LAMPS)
        return tuple(lamp_at(rng, middle + s * along, 0.015, 1.0 / TUBE_LAMPS, 0.05) for s in steps)
    at = direction(rng, *HEIGHTS_DEG[kind]) * span_mm * rng.uniform(1, 6)
    return (lamp_at(rng, at, size, 1.0),)


def moved_light(rng: Generator, light: Light) -> Light:
    """Return the light of the same room at another time: a lamp moved, or was switched.

    Args:
        rng: source of random numbers.
        light: the light of the picture with dice.
    """
    lamps = list(light.lamps)
    shades = light.shades
    if len(lamps) > 1 and rng.random() < SWITCHED_SHARE:
        del lamps[int(rng.integers(len(lamps)))]
        shades = ()
    else:
        lamps = [_moved(rng, lamp) for lamp in lamps]
    room = light.room * np.float32(np.exp(rng.normal(0, 0.3)))
    return replace(light, room=room, lamps=tuple(lamps), shades=shades)


def _moved(rng: Generator, lamp: AreaLamp) -> AreaLamp:
    """Return a lamp turned about the tray by some degrees, nearer or farther, of another power."""
    angle = np.radians(rng.normal(0, 18))
    c, s = np.cos(angle), np.sin(angle)
    at = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ lamp.at
    at[2] *= np.exp(rng.normal(0, 0.15))
    return replace(lamp, at=at, power=lamp.power * np.exp(rng.normal(0, 0.25)))
