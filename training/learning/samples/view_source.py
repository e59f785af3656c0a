"""Where views come from: most are cast on the spot, some were path traced, a few are of the simulated tray."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator

from training.learning.samples.tray_views import TrayView, cast_now, from_file, painted_now
from training.scenes.kept_out import Purpose
from training.scenes.staging import Wish
from training.scenes.throws.rest_library import STRANGE, TEACHING, RestLibrary, load

TRACED, PAINTED = 0.3, 0.04
"""Of views to learn from so many are files, where there are any, and so many of the simulated tray."""
HAND = 0.12
UNEASY = 0.8
"""Of trays for the networks of one die so many have one that leans, touches or lies on another: else they would meet few."""
NEAR = 0.8
"""And of so many but a part is cast, with dice as large as a camera of full size sees them."""
FIELD_PX = (560, 420)
"""A field of dozens of dice needs more pixels."""
MIXTURES = {
    "finder": {"table": 0.55, "field": 0.12, "close": 0.08, "clutter": 0.25},
    "die": {"table": 0.55, "field": 0.2, "close": 0.08, "clutter": 0.17},
}
"""Kinds of cast views: for the finder with things in them, for one die with many dice."""


@dataclass(frozen=True)
class Materials:
    """Where the throws and the traced pictures are."""

    rests: Path
    traced: Path | None = None


class ViewSource:
    """Views by number; the same number is the same view but for traced files that came meanwhile.

    Kept out trays have any number of corners but four: `usual_trays` takes those that are taught.
    Of those for the finder a share has `hard` light, too.
    """

    def __init__(
        self,
        materials: Materials,
        purpose: Purpose,
        *,
        for_finder: bool,
        size: tuple[int, int] | None = None,
        usual_trays: bool = False,
        hard: float = 0.0,
    ) -> None:
        strange = purpose is Purpose.STRANGE and not usual_trays
        self._library: RestLibrary = load(materials.rests / (STRANGE if strange else TEACHING))
        self._traced = materials.traced
        self._purpose, self._for_finder, self._size = purpose, for_finder, size
        self._hard = hard

    def view(self, number: int, *, cast_only: bool = False) -> TrayView:
        """The view of a number."""
        rng = np.random.default_rng([number, 5])
        chance = 1.0 if cast_only else rng.random()
        if chance < TRACED and (path := self._traced_file(rng)) is not None:
            return from_file(path)
        if TRACED <= chance < TRACED + PAINTED:
            return painted_now(number)
        return self._cast(number, rng)

    def _cast(self, number: int, rng: Generator) -> TrayView:
        mixture = MIXTURES["finder" if self._for_finder else "die"]
        kind = str(rng.choice(list(mixture), p=list(mixture.values())))
        size = self._size or (FIELD_PX if kind == "field" else None)
        if self._for_finder:
            wish = Wish(kind, hand=HAND, size=size, hard=self._hard)
        else:
            wish = Wish(kind, hand=HAND, size=size, tricky=UNEASY, near=NEAR)
        return cast_now(number, self._purpose, self._library, wish, empty=self._for_finder)

    def _traced_file(self, rng: Generator) -> Path | None:
        """Any that is whole: its labels are written last."""
        if self._traced is None:
            return None
        names = sorted(self._traced.glob("*.json"))
        return names[int(rng.integers(len(names)))].with_suffix(".png") if names else None
