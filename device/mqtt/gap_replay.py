"""Answers to club boards that have missed entries: a list of the matches, or the entries of one match."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Protocol

from device.mqtt.topics import is_board
from game.journal.feed import FeedLine, RecordedMatch
from game.journal.wire import is_match_id

MATCHES_PER_ANSWER = 500
ENTRIES_PER_ANSWER = 100
MAX_REQUEST_BYTES = 1_000
"""Largest accepted request, in bytes; a typical one has about 80."""


class MatchSource(Protocol):
    """A source of recorded matches, such as `game.journal.feed.Feed`."""

    def matches(self) -> list[RecordedMatch]:
        """Return all matches, in the order in which they began."""

    def whole(self, number: int) -> Iterator[FeedLine]:
        """Yield all entries of the match with this number, in order, each with the match before and after it."""


class GapReplay:
    """Answers to the requests of club boards, taken from the journal.

    A long answer is split into parts, and the club board requests each part separately.

    Args:
        source: The recorded matches, which come from the journal.
    """

    def __init__(self, source: MatchSource) -> None:
        self._source = source
        self._known: dict[str, RecordedMatch] = {}

    def answer(self, payload: bytes) -> tuple[str, dict[str, Any]] | None:
        """Return the name of the club board that sent a request, and the answer; None if the request is not valid.

        `{"to": BOARD, "from": 0}` asks for the list of matches, beginning with the first. `{"to": BOARD, "match":
        ID, "after": SEQ}` asks for the entries of a match after the entry with that number; -1 asks for all of them.
        """
        try:
            request = json.loads(payload) if len(payload) <= MAX_REQUEST_BYTES else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(request, dict) or not is_board(request.get("to")):
            return None
        match_id, after = request.get("match"), request.get("after")
        if isinstance(match_id, str) and is_match_id(match_id) and isinstance(after, int):
            return request["to"], self._entries(match_id, after)
        start = request.get("from")
        if isinstance(start, int) and start >= 0:
            return request["to"], self._matches(start)
        return None

    def _matches(self, start: int) -> dict[str, Any]:
        found = self._source.matches()
        self._known = {recorded.match: recorded for recorded in found}
        part = [[r.match, r.steps] for r in found[start : start + MATCHES_PER_ANSWER]]
        return {"from": start, "matches": part, "more": start + len(part) < len(found)}

    def _entries(self, match_id: str, after: int) -> dict[str, Any]:
        if match_id not in self._known:
            self._known = {recorded.match: recorded for recorded in self._source.matches()}
        recorded = self._known.get(match_id)
        if recorded is None:
            return {"match": match_id, "entries": [], "more": False}
        lines = self._source.whole(recorded.number)
        later = (line.entry for line in lines if line.entry.seq > after)
        entries = list(islice(later, ENTRIES_PER_ANSWER))
        more = next(later, None) is not None
        return {"match": match_id, "entries": [e.to_json() for e in entries], "more": more}
