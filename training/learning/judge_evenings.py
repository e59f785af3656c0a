"""Measure how well evenings at one tray are read: python -m training.learning.judge_evenings DIR.

DIR is a folder that `lamp_evenings` has written. Each throw is read twice: once when only the corners of the tray are
known, and once when the empty tray and earlier throws are known as well. The command prints how many readings are
right, how many ask (unsure) and how many are silent errors (wrong but sure), and every throw that is read worse when
more is known. Then it prints, at several thresholds for the probability that a face is right, the number of questions
and silent errors in throws without foreign objects or traps, and how many of the faces with a similar probability are
right.

With `--fit`, the command fits that probability to the dice of all throws, and writes the weights.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from itertools import pairwise
from math import exp, hypot
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from training.learning.export import NETS
from training.learning.odds_scaling import fit_logistic
from vision import read
from vision.candidates import find_candidates
from vision.decision import Evidence, evidence
from vision.images import Image, load
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Problem, Quad, Reading

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.86, 0.9, 0.95)
CHANCE_LIMITS = (0.0, 0.5, 0.7, 0.8, 0.86, 0.9, 0.95, 0.98, 0.99, 1.01)
"""Limits of the ranges of probability for which faces are counted. No probability reaches the last limit."""
SILENT_PRICE = 20
"""Number of questions that cost as much as one silent error (a reading that is wrong but sure)."""
FACE_EVIDENCE = (
    "bias",
    "reader_log_odds",
    "worst_view_log_odds",
    "agreement_log_odds",
    "familiarity",
)
EVIDENCE_NAMES = tuple(field.name for field in fields(Evidence))
MAX_OFFSET_EDGES, MIN_SEEN = 0.5, 0.8
OUTCOMES = ("right", "asked", "silent")


@dataclass(frozen=True)
class FaceRead:
    """The evidence about one die with a value, and whether the value is right."""

    seen: tuple[float, ...]
    is_right: bool


@dataclass(frozen=True)
class ThrowRead:
    """The result of reading one throw."""

    name: str
    kind: str
    is_known: bool
    outcome: str
    values_are_right: bool
    is_asked_anyway: bool  # for a reason other than a face that may be wrong
    faces: tuple[FaceRead, ...]


def main() -> None:
    """Read all evenings, print the outcomes, and fit the weights if `--fit` is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fit", action="store_true", help="fit and write the weights of faces")
    parser.add_argument("--weights", type=Path, default=NETS / "decision.json")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    reads = [one for place in sorted(options.folder.iterdir()) for one in read_evening(place)]
    for line in [*_outcomes(reads), *_worse(reads)]:
        print(line)
    weights = json.loads(options.weights.read_text())
    print("\n".join(_curve(reads, weights["is_face_right"])))
    print("\n".join(_reliability(reads, weights["is_face_right"])))
    if options.fit:
        weights["is_face_right"] = _fit(reads)
        options.weights.write_text(json.dumps(weights, indent=1) + "\n")
        print("\n".join(_curve(reads, weights["is_face_right"])))


def read_evening(place: Path) -> Iterator[ThrowRead]:
    """Yield two readings of each throw of an evening: one without and one with knowledge from earlier images.

    Args:
        place: Folder of the evening.
    """
    labels = [json.loads(line) for line in (place / "labels.jsonl").read_text().splitlines()]
    a, b, c, d = ((float(x), float(y)) for x, y in labels[0]["tray_corners"])
    tray, empty = Quad((a, b, c, d)), load(place / "empty.jpg")
    alone = KnownTray(empty)
    learnt = [
        read(load(place / row["file"]), tray, known=alone)
        for row in labels
        if row["file"].startswith("learn")
    ]
    known = KnownTray.of(empty, learnt)
    for row in labels[1:]:
        if not row["all_legible"]:
            continue
        picture = load(place / row["file"])
        table = alone if row["file"].startswith("learn") else known
        for one in (UNKNOWN_TRAY, table):
            yield _read(f"{place.name}/{row['file']}", picture, row, tray, one)


