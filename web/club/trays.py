"""All trays of the club as they stand now, and what is still to be asked of them."""

import logging
from dataclasses import dataclass, replace
from threading import Condition
from time import monotonic
from typing import Any, Protocol

from game.errors import JournalError, reason
from game.journal.wire import WireEntry
from game.message import Message
from game.stats.summary import MatchSummary, summary
from web.club.match_history import MatchHistory, Taken
from web.club.tray_messages import TrayState, parsed
from web.club.tray_requests import Ask, TrayRequests

log = logging.getLogger(__name__)

MOST_TRAYS = 1_000
"""More are no club: somebody writes names into the topics."""

INDEX = ""
"""What a question for all matches of a tray is about."""

CALM_S = 0.2
"""A screen is not drawn anew more often: eyes do not follow, and hundreds of trays play."""


class Answered(Protocol):
    """Hears whether the match of this id was accepted at a tray."""

    def __call__(self, tray: str, call_id: str, *, accepted: bool) -> object: ...


@dataclass(frozen=True, slots=True)
class ShownTray:
    """A tray as the screen shows it.

    Attributes:
        match: the one that is played there, None before the first.
        summary: that match; from its entries where the board has them, else as the tray said it.
        seq: how many steps of it the board has; -1 where it has only the tray's word.
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
    """All trays by name, at one moment; `version` grows with every change."""

    version: int
    trays: tuple[ShownTray, ...]


class Trays:
    """Hears what trays say, writes it into the history, and asks for what is missing.

    Args:
        history: where entries go.
        ask: puts a request to a tray.
        answered: hears what a tray says to a match that was called to it: tray, id, accepted.
    """

    def __init__(
        self, history: MatchHistory, ask: Ask, answered: Answered = lambda *_, **__: None
    ) -> None:
        self._history, self._asking, self._answered = history, TrayRequests(ask), answered
        self._trays: dict[str, ShownTray] = {}
        self._complained: set[str] = set()
        self._caught_up: set[str] = set()
        self._changed = Condition()
        self._version = 1
        self._drawn = TraysSnapshot(1, ())
        self._drawn_s = 0.0

    # For the page

    def snapshot(self) -> TraysSnapshot:
        with self._changed:
            if self._drawn.version != self._version:
                trays = sorted(self._trays.values(), key=lambda tray: tray.name)
                self._drawn = TraysSnapshot(self._version, tuple(trays))
                self._drawn_s = monotonic()
            return self._drawn

    def wait(self, after: int, timeout_s: float) -> TraysSnapshot | None:
        """The newest snapshot once its version is above `after`; None after the timeout."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._version > after, timeout_s):
                return None
            calm_s = self._drawn_s + CALM_S - monotonic()
            if calm_s > 0:
                self._changed.wait_for(lambda: False, calm_s)
        return self.snapshot()

    def refresh(self) -> None:
        """Something else that the screen shows has changed."""
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def tend(self) -> None:
        """Ask again for what never came; to be called every second or so."""
        self._asking.again(lambda name: self._tray(name).online)

    # What comes in, on one thread

    def greeted(self) -> None:
        """The broker is there (again): whatever was under way may be lost."""
        self._asking.forget()
        self._complained.clear()
        self._caught_up.clear()
        for tray in list(self._trays):
            self._put(replace(self._trays[tray], online=False))

    def heard(self, name: str, kind: str, payload: bytes) -> None:
        """A message of a tray; what does not hold is left, with a line in the log."""
        if name not in self._trays and len(self._trays) >= MOST_TRAYS:
            return
        try:
            match kind:
                case "availability":
                    self._available(name, payload)
                case "state" if payload:
                    self._state(name, TrayState.of(payload))
                case "event":
                    self._event(name, WireEntry.from_json(parsed(payload)))
                case "answer":
                    self._answer(name, parsed(payload))
                case "assign/answer":
                    self._said(name, parsed(payload))
        except JournalError as error:
            self._complain(name, str(error))

    def _complain(self, name: str, what: str) -> None:
        """Once a tray until the broker comes anew: a log is not to be flooded."""
        if name not in self._complained:
            self._complained.add(name)
            log.warning("%s: %s: left aside, and what else of it does not hold", name, what)

    def _tray(self, name: str) -> ShownTray:
        return self._trays.get(name) or ShownTray(name)

    def _put(self, tray: ShownTray) -> None:
        with self._changed:
            self._trays[tray.name] = tray
            self._version += 1
            self._changed.notify_all()

    def _available(self, name: str, payload: bytes) -> None:
        """An empty one says that there is no such tray any more.

        A tray that comes tells first what happened while it was away, then its state; what it
        says from then on happens now.
        """
        self._caught_up.discard(name)
        if not payload:
            self._asking.forget(name)
            with self._changed:
                self._trays.pop(name, None)
            self.refresh()
            return
        online = payload == b"online"
        if online and not self._tray(name).online:
            self._asking.forget(name)  # what was asked while it was away is lost
            self._asking.put(name, INDEX, {"from": 0})
        self._put(replace(self._tray(name), online=online))

    def _state(self, name: str, state: TrayState) -> None:
        self._caught_up.add(name)
        tray = replace(
            self._tray(name),
            match=state.match,
            situation=state.situation,
            message=state.message,
            page=state.page,
        )
        held = self._history.held(state.match) if state.match else None
        if held and held.tray == name:
            self._put(replace(tray, seq=held.seq, summary=summary(held.match)))
            if held.seq < state.seq:
                self._ask_match(name, state.match or "", held.seq)
            elif held.seq > state.seq or held.chain != state.chain:  # the tray has another past
                self._ask_match(name, state.match or "", -1)
        else:
            self._put(replace(tray, seq=-1, summary=state.summary))
            if state.match:
                self._ask_match(name, state.match, -1)

    def _event(self, name: str, entry: WireEntry) -> None:
        """The tray plays this match: now, or while it was away from the broker."""
        taken = self._take(name, entry, live=name in self._caught_up)
        if taken is Taken.NEW and (held := self._history.held(entry.match)):
            tray = replace(self._tray(name), match=entry.match)
            self._put(replace(tray, seq=held.seq, summary=summary(held.match)))

    def _take(self, name: str, entry: WireEntry, *, live: bool = False) -> Taken:
        taken = self._history.take(name, entry, live=live)
        match taken:
            case Taken.GAP:
                held = self._history.held(entry.match)
                follows = held is None or entry.seq > held.seq + 1
                self._ask_match(name, entry.match, held.seq if held and follows else -1)
            case Taken.REFUSED:
                self._complain(name, f"step {entry.seq} of match {entry.match} cannot be")
        return taken

    def _answer(self, name: str, data: Any) -> None:
        if not isinstance(data, dict):
            raise JournalError(Message("not an answer of a tray"))
        if isinstance(data.get("matches"), list):
            self._index(name, data)
        elif isinstance(data.get("entries"), list) and isinstance(data.get("match"), str):
            self._told(name, data)

    def _index(self, name: str, data: dict[str, Any]) -> None:
        """Which matches the tray has: ask for those that are not all here."""
        here = self._history.matches_of(name)
        self._asking.answered(name, INDEX)
        try:
            for match_id, steps in data["matches"]:
                if here.get(match_id) != steps:
                    self._ask_match(name, match_id, here.get(match_id, -1))
            if data.get("more"):
                self._asking.put(name, INDEX, {"from": data["from"] + len(data["matches"])})
        except (TypeError, ValueError, KeyError) as error:
            raise JournalError(
                Message("not a list of matches (%(why)s)", why=reason(error))
            ) from None

    def _told(self, name: str, data: dict[str, Any]) -> None:
        """What happened in a match; the next part of it is asked for at once."""
        self._asking.answered(name, data["match"])
        last = -1
        for told in data["entries"]:
            entry = WireEntry.from_json(told)
            if self._take(name, entry) in (Taken.REFUSED, Taken.GAP):
                return
            last = entry.seq
        if data.get("more") and last >= 0:
            self._ask_match(name, data["match"], last)
        tray, held = self._tray(name), self._history.held(data["match"])
        if held and tray.match == data["match"]:
            self._put(replace(tray, seq=held.seq, summary=summary(held.match)))
        else:
            self.refresh()

    def _said(self, name: str, data: Any) -> None:
        """To a match that was called to this tray."""
        if not isinstance(data, dict) or not isinstance(data.get("id"), str):
            raise JournalError(Message("not an answer to a call"))
        self._answered(name, data["id"], accepted=data.get("accepted") is True)
        self.refresh()

    def _ask_match(self, name: str, match_id: str, after: int) -> None:
        self._asking.put(name, match_id, {"match": match_id, "after": after})
