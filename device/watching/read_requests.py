"""Requests for a reading, of which at most one is outstanding."""

from dataclasses import dataclass, replace
from itertools import count
from threading import Lock

WAIT_S = 20.0
"""How long the tray may take to come to rest before a request times out."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request for a reading of the still tray.

    Attributes:
        since_s: When the request was made, or the time after which something must have moved.
        needs_motion: Read only after something has moved. Such a request never times out.
        is_unprompted: Whether nobody asked for this reading.
        wait_s: How long the tray may take to come to rest, in seconds.
        number: Identifies the request; its report repeats it.
    """

    since_s: float
    needs_motion: bool = False
    is_unprompted: bool = False
    wait_s: float = WAIT_S
    number: int = 0


class ReadRequests:
    """The outstanding request, which any thread may replace or cancel.

    Attributes:
        current: The outstanding request; None if there is none.
    """

    def __init__(self) -> None:
        self.current: ReadRequest | None = None
        self._numbers = count(1)
        self._lock = Lock()

    def put(self, request: ReadRequest) -> int:
        """Replace the outstanding request, number the new one, and return its number."""
        with self._lock:
            self.current = replace(request, number=next(self._numbers))
            return self.current.number

    def cancel(self) -> None:
        """Drop the outstanding request."""
        with self._lock:
            self.current = None

    def close(self, request: ReadRequest) -> bool:
        """Remove an answered request; return False if it was replaced or cancelled meanwhile."""
        with self._lock:
            if self.current is not request:
                return False
            self.current = None
            return True