def _read(
    name: str, picture: Image, row: Mapping[str, Any], tray: Quad, known: KnownTray
) -> ThrowRead:
    reading = read(picture, tray, known=known)
    kind = "traps" if not row["all_readable"] else "things" if row["objects"] else "clean"
    is_right = list(reading.values) == row["values"] and kind != "traps"
    outcome = "asked" if not reading.is_sure else "right" if is_right else "silent"
    faces = tuple(_faces(picture, row, tray, known, reading))
    others = [
        die.problem
        for die in reading.dice_in_tray
        if die.problem and not (die.value and die.problem is Problem.UNREADABLE)
    ]
    is_asked = bool(reading.problems or others)
    return ThrowRead(name, kind, known is not UNKNOWN_TRAY, outcome, is_right, is_asked, faces)


def _faces(
    picture: Image, row: Mapping[str, Any], tray: Quad, known: KnownTray, reading: Reading
) -> Iterator[FaceRead]:
    candidates = find_candidates(picture, tray, None, known).candidates
    for die in reading.dice_in_tray:
        if die.value is None:
            continue
        place = min(candidates, key=lambda c: hypot(c.detection.x - die.x, c.detection.y - die.y))
        seen = astuple(evidence(place, is_tray_known=True))
        yield FaceRead(seen, any(_shows(truth, die.x, die.y, die.value) for truth in row["dice"]))


def _shows(truth: Mapping[str, Any], x: float, y: float, value: int) -> bool:
    away = hypot(truth["top_center"][0] - x, truth["top_center"][1] - y)
    is_there = away < MAX_OFFSET_EDGES * truth["size_px"] and truth["top_visible_frac"] > MIN_SEEN
    return bool(is_there and truth["top_face"] == value)


def _outcomes(reads: list[ThrowRead]) -> Iterator[str]:
    for kind in ("clean", "things", "traps"):
        for is_known in (False, True):
            counts = Counter(r.outcome for r in reads if (r.kind, r.is_known) == (kind, is_known))
            if counts:
                shares = " / ".join(f"{counts[k]}" for k in OUTCOMES)
                what = "table known" if is_known else "tray told"
                yield f"{kind}, {what} ({counts.total()}): {' / '.join(OUTCOMES)} {shares}"


def _worse(reads: list[ThrowRead]) -> Iterator[str]:
    rank = dict(zip(OUTCOMES, range(3), strict=True))
    for told, known in zip(reads[::2], reads[1::2], strict=True):
        if rank[known.outcome] > rank[told.outcome] and told.kind == "clean":
            yield f"worse with the table known: {told.name}, {told.outcome}, {known.outcome}"


def _curve(reads: list[ThrowRead], weights: Mapping[str, float]) -> Iterator[str]:
    """Yield a line for each threshold, with the questions and silent errors in throws without objects or traps."""
    some = [r for r in reads if r.kind == "clean" and not r.is_asked_anyway]
    least = [min((_chance(face, weights) for face in r.faces), default=1.0) for r in some]
    for threshold in THRESHOLDS:
        passed = [
            r.values_are_right for r, chance in zip(some, least, strict=True) if chance >= threshold
        ]
        questions, silent = len(some) - len(passed), passed.count(False)
        price = questions + SILENT_PRICE * silent
        yield f"threshold {threshold:.2f}: {sum(passed)} right, {questions} asked, {silent} silent, price {price}"


def _reliability(reads: list[ThrowRead], weights: Mapping[str, float]) -> Iterator[str]:
    """Yield a line for each range of probabilities: how many faces are in it, and what share of them is right.

    The faces of all readings count, however much was known about the tray.
    """
    chances = [(_chance(face, weights), face.is_right) for one in reads for face in one.faces]
    for low, high in pairwise(CHANCE_LIMITS):
        found = [is_right for chance, is_right in chances if low <= chance < high]
        if found:
            share = sum(found) / len(found)
            yield f"claimed {low:.2f} to {min(high, 1):.2f}: {len(found)} faces, {share:.1%} right"


def _chance(face: FaceRead, weights: Mapping[str, float]) -> float:
    odds = sum(w * face.seen[EVIDENCE_NAMES.index(name)] for name, w in weights.items())
    return 1 / (1 + exp(-odds))


def _fit(reads: list[ThrowRead]) -> dict[str, float]:
    faces = [face for one in reads for face in one.faces]
    columns = [EVIDENCE_NAMES.index(name) for name in FACE_EVIDENCE]
    seen = np.array([face.seen for face in faces])[:, columns]
    fitted = fit_logistic(seen, np.array([face.is_right for face in faces], float))
    return {name: round(float(w), 3) for name, w in zip(FACE_EVIDENCE, fitted, strict=True)}


if __name__ == "__main__":
    main()
