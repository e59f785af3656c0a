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
SURE = 0.5
"""A die is sure from this chance of being read right on."""
WELL = 0.8
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

    always: float
    heat: float  # log odds that a die lies there, by the finder
    shown: float  # log odds that it shows a face, by the readers
    share: float  # log odds of the best face among all, by the readers
    told_tray: float  # 1 if it is known how the camera stands
    steady: float  # log odds of that face where the turned die looks least like it
    odd: float  # how much larger or smaller than the dice here, as a logarithm
    whole: float  # log odds that none of it is hidden
    flat: float  # log odds that it is not cocked, 0 where nothing can tell
    low: float  # log odds that it lies on no other die
    free: float  # 1 if there is nothing that it could lean on


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one place: a die, or with value None something that may be one."""

    value: int | None
    confidence: float
    problem: Problem | None


def judge(look: Candidate, *, told_tray: bool, least: float = NO_DIE) -> Verdict | None:
    """None where surely no die lies.

    Args:
        look: what was seen there.
        told_tray: whether the camera's stand is known; without it every die may seem to lean.
        least: the chance of being a die below which a place is none.
    """
    seen = evidence(look, told_tray=told_tray)
    is_die = _chance("is_die", seen)
    if is_die < least:
        return None
    if is_die < A_DIE:
        return Verdict(None, is_die, _unread(look))
    right = _chance("is_right", seen)
    well = 1.0 if look.stance is None else _chance("lies_well", seen)
    return Verdict(best(look), right * well, _problem(look, right, well))


def best(look: Candidate) -> int:
    """The likeliest face."""
    return 1 + max(range(6), key=lambda k: look.face.faces[k])


def evidence(look: Candidate, *, told_tray: bool) -> Evidence:
    """All that was seen, as numbers to be weighed."""
    sighting, face = look.sighting, look.face
    value = best(look)
    return Evidence(
        always=1,
        heat=_log_odds(sighting.heat),
        shown=_log_odds(1 - face.none),
        share=_log_odds(face.faces[value - 1] / max(LEAST, sum(face.faces))),
        told_tray=float(told_tray),
        steady=_log_odds(face.steady),
        odd=look.odd,
        whole=_log_odds(1 - face.hidden),
        flat=0.0 if look.stance is None else _log_odds(1 - look.stance.cocked),
        low=0.0 if look.stance is None else _log_odds(1 - look.stance.stacked),
        free=float(look.free),
    )


def _problem(look: Candidate, right: float, well: float) -> Problem | None:
    if look.sighting.edge < PIP_PX:
        return Problem.TOO_SMALL
    if look.stance is None or well >= WELL:
        return None if right >= SURE else _unread(look)
    chances = {
        Problem.COCKED: look.stance.cocked,
        Problem.HIDDEN: look.face.hidden,
        Problem.STACKED: look.stance.stacked,
    }
    return max(chances, key=lambda cause: chances[cause])


def _unread(look: Candidate) -> Problem:
    return Problem.TOO_SMALL if look.sighting.edge < LEAST_PX else Problem.UNREADABLE


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
