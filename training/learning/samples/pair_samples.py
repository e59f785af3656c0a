"""Worker processes that make samples for both networks that read one die from the same views.

Rendering a view takes most of the time, so networks that share their views get twice as many of them.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from queue import Empty
from typing import Any

import cv2
import numpy as np

from training.learning.samples.sample_stream import Arrays, make_samples, trouble_of
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.kept_out import Purpose
from vision.networks import installed_engines, use_engine

PAIR = ("near", "wide")
SAMPLES_PER_VIEW = 28
"""Number of samples that each network gets from a view."""
QUEUE_VIEWS = 64


@dataclass(frozen=True)
class PairRecipe:
    """The files from which views are made, and the number of the first view."""

    materials: Materials
    first: int


class PairStream:
    """Samples for both networks that read one die, from worker processes."""

    def __init__(self, recipe: PairRecipe, workers: int) -> None:
        context = get_context("spawn")
        self._ready = context.Queue(QUEUE_VIEWS)
        self._makers = [
            context.Process(target=_fill, args=(recipe, k, workers, self._ready), daemon=True)
            for k in range(workers)
        ]
        for maker in self._makers:
            maker.start()

    def take(self) -> list[Mapping[str, Arrays]]:
        """Return the samples of each view that has been finished since the last call, by network.

        Raises:
            RuntimeError: If no worker is running any more.
        """
        if not any(maker.is_alive() for maker in self._makers):
            raise RuntimeError(
                "all workers that make samples have stopped; see their messages above"
            )
        out: list[Mapping[str, Arrays]] = []
        while True:
            try:
                out.append(self._ready.get_nowait())
            except Empty:
                return out

    def close(self) -> None:
        """Stop the worker processes."""
        for maker in self._makers:
            maker.terminate()


def _fill(recipe: PairRecipe, first: int, step: int, ready: Any) -> None:
    os.nice(1)
    cv2.setNumThreads(1)
    if "onnxruntime" in installed_engines():
        use_engine("onnxruntime")
    source = ViewSource(
        recipe.materials, Purpose.TEACH, for_finder=False, trouble=trouble_of(PAIR[0])
    )
    number = recipe.first + first
    while True:
        view = source.view(number)
        rng = np.random.default_rng([number, 21])
        samples = {kind: make_samples(view, rng, SAMPLES_PER_VIEW, kind) for kind in PAIR}
        if all(samples.values()):
            ready.put(samples)
        number += step
