"""Draws the appearance of a set of dice at random: body, pips, shape, finish and wear.

Lengths are in half edges of the die, and colours are linear.
"""

from dataclasses import dataclass, replace

import numpy as np

from training.scenes.colours import (
    Rgb,
    draw_any_colour,
    draw_black,
    draw_earth,
    draw_ivory,
    draw_metal,
    draw_pastel,
    draw_strong,
    draw_white,
    draw_wood,
    from_hsv,
    scale_colour,
)  # fmt: skip
from training.scenes.dice.pips import PipMarks, draw_pip_marks
from training.scenes.kept_out import KEPT_OUT, Chooser, Purpose, is_kept_out_pair

BODY_WEIGHTS = {
    "plain": 0.33, "marble": 0.08, "swirl": 0.08, "layers": 0.04, "speckle": 0.07, "blotch": 0.04,
    "wood": 0.09, "stone": 0.05, "gradient": 0.04, "metal": 0.05, "pearl": 0.05, "glitter": 0.04,
    "camouflage": 0.02, "flakes": 0.02, "cells": 0.05, "ribbons": 0.05, "halves": 0.05,
}  # fmt: skip
"""How often each pattern of the colours of a body is drawn."""
ORDINARY_BODY_WEIGHTS = {"plain": 0.7, "wood": 0.14, "marble": 0.08, "pearl": 0.08}
PALETTE_WEIGHTS = {"white": 0.27, "ivory": 0.1, "black": 0.14, "strong": 0.26, "pastel": 0.09,
            "earthy": 0.06, "any": 0.08}  # fmt: skip
ORDINARY_PALETTE_WEIGHTS = {"white": 0.35, "ivory": 0.15, "black": 0.15, "strong": 0.35}
COLOUR_DRAWERS = {
    "white": draw_white, "ivory": draw_ivory, "black": draw_black, "strong": draw_strong, "pastel": draw_pastel,
    "earthy": draw_earth, "any": draw_any_colour, "wood": draw_wood, "metal": draw_metal,
}  # fmt: skip
FINISH_WEIGHTS = {
    "painted": 0.22, "bowl": 0.36, "drilled": 0.22, "raised": 0.05, "groove": 0.05, "printed": 0.06,
    "inlaid": 0.04,
}  # fmt: skip
"""How often each way of making pips is drawn: paint on the surface, a painted bowl, a hole with a
flat bottom and so on."""


@dataclass(frozen=True)
class BodyMaterial:
    """The material of the body of a die, which fills its volume."""

    kind: str
    colours: tuple[Rgb, Rgb, Rgb]
    axis: tuple[float, float, float]
    scale: float  # number of changes along a half edge
    stretch: float  # stretch along the axis
    warp: float
    soft: float  # width of borders between colours: 0.02 sharp, 0.8 invisible
    share: float  # share of the second colour
    third: float  # share of the third colour
    seed: float  # offset in the noise
    rough: float
    second_rough: float
    metal: float
    clear: float  # 0 opaque, 1 glass
    second_clear: float


@dataclass(frozen=True)
class DieStyle:
    """The appearance of one set of dice."""

    body: BodyMaterial
    pips: PipMarks
    finish: str
    depth: float  # depth of pips; negative values stick out
    pip_rough: float
    pip_metal: float
    edge: float  # radius of the rounded edge
    ball: float  # radius of the ball that cuts the corners; 2 for none
    wear: float  # wear of the paint
    scratches: int
    dirt: float
    chips: float
    frame: float  # width of a line printed along the edges of a face; 0 for none
    logo: int  # face with a mark or letters beside the pips; 0 for none
    noise_seed: int


def draw_style(chooser: Chooser) -> DieStyle:
    """Draw the appearance of a set of dice, without checking that they can be read."""
    return _ordinary(chooser) if chooser.purpose is Purpose.ORDINARY else _drawn(chooser)


