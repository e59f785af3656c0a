"""The inbox of the club board, which checks and processes messages from trays and requests missing entries.

Every message is checked, because any client of the broker can write to the trays' topics.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Condition, Lock
from time import monotonic, time
from typing import Any

from game.errors import JournalError, reason
from game.journal.entry import EntryFit, WireEntry, is_match_id
from game.message import Message
from game.stats.summary import MatchSummary
from game.typed_json import typed
from web.club.match_history import MatchHistory

MAX_TRAYS = 1_000
"""Largest number of trays that are shown. A broker that reports more is flooded with made-up names."""

MIN_REDRAW_S = 0.2
"""Shortest time between two updates of a screen, in seconds. People cannot follow faster ones."""


@dataclass(frozen=True, slots=True)
class TrayStatus:
    """A tray as the screen shows it.

    Attributes:
        name: Name of the tray.
        online: Whether the tray is connected to the broker.
        match: The last match that began there; None before the first.
        seq: Number of the match's last entry in the club's history; -1 if only the tray knows the match.
        summary: Summary of the match, from the club's history if it has the match.
        situation: A value of `game.situation.Situation`.
        message: The tray's message, in English.
        page: Address of the tray's page, or "".
    """

    name: str
    online: bool = False
    match: str | None = None
    seq: int = -1
    summary: MatchSummary | None = None
    situation: str = ""
    message: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class TraysSnapshot:
    """The state of all trays at one moment.

    Attributes:
        version: A number that increases with every change.
        trays: The trays in the order of their names.
        broker_lost_s: When the connection to the broker was lost, in seconds since 1970; None while there is one.
    """

    version: int
    trays: tuple[TrayStatus, ...]
    broker_lost_s: float | None = None


class Trays:
    """The state of every tray. Safe to use from any thread; screens can wait for a change."""

    def __init__(self) -> None:
        self._trays: dict[str, TrayStatus] = {}
        self._changed = Condition()
        self._version = 1
        self._broker_lost_s: float | None = time()
        self._snapshot = TraysSnapshot(1, (), self._broker_lost_s)
        self._snapshot_s = 0.0

    def snapshot(self) -> TraysSnapshot:
        """Return all trays as they are now."""
        with self._changed:
            if self._snapshot.version != self._version:
                trays = sorted(self._trays.values(), key=lambda tray: tray.name)
                self._snapshot = TraysSnapshot(self._version, tuple(trays), self._broker_lost_s)
                self._snapshot_s = monotonic()
            return self._snapshot

    def wait(self, after: int, timeout_s: float) -> TraysSnapshot | None:
        """Wait for a newer snapshot and return it, or None after the timeout.

        Args:
            after: Version of the snapshot that the caller has.
            timeout_s: Longest wait in seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._version > after, timeout_s):
                return None
            pause_s = self._snapshot_s + MIN_REDRAW_S - monotonic()
            if pause_s > 0:
                self._changed.wait_for(lambda: False, pause_s)
        return self.snapshot()

    def refresh(self) -> None:
        """Publish a new version of the snapshot, so that every screen is updated."""
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def get(self, name: str) -> TrayStatus:
        """Return the status of a tray. A tray with an unknown name counts as offline."""
        return self._trays.get(name) or TrayStatus(name)

    def has_room_for(self, name: str) -> bool:
        """Return whether the tray is known or can still be added."""
        return name in self._trays or len(self._trays) < MAX_TRAYS

    def put(self, tray: TrayStatus) -> None:
        """Replace or add a tray."""
        with self._changed:
            self._trays[tray.name] = tray
            self.refresh()

    def remove(self, name: str) -> None:
        """Remove a tray that no longer exists."""
        with self._changed:
            self._trays.pop(name, None)
            self.refresh()

    def set_broker(self, *, is_connected: bool) -> None:
        """Note that the connection to the broker was made or lost. Every tray counts as offline until it reports."""
        with self._changed:
            if is_connected:
                self._broker_lost_s = None
            elif self._broker_lost_s is None:
                self._broker_lost_s = time()
            self.refresh()
        for tray in list(self._trays.values()):
            self.put(replace(tray, online=False))


log = logging.getLogger(__name__)

MAX_BYTES = 256 * 1024
"""Largest message, in bytes. An answer with a hundred entries is about 20,000 bytes long."""

