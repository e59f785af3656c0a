"""Faces as they looked in earlier throws at a table: a second opinion about the faces of a new throw.

A *look* is a small image of a face. Two looks are compared by shifting, rotating and stretching one onto the other
(Evangelidis and Psarakis, *Parametric Image Alignment Using Enhanced Correlation Coefficient
Maximization*, 2008). The result is their correlation: 1 for equal faces in equal light.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import cut_patch
from vision.images import Image
from vision.networks import Floats

LOOK_PX, FACE_PX = 48, 30
"""Side of a face image, and edge of the die in it, in pixels. Smaller images lose pips, larger ones take longer."""

COMPARED_SHARE = 0.9
"""Share of the die's edge that is compared. The rest may show a side of the die, the floor or another die."""

SMOOTHING_PX = 0.8
DARK_OFFSET, MIN_CONTRAST = 0.08, 0.02
"""Added to the brightness before the logarithm, and to the contrast before dividing by it."""

TRIED_TURNS, STEPS, SMALLEST_STEP = 2, 12, 1e-3
"""For aligning two face images: how many of the best quarter turns to begin with, and when to stop."""

MAX_STRETCH, SCALES, MAX_SHIFT_EDGES = 1.3, (0.8, 1.25), 0.25
"""Limits of an alignment: longer axis over shorter axis, scale, and shift. Beyond them, the similarity is a
coincidence."""

FACES = 6

MAX_LOOKS_PER_FACE = 6
"""Number of images to keep of each face."""

MIN_SAME_FACE = 0.85
"""A face that is at least this similar to an earlier one is not compared with any others."""

MIN_SAME_LOOK = 0.95
"""Two images that are at least this similar show the same face of the same die."""

