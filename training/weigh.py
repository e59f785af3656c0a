"""How much each piece of evidence counts: python -m training.weigh PICTURES.

Reads the pictures that were held back from training, each as several cameras take it, and fits two
sums of evidence (`vision.judge`) to what was true: whether a die lies there, and whether its face
is read right and may be trusted. Prints what to put there.
"""

import argparse
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np

from training.samples import (
    COCKED_DEG,
    NEAR_EDGES,
    NEAR_SIZE,
    SEEN,
    Floats,
    Traced,
    edges,
    load,
    photographed,
)
from vision.judge import Evidence, best, evidence
from vision.looks import Look, looks
from vision.reading import Quad

CAMERAS = 2
SHOWN, MOSTLY_SHOWN = 0.35, 0.8
CAUTION = 0.002
"""Weights are kept small by so much."""
NOT_FOR_DICE = ("share", "first", "steady", "whole", "flat", "low")
"""What says nothing of whether there is a die."""


def main() -> None:
    """Print IS_DIE and IS_RIGHT."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--keep", type=Path, help="a .npz for what was seen")
    options = parser.parse_args()
    rows = []
    for path in sorted(options.pictures.glob("*0.png")):
        if path.with_suffix(".json").exists():
            rows += _rows(load(path), np.random.default_rng(int(path.stem)))
    seen = np.array([row for row, _, _ in rows])
    is_die = np.array([die for _, die, _ in rows], float)
    is_right = np.array([right for _, _, right in rows], float)
    if options.keep:
        np.savez(options.keep, seen=seen, is_die=is_die, is_right=is_right)
    names = [field.name for field in fields(Evidence)]
    of_dice = [name not in NOT_FOR_DICE for name in names]
    for name, truth, used in (
        ("IS_DIE", is_die, np.array(of_dice)),
        ("IS_RIGHT", is_right, np.ones(len(names), bool)),
    ):
        weights = np.zeros(len(names))
        weights[used] = fit(seen[:, used], truth)
        print(f"{name} = Evidence({', '.join(f'{w:.2f}' for w in weights)})")


def _rows(traced: Traced, rng: np.random.Generator) -> list[tuple[tuple[float, ...], bool, bool]]:
    """Evidence, whether a die is there, and whether it is read right, for each place seen."""
    rows = []
    for camera in range(CAMERAS):
        tray = _tray(traced) if camera % 2 == 0 else None
        places, _ = looks(photographed(traced.coded, rng), tray, None)
        for place in places:
            k = _die_at(traced, place)
            told = tray is not None
            right = k is not None and best(place) == traced.value[k] and _fair(traced, k, told=told)
            rows.append((astuple(evidence(place, told_tray=told)), k is not None, right))
    return rows


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


def _die_at(traced: Traced, place: Look) -> int | None:
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


def _fair(traced: Traced, k: int, *, told: bool) -> bool:
    """Whether a reader may be sure of this die; without the tray leaning dice are as good as flat."""
    if not told:
        return bool(traced.seen[k] > MOSTLY_SHOWN)
    return bool(traced.tilt[k] < COCKED_DEG and traced.seen[k] > SEEN and not traced.stacked[k])


def fit(seen: Floats, truth: Floats) -> Floats:
    """Weights (columns of `seen`,) that make the truth likeliest: logistic regression by Newton."""
    weights = np.zeros(seen.shape[1])
    keep_small = CAUTION * len(seen) * np.eye(seen.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(seen @ weights, -30, 30)))
        slope = seen.T @ (truth - chance) - keep_small @ weights
        curve = (seen * (chance * (1 - chance))[:, None]).T @ seen + keep_small
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(weights, np.float64)


if __name__ == "__main__":
    main()
