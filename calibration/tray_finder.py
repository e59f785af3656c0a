"""Finds the floor of the tray in pictures by itself.

One small network says of each spot how likely it is floor: that gives a first guess of four sides.
A second looks along each side, laid out straight, and says where the floor ends; the guess is
moved there, again and again. How sharply it says so is how sure the proposal is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import Outline, width_px
from calibration.rectify import Image
from vision.networks import chance, run
from vision.reading import Quad

Floats = NDArray[np.float64]
Map = NDArray[np.float32]
Line = tuple[Floats, Floats]
"""A point of it and its direction."""

SEEN_PX = (192, 160)
"""What the first network was taught on: width and height, the picture in the middle."""

LEAST_FLOOR = 0.02
"""Of that view: less is no tray."""

ALONG, ACROSS = 32, 80
"""Looks along a side, and across it: the size of what the second network was taught on."""

REACH = 0.2
"""Of the tray's width: how far to both sides of a guess it looks."""

TAUGHT_PX = 260
"""The width of the tray in the pictures that it was taught on."""

ROUNDS = 5
ENDS = np.linspace(0.03, 0.97, ALONG)
OFFSETS = np.linspace(-REACH, REACH, ACROSS)
PEAK = 0.015
"""Of the tray's width: what lies so near to the likeliest place counts as the same place."""

NEAR = 0.012
"""Of the tray's width: how far a look may lie from a straight side and still speak for it."""

SIZES = (1.0, 0.87, 1.13)
"""Of the guess: where the search begins."""

AGREED = 0.03
"""Of the tray's width: ends that lie so near to each other are the same."""

LEAST, SURE = 0.15, 0.8
"""Confidence from which a guess is better than a frame in the middle; and from which it is found."""

LIKELY = 0.5
"""More likely floor than not."""


@dataclass(frozen=True, slots=True)
class FoundTray:
    """A proposal: `confidence` 0..1 that all four corners are right within 3 % of the tray's width."""

    tray: Outline
    confidence: float

    @property
    def sure(self) -> bool:
        return self.confidence >= SURE


NOTHING = FoundTray(Outline.centred(), 0.0)
"""A frame to be dragged."""


def find(images: Sequence[Image]) -> FoundTray:
    """The tray in one picture or several of the same view (h, w, 3) uint8 BGR.

    Where none is found for sure, an unsure one comes back, to be dragged: the best guess, or a
    frame in the middle of the picture.
    """
    if not images:
        raise ValueError("find a tray in one picture at least")
    height, width = images[0].shape[:2]
    likely = np.mean([floor(image) for image in images], axis=0).astype(np.float32)
    guess = _around(likely, (width, height))
    if guess is None:
        return NOTHING
    fitted, confidence = _fitted(np.median(np.stack(images), axis=0).astype(np.uint8), guess)
    if confidence < LEAST:
        return NOTHING
    within = np.clip(_in_order(fitted), 0, (width, height))  # where a finger can take hold of it
    corners = within if confidence < SURE else _in_order(fitted)
    try:
        return FoundTray(Outline.of(_as_quad(corners), width, height), confidence)
    except ValueError:
        return NOTHING


def floor(image: Image) -> Map:
    """How likely each spot is floor: (80, 96), the picture letterboxed in the middle."""
    scale, left, top = _letterbox(image.shape[1], image.shape[0])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    wide, high = SEEN_PX
    height, width = small.shape[:2]
    boxed = cv2.copyMakeBorder(
        small, top, high - height - top, left, wide - width - left, cv2.BORDER_REPLICATE
    )
    logits = run("tray", _shares(boxed.transpose(2, 0, 1)[None]), room="calibration")[0, 0]
    return chance(logits)


def _shares(levels: NDArray[Any]) -> Map:
    """Grey levels as shares of full brightness."""
    return np.asarray(levels, np.float32) / np.float32(255)


def _letterbox(width: int, height: int) -> tuple[float, int, int]:
    """Scale, and what is left and above the picture in the network's view."""
    scale = min(SEEN_PX[0] / width, SEEN_PX[1] / height)
    left = (SEEN_PX[0] - round(width * scale)) // 2
    top = (SEEN_PX[1] - round(height * scale)) // 2
    return scale, left, top


