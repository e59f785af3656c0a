"""The images of corrected throws, as the health page needs them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MisreadStatus:
    """How many images are kept, and how many may be.

    Attributes:
        on: Whether new images are kept.
        pictures: How many images are kept.
        size_bytes: The storage space that the images take, in bytes.
        most: Largest number of images to keep.
        most_bytes: Largest space for images.
    """

    on: bool
    pictures: int
    size_bytes: int
    most: int
    most_bytes: int


class Misreads(Protocol):
    """Images of throws that were read wrongly, with the true values. Any thread may call its methods."""

    def status(self) -> MisreadStatus:
        """Return how many images are kept, and how many may be."""

    def set_enabled(self, *, on: bool) -> None:
        """Set whether new images are kept. The choice survives a restart.

        Raises:
            TableError: If the choice cannot be saved.
        """

    def zip_parts(self) -> Iterator[bytes]:
        """Yield a zip file with all images and their labels, in parts."""

    def delete_all(self) -> None:
        """Delete all images.

        Raises:
            TableError: If the images cannot be deleted.
        """
