"""Finds every place in a frame where a die may lie, and gathers all the evidence about it.

The finder proposes places in the whole frame. The face reader then examines each of them closely, and
the sizes of the dice, the camera pose and the empty-tray image add further evidence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import exp, hypot, log

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import picture_to_die
from vision.face_reader import (
    Closeup,
    FaceProbabilities,
    query_second_network,
    read_faces,
    resolve_doubts,
    without_duplicates,
)
from vision.finder import (
    MIN_LIKELY,
    Detection,
    FinderResult,
    find_dice_anywhere,
    find_dice_in_tray,
)
from vision.images import Box, Image, ImagePyramid, bounding_box
from vision.known_tray import KnownTray
from vision.networks import Floats
from vision.pose import CameraPose, estimate_pose
from vision.reading import Lean, Quad
from vision.tilt import GroundPosition, TiltEstimate, estimate_tilt, is_isolated, refine_pose
from vision.tray_change import ChangedRegion, TrayChange, compare

MIN_HAND_SHARE = 0.001
"""Share of the examined part of the frame that the tip of a finger covers."""

MIN_HAND_SHARE_ANYWHERE = 0.01
"""Replaces `MIN_HAND_SHARE` if the position of the tray is unknown: photographs show more things that look like skin."""

MIN_POSSIBLE = 0.1
"""Another die could be leaning against any object that is at least this likely to be a die."""

MIN_DICE_FOR_SIZE = 2
"""Number of dice needed to determine the size of the dice in a frame."""

MIN_LEANS_FOR_SIZE = 6
"""Number of known leans needed to determine the size of the dice in a tray."""

ENOUGH_LEANS = 12
"""Number of known leans needed to determine the focal length of the lens."""

SIZE_TOLERANCE, SIZE_KERNEL, MAX_SIZE_ERROR, MEAN_SHIFT_STEPS = 0.1, 0.08, 0.4, 10
"""For correcting a size, as log ratios: a difference from all known dice that needs no correction, the width
of the mean-shift kernel, and the difference from which the object is not one of these dice."""

MISSED_DIE_PROBABILITY = 0.3
"""Probability of a die where the empty-tray image reveals an object that the finder did not see."""

MIN_DIE_SCALE, MAX_DIE_SCALE, MAX_DIE_ELONGATION = 0.55, 2.0, 2.5
"""Limits for a region that could be a die: its size relative to a die, and its length over its width."""

TOP_SCALE = 0.85
"""Edge of the top face relative to the whole visible die, whose sides are visible too."""

MAX_SIZE_DEVIATION = 1.0
"""A larger deviation from the usual size counts as this one, because it is no better evidence."""

Corners = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place where a die may lie, with the evidence about it.

    Attributes:
        detection: Position and size, and the probability of a die according to the finder.
        face: Probability of each face, according to the face reader.
        foot: Point in frame pixels at which the die stands on the floor. If the camera pose is unknown, the networks
            estimate it.
        size_deviation: Absolute value of the logarithm of the edge divided by the usual edge of the dice.
        tilt: How the die lies.
        outline: Outline (n, 2) in frame pixels of a die with this top face and this foot, with its visible sides.
        is_isolated: Whether there is nothing near the die that it could lean against.
        beyond_edges: How far the top extends beyond the border of the frame, in die edges. It is negative inside the frame.
        low_camera_log_odds: Log odds that the camera sees the die from the side (see `DieEstimate`), or None if the camera pose
            is known.
    """

    detection: Detection
    face: FaceProbabilities
    foot: tuple[float, float]
    size_deviation: float
    tilt: TiltEstimate
    outline: Corners
    is_isolated: bool = False
    beyond_edges: float = -1.0
    low_camera_log_odds: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CandidateSet:
    """All places in a frame where a die may lie, with the evidence about the frame as a whole.

    Attributes:
        candidates: The places, in no particular order.
        hand: Share of the examined part of the frame that a hand covers.
        change: Difference from the empty-tray image, or None if there is no image to compare with, or if `is_covered`.
        edge_range: Smallest and largest edge in pixels of a die in the centre of the frame, or None
            if there were too few dice.
        knows_set: Whether both the empty tray and, from earlier throws, the sizes of the dice are known.
        is_covered: Whether the frame differs from the empty-tray image nearly everywhere, so that something may cover dice.
    """

    candidates: list[Candidate]
    hand: float
    change: TrayChange | None
    edge_range: tuple[float, float] | None
    knows_set: bool = False
    is_covered: bool = False