MIN_UNALIGNED = 0.2
"""Two images that are less similar than this at every quarter turn are not aligned, because they show
different faces."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceLook:
    """An image of a face from an earlier throw.

    Attributes:
        value: The face.
        pixels: (LOOK_PX, LOOK_PX) smoothed logarithm of the brightness, upright and centred.
        is_confirmed: Whether a person has said which face it is. If False, nobody has corrected the reading.
    """

    value: int
    pixels: Floats
    is_confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Opinion:
    """The result of comparing a face with those of earlier throws.

    Attributes:
        value: The most similar earlier face.
        similarity: Correlation with the image of that face.
        lead: By how much the most similar image of any other face is less similar.
        knows_all: Whether there are images of all six faces. If not, the face may be one that has never been seen.
        is_confirmed: Whether a person has said which face the most similar image shows.
    """

    value: int
    similarity: float
    lead: float
    knows_all: bool
    is_confirmed: bool

    def reaches(self, similarity: float, lead: float) -> bool:
        """Check whether the opinion is clear enough.

        Args:
            similarity: Smallest similarity that suffices.
            lead: Smallest lead that suffices.
        """
        return self.similarity >= similarity and self.lead >= lead


def cut_look(picture: Image, at: tuple[float, float], edge: float, turn: float) -> Floats:
    """Cut the image of a face (LOOK_PX, LOOK_PX) out of a frame.

    Args:
        picture: (height, width, 3) BGR.
        at: Centre of the top face in frame pixels.
        edge: Edge of the die in frame pixels.
        turn: Rotation of the die's edges in radians.
    """
    patch = cut_patch(picture, at, edge, turn, (LOOK_PX, FACE_PX))
    brightness = np.log(patch.mean(axis=0) + DARK_OFFSET)
    return np.asarray(cv2.GaussianBlur(brightness, (0, 0), SMOOTHING_PX), np.float32)


def ask_looks(pixels: Floats, looks: Sequence[FaceLook]) -> Opinion | None:
    """Return the result of comparing a face with those of earlier throws, or None if there are none.

    Args:
        pixels: Look of the face, from `cut_look`.
        looks: Looks of earlier throws.
    """
    if not looks:
        return None
    ranked = sorted(
        ((similarity(pixels, look.pixels), look) for look in looks), key=lambda one: -one[0]
    )
    most, best = ranked[0]
    second = next((alike for alike, look in ranked if look.value != best.value), -1.0)
    knows_all = len({look.value for look in looks}) == FACES
    return Opinion(best.value, most, most - second, knows_all, best.is_confirmed)


def is_like_any(pixels: Floats, looks: Iterable[FaceLook]) -> bool:
    """Check whether a face is the same as the face in at least one of the given looks.

    Args:
        pixels: Look of the face, from `cut_look`.
        looks: Images to compare it with, up to the first one that shows the same face.
    """
    return any(similarity(pixels, look.pixels) >= MIN_SAME_FACE for look in looks)


def similarity(one: Floats, other: Floats) -> float:
    """Return the correlation of two face images after aligning them with each other.

    Args:
        one: Image of a face (LOOK_PX, LOOK_PX).
        other: The image that is aligned with the first one.
    """
    reference = _normalised(one)
    ranked = sorted(
        ((_correlation(reference, np.rot90(other, turn)), turn) for turn in range(4)),
        reverse=True,
    )
    best = ranked[0][0]
    for unaligned, turn in ranked[:TRIED_TURNS]:
        if unaligned > MIN_UNALIGNED:
            best = max(best, _aligned_correlation(reference, other, turn))
    return best


def add_look(looks: Sequence[FaceLook], new: FaceLook) -> tuple[FaceLook, ...]:
    """Return the face images with a new one added. If its face then has too many, the oldest unconfirmed one is dropped.

    A confirmed image also removes unconfirmed images that look the same but were read as another face: those
    readings were wrong. If all images of the face are confirmed, an unconfirmed one is not added, and a
    confirmed one replaces the oldest.

    Args:
        looks: The images so far, oldest first.
        new: The new image.
    """
    if new.is_confirmed:
        looks = [
            look
            for look in looks
            if look.value == new.value
            or look.is_confirmed
            or similarity(new.pixels, look.pixels) < MIN_SAME_LOOK
        ]
    of_face = [look for look in looks if look.value == new.value]
    if len(of_face) < MAX_LOOKS_PER_FACE:
        return (*looks, new)
    dropped = next((look for look in of_face if not look.is_confirmed), None)
    if dropped is None and not new.is_confirmed:
        return tuple(looks)
    dropped = dropped or of_face[0]
    return (*(look for look in looks if look is not dropped), new)


def _aligned_correlation(reference: Floats, other: Floats, turn: int) -> float:
    """Return the correlation after an alignment that begins with a quarter turn, or -1 if the alignment fails."""
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, STEPS, SMALLEST_STEP)
    try:
        correlation, warp = cv2.findTransformECC(
            reference, other, _QUARTER_TURNS[turn].copy(), cv2.MOTION_AFFINE, criteria, _COMPARED, 1
        )
    except cv2.error:  # it does not converge: the images have nothing in common
        return -1.0
    return float(correlation) if _is_plausible(np.asarray(warp)) else -1.0


def _is_plausible(warp: NDArray[np.floating]) -> bool:
    longer, shorter = np.linalg.svd(warp[:, :2])[1]
    smallest, largest = SCALES
    shift = warp[:, :2] @ _CENTRE + warp[:, 2] - _CENTRE
    return bool(
        longer < MAX_STRETCH * shorter
        and smallest < (longer + shorter) / 2 < largest
        and np.hypot(*shift) < MAX_SHIFT_EDGES * FACE_PX
    )


def _correlation(reference: Floats, other: NDArray[np.floating]) -> float:
    return float((reference * _normalised(other))[_COMPARED > 0].mean())


def _normalised(look: NDArray[np.floating]) -> Floats:
    inside = look[_COMPARED > 0]
    return np.asarray((look - inside.mean()) / (inside.std() + MIN_CONTRAST), np.float32)


def _compared_mask() -> NDArray[np.uint8]:
    margin = round((LOOK_PX - 1) / 2 - COMPARED_SHARE / 2 * FACE_PX)
    mask = np.zeros((LOOK_PX, LOOK_PX), np.uint8)
    mask[margin : LOOK_PX - margin, margin : LOOK_PX - margin] = 1
    return mask


def _quarter_turn(turn: int) -> Floats:
    """Return the matrix (2, 3) that rotates an image anticlockwise by `turn` quarter turns, like `np.rot90`."""
    angle = turn * np.pi / 2
    c, s = np.cos(angle), np.sin(angle)
    linear = np.array([[c, -s], [s, c]])
    return np.column_stack([linear, _CENTRE - linear @ _CENTRE]).astype(np.float32)


_CENTRE = np.full(2, (LOOK_PX - 1) / 2)
_COMPARED = _compared_mask()
_QUARTER_TURNS = tuple(_quarter_turn(turn) for turn in range(4))
