"""Fit the weights of the evidence for a die: python -m training.learning.weigh --rests DIR.

The command renders views of kinds used for training and of kinds that are kept out of it, reads them with the networks in
`vision`, and fits a sum of evidence (see `vision.decision`) to the true labels: whether there is a die at a place. In half
of the images the position of the tray is known, and in some of those also the empty tray. `judge_evenings` fits the two
other sums: whether the face that was read is right, and whether a die lies flat.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

import numpy as np

from training.learning.exams import PURPOSES
from training.learning.export import NETS
from training.learning.odds_scaling import fit_evidence
from training.learning.samples.camera_shots import take_shot
from training.learning.samples.false_detections import SAME_DIE_LOG_SIZE, SAME_DIE_OFFSET
from training.learning.samples.tray_views import TrayView, mean_edges
from training.learning.samples.view_source import Materials, ViewSource
from vision.candidates import Candidate, find_candidates
from vision.decision import evidence
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Quad

SHOTS_PER_VIEW = 2
SIZE_PX = (960, 720)
"""Size of the images, in which dice are as large as in the frames of a real camera."""
MIN_SEEN_AT_ALL = 0.35
FIRST_VIEW = 5_000
"""Number of the first view. The views are used neither for training nor in a test set."""
MAX_PLACES = 20
"""Largest number of places used from one image. A floor with printed dice yielded 800 places that were nearly alike."""
DIE_EVIDENCE = ("bias", "finder_log_odds", "reader_log_odds", "is_tray_known", "size_deviation")


LabelledPlace = tuple[tuple[float, ...], bool]
"""The evidence at one place that may be a die, and whether it is one."""


def main() -> None:
    """Fit the weights and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rests", type=Path, required=True, help="folder of throws at rest")
    parser.add_argument("--views", type=int, default=150, help="views of each of the two exams")
    parser.add_argument("--into", type=Path, default=NETS / "decision.json")
    options = parser.parse_args()
    places = [*_all_places(Materials(options.rests), options.views)]
    weights = json.loads((NETS / "decision.json").read_text())
    weights["is_die"] = fit_evidence(places, DIE_EVIDENCE)
    options.into.write_text(json.dumps(weights, indent=1) + "\n")
    print(f"{options.into}: {len(places)} places")


def _all_places(materials: Materials, views: int) -> Iterator[LabelledPlace]:
    for name, purpose in PURPOSES.items():
        source = ViewSource(materials, purpose, for_finder=True, size=SIZE_PX)
        for k in range(views):
            print(f"\r{name}: {k + 1} of {views}", end="", flush=True)
            yield from _places(source.view(FIRST_VIEW + k, cast_only=True))
        print()


def _places(view: TrayView) -> Iterator[LabelledPlace]:
    rng = np.random.default_rng(int(view.name))
    for camera in range(SHOTS_PER_VIEW):
        tray = _tray(view) if camera % 2 == 0 else None
        shot = take_shot(view, np.eye(2, 3, dtype=np.float32), view.part.shape[::-1], rng)
        table = UNKNOWN_TRAY if tray is None else KnownTray(shot.empty)
        found = find_candidates(shot.picture, tray, None, table).candidates
        for k in rng.permutation(len(found))[:MAX_PLACES]:
            seen = astuple(evidence(found[k], is_tray_known=tray is not None))
            yield seen, _is_die(view, found[k])


def _tray(view: TrayView) -> Quad | None:
    """Return the tray of a view, or None if a corner is more than 20 pixels outside the image."""
    if view.tray is None:
        return None
    far = 20
    if (view.tray < -far).any() or (view.tray > np.array(view.part.shape[::-1]) + far).any():
        return None
    a, b, c, d = ((float(x), float(y)) for x, y in view.tray)
    return Quad((a, b, c, d))


def _is_die(view: TrayView, place: Candidate) -> bool:
    """Return whether there is a die at a place."""
    if not len(view.dice.quads):
        return False
    sizes, middles = mean_edges(view.dice.quads), view.dice.quads.mean(axis=1)
    seen = place.detection
    away = np.hypot(middles[:, 0] - seen.x, middles[:, 1] - seen.y) / sizes
    fits = (np.abs(np.log(seen.edge / sizes)) < SAME_DIE_LOG_SIZE) & (
        view.dice.seen > MIN_SEEN_AT_ALL
    )
    return bool((away[fits] < SAME_DIE_OFFSET).any())


if __name__ == "__main__":
    main()
