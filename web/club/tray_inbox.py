"""The inbox of the club board, which processes messages from trays and requests missing entries."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Any, Protocol

from game.errors import JournalError, reason
from game.journal.wire import WireEntry
from game.message import Message
from game.stats.summary import summary
from web.club.match_history import AddResult, MatchHistory
from web.club.tray_payloads import TrayState, parse_json
from web.club.trays import Trays

log = logging.getLogger(__name__)

ALL_MATCHES = ""
"""Subject of a request for the list of a tray's matches; other requests are about one match."""

RETRY_S = 5.0
"""Time before a request is repeated, in seconds: the tray or the broker may have been offline."""

MAX_OPEN_REQUESTS = 10_000
"""If more requests than this are open, all are forgotten. Requests that are still needed are made
again when trays send messages."""

Request = dict[str, Any]

SendRequest = Callable[[str, Request], object]
"""Sends a request to a tray."""


class OnCallAnswer(Protocol):
    """Called when a tray accepts or declines a match of a tournament."""

    def __call__(self, tray: str, call_id: str, *, accepted: bool) -> object:
        """Process a tray's answer to a call.

        Args:
            tray: Name of the tray.
            call_id: The id of the call that is answered.
            accepted: Whether the match will be played there.
        """
        ...


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
        on_call_answer: OnCallAnswer = lambda *_, **__: None,
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
        self._trays.set_all_offline()

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
        except JournalError as error:
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
            self._trays.put(replace(tray, seq=stored.seq, summary=summary(stored.match)))
            if stored.seq < state.seq:
                self._request_entries(name, state.match or "", stored.seq)
            elif stored.seq > state.seq or stored.chain != state.chain:  # the match was rewritten
                self._request_entries(name, state.match or "", -1)
        else:
            self._trays.put(replace(tray, seq=-1, summary=state.summary))
            if state.match:
                self._request_entries(name, state.match, -1)

    def _on_event(self, name: str, entry: WireEntry) -> None:
        """Add an entry that was made just now, or while the tray was offline."""
        if self._add(name, entry, live=name in self._caught_up) is AddResult.NEW:
            self._show(name, entry.match)

    def _add(self, name: str, entry: WireEntry, *, live: bool = False) -> AddResult:
        result = self._history.add(name, entry, live=live)
        match result:
            case AddResult.GAP:
                stored = self._history.get(entry.match)
                follows = stored is None or entry.seq > stored.seq + 1
                self._request_entries(name, entry.match, stored.seq if stored and follows else -1)
            case AddResult.REFUSED:
                self._warn(name, f"step {entry.seq} of match {entry.match} is impossible")
        return result

    def _show(self, name: str, match_id: str) -> None:
        """Show a match from the history as the current match of a tray."""
        if stored := self._history.get(match_id):
            tray = replace(self._trays.get(name), match=match_id)
            self._trays.put(replace(tray, seq=stored.seq, summary=summary(stored.match)))

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
            if self._add(name, entry) in (AddResult.REFUSED, AddResult.GAP):
                return
            last = entry.seq
        if data.get("more") and last >= 0:
            self._request_entries(name, match_id, last)
        if self._trays.get(name).match == match_id:
            self._show(name, match_id)
        else:
            self._trays.refresh()  # the results of the evening may have changed

    def _on_assign_answer(self, name: str, data: Any) -> None:
        """Pass on a tray's answer to a call for a tournament match."""
        if not isinstance(data, dict) or not isinstance(data.get("id"), str):
            raise JournalError(Message("not an answer to a call"))
        self._on_call_answer(name, data["id"], accepted=data.get("accepted") is True)
        self._trays.refresh()

    def _request_entries(self, name: str, match_id: str, after: int) -> None:
        self._requests.send(name, match_id, {"match": match_id, "after": after})


@dataclass(frozen=True, slots=True)
class _OpenRequest:
    request: Request
    sent_s: float


class TrayRequests:
    """Requests to trays, each repeated until it is answered. Safe to use from any thread.

    Args:
        send: Sends a request to a tray.
        clock: Returns monotonic time in seconds.
    """

    def __init__(self, send: SendRequest, clock: Callable[[], float] = monotonic) -> None:
        self._send, self._clock = send, clock
        self._open: dict[tuple[str, str], _OpenRequest] = {}
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
            if earlier and self._clock() - earlier.sent_s < RETRY_S:
                return
            self._open[tray, subject] = _OpenRequest(request, self._clock())
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
                (*key, each.request)
                for key, each in self._open.items()
                if now_s - each.sent_s >= RETRY_S
            ]
        for tray, subject, request in late:
            if is_online(tray):
                self.send(tray, subject, request)

    def forget(self, tray: str | None = None) -> None:
        """Drop the requests to a tray, by default to all trays."""
        with self._lock:
            for key in [key for key in self._open if tray in (None, key[0])]:
                del self._open[key]
