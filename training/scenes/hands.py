"""Draws hands and sleeves that reach into an image.

A hand consists of rounded cones that are blended into one surface.
"""

import numpy as np
from numpy.random import Generator

from training.scenes.colours import draw_skin_tone, scale_colour
from training.scenes.grounds.covers import draw_cover
from training.scenes.kept_out import Chooser
from training.scenes.noise import tileable_fractal
from training.scenes.world import Cover, Form, HandShape, Part, Rotation, Solid, Vector

PALM_MM = 17.0
"""Half of the thickness of a palm, and the radius of the cones inside it."""


def draw_skin_cover(rng: Generator, side: int) -> Cover:
    """Draw the surface material of skin, which is slightly mottled and has creases.

    Args:
        rng: Source of random numbers.
        side: Width and height of the texture tile in pixels.
    """
    tone = np.array(draw_skin_tone(rng))
    red = np.array(scale_colour((float(tone[0]), float(tone[1]), float(tone[2])), 0.8)) * (
        1.12,
        0.85,
        0.85,
    )
    share = tileable_fractal(rng, side, 6)[..., None] * float(rng.uniform(0.1, 0.6))
    colours = (tone + (red - tone) * share).clip(0, 1).astype(np.float32)
    return Cover(
        colours,
        tileable_fractal(rng, side, 20),
        60.0,
        0.0,
        float(rng.uniform(0.5, 0.85)),
        relief_mm=0.4,
    )


def draw_hand(chooser: Chooser, skin: int, tip: Vector) -> tuple[HandShape, Vector]:
    """Draw a hand whose fingers reach for a point.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        skin: Number of the surface material of the skin.
        tip: Point (3,) on the floor for which the fingers reach, in millimetres.

    Returns:
        The hand, and the point (3,) at which the arm begins.
    """
    rng = chooser.rng
    angle, size = rng.uniform(0, 2 * np.pi), float(rng.uniform(0.75, 1.25))
    away = np.array([np.cos(angle), np.sin(angle), float(rng.uniform(0, 0.25))])
    side = np.array([-np.sin(angle), np.cos(angle), 0.0])
    height = float(rng.uniform(10, 70))
    palm = tip + away * 95 * size + (0, 0, height)
    chains: list[tuple[Vector, Vector, float, float]] = []
    for k in range(-2, 3):  # the palm is five chains side by side
        start = palm + side * k * 14 * size
        chains.append((start, start + away * 55 * size, PALM_MM * size, 1.1 * PALM_MM * size))
    _fingers(rng, chains, palm, away, side, size)
    wrist = palm + away * 60 * size
    chains.extend(
        (wrist + away * a * size, wrist + away * b * size, r * size, q * size)
        for a, b, r, q in ((0, 130, 20, 27), (130, 420, 27, 38))
    )
    parts = np.array([(*s, *e, a, b) for s, e, a, b in chains])
    return HandShape(parts[:, :3], parts[:, 3:6], parts[:, 6:], skin), wrist + away * 40 * size


def _fingers(  # noqa: PLR0917 - the pose of a hand
    rng: Generator, chains: list[tuple[Vector, Vector, float, float]], palm: Vector, away: Vector,
    side: Vector, size: float,
) -> None:  # fmt: skip
    curl, spread = float(rng.uniform(0, 1)), float(rng.uniform(0.02, 0.3))
    for k in range(4):
        if rng.random() < 0.12:  # a folded finger
            continue
        way = -away + side * (k - 1.5) * spread + (0, 0, float(rng.normal(-0.1, 0.15)))
        length = (38.0, 43.0, 40.0, 31.0)[k] * size
        at = palm + side * (k - 1.5) * 19 * size
        radius = 9.5 * size
        for _ in range(3):
            way = way / np.linalg.norm(way)
            end = at + way * length
            end[2] = max(end[2], radius)
            chains.append((at, end, radius, 0.9 * radius))
            at, length, radius = end, length * 0.66, radius * 0.92
            way = way + np.array([0, 0, -1.0]) * curl * float(rng.uniform(0.2, 0.8))
    thumb = palm + side * 34 * size * rng.choice([-1, 1]) + away * 20
    way = -away * 0.8 + (thumb - palm) / 60
    chains.append((thumb, thumb + way * 34 * size, 11 * size, 10 * size))
    chains.append(
        (thumb + way * 34 * size, thumb + way * 52 * size - away * 8, 10 * size, 8.5 * size)
    )


def make_sleeve(chooser: Chooser, cloth: int, start: Vector, way: Vector) -> Solid:
    """Return an arm in a sleeve, as a cylinder.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        cloth: Number of the surface material of the sleeve.
        start: Point (3,) at which the sleeve begins, in millimetres.
        way: Direction (3,) of the arm.
    """
    z = way / np.linalg.norm(way)
    x = np.cross(z, [0.1, 0.2, 1])
    x /= np.linalg.norm(x)
    turn: Rotation = np.column_stack([x, np.cross(z, x), z])
    radius, half = float(chooser.rng.uniform(30, 52)), 400.0
    return Solid(
        Form.CYLINDER,
        start + z * half,
        turn,
        np.array([radius, radius, half]),
        cloth,
        Part.HAND,
        6.0,
    )


def make_nails(chooser: Chooser, colour: int, hand: HandShape) -> list[Solid]:
    """Return a nail for each fingertip or, for three hands in ten, none at all.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        colour: Number of the surface material of the nails.
        hand: The hand to which the nails belong.
    """
    out = []
    for start, end, radii in zip(hand.starts, hand.ends, hand.radii, strict=True):
        if not 5 < radii[1] < 9.2:
            continue
        z = (end - start) / np.linalg.norm(end - start)
        x = np.cross(z, [0, 0, 1.0])
        x /= max(np.linalg.norm(x), 1e-6)
        y = np.cross(z, x)
        up = y if y[2] > 0 else -y
        half = radii[1] * np.array([0.62, 0.3, 0.75])
        out.append(Solid(Form.BALL, end + up * 0.78 * radii[1] + z * 0.35 * radii[1],
                         np.column_stack([x, up, np.cross(x, up)]), half, colour, Part.HAND))  # fmt: skip
    return out if chooser.rng.random() < 0.7 else []


def draw_sleeve_cover(chooser: Chooser, side: int) -> Cover:
    """Draw the surface material of a sleeve.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        side: Width and height of the texture tile in pixels.
    """
    return draw_cover(
        chooser,
        side,
        {"felt": 0.3, "weave": 0.3, "tartan": 0.1, "stripes": 0.1, "plain": 0.2, "knit": 0.05},
    )
