"""Fit the weights of the evidence: python -m training.learning.weigh --rests DIR.

The command renders views of kinds used for training and of kinds that are kept out of it, reads them with the networks in
`vision`, and fits two sums of evidence (see `vision.decision`) to the true labels: whether there is a die at a place, and
whether a die lies flat. (`judge_evenings` fits the third sum: whether the face that was read is right.) In half of the
images the position of the tray is known, and in some of those also the empty tray. Flatness can be judged only if the
whole tray is in the image, so further views show such trays.

At the end, the command prints, at several thresholds for the probability that a die lies flat, how many flat dice
would lead to a question, and how many dice that are not flat would be accepted without one.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from itertools import count, islice
from pathlib import Path

import numpy as np

from training.learning.exams import PURPOSES
from training.learning.export import NETS
from training.learning.odds_scaling import fit_logistic
from training.learning.samples.camera_shots import take_shot
from training.learning.samples.false_detections import SAME_DIE_LOG_SIZE, SAME_DIE_OFFSET
from training.learning.samples.tray_views import TrayView, mean_edges
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.truth import COCKED_DEG, MIN_SEEN
from vision.candidates import Candidate, find_candidates
from vision.decision import Evidence, evidence, likeliest_face
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Quad

SHOTS_PER_VIEW = 2
SIZE_PX = (960, 720)
"""Size of the images, in which dice are as large as in the frames of a real camera."""
MIN_SEEN_AT_ALL, MIN_SEEN_TO_READ = 0.35, 0.8
FIRST_VIEW = 5_000
"""Number of the first view. The views are used neither for training nor in a test set."""
MAX_TRAY_DICE = 12
MAX_PLACES = 20
"""Largest number of places used from one image. A floor with printed dice yielded 800 places that were nearly alike."""
MIN_FLAT_CHANCES = (0.5, 0.65, 0.8, 0.85, 0.9, 0.95)
EVIDENCE_NAMES = tuple(field.name for field in fields(Evidence))
DIE_EVIDENCE = ("bias", "finder_log_odds", "reader_log_odds", "is_tray_known", "size_deviation")
FLAT_EVIDENCE = (
    "bias",
    "size_deviation",
    "not_hidden_log_odds",
    "not_cocked_log_odds",
    "not_stacked_log_odds",
    "is_isolated",
)


@dataclass(frozen=True)
class LabelledPlace:
    """The evidence at one place that may be a die, and its true labels. `is_flat` is None if it is unknown."""

    seen: tuple[float, ...]
    is_die: bool
    is_right: bool
    is_flat: bool | None


def main() -> None:
    """Fit the weights of both sums, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rests", type=Path, required=True, help="folder of throws at rest")
    parser.add_argument("--views", type=int, default=150, help="views of each of the two exams")
    parser.add_argument("--trays", type=int, default=250, help="further views of whole trays")
    parser.add_argument("--into", type=Path, default=NETS / "decision.json")
    options = parser.parse_args()
    places = [*_all_places(Materials(options.rests), options.views, options.trays)]
    weights = json.loads((NETS / "decision.json").read_text()) | {
        "is_die": _weights(places, DIE_EVIDENCE, lambda place: place.is_die),
        "is_flat": _weights(places, FLAT_EVIDENCE, lambda place: place.is_flat),
    }
    options.into.write_text(json.dumps(weights, indent=1) + "\n")
    print(f"{options.into}: {len(places)} places")
    for line in _trade(places, weights["is_flat"]):
        print(line)


