"""Stores rendered images as files: light with and without dice, masks of what each pixel shows, and labels."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.rendering.light import encode_light

Floats = NDArray[np.float32]
NO_DIE_BYTE = 255
"""Value in the mask of dice for a pixel without a die."""

WELL_EXPOSED_CHANCE = 0.75
"""Probability that the automatic exposure suits the dice."""


def auto_exposure(light: Floats, rng: Generator) -> float:
    """Return the factor by which a camera with automatic exposure might multiply light.

    The factor varies by about one stop. In most images, white dice on dark cloth still show their pips. Some exposures
    suit only the cloth.

    Args:
        light: Linear light (h, w, 3).
        rng: Source of random numbers.
    """
    share = rng.uniform(85, 99.7) if rng.random() < WELL_EXPOSED_CHANCE else rng.uniform(60, 98)
    level = float(np.percentile(light.max(axis=2), share))
    return float(rng.uniform(0.35, 0.95)) / max(level, 1e-6)


def save_picture(  # noqa: PLR0917 - all parts of an image
    path: Path, light: Floats, empty: Floats | None, part: NDArray[np.uint8], die: NDArray[np.int16],
    truth: dict[str, Any],
) -> None:  # fmt: skip
    """Write a rendered image with its masks, its labels and, if there is one, its empty-tray image.

    The labels are written last, so an image with labels is complete.

    Args:
        path: The PNG file to write. The other files are written next to it.
        light: Linear RGB light (h, w, 3).
        empty: Linear RGB light (h, w, 3) of the empty tray, or None.
        part: The `Part` (h, w) that each pixel shows.
        die: Number (h, w) of the die that each pixel shows, or -1.
        truth: The true labels (see `training.scenes.truth`).
    """
    factor = auto_exposure(light, np.random.default_rng(truth["seed"]))
    cv2.imwrite(
        str(path), encode_light(np.ascontiguousarray(light[..., ::-1] * np.float32(factor)))
    )
    if empty is not None:
        cv2.imwrite(
            str(path.with_suffix(".empty.png")),
            encode_light(np.ascontiguousarray(empty[..., ::-1] * np.float32(factor))),
        )
    mask = np.dstack(
        [part, np.where(die < 0, NO_DIE_BYTE, die).clip(0, 255), np.zeros_like(part)]
    ).astype(np.uint8)
    cv2.imwrite(str(path.with_suffix(".mask.png")), mask)
    path.with_suffix(".json").write_text(json.dumps(truth))


def load_masks(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Load the masks (h, w) of an image: the `Part` that each pixel shows, and the number of the die or -1."""
    mask = cv2.imread(str(path.with_suffix(".mask.png")), cv2.IMREAD_COLOR)
    if mask is None:
        raise FileNotFoundError(
            f"{path}: the mask beside it is missing. Delete its .json file and make the image again."
        )
    die = mask[..., 1].astype(np.int16)
    return np.asarray(mask[..., 0], np.uint8), np.where(die == NO_DIE_BYTE, -1, die).astype(
        np.int16
    )
