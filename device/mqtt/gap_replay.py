"""Answers to those who missed something: which matches there are, and what happened in one."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Protocol

from device.mqtt.topics import is_board
from game.journal.feed import FeedLine, RecordedMatch
from game.journal.wire import is_match_id

MATCHES_AT_ONCE = 500
ENTRIES_AT_ONCE = 100
LARGEST_REQUEST = 1_000
"""Bytes; an honest one has some eighty."""


class Recording(Protocol):
    """Where the matches are: `game.journal.feed.Feed`."""

    def matches(self) -> list[RecordedMatch]: ...

    def whole(self, number: int) -> Iterator[FeedLine]: ...


class Replay:
    """Answers from the journal. A request is asked again for what comes after its answer."""

    def __init__(self, feed: Recording) -> None:
        self._feed = feed
        self._known: dict[str, RecordedMatch] = {}

    def answer(self, payload: bytes) -> tuple[str, dict[str, Any]] | None:
        """Who asked, and what they are told; None where nobody can be meant.

        `{"to": BOARD, "from": 0}` asks which matches there are, `{"to": BOARD, "match": ID,
        "after": SEQ}` what happened in one after that number (-1: all of it).
        """
        try:
            asked = json.loads(payload) if len(payload) <= LARGEST_REQUEST else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(asked, dict) or not is_board(asked.get("to")):
            return None
        match_id, after = asked.get("match"), asked.get("after")
        if isinstance(match_id, str) and is_match_id(match_id) and isinstance(after, int):
            return asked["to"], self._entries(match_id, after)
        start = asked.get("from")
        if isinstance(start, int) and start >= 0:
            return asked["to"], self._matches(start)
        return None

    def _matches(self, start: int) -> dict[str, Any]:
        found = self._feed.matches()
        self._known = {recorded.match: recorded for recorded in found}
        told = [[r.match, r.steps] for r in found[start : start + MATCHES_AT_ONCE]]
        return {"from": start, "matches": told, "more": start + len(told) < len(found)}

    def _entries(self, match_id: str, after: int) -> dict[str, Any]:
        if match_id not in self._known:
            self._known = {recorded.match: recorded for recorded in self._feed.matches()}
        recorded = self._known.get(match_id)
        if recorded is None:
            return {"match": match_id, "entries": [], "more": False}
        lines = self._feed.whole(recorded.number)
        later = (line.entry for line in lines if line.entry.seq > after)
        entries = list(islice(later, ENTRIES_AT_ONCE))
        more = next(later, None) is not None
        return {"match": match_id, "entries": [e.to_json() for e in entries], "more": more}
