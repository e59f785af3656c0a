"""What the health page needs of the pictures of throws that were put right."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class MisreadStatus:
    """What is kept now, and what may be."""

    on: bool
    pictures: int
    size_bytes: int
    most: int
    most_bytes: int


class Misreads(Protocol):
    """Pictures that were read wrong, with their true values. May be called from any thread."""

    def status(self) -> MisreadStatus: ...

    def set_enabled(self, *, on: bool) -> None:
        """Whether more are kept, over a restart, too. Raises `TableError` if that fails."""

    def zip_parts(self) -> Iterator[bytes]:
        """All of them with their labels as one zip, in parts."""

    def delete_all(self) -> None:
        """All of them. Raises `TableError` if that fails."""
