"""Server-sent events: the newest state of a page, or the steps of the table. Both are made once for all streams.

Each stream occupies a thread, so their number and duration are limited. docs/decisions/streams.md has measurements with
500 phones.
"""

import json
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, dropwhile, islice, takewhile
from math import inf
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Generic, Protocol, TypeVar

from flask import Response, g, request

from game.errors import JournalError
from game.journal.history import Feed, FeedLine
from game.match.match import Match
from game.message import Message
from game.stats.step_events import (
    SCHEMA_VERSION,
    DiceLogEvents,
    GapReason,
    StepEvent,
    StepGap,
    step_events,
)
from web.contracts import Snapshot
from web.response import HttpProblem

log = logging.getLogger(__name__)


T = TypeVar("T")

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

MAX_SEQ_DIGITS = 18
"""More digits than any number of a step in the journal has."""

CHECK_S = 1.0
"""How often a stream checks whether its phone has hung up, which frees the thread."""

MAX_EVENTS = 500
"""How many of the newest events are kept in memory, about those of ten minutes, and how many steps a program can get
from the journal after it has been away."""


class Versioned(Protocol):
    """A snapshot; a newer one has a higher version."""

    @property
    def version(self) -> int:
        """The version of the snapshot."""


S = TypeVar("S", bound=Versioned)


class VersionCache(Generic[S, T]):
    """The result of a function for the newest snapshot. Any thread may call its methods.

    Args:
        make: Called once for each newer snapshot, while other threads wait for its result.
    """

    def __init__(self, make: Callable[[S], T]) -> None:
        self._make = make
        self._lock = Lock()
        self._newest: tuple[int, T] | None = None

    def __call__(self, snapshot: S) -> T:
        """Return the result for this snapshot, or for a newer one that is already known."""
        with self._lock:
            if self._newest is None or self._newest[0] < snapshot.version:
                self._newest = snapshot.version, self._make(snapshot)
            return self._newest[1]


