"""Work done once for each version of the table, however many phones ask for it."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from web.table import Snapshot

T = TypeVar("T")


class OncePerVersion(Generic[T]):
    """Calls `make` for the first who asks for a newer snapshot; all others get the same result."""

    def __init__(self, make: Callable[[Snapshot], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._newest: tuple[int, T] | None = None

    def __call__(self, snapshot: Snapshot) -> T:
        """What was made of this snapshot, or of a newer one where that is known already."""
        with self._lock:
            if self._newest is None or self._newest[0] < snapshot.version:
                self._newest = snapshot.version, self._make(snapshot)
            return self._newest[1]
