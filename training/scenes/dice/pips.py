"""Draws the positions and shapes of pips at random. Lengths are in half edges of the die."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.scenes.colours import (
    Rgb,
    draw_any_colour,
    draw_black,
    draw_metal,
    draw_strong,
    draw_white,
    from_hsv,
)
from training.scenes.kept_out import Chooser

PIP_GRID: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}
MARK_WEIGHTS = {
    "disc": 0.8,
    "squarish": 0.06,
    "diamond": 0.03,
    "ring": 0.04,
    "flower": 0.03,
    "star": 0.04,
}
ASIAN_SHARE = 0.15
"""Share of sets with a red 1 and 4, the 1 often large, and the others black or blue in most sets."""
ASIAN_LEVEL_TWO_SHARE, LEVEL_TWO_SHARE = 0.7, 0.15
"""Share of sets in which the pips of the 2 lie along an edge, among Asian and other sets."""


@dataclass(frozen=True)
class PipMarks:
    """The positions, shapes and colours of the pips of a set of dice."""

    kind: str
    colour: Rgb
    lone: Rgb  # colour of the 1, and of the 4 if `asian`
    asian: bool
    many: tuple[Rgb, ...]  # a colour for each face, or empty
    lone_scale: float
    radius: float
    spread: tuple[
        float, float, float, float
    ]  # distance of the pips of the 2, 3, 4 and 5 from the centre
    six: tuple[float, float]  # distance of the pips of the 6 across and along its rows
    level_two: bool  # the pips of the 2 lie along an edge, not along a diagonal
    turns: tuple[bool, bool, bool]  # whether the 2, 3 and 6 are rotated
    power: float  # exponent of the outline: 2 round, 1 a diamond, 8 a square
    lobes: int  # number of lobes of a flower or star
    lobe: float  # how far the lobes stick out
    hole: float  # inner radius of a ring, in radii; 0 for a filled pip
    rim: float  # width of an outline in another colour, in radii
    rim_colour: Rgb
    wobble: float  # random offset of pips
    turn: float  # rotation of each mark in radians


def draw_pip_marks(chooser: Chooser) -> PipMarks:
    """Draw the pips of a set of dice, with any colours."""
    rng = chooser.rng
    kind = chooser.draw_kind("mark", MARK_WEIGHTS)
    power = {"squarish": float(rng.uniform(3, 9)), "diamond": float(rng.uniform(0.9, 1.3))}.get(
        kind, 2.0
    )
    lobe = {"flower": float(rng.uniform(0.08, 0.2)), "star": float(rng.uniform(0.3, 0.45))}.get(
        kind, 0.0
    )
    reach = {"squarish": 1.2, "diamond": 1.25}.get(kind, 1 + lobe)
    wide = float(rng.uniform(0.1, 0.26))  # outer radius of a mark
    radius = wide / reach
    pip = [draw_black, draw_white, draw_strong, draw_any_colour, draw_metal][
        int(rng.choice(5, p=[0.42, 0.33, 0.13, 0.08, 0.04]))
    ](rng)
    asian = bool(rng.random() < ASIAN_SHARE)
    if asian and rng.random() < 0.4:
        pip = from_hsv(
            float(rng.uniform(0.57, 0.68)),
            float(rng.uniform(0.6, 1)),
            float(rng.uniform(0.25, 0.85)),
        )
    red = from_hsv(
        rng.uniform(-0.03, 0.03), float(rng.uniform(0.8, 1)), float(rng.uniform(0.6, 0.95))
    )
    lone = red if asian else draw_strong(rng) if rng.random() < 0.04 else pip
    spread = rng.uniform(0.3, 0.62) * rng.normal(1, 0.14, 4)
    many = tuple(draw_strong(rng) for _ in range(6)) if rng.random() < 0.02 else ()
    return PipMarks(
        kind, pip, lone, asian, many,
        lone_scale=float(rng.uniform(1.3, 1.95)) if asian or rng.random() < 0.12 else 1.0,
        radius=radius,
        spread=(
            _within(spread[0], 0.8 * wide, 0.92 - wide), _within(spread[1], 1.75 * wide, 0.92 - wide),
            _within(spread[2], 1.2 * wide, 0.92 - wide), _within(spread[3], 1.75 * wide, 0.92 - wide),
        ),
        six=(
            _within(float(rng.uniform(0.22, 0.6)), 1.2 * wide, 0.92 - wide),
            _within(float(rng.uniform(0.4, 0.66)), 2.35 * wide, 0.95 - wide),
        ),
        level_two=bool(rng.random() < (ASIAN_LEVEL_TWO_SHARE if asian else LEVEL_TWO_SHARE)),
        turns=(bool(rng.random() < 0.5), bool(rng.random() < 0.5), bool(rng.random() < 0.5)),
        power=power,
        lobes={"flower": int(rng.integers(4, 8)), "star": 5}.get(kind, 0),
        lobe=lobe,
        hole=float(rng.uniform(0.35, 0.65)) if kind == "ring" else 0.0,
        rim=float(rng.uniform(0.12, 0.3)) if rng.random() < 0.05 else 0.0,
        rim_colour=draw_any_colour(rng),
        wobble=float(rng.choice([0.0, 0.012, 0.025], p=[0.6, 0.25, 0.15])),
        turn=float(rng.choice([0, np.pi / 4, rng.uniform(0, 6.28)])),
    )  # fmt: skip


def _within(length: float, least: float, most: float) -> float:
    return float(np.clip(length, min(least, most), most))


def pip_centres(marks: PipMarks, value: int) -> NDArray[np.float64]:
    """Return the centres (n, 2) of the pips on a face.

    Args:
        marks: Shapes and positions of the pips.
        value: Number of pips, 1 to 6.
    """
    places = np.array(PIP_GRID[value], float)
    if value == 6:
        places *= marks.six
        return places[:, ::-1] if marks.turns[2] else places
    if value > 1:
        places *= marks.spread[value - 2]
    if value == 2 and marks.level_two:
        places[:, 1] = 0
    if value in (2, 3) and marks.turns[value - 2]:
        places[:, 0] *= -1
    return places


def pip_colour(marks: PipMarks, value: int) -> Rgb:
    """Return the colour of the pips on a face.

    Args:
        marks: Shapes and positions of the pips.
        value: Number of pips, 1 to 6.
    """
    if marks.many:
        return marks.many[value - 1]
    return marks.lone if value == 1 or (marks.asian and value == 4) else marks.colour