def find_candidates(
    picture: Image, tray: Quad | None, aside: Quad | None, known: KnownTray
) -> CandidateSet:
    """Find every place in a frame where a die may lie, and examine it.

    Args:
        picture: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels, or None for the whole frame.
        aside: Set-aside area in frame pixels, or None if there is none.
        known: The knowledge about this tray from earlier frames.
    """
    box = _search_area(picture, tray, aside)
    part, empty = _crop(picture, box, tray), known.empty_crop(picture.shape, box)
    change = None if empty is None else compare(part, empty, box[:2])
    pose = _estimate_pose(picture, tray, known.leans)
    sizes = _DieSizes.of([], pose, known.leans)
    if change is None:
        found = _detect(part, box, tray)
    else:
        found = _detect(part, box, tray, empty, sizes.edge_range)
    detections = [d for d in found.detections if change is None or change.is_new(d.x, d.y, d.edge)]
    seen = read_faces(picture, detections, pose)
    if not sizes.is_known:
        sizes = _DieSizes.of(seen, pose, known.leans)
    seen = _read_again(picture, seen, pose, sizes)
    if change is not None and tray is not None:
        likely = [one for one in seen if _is_likely(one)]
        missed = _missed_dice(change, tray, likely, pose, sizes)
        kept = [one for one in seen if not _is_superseded(one, missed, sizes)]
        seen = without_duplicates([*kept, *read_faces(picture, missed, pose)])
    if len(known.leans) < ENOUGH_LEANS:
        others = [one for one in seen if not _is_likely(one)]
        pose, dice = refine_pose(
            [one for one in seen if _is_likely(one)],
            pose,
            lambda leans: _estimate_pose(picture, tray, (*known.leans, *leans)),
        )
        seen = dice + others
    seen = resolve_doubts(query_second_network(picture, seen, pose), pose)
    candidates = [_candidate(one, pose, sizes, picture.shape) for one in seen]
    if tray is not None:
        candidates = _mark_isolated(candidates, change, tray)
    hand_share = found.hand_share if change is None else change.object_share(found.hand)
    knows_set = change is not None and sizes.is_known
    is_covered = empty is not None and change is None
    return CandidateSet(candidates, hand_share, change, sizes.edge_range, knows_set, is_covered)


def seems_empty(
    picture: Image, tray: Quad | None, aside: Quad | None, change: TrayChange | None = None
) -> bool:
    """Check whether the finder sees neither a likely die nor a hand.

    Args:
        picture: Frame (height, width, 3) BGR.
        tray: Floor of the tray in frame pixels, or None for the whole frame.
        aside: Set-aside area in frame pixels, or None if there is none.
        change: Difference from the empty-tray image, or None. A die is ignored where there is no difference.
    """
    box = _search_area(picture, tray, aside)
    found = _detect(_crop(picture, box, tray), box, tray)
    likely = [one for one in found.detections if one.probability >= MIN_LIKELY]
    hand_share = found.hand_share if change is None else change.object_share(found.hand)
    return hand_share <= MIN_HAND_SHARE and not any(
        change is None or change.is_new(d.x, d.y, d.edge) for d in likely
    )


def could_be_die(region: ChangedRegion, edge_range: tuple[float, float] | None) -> bool:
    """Check whether a changed region has about the size and shape of a die.

    Args:
        region: Region that differs from the empty-tray image.
        edge_range: Smallest and largest edge of the dice in pixels, or None if unknown: then any size fits.
    """
    smallest, largest = edge_range or (region.edge, region.edge)
    is_compact = region.elongation < MAX_DIE_ELONGATION
    return is_compact and MIN_DIE_SCALE * smallest < region.edge < MAX_DIE_SCALE * largest


def _candidate(
    seen: Closeup, pose: CameraPose | None, sizes: "_DieSizes", shape: tuple[int, ...]
) -> Candidate:
    here = seen.detection
    foot = _foot(seen, pose)
    outline = _body_outline(here, foot)
    return Candidate(
        here, seen.face, foot, sizes.deviation(here), estimate_tilt(seen, pose), outline,
        beyond_edges=_beyond_border(here, shape), low_camera_log_odds=seen.low_camera_log_odds,
    )  # fmt: skip


def _beyond_border(top: Detection, shape: tuple[int, ...]) -> float:
    """Return how far a top face extends beyond the border of a frame of this shape, in die edges."""
    corners = _top_corners(top)
    outside = np.concatenate([-corners, corners - (shape[1], shape[0])])
    return float(outside.max()) / top.edge