def _all_places(materials: Materials, views: int, trays: int) -> Iterator[LabelledPlace]:
    for name, purpose in PURPOSES.items():
        source = ViewSource(materials, purpose, for_finder=True, size=SIZE_PX)
        for k, view in enumerate(_views(source, FIRST_VIEW, views)):
            print(f"\r{name}: {k + 1} of {views}", end="", flush=True)
            yield from _places(view)
        print()
    for name, purpose in PURPOSES.items():
        source = ViewSource(materials, purpose, for_finder=True, size=SIZE_PX, usual_trays=True)
        whole = filter(_is_of_a_tray, _views(source, FIRST_VIEW + views))
        for k, view in enumerate(islice(whole, trays // 2)):
            print(f"\rtrays, {name}: {k + 1} of {trays // 2}", end="", flush=True)
            yield from _places(view)
        print()


def _weights(
    places: list[LabelledPlace],
    used: tuple[str, ...],
    truth: Callable[[LabelledPlace], bool | None],
) -> dict[str, float]:
    known = [place for place in places if truth(place) is not None]
    columns = [EVIDENCE_NAMES.index(name) for name in used]
    seen = np.array([place.seen for place in known])[:, columns]
    fitted = fit_logistic(seen, np.array([truth(place) for place in known], float))
    return {name: round(float(w), 3) for name, w in zip(used, fitted, strict=True)}


def _trade(places: list[LabelledPlace], weights: dict[str, float]) -> Iterator[str]:
    """Yield a line for each threshold: how many flat dice lead to a question, and how many others do not.

    Only dice whose face is read correctly count.
    """
    known = [place for place in places if place.is_right and place.is_flat is not None]
    odds = np.array([
        sum(w * place.seen[EVIDENCE_NAMES.index(name)] for name, w in weights.items()) for place in known
    ])  # fmt: skip
    well, chance = np.array([place.is_flat for place in known]), 1 / (1 + np.exp(-odds))
    yield f"{well.sum()} dice are flat, {(~well).sum()} are not; share of flat dice asked about, share of others that pass:"
    for least in MIN_FLAT_CHANCES:
        asked_share, pass_share = (chance[well] < least).mean(), (chance[~well] >= least).mean()
        yield f"threshold {least:.2f}: {asked_share:.1%} asked about, {pass_share:.1%} pass"


def _views(source: ViewSource, first: int, views: int | None = None) -> Iterator[TrayView]:
    for number in count(first) if views is None else range(first, first + views):
        yield source.view(number, cast_only=True)


def _is_of_a_tray(view: TrayView) -> bool:
    return _tray(view) is not None and 1 <= len(view.dice.quads) <= MAX_TRAY_DICE


def _places(view: TrayView) -> Iterator[LabelledPlace]:
    rng = np.random.default_rng(int(view.name))
    for camera in range(SHOTS_PER_VIEW):
        tray = _tray(view) if camera % 2 == 0 else None
        shot = take_shot(view, np.eye(2, 3, dtype=np.float32), view.part.shape[::-1], rng)
        table = UNKNOWN_TRAY if tray is None else KnownTray(shot.empty)
        seen = find_candidates(shot.picture, tray, None, table).candidates
        for k in rng.permutation(len(seen))[:MAX_PLACES]:
            yield _place(view, seen[k], is_tray_known=tray is not None)


def _place(view: TrayView, seen: Candidate, *, is_tray_known: bool) -> LabelledPlace:
    known, k = astuple(evidence(seen, is_tray_known=is_tray_known)), _die_at(view, seen)
    if k is None:
        return LabelledPlace(known, is_die=False, is_right=False, is_flat=None)
    is_right = bool(
        likeliest_face(seen) == view.dice.value[k] and view.dice.seen[k] > MIN_SEEN_TO_READ
    )
    return LabelledPlace(known, True, is_right, None if seen.tilt is None else _well(view, k))


def _tray(view: TrayView) -> Quad | None:
    """Return the tray of a view, or None if a corner is more than 20 pixels outside the image."""
    if view.tray is None:
        return None
    far = 20
    if (view.tray < -far).any() or (view.tray > np.array(view.part.shape[::-1]) + far).any():
        return None
    a, b, c, d = ((float(x), float(y)) for x, y in view.tray)
    return Quad((a, b, c, d))


def _die_at(view: TrayView, place: Candidate) -> int | None:
    """Return the number of the die at a place, or None if there is no die."""
    if not len(view.dice.quads):
        return None
    sizes, middles = mean_edges(view.dice.quads), view.dice.quads.mean(axis=1)
    seen = place.detection
    away = np.hypot(middles[:, 0] - seen.x, middles[:, 1] - seen.y) / sizes
    fits = (np.abs(np.log(seen.edge / sizes)) < SAME_DIE_LOG_SIZE) & (
        view.dice.seen > MIN_SEEN_AT_ALL
    )
    away[~fits] = np.inf
    k = int(away.argmin())
    return k if away[k] < SAME_DIE_OFFSET else None


def _well(view: TrayView, k: int) -> bool:
    """Return whether die `k` lies flat, is visible and is not stacked."""
    return bool(
        view.dice.tilt_deg[k] < COCKED_DEG
        and view.dice.seen[k] > MIN_SEEN
        and not view.dice.stacked[k]
    )


if __name__ == "__main__":
    main()
