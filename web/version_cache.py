"""Work that is done once for each version of the table, however many phones ask for its result."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, Protocol, TypeVar


class Versioned(Protocol):
    """A snapshot; a newer one has a higher version."""

    @property
    def version(self) -> int:
        """The version of the snapshot."""


S = TypeVar("S", bound=Versioned)
T = TypeVar("T")


class VersionCache(Generic[S, T]):
    """The result of a function for the newest snapshot. Any thread may call its methods.

    Args:
        make: Called once for each newer snapshot, while other threads wait for its result.
    """

    def __init__(self, make: Callable[[S], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._newest: tuple[int, T] | None = None

    def __call__(self, snapshot: S) -> T:
        """Return the result for this snapshot, or for a newer one that is already known."""
        with self._lock:
            if self._newest is None or self._newest[0] < snapshot.version:
                self._newest = snapshot.version, self._make(snapshot)
            return self._newest[1]