MAX_SEATS = 20
MAX_CHARACTERS = 300
MAX_POINTS = 10_000_000

ALL_MATCHES = ""
"""Subject of a request for the list of a tray's matches; other requests are about one match."""

RETRY_S = 5.0
"""Time before a request is repeated, in seconds: the tray or the broker may have been offline."""

MAX_OPEN_REQUESTS = 10_000
"""If more requests than this are open, all are forgotten. Requests that are still needed are made
again when trays send messages."""


def parse_json(payload: bytes) -> Any:
    """Parse the JSON text of a message.

    Raises:
        JournalError: If the message is too large or not JSON.
    """
    if len(payload) > MAX_BYTES:
        raise JournalError(
            Message(
                "a message has %(n)s bytes, but at most %(most)s are allowed",
                n=len(payload),
                most=MAX_BYTES,
            )
        )
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        raise JournalError(Message("a message is not JSON")) from None


@dataclass(frozen=True, slots=True)
class TrayState:
    """The last state that a tray published.

    Attributes:
        match: The match at the tray; None before the first.
        seq: Number of the last entry of that match.
        chain: Digest of the entries of that match.
        situation: A value of `game.situation.Situation`.
        message: The tray's message, in English.
        question: The open question, if any.
        page: Address of the tray's page, or "".
        summary: Summary of the match; None before the first.
    """

    match: str | None
    seq: int
    chain: str
    situation: str
    message: str
    question: str | None
    page: str
    summary: MatchSummary | None

    @classmethod
    def parse(cls, payload: bytes) -> "TrayState":
        """Parse the state that a tray published.

        Raises:
            JournalError: If the message is not the state of a tray.
        """
        data = parse_json(payload)
        try:
            return _tray_state(_bounded(data))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise JournalError(
                Message("not the state of a tray (%(why)s)", why=repr(error))
            ) from None


def _tray_state(data: dict[str, Any]) -> TrayState:
    summary = _summary(data) if data["players"] else None
    state = typed(TrayState, data | {"summary": None})
    if state.match is not None and not is_match_id(state.match):
        raise ValueError("no match is called so")
    is_address = state.page.startswith(("http://", "https://"))  # other links can run a script
    return replace(state, page=state.page if is_address else "", summary=summary)


def _bounded(value: Any) -> Any:
    """Return JSON with long texts and lists cut off.

    Raises:
        TypeError: If a number is too large.
    """
    if isinstance(value, str):
        return value[:MAX_CHARACTERS]
    if isinstance(value, list):
        return [_bounded(each) for each in value[:MAX_SEATS]]
    if isinstance(value, dict):
        return {key: _bounded(each) for key, each in value.items()}
    if isinstance(value, int) and abs(value) > MAX_POINTS:
        raise TypeError("a smaller number expected")
    return value


def _summary(data: dict[str, Any]) -> MatchSummary:
    found = typed(MatchSummary, {"series": None, "target_ends_rounds": False} | data)
    found["target"], found["rounds"] = max(1, found["target"]), max(0, found["rounds"])
    seats, series, throw = range(len(found["players"])), found["series"], found["throw"]
    parts = (found["turn"], throw)
    named = [found["winner"], *(part["seat"] for part in parts if part)]
    if any(seat is not None and seat not in seats for seat in named):
        raise ValueError("no such seat")
    if throw and not {*throw["dice"], *(throw["kept"] or ())} <= set(range(1, 7)):
        raise ValueError("dice have faces 1 to 6")
    if series and (len(series["wins"]) != len(seats) or series["winner"] not in {None, *seats}):
        raise ValueError("wins of every player expected")
    return found


Request = dict[str, Any]

SendRequest = Callable[[str, Request], object]
"""Sends a request to a tray."""


OnCallAnswer = Callable[[str, str, bool], object]
"""Called with the name of a tray, the id of a call, and whether the tray accepts the match."""


