"""Reads the dice in a frame: `read` is the function that turns a frame into a `Reading`."""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.candidates import (
    MIN_HAND_SHARE,
    MIN_HAND_SHARE_ANYWHERE,
    Candidate,
    CandidateSet,
    could_be_die,
    find_candidates,
)
from vision.decision import (
    MIN_DOUBT_PROBABILITY,
    MIN_DOUBT_PROBABILITY_ALONE,
    MIN_DOUBT_PROBABILITY_ANYWHERE,
    Judged,
    Verdict,
    judge_candidate,
    with_second_opinions,
)
from vision.finder import Detection
from vision.images import Image, as_bgr, bounding_box, full_frame
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Die, Problem, Quad, Reading, Zone
from vision.tray_change import WHITE_LEVEL, ChangedRegion

DARK_LEVEL, BRIGHT_SHARE = 24, 0.01
"""If less than BRIGHT_SHARE of the pixel values (0 to 255) are at least DARK_LEVEL, a black die would be invisible."""

MAX_WHITE_SHARE = 0.25
"""If a larger share of a tray's floor is white, the tray is overexposed, and a die could be invisible."""

LIGHT_STEP = 4
"""To judge the light, every fourth pixel of every fourth row is examined."""

SIDE_CONFIDENCE_SHARE = 0.7
"""A face inside another die is that die's side and is dropped, unless its confidence exceeds this share
of the other's: then the reading asks about it."""

MIN_FLAT_DISTANCE_EDGES = 0.8
"""Flat dice that touch are at least one edge apart, from centre to centre. Closer ones are asked about."""

MAX_LOW_CAMERA_LOG_ODDS = -6.0
"""If the camera pose is unknown and the mean log odds that the camera sees the dice from the side are higher than this, the
advice is to hold it above them. The limit is low because fronts of dice are read as confidently as tops."""

RECOGNISED_OBJECT_PROBABILITY, RECOGNISED_AT_KNOWN_TABLE = 0.9, 0.8
"""In trays kept out of training, no die got so high a probability of being something else. The second limit applies if the
sizes of the dice and the empty tray are known: a die that was overlooked got at most 0.74."""

MAX_SET_DEVIATION, MIN_SEEN_PROBABILITY = 0.2, 0.5
"""At a known table, the face reader alone drops no doubtful candidate and recognises none below
`RECOGNISED_OBJECT_PROBABILITY`. A second sign is needed: either the size deviates by more than the first from all dice of the
set, as a log ratio (162 dice in rendered evenings deviated by at most 0.10), or the finder gives a die less than the second."""

MIN_HIDING_WIDTH_EDGES = 0.9
"""A region that is narrower than this, in die edges, cannot hide a die."""

MAX_NO_DIE_PROBABILITY = 0.5
"""If the sizes of the dice are unknown, a candidate that is less likely than this to be no die shows how large a die is."""

MAX_CORNER_ERROR_EDGES, MAX_WALL_EDGES = 0.3, 0.6
"""A die beyond a wall is at least half an edge and the width of the wall away from the floor. So one whose centre is closer
than the first distance, in die edges, lies in the tray, whose corners are not exact. Up to the second, it is asked about."""

MIN_HAND_EDGES = 0.8
"""A region that reaches into the tray and is larger than this, in die edges, is a hand or a sleeve."""


