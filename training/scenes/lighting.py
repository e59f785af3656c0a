"""Draws the light in a scene: a room, lamps of any size and colour, and cards that cast shadows with edges."""

import cv2
import numpy as np
from numpy.random import Generator

from training.scenes.colours import from_hsv
from training.scenes.kept_out import Chooser, Purpose
from training.scenes.world import AreaLamp, Floats, Light, Shade, Vector

ROOM_ROWS = 32  # rows of the panorama of the room
LAMP_WEIGHTS = {
    "none": 0.1, "one": 0.32, "two": 0.16, "three": 0.06, "window": 0.12, "flash": 0.04, "ring": 0.03,
    "candles": 0.04, "spots": 0.05, "low": 0.06, "rows": 0.01, "slit": 0.01,
}  # fmt: skip
ORDINARY_LAMP_WEIGHTS = {"one": 0.4, "two": 0.2, "window": 0.25, "none": 0.15}
SHADE_CHANCE = 0.3
"""Probability that something between a lamp and the tray casts shadows."""

HARD_ROOM_EXPONENT = (-3.0, -0.8)
"""Range of the light from the room relative to a lamp of power 1 under hard light, as powers of ten."""


def draw_light(chooser: Chooser, span_mm: float, eye: Vector, *, hard: bool = False) -> Light:
    """Draw the light on a tray at random.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        span_mm: Width of the tray in millimetres.
        eye: Position (3,) of the camera in millimetres.
        hard: Whether the light comes from one or two small lamps and hardly any from the room, so that
            shadows are black.
    """
    rng = chooser.rng
    ordinary = chooser.purpose is Purpose.ORDINARY
    kind = (
        "hard"
        if hard
        else chooser.draw_kind("lamps", ORDINARY_LAMP_WEIGHTS if ordinary else LAMP_WEIGHTS)
    )
    lamps = _hard_lamps(rng, span_mm) if hard else tuple(_lamps(rng, kind, span_mm, eye))
    shades: tuple[Shade, ...] = ()
    if lamps and rng.random() < (0.12 if ordinary else SHADE_CHANCE):
        shades = draw_shades(rng, lamps[0], span_mm)
    room = HARD_ROOM_EXPONENT if hard else (-1.5, 0.2) if lamps else (-0.3, 0.3)
    weak = 10 ** rng.uniform(*room)
    return Light(draw_room(rng) * np.float32(weak), lamps, shades, kind)


