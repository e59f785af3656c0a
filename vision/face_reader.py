"""Face reader: two separately trained networks estimate which face each die shows and how the die lies.

The second network depends on whether the camera pose is known. If it is, the input of each network also contains the
outline that a flat die would have there, and the second network sees more of the surroundings, which show what a die
leans on. If it is not, as in most photographs, the second network is one that was trained for that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot

import numpy as np

from vision.crops import (
    VIEWS,
    PatchSizes,
    View,
    cut_patch,
    network_input,
    patch_to_view,
    picture_to_die,
    turn_inputs,
)
from vision.finder import Detection, suppress_overlaps
from vision.images import Image
from vision.networks import Floats, run_named, sigmoid, softmax
from vision.pose import CameraPose

READERS: Mapping[str, PatchSizes] = {"near": (64, 35), "wide": (64, 28), "deep": (64, 35)}
"""Names of the networks, and the sizes of the patches that each was trained on."""

FIRST_READER, READER_WITH_POSE, READER_WITHOUT_POSE = READERS
"""The first network examines every detection. One of the others examines those that may be dice: the second if the camera
pose is known, except a die of which the first network is certain, and the third if it is not
(docs/decisions/reading.md)."""

WEIGHTS: Mapping[str, float] = {"near": 1, "wide": 2, "deep": 2}
"""Weights of the networks in the mean of their estimates (docs/decisions/reading.md)."""

NO_DIE_PROBABILITY = 0.9
"""Detections that the first network thinks are this likely not to be dice are not examined further."""

CLEAR_FACE_PROBABILITY = 0.99
"""A face that is this likely needs no further views. Neither does a die of which the first network is certain."""

CERTAIN_FACE_PROBABILITY, CERTAIN_TILT_PROBABILITY = 0.96, 0.08
"""The first network is certain of a die if it gives a face at least CERTAIN_FACE_PROBABILITY, and gives a tilt and hidden
parts at most CERTAIN_TILT_PROBABILITY each. The limit for the tilt is low because the second network recognises stacked dice
that the first one overlooks (docs/decisions/reading.md)."""

DOUBTFUL_TILT_PROBABILITY = 0.2
"""A die that is this likely to be cocked or stacked gets further views. With 0.05, the readings
were the same but took twice as long."""

MAX_VIEWS = 4
"""Largest number of orientations in which the networks see a die. Further ones do not improve the readings
(docs/decisions/reading.md)."""

STEEPEST_ANGLE = 2
"""Position of the angle of 55 degrees among those for which a network says whether the camera looks from further to the side
(`training.learning.networks.LOW_DEG`)."""

SMALL_CORRECTION = 0.07
"""Corrections of the position in edges, and of the logarithm of the size, that are too small to change what is read."""

MAX_SHIFT_EDGES, MAX_LOG_RESIZE = 0.4, 0.5
"""Largest correction of a detection's position and of the logarithm of its size."""


@dataclass(frozen=True, slots=True, eq=False)
class DieEstimate:
    """Output of one network for one orientation of a patch. All directions are along the edges of the die.

    Attributes:
        face_logits: (7,) no die, and the faces 1 to 6.
        tilt_log_odds: (3,) cocked, partly hidden, stacked on another die.
        offset: (3,) distance right and down from the detection to the real centre, in die edges, and the
            logarithm of the real size divided by the detected size.
        extra_lean: (2,) lean right and down beyond that of a flat die, in die edges. If the camera pose is unknown, this
            is the whole lean. It means nothing where there is no die.
        low_camera_log_odds: Log odds that the camera sees the die from more than 55 degrees off vertical, or None. Only the
            network that is used without a camera pose estimates them, for an orientation in which the frame is upright.
    """

    face_logits: Floats
    tilt_log_odds: Floats
    offset: Floats
    extra_lean: Floats
    low_camera_log_odds: float | None = None


@dataclass(frozen=True, slots=True)
class FaceProbabilities:
    """Probabilities of what a closeup shows, from the networks that examined it and the orientations that they saw.

    Attributes:
        no_die: Probability that there is no die.
        faces: Probability of each face from 1 to 6.
        hidden: Probability that part of the die is hidden.
        worst_view: Lowest probability of the likeliest face in any orientation.
        agreement: Probability of the likeliest face according to the network that doubts it more, or to the first
            network if only that one examined the die.
        familiarity: Log-sum-exp of the face logits, from the network in which it is lower. It is low for
            pictures unlike those that the network was trained on.
    """

    no_die: float
    faces: tuple[float, ...]
    hidden: float
    worst_view: float
    agreement: float
    familiarity: float