def read(
    image: NDArray[np.generic],
    tray: Quad | None = None,
    *,
    aside: Quad | None = None,
    known: KnownTray = UNKNOWN_TRAY,
) -> Reading:
    """Read the dice in a frame.

    Args:
        image: (height, width, 3) uint8 BGR. Grey and BGRA are converted.
        tray: Floor of the tray in frame pixels, or None for the whole frame.
        aside: Set-aside area in frame pixels, or None if there is none.
        known: The knowledge about this tray from earlier frames.

    Returns:
        The dice, with positions in pixels of `image`. A die that is not certain has its `problem` set.
        An empty tray gives a certain reading without dice. If neither the tray nor its empty image is
        known, a frame without dice is unreadable, because it may show a die that the networks missed.

    Raises:
        ValueError: If `image` is not an 8-bit image of one, three or four channels.
    """
    start = perf_counter()
    picture = as_bgr(image)
    seen = find_candidates(picture, tray, aside, known)
    is_tray_known = tray is not None
    judged = _judge(seen, is_tray_known=is_tray_known)
    if seen.knows_set:
        judged = [(place, verdict) for place, verdict in judged if _may_be_of_set(place, verdict)]
    judged = with_second_opinions(picture, judged, known.looks)
    judged = _resolve_overlaps(judged)
    dice = [_located(_die(place, verdict), place, tray, aside) for place, verdict in judged]
    if seen.change:
        outlines = [place.outline for place, _ in judged]
        regions = seen.change.regions(tray or full_frame(picture), outlines)
        dice += [_foreign_object(r) for r in regions if _needs_question(r, seen)]
    min_hand = MIN_HAND_SHARE if is_tray_known else MIN_HAND_SHARE_ANYWHERE
    is_present = {
        Problem.HAND: seen.hand > min_hand,
        Problem.DARK: _is_dark(picture, tray),
        Problem.GLARE: tray is not None and _is_overexposed(picture, tray, judged),
        Problem.SIDE_VIEW: not is_tray_known and _is_side_view(judged),
        Problem.FOREIGN_OBJECT: seen.is_covered,
        # The networks sometimes miss a die that fills the frame, without any sign of doubt.
        Problem.UNREADABLE: not dice and not is_tray_known and seen.change is None,
    }
    problems = tuple(problem for problem, holds in is_present.items() if holds)
    leans = [p.tilt.lean for p, v in judged if p.tilt.lean and v.value and v.problem is None]
    return Reading(tuple(dice), problems, (perf_counter() - start) * 1000, tuple(leans))


def _judge(seen: CandidateSet, *, is_tray_known: bool) -> list[Judged]:
    min_doubt = MIN_DOUBT_PROBABILITY if is_tray_known else MIN_DOUBT_PROBABILITY_ANYWHERE
    return _verdicts(seen, min_doubt, is_tray_known=is_tray_known) or _verdicts(
        seen, MIN_DOUBT_PROBABILITY_ALONE, is_tray_known=is_tray_known
    )


def _verdicts(seen: CandidateSet, min_doubt: float, *, is_tray_known: bool) -> list[Judged]:
    verdicts = (
        (place, judge_candidate(place, is_tray_known=is_tray_known, min_doubt=min_doubt))
        for place in seen.candidates
    )
    return [(place, verdict) for place, verdict in verdicts if verdict is not None]


def _resolve_overlaps(judged: list[Judged]) -> list[Judged]:
    """Drop side faces that were taken for dice, and ask about dice too close to lie side by side."""
    kept: list[Judged] = []
    for place, verdict in sorted(judged, key=lambda one: -one[1].confidence):
        at = place.detection.x, place.detection.y
        owner = next((v for p, v in kept if v.value and _contains(p.outline, at)), None)
        questioned = replace(verdict, problem=verdict.problem or Problem.UNREADABLE)
        if owner is None:
            is_near = any(v.value and _is_near(p.detection, place.detection) for p, v in kept)
            kept.append((place, questioned if is_near else verdict))
        elif verdict.value and verdict.confidence > SIDE_CONFIDENCE_SHARE * owner.confidence:
            kept.append((place, questioned))
    return kept


def _is_side_view(judged: Sequence[Judged]) -> bool:
    """Check whether the dice look as if the camera were seeing them from the side."""
    seen = [place.low_camera_log_odds for place, verdict in judged if verdict.value]
    known = [log_odds for log_odds in seen if log_odds is not None]
    return bool(known) and float(np.mean(known)) > MAX_LOW_CAMERA_LOG_ODDS


def _is_near(one: Detection, other: Detection) -> bool:
    distance = hypot(one.x - other.x, one.y - other.y)
    return distance < MIN_FLAT_DISTANCE_EDGES * (one.edge + other.edge) / 2


def _may_be_of_set(place: Candidate, verdict: Verdict) -> bool:
    """Check whether a candidate may be a die of a set of known sizes. One with a value always may."""
    return verdict.value is not None or not _is_doubly_recognised(place)


def _is_doubly_recognised(place: Candidate) -> bool:
    """Check whether the face reader says that a candidate is no die, and its size or the finder supports this."""
    is_other_size = place.size_deviation > MAX_SET_DEVIATION
    is_unseen = place.detection.probability < MIN_SEEN_PROBABILITY
    return place.face.no_die > RECOGNISED_AT_KNOWN_TABLE and (is_other_size or is_unseen)


