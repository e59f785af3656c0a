"""How much each piece of evidence counts: python -m training.learning.weigh --rests DIR.

Reads pictures of kinds that were not taught, and as many of such as were, each as several cameras take
it, and fits three sums of evidence (`vision.decision`) to what was true: whether a die lies there, whether
its face is read right, and whether it lies as it must. Half of them know the tray, and of those some the empty one.
How a die lies is told only in a tray that is whole in the picture: further pictures show such, half of them of
kinds that were not taught (but for the trays: those have five walls, which no `Quad` tells).

At last it prints, for each chance from which a die may be said to lie well (`vision.decision.WELL`), how many of
those that do would be asked about, and how many of those that do not would pass.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from itertools import count, islice
from pathlib import Path

import numpy as np

from training.learning.exams import WHAT
from training.learning.export import NETS
from training.learning.honest_odds import fit
from training.learning.samples.lures import NEAR_EDGES, NEAR_SIZE
from training.learning.samples.retaking import retake
from training.learning.samples.tray_views import TrayView, edges
from training.learning.samples.view_source import Materials, ViewSource
from training.scenes.truth import COCKED_DEG, SEEN
from vision.candidates import Candidate, find_candidates
from vision.decision import Evidence, evidence, likeliest_face
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Quad

CAMERAS = 2
SIZE_PX = (960, 720)
"""Of the pictures: dice as large as a camera of full size shows them, as the reader sees a tray."""
SHOWN, MOSTLY_SHOWN = 0.35, 0.8
FIRST = 5_000
"""Number of the first view: neither taught nor in an exam."""
DICE_IN_A_TRAY = 12
PLACES = 20
"""At most so many of a picture count: a ground printed with tops of dice is one picture, not 800 places."""
CHANCES = (0.5, 0.65, 0.8, 0.85, 0.9, 0.95)
NAMES = tuple(field.name for field in fields(Evidence))
FOR_DICE = ("bias", "finder_log_odds", "reader_log_odds", "is_tray_known", "size_deviation")
FOR_FACES = (*FOR_DICE, "face_log_odds", "worst_view_log_odds")
FOR_LYING = (
    "bias",
    "size_deviation",
    "not_hidden_log_odds",
    "not_cocked_log_odds",
    "not_stacked_log_odds",
    "is_isolated",
)


@dataclass(frozen=True)
class WeighedPlace:
    """What was seen at one place, and what is true of it; None where it does not matter."""

    seen: tuple[float, ...]
    is_die: bool
    is_right: bool
    lies_well: bool | None


def main() -> None:
    """Fit the three sums and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rests", type=Path, required=True, help="of scenes.throws.rest_library")
    parser.add_argument("--views", type=int, default=150, help="of each of the two")
    parser.add_argument("--trays", type=int, default=250, help="further ones of whole trays")
    parser.add_argument("--into", type=Path, default=NETS / "decision.json")
    options = parser.parse_args()
    places = [*_all_places(Materials(options.rests), options.views, options.trays)]
    told = {
        "is_die": _weights(places, FOR_DICE, lambda place: place.is_die),
        "is_face_right": _weights(places, FOR_FACES, lambda place: place.is_right),
        "is_flat": _weights(places, FOR_LYING, lambda place: place.lies_well),
    }
    options.into.write_text(json.dumps(told, indent=1) + "\n")
    print(f"{options.into}: {len(places)} places")
    for line in _trade(places, told["is_flat"]):
        print(line)


