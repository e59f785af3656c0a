"""From a picture to a Reading."""

from dataclasses import replace
from math import hypot
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.candidates import HAND, Candidate, CandidateSet, could_be_die, find_candidates
from vision.decision import NO_DIE, NO_DIE_ALONE, Verdict, judge_candidate
from vision.finder import Detection
from vision.images import Image, as_bgr, bounding_box, full_frame
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Die, Problem, Quad, Reading, Zone
from vision.tray_change import ChangedRegion

DARK = 24
"""Where of 255 the brightest hundredth of what is read is darker, a black die cannot be told."""
SIDE = 0.7
"""Of the confidence of the die it belongs to: a side that is read more surely is asked about."""
BESIDE = 0.8
"""Of their edges, from middle to middle: flat dice that touch are one edge apart or more."""
Judged = tuple[Candidate, Verdict]
SURELY_NONE = 0.9
"""Of what lay in held back trays and was said so surely to be no die nothing was one."""
WITH_SIDES = 1.6
"""Of its top: so large a die may seem that is seen aslant."""
SLIM = 0.9
"""Of a die's edge, as wide as the cells it fills: what is no wider hides none."""
ENTERS = 0.8
"""Of a die's edge: what reaches into the tray and is larger is a hand, or a sleeve."""


def read(
    image: NDArray[np.generic],
    tray: Quad | None = None,
    *,
    aside: Quad | None = None,
    known: KnownTray = UNKNOWN_TRAY,
) -> Reading:
    """Read the dice in a picture.

    Args:
        image: (height, width, 3) uint8 BGR; grey or BGRA will do.
        tray: the floor of the tray in pixels of the picture; None: the whole picture.
        aside: where kept dice are laid, if there is such a place.
        known: what is known of this table.

    Returns:
        The dice with x, y in pixels of `image`. One that was seen but not read for sure carries
        a problem; an empty tray reads as no dice, surely.

    Raises:
        ValueError: `image` is not an 8-bit picture of one, three or four channels.
    """
    start = perf_counter()
    picture = as_bgr(image)
    seen = find_candidates(picture, tray, aside, known)
    told = tray is not None
    verdicts = _one_body(_judged(seen, NO_DIE, told=told) or _judged(seen, NO_DIE_ALONE, told=told))
    dice = [_die(p, v, _zone(p.foot, tray, aside)) for p, v in verdicts]
    if seen.change:
        covered = [_covered(place, told=told) for place, _ in verdicts]
        blots = seen.change.regions(tray or full_frame(picture), covered)
        others = [place for place in seen.candidates if place.face.none > SURELY_NONE]
        dice += [
            _unexplained(b)
            for b in blots
            if _matters(b, seen.edges) and not _is_thing(b, others, seen.edges)
        ]
    in_the_way = {
        Problem.HAND: told and seen.hand > HAND,
        Problem.DARK: _is_dark(picture, tray),
    }
    problems = tuple(problem for problem, holds in in_the_way.items() if holds)
    leans = [p.tilt.lean for p, v in verdicts if p.tilt and v.value and v.problem is None]
    return Reading(tuple(dice), problems, (perf_counter() - start) * 1000, tuple(leans))


def _judged(seen: CandidateSet, least: float, *, told: bool) -> list[Judged]:
    """What is no less likely than this to be a die."""
    verdicts = (
        (place, judge_candidate(place, is_tray_known=told, least=least))
        for place in seen.candidates
    )
    return [(place, verdict) for place, verdict in verdicts if verdict is not None]


def _one_body(seen: list[Judged]) -> list[Judged]:
    """Without sides that were taken for tops: their middle lies on the body of a surer die.

    Two that are nearer than dice can lie beside each other are a top and its side, or a stack: asked about.
    """
    surest = sorted(seen, key=lambda one: -one[1].confidence)
    kept: list[Judged] = []
    for place, verdict in surest:
        at = place.detection.x, place.detection.y
        owner = next((v for p, v in kept if v.value and _inside(p.outline, at)), None)
        asked = replace(verdict, problem=verdict.problem or Problem.UNREADABLE)
        if owner is None:
            near = any(v.value and _is_near(p.detection, place.detection) for p, v in kept)
            kept.append((place, asked if near else verdict))
        elif verdict.value and verdict.confidence > SIDE * owner.confidence:
            kept.append((place, asked))
    return kept


def _is_near(one: Detection, other: Detection) -> bool:
    return hypot(one.x - other.x, one.y - other.y) < BESIDE * (one.edge + other.edge) / 2


def _matters(blot: ChangedRegion, edges: tuple[float, float] | None) -> bool:
    """A hand, and what may be a die, or be several or hide them; a pencil or a crumb may lie in a tray."""
    if blot.is_shadow:
        return False
    least, _ = edges or (blot.edge, blot.edge)
    if could_be_die(blot, edges):
        return True
    if blot.enters:
        return blot.edge > ENTERS * least
    return blot.edge > least and blot.wide > SLIM * least


def _is_thing(
    blot: ChangedRegion, no_dice: list[Candidate], edges: tuple[float, float] | None
) -> bool:
    """Whether the readers looked there and are sure that it is no die: a coin, say. A card may hide dice."""
    if blot.enters or not could_be_die(blot, edges):
        return False
    return any(
        hypot(place.detection.x - blot.x, place.detection.y - blot.y) < blot.edge / 2
        for place in no_dice
    )


def _covered(place: Candidate, *, told: bool) -> NDArray[np.floating]:
    """(n, 2) around what a die covers; where nobody knows how the camera stands, its sides may be seen anywhere."""
    if told:
        return place.outline
    middle = place.outline.mean(axis=0)
    return np.asarray(middle + (place.outline - middle) * WITH_SIDES)


def _unexplained(blot: ChangedRegion) -> Die:
    return Die(
        None, blot.x, blot.y, blot.edge, blot.edge, 0.0, 0.0, Zone.TRAY, Problem.FOREIGN_OBJECT
    )


def _is_dark(picture: Image, tray: Quad | None) -> bool:
    left, top, right, bottom = bounding_box(picture, [tray] if tray else [])
    return float(np.percentile(picture[top:bottom:4, left:right:4], 99)) < DARK


def _die(place: Candidate, verdict: Verdict, zone: Zone) -> Die:
    detection = place.detection
    angle = float(np.degrees(detection.turn)) % 90
    turn = np.radians(angle)
    box = detection.edge * float(np.cos(turn) + np.sin(turn))
    return Die(
        verdict.value, float(detection.x), float(detection.y), box, box, angle, verdict.confidence,
        zone, verdict.problem,
    )  # fmt: skip


def _zone(foot: tuple[float, float], tray: Quad | None, aside: Quad | None) -> Zone:
    if tray is None or _inside(np.array(tray.corners), foot):
        return Zone.TRAY
    return (
        Zone.ASIDE if aside is not None and _inside(np.array(aside.corners), foot) else Zone.OUTSIDE
    )


def _inside(corners: NDArray[np.floating], point: tuple[float, float]) -> bool:
    return cv2.pointPolygonTest(corners.astype(np.float32), point, measureDist=False) >= 0
