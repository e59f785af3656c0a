"""Every place where a die may lie, with all that was seen there.

Two looks propose places: a network that was taught whole pictures, and the pips. Each place is
then looked at by itself: a second network reads its face and, where it is known how the camera
stands, a third one says whether it lies flat.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, log

import numpy as np

from vision.faces import Face, look
from vision.finder import COARSE_PX, LOOK_PX, TRAY_PX, Sighting, apart, find
from vision.picture import Image, extent
from vision.pips import Claim, claims
from vision.pose import Pose, pose
from vision.reading import Quad
from vision.standing import Stance, stances

SMALL_PX = 11.0
"""Dice below this edge in the finder's picture are looked for again, twice as large."""
UNSEEN = 0.06
"""The heat of a place that the finder says nothing of."""
LIKELY = 0.3
"""From this heat on a sighting counts for how large dice are here."""
SAME_PLACE = 0.5
"""Edges between the middles of what two looks take for one die."""
COMPANY = 2
"""So many dice tell how large dice are here."""
ODDEST = 1.0
"""Sizes that differ more say no more."""
EVEN = (1 / 6,) * 6


@dataclass(frozen=True, slots=True)
class Look:
    """One place: where a network sees a die, its face close by, and what its pips say, if any."""

    sighting: Sighting
    face: Face
    claim: Claim | None
    foot: tuple[float, float]  # where the die stands, in picture pixels
    odd: float  # how much larger or smaller it is than the dice here, as a logarithm
    stance: Stance | None  # how it lies, where it is known how the camera stands


def looks(picture: Image, tray: Quad | None, aside: Quad | None) -> tuple[list[Look], float]:
    """All places, and the share of the picture that a hand covers."""
    sightings, hand = _sightings(picture, tray, aside)
    claimed = claims(picture, tray, aside)
    places = sightings + [_place(claim) for claim in claimed if not _near(claim, sightings)]
    stand = None if tray is None else pose(tray, picture.shape[1], picture.shape[0])
    seen = _one_each(look(picture, places, stand))
    usual = _usual_edge(seen)
    standing = _stances(picture, seen, tray)
    return [
        Look(s, face, _claim_at(s, claimed), _foot(s, stand), _odd(s.edge, usual), stance)
        for (s, face), stance in zip(seen, standing, strict=True)
    ], hand


def _stances(
    picture: Image, seen: list[tuple[Sighting, Face]], tray: Quad | None
) -> Sequence[Stance | None]:
    """How each lies, once more when the dice have told how the camera stands."""
    height, width = picture.shape[:2]
    stand = None if tray is None else pose(tray, width, height)
    if tray is None or stand is None:
        return [None] * len(seen)
    sightings = [sighting for sighting, _ in seen]
    first = stances(picture, sightings, stand)
    leans = [one.lean for one, place in zip(first, seen, strict=True) if _likely(*place)]
    better = pose(tray, width, height, leans)
    return first if better in (None, stand) else stances(picture, sightings, better)


def _usual_edge(seen: list[tuple[Sighting, Face]]) -> float | None:
    """Of what surely are dice; None if too few are."""
    sure = [sighting.edge for sighting, face in seen if _likely(sighting, face)]
    return float(np.median(sure)) if len(sure) >= COMPANY else None


def _likely(sighting: Sighting, face: Face) -> bool:
    return sighting.heat * (1 - face.none) > LIKELY


def _odd(edge: float, usual: float | None) -> float:
    return 0.0 if usual is None else min(ODDEST, abs(log(edge / usual)))


def _sightings(
    picture: Image, tray: Quad | None, aside: Quad | None
) -> tuple[list[Sighting], float]:
    left, top, right, bottom = extent(picture, [quad for quad in (tray, aside) if quad])
    cut = picture[top:bottom, left:right]
    look_px = LOOK_PX if tray is None else TRAY_PX
    seen, hand = find(cut, look_px)
    if tray is None:
        seen = apart(seen + find(cut, COARSE_PX)[0])
    if _are_small(seen, max(cut.shape[:2]) / look_px):
        seen, _ = find(cut, 2 * look_px)
    return [replace(s, x=s.x + left, y=s.y + top) for s in seen], hand


def _are_small(seen: list[Sighting], step: float) -> bool:
    likely = [s.edge for s in seen if s.heat > LIKELY]
    return bool(likely) and float(np.median(likely)) < SMALL_PX * step


def _place(claim: Claim) -> Sighting:
    """Where the pips alone say that a die lies."""
    return Sighting(claim.x, claim.y, claim.edge, claim.turn, UNSEEN, 0.5, EVEN)


def _near(claim: Claim, sightings: list[Sighting]) -> bool:
    return any(_away(claim, sighting) < SAME_PLACE for sighting in sightings)


def _claim_at(sighting: Sighting, claimed: list[Claim]) -> Claim | None:
    nearest = min(claimed, key=lambda claim: _away(claim, sighting), default=None)
    return nearest if nearest and _away(nearest, sighting) < SAME_PLACE else None


def _foot(sighting: Sighting, stand: Pose | None) -> tuple[float, float]:
    """Below its top: seen from aside, a die at the wall leans over it."""
    if stand is None:
        return sighting.x, sighting.y
    right, down = stand.lean(sighting.x, sighting.y)
    return sighting.x - right * sighting.edge, sighting.y - down * sighting.edge


def _away(claim: Claim, sighting: Sighting) -> float:
    """In edges of the sighting."""
    return hypot(claim.x - sighting.x, claim.y - sighting.y) / sighting.edge


def _one_each(seen: list[tuple[Sighting, Face]]) -> list[tuple[Sighting, Face]]:
    """Of places that turned out to be the same die, the one surest of it."""
    surest = sorted(seen, key=lambda one: -one[0].heat * (1 - one[1].none))
    kept = apart([sighting for sighting, _ in surest], in_order=True)
    return [one for one in surest if any(one[0] is sighting for sighting in kept)]
