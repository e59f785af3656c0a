"""A second opinion about doubtful faces, from the looks of earlier throws at the same table.

All networks were trained on pictures of the same kind, so they can be wrong together. How these dice
looked in earlier throws, whose faces people accepted or corrected, is evidence of another kind.
"""

from collections.abc import Sequence
from dataclasses import replace

from vision.candidates import Candidate
from vision.decision import Verdict
from vision.face_looks import FaceLook, Opinion, ask_looks, cut_look, is_like_any
from vision.images import Image
from vision.reading import Problem

MIN_CONFIRMING, MIN_CONFIRMING_LEAD = 0.75, 0.02
"""Similarity and lead from which looks confirm a doubtful face."""

MIN_CORRECTING, MIN_CORRECTING_LEAD = 0.85, 0.1
"""Similarity and lead from which looks replace a doubtful face by another one."""

MIN_CONTRADICTING, MIN_CONTRADICTING_LEAD = 0.8, 0.02
"""Similarity and lead from which looks contradict a certain face."""

CONFIDENCE = 0.95
"""Confidence in a face that looks confirm or correct: none of those that were kept out of training was wrong."""

Judged = tuple[Candidate, Verdict]


def with_second_opinions(
    picture: Image, judged: Sequence[Judged], looks: Sequence[FaceLook]
) -> list[Judged]:
    """Return the verdicts about a throw after a comparison of its faces with earlier looks.

    Looks confirm or correct a doubtful face, and can make a certain face doubtful. A throw without doubtful
    faces is not compared, because that takes time and would find hardly any mistake.

    Args:
        picture: Frame (height, width, 3) BGR.
        judged: Candidates with the verdicts about them.
        looks: Looks of earlier throws.
    """
    if not looks or not any(_is_doubtful(verdict) for _, verdict in judged):
        return list(judged)
    return [(place, _reconsidered(picture, place, verdict, looks)) for place, verdict in judged]


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
    is_same = opinion.value == verdict.value
    limits = (
        (MIN_CONFIRMING, MIN_CONFIRMING_LEAD) if is_same else (MIN_CORRECTING, MIN_CORRECTING_LEAD)
    )
    return Verdict(opinion.value, CONFIDENCE, None) if opinion.reaches(*limits) else verdict
