"""Work done once for each version of the table, however many phones ask for it."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, Protocol, TypeVar


class Versioned(Protocol):
    """Something drawn of the table; a newer one has a higher version."""

    @property
    def version(self) -> int: ...


S = TypeVar("S", bound=Versioned)
T = TypeVar("T")


class VersionCache(Generic[S, T]):
    """Calls `make` for the first who asks for a newer snapshot; all others get the same result."""

    def __init__(self, make: Callable[[S], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._newest: tuple[int, T] | None = None

    def __call__(self, snapshot: S) -> T:
        """What was made of this snapshot, or of a newer one where that is known already."""
        with self._lock:
            if self._newest is None or self._newest[0] < snapshot.version:
                self._newest = snapshot.version, self._make(snapshot)
            return self._newest[1]
