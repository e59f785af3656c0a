"""Pictures as files: coded light, the same of the empty tray, what each pixel shows, and labels."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from training.rendering.light import coded

Floats = NDArray[np.float32]
NO_DIE = 255
"""In the mask of dice."""

WELL_EXPOSED = 0.75
"""Of pictures."""


def gain(light: Floats, rng: Generator) -> float:
    """What an automatic would multiply light (h, w, 3) by, within a stop or so.

    Most times white dice on dark cloth still show their pips; some automatics look at the cloth alone.
    """
    share = rng.uniform(85, 99.7) if rng.random() < WELL_EXPOSED else rng.uniform(60, 98)
    level = float(np.percentile(light.max(axis=2), share))
    return float(rng.uniform(0.35, 0.95)) / max(level, 1e-6)


def save(  # noqa: PLR0917 - what a picture is
    path: Path, light: Floats, empty: Floats | None, part: NDArray[np.uint8], die: NDArray[np.int16],
    truth: dict[str, Any],
) -> None:  # fmt: skip
    """Write a picture as PATH, and what belongs to it beside; the labels last: then it is whole."""
    factor = gain(light, np.random.default_rng(truth["seed"]))
    cv2.imwrite(str(path), coded(np.ascontiguousarray(light[..., ::-1] * np.float32(factor))))
    if empty is not None:
        cv2.imwrite(
            str(path.with_suffix(".empty.png")),
            coded(np.ascontiguousarray(empty[..., ::-1] * np.float32(factor))),
        )
    mask = np.dstack(
        [part, np.where(die < 0, NO_DIE, die).clip(0, 255), np.zeros_like(part)]
    ).astype(np.uint8)
    cv2.imwrite(str(path.with_suffix(".mask.png")), mask)
    path.with_suffix(".json").write_text(json.dumps(truth))


def masks(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """(h, w) the `Part` of each pixel, and the number of the die there or -1."""
    mask = cv2.imread(str(path.with_suffix(".mask.png")), cv2.IMREAD_COLOR)
    if mask is None:
        raise FileNotFoundError(f"{path}: no mask beside it: make the picture anew")
    die = mask[..., 1].astype(np.int16)
    return np.asarray(mask[..., 0], np.uint8), np.where(die == NO_DIE, -1, die).astype(np.int16)