@dataclass(frozen=True, eq=False)
class Closeup:
    """A detection with the patches that the networks see and the estimates that they return.

    Attributes:
        detection: Position and size in the frame.
        patches: Pixels (3, side, side) for each network that examines this detection. The patch of the first network may
            have been cut out before a small correction of the position.
        estimates: Estimates of each network, one for each orientation of the patch that it has seen.
    """

    detection: Detection
    patches: Mapping[str, Floats]
    estimates: Mapping[str, tuple[DieEstimate, ...]]

    @cached_property
    def views(self) -> list[DieEstimate]:
        """The weighted mean estimate of the networks that examined the die, for each orientation of the patch."""
        weights = [WEIGHTS[name] for name in self.estimates]
        return [_mean(answers, weights) for answers in zip(*self.estimates.values(), strict=True)]

    @cached_property
    def mean(self) -> DieEstimate:
        """The mean estimate over all orientations of the patch."""
        return _mean(self.views)

    @cached_property
    def face(self) -> FaceProbabilities:
        """The probability of each face, and the probability that there is no die."""
        no_die, *faces = (float(p) for p in softmax(self.mean.face_logits))
        best = 1 + int(np.argmax(faces))
        worst_view = min(float(softmax(view.face_logits)[best]) for view in self.views)
        hidden = float(sigmoid(self.mean.tilt_log_odds)[1])
        networks = [_mean(views).face_logits for views in self.estimates.values()]
        agreement = min(float(softmax(logits)[best]) for logits in networks)
        familiarity = min(_log_sum_exp(logits) for logits in networks)
        return FaceProbabilities(no_die, tuple(faces), hidden, worst_view, agreement, familiarity)

    @cached_property
    def tilt_probability(self) -> float:
        """The sum of the probabilities that the die is cocked and that it is stacked."""
        cocked, _, stacked = sigmoid(self.mean.tilt_log_odds)
        return float(cocked + stacked)

    @cached_property
    def low_camera_log_odds(self) -> float | None:
        """The mean log odds that the camera sees the die from the side, or None if no network has estimated them."""
        views = self.estimates.get(READER_WITHOUT_POSE, ())
        known = [v.low_camera_log_odds for v in views if v.low_camera_log_odds is not None]
        return float(np.mean(known)) if known else None

    @property
    def is_certain(self) -> bool:
        """Whether the face and the tilt are so clear that one network suffices."""
        is_face_certain = max(self.face.faces) >= CERTAIN_FACE_PROBABILITY
        return is_face_certain and (
            max(self.tilt_probability, self.face.hidden) <= CERTAIN_TILT_PROBABILITY
        )

    @property
    def is_doubtful(self) -> bool:
        """Whether further orientations of the patch could still change the face or the tilt."""
        if not _is_possible(self):
            return False
        if len(self.estimates) == 1 and self.is_certain:
            return False
        is_clear = max(self.face.no_die, *self.face.faces) >= CLEAR_FACE_PROBABILITY
        return not is_clear or self.tilt_probability > DOUBTFUL_TILT_PROBABILITY


def read_faces(
    picture: Image, detections: Sequence[Detection], pose: CameraPose | None
) -> list[Closeup]:
    """Read the face at each detection with the first network, and return one closeup of each die.

    The network examines a possible die once more at its corrected position if the correction is large or, without a
    camera pose, the network is not certain.

    Args:
        picture: (height, width, 3) BGR.
        detections: Places to examine.
        pose: Camera pose, or None if it is unknown.
    """
    first = query_networks([_cut(picture, one, FIRST_READER) for one in detections], pose)
    seen = [_moved(one) if _is_possible(one) else one for one in first]
    unsettled = [
        k for k, one in enumerate(seen) if _is_possible(one) and not _is_settled(one, pose)
    ]
    again = [_cut(picture, seen[k].detection, FIRST_READER) for k in unsettled]
    for k, one in zip(unsettled, query_networks(again, pose), strict=True):
        seen[k] = one
    return without_duplicates(seen)


def without_duplicates(seen: Sequence[Closeup]) -> list[Closeup]:
    """Return one closeup of each die: the one that is most likely to be a die."""
    ranked = sorted(seen, key=lambda one: -one.detection.probability * (1 - one.face.no_die))
    kept = suppress_overlaps([one.detection for one in ranked], is_ranked=True)
    return [one for one in ranked if any(one.detection is detection for detection in kept)]


def query_second_network(
    picture: Image, closeups: Sequence[Closeup], pose: CameraPose | None
) -> list[Closeup]:
    """Return the closeups, with the second network's estimates of those dice that need them.

    Args:
        picture: (height, width, 3) BGR.
        closeups: Closeups with the first network's estimates.
        pose: Camera pose, or None if it is unknown. Then every possible die needs the second network.
    """
    out = list(closeups)
    needed = [
        k for k, one in enumerate(out) if _is_possible(one) and (pose is None or not one.is_certain)
    ]
    second = READER_WITHOUT_POSE if pose is None else READER_WITH_POSE
    patches = [_cut(picture, out[k].detection, second) for k in needed]
    for k, one in zip(needed, query_networks(patches, pose), strict=True):
        out[k] = replace(
            out[k],
            patches={**out[k].patches, **one.patches},
            estimates={**out[k].estimates, **one.estimates},
        )
    return out


