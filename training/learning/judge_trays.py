"""Measure how well trays are found: python -m training.learning.judge_trays OUT --rests DIR.

The command prints how many trays, in scenes that are never used for training, are found to within 3 % of their width. For
several confidence thresholds, it also prints how many results are certain, and how many are certain but wrong. One tray
in 25 is the simulated tray, which is used for training.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.random import default_rng

from calibration.outline import worst_corner_error
from calibration.tray_finder import MIN_SURE_CONFIDENCE, find_tray
from training.learning.samples.camera_shots import photograph
from training.learning.samples.tray_images import TrayImages, load_tray_images
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.kept_out import Purpose
from vision.reading import Quad

MAX_RIGHT_ERROR = 0.03
HARD_LIGHT_SHARES = {"any": 0.0, "hard": 1.0}
"""Share of scenes with hard light (one or two small lamps in a dark room) in each test."""

CONFIDENCE_STEPS = sorted({0.3, 0.4, 0.5, 0.6, 0.7, 0.8, MIN_SURE_CONFIDENCE})


def main() -> None:
    """Print the results for any light and for hard light, with a line for each threshold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="folder of throws at rest")
    parser.add_argument("--views", type=int, default=300)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for name, hard in HARD_LIGHT_SHARES.items():
        folder = options.out / "kept_out" / name
        folder.mkdir(parents=True, exist_ok=True)
        source = ViewSource(
            Materials(options.rests), Purpose.KEPT_OUT, for_finder=True, usual_trays=True, hard=hard
        )
        _judge(f"{name} light", load_tray_images(source, options.views, folder))


def _judge(name: str, trays: Sequence[TrayImages]) -> None:
    found = np.array([_found(view, k) for k, view in enumerate(trays)])
    right, confidence = found[:, 0] < MAX_RIGHT_ERROR, found[:, 1]
    print(f"{name}, {len(found)} trays: {right.mean():.1%} are right within {MAX_RIGHT_ERROR:.0%}")
    for least in CONFIDENCE_STEPS:
        sure = confidence >= least
        print(f"sure from {least}: {sure.mean():.1%}, wrong {(sure & ~right).mean():.1%}")


def _found(view: TrayImages, seed: int) -> tuple[float, float]:
    """Find the tray in a view; return the error of the worst corner in tray widths, and the confidence."""
    rng = default_rng([seed, 3])
    picture = photograph(view.seen(rng), rng)
    height, width = picture.shape[:2]
    tray = find_tray([picture])
    # An uncertain tray is proposed inside the image, where a finger can drag its corners.
    truth = view.tray if tray.is_sure else np.clip(view.tray, 0, (width, height))
    return worst_corner_error(tray.tray.in_px(width, height), Quad.of(truth)), tray.confidence


if __name__ == "__main__":
    main()
