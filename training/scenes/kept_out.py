"""What is never taught: an eighth of each family, so that there is something new to be asked about.

Whoever draws a kind of anything draws it from a `Chooser`, and a chooser for teaching has no kinds
that are kept out. Colours and lamps have no kinds: `keeps_out_colours` and the like tell theirs.
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
"""Kinds of each family that no teaching picture shows."""

HUES = 8
"""Hues are told apart in so many sectors, and grey is one more."""
GREYS = HUES
GREY_BELOW = 0.25
"""Of saturation."""
KEPT_OUT_PAIRS = frozenset(
    {
        (body, (3 * body + 5) % HUES)
        for body in range(HUES)  # two strong colours
    }
    | {(1, GREYS), (GREYS, 5)}  # yellow with grey, black or white; grey with blue
)
"""Pairs of the sectors of body and pip."""

STRANGE_SHARE = 0.35
"""So often a strange picture has a kind that is kept out, of each family."""


class Purpose(Enum):
    """What pictures are for."""

    TEACH = "teach"
    ORDINARY = "ordinary"  # judged by what people own, of kinds that are taught
    STRANGE = "strange"  # judged by what is kept out


@dataclass(frozen=True)
class Chooser:
    """Draws kinds: the only one who does."""

    rng: Generator
    purpose: Purpose

    def kind(self, family: str, weights: Mapping[str, float]) -> str:
        """One of the kinds of a family; of strange ones most are such as are kept out."""
        return str(self.rng.choice(*_choice(self._allowed(family, weights))))

    def _allowed(self, family: str, weights: Mapping[str, float]) -> dict[str, float]:
        kept = KEPT_OUT[family]
        strange = {k: w for k, w in weights.items() if k in kept}
        if strange and self.purpose is Purpose.STRANGE and self.rng.random() < STRANGE_SHARE:
            return strange
        return {k: w for k, w in weights.items() if k not in kept}

    def takes(self, *, is_kept_out: bool) -> bool:
        """Whether what was drawn may be shown: strange where it is asked for, else never."""
        return is_kept_out is (self.purpose is Purpose.STRANGE)


def _choice(weights: Mapping[str, float]) -> tuple[list[str], None, bool, list[float]]:
    total = sum(weights.values())
    return list(weights), None, True, [w / total for w in weights.values()]


def keeps_out_colours(body: tuple[float, ...], pip: tuple[float, ...]) -> bool:
    """Whether dice of such a body with such pips are kept out; linear RGB."""
    return (sector(body), sector(pip)) in KEPT_OUT_PAIRS


def sector(rgb: tuple[float, ...]) -> int:
    """Of the hue: 0 about red; GREYS where there is none."""
    shown = np.clip(rgb, 0, 1) ** (1 / 2.2)
    most, least = float(shown.max()), float(shown.min())
    if most < 0.12 or (most - least) < GREY_BELOW * most:
        return GREYS
    red, green, blue = (float(c) for c in shown)
    if most == red:
        hue = (green - blue) / (most - least) % 6
    elif most == green:
        hue = 2 + (blue - red) / (most - least)
    else:
        hue = 4 + (red - green) / (most - least)
    return int(hue / 6 * HUES + 0.5) % HUES
