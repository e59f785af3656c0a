"""A cache of the journal for pages about past matches: each query runs only once for all phones."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast

from game.journal.entry import Entry
from game.journal.history import END_POSITION, History, PlayedMatch, UnreadableMatch
from game.match.match import Match

MAX_ANSWERS = 64
"""Number of answers to keep: enough for an evening of twenty matches with their steps, and a few pages of the list."""

T = TypeVar("T")


class CachedHistory(History):
    """A history that keeps its last answers until the journal changes or is replaced.

    Args:
        path: The journal.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._lock = Lock()
        self._answers: OrderedDict[tuple[object, ...], object] = OrderedDict()
        self._as_of: tuple[str, int] | None = None

    def matches(self, *, before: int = END_POSITION, limit: int = 50) -> tuple[PlayedMatch, ...]:
        """Implement `History.matches`: return past matches, from the cache if possible."""
        read = partial(super().matches, before=before, limit=limit)
        return self._once(("matches", before, limit), read)

    def all_matches(
        self, *, before: int = END_POSITION, limit: int = 50
    ) -> tuple[PlayedMatch | UnreadableMatch, ...]:
        """Implement `History.all_matches`: return past matches, including those that cannot be read."""
        read = partial(super().all_matches, before=before, limit=limit)
        return self._once(("all_matches", before, limit), read)

    def match(self, match_id: int) -> Match:
        """Implement `History.match`: return a match, from the cache if possible."""
        return self._once(("match", match_id), partial(super().match, match_id))

    def played(self, match_id: int) -> PlayedMatch:
        """Implement `History.played`: return the summary of a match, from the cache if possible."""
        return self._once(("played", match_id), partial(super().played, match_id))

    def steps(self, match_id: int) -> tuple[Entry, ...]:
        """Implement `History.steps`: return the steps of a match, from the cache if possible."""
        return self._once(("steps", match_id), partial(super().steps, match_id))

    def _once(self, question: tuple[object, ...], read: Callable[[], T]) -> T:
        with self._lock:
            as_of = self.version
            if as_of != self._as_of:
                self._answers.clear()
                self._as_of = as_of
            if question not in self._answers:
                self._answers[question] = read()
            self._answers.move_to_end(question)
            while len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)
            return cast(T, self._answers[question])
