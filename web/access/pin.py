"""The PIN and the one-time link: two ways to become the scorekeeper without pressing the button.

The PIN is calculated from the table's secret and the time. So `traykeeper pin` on the same machine
can print it without asking the companion, and no PIN is ever stored. The scorekeeper's phone shows
a different PIN, which makes a phone the scorekeeper and nothing more.
"""

import hmac
from collections.abc import Callable
from hashlib import sha256
from secrets import compare_digest, token_urlsafe
from threading import Lock
from time import monotonic, time

from game.errors import TraykeeperError
from game.message import Message

PIN_DIGITS = 6

PERIOD_S = 300
"""A PIN is shown for this many seconds (five minutes) and accepted for five minutes more, because
people have to walk and type."""

MAX_TRIES = 10
"""How many wrong PINs one address may send in one period."""

MAX_TOTAL_TRIES = 100
"""How many wrong PINs all addresses together may send in one period.

Guessing then succeeds once in 2,500 periods.
"""

LINK_S = 3600.0
"""How long the link that `traykeeper play` prints is valid, in seconds. After that, the PIN still works."""

MACHINE, SCOREKEEPER = b"pin", b"holder"
"""Where a PIN is shown: by `traykeeper pin`, or on the scorekeeper's phone."""


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


def pin_at(time_s: float, secret: bytes, periods_ago: int = 0, *, shown_by: bytes = MACHINE) -> str:
    """Return the PIN that is shown at a given time.

    The PIN is the HMAC-SHA256 of the period's number, truncated to six decimal digits as in RFC 4226.

    Args:
        time_s: Time in seconds since 1970.
        secret: Secret of the table, 32 bytes.
        periods_ago: How many periods to go back from that time; 0 means its own period.
        shown_by: Where the PIN is shown: `MACHINE` for `traykeeper pin`, `SCOREKEEPER` for the
            scorekeeper's phone.
    """
    period = int(time_s // PERIOD_S) - periods_ago
    mac = hmac.digest(secret, b"%b %d" % (shown_by, period), sha256)
    return f"{int.from_bytes(mac[:8], 'big') % 10**PIN_DIGITS:0{PIN_DIGITS}}"


class TooManyTriesError(TraykeeperError):
    """There were too many wrong PINs, so no PIN is checked for a while.

    Attributes:
        wait_s: How long to wait, in seconds.
    """

    def __init__(self, wait_s: float) -> None:
        super().__init__(Message("too many wrong PINs: wait %(n)s s", n=round(wait_s)))
        self.wait_s = wait_s


class PinChecker:
    """Checks PINs and slows down guessing. Any thread may call its methods.

    Args:
        secret: Secret of the table, 32 bytes.
        wall: Returns the time in seconds since 1970.
        clock: Returns monotonic time in seconds.
    """

    def __init__(
        self,
        secret: bytes,
        *,
        wall: Callable[[], float] = time,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._secret, self._wall = secret, wall
        self._lock = Lock()
        self._wrong = RateLimit(MAX_TRIES, MAX_TOTAL_TRIES, PERIOD_S, clock)
        self._shown, self._shown_by = "", ""

    def shown_to_scorekeeper(self, phone: str) -> str:
        """Return the PIN for the scorekeeper's phone. No other phone may see it.

        Args:
            phone: Badge of that phone.
        """
        with self._lock:
            self._shown = pin_at(self._wall(), self._secret, shown_by=SCOREKEEPER)
            self._shown_by = phone
            return self._shown

    def use_agreement(self, pin: str, scorekeeper: str) -> bool:
        """Return whether the scorekeeper has shown this PIN to hand over the role. The answer is true only once.

        Args:
            pin: A PIN that `is_right` has accepted.
            scorekeeper: Badge of the scorekeeper's phone. A PIN that an earlier scorekeeper has shown is no agreement.
        """
        with self._lock:
            is_agreed = (
                bool(self._shown)
                and self._shown_by == scorekeeper
                and compare_digest(pin.encode(), self._shown.encode())
            )
            if is_agreed:
                self._shown = ""
            return is_agreed

    def is_right(self, pin: str, address: str = "", *, machine_only: bool = False) -> bool:
        """Return whether a PIN is valid now. The time this takes does not depend on the PIN.

        Args:
            pin: The PIN that a phone has sent.
            address: Network address of that phone; wrong PINs block it before they block other addresses.
            machine_only: Whether only the PIN from `traykeeper pin` counts.

        Raises:
            TooManyTriesError: If there were too many wrong PINs.
        """
        with self._lock:
            if wait_s := self._wrong.wait_s(address):
                raise TooManyTriesError(wait_s)
            now_s, sent = self._wall(), pin.encode(errors="replace")
            places = (MACHINE,) if machine_only else (MACHINE, SCOREKEEPER)
            matches = [
                compare_digest(sent, pin_at(now_s, self._secret, ago, shown_by=place).encode())
                for ago in (0, 1)
                for place in places
            ]
            if not any(matches):
                self._wrong.record(address)
            return any(matches)


class OneTimeLink:
    """The token of the link that `traykeeper play` prints. Any thread may call its methods.

    Args:
        clock: Returns monotonic time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._token = ""
        self._made_s = 0.0

    def new_token(self) -> str:
        """Return a new token; the previous one becomes invalid."""
        with self._lock:
            self._token, self._made_s = token_urlsafe(16), self._clock()
            return self._token

    def is_valid(self, token: str) -> bool:
        """Return whether this is the newest token, unused and less than an hour old."""
        with self._lock:
            is_fresh = bool(self._token) and self._clock() - self._made_s < LINK_S
            sent = token.encode(errors="replace")
            return compare_digest(sent, self._token.encode()) and is_fresh

    def use_up(self) -> None:
        """Make the token invalid after it has served its purpose."""
        with self._lock:
            self._token = ""
