"""What is known of a table: what stays from throw to throw, and makes reading surer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.images import Image
from vision.reading import Lean, Reading

KEPT = 60
"""Of the dice seen last: ten throws of six tell the lens as well as a hundred."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownTable:
    """One tray under one camera that stay where they are.

    Attributes:
        empty: (height, width, 3) BGR, the tray without dice as this camera saw it last; None: not known.
        leans: how dice stood that lay flat, in pixels of pictures of this camera: from many pictures
            together the lens comes out surer than from the few dice of one.
    """

    empty: Image | None = None
    leans: tuple[Lean, ...] = ()

    def after(self, image: Image, reading: Reading) -> "KnownTable":
        """What is known once this was read for sure: how the tray looks empty, or how dice lie in it."""
        if not reading.sure or any(die.problem for die in reading.dice):
            return self
        if not reading.dice:
            return replace(self, empty=image)
        return replace(self, leans=(*self.leans, *reading.leans)[-KEPT:])

    @classmethod
    def of(cls, empty: Image | None, read: Sequence[Reading]) -> "KnownTable":
        """From a picture of the empty tray, and readings of dice thrown there, told to be whole or not."""
        leans = [lean for reading in read for lean in reading.leans]
        return cls(empty, tuple(leans[-KEPT:]))


NOTHING_KNOWN = KnownTable()
