"""Who may take all matches away, or put others in their place: whoever reads the machine's terminal.

A phone proves it by the PIN of `traykeeper pin`, or by the link that `play` prints. The pencil is not
enough: it is handed around the table, and the PIN that its holder is shown gives the pencil alone.
"""

from collections.abc import Callable
from threading import Lock
from time import monotonic

from flask import g

from game.message import Message
from web.problem import HttpProblem

OWNER_S = 3600.0
"""An evening's tidying up; the link that `play` prints is good for as long."""

MAX_OWNERS = 16

WHO = Message(
    "this needs the machine's own PIN: `traykeeper pin` prints it there; send it to /api/v1/pencil/owner"
)


class Owners:
    """The phones that proved it lately. Any thread may call."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._proved_s: dict[str, float] = {}

    def __repr__(self) -> str:
        return f"<Owners: {len(self._proved_s)}>"

    def prove(self, phone: str) -> None:
        """This phone knows what the terminal said."""
        with self._lock:
            self._proved_s.pop(phone, None)
            self._proved_s[phone] = self._clock()
            while len(self._proved_s) > MAX_OWNERS:
                del self._proved_s[next(iter(self._proved_s))]

    def has(self, phone: str) -> bool:
        """Whether it proved that within the hour."""
        at_s = self._proved_s.get(phone)
        return bool(phone) and at_s is not None and self._clock() - at_s < OWNER_S

    def require(self) -> None:
        """Raises HttpProblem: the phone of this request has not."""
        if not self.has(g.phone):
            raise HttpProblem(403, WHO)
