"""Decides whether a candidate, a place where a die may lie, is a die with a value, a doubtful die, or no die.

Three probabilities decide. Each is a weighted sum of evidence in log odds, with weights fitted to pictures
that the networks were not trained on: `training.learning.weigh` and `judge_evenings` write nets/decision.json.

For doubtful faces, images of faces from earlier throws at the same table give a second opinion. All networks were
trained on pictures of the same kind, so they can be wrong together; earlier faces are evidence of another kind.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import exp, log

from vision.candidates import Candidate
from vision.images import Image
from vision.looks.face_looks import (
    MIN_SAME_LOOK,
    FaceLook,
    Opinion,
    ask_looks,
    cut_look,
    is_like_any,
)
from vision.reading import Problem

MIN_DIE_PROBABILITY = 0.5
"""A candidate is a die if it has at least this probability. Otherwise it is floor, a coin or a shadow."""

MIN_DOUBT_PROBABILITY = 0.2
"""Between this probability and `MIN_DIE_PROBABILITY`, the reading asks about a candidate in a tray. It is low, because a
missed die costs as much as twenty questions."""

MIN_DOUBT_PROBABILITY_ANYWHERE = 0.35
"""Replaces `MIN_DOUBT_PROBABILITY` if the position of the tray is unknown: photographs show many other things."""

MIN_DOUBT_PROBABILITY_ALONE = 0.15
"""Replaces both if no candidate reaches them. A tray is certainly empty only if nothing in it could be a die."""

MIN_RIGHT_PROBABILITY = 0.86
"""A face in a tray is accepted if it is at least this likely to be right. When the sum was fitted, this threshold cost
least on pictures kept out of training, where a face that is certain but wrong costs as much as twenty questions."""

MIN_RIGHT_PROBABILITY_ANYWHERE = 0.93
"""Replaces `MIN_RIGHT_PROBABILITY` if the position of the tray is unknown: photographs show more things that look like
dice, and dice from the side. "Photographs without a known tray" in docs/decisions/reading.md compares thresholds."""

CERTAIN_DIE_PROBABILITY = 0.93
"""A candidate that is at least this likely to be a die needs only `MIN_RIGHT_PROBABILITY`, even without a tray."""

MIN_FLAT_PROBABILITY = 0.85
"""A die that is less likely than this to lie flat and in full view is cocked, hidden or stacked. In trays kept out of
training, 0.8 missed more of those dice, and 0.9 asked about more flat dice (docs/decisions/reading.md)."""

MAX_HIDDEN_PROBABILITY, MAX_COCKED_PROBABILITY = 0.5, 0.65
"""If the camera pose is unknown, a die that is more likely than this to be partly hidden, or to be cocked, is not certain. Seen
from the side, a flat die can seem to be cocked, so the second limit is high."""

CUT_EDGES, CUT_FINDER_PROBABILITY, CUT_READER_PROBABILITY = 0.2, 0.3, 0.1
"""A place in a photograph counts as a die that is cut off if it extends this far beyond the border, in die edges, and if the
finder and the face reader give a die at least these probabilities. A die that is cut off less still shows all its pips, and
the face reader hardly recognises one that is cut off more (docs/decisions/reading.md)."""

MAX_FAMILIARITY = 8.0
"""Beyond this familiarity (see `FaceProbabilities`), a face is no more likely to be right."""

SMALL_DIE_PX = 14.0
"""The pips of a die with a shorter edge are a pixel or two wide: an unreadable one needs a closer camera."""

MIN_DIE_PX = 6.0
"""The pips of a die with a shorter edge are smaller than a pixel, so nobody can see its face."""

MIN_CONFIRMING, MIN_CONFIRMING_LEAD = 0.75, 0.02
"""Similarity and lead that earlier faces need to confirm a doubtful face, if all six are known: a four can look as
much like a five as another five does."""

MIN_CORRECTING, MIN_CORRECTING_LEAD = 0.85, 0.1
"""Similarity and lead that earlier faces need to replace a doubtful face with another one, if all six are known."""

MIN_CONTRADICTING, MIN_CONTRADICTING_LEAD = 0.8, 0.02
"""Similarity and lead that earlier faces need to contradict a certain face."""

SEEN_BEFORE_CONFIDENCE = 0.95
"""Confidence in a face that earlier faces confirm or correct: in pictures kept out of training, no such face was wrong."""

EPSILON = 1e-5
"""Probabilities closer than this to 0 or 1 count as this far away."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence about one candidate. The fields have the names of the weights in nets/decision.json.

    Attributes:
        bias: Always 1.
        finder_log_odds: Log odds of a die, according to the finder.
        reader_log_odds: Log odds of a die, according to the face reader.
        is_tray_known: 1 if the position of the tray is known, and with it the camera pose, otherwise 0.
        worst_view_log_odds: Log odds of the likeliest face, in the orientation of the patch that supports it least.
        agreement_log_odds: Log odds of the likeliest face, according to the network that doubts it more (see
            `FaceProbabilities`).
        familiarity: How similar the face is to the training pictures (see `FaceProbabilities`).
        size_deviation: Absolute value of the logarithm of the edge divided by the usual edge.
        flat_log_odds: Log odds that the die is neither cocked nor partly hidden, and does not lie on another die, as if these
            were independent of each other.
        is_isolated: 1 if there is nothing that the die could lean against, otherwise 0.
    """

    bias: float
    finder_log_odds: float
    reader_log_odds: float
    is_tray_known: float
    worst_view_log_odds: float
    agreement_log_odds: float
    familiarity: float
    size_deviation: float
    flat_log_odds: float
    is_isolated: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one candidate that is, or may be, a die.

    Attributes:
        value: Face from 1 to 6, or None if the candidate may not be a die at all.
        confidence: Probability that the value is right and the die lies flat. Without a value, the
            probability that the candidate is a die.
        problem: Why the candidate is not certain, or None.
    """

    value: int | None
    confidence: float
    problem: Problem | None


