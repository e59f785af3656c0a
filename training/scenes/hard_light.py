"""Draws hard light: one or two small lamps at any height in a dark room. Also moves lamps between two images.

A small lamp casts shadows with sharp edges and no detail. Such a shadow is easily mistaken for a
foreign object.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from training.scenes.kept_out import Chooser
from training.scenes.lighting import draw_direction, draw_room, draw_shades, make_lamp
from training.scenes.world import AreaLamp, Light, Vector

HARD_LAMP_WEIGHTS = {
    "high": 0.16, "middle": 0.2, "low": 0.18, "grazing": 0.08, "pair": 0.12, "near": 0.1, "flash": 0.08,
    "tube": 0.08,
}  # fmt: skip
"""Relative frequency of each kind of hard light."""
HEIGHTS_DEG = {"high": (0, 25), "middle": (25, 55), "low": (55, 72), "grazing": (72, 82)}
"""Range of the angle between straight up and the direction of a single distant lamp."""
RADIUS_EXPONENT = (-2.3, -0.9)
"""Range of a lamp's radius relative to its distance, as powers of ten: from a bare LED to a small lampshade."""
ROOM_EXPONENT = (-3.0, -0.5)
"""Range of the light from the room relative to the light from the lamp, as powers of ten."""
TUBE_LAMPS = 7
"""Number of small lamps in a row that form a tube, whose shadows are sharp in one direction only."""
SHADE_CHANCE = 0.15
"""Probability that something between the lamp and the tray casts a shadow on the tray."""
SWITCH_CHANCE = 0.35
"""Probability that one of several lamps has been switched off; otherwise, all lamps have been moved."""


def draw_hard_light(chooser: Chooser, span_mm: float, eye: Vector) -> Light:
    """Draw hard light on a tray: one small lamp, or two, in a room that adds hardly any light.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        span_mm: Width of the tray in millimetres.
        eye: Position (3,) of the camera in millimetres.
    """
    rng = chooser.rng
    kind = chooser.draw_kind("hard_lamps", HARD_LAMP_WEIGHTS)
    lamps = _lamps(rng, kind, span_mm, eye)
    shades = draw_shades(rng, lamps[0], span_mm) if rng.random() < SHADE_CHANCE else ()
    room = draw_room(rng) * np.float32(10 ** rng.uniform(*ROOM_EXPONENT))
    return Light(room, lamps, shades, f"hard {kind}")


def _lamps(rng: Generator, kind: str, span_mm: float, eye: Vector) -> tuple[AreaLamp, ...]:
    size = float(10 ** rng.uniform(*RADIUS_EXPONENT))
    if kind == "flash":
        beside = rng.normal(0, 0.08, 3) * float(np.linalg.norm(eye))
        return (make_lamp(rng, eye + beside, size, 1.0),)
    if kind == "near":
        at = draw_direction(rng, 10, 60) * span_mm * rng.uniform(0.6, 1.2)
        return (make_lamp(rng, at, size, 1.0),)
    if kind == "pair":
        return tuple(
            make_lamp(rng, draw_direction(rng, 10, 75) * span_mm * rng.uniform(1, 5), size, 10 ** rng.uniform(-0.7, 0))
            for _ in range(2)
        )  # fmt: skip
    if kind == "tube":
        middle = draw_direction(rng, 5, 65) * span_mm * rng.uniform(1.5, 5)
        along = np.cross(middle, rng.normal(size=3))
        along *= rng.uniform(0.2, 0.6) / np.linalg.norm(along) * np.linalg.norm(middle)
        steps = np.linspace(-1, 1, TUBE_LAMPS)
        return tuple(
            make_lamp(rng, middle + s * along, 0.015, 1.0 / TUBE_LAMPS, 0.05) for s in steps
        )
    at = draw_direction(rng, *HEIGHTS_DEG[kind]) * span_mm * rng.uniform(1, 6)
    return (make_lamp(rng, at, size, 1.0),)


def move_lamps(rng: Generator, light: Light) -> Light:
    """Return the light in the same room at a different time, with the lamps moved or one lamp switched off.

    Args:
        rng: Source of random numbers.
        light: The light in the image with dice.
    """
    lamps = list(light.lamps)
    shades = light.shades
    if len(lamps) > 1 and rng.random() < SWITCH_CHANCE:
        del lamps[int(rng.integers(len(lamps)))]
        shades = ()
    else:
        lamps = [_moved(rng, lamp) for lamp in lamps]
    room = light.room * np.float32(np.exp(rng.normal(0, 0.3)))
    return replace(light, room=room, lamps=tuple(lamps), shades=shades)


def _moved(rng: Generator, lamp: AreaLamp) -> AreaLamp:
    """Return a lamp rotated around the tray by some degrees, with a different height and power."""
    angle = np.radians(rng.normal(0, 18))
    c, s = np.cos(angle), np.sin(angle)
    at = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ lamp.at
    at[2] *= np.exp(rng.normal(0, 0.15))
    return replace(lamp, at=at, power=lamp.power * np.exp(rng.normal(0, 0.25)))
