"""The look that counts on pips: round spots that stand as on a die, on a body that ends around them."""

from dataclasses import dataclass

import numpy as np

from vision.agree import agreeing
from vision.evidence import Seen
from vision.frame import Frame, make_frame
from vision.picture import Image
from vision.questions import Doubt, doubts
from vision.reading import Quad
from vision.spots import find_spots

# Of the frame, however large the picture: a die a twelfth as wide as the picture is 75 px there,
# its pips 14, and the whole pyramid takes a third of the time of a 1536x864 picture as it is.
WORK_PX = 650_000


@dataclass(frozen=True, slots=True)
class Claim:
    """A die by its pips, in picture pixels; `value` is None where something lies but no face."""

    x: float
    y: float
    edge: float
    turn: float  # radians, of the edges
    value: int | None
    strength: float  # 0..1, sure by itself from evidence.SURE on


def claims(picture: Image, tray: Quad | None, aside: Quad | None) -> list[Claim]:
    """All dice that their pips speak for, those with a face first."""
    frame = make_frame(picture, *(() if tray is None else (tray, aside)), work_px=WORK_PX)
    spots = find_spots(frame)
    faces = agreeing(frame, spots)
    return [_face(frame, seen) for seen in faces] + [
        _question(frame, doubt) for doubt in doubts(frame, spots, faces)
    ]


def _face(frame: Frame, seen: Seen) -> Claim:
    along = seen.face.along
    turn = float(np.arctan2(along[1], along[0]))
    x, y = (float(v) for v in frame.to_picture(seen.face.centre[None])[0])
    return Claim(x, y, 2 * seen.half / frame.scale, turn, seen.face.value, seen.strength)


def _question(frame: Frame, doubt: Doubt) -> Claim:
    x, y = (float(v) for v in frame.to_picture(doubt.centre[None])[0])
    return Claim(x, y, 2 * doubt.half / frame.scale, 0.0, None, 0.0)
