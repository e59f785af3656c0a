"""What was seen at one place -> a value, a confidence, a problem, or nothing at all.

The three chances behind it are sums of evidence in log odds, weighed by what was right on pictures
that the networks had not been taught: `python -m training.learning.weigh` writes nets/decision.json.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, log

from vision.candidates import Candidate
from vision.reading import Problem

A_DIE = 0.5
"""Below this chance of being a die a place is ground, a coin, a shadow."""
NO_DIE = 0.35
"""Below this one surely: between the two it is asked about."""
NO_DIE_ALONE = 0.15
"""The same where nothing else is one: a picture without dice is sure only if nothing in it can be a die."""
MIN_RIGHT_PROBABILITY = 0.5
"""A die is sure from this chance of being read right on."""
MIN_FLAT_PROBABILITY = 0.8
"""Below this chance of lying as it must a die is said to be cocked, hidden or stacked."""
LEAST_PX = 14.0
"""A die whose edge is shorter has pips of a pixel or two: what it needs is a nearer camera."""
PIP_PX = 6.0
"""And here a pip is less than a pixel: whatever is read of such a die, nobody can see it."""
LEAST = 1e-5
"""Chances nearer to 0 or 1 mean no more."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a die, its face and how it lies, at one place."""

    bias: float
    finder_log_odds: float  # log odds that a die lies there, by the finder
    reader_log_odds: float  # log odds that it shows a face, by the readers
    face_log_odds: float  # log odds of the best face among all, by the readers
    is_tray_known: float  # 1 if it is known how the camera stands
    worst_view_log_odds: float  # log odds of that face where the turned die looks least like it
    size_deviation: float  # how much larger or smaller than the dice here, as a logarithm
    not_hidden_log_odds: float  # log odds that none of it is hidden
    not_cocked_log_odds: float  # log odds that it is not cocked, 0 where nothing can tell
    not_stacked_log_odds: float  # log odds that it lies on no other die
    is_isolated: float  # 1 if there is nothing that it could lean on


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one place: a die, or with value None something that may be one."""

    value: int | None
    confidence: float
    problem: Problem | None


def judge_candidate(
    look: Candidate, *, is_tray_known: bool, least: float = NO_DIE
) -> Verdict | None:
    """None where surely no die lies.

    Args:
        look: what was seen there.
        is_tray_known: whether the camera's stand is known; without it every die may seem to lean.
        least: the chance of being a die below which a place is none.
    """
    seen = evidence(look, is_tray_known=is_tray_known)
    is_die = _chance("is_die", seen)
    if is_die < least:
        return None
    if is_die < A_DIE:
        return Verdict(None, is_die, _unread(look))
    right = _chance("is_face_right", seen)
    well = 1.0 if look.tilt is None else _chance("is_flat", seen)
    return Verdict(likeliest_face(look), right * well, _problem(look, right, well))


def likeliest_face(look: Candidate) -> int:
    """The likeliest face."""
    return 1 + max(range(6), key=lambda k: look.face.faces[k])


def evidence(look: Candidate, *, is_tray_known: bool) -> Evidence:
    """All that was seen, as numbers to be weighed."""
    detection, face = look.detection, look.face
    value = likeliest_face(look)
    return Evidence(
        bias=1,
        finder_log_odds=_log_odds(detection.heat),
        reader_log_odds=_log_odds(1 - face.none),
        face_log_odds=_log_odds(face.faces[value - 1] / max(LEAST, sum(face.faces))),
        is_tray_known=float(is_tray_known),
        worst_view_log_odds=_log_odds(face.steady),
        size_deviation=look.size_deviation,
        not_hidden_log_odds=_log_odds(1 - face.hidden),
        not_cocked_log_odds=0.0 if look.tilt is None else _log_odds(1 - look.tilt.cocked),
        not_stacked_log_odds=0.0 if look.tilt is None else _log_odds(1 - look.tilt.stacked),
        is_isolated=float(look.is_isolated),
    )


def _problem(look: Candidate, right: float, well: float) -> Problem | None:
    if look.detection.edge < PIP_PX:
        return Problem.TOO_SMALL
    if look.tilt is None or well >= MIN_FLAT_PROBABILITY:
        return None if right >= MIN_RIGHT_PROBABILITY else _unread(look)
    chances = {
        Problem.COCKED: look.tilt.cocked,
        Problem.HIDDEN: look.face.hidden,
        Problem.STACKED: look.tilt.stacked,
    }
    return max(chances, key=lambda cause: chances[cause])


def _unread(look: Candidate) -> Problem:
    return Problem.TOO_SMALL if look.detection.edge < LEAST_PX else Problem.UNREADABLE


def _chance(of: str, seen: Evidence) -> float:
    odds = sum(weight * getattr(seen, name) for name, weight in _weights()[of].items())
    return 1 / (1 + exp(-odds))


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Of each sum, what of `Evidence` counts how much."""
    weights: Mapping[str, Mapping[str, float]] = json.loads(
        files("vision").joinpath("nets", "decision.json").read_text()
    )
    return weights


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, LEAST), 1 - LEAST)
    return log(bounded / (1 - bounded))