def _read_again(
    picture: Image, seen: list[Closeup], pose: CameraPose | None, sizes: "_DieSizes"
) -> list[Closeup]:
    """Read dice again whose size or rotation the finder may have got wrong, and return one closeup of each die.

    A die whose size fits none of those of earlier throws is read at a corrected size instead. Where the finder sees a die and
    the face reader sees none, a reading at the usual size and one of a die that is turned by 45 degrees are added.
    """
    kept, again = [], []
    for one in seen:
        is_contested = one.detection.probability > MIN_LIKELY and not _is_likely(one)
        fitted = sizes.fitted(one.detection)
        if fitted is not one.detection and (sizes.is_known or is_contested):
            again.append(fitted)
        if fitted is one.detection or not sizes.is_known:
            kept.append(one)
        if is_contested:
            again.append(replace(fitted, turn=fitted.turn + np.pi / 4))
    return without_duplicates(kept + read_faces(picture, again, pose))


def _mark_isolated(
    candidates: list[Candidate], change: TrayChange | None, tray: Quad
) -> list[Candidate]:
    positions = {c: GroundPosition(*c.foot, c.detection.edge) for c in candidates}
    possible = [
        c for c in candidates if c.detection.probability * (1 - c.face.no_die) > MIN_POSSIBLE
    ]
    regions = [] if change is None else change.regions(tray, [c.outline for c in possible])
    objects = [
        GroundPosition(region.x, region.y, region.edge * region.elongation**0.5)
        for region in regions
        if not region.is_shadow
    ]

    def neighbours(candidate: Candidate) -> list[GroundPosition]:
        return [positions[other] for other in possible if other is not candidate] + objects

    return [
        replace(c, is_isolated=is_isolated(positions[c], neighbours(c), tray)) for c in candidates
    ]


def _missed_dice(
    change: TrayChange,
    tray: Quad,
    likely: Sequence[Closeup],
    pose: CameraPose | None,
    sizes: "_DieSizes",
) -> list[Detection]:
    """Return a detection for each object of about a die's size at which the finder saw no die."""
    regions = change.regions(
        tray, [_body_outline(one.detection, _foot(one, pose)) for one in likely]
    )
    return [
        Detection(
            region.x,
            region.y,
            sizes.nearest(region.edge * TOP_SCALE),
            region.turn,
            MISSED_DIE_PROBABILITY,
        )
        for region in regions
        if could_be_die(region, sizes.edge_range) and not region.is_entering
    ]


def _is_superseded(seen: Closeup, missed: Sequence[Detection], sizes: "_DieSizes") -> bool:
    """Return whether an unlikely detection of a wrong size lies on an object that is examined at the size of the dice.

    Otherwise the end of a pencil, which alone may look like a small die, would hide that the whole object is none.
    """
    here = seen.detection
    if not sizes.is_known or _is_likely(seen) or sizes.deviation(here) < MAX_SIZE_ERROR:
        return False
    return any(hypot(here.x - one.x, here.y - one.y) < one.edge / 2 for one in missed)


@dataclass(frozen=True, eq=False)
class _DieSizes:
    """Sizes of the dice in a tray: the edge in pixels that each would have in the centre of the frame."""

    edges: Floats
    pose: CameraPose | None
    is_known: bool

    @classmethod
    def of(
        cls, seen: Sequence[Closeup], pose: CameraPose | None, leans: Sequence[Lean]
    ) -> "_DieSizes":
        """Take the sizes from the leans of earlier throws if there are enough, otherwise from this frame."""
        is_known = pose is not None and len(leans) >= MIN_LEANS_FOR_SIZE
        if pose is not None and is_known:
            edges = [pose.edge_at_centre(lean) for lean in leans]
        else:
            dice = [one.detection for one in seen if _is_likely(one)]
            edges = [die.edge / _scale_at(pose, die) for die in dice]
        return cls(np.array(edges, np.float32), pose, is_known)

    @cached_property
    def edge_range(self) -> tuple[float, float] | None:
        """The smallest and largest usual edge, or None if there are too few dice.

        If the sizes are not known from earlier throws, both are the median edge.
        """
        if len(self.edges) < MIN_DICE_FOR_SIZE:
            return None
        low, high = np.percentile(self.edges, (5, 95) if self.is_known else (50, 50))
        return float(low), float(high)

    def nearest(self, edge: float) -> float:
        """Return the known edge that is closest to `edge`, or `edge` itself if none is known."""
        if self.edge_range is None:
            return edge
        edges = self._usual_edges
        return float(edges[np.abs(np.log(edges / edge)).argmin()])

    @property
    def _usual_edges(self) -> Floats:
        """The edges of all dice of earlier throws, or the median edge in this frame if those are not known."""
        return self.edges if self.is_known else np.array(self.edge_range, np.float32)

    def fitted(self, detection: Detection) -> Detection:
        """Return a detection, with its size corrected to that of the most similar dice if necessary.

        A size that fits some die, or that is too far from all of them to be a die, is not corrected.
        """
        if self.edge_range is None:
            return detection
        scale = _scale_at(self.pose, detection)
        size, sizes = log(detection.edge / scale), np.log(self._usual_edges)
        if not SIZE_TOLERANCE < np.abs(sizes - size).min() < MAX_SIZE_ERROR:
            return detection
        for _ in range(MEAN_SHIFT_STEPS):
            weights = np.exp(-(((sizes - size) / SIZE_KERNEL) ** 2) / 2)
            size = float((sizes * weights).sum() / weights.sum())
        return replace(detection, edge=exp(size) * scale)

    def deviation(self, detection: Detection) -> float:
        """Return the absolute value of the logarithm of the detected edge divided by the most similar known edge."""
        edge = detection.edge / _scale_at(self.pose, detection)
        return min(MAX_SIZE_DEVIATION, abs(log(edge / self.nearest(edge))))


