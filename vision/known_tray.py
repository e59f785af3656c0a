"""Knowledge from earlier frames about a tray that stays in place under one camera."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import radians

import numpy as np
from numpy.typing import NDArray

from vision.images import Box, Image, ImagePyramid
from vision.looks.face_looks import FaceLook, add_look, cut_look
from vision.networks import Floats
from vision.reading import Lean, Problem, Reading, Zone

Mask = NDArray[np.uint8]

MAX_LEANS = 60
"""Number of most recent leans to keep: ten throws of six dice determine the lens as well as a hundred."""


@dataclass(frozen=True, eq=False)
class KnownTray:
    """The knowledge about one tray under one camera, as long as neither moves.

    Attributes:
        empty: Latest empty-tray image (height, width, 3) BGR from this camera, or None if there is none.
        leans: How far the tops of flat dice were displaced from their feet in earlier frames. Many frames
            determine the lens and the size of the dice better than the few dice of one frame.
        looks: Images of faces from earlier frames, oldest first.
    """

    empty: Image | None = None
    leans: tuple[Lean, ...] = ()
    looks: tuple[FaceLook, ...] = ()

    @classmethod
    def of(cls, empty: Image | None, readings: Sequence[Reading]) -> "KnownTray":
        """Return what an empty-tray image and readings of earlier throws reveal about a tray.

        Args:
            empty: Empty-tray image, or None if there is none.
            readings: Readings of throws in this tray, whether certain or not.
        """
        leans = [lean for reading in readings for lean in reading.leans]
        return cls(empty, tuple(leans[-MAX_LEANS:]))

    def with_reading(self, image: Image, reading: Reading) -> "KnownTray":
        """Return what is known about the tray after another reading. An uncertain reading adds nothing.

        Args:
            image: Frame (height, width, 3) BGR that was read. If it shows no dice, it becomes the empty-tray image.
            reading: Reading of that frame. The leans of its dice are added to the known ones.
        """
        if not reading.is_sure or any(die.problem for die in reading.dice):
            return self
        if not reading.dice:
            return replace(self, empty=image)
        return replace(self, leans=(*self.leans, *reading.leans)[-MAX_LEANS:])

    def with_faces(
        self, image: Image, reading: Reading, faces: Sequence[int | None]
    ) -> "KnownTray":
        """Return what is known about the tray, with images of the faces of a throw added.

        A face counts as confirmed by a person if the reading had a different value for the die, or asked about it.

        Args:
            image: Frame (height, width, 3) BGR that was read.
            reading: Reading of that frame.
            faces: The true face of each die of the reading, or None where it is not known.
        """
        looks = self.looks
        for die, face in zip(reading.dice, faces, strict=True):
            lies_flat = die.problem in {None, Problem.UNREADABLE} and die.zone is not Zone.OUTSIDE
            if face is not None and lies_flat:
                pixels = cut_look(image, (die.x, die.y), die.size, radians(die.angle))
                is_confirmed = die.problem is not None or face != die.value
                looks = add_look(looks, FaceLook(face, pixels, is_confirmed))
        return replace(self, looks=looks)

    def with_region(self, image: Image, mask: Mask) -> "KnownTray":
        """Return what is known about the tray, with part of a frame copied into the empty-tray image.

        Args:
            image: Frame (height, width, 3) BGR. The rest of the empty-tray image is adapted to its light.
            mask: Mask (height, width) that is not 0 at pixels to copy.
        """
        if self.empty is None or self.empty.shape != image.shape:
            return self
        empty = np.rint(match_brightness(image, self.empty)).astype(np.uint8)
        empty[mask > 0] = image[mask > 0]
        return replace(self, empty=empty)

    def empty_crop(self, shape: tuple[int, ...], box: Box) -> ImagePyramid | None:
        """Return part of the empty-tray image, with its reduced copies cached until the knowledge changes.

        Args:
            shape: Shape of the frame that will be compared with it.
            box: The part to return, in frame pixels.

        Returns:
            The part, or None if there is no empty-tray image of this shape.
        """
        if self.empty is None or self.empty.shape != shape:
            return None
        if box not in self._crops:
            left, top, right, bottom = box
            self._crops[box] = ImagePyramid(self.empty[top:bottom, left:right])
        return self._crops[box]

    @cached_property
    def _crops(self) -> dict[Box, ImagePyramid]:
        return {}


UNKNOWN_TRAY = KnownTray()


def match_brightness(now: Image, empty: Image) -> Floats:
    """Return the empty-tray image adapted to the light of a frame, as (height, width, 3) from 0 to 255.

    Args:
        now: Frame (height, width, 3) in which most of the tray's floor is visible.
        empty: Empty-tray image of the same shape.
    """
    sparse = (slice(None, None, 4), slice(None, None, 4))
    ratio = (now[sparse] + np.float32(1)) / (empty[sparse] + np.float32(1))
    gain = np.median(ratio.reshape(-1, 3), axis=0).astype(np.float32)
    # Multiplying whole rows is several times as fast as multiplying pixels of three values.
    rows = empty.reshape(len(empty), -1) * np.tile(gain, empty.shape[1])
    matched: Floats = np.minimum(rows, 255, out=rows).reshape(empty.shape)
    return matched
