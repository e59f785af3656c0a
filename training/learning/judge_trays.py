"""How well trays are found in worlds that are never taught: python -m training.learning.judge_trays OUT --rests DIR.

It prints, of so many trays as a camera takes them, how many are found within 3 % of their width, how many
are said to be sure, and how many of those are wrong; and the same were another confidence enough to be sure.
One in 25 is the simulated tray, which is taught.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.random import default_rng

from calibration.outline import as_quad, worst_corner_error
from calibration.tray_finder import MIN_SURE_CONFIDENCE, find_tray
from training.learning.samples.retaking import photographed
from training.learning.samples.tray_lights import TrayLight, views
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.kept_out import Purpose

RIGHT = 0.03
LIGHTS = {"any": 0.0, "hard": 1.0}
"""How many of the worlds have hard light."""

STEPS = sorted({0.3, 0.4, 0.5, 0.6, 0.7, 0.8, MIN_SURE_CONFIDENCE})


def main() -> None:
    """One line for each confidence, in any light and in hard light."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rests", type=Path, required=True, help="of scenes.throws.rest_library")
    parser.add_argument("--views", type=int, default=300)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for name, hard in LIGHTS.items():
        folder = options.out / "kept_out" / name
        folder.mkdir(parents=True, exist_ok=True)
        source = ViewSource(
            Materials(options.rests), Purpose.STRANGE, for_finder=True, usual_trays=True, hard=hard
        )
        _judge(f"{name} light", views(source, options.views, folder))


def _judge(name: str, trays: Sequence[TrayLight]) -> None:
    found = np.array([_found(view, k) for k, view in enumerate(trays)])
    right, confidence = found[:, 0] < RIGHT, found[:, 1]
    print(f"{name}, {len(found)} trays: {right.mean():.1%} within {RIGHT:.0%}")
    for least in STEPS:
        sure = confidence >= least
        print(f"sure from {least}: {sure.mean():.1%}, wrong {(sure & ~right).mean():.1%}")


def _found(view: TrayLight, seed: int) -> tuple[float, float]:
    """How far off the worst corner is, in widths of the tray; and the confidence."""
    rng = default_rng([seed, 3])
    picture = photographed(view.seen(rng), rng)
    height, width = picture.shape[:2]
    tray = find_tray([picture])
    # One that is not sure is proposed where a finger can take hold of it.
    truth = view.tray if tray.sure else np.clip(view.tray, 0, (width, height))
    return worst_corner_error(tray.tray.in_px(width, height), as_quad(truth)), tray.confidence


if __name__ == "__main__":
    main()
