"""Every place where a die may lie, with all that was seen there.

The finder sees the whole picture and says where dice may lie. Each place is then looked at close by:
the readers read its face and, where it is known how the camera stands, a fourth network says
whether it lies flat.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import picture_to_die
from vision.face_reader import Closeup, FaceProbabilities, read_faces, resolve_doubts
from vision.finder import COARSE_PX, LOOK_PX, TRAY_PX, Detection, find_dice, suppress_overlaps
from vision.images import Image, bounding_box
from vision.known_tray import KnownTray
from vision.networks import Floats
from vision.pose import CameraPose, estimate_pose
from vision.reading import Lean, Quad
from vision.tilt import GroundPosition, TiltEstimate, estimate_tilt, is_isolated, refine_pose
from vision.tray_change import ChangedRegion, TrayChange, find_changes

HAND = 0.001
"""Of the picture: the tip of a finger."""
SMALL_PX = 11.0
"""Dice of a tray below this edge in the finder's picture are looked for again, twice as large."""
LITTLE_PX, IN_A_TRAY_PX, CLOSEST_PX = 20.0, 30.0, 1152
"""Where the scale is unknown, some dice below the first are overlooked: they are looked for once more, as
large as dice are in a tray, in a picture of so many pixels at most."""
MIN_LIKELY_HEAT = 0.3
"""From this heat on a detection tells how large dice are here, and is looked at for how it lies."""
POSSIBLE = 0.1
"""From this heat on something may be there that another die leans on."""
COMPANY = 2
"""So many dice tell how large dice are here."""
KNOWN = 6
"""So many tell it for an evening."""
ENOUGH_LEANS = 12
"""And so many the lens."""
UNLIKE, ALIKE, NONE_OF_THEM, SHIFTS = 0.1, 0.08, 0.4, 10
"""As logarithms: edges of the same die are seen alike to this; what differs more is no die of theirs."""
OVERLOOKED = 0.3
"""The heat of a place where something stands that the finder did not see."""
LARGE, LONG = (0.55, 2.0), 2.5
"""Of a die's edge: what is smaller or larger, or so much longer than wide, is no die."""
TOP_OF_ALL = 0.85
"""Of what is seen of a die, where sizes are not known: its sides are seen, too."""
ODDEST = 1.0
"""Sizes that differ more say no more."""

