"""The PIN and the one-time link: how a screen that cannot reach the tray gets the pencil.

The PIN comes from the table's secret and the time, so `traykeeper pin` on the same machine can say
it without asking the companion, and nothing has to be written down anywhere. The one that the
holder's phone shows is another: it gives the pencil, and nothing more.
"""

import hmac
from collections.abc import Callable
from hashlib import sha256
from secrets import compare_digest, token_urlsafe
from threading import Lock
from time import monotonic, time

from game.errors import TraykeeperError
from game.message import Message
from web.access.attempts import Attempts

PIN_DIGITS = 6
PERIOD_S = 300
"""A PIN is shown for five minutes, and taken for as long again: one has to walk and type."""

TRIES = 10
"""In one period from one address."""

ALL_TRIES = 100
"""From all together, for addresses cost nothing: they hit one of four PINs once in 2,500 periods."""

LINK_S = 3600.0
"""The link that `play` prints; after that there is the PIN."""


MACHINE, HOLDER = b"pin", b"holder"
"""Whose PIN it is: that of the terminal, or that on the holder's phone."""


def pin(secret: bytes, now_s: float, periods_ago: int = 0, *, whose: bytes = MACHINE) -> str:
    """The PIN at this time, seconds since 1970."""
    period = int(now_s // PERIOD_S) - periods_ago
    mac = hmac.digest(secret, b"%b %d" % (whose, period), sha256)
    return f"{int.from_bytes(mac[:8], 'big') % 10**PIN_DIGITS:0{PIN_DIGITS}}"


class TooManyTriesError(TraykeeperError):
    """Wrong PINs came too often; `wait_s` is how long none is looked at."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(Message("too many wrong PINs: wait %(n)s s", n=round(wait_s)))
        self.wait_s = wait_s


class Pin:
    """Knows right PINs from wrong ones, and slows down who guesses.

    Args:
        secret: of this table; 32 bytes.
        wall: seconds since 1970.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        secret: bytes,
        *,
        wall: Callable[[], float] = time,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._secret, self._wall, self._clock = secret, wall, clock
        self._lock = Lock()
        self._wrong = Attempts(TRIES, ALL_TRIES, PERIOD_S, clock)
        self._link = ""
        self._made_s = 0.0

    def now(self) -> str:
        """The PIN to show: never to a browser that does not hold the pencil."""
        return pin(self._secret, self._wall(), whose=HOLDER)

    def is_right(self, told: str, address: str = "", *, machines: bool = False) -> bool:
        """Whether this is the PIN now or the one before; takes as long whatever was told.

        Args:
            told: by a phone.
            address: of that phone: who guesses makes nobody else wait.
            machines: only that of the terminal will do.

        Raises:
            TooManyTriesError: there were too many wrong ones.
        """
        with self._lock:
            if wait_s := self._wrong.wait_s(address):
                raise TooManyTriesError(wait_s)
            now_s, sent = self._wall(), told.encode(errors="replace")
            whose = (MACHINE,) if machines else (MACHINE, HOLDER)
            right = [
                compare_digest(sent, pin(self._secret, now_s, ago, whose=one).encode())
                for ago in (0, 1)
                for one in whose
            ]
            if not any(right):
                self._wrong.note(address)
            return any(right)

    def new_link(self) -> str:
        """A token that gives the pencil once; any earlier one is void."""
        with self._lock:
            self._link, self._made_s = token_urlsafe(16), self._clock()
            return self._link

    def is_link(self, token: str) -> bool:
        """Whether this is the token of the last link, and still good."""
        with self._lock:
            fresh = bool(self._link) and self._clock() - self._made_s < LINK_S
            return compare_digest(token.encode(errors="replace"), self._link.encode()) and fresh

    def use_up(self) -> None:
        """The link has done its work."""
        with self._lock:
            self._link = ""