Judged = tuple[Candidate, Verdict]
"""A candidate and the verdict on it."""


def judge_candidate(
    candidate: Candidate, *, is_tray_known: bool, min_doubt: float = MIN_DOUBT_PROBABILITY
) -> Verdict | None:
    """Decide what a candidate is. Return None if it is not a die.

    Args:
        candidate: Place where a die may lie, with the evidence about it.
        is_tray_known: Whether the position of the tray is known. If it is not, any die may seem to lean, and a face has
            to be more certain.
        min_doubt: Probability of being a die below which the candidate is dropped.
    """
    seen = evidence(candidate, is_tray_known=is_tray_known)
    die_probability = _probability("is_die", seen)
    if not is_tray_known and _may_be_cut_off(candidate):
        return Verdict(None, die_probability, Problem.CUT_OFF)
    if die_probability < min_doubt:
        return None
    if die_probability < MIN_DIE_PROBABILITY:
        return Verdict(None, die_probability, _unreadable(candidate))
    right = _probability("is_face_right", seen)
    flat = 1.0 if candidate.tilt.lean is None else _probability("is_flat", seen)
    is_certain_die = die_probability >= CERTAIN_DIE_PROBABILITY
    is_clear = right >= (
        MIN_RIGHT_PROBABILITY if is_tray_known or is_certain_die else MIN_RIGHT_PROBABILITY_ANYWHERE
    )
    problem = _problem(candidate, flat, is_clear=is_clear)
    return Verdict(likeliest_face(candidate), right * flat, problem)


def with_second_opinions(
    picture: Image, judged: Sequence[Judged], looks: Sequence[FaceLook]
) -> list[Judged]:
    """Return the verdicts on a throw after comparing its faces with those of earlier throws.

    Earlier faces can confirm or correct a doubtful face, and can make a certain face doubtful. A throw without doubtful
    faces is not compared, because that takes time and would find hardly any mistakes.

    Args:
        picture: Frame (height, width, 3) BGR.
        judged: Candidates with the verdicts on them.
        looks: Looks of earlier throws.
    """
    if not looks or not any(_is_doubtful(verdict) for _, verdict in judged):
        return list(judged)
    return [(place, _reconsidered(picture, place, verdict, looks)) for place, verdict in judged]


def likeliest_face(candidate: Candidate) -> int:
    """Return the most probable face of a candidate, from 1 to 6."""
    return 1 + max(range(6), key=lambda k: candidate.face.faces[k])


