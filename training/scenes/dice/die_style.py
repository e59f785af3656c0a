"""What a set of dice looks like: body, pips, shape, finish, wear. Drawn from families, not lists.

Lengths are half edges of the die, colours linear.
"""

from dataclasses import dataclass, replace

import numpy as np

from training.scenes.colours import (
    Rgb,
    any_colour,
    black,
    earthy,
    hued,
    ivory,
    metallic,
    pastel,
    scaled,
    strong,
    white,
    wooden,
)  # fmt: skip
from training.scenes.dice.pips import PipMarks, pip_marks
from training.scenes.kept_out import KEPT_OUT, Chooser, Purpose, keeps_out_colours

BODIES = {
    "plain": 0.33, "marble": 0.08, "swirl": 0.08, "layers": 0.04, "speckle": 0.07, "blotch": 0.04,
    "wood": 0.09, "stone": 0.05, "gradient": 0.04, "metal": 0.05, "pearl": 0.05, "glitter": 0.04,
    "camouflage": 0.02, "flakes": 0.02, "cells": 0.05, "ribbons": 0.05, "halves": 0.05,
}  # fmt: skip
"""How the colours of a body are mixed."""
ORDINARY_BODIES = {"plain": 0.7, "wood": 0.14, "marble": 0.08, "pearl": 0.08}
PALETTES = {"white": 0.27, "ivory": 0.1, "black": 0.14, "strong": 0.26, "pastel": 0.09,
            "earthy": 0.06, "any": 0.08}  # fmt: skip
ORDINARY_PALETTES = {"white": 0.35, "ivory": 0.15, "black": 0.15, "strong": 0.35}
COLOURS = {
    "white": white, "ivory": ivory, "black": black, "strong": strong, "pastel": pastel,
    "earthy": earthy, "any": any_colour, "wood": wooden, "metal": metallic,
}  # fmt: skip
FINISHES = {
    "painted": 0.22, "bowl": 0.36, "drilled": 0.22, "raised": 0.05, "groove": 0.05, "printed": 0.06,
    "inlaid": 0.04,
}  # fmt: skip
"""How pips are made: paint on it, a painted bowl, a hole of flat bottom, and so on."""
GLASS_TYPES = ("clear", "frosted", "cloudy")


@dataclass(frozen=True)
class BodyStuff:
    """What the body is made of, right through."""

    kind: str
    colours: tuple[Rgb, Rgb, Rgb]
    axis: tuple[float, float, float]
    scale: float  # how often it changes along a half edge
    stretch: float  # along the axis
    warp: float
    soft: float  # 0.02: sharp borders between colours; 0.8: none
    share: float  # of the second colour
    third: float  # of the third
    seed: float  # a place in the noise
    rough: float
    second_rough: float
    metal: float
    clear: float  # 0: opaque; 1: glass
    second_clear: float


@dataclass(frozen=True)
class DieStyle:
    """One set of dice."""

    body: BodyStuff
    pips: PipMarks
    finish: str
    depth: float  # of pips: positive in, negative out
    pip_rough: float
    pip_metal: float
    edge: float  # radius of the rounded edge
    ball: float  # radius of the ball that cuts the corners; 2: none
    wear: float  # of the paint
    scratches: int
    dirt: float
    chips: float
    frame: float  # width of a line printed along the edges of a face, 0: none
    logo: int  # on that face a mark or letters beside the pips; 0: on none
    noise_seed: int


def drawn_style(chooser: Chooser) -> DieStyle:
    """A set of dice, readable or not."""
    return _ordinary(chooser) if chooser.purpose is Purpose.ORDINARY else _drawn(chooser)


def is_kept_out(style: DieStyle) -> bool:
    """Whether such dice are never taught."""
    return (
        style.body.kind in KEPT_OUT["body"]
        or style.pips.kind in KEPT_OUT["mark"]
        or style.finish in KEPT_OUT["finish"]
        or keeps_out_colours(style.body.colours[0], style.pips.colour)
    )


def _ordinary(chooser: Chooser) -> DieStyle:
    """Dice that people own: one colour, wood or see-through, with round white or black pips."""
    rng = chooser.rng
    style = _drawn(chooser, ORDINARY_BODIES)
    pip = (white if rng.random() < 0.5 else black)(rng)
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
    body = body_stuff(chooser, kinds or BODIES)
    finish = chooser.kind("finish", FINISHES)
    marks = pip_marks(chooser)
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
    """Sharp and clear, pips flush, a serial number beside them."""
    pips = replace(style.pips, power=2.0, lobes=0, hole=0.0, radius=float(rng.uniform(0.15, 0.22)))
    return replace(
        style, pips=pips, finish="painted", depth=0.0, edge=float(rng.uniform(0.01, 0.04)), ball=2.0,
        logo=int(rng.integers(1, 7)) if rng.random() < 0.6 else 0,
    )  # fmt: skip


def body_stuff(chooser: Chooser, kinds: dict[str, float]) -> BodyStuff:
    """What a body is made of."""
    rng = chooser.rng
    kind = chooser.kind("body", kinds)
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
    return BodyStuff(
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
    """How far light goes through the first and the second stuff."""
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
    """The colours of a body: the first is most of it."""
    rng = chooser.rng
    own = ORDINARY_PALETTES if chooser.purpose is Purpose.ORDINARY else PALETTES
    names = list(own)
    weights = np.array(list(own.values()))
    drawn = COLOURS[str(rng.choice(names, p=weights / weights.sum()))]
    drawn = {"wood": wooden, "metal": metallic}.get(kind, drawn)
    first = drawn(rng)
    if kind == "stone" and rng.random() < 0.7:
        first = earthy(rng)
    near = scaled(first, float(np.exp(rng.normal(0, 0.5))), 0.25, rng)
    if kind == "pearl":
        near = scaled(first, float(rng.uniform(0.75, 1.25)), 0.12, rng)
    far = COLOURS[str(rng.choice(names))](rng)
    alike = rng.random() < {"wood": 1.0, "pearl": 1.0, "metal": 0.9, "stone": 0.8}.get(kind, 0.45)
    second = near if alike else far
    third = hued(rng.random(), rng.random(), rng.random()) if rng.random() < 0.4 else scaled(
        first, float(np.exp(rng.normal(0, 0.6))), 0.2, rng)  # fmt: skip
    return first, second, third
