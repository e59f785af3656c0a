"""Samples made by processes of their own while a network learns.

Each maker keeps some views and takes samples of them by another camera each time; now and then a new
view takes the place of the oldest. The learner shows each sample a few times, as a sample costs as much
to make as to learn from.
"""

import os
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from queue import Empty
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.change_samples import change_sample
from training.learning.samples.die_samples import die_samples
from training.learning.samples.finder_samples import finder_sample
from training.learning.samples.tray_views import TrayView
from training.learning.samples.view_source import TROUBLE, Materials, ViewSource
from training.scenes.kept_out import Purpose

Arrays = dict[str, NDArray[Any]]
PER_VIEW = {"finder": 28, "change": 16, "near": 56, "wide": 56}
"""Samples that are taken of a view while it is kept."""
AT_ONCE = {"finder": 4, "change": 4, "near": 16, "wide": 16}
"""Samples handed over together."""
KEPT, FIRST = 60, 8
"""Views that a maker keeps, and has before it begins."""
WHOLE = ("finder", "change")
"""Networks that see a whole tray, with the empty one."""
AHEAD = 6
PATIENCE_S = 60
ROOM = {"finder": 1024, "change": 2048, "near": 16384, "wide": 16384}
"""Samples that the learner keeps."""


def trouble(kind: str) -> Mapping[str, float]:
    """Return the chances of what makes the views of a network hard to read."""
    return TROUBLE.get(kind, TROUBLE["die"])


@dataclass(frozen=True)
class Recipe:
    """What is made of what: a network's kind, materials, and the seed of it all."""

    kind: str
    materials: Materials
    seed: int


def samples(view: TrayView, rng: Generator, count: int, kind: str) -> Arrays:
    """About so many samples of a view, each array with one row a sample."""
    made: list[Any]
    if kind == "finder":
        made = [finder_sample(view, rng) for _ in range(count)]
    elif kind == "change":
        made = [one for _ in range(count) if (one := change_sample(view, rng)) is not None]
    else:
        made = die_samples(view, rng, count, kind)
    names = vars(made[0]) if made else {}
    return {name: np.stack([np.asarray(getattr(s, name)) for s in made]) for name in names}


def joined(parts: list[Arrays]) -> Arrays:
    """Rows of all."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def make(recipe: Recipe, first: int, step: int) -> Iterator[tuple[int, Arrays]]:
    """Samples without end: views are numbered from `first` in steps; each comes with the last number."""
    cv2.setNumThreads(1)
    source = ViewSource(
        recipe.materials,
        Purpose.TEACH,
        for_finder=recipe.kind in WHOLE,
        trouble=trouble(recipe.kind),
    )
    rng = np.random.default_rng([recipe.seed, first])
    number, made = first, 0
    views: deque[TrayView] = deque(maxlen=KEPT)
    while True:
        while len(views) < FIRST or made >= PER_VIEW[recipe.kind] * ((number - first) // step):
            views.append(source.view(number))
            number += step
        view = views[int(rng.integers(len(views)))]
        got = samples(view, rng, AT_ONCE[recipe.kind], recipe.kind)
        if got:
            made += len(next(iter(got.values())))
            yield number, got


def _fill(recipe: Recipe, first: int, step: int, ready: Any) -> None:
    os.nice(1)
    for one in make(recipe, first, step):
        ready.put(one)


class SampleStream:
    """Batches of samples, made by so many processes from view `first` on."""

    def __init__(self, recipe: Recipe, first: int, workers: int, again: int) -> None:
        context = get_context("spawn")
        self._ready = context.Queue(AHEAD * workers)
        self.number = first
        self._again, self._room = again, ROOM[recipe.kind]
        self._rng = np.random.default_rng([recipe.seed, first, 1])
        self._kept: Arrays = {}
        self._made, self._due = 0, 0.0
        self._makers = [
            context.Process(target=_fill, args=(recipe, first + k, workers, self._ready), daemon=True)
            for k in range(workers)
        ]  # fmt: skip
        for maker in self._makers:
            maker.start()

    def batch(self, size: int) -> Arrays:
        """So many samples, one in `again` of them new; until there are enough, all that there are."""
        self._due += size / self._again
        while self._made < max(self._due, size):
            self._take()
        places = self._rng.integers(0, min(self._made, self._room), size)
        return {name: rows[places] for name, rows in self._kept.items()}

    def close(self) -> None:
        """End the makers."""
        for maker in self._makers:
            maker.terminate()

    def _take(self) -> None:
        number, fresh = self._next()
        self.number = max(self.number, number)
        count = len(next(iter(fresh.values())))
        if not self._kept:
            self._kept = {
                k: np.zeros((self._room, *v.shape[1:]), v.dtype) for k, v in fresh.items()
            }
        places = (self._made + np.arange(count)) % self._room
        for name, rows in fresh.items():
            self._kept[name][places] = rows
        self._made += count

    def _next(self) -> tuple[int, Arrays]:
        """What a maker hands over next, however long it takes."""
        while True:
            try:
                return self._ready.get(timeout=PATIENCE_S)  # type: ignore[no-any-return]
            except Empty:
                if not all(maker.is_alive() for maker in self._makers):
                    raise RuntimeError("a maker of samples ended: start again") from None
