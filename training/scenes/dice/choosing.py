"""Sets of dice whose pips can be told from their body, by looking at their faces."""

import numpy as np

from training.scenes.colours import TO_XYZ, WHITE, apart
from training.scenes.dice.bodies import BLUE, body_faces
from training.scenes.dice.die_style import DieStyle, drawn_style, is_kept_out
from training.scenes.dice.pips import pip_colour, pip_places
from training.scenes.kept_out import Chooser

ROUGH_PX = 20
FAINTEST, FAINT_DENT = 17.0, 9.0
"""A printed pip stands out by at least so much, and one with a shadow in it; 100 is black on white."""
CLEAR_MORE = 1.35
"""Through glass other pips shine: there they stand out by so much more."""
DIFFICULT_BODIES = ("marble", "metal", "swirl", "halves")
GLASS = 0.6
"""Share of light that goes through a body from which on it counts as glass."""
RING = (0.7, 1.5)
"""Around a pip, in its radii."""


def die_style(chooser: Chooser, *, difficult: bool = False) -> DieStyle:
    """A set of dice that can be read and that may be shown; `difficult` ones are glass, marble or metal."""
    while True:
        style = drawn_style(chooser)
        if difficult and style.body.kind not in DIFFICULT_BODIES and style.body.clear < GLASS:
            continue
        dented = abs(style.depth) > 0.05 and chooser.rng.random() < 0.35
        least = FAINT_DENT if dented else FAINTEST
        if style.body.clear > 0.5:
            least *= CLEAR_MORE
        least += 22 * chooser.rng.beta(1, 2.5)
        may = chooser.takes(is_kept_out=is_kept_out(style))
        if (
            may
            and apart(style.body.colours[0], style.pips.colour) > least
            and contrasts(style).min() > least
        ):
            return style


def contrasts(style: DieStyle) -> np.ndarray:
    """(6,) how far the weakest pip of each face is from what is around it, as `colours.apart`."""
    body = _lab(body_faces(style, ROUGH_PX)[..., : BLUE + 1])
    line = (np.arange(ROUGH_PX) + 0.5) / ROUGH_PX * 2 - 1
    out = np.empty(6)
    for value in range(1, 7):
        places = pip_places(style.pips, value)
        radius = style.pips.radius * (style.pips.lone_scale if value == 1 else 1)
        away = np.hypot(
            line[None, None] - places[:, 0, None, None],
            line[None, :, None] - places[:, 1, None, None],
        )
        ring = (away > RING[0] * radius) & (away < RING[1] * radius + 0.1)
        around = np.einsum("nij,ijc->nc", ring, body[value - 1]) / ring.sum(axis=(1, 2))[
            :, None
        ].clip(1)
        off = (around - _lab(np.array(pip_colour(style.pips, value)))) * (1, 0.5, 0.5)
        out[value - 1] = np.linalg.norm(off, axis=1).min()
    return out


def _lab(linear: np.ndarray) -> np.ndarray:
    """(..., 3) as `colours.lab`, all at once."""
    ratio = (linear @ TO_XYZ.T / WHITE).clip(1e-6)
    root = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)
