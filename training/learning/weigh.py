"""How much each piece of evidence counts: python -m training.learning.weigh PICTURES.

Reads the pictures that were held back from training, each as several cameras take it, and fits three
sums of evidence (`vision.decision`) to what was true: whether a die lies there, whether its face is read
right, and whether it lies as it must. Prints what to put there.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields

import numpy as np
from numpy.typing import NDArray

from training.learning.samples import (
    COCKED_DEG,
    NEAR_EDGES,
    NEAR_SIZE,
    SEEN,
    Traced,
    edges,
    load,
    photographed,
    pictures,
)
from vision.candidates import Candidate, looks
from vision.decision import Evidence, best, evidence
from vision.reading import Quad

CAMERAS = 2
SHOWN, MOSTLY_SHOWN = 0.35, 0.8
CAUTION = 0.002
"""Weights are kept small by so much."""
NAMES = tuple(field.name for field in fields(Evidence))
FOR_DICE = ("always", "heat", "shown", "told_tray", "odd")
FOR_FACES = (*FOR_DICE, "share", "first", "steady")
FOR_LYING = ("always", "odd", "whole", "flat", "low")


@dataclass(frozen=True)
class WeighedPlace:
    """What was seen at one place, and what is true of it; None where it does not matter."""

    seen: tuple[float, ...]
    is_die: bool
    is_right: bool
    lies_well: bool | None


def main() -> None:
    """Print the three sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=pictures)
    folder = parser.parse_args().pictures
    places = [
        place
        for path in sorted(folder.glob("*0.png"))
        if path.with_suffix(".json").exists()
        for place in _places(load(path), np.random.default_rng(int(path.stem)))
    ]
    _print("IS_DIE", places, FOR_DICE, lambda place: place.is_die)
    _print("IS_RIGHT", places, FOR_FACES, lambda place: place.is_right)
    _print("LIES_WELL", places, FOR_LYING, lambda place: place.lies_well)


def _print(
    name: str,
    places: list[WeighedPlace],
    used: tuple[str, ...],
    truth: Callable[[WeighedPlace], bool | None],
) -> None:
    told = [place for place in places if truth(place) is not None]
    columns = np.isin(NAMES, used)
    weights = np.zeros(len(NAMES))
    seen = np.array([place.seen for place in told])[:, columns]
    weights[columns] = fit(seen, np.array([truth(place) for place in told], float))
    print(f"{name} = Evidence({', '.join(f'{w:.2f}' if w else '0' for w in weights)})")


def _places(traced: Traced, rng: np.random.Generator) -> Iterator[WeighedPlace]:
    for camera in range(CAMERAS):
        tray = _tray(traced) if camera % 2 == 0 else None
        told = tray is not None
        for place in looks(photographed(traced.coded, rng), tray, None)[0]:
            seen, k = astuple(evidence(place, told_tray=told)), _die_at(traced, place)
            if k is None:
                yield WeighedPlace(seen, is_die=False, is_right=False, lies_well=None)
                continue
            is_right = bool(best(place) == traced.value[k] and traced.seen[k] > MOSTLY_SHOWN)
            yield WeighedPlace(
                seen, True, is_right, None if place.stance is None else _well(traced, k)
            )


def _tray(traced: Traced) -> Quad | None:
    """Its tray if all of it is in the picture, near enough."""
    if traced.tray is None:
        return None
    far = 20
    if (traced.tray < -far).any() or (
        traced.tray > np.array(traced.coded.shape[1::-1]) + far
    ).any():
        return None
    a, b, c, d = ((float(x), float(y)) for x, y in traced.tray)
    return Quad((a, b, c, d))


def _die_at(traced: Traced, place: Candidate) -> int | None:
    """Which of the dice is there."""
    if not len(traced.quads):
        return None
    sizes, middles = edges(traced.quads), traced.quads.mean(axis=1)
    seen = place.sighting
    away = np.hypot(middles[:, 0] - seen.x, middles[:, 1] - seen.y) / sizes
    fits = (np.abs(np.log(seen.edge / sizes)) < NEAR_SIZE) & (traced.seen > SHOWN)
    away[~fits] = np.inf
    k = int(away.argmin())
    return k if away[k] < NEAR_EDGES else None


def _well(traced: Traced, k: int) -> bool:
    """Whether a die lies as it must."""
    return bool(traced.tilt[k] < COCKED_DEG and traced.seen[k] > SEEN and not traced.stacked[k])


def fit(seen: NDArray[np.float64], truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights (columns of `seen`,) that make the truth likeliest: logistic regression by Newton."""
    weights = np.zeros(seen.shape[1])
    keep_small = CAUTION * len(seen) * np.camera_thread(seen.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(seen @ weights, -30, 30)))
        slope = seen.T @ (truth - chance) - keep_small @ weights
        curve = (seen * (chance * (1 - chance))[:, None]).T @ seen + keep_small
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return weights


if __name__ == "__main__":
    main()