class TrayInbox:
    """Adds entries from trays to the history, and asks the trays for entries that are missing.

    All methods but `retry_requests` run on the thread of the broker's client.

    Args:
        trays: The published state of the trays.
        history: The matches of the club.
        send: Sends a request to a tray.
        on_call_answer: Called with a tray's answer to a call.
    """

    def __init__(
        self,
        trays: Trays,
        history: MatchHistory,
        send: SendRequest,
        on_call_answer: OnCallAnswer = lambda *_: None,
    ) -> None:
        self._trays, self._history, self._on_call_answer = trays, history, on_call_answer
        self._requests = TrayRequests(send)
        self._warned: set[str] = set()
        self._caught_up: set[str] = set()

    def retry_requests(self) -> None:
        """Repeat unanswered requests to trays that are online; call it every second or so."""
        self._requests.retry(lambda name: self._trays.get(name).online)

    def on_connected(self) -> None:
        """Forget which trays are online and what was requested from them, because messages may have been lost.

        Called when the broker has accepted the connection.
        """
        self._requests.forget()
        self._warned.clear()
        self._caught_up.clear()
        self._trays.set_broker(is_connected=True)

    def on_lost(self) -> None:
        """Show that the trays cannot be reached, because the connection to the broker was lost."""
        self._trays.set_broker(is_connected=False)

    def on_message(self, name: str, kind: str, payload: bytes) -> None:
        """Process a message from a tray; an invalid one is logged and ignored.

        Args:
            name: Name of the tray.
            kind: The part of the topic after the name.
            payload: The message.
        """
        if not self._trays.has_room_for(name):
            return
        try:
            match kind:
                case "availability":
                    self._on_availability(name, payload)
                case "state" if payload:
                    self._on_state(name, TrayState.parse(payload))
                case "event":
                    self._on_event(name, WireEntry.from_json(parse_json(payload)))
                case "answer":
                    self._on_answer(name, parse_json(payload))
                case "assign/answer":
                    self._on_assign_answer(name, parse_json(payload))
        except (JournalError, RecursionError) as error:
            self._warn(name, str(error))

    def _warn(self, name: str, problem: str) -> None:
        """Log the first problem of each tray only, so that a faulty tray cannot flood the log."""
        if name not in self._warned:
            self._warned.add(name)
            log.warning("%s: %s. More invalid messages of this tray are not logged.", name, problem)

    def _on_availability(self, name: str, payload: bytes) -> None:
        """Note that a tray went online or offline; an empty message removes the tray.

        After coming online, a tray sends what happened while it was offline, and then its state.
        Entries that follow the state are live.
        """
        self._caught_up.discard(name)
        if not payload:
            self._requests.forget(name)
            self._trays.remove(name)
            return
        online = payload == b"online"
        tray = self._trays.get(name)
        if online and not tray.online:
            self._requests.forget(name)  # requests sent while it was offline are lost
            self._requests.send(name, ALL_MATCHES, {"from": 0})
        self._trays.put(replace(tray, online=online))

    def _on_state(self, name: str, state: TrayState) -> None:
        self._caught_up.add(name)
        tray = replace(
            self._trays.get(name),
            match=state.match,
            situation=state.situation,
            message=state.message,
            page=state.page,
        )
        stored = self._history.get(state.match) if state.match else None
        if stored and stored.tray == name:
            found = self._history.summary(state.match or "")
            self._trays.put(replace(tray, seq=stored.seq, summary=found))
            if stored.seq < state.seq:
                self._request_entries(name, state.match or "", stored.seq)
            elif stored.seq > state.seq or stored.chain != state.chain:  # the match was rewritten
                self._request_entries(name, state.match or "", -1)
        else:
            self._trays.put(replace(tray, seq=-1, summary=state.summary))
            if state.match and not stored:
                self._request_entries(name, state.match, -1)

    def _on_event(self, name: str, entry: WireEntry) -> None:
        """Add an entry that was made just now, or while the tray was offline."""
        if self._add(name, entry, live=name in self._caught_up) is EntryFit.NEW:
            self._show(name, entry.match)

    def _add(self, name: str, entry: WireEntry, *, live: bool = False) -> EntryFit:
        result = self._history.add(name, entry, live=live)
        match result:
            case EntryFit.GAP:
                stored = self._history.get(entry.match)
                follows = stored is None or entry.seq > stored.seq + 1
                self._request_entries(name, entry.match, stored.seq if stored and follows else -1)
            case EntryFit.DIFFERENT:
                self._warn(name, f"step {entry.seq} of match {entry.match} is impossible")
        return result

    def _show(self, name: str, match_id: str) -> None:
        """Show a match from the history as the current match of a tray."""
        if stored := self._history.get(match_id):
            tray = replace(self._trays.get(name), match=match_id)
            found = self._history.summary(match_id)
            self._trays.put(replace(tray, seq=stored.seq, summary=found))

    def _on_answer(self, name: str, data: Any) -> None:
        if not isinstance(data, dict):
            raise JournalError(Message("not an answer from a tray"))
        if isinstance(data.get("matches"), list):
            self._on_match_list(name, data)
        elif isinstance(data.get("entries"), list) and isinstance(data.get("match"), str):
            self._on_entries(name, data)

    def _on_match_list(self, name: str, data: dict[str, Any]) -> None:
        """Request the matches that the history lacks or has only in part."""
        known = self._history.last_numbers(name)
        self._requests.close(name, ALL_MATCHES)
        try:
            for match_id, last in data["matches"]:
                if known.get(match_id) != last:
                    self._request_entries(name, match_id, known.get(match_id, -1))
            if data.get("more"):
                self._requests.send(
                    name, ALL_MATCHES, {"from": data["from"] + len(data["matches"])}
                )
        except (TypeError, ValueError, KeyError) as error:
            raise JournalError(
                Message("not a list of matches (%(why)s)", why=reason(error))
            ) from None

    def _on_entries(self, name: str, data: dict[str, Any]) -> None:
        """Add entries of a match, and request the next part if there is more."""
        match_id = data["match"]
        self._requests.close(name, match_id)
        last = -1
        for each in data["entries"]:
            entry = WireEntry.from_json(each)
            if self._add(name, entry) not in (EntryFit.NEW, EntryFit.KNOWN):
                return
            last = entry.seq
        if data.get("more") and last >= 0:
            self._request_entries(name, match_id, last)
        shown = self._trays.get(name).match or match_id
        stored = self._history.get(shown)
        if stored and stored.tray == name:
            self._show(name, shown)  # the entries may be of another match of its series
        self._trays.refresh()  # the results of the evening may have changed

    def _on_assign_answer(self, name: str, data: Any) -> None:
        """Pass on a tray's answer to a call for a tournament match."""
        if not isinstance(data, dict) or not isinstance(data.get("id"), str):
            raise JournalError(Message("not an answer to a call"))
        self._on_call_answer(name, data["id"], data.get("accepted") is True)
        self._trays.refresh()

    def _request_entries(self, name: str, match_id: str, after: int) -> None:
        self._requests.send(name, match_id, {"match": match_id, "after": after})


