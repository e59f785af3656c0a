"""How often one address may try something that bothers others."""

from collections.abc import Callable
from threading import Lock
from time import monotonic


class Attempts:
    """At most so many within a period, by address. Any thread may call.

    Args:
        most: of each address.
        of_all: of all addresses together: they cost nothing.
        period_s: an attempt counts for so long.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        most: int,
        of_all: int,
        period_s: float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._most, self._of_all = most, of_all
        self._period_s, self._clock = period_s, clock
        self._lock = Lock()
        self._made: list[tuple[str, float]] = []

    def __repr__(self) -> str:
        return f"<Attempts: {self._most} in {self._period_s:.0f} s>"

    def wait_s(self, address: str) -> float:
        """How long this address has to wait; 0 where it may try."""
        now_s = self._clock()
        with self._lock:
            self._made = [one for one in self._made if now_s - one[1] < self._period_s]
            all_s = [at_s for _, at_s in self._made]
            own_s = [at_s for found, at_s in self._made if found == address]
        full = [
            made_s[-most]
            for made_s, most in ((own_s, self._most), (all_s, self._of_all))
            if len(made_s) >= most
        ]
        return max(full) + self._period_s - now_s if full else 0.0

    def note(self, address: str) -> None:
        """It tried."""
        with self._lock:
            self._made.append((address, self._clock()))

    def forgive(self, address: str) -> None:
        """What this address tried was good."""
        with self._lock:
            self._made = [one for one in self._made if one[0] != address]
