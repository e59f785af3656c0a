"""A limit on how often one address may try something that disturbs other people."""

from collections.abc import Callable
from threading import Lock
from time import monotonic


class RateLimit:
    """Counts the attempts by each address within a period. Any thread may call its methods.

    Args:
        max_per_address: How many attempts one address may make in a period.
        max_total: How many attempts all addresses together may make. One person can use many addresses.
        period_s: How long an attempt counts, in seconds.
        clock: Returns monotonic time in seconds.
    """

    def __init__(
        self,
        max_per_address: int,
        max_total: int,
        period_s: float,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._max_per_address, self._max_total = max_per_address, max_total
        self._period_s, self._clock = period_s, clock
        self._lock = Lock()
        self._attempts: list[tuple[str, float]] = []

    def __repr__(self) -> str:
        return f"<RateLimit: {self._max_per_address} in {self._period_s:.0f} s>"

    def wait_s(self, address: str) -> float:
        """Return how many seconds an address has to wait; 0 if it may try now."""
        now_s = self._clock()
        with self._lock:
            self._attempts = [one for one in self._attempts if now_s - one[1] < self._period_s]
            all_s = [at_s for _, at_s in self._attempts]
            own_s = [at_s for found, at_s in self._attempts if found == address]
        blocking_s = [
            times_s[-limit]
            for times_s, limit in ((own_s, self._max_per_address), (all_s, self._max_total))
            if len(times_s) >= limit
        ]
        return max(blocking_s) + self._period_s - now_s if blocking_s else 0.0

    def record(self, address: str) -> None:
        """Count an attempt from an address."""
        with self._lock:
            self._attempts.append((address, self._clock()))

    def forgive(self, address: str) -> None:
        """Forget the attempts from an address, because one of them has succeeded."""
        with self._lock:
            self._attempts = [one for one in self._attempts if one[0] != address]