def query_networks(
    closeups: Sequence[Closeup], pose: CameraPose | None, view: View = VIEWS[0]
) -> list[Closeup]:
    """Return the closeups with the networks' estimates for one more orientation of each patch.

    Args:
        closeups: Closeups, each with the patches for the networks that examine it.
        pose: Camera pose, or None if it is unknown.
        view: Orientation in which the networks see each patch.
    """
    estimates = [dict(one.estimates) for one in closeups]
    for name in READERS:
        indices = [k for k, one in enumerate(closeups) if name in one.patches]
        answers = _run_reader(name, [closeups[k] for k in indices], pose, view)
        for k, answer in zip(indices, answers, strict=True):
            estimates[k][name] = (*estimates[k].get(name, ()), answer)
    return [
        Closeup(one.detection, one.patches, answers)
        for one, answers in zip(closeups, estimates, strict=True)
    ]


def resolve_doubts(closeups: Sequence[Closeup], pose: CameraPose | None) -> list[Closeup]:
    """Show the networks each doubtful die in further orientations until it is clear, and return the closeups.

    Args:
        closeups: Closeups with the estimates for the first orientation.
        pose: Camera pose, or None if it is unknown.
    """
    out = list(closeups)
    for view in VIEWS[1:MAX_VIEWS]:
        doubtful = [k for k, one in enumerate(out) if one.is_doubtful]
        if not doubtful:
            break
        again = query_networks([out[k] for k in doubtful], pose, view)
        for k, one in zip(doubtful, again, strict=True):
            out[k] = one
    return out


def _cut(picture: Image, detection: Detection, name: str) -> Closeup:
    """Return a closeup with the patch for one network, which has not examined it yet."""
    at = detection.x, detection.y
    patch = cut_patch(picture, at, detection.edge, detection.turn, READERS[name])
    return Closeup(detection, {name: patch}, {})


def _run_reader(
    name: str, closeups: Sequence[Closeup], pose: CameraPose | None, view: View
) -> list[DieEstimate]:
    if not closeups:
        return []
    inputs = np.stack([_input(name, one, pose) for one in closeups])
    out = run_named(name, turn_inputs(inputs, view))
    tilt = np.column_stack([out["leaning"], out["hidden"], out["stacked"]])
    extra_lean = out["stand"] @ patch_to_view(view)
    rows = zip(out["shown"], tilt, out["off"], extra_lean, strict=True)
    estimates = [DieEstimate(*row) for row in rows]
    quarter_turns, _ = view
    if "low" not in out or quarter_turns:
        return estimates
    low = out["low"][:, STEEPEST_ANGLE]
    return [replace(e, low_camera_log_odds=float(v)) for e, v in zip(estimates, low, strict=True)]


def _input(name: str, closeup: Closeup, pose: CameraPose | None) -> Floats:
    at = closeup.detection
    return network_input(closeup.patches[name], (at.x, at.y), at.turn, pose, READERS[name])


def _mean(estimates: Sequence[DieEstimate], weights: Sequence[float] | None = None) -> DieEstimate:
    """Return the mean of estimates, in which all have the same weight if there are no weights."""
    if len(estimates) == 1:
        return estimates[0]
    rows = [(e.face_logits, e.tilt_log_odds, e.offset, e.extra_lean) for e in estimates]
    columns = zip(*rows, strict=True)
    face, tilt, offset, lean = (np.average(column, axis=0, weights=weights) for column in columns)
    return DieEstimate(face, tilt, offset, lean)


def _log_sum_exp(values: Floats) -> float:
    return float(np.logaddexp.reduce(values))


def _is_settled(closeup: Closeup, pose: CameraPose | None) -> bool:
    """Return whether the first network need not examine a patch again, because a correction would change little."""
    right, down, grown = (float(value) for value in closeup.mean.offset)
    is_well_placed = max(hypot(right, down), abs(grown)) < SMALL_CORRECTION
    return is_well_placed and (pose is not None or closeup.is_certain)


def _is_possible(closeup: Closeup) -> bool:
    """Return whether a closeup may show a die."""
    return closeup.face.no_die < NO_DIE_PROBABILITY


def _moved(closeup: Closeup) -> Closeup:
    """Return a closeup whose detection is moved and resized as the first network estimates."""
    offset, detection = closeup.mean.offset, closeup.detection
    shift = np.clip(offset[:2], -MAX_SHIFT_EDGES, MAX_SHIFT_EDGES)
    right, down = picture_to_die(detection.turn).T @ shift * detection.edge
    grown = float(np.exp(np.clip(offset[2], -MAX_LOG_RESIZE, MAX_LOG_RESIZE)))
    x, y, edge = detection.x + float(right), detection.y + float(down), detection.edge * grown
    return replace(closeup, detection=replace(detection, x=x, y=y, edge=edge))
