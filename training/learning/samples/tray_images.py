"""Makes and stores samples for finding trays: small images of linear light that show most of a tray."""

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
LONG_SIDE_PX = 448  # longer side in pixels: as large as the input of either network
CORNER_MARGIN = 0.12  # how far a corner may lie outside the image, as a share of its size
MIN_CORNERS = 3
FIRST_VIEW = 60_000_000
"""Number of the first view."""


@dataclass(frozen=True, eq=False)
class TrayImages:
    """A tray as linear light, with dice and, if it was rendered, also without them, and its four corners."""

    lights: tuple[NDArray[np.float16], ...]
    tray: Floats

    @classmethod
    def from_view(cls, view: TrayView, tray: Floats) -> Self:
        """Make tray images from a view by scaling it down.

        Args:
            view: The rendered tray.
            tray: Corners (4, 2) of the tray in pixels of the view.
        """
        scale = LONG_SIDE_PX / max(view.light.shape[:2])
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
        """Return the light with dice or without them, chosen at random if both are known.

        Args:
            rng: Source of random numbers.
            matrix: Affine map (2, 3) to apply, or None to return the whole image.
            size: Width and height of the result. Needed only with `matrix`.
        """
        light = self.lights[int(rng.integers(len(self.lights)))].astype(np.float32)
        if matrix is not None:
            light = cv2.warpAffine(light, matrix, size, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[assignment]
        return light


def load_tray_images(source: ViewSource, count: int, folder: Path) -> list[TrayImages]:
    """Return images that show most of a tray. The images are made once and kept, so that two networks can use them.

    Args:
        source: Makes the views.
        count: Number of images.
        folder: Folder in which they are kept.
    """
    saved = folder / f"trays_{count}.npz"
    if not saved.exists():
        _make(source, count, saved)
    with np.load(saved) as file:
        return [
            TrayImages(tuple(file[f"{k}_{j}"] for j in (0, 1) if f"{k}_{j}" in file), file[f"{k}"])
            for k in range(count)
        ]


def _make(source: ViewSource, count: int, saved: Path) -> None:
    arrays = {}
    for k, view in enumerate(_made(source, count)):
        arrays |= {f"{k}_{j}": light for j, light in enumerate(view.lights)} | {f"{k}": view.tray}
        print(f"\r{k + 1} of {count} trays", end="", flush=True)
    np.savez(saved.with_suffix(".part.npz"), **arrays)  # type: ignore[arg-type]
    saved.with_suffix(".part.npz").replace(saved)
    print()


def _made(source: ViewSource, count: int) -> Iterator[TrayImages]:
    number = FIRST_VIEW
    while count:
        view = source.view(number)
        number += 1
        if view.tray is None:
            continue
        size = np.array(view.part.shape[::-1])
        near = (view.tray > -CORNER_MARGIN * size) & (view.tray < (1 + CORNER_MARGIN) * size)
        if near.all(axis=1).sum() >= MIN_CORNERS:
            count -= 1
            yield TrayImages.from_view(view, view.tray)