def _around(likely: Map, size: tuple[int, int]) -> Floats | None:
    """Four sides around the largest blob of floor: corners (4, 2) in pixels of the picture."""
    contours, _ = cv2.findContours(
        (likely > LIKELY).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    blob = max(contours, key=cv2.contourArea, default=None)
    if blob is None or cv2.contourArea(blob) < LEAST_FLOOR * likely.size:
        return None
    corners = cv2.boxPoints(cv2.minAreaRect(blob)).astype(np.float64)
    scale, left, top = _letterbox(*size)
    in_view = (corners + 0.5) * 2  # a spot is two by two pixels of the view
    return np.asarray((in_view - (left, top)) / scale)


def _fitted(image: Image, guess: Floats) -> tuple[Floats, float]:
    """The sides moved to where the floor ends, and how sure that is.

    It begins with a frame of the guess's size, a smaller and a larger one: from a wrong guess the
    rim of the walls may look like the floor's end. Where they lead to different ends, it is not sure.
    """
    scale = min(1.0, TAUGHT_PX / width_px(_as_quad(guess)))
    picture = np.asarray(
        cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
    )
    middle = guess.mean(axis=0)
    ends = [_settled(picture, (middle + (guess - middle) * size) * scale) for size in SIZES]
    best = max(ends, key=lambda end: end.clear)
    wide = width_px(_as_quad(best.corners))
    agree = [float(np.abs(end.corners - best.corners).max()) < AGREED * wide for end in ends]
    return best.corners / scale, best.clear * sum(agree) / len(agree)


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """Where the sides came to rest: corners (4, 2), and how clearly the least clear is seen."""

    corners: Floats
    clear: float


def _settled(picture: Image, corners: Floats) -> _End:
    moved, clear = 1.0, np.zeros(4)
    for _ in range(ROUNDS):
        before = corners
        corners, clear = _moved(picture, before)
        moved = float(np.abs(corners - before).max() / width_px(_as_quad(before)))
    return _End(corners, float(clear.min()) if moved < NEAR else 0.0)


def _moved(picture: Image, corners: Floats) -> tuple[Floats, Floats]:
    """One round: new corners, and of each side how clearly it is seen, 0..1."""
    laid = [laid_out(corners, side) for side in range(4)]
    strips = np.stack([sampled(picture, points) for points, _ in laid])
    logits = run("side", _shares(strips.transpose(0, 3, 1, 2)), room="calibration")[:, 0]
    lines, clear = [], []
    for (points, _), score in zip(laid, logits, strict=True):
        line, share = _end(points, score)
        lines.append(line)
        clear.append(share)
    met = [_met(lines[side - 1], lines[side]) for side in range(4)]
    known = [corner for corner in met if corner is not None]
    if len(known) < len(met):
        return corners, np.zeros(4)
    return np.array(known), np.array(clear)


def laid_out(corners: Floats, side: int) -> tuple[Floats, Floats]:
    """Points (ALONG, ACROSS, 2) around a side, from inside to outside, and the way outwards."""
    start, end = corners[side], corners[(side + 1) % 4]
    way = end - start
    out = np.array((way[1], -way[0])) / max(float(np.hypot(*way)), 1e-9)
    if float(out @ (corners.mean(axis=0) - start)) > 0:
        out = -out
    across = OFFSETS * width_px(_as_quad(corners))
    return start + ENDS[:, None, None] * way + across[None, :, None] * out, out


def sampled(picture: Image, points: Floats) -> Image:
    x, y = points[..., 0].astype(np.float32), points[..., 1].astype(np.float32)
    seen = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def _end(points: Floats, score: Map) -> tuple[Line, float]:
    """The line on which the floor ends, and how much speaks for it.

    `score` (ALONG, ACROSS) is the network's, larger where an end is likelier.
    """
    shares = np.exp(score - score.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    peak = OFFSETS[shares.argmax(axis=1)]
    near = shares * (np.abs(OFFSETS[None] - peak[:, None]) < PEAK)
    weight = near.sum(axis=1).astype(np.float64)
    place = (near * OFFSETS).sum(axis=1) / np.maximum(weight, 1e-9)
    slope, middle = _straight(place, weight)
    ends = slope * (ENDS - 0.5) + middle
    speaks = weight * (np.abs(place - ends) < NEAR)
    return _through(points, float(ends[0]), float(ends[-1])), float(speaks.mean())


def _straight(place: Floats, weight: Floats) -> tuple[float, float]:
    """Slope and middle of the line that most looks lie on: those away from it lose their say."""
    along, say = ENDS - 0.5, weight
    slope, middle = 0.0, float(np.median(place))
    for _ in range(8):
        away = np.abs(place - slope * along - middle)
        say = weight / (1 + (away / NEAR) ** 2)
        slope, middle = (float(v) for v in np.polyfit(along, place, 1, w=np.sqrt(say + 1e-6)))
    return slope, middle


def _through(points: Floats, first: float, last: float) -> Line:
    """The line through these offsets at both ends of a laid out side."""

    def at(row: int, offset: float) -> Floats:
        share = (offset + REACH) / (2 * REACH)
        return np.asarray(points[row, 0] + share * (points[row, -1] - points[row, 0]))

    start, end = at(0, first), at(-1, last)
    return start, (end - start) / max(float(np.hypot(*(end - start))), 1e-9)


def _met(a: Line, b: Line) -> Floats | None:
    """Where two lines meet; None where they hardly do."""
    (p, v), (q, w) = a, b
    det = v[0] * w[1] - v[1] * w[0]
    if abs(det) < 0.3:  # noqa: PLR2004 - less than 17 degrees apart
        return None
    d = q - p
    return np.asarray(p + v * (d[0] * w[1] - d[1] * w[0]) / det)


def _in_order(corners: Floats) -> Floats:
    """Clockwise in the picture, the one nearest to its top left first."""
    angle = np.arctan2(*(corners - corners.mean(axis=0)).T[::-1])
    ordered = corners[np.argsort(angle)]
    return np.roll(ordered, -int(ordered.sum(axis=1).argmin()), axis=0)


def _as_quad(corners: Floats) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return Quad((a, b, c, d))
