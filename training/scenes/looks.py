"""What a die, a cloth, a coin can look like: drawn at random, as widely as dice are sold.

Colours are linear RGB, 0..1. A die is a cube of edge 2 around its own centre; +x is the 1, +y the
2, +z the 3, opposite faces sum to 7.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

FACE_PX = 128
PLACES = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}
Colour = tuple[float, float, float]


@dataclass(frozen=True)
class DieLook:
    """One set of dice. Lengths are in half edges of the die."""

    body: Colour
    second: Colour  # of a marbled or speckled body
    marbling: float  # 0: one colour
    grain: float  # of the marbling: how often it changes along an edge
    pip: Colour
    lone: Colour  # of the 1, and of the 4 where `asian`
    asian: bool
    lone_scale: float
    radius: float
    spread: tuple[float, float, float, float]  # how far pips of the 2, 3, 4, 5 are from the middle
    six: tuple[float, float]  # the same across and along the rows of the 6
    level_two: bool  # the 2 along an edge, not a diagonal
    dent: float  # 0: printed; 1: a deep bowl
    ring: float  # 0: filled; else the width of a ring's line in pip radii
    edge: float  # radius of the rounded edge
    ball: float  # radius of the ball that cuts the corners; 2: none
    rough: float
    clear: float  # 0: opaque; 1: glass
    turns: tuple[bool, bool, bool]  # of the 2, 3 and 6
    wear: float
    wobble: float  # how far pips are drilled off their places


def colour(rng: Generator, saturation: float, value: float) -> Colour:
    """A random hue; linear RGB."""
    hsv = np.array([[[rng.uniform(0, 360), saturation, value]]], np.float32)
    srgb = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0]
    red, green, blue = (float(c) for c in srgb**2.2)
    return red, green, blue


def light(rng: Generator) -> Colour:
    """White, ivory, pale."""
    return colour(rng, float(rng.beta(1, 5) * 0.6), float(rng.uniform(0.75, 0.97)))


def dark(rng: Generator) -> Colour:
    """Black, nearly black."""
    return colour(rng, float(rng.uniform(0, 0.9)), float(rng.beta(1, 2.5) * 0.4))


def strong(rng: Generator) -> Colour:
    """Red, blue, green, yellow."""
    return colour(rng, float(rng.uniform(0.45, 1)), float(rng.uniform(0.25, 0.95)))


def wooden(rng: Generator) -> Colour:
    """Bare wood, bone."""
    tone = np.array([0.62, 0.40, 0.20]) * rng.uniform(0.5, 1.35) * rng.uniform(0.85, 1.15, 3)
    red, green, blue = (float(c) for c in np.clip(tone, 0, 0.95))
    return red, green, blue


def skin_tone(rng: Generator) -> Colour:
    """Of a hand, from the darkest to the palest."""
    tone = np.array([0.75, 0.45, 0.32]) * rng.uniform(0.12, 1.15) * rng.uniform(0.9, 1.1, 3)
    red, green, blue = (float(c) for c in np.clip(tone, 0, 1))
    return red, green, blue


def brightness(rgb: Colour) -> float:
    """As an eye sees it: 0..1."""
    return float(np.dot(rgb, (0.21, 0.72, 0.07))) ** (1 / 2.2)


def die_look(rng: Generator) -> DieLook:
    """A set of dice whose pips can be told from their body."""
    kind = rng.choice(["white", "black", "strong", "wood", "any"], p=[0.38, 0.17, 0.27, 0.1, 0.08])
    clear = float(rng.uniform(0.4, 1)) if kind == "strong" and rng.random() < 0.4 else 0.0
    while True:
        body = {"white": light, "black": dark, "strong": strong, "wood": wooden}.get(kind, strong)(
            rng
        )
        if kind == "any":
            body = colour(rng, float(rng.uniform(0, 1)), float(rng.uniform(0, 1)))
        pip = rng.choice([dark, light, strong], p=[0.45, 0.33, 0.22])(rng)
        if abs(brightness(body) - brightness(pip)) > 0.28:
            break
    asian = bool(kind == "white" and rng.random() < 0.2)
    red = (float(rng.uniform(0.4, 0.8)), float(rng.uniform(0, 0.08)), float(rng.uniform(0, 0.08)))
    radius = float(rng.uniform(0.12, 0.25))
    spread = rng.uniform(0.3, 0.62) * rng.normal(1, 0.16, 4)
    six = float(rng.uniform(0.22, 0.6)), float(rng.uniform(0.4, 0.66))
    return DieLook(
        body=body,
        second=colour(
            rng, float(rng.uniform(0, 1)), brightness(body) * float(rng.uniform(0.5, 1.2))
        )
        if max(body) > 0
        else body,
        marbling=float(rng.uniform(0.1, 0.8)) if rng.random() < 0.2 else 0.0,
        grain=float(10 ** rng.uniform(-0.2, 1.3)),
        pip=pip,
        lone=red if asian else pip,
        asian=asian,
        lone_scale=float(rng.uniform(1.3, 1.9)) if asian or rng.random() < 0.12 else 1.0,
        radius=radius,
        spread=(
            _clipped(spread[0], 0.8 * radius, 0.92 - radius),
            _clipped(spread[1], 1.5 * radius, 0.92 - radius),
            _clipped(spread[2], 1.15 * radius, 0.92 - radius),
            _clipped(spread[3], 1.5 * radius, 0.92 - radius),
        ),
        six=(
            _clipped(six[0], 1.15 * radius, 0.92 - radius),
            _clipped(six[1], 2.1 * radius, 0.95 - radius),
        ),
        level_two=bool(rng.random() < 0.05),
        dent=0.0 if rng.random() < 0.25 else float(rng.uniform(0.3, 1)),
        ring=float(rng.uniform(0.3, 0.5)) if rng.random() < 0.03 else 0.0,
        edge=float(rng.choice([rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.45)])),
        ball=2.0 if rng.random() < 0.4 else float(rng.uniform(1.15, 1.5)),
        rough=float(rng.uniform(0.05, 0.7)),
        clear=clear,
        turns=(bool(rng.random() < 0.5), bool(rng.random() < 0.5), bool(rng.random() < 0.5)),
        wear=float(rng.uniform(0.1, 0.5)) if rng.random() < 0.1 else 0.0,
        wobble=float(rng.choice([0.0, 0.012, 0.03])),
    )


def glass_look(rng: Generator) -> DieLook:
    """A set of see-through dice: the pips below shine between those on top."""
    look = die_look(rng)
    pip = light(rng) if rng.random() < 0.8 else dark(rng)
    return replace(
        look,
        body=colour(rng, float(rng.uniform(0.3, 1)), float(rng.uniform(0.6, 1))),
        marbling=0.0,
        pip=pip,
        lone=pip,
        asian=False,
        rough=float(rng.beta(1, 6)),
        clear=float(rng.uniform(0.8, 1)),
        dent=min(look.dent, 0.6),
    )


def _clipped(length: float, least: float, most: float) -> float:
    return float(np.clip(length, min(least, most), most))


def pip_places(look: DieLook, value: int) -> NDArray[np.float64]:
    """(n, 2) centres of the pips of a face in half edges."""
    places = np.array(PLACES[value], float)
    if value == 6:
        places *= look.six
        return places[:, ::-1] if look.turns[2] else places
    if value > 1:
        places *= look.spread[value - 2]
    if value == 2 and look.level_two:
        places[:, 1] = 0
    if value in (2, 3) and look.turns[value - 2]:
        places[:, 0] *= -1
    return places


def skin(look: DieLook, rng: Generator) -> NDArray[np.float32]:
    """The six faces unrolled, 1 2 3 over 4 5 6: (2 FACE_PX, 3 FACE_PX, 3) of ink, lone ink, depth."""
    sheet = np.zeros((2 * FACE_PX, 3 * FACE_PX, 3), np.float32)
    grid = (np.arange(FACE_PX) + 0.5) / FACE_PX * 2 - 1
    x, y = np.meshgrid(grid, grid)
    for value in range(1, 7):
        row, column = divmod(value - 1, 3)
        face = sheet[row * FACE_PX : (row + 1) * FACE_PX, column * FACE_PX : (column + 1) * FACE_PX]
        radius = look.radius * (look.lone_scale if value == 1 else 1)
        layer = 1 if value == 1 or (look.asian and value == 4) else 0
        for px, py in pip_places(look, value):
            cx, cy = np.array((px, py)) + rng.normal(0, look.wobble, 2) if look.wobble else (px, py)
            distance = np.hypot(x - cx, y - cy) / radius
            ink = np.clip((1 - distance) * radius * FACE_PX / 2 + 0.5, 0, 1)
            if look.ring:
                ink *= np.clip((distance - 1 + look.ring) * radius * FACE_PX / 2 + 0.5, 0, 1)
            if look.wear:
                ink *= 1 - look.wear * (cv2.resize(rng.random((6, 6)), ink.shape) > 0.5)
            face[..., layer] = np.maximum(face[..., layer], ink)
            bowl = np.sqrt(np.clip(1 - distance**2, 0, 1))
            face[..., 2] = np.maximum(face[..., 2], bowl * look.dent * radius)
    return sheet
