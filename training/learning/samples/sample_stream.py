"""Worker processes that make samples during the training of a network.

Each worker keeps a pool of views (rendered trays) and takes samples of them, each with a different random camera. From
time to time, a new view replaces the oldest one. Each sample is used several times for training, because making a
sample takes as long as training on it.
"""

import os
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from queue import Empty, Full
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.change_samples import make_change_sample
from training.learning.samples.die_samples import make_die_samples
from training.learning.samples.die_sizes import PATCH_SIZES
from training.learning.samples.finder_samples import FINDER_KINDS, make_finder_sample
from training.learning.samples.tray_views import TrayView
from training.learning.samples.view_source import MIXTURES, TROUBLE, Materials, ViewSource
from training.scenes.kept_out import Purpose

Arrays = dict[str, NDArray[Any]]
SAMPLES_PER_VIEW = dict.fromkeys(FINDER_KINDS, 28) | {"change": 16} | dict.fromkeys(PATCH_SIZES, 56)
"""Number of samples that are taken of a view while it is in the pool."""
SAMPLES_PER_CHUNK = dict.fromkeys((*FINDER_KINDS, "change"), 4) | dict.fromkeys(PATCH_SIZES, 16)
"""Number of samples that a worker hands over together."""
POOL_VIEWS, START_VIEWS = 60, 8
"""Number of views in the pool of a worker, and the number that it makes before its first sample."""
WHOLE_TRAY_KINDS = (*FINDER_KINDS, "change")
"""Networks that see a whole tray. All but `finder_alone` also see the empty-tray image."""
QUEUE_CHUNKS = 6
QUEUE_TIMEOUT_S, FULL_QUEUE_TIMEOUT_S = 60, 2
START_BATCHES = 16
"""Number of batches that must be kept before the first one is used, unless `collect` asks for more. With fewer, the first
steps would memorise them."""
COLLECTED_CHUNKS = 100
"""Number of chunks after which the progress of collecting is shown."""
BUFFER_SAMPLES = (
    dict.fromkeys(FINDER_KINDS, 1024) | {"change": 2048} | dict.fromkeys(PATCH_SIZES, 16384)
)
"""Number of samples that are kept for reuse."""


def trouble_of(kind: str) -> Mapping[str, float]:
    """Return the probability of each feature that makes the training views of a network hard to read."""
    return TROUBLE.get(_family(kind), TROUBLE["die"])


def _family(kind: str) -> str:
    """Return the name under which a kind of network is found in TROUBLE and MIXTURES."""
    return "finder" if kind in FINDER_KINDS else kind


@dataclass(frozen=True)
class SampleRecipe:
    """A recipe for making samples: the kind of network, the files and the seed."""

    kind: str
    materials: Materials
    seed: int


def make_samples(view: TrayView, rng: Generator, count: int, kind: str) -> Arrays:
    """Return about `count` samples of a view for one kind of network, as arrays with one row per sample.

    Args:
        view: A tray as linear light, rendered or photographed, with the true labels.
        rng: Source of random numbers.
        count: Number of samples to try to make.
        kind: Name of the network: "finder", "finder_alone", "change", "near", "wide" or "deep".
    """
    new_samples: list[Any]
    if kind in FINDER_KINDS:
        new_samples = [make_finder_sample(view, rng) for _ in range(count)]
    elif kind == "change":
        new_samples = [
            one for _ in range(count) if (one := make_change_sample(view, rng)) is not None
        ]
    else:
        new_samples = make_die_samples(view, rng, count, kind)
    names = vars(new_samples[0]) if new_samples else {}
    return {name: np.stack([np.asarray(getattr(s, name)) for s in new_samples]) for name in names}


def concatenate(parts: list[Arrays]) -> Arrays:
    """Concatenate the rows of several sets of arrays."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def stream_samples(recipe: SampleRecipe, first: int, step: int) -> Iterator[tuple[int, Arrays]]:
    """Yield chunks of samples endlessly, each with the number of the next view.

    Args:
        recipe: How to make the samples.
        first: Number of the first view.
        step: Difference between the numbers of successive views.
    """
    cv2.setNumThreads(1)
    family = _family(recipe.kind)
    source = ViewSource(
        recipe.materials,
        Purpose.TEACH,
        for_finder=recipe.kind in WHOLE_TRAY_KINDS,
        trouble=trouble_of(recipe.kind),
        mixture=family if family in MIXTURES else None,
    )
    rng = np.random.default_rng([recipe.seed, first])
    number, new_samples = first, 0
    views: deque[TrayView] = deque(maxlen=POOL_VIEWS)
    while True:
        while len(views) < START_VIEWS or new_samples >= SAMPLES_PER_VIEW[recipe.kind] * (
            (number - first) // step
        ):
            views.append(source.view(number))
            number += step
        view = views[int(rng.integers(len(views)))]
        chunk = make_samples(view, rng, SAMPLES_PER_CHUNK[recipe.kind], recipe.kind)
        if chunk:
            new_samples += len(next(iter(chunk.values())))
            yield number, chunk


def _fill(recipe: SampleRecipe, first: int, step: int, ready: Any) -> None:
    """Make samples until the training ends, even if it is killed."""
    os.nice(1)
    ready.cancel_join_thread()
    training = parent_process()
    for one in stream_samples(recipe, first, step):
        while training is not None and training.is_alive():
            try:
                ready.put(one, timeout=FULL_QUEUE_TIMEOUT_S)
                break
            except Full:
                continue
        else:
            return


class SampleStream:
    """Batches of training samples from worker processes.

    Args:
        recipe: How to make the samples.
        first: Number of the first view.
        workers: Number of worker processes.
        again: How often each sample is used on average.
        collect: Number of samples to collect before the first batch, all of which are kept for reuse. 0 means a few batches.
    """

    def __init__(
        self, recipe: SampleRecipe, first: int, workers: int, again: int, collect: int = 0
    ) -> None:
        context = get_context("spawn")
        self._ready = context.Queue(QUEUE_CHUNKS * workers)
        self.number = first
        self._again, self._collect = again, collect
        self._room = max(collect, BUFFER_SAMPLES[recipe.kind])
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
        """Return a batch of `size` samples. On average, each sample is used `again` times (see the constructor)."""
        self._collect_first()
        self._due += size / self._again
        while self._made < max(self._due, START_BATCHES * size):
            self._take()
        places = self._rng.integers(0, min(self._made, self._room), size)
        return {name: rows[places] for name, rows in self._kept.items()}

    def _collect_first(self) -> None:
        """Collect as many samples as the first batch needs, and print the progress. They do not count as due."""
        chunks = 0
        while self._made < self._collect:
            self._take()
            chunks += 1
            if chunks % COLLECTED_CHUNKS == 0 or self._made >= self._collect:
                share = min(1.0, self._made / self._collect)
                print(f"\rcollected {share:.0%} of {self._collect} samples", end="", flush=True)
        if chunks:
            print()
            self._due = float(self._made)

    def close(self) -> None:
        """Stop the worker processes."""
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
        """Return the next chunk from a worker, waiting for it only while all workers are running."""
        while True:
            try:
                return self._ready.get(timeout=QUEUE_TIMEOUT_S)  # type: ignore[no-any-return]
            except Empty:
                if not all(maker.is_alive() for maker in self._makers):
                    raise RuntimeError(
                        "a worker that makes samples stopped; run the command again to resume"
                    ) from None
