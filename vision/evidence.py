"""Two looks at one face: the pips that propose it and the body around them, weighed together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrangements import Face, disturbing
from vision.body import Sides, blots, cut_patch, look_at_sides, pip_mask, square_around
from vision.frame import Floats, Frame
from vision.picture import Image
from vision.spots import Spots

REACH = 3.0  # half sides of the pips' square: the body's border lies between NEAR and FAR
NEAR, FAR = 1.35, 2.75
PIP_RIM = 1.35  # radii that a pip's soft rim takes of the body
# From four pips on, all in their places, chance is out of the question: on photographs and
# renders not one in a hundred was wrong, while of the pairs that look like a two most are.
MANY = 4
SURE = 0.5
# By how much the third of four sides must outstep the face's inside, for a strength of SURE.
NEEDED = {1: 1.6, 2: 1.3, 3: 1.0, 4: 0.7, 5: 0.35, 6: 0.35}
CALM = 3.0  # log units: what a face without any texture varies by noise
SEAM = 0.6  # of a step on so short a line as a diagonal; the rest may be texture
MISFIT = 0.25  # half sides: no pip is that far from its place
UNEVEN, UNEVEN_MANY = 1.3, 1.5  # less the spread of the body in depths of a pip: 1 is even
BLOT = 0.5  # of a pip's depth: as dark as that where no pip was found, and one was missed
DOUBTED = 0.45  # times the strength: a question at best
PLACES = np.array([(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1)], float)
AT_PLACE = 0.4  # half sides


@dataclass(frozen=True, slots=True)
class Seen:
    """A face with its body: `half` is half the edge in frame pixels, `strength` 0 to 1."""

    face: Face
    half: float
    strength: float

    @property
    def slant(self) -> float:
        """Shorter by longer side of the pips of a four or five: a leaning die shows less than 1."""
        if self.face.value not in (4, 5):
            return 1.0
        sides = np.hypot(*self.face.along), np.hypot(*self.face.down)
        return float(min(sides) / max(sides))


def see(frame: Frame, spots: Spots, face: Face) -> Seen:
    """Look for the body around the pips of a face."""
    axes = np.column_stack((face.along, face.down))
    unit = float(np.sqrt(abs(np.linalg.det(axes))))
    patch = cut_patch(frame, face.centre, face.along * REACH, face.down * REACH)
    places = (spots.xy - face.centre) @ np.linalg.inv(axes).T
    pips = _pips_like(spots, face) & (np.abs(places).max(1) < REACH + 1)
    mask = pip_mask(places[pips] / REACH, PIP_RIM * spots.r[pips] / (REACH * unit))
    sides = look_at_sides(patch, mask, NEAR / REACH, FAR / REACH)
    depth = float(np.median(spots.depth[list(face.pips)]))
    strength = _strength(face, sides, depth)
    within = int((np.abs(places[pips]).max(1) < sides.at * REACH).sum())
    crowded = face.value <= MANY and within > face.value  # a five or six leaves no room for more
    if crowded or (strength >= SURE and _missed(patch, mask, places[list(face.pips)], face, depth)):
        strength *= DOUBTED
    return Seen(face, sides.at * REACH * unit, strength)


def see_one(frame: Frame, spots: Spots, index: int) -> Seen:
    """Look for the square body around a single pip."""
    centre, radius = spots.xy[index], float(spots.r[index])
    square = square_around(frame, centre, radius)
    along = square.half_px / 2 * np.array((np.cos(square.turn), np.sin(square.turn)))
    down = np.array((-along[1], along[0]))
    light = bool(spots.light[index])
    return see(frame, spots, Face(1, (index,), centre, along, down, 0.0, light, radius))


def _pips_like(spots: Spots, face: Face) -> NDArray[np.bool_]:
    """The pips of the face and all spots that would be taken for one beside them."""
    pips = list(face.pips)
    like: NDArray[np.bool_] = np.any([disturbing(spots, k) for k in pips], axis=0)
    like[pips] = True
    return like


def _missed(patch: Image, mask: Floats, pips: Floats, face: Face, depth: float) -> bool:
    """Whether a pip seems to stand where none was found."""
    return blots(patch, mask, _empty_places(pips) / REACH, light=face.light) > BLOT * depth


def _empty_places(pips: Floats) -> Floats:
    """The places of pips, in half sides, at which this face has none."""
    gap = np.abs(PLACES[:, None] - pips).max(2)
    empty: Floats = PLACES[(gap > AT_PLACE).all(1)]
    return empty


def _strength(face: Face, sides: Sides, depth: float) -> float:
    inside = max(sides.calm, SEAM * sides.seam) if face.value in (2, 3) else sides.calm
    ratio = float(np.sort(sides.steps)[1]) / (inside + CALM)
    closed = min(1.0, SURE * ratio / NEEDED[face.value])
    fitting = max(0.0, 1 - face.misfit / MISFIT)
    most = UNEVEN if face.value < MANY else UNEVEN_MANY
    even = min(1.0, max(0.0, most - sides.spread / depth))
    return closed * fitting * even
