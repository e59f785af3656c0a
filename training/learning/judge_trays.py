"""How well trays are found in worlds that are never taught: python -m training.learning.judge_trays OUT --rests DIR.

It prints, of so many trays as a camera takes them, how many are found within 3 % of their width, how many
are said to be sure, and how many of those are wrong; and the same were another confidence enough to be sure.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
from numpy.random import default_rng

from calibration.outline import corners_apart
from calibration.tray_finder import SURE, find
from training.learning.samples.retaking import photographed
from training.learning.samples.view_source import Materials, ViewSource
from training.learning.train_tray import TrayLight, views
from training.scenes.kept_out import Purpose
from vision.reading import Quad

RIGHT = 0.03
STEPS = (0.5, 0.6, 0.7, SURE, 0.84, 0.87, 0.9)


def main() -> None:
    """One line for each confidence."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="of scenes.throws.rest_library")
    parser.add_argument("--views", type=int, default=300)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    folder = options.out / "kept_out"
    folder.mkdir(parents=True, exist_ok=True)
    source = ViewSource(
        Materials(options.rests), Purpose.STRANGE, for_finder=True, usual_trays=True
    )
    found = np.array(
        [_found(view, k) for k, view in enumerate(views(source, options.views, folder))]
    )
    right, confidence = found[:, 0] < RIGHT, found[:, 1]
    print(f"{len(found)} trays: {right.mean():.1%} within {RIGHT:.0%}")
    for least in STEPS:
        sure = confidence >= least
        print(f"sure from {least}: {sure.mean():.1%}, wrong {(sure & ~right).mean():.1%}")


def _found(view: TrayLight, seed: int) -> tuple[float, float]:
    """How far off the worst corner is, in widths of the tray; and the confidence."""
    rng = default_rng([seed, 3])
    picture = photographed(view.seen(rng), rng)
    height, width = picture.shape[:2]
    tray = find([picture])
    truth = Quad(tuple((float(x), float(y)) for x, y in view.tray))
    away = corners_apart(tray.tray.in_px(width, height), truth)
    return away, tray.confidence


if __name__ == "__main__":
    main()
