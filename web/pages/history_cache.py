"""The journal as pages look back on it: read and folded once, however many phones ask."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast

from game.journal.entry import Entry
from game.journal.history import END_POSITION, History, PlayedMatch, UnreadableMatch
from game.match.match import Match

KEPT = 64
"""Answers: an evening of twenty matches, each with its steps, and a few pages beside."""

T = TypeVar("T")


class CachedHistory(History):
    """A history that keeps its last answers until the journal says more, or is another one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._lock = Lock()
        self._said: OrderedDict[tuple[object, ...], object] = OrderedDict()
        self._as_of: tuple[str, int] | None = None

    def matches(self, *, before: int = END_POSITION, limit: int = 50) -> tuple[PlayedMatch, ...]:
        read = partial(super().matches, before=before, limit=limit)
        return self._once(("matches", before, limit), read)

    def listed(
        self, *, before: int = END_POSITION, limit: int = 50
    ) -> tuple[PlayedMatch | UnreadableMatch, ...]:
        read = partial(super().listed, before=before, limit=limit)
        return self._once(("listed", before, limit), read)

    def match(self, match_id: int) -> Match:
        return self._once(("match", match_id), partial(super().match, match_id))

    def played(self, match_id: int) -> PlayedMatch:
        return self._once(("played", match_id), partial(super().played, match_id))

    def steps(self, match_id: int) -> tuple[Entry, ...]:
        return self._once(("steps", match_id), partial(super().steps, match_id))

    def _once(self, asked: tuple[object, ...], read: Callable[[], T]) -> T:
        with self._lock:
            as_of = self.as_of
            if as_of != self._as_of:
                self._said.clear()
                self._as_of = as_of
            if asked not in self._said:
                self._said[asked] = read()
            self._said.move_to_end(asked)
            while len(self._said) > KEPT:
                self._said.popitem(last=False)
            return cast(T, self._said[asked])
