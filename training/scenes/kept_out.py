"""Kinds that are never taught, so that exams can show something new: an eighth of each family.

Every random kind is drawn by a `Chooser`. A chooser for teaching never draws a kind that is kept
out. Colours have no named kinds: `is_kept_out_pair` decides which pairs of body and pip colour are
kept out.
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
"""Kinds of each family that no teaching image shows."""

HUE_SECTORS = 8
"""Number of sectors of the colour wheel. Grey counts as one more sector."""
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
"""Pairs of the sectors of body and pip that are kept out."""

KEPT_OUT_CHANCE = 0.35
"""Chance, for each family, that an image of unfamiliar kinds shows one that is kept out."""


class Purpose(Enum):
    """What images are for."""

    TEACH = "teach"
    ORDINARY = "ordinary"  # exam: dice that people own, of kinds that are taught
    KEPT_OUT = "kept_out"  # exam: kinds that are kept out of teaching


@dataclass(frozen=True)
class Chooser:
    """Draws the kinds of everything in a scene."""

    rng: Generator
    purpose: Purpose

    def draw_kind(self, family: str, weights: Mapping[str, float]) -> str:
        """Draw one kind of a family.

        Args:
            family: Name of the family, a key of `KEPT_OUT`.
            weights: How often each kind is drawn.
        """
        return str(self.rng.choice(*_choice(self._allowed(family, weights))))

    def _allowed(self, family: str, weights: Mapping[str, float]) -> dict[str, float]:
        kept = KEPT_OUT[family]
        strange = {k: w for k, w in weights.items() if k in kept}
        if strange and self.purpose is Purpose.KEPT_OUT and self.rng.random() < KEPT_OUT_CHANCE:
            return strange
        return {k: w for k, w in weights.items() if k not in kept}

    def accepts(self, *, is_kept_out: bool) -> bool:
        """Return whether something may be shown.

        Only an exam on unfamiliar kinds shows kinds that are kept out.
        """
        return is_kept_out is (self.purpose is Purpose.KEPT_OUT)


def _choice(weights: Mapping[str, float]) -> tuple[list[str], None, bool, list[float]]:
    total = sum(weights.values())
    return list(weights), None, True, [w / total for w in weights.values()]


def is_kept_out_pair(body: tuple[float, ...], pip: tuple[float, ...]) -> bool:
    """Return whether dice of these colours are kept out of teaching.

    Args:
        body: Linear RGB of the body.
        pip: Linear RGB of the pips.
    """
    return (hue_sector(body), hue_sector(pip)) in KEPT_OUT_PAIRS


def hue_sector(rgb: tuple[float, ...]) -> int:
    """Return the sector of a hue, 0 around red, or GREY_SECTOR for a grey."""
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