def evidence(candidate: Candidate, *, is_tray_known: bool) -> Evidence:
    """Convert everything that is known about a candidate into numbers that can be weighed.

    Args:
        candidate: Place where a die may lie, with the evidence about it.
        is_tray_known: Whether the position of the tray is known.
    """
    face, tilt = candidate.face, candidate.tilt
    flat = (1 - face.hidden) * (1 - tilt.cocked) * (1 - tilt.stacked)
    return Evidence(
        bias=1,
        finder_log_odds=_log_odds(candidate.detection.probability),
        reader_log_odds=_log_odds(1 - face.no_die),
        is_tray_known=float(is_tray_known),
        worst_view_log_odds=_log_odds(face.worst_view),
        agreement_log_odds=_log_odds(face.agreement),
        familiarity=min(MAX_FAMILIARITY, face.familiarity),
        size_deviation=candidate.size_deviation,
        flat_log_odds=_log_odds(flat),
        is_isolated=float(candidate.is_isolated),
    )


def _problem(candidate: Candidate, flat: float, *, is_clear: bool) -> Problem | None:
    """Return why a die is not certain, or None.

    `flat` is the probability that it lies flat, and `is_clear` says whether its face is likely enough to be right.
    """
    if candidate.detection.edge < MIN_DIE_PX:
        return Problem.TOO_SMALL
    if candidate.tilt.lean is None:
        if candidate.face.hidden > MAX_HIDDEN_PROBABILITY:
            return Problem.HIDDEN
        if candidate.tilt.cocked > MAX_COCKED_PROBABILITY:
            return Problem.COCKED
    if flat >= MIN_FLAT_PROBABILITY:
        return None if is_clear else _unreadable(candidate)
    causes = {
        Problem.COCKED: candidate.tilt.cocked,
        Problem.HIDDEN: candidate.face.hidden,
        Problem.STACKED: candidate.tilt.stacked,
    }
    return max(causes, key=lambda cause: causes[cause])


def _may_be_cut_off(candidate: Candidate) -> bool:
    """Check whether a place at the border of the frame may be the visible part of a die."""
    return (
        candidate.beyond_edges > CUT_EDGES
        and candidate.detection.probability >= CUT_FINDER_PROBABILITY
        and 1 - candidate.face.no_die >= CUT_READER_PROBABILITY
    )


def _is_doubtful(verdict: Verdict) -> bool:
    return verdict.value is not None and verdict.problem is Problem.UNREADABLE


def _reconsidered(
    picture: Image, place: Candidate, verdict: Verdict, looks: Sequence[FaceLook]
) -> Verdict:
    if verdict.value is None or verdict.problem not in {None, Problem.UNREADABLE}:
        return verdict
    at = place.detection
    pixels = cut_look(picture, (at.x, at.y), at.edge, at.turn)
    if _is_doubtful(verdict):
        opinion = ask_looks(pixels, looks)
        return verdict if opinion is None else _resolved(verdict, opinion)
    if is_like_any(pixels, [look for look in looks if look.value == verdict.value]):
        return verdict
    opinion = ask_looks(pixels, looks)
    is_contradicted = (
        opinion is not None
        and opinion.value != verdict.value
        and opinion.reaches(MIN_CONTRADICTING, MIN_CONTRADICTING_LEAD)
    )
    return replace(verdict, problem=Problem.UNREADABLE) if is_contradicted else verdict


def _resolved(verdict: Verdict, opinion: Opinion) -> Verdict:
    if opinion.is_confirmed and opinion.reaches(MIN_SAME_LOOK, MIN_CONFIRMING_LEAD):
        is_clear = True
    elif opinion.value == verdict.value:
        is_clear = opinion.knows_all and opinion.reaches(MIN_CONFIRMING, MIN_CONFIRMING_LEAD)
    else:
        is_clear = opinion.knows_all and opinion.reaches(MIN_CORRECTING, MIN_CORRECTING_LEAD)
    return Verdict(opinion.value, SEEN_BEFORE_CONFIDENCE, None) if is_clear else verdict


def _unreadable(candidate: Candidate) -> Problem:
    is_small = candidate.detection.edge < SMALL_DIE_PX
    return Problem.TOO_SMALL if is_small else Problem.UNREADABLE


def _probability(name: str, seen: Evidence) -> float:
    log_odds = sum(weight * getattr(seen, field) for field, weight in _weights()[name].items())
    return 1 / (1 + exp(-log_odds))


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Return the weight of each field of `Evidence` in each of the three sums, by the name of the sum."""
    text = files("vision").joinpath("nets", "decision.json").read_text()
    weights: Mapping[str, Mapping[str, float]] = json.loads(text)
    return weights


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, EPSILON), 1 - EPSILON)
    return log(bounded / (1 - bounded))
