"""The owner of the machine: the person who can read its terminal and may save or restore all matches.

A phone proves this with the PIN from `traykeeper pin` or with the link that `traykeeper play` prints.
Being the scorekeeper is not enough, because that role is passed around the table. The PIN on the
scorekeeper's phone grants only that role.
"""

from collections.abc import Callable
from threading import Lock
from time import monotonic

from flask import g

from game.message import Message
from web.problem import HttpProblem

OWNER_S = 3600.0
"""How long a phone counts as the owner's, in seconds: enough to tidy up after an evening.

The link that `traykeeper play` prints is valid for just as long.
"""

MAX_OWNERS = 16

NO_OWNER = Message(
    "this needs the PIN of the machine at the tray: run `traykeeper pin` there and send the "
    "PIN to /api/v1/scorekeeper/owner"
)


class Owners:
    """The phones that have recently proved that they belong to the owner. Any thread may call its methods.

    Args:
        clock: Returns monotonic time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._proved_s: dict[str, float] = {}

    def __repr__(self) -> str:
        return f"<Owners: {len(self._proved_s)}>"

    def add(self, phone: str) -> None:
        """Count a phone as the owner's for the next hour."""
        with self._lock:
            self._proved_s.pop(phone, None)
            self._proved_s[phone] = self._clock()
            while len(self._proved_s) > MAX_OWNERS:
                del self._proved_s[next(iter(self._proved_s))]

    def has(self, phone: str) -> bool:
        """Return whether a phone counts as the owner's."""
        at_s = self._proved_s.get(phone)
        return bool(phone) and at_s is not None and self._clock() - at_s < OWNER_S

    def require(self) -> None:
        """Refuse the current request unless the owner's phone has sent it.

        Raises:
            HttpProblem: If another phone has sent it.
        """
        if not self.has(g.phone):
            raise HttpProblem(403, NO_OWNER)