class TrayRequests:
    """Requests to trays, each repeated until it is answered. Safe to use from any thread.

    Args:
        send: Sends a request to a tray.
        clock: Returns monotonic time in seconds.
    """

    def __init__(self, send: SendRequest, clock: Callable[[], float] = monotonic) -> None:
        self._send, self._clock = send, clock
        self._open: dict[tuple[str, str], tuple[Request, float]] = {}
        self._lock = Lock()

    def send(self, tray: str, subject: str, request: Request) -> None:
        """Send a request, unless one with the same subject was sent less than `RETRY_S` ago.

        Args:
            tray: Name of the tray.
            subject: Id of a match, or `ALL_MATCHES`.
            request: The request.
        """
        with self._lock:
            if len(self._open) > MAX_OPEN_REQUESTS:
                self._open.clear()
            earlier = self._open.get((tray, subject))
            if earlier and self._clock() - earlier[1] < RETRY_S:
                return
            self._open[tray, subject] = (request, self._clock())
        self._send(tray, request)

    def close(self, tray: str, subject: str) -> None:
        """Note that a request was answered.

        Args:
            tray: Name of the tray.
            subject: Id of a match, or `ALL_MATCHES`.
        """
        with self._lock:
            self._open.pop((tray, subject), None)

    def retry(self, is_online: Callable[[str], bool]) -> None:
        """Repeat each request that has waited for `RETRY_S`, if its tray is online."""
        now_s = self._clock()
        with self._lock:
            late = [
                (*key, request)
                for key, (request, sent_s) in self._open.items()
                if now_s - sent_s >= RETRY_S
            ]
        for tray, subject, request in late:
            if is_online(tray):
                self.send(tray, subject, request)

    def forget(self, tray: str | None = None) -> None:
        """Drop the requests to a tray, by default to all trays."""
        with self._lock:
            for key in [key for key in self._open if tray in (None, key[0])]:
                del self._open[key]
