"""Server-sent events: one thread each, so their number is capped and none lives for ever."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from threading import Lock
from typing import Protocol, TypeVar

from flask import Response, g, request

from game.message import Message
from web.problem import HttpProblem
from web.version_cache import Versioned

HEARTBEAT_S = 15.0
"""Below the half minute after which proxies and phones give up on a silent connection."""

LIFE_S = 600.0
"""A phone comes back at once; what was left behind by one that never said goodbye goes away."""

OF_ONE_ADDRESS = 112
"""Some stay for everybody else, however many one opens: twice the players there can be."""

OF_THE_HOLDER = 8
"""Beyond all others: however many watch, who holds the pencil sees what happens."""

RETRY_AFTER_S = 5
MIMETYPE = "text/event-stream"

CHECK_S = 1.0
"""How often a stream looks whether its phone is still there: the thread is free that soon."""


S_co = TypeVar("S_co", bound=Versioned, covariant=True)
S = TypeVar("S", bound=Versioned)


class Waited(Protocol[S_co]):
    """What a stream follows: a table, or a hall of them."""

    def wait(self, after: int, timeout_s: float) -> S_co | None: ...


class Streams:
    """The streams that are open: at most `limit` of those who watch, not all of them from one address.

    Attributes:
        limit: how many of those who watch.
        most: how many in all; each takes a thread.
    """

    def __init__(
        self,
        limit: int = 128,
        *,
        heartbeat_s: float = HEARTBEAT_S,
        life_s: float = LIFE_S,
        check_s: float = CHECK_S,
    ) -> None:
        self.limit, self.most = limit, limit + OF_THE_HOLDER
        self.heartbeat_s = heartbeat_s
        self.life_s = life_s
        self.check_s = check_s
        self._lock = Lock()
        self._open: Counter[str] = Counter()
        self._closing = False

    @property
    def number(self) -> int:
        """How many are open now."""
        return self._open.total()

    def close(self) -> None:
        """Ends every stream at its next look, and opens no more."""
        self._closing = True

    def open(
        self, table: Waited[S], event: Callable[[S], str], beat: str = ": still here\n\n"
    ) -> Response:
        """A response that sends `event(snapshot)` now and after every change.

        Raises:
            Problem: 503, there are too many streams.
        """
        if request.method == "HEAD":
            return Response(mimetype=MIMETYPE)
        address = str(request.remote_addr)
        if not self._enter(address):
            raise HttpProblem(
                503,
                Message(
                    "%(n)s streams are open, no more fit: ask for the state instead, and try the "
                    "stream again in %(s)s seconds",
                    n=self.number,
                    s=RETRY_AFTER_S,
                ),
                headers={"Retry-After": str(RETRY_AFTER_S)},
            )
        response = Response(self._events(table, event, beat, _gone()), mimetype=MIMETYPE)
        response.headers["Cache-Control"] = "no-store"
        response.call_on_close(partial(self._leave, address))
        return response

    def _enter(self, address: str) -> bool:
        """Whether there is room for one more."""
        with self._lock:
            if g.get("is_scorekeeper"):  # not in a club's hall: it has no pencil
                full = self.number >= self.most
            else:
                full = self.number >= self.limit or self._open[address] >= OF_ONE_ADDRESS
            if self._closing or full:
                return False
            self._open[address] += 1
            return True

    def _leave(self, address: str) -> None:
        with self._lock:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    def _events(
        self,
        table: Waited[S],
        event: Callable[[S], str],
        beat: str,
        gone: Callable[[], bool],
    ) -> Iterator[str]:
        version = -1
        sent_s = started_s = time.monotonic()
        while not self._closing and not gone() and time.monotonic() - started_s < self.life_s:
            snapshot = table.wait(version, min(self.check_s, self.heartbeat_s))
            if snapshot:
                version = snapshot.version
                yield event(snapshot)
            elif time.monotonic() - sent_s >= self.heartbeat_s:
                yield beat
            else:
                continue
            sent_s = time.monotonic()


def _gone() -> Callable[[], bool]:
    """Asks waitress whether the phone has hung up; without waitress it never has."""
    found: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
    return found


def format_event(name: str, data: str) -> str:
    """One event as the wire wants it."""
    lines = "".join(f"data: {line}\n" for line in data.splitlines())
    return f"event: {name}\n{lines}\n"
