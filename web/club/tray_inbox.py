"""The inbox of the club board, which checks and processes messages from trays and requests missing entries.

Every message is checked, because any client of the broker can write to the trays' topics.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Any, Protocol, Self

from game.errors import JournalError, reason
from game.journal.entry import EntryFit, WireEntry, is_match_id
from game.message import Message
from game.stats.summary import (
    MatchSummary,
    PlayerSummary,
    SeriesSummary,
    ThrowSummary,
    TurnSummary,
)
from web.club.match_history import MatchHistory
from web.club.trays import Trays

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
    def parse(cls, payload: bytes) -> Self:
        """Parse the state that a tray published.

        Raises:
            JournalError: If the message is not the state of a tray.
        """
        data = parse_json(payload)
        try:
            return cls(
                _match_id(data["match"]),
                _number(data["seq"]),
                _text(data["chain"]),
                _text(data["situation"]),
                _text(data["message"]),
                None if data["question"] is None else _text(data["question"]),
                _page(data["page"]),
                _summary(data) if data["players"] else None,
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise JournalError(
                Message("not the state of a tray (%(why)s)", why=repr(error))
            ) from None


def _summary(data: dict[str, Any]) -> MatchSummary:
    players = [_player(player) for player in data["players"][:MAX_SEATS]]
    turn, throw, winner = data["turn"], data["throw"], data["winner"]
    series = data.get("series")
    return {
        "rules": _text(data["rules"]),
        "target": max(1, _number(data["target"])),
        "rounds": max(0, _number(data["rounds"])),
        "players": players,
        "turn": _turn(turn, players) if turn else None,
        "throw": _throw(throw, players) if throw else None,
        "turns": _number(data["turns"]),
        "last_round": bool(data["last_round"]),
        "winner": None if winner is None else _seat(winner, players),
        "series": _series(series, players) if series else None,
    }


def _series(data: dict[str, Any], players: list[PlayerSummary]) -> SeriesSummary:
    wins, winner = data["wins"][: len(players)], data["winner"]
    if len(wins) < len(players):
        raise ValueError("wins of every player expected")
    return {
        "best_of": _number(data["best_of"]),
        "needed": _number(data["needed"]),
        "match": _number(data["match"]),
        "wins": [_number(n) for n in wins],
        "winner": None if winner is None else _seat(winner, players),
    }


def _turn(data: dict[str, Any], players: list[PlayerSummary]) -> TurnSummary:
    return {
        "seat": _seat(data["seat"], players),
        "player": _text(data["player"]),
        "points": _number(data["points"]),
        "dice": _number(data["dice"]),
    }


def _throw(data: dict[str, Any], players: list[PlayerSummary]) -> ThrowSummary:
    return {
        "seat": _seat(data["seat"], players),
        "player": _text(data["player"]),
        "dice": _dice(data["dice"]),
        "kept": None if data["kept"] is None else _dice(data["kept"]),
        "points": _number(data["points"]),
        "ending": None if data["ending"] is None else _text(data["ending"]),
    }


def _player(data: dict[str, Any]) -> PlayerSummary:
    return {
        "name": _text(data["name"]),
        "score": _number(data["score"]),
        "opened": bool(data["opened"]),
        "team": None if data["team"] is None else _number(data["team"]),
        "here": bool(data["here"]),
    }


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"text expected, not {type(text).__name__}")
    return text[:MAX_CHARACTERS]


def _number(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or abs(number) > MAX_POINTS:
        raise TypeError("a whole number expected")
    return number


def _seat(number: Any, players: list[PlayerSummary]) -> int:
    if _number(number) not in range(len(players)):
        raise ValueError("no such seat")
    return int(number)


def _dice(faces: Any) -> list[int]:
    if not isinstance(faces, list) or not set(map(_number, faces[:6])) <= set(range(1, 7)):
        raise ValueError("dice have faces 1 to 6")
    return faces[:6]


def _match_id(text: Any) -> str | None:
    if text is None:
        return None
    if not is_match_id(_text(text)):
        raise ValueError("no match is called so")
    return str(text)


def _page(address: Any) -> str:
    """Return a web address, or "" for a link that would run a script."""
    return address if _text(address).startswith(("http://", "https://")) else ""


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
