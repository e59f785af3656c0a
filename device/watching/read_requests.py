"""Requests for a reading, of which at most one is outstanding."""

from dataclasses import dataclass
from threading import Lock

WAIT_S = 20.0
"""How long the tray may take to come to rest before a request times out."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request for a reading of the still tray.

    Attributes:
        number: Identifies the request; its report repeats it.
        needs_motion: Read only after something has moved. Such a request never times out.
        since_s: When the request was made, or the time after which something must have moved.
        wait_s: How long the tray may take to come to rest, in seconds.
        is_unprompted: Whether nobody asked for this reading.
    """

    number: int
    needs_motion: bool
    since_s: float
    wait_s: float
    is_unprompted: bool


class ReadRequests:
    """Holds the outstanding request; any thread may replace or cancel it.

    Attributes:
        current: The outstanding request; None if there is none.
    """

    def __init__(self) -> None:
        self.current: ReadRequest | None = None
        self._number = 0
        self._lock = Lock()

    def add(self, since_s: float, *, needs_motion: bool, is_unprompted: bool, wait_s: float) -> int:
        """Replace the outstanding request.

        Args:
            since_s: See `ReadRequest`.
            needs_motion: See `ReadRequest`.
            is_unprompted: See `ReadRequest`.
            wait_s: See `ReadRequest`.

        Returns:
            The number of the new request.
        """
        with self._lock:
            self._number += 1
            self.current = ReadRequest(self._number, needs_motion, since_s, wait_s, is_unprompted)
            return self._number

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
