"""Where views come from: most are cast on the spot, some were path traced, a few are of the simulated tray."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

from training.learning.samples.photographs import Photographs, Share
from training.learning.samples.tray_views import (
    Surprises,
    TrayView,
    cast_now,
    from_file,
    painted_now,
)
from training.scenes.kept_out import Purpose
from training.scenes.staging import Wish
from training.scenes.throws.rest_library import STRANGE, TEACHING, RestLibrary, load

TRACED, PAINTED = 0.3, 0.04
"""Of views to learn from so many are files, where there are any, and so many of the simulated tray."""
PHOTOGRAPHS = 0.07
"""And so many are real photographs."""
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


TROUBLE: Mapping[str, Mapping[str, float]] = {
    "finder": {
        "harsh": 0.3, "stacked": 0.08, "low": 0.1, "flakes": 0.15, "alike": 0.1, "stuff": 0.12,
        "moved_lamps": 0.12, "glare": 0.12,
    },
    "change": {
        "harsh": 0.5, "stacked": 0.05, "low": 0.05, "flakes": 0.1, "alike": 0.15, "stuff": 0.1,
        "moved_lamps": 0.25, "glare": 0.2,
    },
    "die": {
        "harsh": 0.25, "stacked": 0.25, "low": 0.1, "flakes": 0.06, "alike": 0.08, "stuff": 0.15,
        "glare": 0.1,
    },
}  # fmt: skip
"""Chances of what makes a picture hard to read: fields of `Wish` and of `Surprises`."""
LATER = tuple(field.name for field in fields(Surprises))
"""The troubles that come after the world was staged."""


@dataclass(frozen=True)
class Materials:
    """Where the throws and the traced pictures are."""

    rests: Path
    traced: Path | None = None
    photographs: Path | None = None  # the file of `photographs.located`


class ViewSource:
    """Views by number; the same number is the same view but for traced files that came meanwhile.

    Kept out trays have any number of corners but four: `usual_trays` takes those that are taught.
    Of those for the finder a share has `hard` light, too. `trouble` has the chances of what makes them hard to read,
    a row of TROUBLE.
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
        trouble: Mapping[str, float] | None = None,
    ) -> None:
        strange = purpose is Purpose.STRANGE and not usual_trays
        self._library: RestLibrary = load(materials.rests / (STRANGE if strange else TEACHING))
        self._traced = materials.traced
        self._photographs: Photographs | None = None
        if materials.photographs is not None and purpose is Purpose.TEACH:
            self._photographs = Photographs.load(materials.photographs, Share.TAUGHT)
        self._purpose, self._for_finder, self._size = purpose, for_finder, size
        self._hard = hard
        self._trouble = trouble or {}

    def view(self, number: int, *, cast_only: bool = False) -> TrayView:
        """The view of a number."""
        rng = np.random.default_rng([number, 5])
        chance = 1.0 if cast_only else rng.random()
        if chance < TRACED and (path := self._traced_file(rng)) is not None:
            return from_file(path)
        if TRACED <= chance < TRACED + PAINTED:
            return painted_now(number)
        if (
            self._photographs is not None
            and chance < TRACED + PAINTED + PHOTOGRAPHS
            and chance > TRACED
        ):
            return self._photographs.view(int(rng.integers(10**6)), whole=self._for_finder)
        return self._cast(number, rng)

    def _cast(self, number: int, rng: Generator) -> TrayView:
        mixture = MIXTURES["finder" if self._for_finder else "die"]
        kind = str(rng.choice(list(mixture), p=list(mixture.values())))
        size = self._size or (FIELD_PX if kind == "field" else None)
        if self._for_finder:
            wish = Wish(kind, hand=HAND, size=size, hard=self._hard)
        else:
            wish = Wish(kind, hand=HAND, size=size, tricky=UNEASY, near=NEAR)
        staged = {name: chance for name, chance in self._trouble.items() if name not in LATER}
        surprises = Surprises(
            **{name: self._trouble[name] for name in LATER if name in self._trouble}
        )
        return cast_now(
            number, self._purpose, self._library, replace(wish, **staged), surprises, empty=self._for_finder
        )  # fmt: skip

    def _traced_file(self, rng: Generator) -> Path | None:
        """Any that is whole: its labels are written last."""
        if self._traced is None:
            return None
        names = sorted(self._traced.glob("*.json"))
        return names[int(rng.integers(len(names)))].with_suffix(".png") if names else None
