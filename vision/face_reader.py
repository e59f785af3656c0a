"""The second look: each die by itself, by two networks that were taught apart from each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.crops import VIEWS, View, axes, patch, upright, viewed
from vision.finder import Sighting
from vision.images import Image
from vision.networks import Floats, chance, chances, said
from vision.pose import CameraPose

READERS = {"reader64": (64, 35), "reader48": (48, 26)}
"""The edges of the patches that a network was taught, and of the dice in them."""
LEAN = slice(3, 5)  # the planes of a patch that tell how far the top stands off the foot
CLEAR = 0.99  # from this chance on no further view is asked
OFF = 0.04  # of the edge: a die that is seen so near to where it is need not be looked at again
NOTHING = 0.8  # and from this one of being no die


@dataclass(frozen=True, slots=True)
class Face:
    """Chances: of no die, of the faces 1..6, and that some of the die is hidden."""

    none: float
    faces: tuple[float, ...]
    hidden: float
    steady: float  # the least chance of the likeliest face among the views


def look(
    picture: Image, sightings: list[Sighting], pose: CameraPose | None
) -> list[tuple[Sighting, Face]]:
    """A face for each sighting, and where it really is: each look after the first is set right."""
    if not sightings:
        return []
    patches = _patches(picture, sightings, pose)
    answers = _answers(patches)
    better = [_set_right(*one) for one in zip(sightings, answers, strict=True)]
    off = [k for k, answer in enumerate(answers) if np.abs(answer.off).max() > OFF]
    if off:
        again = _patches(picture, [better[k] for k in off], pose)
        for reader, of in again.items():
            patches[reader][off] = of
        for k, answer in zip(off, _answers(again), strict=True):
            answers[k] = answer
    seen = [[answer] for answer in answers]
    for view in VIEWS[1:]:
        doubtful = [k for k, views in enumerate(seen) if _is_doubtful(views)]
        if not doubtful:
            break
        some = {reader: of[doubtful] for reader, of in patches.items()}
        for k, answer in zip(doubtful, _answers(some, view), strict=True):
            seen[k].append(answer)
    return [(one, _face(views)) for one, views in zip(better, seen, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """Of one die: log odds of no die and the faces, (7,), and of being hidden; how far it is off, (3,)."""

    shown: Floats
    hidden: float
    off: Floats


def _is_doubtful(views: Sequence[_Answer]) -> bool:
    told = chances(np.mean([view.shown for view in views], axis=0))
    return bool(told.max() < CLEAR and told[0] < NOTHING)


def _answers(patches: dict[str, Floats], view: View = VIEWS[0]) -> list[_Answer]:
    """The mean of what the readers say of each."""
    both = [said(reader, _turned(of, view)) for reader, of in patches.items()]
    shown, hidden, off = (
        np.mean([answer[name] for answer in both], axis=0) for name in ("shown", "hidden", "off")
    )
    return [_Answer(*one) for one in zip(shown, hidden, off, strict=True)]


def _turned(patches: Floats, view: View) -> Floats:
    """Patches with their leans as they are in a view."""
    out = viewed(patches, view)
    out[:, LEAN] = np.einsum("ij,njhw->nihw", axes(view), out[:, LEAN])
    return out


def _set_right(sighting: Sighting, answer: _Answer) -> Sighting:
    right, down = upright(sighting.turn).T @ np.clip(answer.off[:2], -0.4, 0.4) * sighting.edge
    return replace(
        sighting,
        x=sighting.x + float(right),
        y=sighting.y + float(down),
        edge=sighting.edge * float(np.exp(np.clip(answer.off[2], -0.5, 0.5))),
    )


def _face(views: Sequence[_Answer]) -> Face:
    none, *faces = (float(c) for c in chances(np.mean([view.shown for view in views], axis=0)))
    best = 1 + int(np.argmax(faces))
    hidden = chance(np.mean([[view.hidden] for view in views], axis=0))
    steady = min(float(chances(view.shown)[best]) for view in views)
    return Face(none, tuple(faces), float(hidden[0]), steady)


def _patches(
    picture: Image, sightings: Sequence[Sighting], pose: CameraPose | None
) -> dict[str, Floats]:
    """For each reader what it sees of each: (n, 6, p, p)."""
    return {
        reader: np.stack([_patch(picture, one, pose, sizes) for one in sightings])
        for reader, sizes in READERS.items()
    }


def _patch(
    picture: Image, sighting: Sighting, pose: CameraPose | None, sizes: tuple[int, int]
) -> Floats:
    """(6, p, p): the die upright in the middle of a patch, and its lean."""
    out = np.zeros((6, sizes[0], sizes[0]), np.float32)
    out[:3] = patch(picture, (sighting.x, sighting.y), sighting.edge, sighting.turn, sizes)
    if pose is not None:
        lean = upright(sighting.turn) @ pose.lean(sighting.x, sighting.y)
        out[3], out[4], out[5] = lean[0], lean[1], 1
    return out
