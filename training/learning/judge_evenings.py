"""Measure how well evenings at one tray are read: python -m training.learning.judge_evenings DIR.

DIR is a folder that `lamp_evenings` has written. Each throw is read twice: once when only the corners of the tray are
known, and once when the empty tray and earlier throws are known as well. The command prints how many readings are
right, how many ask (unsure) and how many are silent errors (wrong but sure), and every throw that is read worse when
more is known. Then it prints, at several thresholds for the probability that a face is right, the number of questions
and silent errors in throws without foreign objects or traps, and how many of the faces with a similar probability are
right. At several thresholds for the probability that a die lies flat, it prints how many dice lead to a question.

With `--fit`, the command fits these probabilities to the dice of all throws, and writes the weights.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from itertools import pairwise
from math import exp, hypot
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from training.learning.export import NETS
from training.learning.odds_scaling import EVIDENCE_NAMES, fit_evidence
from training.scenes.truth import COCKED_DEG, MIN_SEEN
from vision import read
from vision.candidates import find_candidates
from vision.decision import evidence
from vision.images import Image, load
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Die, Problem, Quad, Reading

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.86, 0.9, 0.95)
CHANCE_LIMITS = (0.0, 0.5, 0.7, 0.8, 0.86, 0.9, 0.95, 0.98, 0.99, 1.01)
"""Limits of the ranges of probability for which faces are counted. No probability reaches the last limit."""
FLAT_THRESHOLDS = (0.5, 0.65, 0.8, 0.85, 0.9, 0.95)
SILENT_PRICE = 20
"""Number of questions that cost as much as one silent error (a reading that is wrong but sure)."""
FITTED = {
    "is_face_right": (
        "bias",
        "reader_log_odds",
        "worst_view_log_odds",
        "agreement_log_odds",
        "familiarity",
    ),
    "is_flat": ("bias", "flat_log_odds", "is_isolated"),
}
"""The sums of evidence that `--fit` can fit, with the evidence in each. The names are also fields of `FaceRead`."""
MAX_OFFSET_EDGES, MIN_SEEN_TO_READ = 0.5, 0.8
OUTCOMES = ("right", "asked", "silent")


@dataclass(frozen=True)
class FaceRead:
    """The evidence about one die with a value, and the truth about it.

    Attributes:
        seen: The evidence, in the order of `EVIDENCE_NAMES`.
        is_face_right: Whether the value is right.
        is_flat: Whether the die lies flat, in full view and not on another die, or None if there is no die.
    """

    seen: tuple[float, ...]
    is_face_right: bool
    is_flat: bool | None


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
    parser.add_argument(
        "--fit",
        nargs="*",
        choices=tuple(FITTED),
        help="fit and write these weights (without names, all)",
    )
    parser.add_argument("--weights", type=Path, default=NETS / "decision.json")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    reads = [one for place in sorted(options.folder.iterdir()) for one in read_evening(place)]
    for line in [*_outcomes(reads), *_worse(reads)]:
        print(line)
    weights = json.loads(options.weights.read_text())
    print("\n".join(_curve(reads, weights["is_face_right"])))
    print("\n".join(_reliability(reads, weights["is_face_right"])))
    print("\n".join(_trade(reads, weights["is_flat"])))
    if options.fit is not None:
        faces = [face for one in reads for face in one.faces]
        for name in options.fit or FITTED:
            known = [(face.seen, getattr(face, name)) for face in faces]
            cases = [(seen, truth) for seen, truth in known if truth is not None]
            weights[name] = fit_evidence(cases, FITTED[name])
        options.weights.write_text(json.dumps(weights, indent=1) + "\n")
        print("\n".join(_curve(reads, weights["is_face_right"])))
        print("\n".join(_trade(reads, weights["is_flat"])))


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
        there = [truth for truth in row["dice"] if _is_at(truth, die)]
        truth = max(there, key=lambda one: one["top_visible_frac"], default=None)
        if truth is None:
            yield FaceRead(seen, is_face_right=False, is_flat=None)
            continue
        is_seen = truth["top_visible_frac"] > MIN_SEEN_TO_READ
        is_flat = truth["tilt_deg"] <= COCKED_DEG and truth["top_visible_frac"] > MIN_SEEN
        yield FaceRead(
            seen,
            is_face_right=is_seen and truth["top_face"] == die.value,
            is_flat=is_flat and not truth["stacked"],
        )


def _is_at(truth: Mapping[str, Any], die: Die) -> bool:
    """Return whether a labelled die is where `die` was read."""
    away = hypot(truth["top_center"][0] - die.x, truth["top_center"][1] - die.y)
    return bool(away < MAX_OFFSET_EDGES * truth["size_px"])


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
    chances = [(_chance(face, weights), face.is_face_right) for one in reads for face in one.faces]
    for low, high in pairwise(CHANCE_LIMITS):
        found = [is_right for chance, is_right in chances if low <= chance < high]
        if found:
            share = sum(found) / len(found)
            yield f"claimed {low:.2f} to {min(high, 1):.2f}: {len(found)} faces, {share:.1%} right"


def _chance(face: FaceRead, weights: Mapping[str, float]) -> float:
    odds = sum(w * face.seen[EVIDENCE_NAMES.index(name)] for name, w in weights.items())
    return 1 / (1 + exp(-odds))


def _trade(reads: list[ThrowRead], weights: Mapping[str, float]) -> Iterator[str]:
    """Yield a line for each threshold: how many flat dice lead to a question, and how many others do not.

    Only dice whose face is read correctly count.
    """
    faces = [f for one in reads for f in one.faces if f.is_face_right and f.is_flat is not None]
    is_flat = np.array([face.is_flat for face in faces])
    chances = np.array([_chance(face, weights) for face in faces])
    yield f"{is_flat.sum()} dice are flat, {(~is_flat).sum()} are not; share of flat dice asked about, share of others that pass:"
    for least in FLAT_THRESHOLDS:
        asked, passed = (chances[is_flat] < least).mean(), (chances[~is_flat] >= least).mean()
        yield f"threshold {least:.2f}: {asked:.1%} asked about, {passed:.1%} pass"


if __name__ == "__main__":
    main()
