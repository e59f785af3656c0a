"""Server-sent events. Each stream occupies a thread, so their number and duration are limited.

docs/decisions/streams.md has measurements with 500 phones.
"""

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
"""Seconds of silence before a heartbeat is sent. Proxies and phones close a connection after half a
minute."""

MAX_DURATION_S = 600.0
"""Longest life of a stream in seconds, in case its phone has vanished silently. The page reopens
its stream at once."""

MAX_PER_ADDRESS = 112
"""Largest number of streams per address: too few to take every stream, and enough for a full room."""

RESERVED_FOR_SCOREKEEPER = 8
"""Streams beyond the limit for watchers, so that the scorekeeper sees every change, however many people watch."""

RETRY_AFTER_S = 5
MIMETYPE = "text/event-stream"

CHECK_S = 1.0
"""How often a stream checks whether its phone has hung up, which frees the thread."""


S_co = TypeVar("S_co", bound=Versioned, covariant=True)
S = TypeVar("S", bound=Versioned)


class SnapshotSource(Protocol[S_co]):
    """A table or a club night, whose changes a stream follows."""

    def wait(self, after: int, timeout_s: float) -> S_co | None:
        """Return the newest snapshot as soon as there is a newer one.

        Args:
            after: The version that the caller already has.
            timeout_s: How long to wait before returning None, in seconds.
        """


class Streams:
    """The streams that are open now, limited in total and per address.

    Args:
        limit: How many streams watchers may open.
        heartbeat_s: After this many seconds of silence a stream sends a comment.
        max_duration_s: A stream ends after this many seconds.
        check_s: How often a stream checks whether its phone has hung up, in seconds.

    Attributes:
        limit: How many streams watchers may open.
        max_open: How many streams may be open in total.
    """

    def __init__(
        self,
        limit: int = 128,
        *,
        heartbeat_s: float = HEARTBEAT_S,
        max_duration_s: float = MAX_DURATION_S,
        check_s: float = CHECK_S,
    ) -> None:
        self.limit, self.max_open = limit, limit + RESERVED_FOR_SCOREKEEPER
        self._heartbeat_s, self._max_duration_s = heartbeat_s, max_duration_s
        self._check_s = check_s
        self._lock = Lock()
        self._open: Counter[str] = Counter()
        self._is_closing = False

    @property
    def number(self) -> int:
        """How many streams are open."""
        return self._open.total()

    def close(self) -> None:
        """End every stream within `check_s` and refuse new ones."""
        self._is_closing = True

    def open(
        self,
        source: SnapshotSource[S],
        render: Callable[[S], str],
        heartbeat: str = ": still here\n\n",
    ) -> Response:
        """Return a response that sends an event now and after every change.

        Args:
            source: The table or club night to follow.
            render: Returns the text of the event for a snapshot.
            heartbeat: Text that is sent after a period of silence.

        Raises:
            HttpProblem: If too many streams are open (status 503).
        """
        if request.method == "HEAD":
            return Response(mimetype=MIMETYPE)
        address = str(request.remote_addr)
        if not self._enter(address):
            raise HttpProblem(
                503,
                Message(
                    "%(n)s streams are open, which is the limit: poll the state instead, and "
                    "try the stream again in %(s)s seconds",
                    n=self.number,
                    s=RETRY_AFTER_S,
                ),
                retry_after_s=RETRY_AFTER_S,
            )
        events = self._events(source, render, heartbeat, _disconnect_check())
        response = Response(events, mimetype=MIMETYPE)
        response.headers["Cache-Control"] = "no-store"
        response.call_on_close(partial(self._leave, address))
        return response

    def _enter(self, address: str) -> bool:
        """Count one more stream for an address if there is room for it; return whether there is."""
        with self._lock:
            if g.get("is_scorekeeper"):  # never set on the club board, which has no scorekeeper
                is_full = self.number >= self.max_open
            else:
                is_full = self.number >= self.limit or self._open[address] >= MAX_PER_ADDRESS
            if self._is_closing or is_full:
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
        source: SnapshotSource[S],
        render: Callable[[S], str],
        heartbeat: str,
        has_hung_up: Callable[[], bool],
    ) -> Iterator[str]:
        version = -1
        sent_s = started_s = time.monotonic()
        end_s = started_s + self._max_duration_s
        while not self._is_closing and not has_hung_up() and time.monotonic() < end_s:
            snapshot = source.wait(version, min(self._check_s, self._heartbeat_s))
            if snapshot:
                version = snapshot.version
                yield render(snapshot)
            elif time.monotonic() - sent_s >= self._heartbeat_s:
                yield heartbeat
            else:
                continue
            sent_s = time.monotonic()


def _disconnect_check() -> Callable[[], bool]:
    """Return waitress's check for whether the phone has hung up; other servers cannot tell."""
    check: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
    return check


def format_event(name: str, data: str, event_id: str = "") -> str:
    """Return one server-sent event as text.

    Args:
        name: Name of the event, which the page listens for.
        data: Content of the event; may have several lines.
        event_id: Id that a browser sends back when it connects again; "" if the event has none.
    """
    lines = "".join(f"data: {line}\n" for line in data.splitlines())
    id_line = f"id: {event_id}\n" if event_id else ""
    return f"event: {name}\n{id_line}{lines}\n"
