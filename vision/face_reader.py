"""The second look: each die by itself, near by and with what is around it, by two networks taught apart.

Each says what a die shows and how it lies. Beside the picture it is given what a flat die would cover
there, where it is known how the camera stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
from vision.finder import Detection
from vision.images import Image
from vision.networks import Floats, run_named, sigmoid, softmax
from vision.pose import CameraPose

READERS: Mapping[str, PatchSizes] = {"near": (64, 35), "wide": (64, 28)}
"""What patches a network was taught."""
FIRST = "near"
"""It looks at every place; the other where that may be a die."""
NOTHING = 0.8  # from this chance of being no die on nobody looks again
CLEAR = 0.99  # from this chance of a face on no further view is asked
FLAT = 0.2  # and from this one of lying ill: of 0.05 nothing is read otherwise, in twice the time


@dataclass(frozen=True, slots=True, eq=False)
class DieEstimate:
    """What a network says of one view of a die, in log odds and edges.

    Attributes:
        shown: (7,) no die, and the faces 1..6, to be compared.
        lies: (3,) leaning, hidden in part, lying on another die.
        off: (3,) how far its top is off where it was looked for, and the log of how much larger it is.
        stand: (2,) how much further than a flat die's its top stands off its foot, where it is known how the
            camera stands. Both along the edges of the die.
    """

    shown: Floats
    lies: Floats
    off: Floats
    stand: Floats


@dataclass(frozen=True, slots=True)
class FaceProbabilities:
    """Chances: of no die, of the faces 1..6, and that some of the die is hidden."""

    none: float
    faces: tuple[float, ...]
    hidden: float
    steady: float  # the least chance of the likeliest face among the views


@dataclass(frozen=True, eq=False)
class Closeup:
    """One place as it was looked at.

    Attributes:
        detection: where it is.
        pixels: (3, p, p) for each network that looked.
        answers: of each network, one for each view.
    """

    detection: Detection
    pixels: Mapping[str, Floats]
    answers: Mapping[str, tuple[DieEstimate, ...]]

    @cached_property
    def views(self) -> list[DieEstimate]:
        """The mean of what the networks say of each view."""
        return [_mean(answers) for answers in zip(*self.answers.values(), strict=True)]

    @cached_property
    def mean(self) -> DieEstimate:
        """And of all views."""
        return _mean(self.views)

    @cached_property
    def face(self) -> FaceProbabilities:
        none, *faces = (float(c) for c in softmax(self.mean.shown))
        best = 1 + int(np.argmax(faces))
        steady = min(float(softmax(view.shown)[best]) for view in self.views)
        return FaceProbabilities(none, tuple(faces), float(sigmoid(self.mean.lies)[1]), steady)

    @property
    def is_doubtful(self) -> bool:
        """Whether further views may tell more: of what it shows, or of how it lies."""
        if self.face.none >= NOTHING:
            return False
        leaning, _, stacked = sigmoid(self.mean.lies)
        return max(self.face.none, *self.face.faces) < CLEAR or leaning + stacked > FLAT


def read_faces(
    picture: Image, detections: Sequence[Detection], pose: CameraPose | None
) -> list[Closeup]:
    """A closeup of each detection; where it really is, and by both networks, where it may be a die."""
    seen = query_networks([_cut(picture, one, (FIRST,)) for one in detections], pose)
    may_be = [k for k, one in enumerate(seen) if one.face.none < NOTHING]
    nearer = [_cut(picture, _set_right(seen[k]), tuple(READERS)) for k in may_be]
    for k, one in zip(may_be, query_networks(nearer, pose), strict=True):
        seen[k] = one
    return seen


def query_networks(
    seen: Sequence[Closeup], pose: CameraPose | None, view: View = VIEWS[0]
) -> list[Closeup]:
    """The same with what the networks say of a view, and of those before."""
    answers = [dict(one.answers) for one in seen]
    for name in READERS:
        which = [k for k, one in enumerate(seen) if name in one.pixels]
        for k, answer in zip(
            which, _answers(name, [seen[k] for k in which], pose, view), strict=True
        ):
            answers[k][name] = (*answers[k].get(name, ()), answer)
    return [
        Closeup(one.detection, one.pixels, told) for one, told in zip(seen, answers, strict=True)
    ]


def resolve_doubts(seen: Sequence[Closeup], pose: CameraPose | None) -> list[Closeup]:
    """The same; doubtful ones are looked at from further sides, until they are clear."""
    out = list(seen)
    for view in VIEWS[1:]:
        doubtful = [k for k, one in enumerate(out) if one.is_doubtful]
        for k, one in zip(
            doubtful, query_networks([out[k] for k in doubtful], pose, view), strict=True
        ):
            out[k] = one
    return out


def _cut(picture: Image, detection: Detection, names: Sequence[str]) -> Closeup:
    """Cut out for some networks, which have not said anything yet."""
    at = detection.x, detection.y
    pixels = {
        name: cut_patch(picture, at, detection.edge, detection.turn, READERS[name])
        for name in names
    }
    return Closeup(detection, pixels, {})


def _answers(
    name: str, seen: Sequence[Closeup], pose: CameraPose | None, view: View
) -> list[DieEstimate]:
    """What one network says of one view of each."""
    if not seen:
        return []
    inputs = np.stack([_input(name, one, pose) for one in seen])
    told = run_named(name, turn_inputs(inputs, view))
    lies = np.column_stack([told["leaning"], told["hidden"], told["stacked"]])
    stand = told["stand"] @ patch_to_view(view)
    return [DieEstimate(*one) for one in zip(told["shown"], lies, told["off"], stand, strict=True)]


def _input(name: str, seen: Closeup, pose: CameraPose | None) -> Floats:
    at = seen.detection
    return network_input(seen.pixels[name], (at.x, at.y), at.turn, pose, READERS[name])


def _mean(answers: Sequence[DieEstimate]) -> DieEstimate:
    if len(answers) == 1:
        return answers[0]
    rows = [(one.shown, one.lies, one.off, one.stand) for one in answers]
    return DieEstimate(*(np.mean(of, axis=0) for of in zip(*rows, strict=True)))


def _set_right(seen: Closeup) -> Detection:
    off, detection = seen.mean.off, seen.detection
    right, down = picture_to_die(detection.turn).T @ np.clip(off[:2], -0.4, 0.4) * detection.edge
    return replace(
        detection,
        x=detection.x + float(right),
        y=detection.y + float(down),
        edge=detection.edge * float(np.exp(np.clip(off[2], -0.5, 0.5))),
    )