Corners = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One place: what the finder sees there, and what is seen close by."""

    detection: Detection
    face: FaceProbabilities
    foot: tuple[float, float]  # where the die stands, in picture pixels
    size_deviation: float  # how much larger or smaller it is than the dice here, as a logarithm
    tilt: TiltEstimate | None  # how it lies, where it is known how the camera stands
    outline: Corners  # (n, 2) around what a die that lies flat there covers, in picture pixels
    is_isolated: bool = False  # whether there is nothing that it could lean on


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSet:
    """All places of a picture.

    Attributes:
        candidates: the places.
        hand: the share of the picture that a hand covers.
        change: what stands in the tray, where it is known how it looks empty.
        edges: least and most of a die in the middle of the picture, in pixels; None where too few were seen.
    """

    candidates: list[Candidate]
    hand: float
    change: TrayChange | None
    edges: tuple[float, float] | None


def find_candidates(
    picture: Image, tray: Quad | None, aside: Quad | None, table: KnownTray
) -> CandidateSet:
    """Every place of a picture, with all that was seen there."""
    new = find_changes(picture, table.empty, [zone for zone in (tray, aside) if zone])
    detections, hand = _sightings(picture, tray, aside, None if new is None else table.empty)
    if new is not None:
        detections = [s for s in detections if new.is_new(s.x, s.y, s.edge)]
    stand = _stand(picture, tray, table.leans)
    seen = _one_each(read_faces(picture, detections, stand))
    sizes = _Sizes.of(seen, stand, table.leans)
    seen = _one_each(_looked_again(picture, seen, stand, sizes))
    if new is not None and tray is not None:
        likely = [one.detection for one in seen if _likely(one)]
        more = _overlooked(new, tray, likely, stand, sizes)
        seen = _one_each([*seen, *read_faces(picture, more, stand)])
    stand, dice = refine_pose(
        [one for one in seen if _likely(one)],
        stand,
        lambda leans: _stand(picture, tray, _enough(table, leans)),
    )
    seen = resolve_doubts(dice, stand) + resolve_doubts(
        [one for one in seen if not _likely(one)], stand
    )
    candidates = [_candidate(one, stand, sizes) for one in seen]
    if tray is not None:
        candidates = _freed(candidates, new, tray)
    return CandidateSet(candidates, hand, new, sizes.usual)


def _candidate(seen: Closeup, stand: CameraPose | None, sizes: "_Sizes") -> Candidate:
    here = seen.detection
    lies = None if stand is None or not _likely(seen) else estimate_tilt(seen, stand)
    return Candidate(
        here, seen.face, _foot(here, stand), sizes.deviation(here), lies, outline(here, stand)
    )


def seems_empty(
    picture: Image, tray: Quad | None, aside: Quad | None, new: TrayChange | None = None
) -> bool:
    """Whether at first sight there is nothing that could be a die, or a hand.

    Where it is known what is `new` since the tray was empty, what looks as it did then is neither.
    """
    detections, hand = _sightings(picture, tray, aside)
    likely = [detection for detection in detections if detection.heat >= MIN_LIKELY_HEAT]
    return hand <= HAND and not any(new is None or new.is_new(s.x, s.y, s.edge) for s in likely)


def outline(detection: Detection, stand: CameraPose | None) -> Corners:
    """(n, 2) around what a die that lies flat there covers."""
    half = picture_to_die(detection.turn) * detection.edge / 2
    top = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) @ half + (detection.x, detection.y)
    foot = top + np.subtract(_foot(detection, stand), (detection.x, detection.y))
    hull = cv2.convexHull(np.concatenate([top, foot]).astype(np.float32))
    return np.asarray(hull[:, 0])


def could_be_die(blot: ChangedRegion, edges: tuple[float, float] | None) -> bool:
    """Whether something there is about as large as a die of such edges, where they are known."""
    least, most = edges or (blot.edge, blot.edge)
    return blot.long < LONG and LARGE[0] * least < blot.edge < LARGE[1] * most


def _looked_again(
    picture: Image, seen: list[Closeup], stand: CameraPose | None, sizes: "_Sizes"
) -> list[Closeup]:
    """The same; one that seemed larger or smaller than dice are at this table was not seen well."""
    fitting = [(one, sizes.fitting(one.detection)) for one in seen]
    again = [fits for one, fits in fitting if fits is not one.detection]
    kept = [one for one, fits in fitting if fits is one.detection]
    return kept + read_faces(picture, again, stand)


def _enough(table: KnownTray, leans: Sequence[Lean]) -> Sequence[Lean]:
    """Dice that tell the lens: those of this picture count no more once many are known."""
    return table.leans if len(table.leans) >= ENOUGH_LEANS else (*table.leans, *leans)


def _freed(candidates: list[Candidate], new: TrayChange | None, tray: Quad) -> list[Candidate]:
    """The same, and which of them have nothing to lean on."""
    stand = {c: GroundPosition(*c.foot, c.detection.edge) for c in candidates}
    there = [c for c in candidates if c.detection.heat * (1 - c.face.none) > POSSIBLE]
    blots = [] if new is None else new.regions(tray, [c.outline for c in there])
    things = [
        GroundPosition(blot.x, blot.y, blot.edge * blot.long**0.5)
        for blot in blots
        if not blot.is_shadow
    ]
    return [
        replace(
            c,
            is_isolated=is_isolated(
                stand[c], [stand[o] for o in there if o is not c] + things, tray
            ),
        )
        for c in candidates
    ]


def _overlooked(
    new: TrayChange,
    tray: Quad,
    likely: Sequence[Detection],
    stand: CameraPose | None,
    sizes: "_Sizes",
) -> list[Detection]:
    """Where something stands that may be a die, and no die was seen."""
    blots = new.regions(tray, [outline(detection, stand) for detection in likely])
    return [
        Detection(blot.x, blot.y, sizes.nearest(blot.edge * TOP_OF_ALL), blot.turn, OVERLOOKED)
        for blot in blots
        if could_be_die(blot, sizes.usual) and not blot.enters
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Sizes:
    """How large dice are here: edges as they would be in the middle of the picture."""

    edges: Floats
    stand: CameraPose | None
    known: bool

    @classmethod
    def of(
        cls, seen: Sequence[Closeup], stand: CameraPose | None, leans: Sequence[Lean]
    ) -> "_Sizes":
        """By what is known of the table, or else by the dice of this picture."""
        known = stand is not None and len(leans) >= KNOWN
        if stand is not None and known:
            edges = [stand.edge_at_centre(lean) for lean in leans]
        else:
            here = [one.detection for one in seen if _likely(one)]
            edges = [die.edge / _near(stand, die.x, die.y) for die in here]
        return cls(np.array(edges, np.float32), stand, known)

    @property
    def usual(self) -> tuple[float, float] | None:
        """Edges between which dice are here: the same twice unless several sizes are known."""
        if len(self.edges) < COMPANY:
            return None
        least, most = np.percentile(self.edges, (5, 95) if self.known else (50, 50))
        return float(least), float(most)

    def nearest(self, edge: float) -> float:
        """Of a die of this table that is most like it; the same where no size is known."""
        if self.usual is None:
            return edge
        of = self.edges if self.known else np.array(self.usual)
        return float(of[np.abs(np.log(of / edge)).argmin()])

    def fitting(self, detection: Detection) -> Detection:
        """The same, as large as the dice of this table that it is most like, where it is like none."""
        if not self.known:
            return detection
        near = _near(self.stand, detection.x, detection.y)
        size, sizes = log(detection.edge / near), np.log(self.edges)
        if not UNLIKE < np.abs(sizes - size).min() < NONE_OF_THEM:
            return detection
        for _ in range(SHIFTS):
            alike = np.exp(-(((sizes - size) / ALIKE) ** 2) / 2)
            size = float((sizes * alike).sum() / alike.sum())
        return replace(detection, edge=exp(size) * near)

    def deviation(self, detection: Detection) -> float:
        """How much larger or smaller than the dice here it is, as a logarithm."""
        edge = detection.edge / _near(self.stand, detection.x, detection.y)
        return min(ODDEST, abs(log(edge / self.nearest(edge))))


def _near(stand: CameraPose | None, x: float, y: float) -> float:
    return 1.0 if stand is None else stand.scale_at(x, y)


def _stand(picture: Image, tray: Quad | None, seen: Sequence[Lean] = ()) -> CameraPose | None:
    """How the camera stands, by the tray, and by the dice in it, most of which lie flat."""
    height, width = picture.shape[:2]
    return None if tray is None else estimate_pose(tray, width, height, seen)


def _likely(seen: Closeup) -> bool:
    return seen.detection.heat * (1 - seen.face.none) > MIN_LIKELY_HEAT


def _sightings(
    picture: Image, tray: Quad | None, aside: Quad | None, empty: Image | None = None
) -> tuple[list[Detection], float]:
    """Where dice may be, in one or more looks, and the share of a hand.

    Several may be of one die: a shape in the rough outshines none that is seen close by.
    """
    left, top, right, bottom = bounding_box(picture, [quad for quad in (tray, aside) if quad])
    here = slice(top, bottom), slice(left, right)
    cut, bare = picture[here], None if empty is None else empty[here]
    look_px = LOOK_PX if tray is None else TRAY_PX
    seen = find_dice(cut, look_px, bare)
    detections = seen.detections
    edge_px = _usual_edge(detections) * look_px / max(cut.shape[:2])
    if tray is None:
        detections = detections + find_dice(cut, COARSE_PX, bare).detections
        if edge_px < LITTLE_PX:
            closer_px = min(CLOSEST_PX, round(look_px * IN_A_TRAY_PX / edge_px))
            detections = detections + find_dice(cut, closer_px, bare).detections
    elif edge_px < SMALL_PX:
        detections = find_dice(cut, 2 * look_px, bare).detections
    return [replace(s, x=s.x + left, y=s.y + top) for s in detections], seen.hand


def _usual_edge(seen: list[Detection]) -> float:
    """Of the dice among them; without end where there are none."""
    return float(np.median([s.edge for s in seen if s.heat > MIN_LIKELY_HEAT] or [inf]))


def _foot(detection: Detection, stand: CameraPose | None) -> tuple[float, float]:
    """Below its top: seen from aside, a die at the wall leans over it."""
    if stand is None:
        return detection.x, detection.y
    right, down = stand.lean_at(detection.x, detection.y)
    return detection.x - right * detection.edge, detection.y - down * detection.edge


def _one_each(seen: list[Closeup]) -> list[Closeup]:
    """Of places that turned out to be the same die, the one surest of it."""
    surest = sorted(seen, key=lambda one: -one.detection.heat * (1 - one.face.none))
    kept = suppress_overlaps([one.detection for one in surest], in_order=True)
    return [one for one in surest if any(one.detection is detection for detection in kept)]
