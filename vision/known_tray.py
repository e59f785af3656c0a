"""What earlier pictures found out about a tray that stays in place under one camera."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.images import Image
from vision.reading import Lean, Reading

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]

MAX_LEANS = 60
"""Of the dice seen last: ten throws of six tell the lens as well as a hundred."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownTray:
    """One tray under one camera that stay where they are.

    Attributes:
        empty: (height, width, 3) BGR, the tray without dice as this camera saw it last; None: not known.
        leans: how dice stood that lay flat: from many pictures together the lens comes out surer
            than from the few dice of one, and how large dice are here.
    """

    empty: Image | None = None
    leans: tuple[Lean, ...] = ()

    def with_reading(self, image: Image, reading: Reading) -> "KnownTray":
        """What is known once this was read for sure: how the tray looks empty, or how dice lie in it."""
        if not reading.is_sure or any(die.problem for die in reading.dice):
            return self
        if not reading.dice:
            return replace(self, empty=image)
        return replace(self, leans=(*self.leans, *reading.leans)[-MAX_LEANS:])

    def with_region(self, image: Image, place: Mask) -> "KnownTray":
        """What this picture shows at the place (height, width) belongs to the empty tray from now on."""
        if self.empty is None or self.empty.shape != image.shape:
            return self
        empty = np.rint(match_brightness(image, self.empty)).astype(np.uint8)
        empty[place > 0] = image[place > 0]
        return replace(self, empty=empty)

    @classmethod
    def of(cls, empty: Image | None, read: Sequence[Reading]) -> "KnownTray":
        """From a picture of the empty tray, and readings of dice thrown there, told to be whole or not."""
        leans = [lean for reading in read for lean in reading.leans]
        return cls(empty, tuple(leans[-MAX_LEANS:]))


UNKNOWN_TRAY = KnownTray()


def match_brightness(now: Image, empty: Image) -> Floats:
    """(h, w, 3) of 0..255: the empty tray in the light of now; most of a tray shows its ground."""
    few = (slice(None, None, 4), slice(None, None, 4))
    ratio = (now[few] + np.float32(1)) / (empty[few] + np.float32(1))
    gain = np.median(ratio.reshape(-1, 3), axis=0).astype(np.float32)
    return np.asarray(np.minimum(empty * gain, 255), np.float32)
