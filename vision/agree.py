"""Which of the faces seen are the dice: no two in one place, all of about one size."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from vision.arrangements import propose_faces
from vision.evidence import DOUBTED, MANY, SURE, Seen, see, see_one
from vision.frame import Floats, Frame
from vision.spots import Spots

ALONE, DOUBTFUL = 0.35, 0.2  # strength of a question: with no die that is sure, beside one
SIDE_FACES = 1.9  # half edges from the middle of a die: what is nearer may be its own side face
OVERLAP = 1.5  # half edges of the smaller die: top faces lie farther apart, at least 2 when level
CLAIMED = 0.8  # of both half edges together: two bodies so near cannot both be
LIKE_BODY, LIKE_SIZE = 40.0, 1.8  # log units of colour; ratio of radii of pips
LEAST_OF_SET = 0.75  # of the middle size of the other dice, for one whose size is its only proof
SIZES = 1.7  # the largest die by the middle one: sets are mixed, but not without limit
MOST_FACES, MOST_ONES = 200, 12  # looked at: a texture proposes them without end
# A single pip must look like one by itself: seen from above, ringed by its body, printed.
ONE_ASPECT, ONE_ROUND, ONE_DEPTH = 0.65, 0.85, 40


def agreeing(frame: Frame, spots: Spots) -> list[Seen]:
    """All dice of the frame, the sure ones first; a weak one only where it is like a sure one."""
    seen = [see(frame, spots, face) for face in propose_faces(spots)[:MOST_FACES]]
    strong = [s for s in seen if s.strength >= SURE]
    many = _without_overlap(_ranked(_of_one_size(strong)), [])
    strong += _ones(frame, spots, many)
    fitting = _of_one_size(strong)
    sure = _without_overlap(_ranked(fitting), [])
    odd = [_doubted(s) for s in strong if _like_any(spots, s, sure, size=False)]
    weak = [s for s in seen if s.strength < SURE and _like_any(spots, s, sure, size=True)]
    kept = [_weighed(s, fitting, sure) for s in sure]
    return _without_overlap(_ranked(odd + weak), kept)


def _doubted(seen: Seen) -> Seen:
    return replace(seen, strength=min(seen.strength, DOUBTED))


def _weighed(seen: Seen, rivals: list[Seen], sure: list[Seen]) -> Seen:
    """One, two and three are doubted where another claims the place, or where they are too small."""
    if any(_at_side_of(seen, other) for other in sure):
        return _doubted(seen)
    if seen.face.value >= MANY:
        return seen
    others = [s.half for s in sure if s.face.value >= MANY - 1 and s is not seen]
    small = len(others) > 0 and seen.half < LEAST_OF_SET * float(np.median(others))
    claimed = any(s is not seen and _cross(seen, s) for s in rivals)
    return _doubted(seen) if small or claimed else seen


def _at_side_of(seen: Seen, other: Seen) -> bool:
    """Whether this may be a side face of the larger die that it touches."""
    smaller = seen.half < LEAST_OF_SET * other.half
    return smaller and _gap(seen.face.centre, other) < SIDE_FACES * other.half


def _cross(a: Seen, b: Seen) -> bool:
    """Whether two bodies overlap though neither is a part of the other."""
    if set(a.face.pips) & set(b.face.pips):
        return False
    return a.half < _gap(a.face.centre, b) < CLAIMED * (a.half + b.half)


def _gap(point: Floats, seen: Seen) -> float:
    return float(np.hypot(*(point - seen.face.centre)))


def _of_one_size(seen: list[Seen]) -> list[Seen]:
    """Those of the size with most evidence: texture makes small dice, and dice make large ones."""
    if not seen:
        return []
    half = np.array([s.half for s in seen])
    weight = np.array([s.strength * s.face.value for s in seen])
    near = np.abs(np.log(half[:, None] / half)) < np.log(SIZES)
    best = near[(near @ weight).argmax()]
    return [s for s, good in zip(seen, best, strict=True) if good]


def _ranked(seen: Iterable[Seen]) -> list[Seen]:
    return sorted(seen, key=lambda s: -s.strength * s.face.value**0.5)


def _like_any(spots: Spots, seen: Seen, sure: list[Seen], *, size: bool) -> bool:
    """Whether a question is worth asking: it is like a die that is sure, or there is none."""
    if not sure:
        return seen.strength >= ALONE
    if seen.strength < DOUBTFUL or seen.face.value >= MANY:
        return seen.strength >= DOUBTFUL
    beside = any(_gap(spots.xy[k], s) < SIDE_FACES * s.half for s in sure for k in seen.face.pips)
    return not beside and any(_like(spots, seen, other, size=size) for other in sure)


def _like(spots: Spots, a: Seen, b: Seen, *, size: bool) -> bool:
    bodies = [np.median(spots.body[list(s.face.pips)], axis=0) for s in (a, b)]
    if a.face.light != b.face.light or np.abs(bodies[0] - bodies[1]).max() > LIKE_BODY:
        return False
    return not size or 1 / LIKE_SIZE < a.face.radius / b.face.radius < LIKE_SIZE


def _ones(frame: Frame, spots: Spots, taken: list[Seen]) -> list[Seen]:
    """Single pips in the middle of a square body, away from the faces already taken."""
    good = (spots.aspect > ONE_ASPECT) & (spots.roundness > ONE_ROUND) & (spots.depth > ONE_DEPTH)
    free = [
        k
        for k in np.flatnonzero(good)
        if all(_gap(spots.xy[k], s) > OVERLAP * s.half for s in taken)
    ]
    free.sort(key=lambda k: -float(spots.depth[k] * spots.roundness[k]))
    seen = (see_one(frame, spots, int(k)) for k in free[:MOST_ONES])
    return [s for s in seen if s.strength >= SURE]


def _without_overlap(seen: list[Seen], kept: list[Seen]) -> list[Seen]:
    kept = list(kept)
    for s in seen:
        if all(_apart(s, other) for other in kept):
            kept.append(s)
    return kept


def _apart(a: Seen, b: Seen) -> bool:
    if set(a.face.pips) & set(b.face.pips):
        return False
    return _gap(a.face.centre, b) > OVERLAP * min(a.half, b.half)