S_co = TypeVar("S_co", bound=Versioned, covariant=True)


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
        heartbeat_s: float = inf,
    ) -> Response:
        """Return a response that sends an event now and after every change.

        Args:
            source: The table or club night to follow.
            render: Returns the text of the event for a snapshot.
            heartbeat: Text that is sent after a period of silence.
            heartbeat_s: That period in seconds, if it is shorter than that of all streams.

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
        heartbeat_s = min(heartbeat_s, self._heartbeat_s)
        events = self._events(source, render, heartbeat, heartbeat_s, _disconnect_check())
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
        heartbeat_s: float,
        has_hung_up: Callable[[], bool],
    ) -> Iterator[str]:
        version = -1
        sent_s = started_s = time.monotonic()
        end_s = started_s + self._max_duration_s
        while not self._is_closing and not has_hung_up() and time.monotonic() < end_s:
            snapshot = source.wait(version, min(self._check_s, heartbeat_s))
            if snapshot:
                version = snapshot.version
                yield render(snapshot)
            elif time.monotonic() - sent_s >= heartbeat_s:
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


class StepStream:
    """The newest events of a table, made once for all streams. Any thread may call its methods.

    The stream does nothing until a program asks for events. Steps that are no longer in memory, for example those
    from before a restart, are read from the journal again.

    Args:
        journal: Path of the journal; None if there is none.
    """

    def __init__(self, journal: Path | None) -> None:
        self._path, self._feed = journal, Feed(journal) if journal else None
        self._lock = Lock()
        self._events: deque[tuple[str, str]] = deque(maxlen=MAX_EVENTS)
        self._n_events = 0
        self._version = -1
        self._match: Match | None = None
        self._journal: tuple[str, int] | None = None
        self._dice: DiceLogEvents | None = None
        self._name = f"dice-{token_hex(4)}"

    def follower(self, last_id: str = "") -> Callable[[Snapshot], str]:
        """Return a function, for one stream, that returns the events since its last call as text.

        Args:
            last_id: Id of the last event that the program has received; "" if it has none yet.
        """
        n_sent: int | None = None

        def new_events(snapshot: Snapshot) -> str:
            nonlocal n_sent
            with self._lock:
                self._update(snapshot)
                ids = [event_id for event_id, _ in self._events]
                is_first, is_known = n_sent is None, last_id in ids
                if n_sent is None:
                    known = ids.index(last_id) + 1 if is_known else len(ids)
                    n_sent = self._n_events - len(ids) + known
                n_new, n_sent = self._n_events - n_sent, self._n_events
                if n_new <= len(ids):
                    new = "".join(text for _, text in list(self._events)[len(ids) - n_new :])
                else:
                    new = _gap(GapReason.TOO_MANY, ids[-1])
                end = self._journal[1] if self._journal else 0
            return self._missed(last_id, end) + new if is_first and not is_known else new

        return new_events

    def _missed(self, last_id: str, end: int) -> str:
        """Return the events between an earlier event and a position in the journal, as text.

        Without an earlier event, only the id of the newest event is returned, with which the program can continue
        after its connection is lost.

        Args:
            last_id: Id of the last event that the program has received; "" if it has none yet.
            end: Position of the last step in the journal whose events the program gets here.
        """
        newest = ""
        try:
            if self._path:
                feed = Feed(self._path)  # other streams do not wait while the journal is read
                line = feed.at(end)
                newest = step_events(line)[-1]["id"] if line else ""
                if last_id and (found := _line_of(feed, last_id)):
                    if end - found.position > MAX_EVENTS:
                        return _gap(GapReason.TOO_MANY, newest)
                    lines = takewhile(lambda each: each.position <= end, feed.after(found.position))
                    later = dropwhile(lambda event: event["id"] != last_id, step_events(found))
                    events = chain(islice(later, 1, None), *map(step_events, lines))
                    return "".join(_event_text(event) for event in events)
        except JournalError as error:
            log.warning("the event stream misses a step: %s", error)
        return _gap(GapReason.UNKNOWN, newest) if last_id else f"id: {newest}\n\n" if newest else ""

    def _update(self, snapshot: Snapshot) -> None:
        if snapshot.version <= self._version:
            return
        is_new_step = self._journal is None or snapshot.match is not self._match
        if self._dice is None:
            self._dice = DiceLogEvents(self._name, snapshot.just_dice)
        for event in self._dice.update(snapshot.just_dice):
            self._add(event["id"], _event_text(event))
        try:
            if is_new_step and self._feed:
                self._read_journal(self._feed)
            self._version, self._match = snapshot.version, snapshot.match
        except JournalError as error:
            log.warning("the event stream waits for a step: %s", error)

    def _read_journal(self, feed: Feed) -> None:
        """Add the events of the steps since the last call. The first call adds none."""
        before, now = self._journal, feed.version
        if before is None:
            self._journal = now
        elif before[0] != now[0] or now[1] - before[1] > MAX_EVENTS:
            self._journal = now
            reason = GapReason.TOO_MANY if before[0] == now[0] else GapReason.JOURNAL
            line = feed.at(now[1])
            newest = step_events(line)[-1]["id"] if line else ""
            self._add(newest, _gap(reason, newest))
        else:
            for line in feed.after(before[1]):
                self._journal = (now[0], line.position)
                for event in step_events(line):
                    self._add(event["id"], _event_text(event))

    def _add(self, event_id: str, text: str) -> None:
        self._events.append((event_id, text))
        self._n_events += 1


def _event_text(event: StepEvent) -> str:
    return format_event("step", json.dumps(event, separators=(",", ":")), event["id"])


def _gap(reason: GapReason, newest_id: str) -> str:
    """Return the event that says that a program misses steps. A program continues with the id of the newest event."""
    gap: StepGap = {"version": SCHEMA_VERSION, "reason": reason}
    return format_event("gap", json.dumps(gap, separators=(",", ":")), newest_id)


def _line_of(feed: Feed, event_id: str) -> FeedLine | None:
    """Return the step to which an event belongs, if the journal contains it; otherwise None."""
    match, seq, digest, *_ = (*event_id.split("-"), "", "", "")
    is_number = seq.isascii() and seq.isdigit() and len(seq) <= MAX_SEQ_DIGITS
    return feed.find(match, int(seq), digest) if is_number else None
