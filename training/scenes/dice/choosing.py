"""Draws sets of dice at random until one has pips that stand out from the body on every face."""

import numpy as np

from training.scenes.colours import WHITE_XYZ, XYZ_FROM_RGB, visible_difference
from training.scenes.dice.bodies import BLUE, draw_body_faces
from training.scenes.dice.die_style import DieStyle, draw_style, is_kept_out
from training.scenes.dice.pips import pip_centres, pip_colour
from training.scenes.kept_out import Chooser

CHECK_PX = 20
MIN_CONTRAST, MIN_DENT_CONTRAST = 17.0, 9.0
"""Smallest `visible_difference` between a printed pip and the body around it. A dent, in which there is a shadow, needs
less."""
GLASS_FACTOR = 1.35
"""Factor by which the smallest contrast is raised for glass, through which the pips of other faces are visible."""
DIFFICULT_BODIES = ("marble", "metal", "swirl", "halves")
"""Bodies on which pips are hard to see."""
MIN_GLASS = 0.6
"""Transparency from which a body counts as glass."""
PIP_RING = (0.7, 1.5)
"""Inner and outer radius of the ring around a pip with which the pip is compared, as multiples of
the pip's radius."""


def choose_die_style(chooser: Chooser, *, difficult: bool = False) -> DieStyle:
    """Draw a set of dice that can be read, and that is not reserved for another purpose.

    Args:
        chooser: Draws random numbers, and random kinds of objects and materials. It leaves out kinds that are
            reserved for tests unless the scene is for such a test.
        difficult: Whether the dice must be of glass, marble, metal or another material that is hard to
            read.
    """
    while True:
        style = draw_style(chooser)
        if difficult and style.body.kind not in DIFFICULT_BODIES and style.body.clear < MIN_GLASS:
            continue
        dented = abs(style.depth) > 0.05 and chooser.rng.random() < 0.35
        least = MIN_DENT_CONTRAST if dented else MIN_CONTRAST
        if style.body.clear > 0.5:
            least *= GLASS_FACTOR
        least += 22 * chooser.rng.beta(1, 2.5)
        may = chooser.accepts(is_kept_out=is_kept_out(style))
        if (
            may
            and visible_difference(style.body.colours[0], style.pips.colour) > least
            and face_contrasts(style).min() > least
        ):
            return style


def face_contrasts(style: DieStyle) -> np.ndarray:
    """Return, for each face (6,), how much its weakest pip differs from the body around it.

    The measure is `visible_difference`.
    """
    body = _lab(draw_body_faces(style, CHECK_PX)[..., : BLUE + 1])
    line = (np.arange(CHECK_PX) + 0.5) / CHECK_PX * 2 - 1
    out = np.empty(6)
    for value in range(1, 7):
        places = pip_centres(style.pips, value)
        radius = style.pips.radius * (style.pips.lone_scale if value == 1 else 1)
        away = np.hypot(
            line[None, None] - places[:, 0, None, None],
            line[None, :, None] - places[:, 1, None, None],
        )
        ring = (away > PIP_RING[0] * radius) & (away < PIP_RING[1] * radius + 0.1)
        around = np.einsum("nij,ijc->nc", ring, body[value - 1]) / ring.sum(axis=(1, 2))[
            :, None
        ].clip(1)
        off = (around - _lab(np.array(pip_colour(style.pips, value)))) * (1, 0.5, 0.5)
        out[value - 1] = np.linalg.norm(off, axis=1).min()
    return out


def _lab(linear: np.ndarray) -> np.ndarray:
    """Convert an array of linear RGB colours (..., 3) to CIE L*a*b*."""
    ratio = (linear @ XYZ_FROM_RGB.T / WHITE_XYZ).clip(1e-6)
    root = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)
