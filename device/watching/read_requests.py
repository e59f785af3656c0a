"""Requests for a reading of the tray, of which at most one is outstanding."""

from dataclasses import dataclass, replace
from itertools import count
from threading import Lock

WAIT_S = 20.0
"""How long the tray may take to come to rest, in seconds, before a request times out."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request for a reading of the still tray.

    Attributes:
        since_s: When the request was made, or the time after which something must have moved, in
            seconds.
        needs_motion: Whether to read only after something has moved. Such a request never times out.
        is_unprompted: True if the program requests the reading by itself, without a person having
            asked for it.
        wait_s: How long the tray may take to come to rest, in seconds.
        number: Identifies the request; the report that answers it contains the same number.
    """

    since_s: float
    needs_motion: bool = False
    is_unprompted: bool = False
    wait_s: float = WAIT_S
    number: int = 0


class ReadRequests:
    """Keeps the outstanding request, which any thread may replace or cancel.

    Attributes:
        current: The outstanding request; None if there is none.
    """

    def __init__(self) -> None:
        self.current: ReadRequest | None = None
        self._numbers = count(1)
        self._lock = Lock()

    def put(self, request: ReadRequest) -> int:
        """Replace the outstanding request with a new one, and return the number assigned to the new one."""
        with self._lock:
            self.current = replace(request, number=next(self._numbers))
            return self.current.number

    def cancel(self) -> None:
        """Cancel the outstanding request, if there is one."""
        with self._lock:
            self.current = None

    def close(self, request: ReadRequest) -> bool:
        """Remove a request that has been answered; return False if it had already been replaced or cancelled."""
        with self._lock:
            if self.current is not request:
                return False
            self.current = None
            return True