def _all_places(materials: Materials, views: int, trays: int) -> Iterator[WeighedPlace]:
    for name, purpose in WHAT.items():
        source = ViewSource(materials, purpose, for_finder=True, size=SIZE_PX)
        for k, view in enumerate(_views(source, FIRST, views)):
            print(f"\r{name}: {k + 1} of {views}", end="", flush=True)
            yield from _places(view)
        print()
    for name, purpose in WHAT.items():
        source = ViewSource(materials, purpose, for_finder=True, size=SIZE_PX, usual_trays=True)
        whole = filter(_is_of_a_tray, _views(source, FIRST + views))
        for k, view in enumerate(islice(whole, trays // 2)):
            print(f"\rtrays, {name}: {k + 1} of {trays // 2}", end="", flush=True)
            yield from _places(view)
        print()


def _weights(
    places: list[WeighedPlace],
    used: tuple[str, ...],
    truth: Callable[[WeighedPlace], bool | None],
) -> dict[str, float]:
    told = [place for place in places if truth(place) is not None]
    columns = [NAMES.index(name) for name in used]
    seen = np.array([place.seen for place in told])[:, columns]
    fitted = fit(seen, np.array([truth(place) for place in told], float))
    return {name: round(float(w), 3) for name, w in zip(used, fitted, strict=True)}


def _trade(places: list[WeighedPlace], weights: dict[str, float]) -> Iterator[str]:
    """What each chance of lying well would cost, and what it would let pass, of dice whose face is read right."""
    told = [place for place in places if place.is_right and place.lies_well is not None]
    odds = np.array([
        sum(w * place.seen[NAMES.index(name)] for name, w in weights.items()) for place in told
    ])  # fmt: skip
    well, chance = np.array([place.lies_well for place in told]), 1 / (1 + np.exp(-odds))
    yield f"{well.sum()} lie well, {(~well).sum()} do not; of the first are asked about, of the others pass:"
    for least in CHANCES:
        asked, pass_ = (chance[well] < least).mean(), (chance[~well] >= least).mean()
        yield f"from {least:.2f}: {asked:.1%} asked about, {pass_:.1%} pass"


def _views(source: ViewSource, first: int, views: int | None = None) -> Iterator[TrayView]:
    for number in count(first) if views is None else range(first, first + views):
        yield source.view(number, cast_only=True)


def _is_of_a_tray(view: TrayView) -> bool:
    return _tray(view) is not None and 1 <= len(view.dice.quads) <= DICE_IN_A_TRAY


def _places(view: TrayView) -> Iterator[WeighedPlace]:
    rng = np.random.default_rng(int(view.name))
    for camera in range(CAMERAS):
        tray = _tray(view) if camera % 2 == 0 else None
        shot = retake(view, np.eye(2, 3, dtype=np.float32), view.part.shape[::-1], rng)
        table = UNKNOWN_TRAY if tray is None else KnownTray(shot.empty)
        seen = find_candidates(shot.picture, tray, None, table).candidates
        for k in rng.permutation(len(seen))[:PLACES]:
            yield _place(view, seen[k], is_tray_known=tray is not None)


def _place(view: TrayView, seen: Candidate, *, is_tray_known: bool) -> WeighedPlace:
    told, k = astuple(evidence(seen, is_tray_known=is_tray_known)), _die_at(view, seen)
    if k is None:
        return WeighedPlace(told, is_die=False, is_right=False, lies_well=None)
    is_right = bool(likeliest_face(seen) == view.dice.value[k] and view.dice.seen[k] > MOSTLY_SHOWN)
    return WeighedPlace(told, True, is_right, None if seen.tilt is None else _well(view, k))


def _tray(view: TrayView) -> Quad | None:
    """Its tray if all of it is in the picture, near enough."""
    if view.tray is None:
        return None
    far = 20
    if (view.tray < -far).any() or (view.tray > np.array(view.part.shape[::-1]) + far).any():
        return None
    a, b, c, d = ((float(x), float(y)) for x, y in view.tray)
    return Quad((a, b, c, d))


def _die_at(view: TrayView, place: Candidate) -> int | None:
    """Which of the dice is there."""
    if not len(view.dice.quads):
        return None
    sizes, middles = edges(view.dice.quads), view.dice.quads.mean(axis=1)
    seen = place.detection
    away = np.hypot(middles[:, 0] - seen.x, middles[:, 1] - seen.y) / sizes
    fits = (np.abs(np.log(seen.edge / sizes)) < NEAR_SIZE) & (view.dice.seen > SHOWN)
    away[~fits] = np.inf
    k = int(away.argmin())
    return k if away[k] < NEAR_EDGES else None


def _well(view: TrayView, k: int) -> bool:
    """Whether a die lies as it must."""
    return bool(
        view.dice.tilt_deg[k] < COCKED_DEG and view.dice.seen[k] > SEEN and not view.dice.stacked[k]
    )


if __name__ == "__main__":
    main()