def _scale_at(pose: CameraPose | None, detection: Detection) -> float:
    return 1.0 if pose is None else pose.scale_at(detection.x, detection.y)


def _estimate_pose(
    picture: Image, tray: Quad | None, leans: Sequence[Lean] = ()
) -> CameraPose | None:
    height, width = picture.shape[:2]
    return None if tray is None else _pose_of(tray, width, height, tuple(leans))


@lru_cache(maxsize=4)
def _pose_of(tray: Quad, width: int, height: int, leans: tuple[Lean, ...]) -> CameraPose | None:
    """Return the camera pose, cached because the tray, the frame size and the known leans rarely change."""
    return estimate_pose(tray, width, height, leans)


def _is_likely(seen: Closeup) -> bool:
    return seen.detection.probability * (1 - seen.face.no_die) > MIN_LIKELY


def _search_area(picture: Image, tray: Quad | None, aside: Quad | None) -> Box:
    return bounding_box(picture, [quad for quad in (tray, aside) if quad] if tray else [])


def _crop(picture: Image, box: Box, tray: Quad | None) -> ImagePyramid:
    left, top, right, bottom = box
    # Frames of unknown scale are not interpolated: that changed the answers for eight of 170 photographs
    # (docs/decisions/reading.md).
    return ImagePyramid(picture[top:bottom, left:right], can_interpolate=tray is not None)


def _detect(
    part: ImagePyramid,
    box: Box,
    tray: Quad | None,
    empty: ImagePyramid | None = None,
    edge_range: tuple[float, float] | None = None,
) -> FinderResult:
    """Find dice in the part of a frame that `box` describes, and return them in frame pixels.

    Without a tray, `edge_range` is ignored.
    """
    if tray is None:
        found = find_dice_anywhere(part, empty)
    else:
        found = find_dice_in_tray(part, empty, edge_range)
    left, top, _, _ = box
    return replace(
        found, detections=[replace(d, x=d.x + left, y=d.y + top) for d in found.detections]
    )


def _foot(seen: Closeup, pose: CameraPose | None) -> tuple[float, float]:
    """Return the point in frame pixels at which a die stands on the floor.

    If the camera pose is known, the die is assumed to lie flat. Otherwise the networks estimate the point from the sides
    that they see.
    """
    at = seen.detection
    if pose is None:
        right, down = picture_to_die(at.turn).T @ seen.mean.extra_lean
    else:
        right, down = pose.lean_at(at.x, at.y)
    return at.x - float(right) * at.edge, at.y - float(down) * at.edge


def _body_outline(top: Detection, foot: tuple[float, float]) -> Corners:
    """Return the outline (n, 2) in frame pixels of a die with its visible sides, given its top face and its foot."""
    face = _top_corners(top)
    base = face + np.subtract(foot, (top.x, top.y))
    hull = cv2.convexHull(np.concatenate([face, base]).astype(np.float32))
    return np.asarray(hull[:, 0])


def _top_corners(top: Detection) -> Corners:
    """Return the corners (4, 2) of a top face in frame pixels."""
    half = picture_to_die(top.turn) * top.edge / 2
    return np.asarray(np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) @ half + (top.x, top.y))
