"""Two looks and what they claim -> a value, a confidence, a problem, or nothing at all."""

from dataclasses import dataclass
from math import exp, log

from vision.faces import Face
from vision.finder import Sighting
from vision.reading import Problem

IGNORED = 0.12
"""Below this chance of being a die at all, a sighting is ground, a coin, a shadow."""
SURE = 0.9
FLAT = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one sighting."""

    value: int
    confidence: float
    problem: Problem | None


def judge(sighting: Sighting, face: Face, *, told_tray: bool) -> Verdict | None:
    """None where no die lies."""
    is_die = _mean(sighting.heat, 1 - face.none)
    if is_die < IGNORED:
        return None
    best = max(range(6), key=lambda k: face.faces[k])
    share = face.faces[best] / max(1e-6, sum(face.faces))
    confidence = is_die * share * min(1.0, 2 * sighting.faces[best])
    return Verdict(best + 1, confidence, _problem(face, confidence, told_tray=told_tray))


def _problem(face: Face, confidence: float, *, told_tray: bool) -> Problem | None:
    causes = {Problem.HIDDEN: face.hidden, Problem.STACKED: face.stacked}
    if told_tray:
        causes[Problem.COCKED] = face.cocked
    worst = max(causes, key=lambda cause: causes[cause])
    if causes[worst] > FLAT:
        return worst
    return None if confidence >= SURE else Problem.UNREADABLE


def _mean(a: float, b: float) -> float:
    """Of two chances, by their odds."""
    odds = sum(log(max(p, 1e-6) / max(1 - p, 1e-6)) for p in (a, b)) / 2
    return 1 / (1 + exp(-odds))