def is_kept_out(style: DieStyle) -> bool:
    """Return whether dice of this appearance are kept out of training."""
    return (
        style.body.kind in KEPT_OUT["body"]
        or style.pips.kind in KEPT_OUT["mark"]
        or style.finish in KEPT_OUT["finish"]
        or is_kept_out_pair(style.body.colours[0], style.pips.colour)
    )


def _ordinary(chooser: Chooser) -> DieStyle:
    """Draw the kind of dice that people usually own: single-coloured, wooden or glass, with round white or black pips."""
    rng = chooser.rng
    style = _drawn(chooser, ORDINARY_BODY_WEIGHTS)
    pip = (draw_white if rng.random() < 0.5 else draw_black)(rng)
    pips = replace(
        style.pips, colour=pip, lone=pip if style.pips.lone == style.pips.colour else style.pips.lone,
        power=2.0, lobes=0, hole=0.0, rim=0.0, wobble=min(style.pips.wobble, 0.02), many=(),
    )  # fmt: skip
    body = replace(style.body, third=0.0)
    return replace(
        style, body=body, pips=pips, wear=0.0, scratches=0, chips=0.0, frame=0.0, dirt=0.0,
        logo=style.logo if rng.random() < 0.3 else 0, pip_metal=0.0,
    )  # fmt: skip


def _drawn(chooser: Chooser, kinds: dict[str, float] | None = None) -> DieStyle:
    rng = chooser.rng
    body = draw_body(chooser, kinds or BODY_WEIGHTS)
    finish = chooser.draw_kind("finish", FINISH_WEIGHTS)
    marks = draw_pip_marks(chooser)
    deep = {"painted": 0.0, "printed": 0.0, "bowl": rng.uniform(0.3, 1), "drilled": rng.uniform(0.2, 1),
            "raised": -rng.uniform(0.15, 0.5), "groove": rng.uniform(0.2, 0.6), "inlaid": rng.uniform(0.1, 0.4)}  # fmt: skip
    casino = body.clear > 0.6 and rng.random() < 0.35
    edge = float(rng.choice([rng.uniform(0.02, 0.09), rng.uniform(0.09, 0.42)], p=[0.35, 0.65]))
    style = DieStyle(
        body, marks, finish,
        depth=float(deep[finish]) * marks.radius,
        pip_rough=float(rng.choice([body.rough, rng.uniform(0.05, 0.9)])),
        pip_metal=float(rng.random() < 0.07) * float(rng.uniform(0.6, 1)),
        edge=edge,
        ball=2.0 if rng.random() < 0.5 else float(rng.uniform(1.2, 1.55)),
        wear=float(rng.uniform(0.1, 0.4)) if rng.random() < 0.12 else 0.0,
        scratches=int(rng.integers(3, 40)) if rng.random() < 0.15 else 0,
        dirt=float(rng.uniform(0.1, 0.6)) if rng.random() < 0.12 else 0.0,
        chips=float(rng.uniform(0.1, 0.6)) if rng.random() < 0.08 else 0.0,
        frame=float(rng.uniform(0.02, 0.06)) if rng.random() < 0.04 else 0.0,
        logo=int(rng.integers(1, 7)) if rng.random() < 0.07 else 0,
        noise_seed=int(rng.integers(2**31)),
    )  # fmt: skip
    return _casino(style, rng) if casino else style


def _casino(style: DieStyle, rng: np.random.Generator) -> DieStyle:
    """Turn a style into casino dice: transparent, with sharp edges, flush pips and perhaps a serial number."""
    pips = replace(style.pips, power=2.0, lobes=0, hole=0.0, radius=float(rng.uniform(0.15, 0.22)))
    return replace(
        style, pips=pips, finish="painted", depth=0.0, edge=float(rng.uniform(0.01, 0.04)), ball=2.0,
        logo=int(rng.integers(1, 7)) if rng.random() < 0.6 else 0,
    )  # fmt: skip