def _needs_question(region: ChangedRegion, seen: CandidateSet) -> bool:
    """Check whether a changed region is a hand, may be a die, or may hide dice. A pencil or a crumb is none of these."""
    if region.is_shadow:
        return False
    smallest = _smallest_edge(seen)
    if could_be_die(region, seen.edge_range):
        return region.is_entering or not _is_recognised_object(region, seen)
    if region.is_entering:
        return region.edge > MIN_HAND_EDGES * smallest
    return region.edge > smallest and region.width > MIN_HIDING_WIDTH_EDGES * smallest


def _smallest_edge(seen: CandidateSet) -> float:
    """Return the smallest usual edge of the dice or, if it is unknown, that of the smallest likely die, or 0 if there is none."""
    if seen.edge_range is not None:
        return seen.edge_range[0]
    likely = (c.detection.edge for c in seen.candidates if c.face.no_die < MAX_NO_DIE_PROBABILITY)
    return min(likely, default=0.0)


def _is_recognised_object(region: ChangedRegion, seen: CandidateSet) -> bool:
    """Check whether the face reader is certain that a changed region is not a die but a coin, for example."""
    here = [
        place
        for place in seen.candidates
        if hypot(place.detection.x - region.x, place.detection.y - region.y) < region.edge / 2
    ]
    return any(
        place.face.no_die > RECOGNISED_OBJECT_PROBABILITY
        or (seen.knows_set and _is_doubly_recognised(place))
        for place in here
    )


def _foreign_object(region: ChangedRegion) -> Die:
    return Die(
        None, region.x, region.y, region.edge, region.edge, 0.0, 0.0, Zone.TRAY,
        Problem.FOREIGN_OBJECT,
    )  # fmt: skip


def _is_dark(picture: Image, tray: Quad | None) -> bool:
    left, top, right, bottom = bounding_box(picture, [tray] if tray else [])
    pixels = picture[top:bottom:LIGHT_STEP, left:right:LIGHT_STEP]
    return bool(np.count_nonzero(pixels >= DARK_LEVEL) < BRIGHT_SHARE * pixels.size)


def _is_overexposed(picture: Image, tray: Quad, judged: Sequence[Judged]) -> bool:
    """Check whether so much of the tray is white, apart from dice, that a die could be invisible."""
    left, top, right, bottom = bounding_box(picture, [tray])
    pixels = picture[top:bottom:LIGHT_STEP, left:right:LIGHT_STEP]
    floor = np.zeros(pixels.shape[:2], np.uint8)
    shapes = [(np.array(tray.corners), 1), *((place.outline, 0) for place, _ in judged)]
    for outline, level in shapes:
        cells = np.round((outline - (left, top)) / LIGHT_STEP).astype(np.int32)
        cv2.fillPoly(floor, [cells], level)
    white = np.asarray(cv2.inRange(pixels, (WHITE_LEVEL,) * 3, (255,) * 3), np.uint8)
    return bool(np.count_nonzero(white & floor) > MAX_WHITE_SHARE * np.count_nonzero(floor))


def _die(place: Candidate, verdict: Verdict) -> Die:
    at = place.detection
    angle = float(np.degrees(at.turn)) % 90
    turn = np.radians(angle)
    box = at.edge * float(np.cos(turn) + np.sin(turn))
    return Die(
        verdict.value, float(at.x), float(at.y), box, box, angle, verdict.confidence, Zone.TRAY,
        verdict.problem,
    )  # fmt: skip


def _located(die: Die, place: Candidate, tray: Quad | None, aside: Quad | None) -> Die:
    """Return a die with its zone. Close to the floor of the tray, it counts or, a little farther away, is asked about."""
    if tray is None:
        return die
    outside = -_depth(np.array(tray.corners), place.foot) / place.detection.edge
    if outside <= 0:
        return die
    if aside is not None and _contains(np.array(aside.corners), place.foot):
        return replace(die, zone=Zone.ASIDE)
    if outside > MAX_WALL_EDGES:
        return replace(die, zone=Zone.OUTSIDE)
    is_close = outside <= MAX_CORNER_ERROR_EDGES
    return replace(die, problem=die.problem or (None if is_close else Problem.AT_WALL))


def _contains(corners: NDArray[np.floating], point: tuple[float, float]) -> bool:
    return _depth(corners, point) >= 0


def _depth(corners: NDArray[np.floating], point: tuple[float, float]) -> float:
    """Return how far a point is inside an outline, in pixels, or outside it if negative."""
    return cv2.pointPolygonTest(corners.astype(np.float32), point, measureDist=True)
