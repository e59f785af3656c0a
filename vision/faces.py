"""The second look: each die by itself, at one size, as sharp as the picture has it."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder import Sighting
from vision.networks import Floats, chance, chances, run
from vision.pose import Pose

Image = NDArray[np.uint8]
SHRUNK = 0.7  # below this a picture is shrunk by areas first, or fine texture turns to noise
PATCH_PX, DIE_PX = 48, 26  # the network was taught dice of about this edge in patches of this size
TURNS = 4  # a die that is not clear at once is looked at from so many sides
CLEAR = 0.99  # from this chance on one side is enough


@dataclass(frozen=True, slots=True)
class Face:
    """Chances: of no die, of the faces 1..6, and of a die that may not be trusted and why."""

    none: float
    faces: tuple[float, ...]
    cocked: float
    hidden: float
    stacked: float
    steady: float  # the least chance of the likeliest face among the views


def look(
    picture: Image, sightings: list[Sighting], pose: Pose | None
) -> list[tuple[Sighting, Face]]:
    """A face for each sighting, and where it really is: each look after the first is set right."""
    better = [
        _set_right(sighting, answer)
        for sighting, answer in zip(sightings, _answers(picture, sightings, pose), strict=True)
    ]
    views = [[answer] for answer in _answers(picture, better, pose)]
    doubtful = [k for k, (answer,) in enumerate(views) if chances(answer[:7]).max() < CLEAR]
    for turn in range(1, TURNS):
        turned = [replace(better[k], turn=better[k].turn + turn * np.pi / 2) for k in doubtful]
        for k, answer in zip(doubtful, _answers(picture, turned, pose), strict=True):
            views[k].append(answer)
    return [(one, _face(np.stack(seen))) for one, seen in zip(better, views, strict=True)]


def _answers(picture: Image, sightings: list[Sighting], pose: Pose | None) -> Floats:
    if not sightings:
        return np.empty((0, 13), np.float32)
    return run("reader", np.stack([_patch(picture, s, s.turn, pose) for s in sightings]))


def _set_right(sighting: Sighting, answer: Floats) -> Sighting:
    dx, dy = (float(np.clip(v, -0.4, 0.4)) * sighting.edge for v in answer[10:12])
    c, s = np.cos(sighting.turn), np.sin(sighting.turn)
    return replace(
        sighting,
        x=sighting.x + c * dx - s * dy,
        y=sighting.y + s * dx + c * dy,
        edge=sighting.edge * float(np.exp(np.clip(answer[12], -0.5, 0.5))),
    )


def _face(views: Floats) -> Face:
    """From (views, 13) answers."""
    answer = views.mean(0)
    none, *faces = (float(c) for c in chances(answer[:7]))
    best = 1 + int(np.argmax(faces))
    cocked, hidden, stacked = (float(c) for c in chance(answer[7:10]))
    steady = min(float(chances(view[:7])[best]) for view in views)
    return Face(none, tuple(faces), cocked, hidden, stacked, steady)


def _patch(picture: Image, sighting: Sighting, spin: float, pose: Pose | None) -> Floats:
    """(6, PATCH_PX, PATCH_PX): the die upright in its middle, and its lean."""
    reach = sighting.edge * PATCH_PX / DIE_PX * 0.75
    height, width = picture.shape[:2]
    left, top = max(0, int(sighting.x - reach)), max(0, int(sighting.y - reach))
    right, bottom = (
        min(width, int(sighting.x + reach) + 2),
        min(height, int(sighting.y + reach) + 2),
    )
    near = picture[top : max(bottom, top + 1), left : max(right, left + 1)]
    scale = DIE_PX / sighting.edge
    shrink = 1.0
    if scale < SHRUNK and min(near.shape[:2]) * scale >= 1:
        near = cv2.resize(near, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
        shrink, scale = scale, 1.0
    c, s = np.cos(spin), np.sin(spin)
    linear = scale * np.array([[c, s], [-s, c]])
    middle = np.array([sighting.x - left, sighting.y - top]) * shrink
    matrix = np.column_stack([linear, PATCH_PX / 2 - linear @ middle])
    patch = cv2.warpAffine(near, matrix, (PATCH_PX, PATCH_PX), borderMode=cv2.BORDER_REPLICATE)
    out = np.zeros((6, PATCH_PX, PATCH_PX), np.float32)
    out[:3] = patch.transpose(2, 0, 1) / np.float32(255)
    if pose is not None:
        lean = linear @ pose.lean(sighting.x, sighting.y) / scale
        out[3], out[4], out[5] = lean[0], lean[1], 1
    return out