def draw_body(chooser: Chooser, kinds: dict[str, float]) -> BodyMaterial:
    """Draw the material of the body of a die.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        kinds: Relative frequency of each kind.
    """
    rng = chooser.rng
    kind = chooser.draw_kind("body", kinds)
    colours = _palette(chooser, kind)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    if kind in ("layers", "halves") and rng.random() < 0.6:
        axis = np.eye(3)[int(rng.integers(3))]
    metal = float(rng.uniform(0.7, 1)) if kind == "metal" else 0.0
    rough = float(rng.choice([rng.uniform(0.03, 0.2), rng.uniform(0.2, 0.5), rng.uniform(0.5, 1)],
                             p=[0.4, 0.4, 0.2]))  # fmt: skip
    clear, second_clear = _clearness(rng, kind)
    if clear:
        rough = float(rng.choice([rng.uniform(0.0, 0.1), rng.uniform(0.1, 0.5)], p=[0.75, 0.25]))
    if metal:
        rough = float(rng.uniform(0.12, 0.6))
    return BodyMaterial(
        kind, colours, (float(axis[0]), float(axis[1]), float(axis[2])),
        scale=float(np.exp(rng.uniform(np.log(0.4), np.log(9)))),
        stretch=float(np.exp(rng.uniform(0, 2.3))) if kind in ("wood", "ribbons") else float(
            np.exp(rng.normal(0, 0.3))),
        warp=float(rng.uniform(0, 1.8)),
        soft=float(np.exp(rng.uniform(np.log(0.03), np.log(0.9)))),
        share=0.0 if kind == "plain" else float(rng.uniform(0.08, 0.6)),
        third=0.0 if kind == "plain" or rng.random() < 0.6 else float(rng.uniform(0.05, 0.4)),
        seed=float(rng.uniform(0, 50)),
        rough=rough,
        second_rough=float(np.clip(rough + rng.normal(0, 0.15), 0.03, 1)),
        metal=metal,
        clear=clear,
        second_clear=second_clear,
    )  # fmt: skip


def _clearness(rng: np.random.Generator, kind: str) -> tuple[float, float]:
    """Draw how transparent the first and the second material of a body are, 0 to 1."""
    if kind in ("wood", "stone", "metal", "camouflage"):
        return 0.0, 0.0
    chance = {"plain": 0.24, "swirl": 0.4, "glitter": 0.55, "flakes": 0.5, "gradient": 0.35}.get(
        kind, 0.15
    )
    if rng.random() > chance:
        return 0.0, 0.0
    clear = float(rng.uniform(0.45, 1)) if rng.random() < 0.4 else float(rng.uniform(0.85, 1))
    return clear, clear if kind == "plain" or rng.random() < 0.4 else float(rng.uniform(0, 0.6))


def _palette(chooser: Chooser, kind: str) -> tuple[Rgb, Rgb, Rgb]:
    """Draw the three colours of a body, the first of which covers most of it."""
    rng = chooser.rng
    own = ORDINARY_PALETTE_WEIGHTS if chooser.purpose is Purpose.ORDINARY else PALETTE_WEIGHTS
    names = list(own)
    weights = np.array(list(own.values()))
    drawn = COLOUR_DRAWERS[str(rng.choice(names, p=weights / weights.sum()))]
    drawn = {"wood": draw_wood, "metal": draw_metal}.get(kind, drawn)
    first = drawn(rng)
    if kind == "stone" and rng.random() < 0.7:
        first = draw_earth(rng)
    near = scale_colour(first, float(np.exp(rng.normal(0, 0.5))), 0.25, rng)
    if kind == "pearl":
        near = scale_colour(first, float(rng.uniform(0.75, 1.25)), 0.12, rng)
    far = COLOUR_DRAWERS[str(rng.choice(names))](rng)
    alike = rng.random() < {"wood": 1.0, "pearl": 1.0, "metal": 0.9, "stone": 0.8}.get(kind, 0.45)
    second = near if alike else far
    third = from_hsv(rng.random(), rng.random(), rng.random()) if rng.random() < 0.4 else scale_colour(
        first, float(np.exp(rng.normal(0, 0.6))), 0.2, rng)  # fmt: skip
    return first, second, third
