"""Which spots could be the pips of one face: two corners across, and what lies between them.

Every face but the one has two pips in opposite corners. A pair of like spots is taken as such
corners; what else lies on the square they span says which face it can be, or that it is none.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.frame import Floats
from vision.spots import Spots

Pairs = NDArray[np.intp]

# From dice measured in catalogues and pictures: a pip's radius is 0.07 to 0.13 of the edge, its
# place 0.20 to 0.30 of the edge off the middle: corners across are 4.6 to 12 radii apart, and small blurred pips look smaller still.
ACROSS_LEAST, ACROSS_MOST = 4.4, 16.0
RADIUS_RATIO = 1.6  # pips of one face are of one size; the rim of a window cuts some of it
SMALLER, LARGER = 0.62, 2.0  # a spot by a pip, where it may be taken for one
DEPTH_RATIO = 2.2  # and of one contrast, but for the shine on one of them
BODY_APART = 50.0  # log units between the rings of two pips of one face: shade, not another die
CENTRE_OFF = 0.22  # of half a diagonal: how far from its place a pip of a two or three may lie
NARROW = 4.5  # radii between the middle and a pip of an upright two, at most
UPRIGHT = 0.75  # half the gap of an upright two by half the diagonal its die would have, or so
SKEW = 0.13  # how far the middles of the two diagonals may lie apart: perspective
DIAGONALS = 0.66  # shorter by longer diagonal: a face seen at a slant
CROSSING = 0.62  # |cosine| between them
PLACE = 0.22  # of half a side: how far from its place a pip of a four, five or six may lie
INSIDE = 1.45  # half sides of the pips' square that surely belong to the face
# Shorter by longer side of the pips' square: seen at a slant; the rows of some sixes stand close.
TALLEST = {4: 0.78, 5: 0.78, 6: 0.42}


@dataclass(frozen=True, slots=True)
class Face:
    """A face that the pips propose.

    `centre` (2,) in frame pixels; `along`, `down` (2,) run from it to the middles of the sides of
    the square on whose corners the corner pips lie; `pips` index the spots; `misfit` is how far
    the worst pip lies from its place, in half sides.
    """

    value: int
    pips: tuple[int, ...]
    centre: Floats
    along: Floats
    down: Floats
    misfit: float
    light: bool
    radius: float


def propose_faces(spots: Spots) -> list[Face]:
    """All faces of two to six pips that the spots allow, overlapping ones too."""
    pairs = _corner_pairs(spots)
    if not len(pairs):
        return []
    return _crossed(spots, pairs) + _lone(spots, pairs)


def _alike(spots: Spots) -> NDArray[np.bool_]:
    """Which two spots (n, n) could be pips of one die."""

    def ratio(values: Floats) -> Floats:
        return np.maximum(values[:, None] / values, values / values[:, None])

    body = np.abs(spots.body[:, None] - spots.body).mean(-1)
    near = (ratio(spots.r) < RADIUS_RATIO) & (ratio(spots.depth) < DEPTH_RATIO)
    same: NDArray[np.bool_] = spots.light[:, None] == spots.light
    same &= near & (body < BODY_APART)
    return same


def disturbing(spots: Spots, index: int | slice = slice(None)) -> NDArray[np.bool_]:
    """Which spots (n,) would be taken for a pip beside spot `index`; without it (n, n) for each.

    Not so the narrower ones: pips on a side face are seen aslant.
    """
    size = spots.r / spots.r[index, ..., None]
    deep = spots.depth > 0.5 * spots.depth[index, ..., None]
    wide = spots.aspect > 0.7 * spots.aspect[index, ..., None]
    same: NDArray[np.bool_] = spots.light == spots.light[index, ..., None]
    return same & (size > SMALLER) & (size < LARGER) & deep & wide


def _corner_pairs(spots: Spots) -> Pairs:
    gap = np.hypot(*(spots.xy[:, None] - spots.xy).transpose(2, 0, 1))
    across = 2 * gap / (spots.r[:, None] + spots.r)
    good = _alike(spots) & (across > ACROSS_LEAST) & (across < ACROSS_MOST)
    return np.argwhere(np.triu(good, 1))


def _crossed(spots: Spots, pairs: Pairs) -> list[Face]:
    """Four, five and six: two diagonals with one middle."""
    first, second = spots.xy[pairs[:, 0]], spots.xy[pairs[:, 1]]
    middle, half = (first + second) / 2, (second - first) / 2
    length = np.hypot(*half.T)
    gap = np.hypot(*(middle[:, None] - middle).transpose(2, 0, 1))
    shorter = np.minimum(length[:, None], length)
    cosine = np.abs(half @ half.T) / (length[:, None] * length)
    good = (gap < SKEW * shorter) & (shorter > DIAGONALS * np.maximum(length[:, None], length))
    good &= cosine < CROSSING
    alike, other = _alike(spots), disturbing(spots)
    faces = []
    for a, b in np.argwhere(np.triu(good, 1)):
        corners = (*pairs[a], *pairs[b])
        if alike[np.ix_(corners, corners)].all():
            centre = (middle[a] + middle[b]) / 2
            along, down = (half[a] - half[b]) / 2, (half[a] + half[b]) / 2
            face = _with_inner(spots, other, corners, centre=centre, along=along, down=down)
            if face is not None:
                faces.append(face)
    return faces


def _with_inner(
    spots: Spots,
    other: NDArray[np.bool_],
    corners: tuple[int, ...],
    *,
    centre: Floats,
    along: Floats,
    down: Floats,
) -> Face | None:
    """The four, five or six on these corners; None where other pips stand between them."""
    sides = np.hypot(*along), np.hypot(*down)
    place = np.linalg.solve(np.column_stack((along, down)), (spots.xy - centre).T).T
    inside = (np.abs(place) < INSIDE).all(1) & other[corners[0]]
    inside[list(corners)] = False
    inner = np.flatnonzero(inside)
    value = _value_of(place[inner])
    if value is None or min(sides) < TALLEST[value] * max(sides):
        return None
    pips = (*corners, *inner.tolist())
    misfit = float(np.abs(np.abs(place[list(corners)]) - 1).max())
    return Face(
        value,
        pips,
        centre,
        along,
        down,
        misfit,
        bool(spots.light[corners[0]]),
        _radius(spots, pips),
    )


def _value_of(inner: Floats) -> int | None:
    """The face with these pips between its corners, in half sides from the middle."""
    off = np.abs(inner)
    match len(inner):
        case 0:
            return 4
        case 1 if off.max() < PLACE:
            return 5
        case 2 if np.abs(inner.sum(0)).max() < PLACE and _at_sides(off):
            return 6
    return None


def _at_sides(off: Floats) -> bool:
    """Whether both lie in the middle of a side, opposite each other."""
    return any(bool(np.abs(off - side).max() < PLACE) for side in ((1, 0), (0, 1)))


def _lone(spots: Spots, pairs: Pairs) -> list[Face]:
    """Two and three: one diagonal, and nothing beside it."""
    first, second = spots.xy[pairs[:, 0]], spots.xy[pairs[:, 1]]
    middle, half = (first + second) / 2, (second - first) / 2
    across = np.column_stack((-half[:, 1], half[:, 0]))
    square = (half**2).sum(1)[:, None]
    delta = spots.xy - middle[:, None]
    a = np.einsum("pnk,pk->pn", delta, half) / square
    b = np.einsum("pnk,pk->pn", delta, across) / square
    # In these coordinates the pips' square stands on its corner: |a| + |b| = 1.
    other = disturbing(spots)[pairs[:, 0]]
    inside = (np.abs(a) + np.abs(b) < INSIDE * 0.95) & other
    inside[np.arange(len(pairs))[:, None], pairs] = False
    central = inside & (np.hypot(a, b) < CENTRE_OFF)
    extra = (inside & ~central).any(1) | (central.sum(1) > 1)
    length, radius = np.sqrt(square[:, 0]), spots.r[pairs].mean(1)
    faces = []
    for k in np.flatnonzero(~extra):
        inner = np.flatnonzero(central[k])
        faces.append(
            _lone_face(spots, pairs[k], inner, middle=middle[k], half=half[k], across=across[k])
        )
        if (
            not len(inner) and length[k] < NARROW * radius[k]
        ):  # the two of many an Asian die stands along its edge
            faces.append(
                _lone_face(
                    spots,
                    pairs[k],
                    inner,
                    middle=middle[k],
                    half=(half[k] + across[k]) * UPRIGHT,
                    across=(across[k] - half[k]) * UPRIGHT,
                )
            )
    return faces


def _lone_face(
    spots: Spots, pair: Pairs, central: Pairs, *, middle: Floats, half: Floats, across: Floats
) -> Face:
    pips = (*pair.tolist(), *central.tolist())
    misfit = 0.0
    if len(central):
        misfit = float(np.hypot(*(spots.xy[central[0]] - middle)) / np.hypot(*half)) * 2**0.5
    return Face(
        len(pips),
        pips,
        middle,
        (half - across) / 2,
        (half + across) / 2,
        misfit,
        bool(spots.light[pair[0]]),
        _radius(spots, pips),
    )


def _radius(spots: Spots, pips: tuple[int, ...]) -> float:
    return float(np.median(spots.r[list(pips)]))
