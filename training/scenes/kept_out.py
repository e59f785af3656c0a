"""Keeps an eighth of the kinds in each family of random choices out of training, so that tests can show something new.

A family is, for example, the outlines of trays or the materials of dice. A `Chooser` draws every random kind; a chooser
for training never draws a kind that is kept out. Colours have no named kinds, so `is_kept_out_pair` decides which pairs
of body and pip colour are kept out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.random import Generator

KEPT_OUT: Mapping[str, frozenset[str]] = {
    "tray": frozenset({"pentagon"}),
    "body": frozenset({"cells", "ribbons", "halves"}),
    "mark": frozenset({"star"}),
    "finish": frozenset({"inlaid"}),
    "ground": frozenset({"houndstooth", "dominoes", "fish_scales", "cracks", "knit"}),
    "lamps": frozenset({"rows", "slit"}),
    "hard_lamps": frozenset({"tube"}),
    "flakes": frozenset({"bubbles"}),
    "clutter": frozenset({"domino", "bottle_cap", "sd_card", "nut", "sugar"}),
}
"""Kinds of each family that no training image shows."""

HUE_SECTORS = 8
"""Number of sectors of the colour wheel. Grey counts as a further sector."""
GREY_SECTOR = HUE_SECTORS
MIN_COLOUR_SATURATION = 0.25
"""Saturation below which a colour counts as grey."""
KEPT_OUT_PAIRS = frozenset(
    {
        (body, (3 * body + 5) % HUE_SECTORS)
        for body in range(HUE_SECTORS)  # two saturated colours
    }
    | {(1, GREY_SECTOR), (GREY_SECTOR, 5)}  # yellow with grey, black or white; grey with blue
)
"""Pairs of the sectors of body and pips that are kept out of training."""

KEPT_OUT_CHANCE = 0.35
"""Probability, for each family, that an image for testing unfamiliar kinds shows a kind that is kept out of training."""


class Purpose(Enum):
    """The purpose of rendered images: training, or one of two kinds of tests."""

    TEACH = "teach"  # training
    ORDINARY = "ordinary"  # test: dice that people usually own, of kinds used for training
    KEPT_OUT = "kept_out"  # test: kinds that are kept out of training


@dataclass(frozen=True)
class Chooser:
    """A source of random kinds of dice, trays, objects and so on, which keeps kinds for tests out of training.

    Attributes:
        rng: Source of random numbers.
        purpose: The purpose of the scene, which decides which kinds it may show.
    """

    rng: Generator
    purpose: Purpose

    def draw_kind(self, family: str, weights: Mapping[str, float]) -> str:
        """Draw one kind of a family at random.

        Args:
            family: Name of the family, a key of `KEPT_OUT`.
            weights: Relative frequency of each kind.
        """
        return str(self.rng.choice(*_choice(self._allowed(family, weights))))

    def _allowed(self, family: str, weights: Mapping[str, float]) -> dict[str, float]:
        kept = KEPT_OUT[family]
        strange = {k: w for k, w in weights.items() if k in kept}
        if strange and self.purpose is Purpose.KEPT_OUT and self.rng.random() < KEPT_OUT_CHANCE:
            return strange
        return {k: w for k, w in weights.items() if k not in kept}

    def accepts(self, *, is_kept_out: bool) -> bool:
        """Return whether the scene may show a kind that is (or is not) kept out of training.

        Only a test of unfamiliar kinds shows kinds that are kept out, and it shows no others.
        """
        return is_kept_out is (self.purpose is Purpose.KEPT_OUT)


def _choice(weights: Mapping[str, float]) -> tuple[list[str], None, bool, list[float]]:
    total = sum(weights.values())
    return list(weights), None, True, [w / total for w in weights.values()]


def is_kept_out_pair(body: tuple[float, ...], pip: tuple[float, ...]) -> bool:
    """Return whether dice of these colours are kept out of training.

    Args:
        body: Linear RGB of the body.
        pip: Linear RGB of the pips.
    """
    return (hue_sector(body), hue_sector(pip)) in KEPT_OUT_PAIRS


def hue_sector(rgb: tuple[float, ...]) -> int:
    """Return the sector of the colour wheel for a linear RGB colour: 0 around red, or GREY_SECTOR for grey."""
    shown = np.clip(rgb, 0, 1) ** (1 / 2.2)
    most, least = float(shown.max()), float(shown.min())
    if most < 0.12 or (most - least) < MIN_COLOUR_SATURATION * most:
        return GREY_SECTOR
    red, green, blue = (float(c) for c in shown)
    if most == red:
        hue = (green - blue) / (most - least) % 6
    elif most == green:
        hue = 2 + (blue - red) / (most - least)
    else:
        hue = 4 + (red - green) / (most - least)
    return int(hue / 6 * HUE_SECTORS + 0.5) % HUE_SECTORS
