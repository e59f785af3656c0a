"""What was seen at one place -> a value, a confidence, a problem, or nothing at all.

Both verdicts are sums of evidence in log odds, weighed by what was right on pictures that the
networks had not been taught (`python -m training.weigh`).
"""

from dataclasses import astuple, dataclass
from math import exp, log

from vision.evidence import SURE as SURE_BY_PIPS
from vision.looks import Look
from vision.reading import Problem

A_DIE = 0.5
"""Below this chance of being a die a place is ground, a coin, a shadow."""
NO_DIE = 0.45
"""Below this one surely: between the two it is asked about."""
SURE = 0.55
"""A die is sure from this chance of being read right on."""
CONTRADICTED = 0.4
"""The most that a face can have which the pips surely take for another."""
TROUBLE = 0.5
"""From this chance on a die is said to be cocked, hidden or stacked."""
LEAST = 1e-5
"""Chances nearer to 0 or 1 mean no more."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a die, or for its face, at one place; or how much each of it counts."""

    always: float
    heat: float  # log odds that a die lies there, by the first network
    shown: float  # log odds that it shows a face, by the second
    share: float  # log odds of the best face among all, by the second
    first: float  # log odds of that face by the first
    agrees: float  # 1 if the pips say the same
    strength: float  # and how strongly
    differs: float  # 1 if they say another face
    differs_surely: float
    asks: float  # 1 if they see something that is no face
    told_tray: float  # 1 if it is known how the camera stands
    steady: float  # log odds of that face where the turned die looks least like it
    odd: float  # how much larger or smaller than the dice here, as a logarithm


IS_DIE = Evidence(-0.96, 1.15, 0.43, 0, 0, 0.45, 0.28, 0.43, 0, 0.34, -0.44, 0, -0.75)
IS_RIGHT = Evidence(
    -1.43, 0.59, 0.34, -0.19, -0.04, 0.26, 0.13, -0.10, 0.00, -0.08, -1.36, 0.35, -0.70
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one place: a die, or with value None something that may be one."""

    value: int | None
    confidence: float
    problem: Problem | None


def judge(look: Look, *, told_tray: bool) -> Verdict | None:
    """None where surely no die lies.

    Args:
        look: what was seen there.
        told_tray: whether the camera's stand is known; without it every die may seem to lean.
    """
    seen = evidence(look, told_tray=told_tray)
    is_die = _chance(IS_DIE, seen)
    if is_die < NO_DIE:
        return None
    if is_die < A_DIE:
        return Verdict(None, is_die, Problem.UNREADABLE)
    right = _chance(IS_RIGHT, seen)
    if seen.differs_surely:
        right = min(right, CONTRADICTED)
    problem = _trouble(look) if told_tray else None
    if problem is None and right < SURE:
        problem = Problem.UNREADABLE
    return Verdict(best(look), right, problem)


def best(look: Look) -> int:
    """The likeliest face."""
    return 1 + max(range(6), key=lambda k: look.face.faces[k])


def evidence(look: Look, *, told_tray: bool) -> Evidence:
    """All that was seen, as numbers to be weighed."""
    sighting, face, claim = look.sighting, look.face, look.claim
    value = best(look)
    agrees = claim is not None and claim.value == value
    differs = claim is not None and claim.value not in (None, value)
    strength = claim.strength if claim else 0.0
    return Evidence(
        always=1,
        heat=_log_odds(sighting.heat),
        shown=_log_odds(1 - face.none),
        share=_log_odds(face.faces[value - 1] / max(LEAST, sum(face.faces))),
        first=_log_odds(sighting.faces[value - 1]),
        agrees=float(agrees),
        strength=strength if agrees else 0.0,
        differs=float(differs),
        differs_surely=float(differs and strength >= SURE_BY_PIPS),
        asks=float(claim is not None and claim.value is None),
        told_tray=float(told_tray),
        steady=_log_odds(face.steady),
        odd=look.odd,
    )


def _trouble(look: Look) -> Problem | None:
    face = look.face
    chances = {
        Problem.COCKED: face.cocked,
        Problem.HIDDEN: face.hidden,
        Problem.STACKED: face.stacked,
    }
    worst = max(chances, key=lambda cause: chances[cause])
    return worst if chances[worst] > TROUBLE else None


def _chance(weights: Evidence, seen: Evidence) -> float:
    odds = sum(w * s for w, s in zip(astuple(weights), astuple(seen), strict=True))
    return 1 / (1 + exp(-odds))


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, LEAST), 1 - LEAST)
    return log(bounded / (1 - bounded))
