"""Every place where a die may lie, with all that was seen there.

The finder sees the whole picture and says where dice may lie. Each place is then looked at close by:
the readers read its face and, where it is known how the camera stands, a fourth network says
whether it lies flat.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np

from vision.face_reader import Face, look
from vision.finder import COARSE_PX, LOOK_PX, TRAY_PX, Sighting, apart, find
from vision.images import Image, extent
from vision.pose import CameraPose, Lean, pose
from vision.reading import Quad
from vision.tilt import Stance, stances

SMALL_PX = 11.0
"""Dice below this edge in the finder's picture are looked for again, twice as large."""
LIKELY = 0.3
"""From this heat on a sighting tells how large dice are here, and is looked at for how it lies."""
COMPANY = 2
"""So many dice tell how large dice are here."""
ODDEST = 1.0
"""Sizes that differ more say no more."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One place: what the finder sees there, and what is seen close by."""

    sighting: Sighting
    face: Face
    foot: tuple[float, float]  # where the die stands, in picture pixels
    odd: float  # how much larger or smaller it is than the dice here, as a logarithm
    stance: Stance | None  # how it lies, where it is known how the camera stands


def looks(picture: Image, tray: Quad | None, aside: Quad | None) -> tuple[list[Candidate], float]:
    """All places, and the share of the picture that a hand covers."""
    sightings, hand = _sightings(picture, tray, aside)
    stand = _stand(picture, tray)
    seen = _one_each(look(picture, sightings, stand))
    likely = [sighting for sighting, face in seen if _likely(sighting, face)]
    stand, standing = stances(picture, likely, lambda leans: _stand(picture, tray, leans))
    usual = _usual_edge(likely)
    return [
        Candidate(s, face, _foot(s, stand), _odd(s.edge, usual), standing.get(s))
        for s, face in seen
    ], hand


def _stand(picture: Image, tray: Quad | None, seen: Sequence[Lean] = ()) -> CameraPose | None:
    """How the camera stands, by the tray, and by the dice in it, most of which lie flat."""
    height, width = picture.shape[:2]
    return None if tray is None else pose(tray, width, height, seen)


def _usual_edge(likely: Sequence[Sighting]) -> float | None:
    """Of dice; None if too few are seen."""
    if len(likely) < COMPANY:
        return None
    return float(np.median([sighting.edge for sighting in likely]))


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


def _foot(sighting: Sighting, stand: CameraPose | None) -> tuple[float, float]:
    """Below its top: seen from aside, a die at the wall leans over it."""
    if stand is None:
        return sighting.x, sighting.y
    right, down = stand.lean(sighting.x, sighting.y)
    return sighting.x - right * sighting.edge, sighting.y - down * sighting.edge


def _one_each(seen: list[tuple[Sighting, Face]]) -> list[tuple[Sighting, Face]]:
    """Of places that turned out to be the same die, the one surest of it."""
    surest = sorted(seen, key=lambda one: -one[0].heat * (1 - one[1].none))
    kept = apart([sighting for sighting, _ in surest], in_order=True)
    return [one for one in surest if any(one[0] is sighting for sighting in kept)]
