"""Images as files: encoded light with and without dice, masks of the pixels, and labels."""

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
"""Chance that the automatic exposure suits the dice."""


def auto_exposure(light: Floats, rng: Generator) -> float:
    """Return the factor by which an automatic exposure would multiply light, within about one stop.

    In most images white dice on dark cloth still show their pips. Some exposures suit only the
    cloth.

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
    """Write an image and everything that belongs to it.

    The labels come last, so an image with labels is complete.

    Args:
        path: The PNG file to write; masks, labels and the empty tray are written beside it.
        light: (h, w, 3) linear RGB light.
        empty: (h, w, 3) linear RGB light of the empty tray, if there is one.
        part: (h, w) the `Part` of each pixel.
        die: (h, w) number of the die in each pixel, or -1.
        truth: The true labels.
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
    """Return (h, w) `Part` of each pixel, and the number of its die or -1."""
    mask = cv2.imread(str(path.with_suffix(".mask.png")), cv2.IMREAD_COLOR)
    if mask is None:
        raise FileNotFoundError(
            f"{path}: the mask beside it is missing. Delete its .json file and make the image again."
        )
    die = mask[..., 1].astype(np.int16)
    return np.asarray(mask[..., 0], np.uint8), np.where(die == NO_DIE_BYTE, -1, die).astype(
        np.int16
    )
