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
NO_DIE = 0.35
"""Below this one surely: between the two it is asked about."""
SURE = 0.5
"""A die is sure from this chance of being read right on."""
CONTRADICTED = 0.4
"""The most that a face can have which the pips surely take for another..."""
STEADY = 4.0
"""... unless the networks have at least these log odds for it from all sides."""
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
    whole: float  # log odds that none of it is hidden
    flat: float  # log odds that it is not cocked, by the third network; 0 where none can tell
    low: float  # log odds that it lies on no other die


IS_DIE = Evidence(-1.05, 1.14, 0.38, 0, 0, 0.42, 0.27, 0.37, 0, 0.30, -0.42, 0, -0.85, 0, 0, 0)
IS_RIGHT = Evidence(
    -1.61, 0.58, 0.32, -0.24, -0.06, 0.12, 0.11, -0.18, -0.06, -0.20, -1.19, 0.42, -0.71,
    -0.02, 0.44, -0.27,
)  # fmt: skip


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
    if seen.differs_surely and seen.steady < STEADY:
        right = min(right, CONTRADICTED)
    problem = _trouble(look)
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
        whole=_log_odds(1 - face.hidden),
        flat=0.0 if look.stance is None else _log_odds(1 - look.stance.cocked),
        low=0.0 if look.stance is None else _log_odds(1 - look.stance.stacked),
    )


def _trouble(look: Look) -> Problem | None:
    if look.stance is None:
        return None
    chances = {
        Problem.COCKED: look.stance.cocked,
        Problem.HIDDEN: look.face.hidden,
        Problem.STACKED: look.stance.stacked,
    }
    worst = max(chances, key=lambda cause: chances[cause])
    return worst if chances[worst] > TROUBLE else None


def _chance(weights: Evidence, seen: Evidence) -> float:
    odds = sum(w * s for w, s in zip(astuple(weights), astuple(seen), strict=True))
    return 1 / (1 + exp(-odds))


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, LEAST), 1 - LEAST)
    return log(bounded / (1 - bounded))
