"""The second look: each die by itself, by two networks that were taught apart from each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.crops import VIEWS, View, axes, patch, upright, viewed
from vision.finder import Sighting
from vision.images import Image
from vision.networks import Floats, chance, chances, run
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
    off = [k for k, answer in enumerate(answers) if np.abs(answer[10:13]).max() > OFF]
    if off:
        again = _patches(picture, [better[k] for k in off], pose)
        for reader, of in again.items():
            patches[reader][off] = of
        answers[off] = _answers(again)
    seen = [[answer] for answer in answers]
    for view in VIEWS[1:]:
        doubtful = [k for k, views in enumerate(seen) if _is_doubtful(np.mean(views, axis=0))]
        if not doubtful:
            break
        some = {reader: of[doubtful] for reader, of in patches.items()}
        for k, answer in zip(doubtful, _answers(some, view), strict=True):
            seen[k].append(answer)
    return [(one, _face(np.stack(views))) for one, views in zip(better, seen, strict=True)]


def _is_doubtful(answer: Floats) -> bool:
    told = chances(answer[:7])
    return bool(told.max() < CLEAR and told[0] < NOTHING)


def _answers(patches: dict[str, Floats], view: View = VIEWS[0]) -> Floats:
    """(n, 13): the mean of what the readers say."""
    said = [run(reader, _turned(of, view)) for reader, of in patches.items()]
    return np.asarray(np.mean(said, axis=0), np.float32)


def _turned(patches: Floats, view: View) -> Floats:
    """Patches with their leans as they are in a view."""
    out = viewed(patches, view)
    out[:, LEAN] = np.einsum("ij,njhw->nihw", axes(view), out[:, LEAN])
    return out


def _set_right(sighting: Sighting, answer: Floats) -> Sighting:
    right, down = upright(sighting.turn).T @ np.clip(answer[10:12], -0.4, 0.4) * sighting.edge
    return replace(
        sighting,
        x=sighting.x + float(right),
        y=sighting.y + float(down),
        edge=sighting.edge * float(np.exp(np.clip(answer[12], -0.5, 0.5))),
    )


def _face(views: Floats) -> Face:
    """From (views, 13) answers."""
    answer = views.mean(0)
    none, *faces = (float(c) for c in chances(answer[:7]))
    best = 1 + int(np.argmax(faces))
    hidden = float(chance(answer[8]))
    steady = min(float(chances(view[:7])[best]) for view in views)
    return Face(none, tuple(faces), hidden, steady)


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
