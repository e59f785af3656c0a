"""Trays to find: views in which most of one is seen, small, as light that any camera may take."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.learning.samples.tray_views import TrayView
from training.learning.samples.view_source import ViewSource

Floats = NDArray[np.float32]
SMALL_PX = 448  # of the longer side: as much as either network sees
ROOM = 0.12  # of the picture: a corner may lie so far outside
LEAST_CORNERS = 3
FIRST = 60_000_000
"""Number of the first view."""


@dataclass(frozen=True, eq=False)
class TrayLight:
    """A view with a tray, small: linear light (h, w, 3) with dice and, if it is there, without; four corners."""

    lights: tuple[NDArray[np.float16], ...]
    tray: Floats

    @classmethod
    def of(cls, view: TrayView, tray: Floats) -> Self:
        scale = SMALL_PX / max(view.light.shape[:2])
        both = [light for light in (view.light, view.empty) if light is not None]
        small = [
            cv2.resize(light, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            for light in both
        ]
        lights = tuple(light.astype(np.float16) for light in small)
        return cls(lights, np.asarray(tray * scale, np.float32))

    def seen(
        self, rng: Generator, matrix: Floats | None = None, size: tuple[int, int] = (0, 0)
    ) -> Floats:
        """Its light, through an affine map if there is one."""
        light = self.lights[int(rng.integers(len(self.lights)))].astype(np.float32)
        if matrix is not None:
            light = cv2.warpAffine(light, matrix, size, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[assignment]
        return light


def views(source: ViewSource, count: int, folder: Path) -> list[TrayLight]:
    """So many in which most of the tray is seen: made once, and kept for the other network."""
    kept = folder / f"trays_{count}.npz"
    if not kept.exists():
        _make(source, count, kept)
    with np.load(kept) as file:
        return [
            TrayLight(tuple(file[f"{k}_{j}"] for j in (0, 1) if f"{k}_{j}" in file), file[f"{k}"])
            for k in range(count)
        ]


def _make(source: ViewSource, count: int, kept: Path) -> None:
    arrays = {}
    for k, view in enumerate(_made(source, count)):
        arrays |= {f"{k}_{j}": light for j, light in enumerate(view.lights)} | {f"{k}": view.tray}
        print(f"\r{k + 1} of {count} trays", end="", flush=True)
    np.savez(kept.with_suffix(".part.npz"), **arrays)  # type: ignore[arg-type]
    kept.with_suffix(".part.npz").replace(kept)
    print()


def _made(source: ViewSource, count: int) -> Iterator[TrayLight]:
    number = FIRST
    while count:
        view = source.view(number)
        number += 1
        if view.tray is None:
            continue
        size = np.array(view.part.shape[::-1])
        near = (view.tray > -ROOM * size) & (view.tray < (1 + ROOM) * size)
        if near.all(axis=1).sum() >= LEAST_CORNERS:
            count -= 1
            yield TrayLight.of(view, view.tray)
