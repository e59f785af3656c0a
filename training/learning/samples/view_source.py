"""The source of views for training and tests.

Most views are rendered by the ray caster when they are needed. Others are path-traced files, photographs, or frames of
the simulated tray.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator

from training.learning.samples.photographs import Photographs, PhotoSplit
from training.learning.samples.tray_views import (
    Surprises,
    TrayView,
    cast_evening,
    cast_view,
    load_traced,
    paint_view,
)
from training.scenes.kept_out import Purpose
from training.scenes.staging import SceneRequest
from training.scenes.throws.rest_library import (
    KEPT_OUT_FILE,
    TEACHING_FILE,
    RestLibrary,
    load_rests,
)

TRACED_SHARE, PAINTED_SHARE = 0.3, 0.04
"""Share of views that are path-traced files, if there are any, and share of views that show the simulated tray.
"""
PHOTO_SHARE = 0.07
"""Share of views that are real photographs, if there are any."""
ORDINARY_SHARE = 0.4
"""Share of rendered training views with dice, ground and light as people usually have them."""
HAND_CHANCE = 0.12
TRICKY_CHANCE = 0.8
"""Probability that a tray for the networks that read one die has a cocked, touching or stacked die, which are otherwise
rare."""
ZOOM_CHANCE = 0.8
"""Probability that only part of a scene is rendered, with dice as large as in the frames of a real camera."""
FIELD_SIZE_PX = (560, 420)
"""Image size of a field, a scene whose dozens of dice need more pixels."""
EVENING = "evening"
"""A scene with a whole tray, as `training.rendering.own_settings` draws it."""
MIXTURES = {
    "tray": {"table": 0.55, "field": 0.12, "close": 0.08, "clutter": 0.25},
    "finder": {EVENING: 0.5, "table": 0.275, "field": 0.06, "close": 0.04, "clutter": 0.125},
    "change": {"table": 0.62, "close": 0.05, "clutter": 0.33},
    "die": {"table": 0.55, "field": 0.2, "close": 0.08, "clutter": 0.17},
}
"""Share of each kind of scene (see `training.scenes.staging`): whole trays and many objects for the finder, many dice for the networks
that read one die, and no fields (scenes with dozens of dice) for the change network, because a field has no empty-tray
image."""


TROUBLE: Mapping[str, Mapping[str, float]] = {
    "finder": {
        "single_lamp_chance": 0.3, "stack_chance": 0.08, "low_view_chance": 0.1, "flakes_chance": 0.15, "alike_chance": 0.1, "difficult_chance": 0.12,
        "moved_lamps": 0.12, "glare": 0.12,
    },
    "change": {
        "single_lamp_chance": 0.5, "stack_chance": 0.05, "low_view_chance": 0.05, "flakes_chance": 0.1, "alike_chance": 0.15, "difficult_chance": 0.1,
        "moved_lamps": 0.12, "glare": 0.2,
    },
    "die": {
        "single_lamp_chance": 0.25, "stack_chance": 0.25, "low_view_chance": 0.1, "flakes_chance": 0.06, "alike_chance": 0.08, "difficult_chance": 0.15,
        "glare": 0.1,
    },
    "deep": {
        "single_lamp_chance": 0.2, "stack_chance": 0.15, "low_view_chance": 0.25, "flakes_chance": 0.05, "alike_chance": 0.06, "difficult_chance": 0.2,
        "polished_chance": 0.2, "glare": 0.08,
    },
}  # fmt: skip
"""Probability of each feature that makes an image hard to read. The names are fields of `SceneRequest` or `Surprises`."""
SURPRISE_NAMES = tuple(field.name for field in fields(Surprises))
"""The features that are added after a scene has been composed."""


def split_trouble(trouble: Mapping[str, float]) -> tuple[dict[str, float], Surprises]:
    """Split probabilities of difficult features, such as a row of TROUBLE, into two groups.

    Return those that matter when a scene is composed, as fields of `SceneRequest`, and those that are added afterwards.
    """
    later = {name: chance for name, chance in trouble.items() if name in SURPRISE_NAMES}
    staged = {name: chance for name, chance in trouble.items() if name not in SURPRISE_NAMES}
    return staged, Surprises(**later)


@dataclass(frozen=True)
class Materials:
    """The files from which views are made."""

    rests: Path  # folder with the files of simulated throws
    traced: Path | None = None  # folder with path-traced images
    photographs: Path | None = None  # the file that `photographs.py` writes


class ViewSource:
    """A source of views by number. The same number gives the same view, unless files are added.

    Args:
        materials: The files from which views are made.
        purpose: Whether the views are for training or for one of the two kinds of tests.
        for_finder: Whether the views are for networks that see a whole tray and also the empty tray. If not,
            they are for networks that read one die.
        size: Width and height of the images. None draws one of the usual sizes.
        usual_trays: Whether tests with kinds that are kept out of training show trays with four corners, as
            in training, instead of trays whose outline is kept out.
        hard: Probability of hard light, from one or two small lamps in a dark room.
        trouble: Probability of each feature that makes images hard to read, such as a row of TROUBLE.
        mixture: Row of MIXTURES to use. None selects the row "tray" or, if `for_finder` is false, the row for the
            networks that read one die.
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
        mixture: str | None = None,
    ) -> None:
        strange = purpose is Purpose.KEPT_OUT and not usual_trays
        self._library: RestLibrary = load_rests(
            materials.rests / (KEPT_OUT_FILE if strange else TEACHING_FILE)
        )
        self._traced = materials.traced
        self._photographs: Photographs | None = None
        if materials.photographs is not None and purpose is Purpose.TEACH:
            self._photographs = Photographs.load(materials.photographs, PhotoSplit.TAUGHT)
        self._purpose, self._for_finder, self._size = purpose, for_finder, size
        self._hard = hard
        self._mixture = MIXTURES[mixture or ("tray" if for_finder else "die")]
        self._trouble = trouble or {}

    def view(self, number: int, *, cast_only: bool = False) -> TrayView:
        """Return the view with this number.

        Args:
            number: Number of the view.
            cast_only: Whether to leave out files and the simulated tray, so that every view is ray cast.
        """
        rng = np.random.default_rng([number, 5])
        chance = 1.0 if cast_only else rng.random()
        if chance < TRACED_SHARE and (path := self._traced_file(rng)) is not None:
            return load_traced(path)
        if TRACED_SHARE <= chance < TRACED_SHARE + PAINTED_SHARE:
            return paint_view(number)
        if (
            self._photographs is not None
            and chance < TRACED_SHARE + PAINTED_SHARE + PHOTO_SHARE
            and chance > TRACED_SHARE
        ):
            return self._photographs.view(int(rng.integers(10**6)), whole=self._for_finder)
        return self._cast(number, rng)

    def _cast(self, number: int, rng: Generator) -> TrayView:
        kind = str(rng.choice(list(self._mixture), p=list(self._mixture.values())))
        staged, surprises = split_trouble(self._trouble)
        is_ordinary = self._purpose is Purpose.TEACH and rng.random() < ORDINARY_SHARE
        purpose = Purpose.ORDINARY if is_ordinary else self._purpose
        if kind == EVENING:
            return cast_evening(number, purpose, surprises, empty=self._for_finder)
        size = self._size or (FIELD_SIZE_PX if kind == "field" else None)
        if self._for_finder:
            request = SceneRequest(kind, hand_chance=HAND_CHANCE, size=size, hard_chance=self._hard)
        else:
            request = SceneRequest(
                kind,
                hand_chance=HAND_CHANCE,
                size=size,
                tricky_chance=TRICKY_CHANCE,
                zoom_chance=ZOOM_CHANCE,
            )
        return cast_view(
            number, purpose, self._library, replace(request, **staged), surprises, empty=self._for_finder
        )  # fmt: skip

    def _traced_file(self, rng: Generator) -> Path | None:
        """Return the path of a random path-traced image, or None if there are none.

        Labels are written last, so an image with labels is complete.
        """
        if self._traced is None:
            return None
        names = sorted(self._traced.glob("*.json"))
        return names[int(rng.integers(len(names)))].with_suffix(".png") if names else None