def draw_room(rng: Generator) -> Floats:
    """Draw a panorama (rows, 2 rows, 3) of the light from a room: walls, windows and distant lamps.

    A level surface gets about as much light from the room as from a lamp of power 1.
    """
    height, width = ROOM_ROWS, 2 * ROOM_ROWS
    walls = cv2.resize(rng.uniform(0.15, 1, (4, 8, 1)).astype(np.float32), (width, height))
    tint = np.array(from_hsv(rng.random(), float(rng.beta(1, 3)) * 0.7, 0.9))
    room = walls[..., None] * tint.astype(np.float32)
    if rng.random() < 0.3:  # a coloured wall on one side of the room
        side, wide = int(rng.integers(width)), int(rng.integers(6, 24))
        columns = (np.arange(wide) + side) % width
        room[6:, columns] *= np.array(
            from_hsv(rng.random(), rng.uniform(0.3, 0.9), 1.0), np.float32
        )
    for _ in range(int(rng.integers(0, 6))):
        x, y = int(rng.integers(width)), int(rng.integers(0, height // 2))
        w, h = int(rng.integers(2, 18)), int(rng.integers(2, 10))
        glow = np.array(from_hsv(rng.random(), float(rng.beta(1, 5)), 1.0)) * 10 ** rng.uniform(
            0, 1.3
        )
        room[y : y + h, (np.arange(w) + x) % width] = glow
    room[height // 2 :] *= np.float32(rng.uniform(0.1, 0.8))  # the floor of the room
    if rng.random() < 0.5:
        wide = cv2.copyMakeBorder(room, 0, 0, 8, 8, cv2.BORDER_WRAP)
        room = cv2.GaussianBlur(wide, (0, 0), float(rng.uniform(0.4, 3)))[:, 8:-8]
    room = _round_poles(room.astype(np.float32))
    return np.asarray(room / max(float(light_from_room(room).mean()), 1e-3), np.float32)


def _round_poles(room: Floats) -> Floats:
    """Blur the rows of a panorama near straight up and straight down, where all columns point almost the same way."""
    columns = room.shape[1]
    for row in (*range(5), *range(-5, 0)):
        away = row if row >= 0 else -1 - row
        line = np.tile(room[row : row + 1 or None], (1, 3, 1))
        smooth = (
            cv2.blur(line, (max(1, columns // (2 * away + 1)) | 1, 1))
            if away
            else line * 0 + line.mean(axis=1)
        )
        room[row] = smooth[0, columns : 2 * columns]
    return room


def light_from_room(room: Floats) -> Vector:
    """Return the RGB light (3,) that a level surface gets from a room, given its panorama."""
    rows = room.shape[0]
    angle = (np.arange(rows // 2) + 0.5) / rows * np.pi
    weight = np.cos(angle) * np.sin(angle) * (np.pi / rows) ** 2
    return np.asarray((room[: rows // 2] * weight[:, None, None]).sum(axis=(0, 1)), float)


def draw_direction(rng: Generator, low: float, high: float) -> Vector:
    """Draw a random direction, as a unit vector, within a range of angles from straight up.

    Args:
        rng: Source of random numbers.
        low: Smallest angle in degrees.
        high: Largest angle in degrees.
    """
    lean, azimuth = np.radians(rng.uniform(low, high)), rng.uniform(0, 2 * np.pi)
    return np.array([np.sin(lean) * np.cos(azimuth), np.sin(lean) * np.sin(azimuth), np.cos(lean)])


def make_lamp(
    rng: Generator, at: Vector, size: float, power: float, warm: float | None = None
) -> AreaLamp:
    """Return a lamp with a random tint.

    Args:
        rng: Source of random numbers.
        at: Position (3,) in millimetres.
        size: Radius as a share of the distance from the origin.
        power: Light that a level surface at the origin gets from the lamp.
        warm: Saturation of a warm tint, 0 to 1. None draws any tint.
    """
    tint = from_hsv(rng.random(), float(rng.beta(1, 4)) * 0.6, 1.0)
    if warm is not None:
        tint = from_hsv(0.09, warm, 1.0)
    return AreaLamp(at, size * float(np.linalg.norm(at)), np.array(tint) * power)


def _size(rng: Generator) -> float:
    """Draw the radius of a lamp as a share of its distance, from a point to a whole ceiling."""
    return float(10 ** rng.uniform(-2.3, -0.15))


def _lamps(  # noqa: PLR0911 - one return per kind
    rng: Generator, kind: str, span: float, eye: Vector
) -> list[AreaLamp]:
    far = span * float(rng.uniform(1.2, 6))
    reach = float(np.linalg.norm(eye))
    if kind in ("one", "two", "three"):
        count = {"one": 1, "two": 2, "three": 3}[kind]
        return [
            make_lamp(rng, draw_direction(rng, 0, 70) * far * rng.uniform(0.6, 1.5), _size(rng), 10 ** rng.uniform(-0.6, 0.2))
            for _ in range(count)
        ]  # fmt: skip
    if kind == "window":
        return [
            make_lamp(rng, draw_direction(rng, 45, 76) * far, float(rng.uniform(0.25, 0.7)), 1.0)
        ]
    if kind == "low":
        return [
            make_lamp(
                rng, draw_direction(rng, 60, 82) * far, _size(rng), float(rng.uniform(0.3, 1))
            )
        ]
    if kind == "flash":
        return [
            make_lamp(
                rng, eye + rng.normal(0, 0.05, 3) * reach, float(rng.uniform(0.004, 0.03)), 1.5
            )
        ]
    if kind == "ring":
        return [
            make_lamp(rng, eye + 0.12 * reach * np.array([np.cos(a), np.sin(a), 0]), 0.02, 0.2, 0.1)
            for a in np.arange(6) * np.pi / 3
        ]  # fmt: skip
    if kind == "candles":
        return [
            make_lamp(rng, draw_direction(rng, 40, 75) * far, 0.01, 0.4, 0.6)
            for _ in range(int(rng.integers(1, 4)))
        ]
    if kind == "spots":
        return [
            make_lamp(rng, draw_direction(rng, 0, 50) * far * 2, 0.02, 0.4)
            for _ in range(int(rng.integers(3, 6)))
        ]
    if kind == "rows":
        middle, step = draw_direction(rng, 0, 40) * far, float(rng.uniform(0.15, 0.4)) * far
        return [
            make_lamp(rng, middle + step * np.array([i, j, 0]), 0.02, 0.2, 0.1)
            for i in (-1, 0, 1)
            for j in (-1, 1)
        ]
    if kind == "slit":
        middle, way = (
            draw_direction(rng, 0, 60) * far,
            np.cross(draw_direction(rng, 0, 90), [0, 0, 1]),
        )
        return [
            make_lamp(rng, middle + way * far * s, 0.015, 0.25, 0.15)
            for s in np.linspace(-0.6, 0.6, 5)
        ]
    return []


def _hard_lamps(rng: Generator, span: float) -> tuple[AreaLamp, ...]:
    """Draw one small lamp or, in one image in five, two."""
    return tuple(
        make_lamp(rng, draw_direction(rng, 15, 75) * span * rng.uniform(1, 5), float(10 ** rng.uniform(-2.3, -1)), 1.0)
        for _ in range(int(rng.choice([1, 1, 1, 1, 2])))
    )  # fmt: skip


def draw_shades(rng: Generator, lamp: AreaLamp, span: float) -> tuple[Shade, ...]:
    """Draw cards, bars or a lattice between a lamp and a point in the tray, which cast shadows with edges.

    Args:
        rng: Source of random numbers.
        lamp: The lamp that they shade.
        span: Width of the tray in millimetres.
    """
    aim = np.array([*rng.uniform(-0.35, 0.35, 2) * span, 0.0])
    share = float(rng.uniform(0.15, 0.75))
    middle = aim + (lamp.at - aim) * share
    middle[2] = max(middle[2], 0.35 * span)
    turn = _facing(rng, lamp.at - aim)
    scale = span * (1 - share)
    kind = rng.choice(["card", "bars", "lattice", "cards"])
    if kind == "card":
        half = scale * rng.uniform(0.1, 0.6, 2)
        side = rng.choice([-1, 1])
        return (Shade(middle + turn[:, 0] * side * half[0], turn, half),)
    if kind == "cards":
        return tuple(
            Shade(middle + turn @ np.array([*rng.normal(0, 0.35, 2) * scale, 0]), _facing(rng, lamp.at - aim),
                  scale * rng.uniform(0.03, 0.25, 2))
            for _ in range(int(rng.integers(2, 6)))
        )  # fmt: skip
    gap = scale * float(rng.uniform(0.08, 0.35))
    bar = np.array([gap * rng.uniform(0.06, 0.4), 2 * scale])
    bars = [Shade(middle + turn[:, 0] * gap * k, turn, bar) for k in range(-3, 4)]
    if kind == "lattice":
        across = turn[:, [1, 0, 2]] * (1, 1, -1)
        bars += [Shade(middle + turn[:, 1] * gap * k, across, bar) for k in range(-2, 3)]
    return tuple(bars)


def _facing(rng: Generator, way: Vector) -> Vector:
    """Return the axes (3, 3) of a card that faces a direction, rotated at random about that direction."""
    z = way / np.linalg.norm(way)
    x = np.cross(z, rng.normal(size=3))
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
