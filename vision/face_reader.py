"""The second look: each die by itself, by three networks that were taught apart from each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.crops import LEAN, VIEWS, Sizes, View, axes, die_input, upright, viewed
from vision.finder import Sighting
from vision.images import Image
from vision.networks import Floats, chance, chances, said
from vision.pose import CameraPose

READERS: dict[str, tuple[Sizes, int]] = {
    "reader64": ((64, 35), 6),
    "reader48": ((48, 26), 6),
    "near": ((64, 35), 7),
}
"""What patches a network was taught, and how many planes of them."""
TELL_NONE = ("reader64", "reader48")
"""The third was taught dice for the most part: it says which face, these whether it is a die at all."""
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
        for sizes, of in again.items():
            patches[sizes][off] = of
        for k, answer in zip(off, _answers(again), strict=True):
            answers[k] = answer
    seen = [[answer] for answer in answers]
    for view in VIEWS[1:]:
        doubtful = [k for k, views in enumerate(seen) if _is_doubtful(views)]
        if not doubtful:
            break
        some = {sizes: of[doubtful] for sizes, of in patches.items()}
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


def _answers(patches: dict[Sizes, Floats], view: View = VIEWS[0]) -> list[_Answer]:
    """The mean of what the readers say of each."""
    turned = {sizes: _turned(of, view) for sizes, of in patches.items()}
    told = {
        reader: said(reader, np.ascontiguousarray(turned[sizes][:, :planes]))
        for reader, (sizes, planes) in READERS.items()
    }
    shown, hidden, off = (
        np.mean([answer[name] for answer in told.values()], axis=0)
        for name in ("shown", "hidden", "off")
    )
    telling = [answer["shown"] for name, answer in told.items() if name in TELL_NONE]
    shown[:, 0] = _none(np.mean(telling, axis=0)) + _sum(shown[:, 1:])
    return [_Answer(*one) for one in zip(shown, hidden, off, strict=True)]


def _none(shown: Floats) -> Floats:
    """(n,) log odds of being no die."""
    return shown[:, 0] - _sum(shown[:, 1:])


def _sum(logits: Floats) -> Floats:
    """(n,) the logarithm of all of them together."""
    top = logits.max(axis=1)
    return np.asarray(top + np.log(np.exp(logits - top[:, None]).sum(axis=1)), np.float32)


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
) -> dict[Sizes, Floats]:
    """What the readers see of each: (n, PLANES, p, p)."""
    return {
        sizes: np.stack(
            [die_input(picture, (s.x, s.y), s.edge, s.turn, pose, sizes) for s in sightings]
        )
        for sizes in dict(READERS.values())
    }
