"""Reviews and statistics of past matches, computed by the worker and cached."""

import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from threading import RLock

from device.coach.worker_client import WorkerClient
from game.journal.history import History
from game.odds.figures import Caveat
from game.odds.review import Review
from game.stats.counts import DiceSetPeriod, Totals
from web.contracts import ReviewedMatch

log = logging.getLogger(__name__)

SLICE_S = 0.25
MAX_REVIEWS = 24
"""Largest number of reviews in the cache, of about 100 kB each. The page about an evening shows this many."""

MAX_PENDING = 2
"""Largest number of reviews computed at a time, so that questions about the match in play need not wait."""

ReviewKey = tuple[str, int, int]
"""Identity of the journal, number of the match, and number of its steps."""


class Reviews:
    """Caches reviews and statistics of past matches until the journal changes.

    Args:
        worker: Computes reviews and statistics in the background.
        history: All matches in the journal.
        on_unsolved: Called with the number of a match whose review contains no chances of winning.
    """

    def __init__(
        self,
        worker: WorkerClient,
        history: History,
        on_unsolved: Callable[[int], object] = lambda _: None,
    ) -> None:
        self._worker, self._history, self._on_unsolved = worker, history, on_unsolved
        self._lock = RLock()
        self._reviews: OrderedDict[ReviewKey, ReviewedMatch | None] = OrderedDict()
        self._counts: Totals | None = None
        self._counted: tuple[str, int, tuple[DiceSetPeriod, ...]] | None = None

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        """Return the review of a match, or None while it is being computed.

        Args:
            match_id: Number of the match in the journal.
            steps: Number of steps in the match. After another step, the match is reviewed again.
        """
        key = self._history.identity, match_id, steps
        with self._lock:
            pending = sum(found is None for found in self._reviews.values())
            if key not in self._reviews and pending < MAX_PENDING:
                self._reviews[key] = None
                while len(self._reviews) > MAX_REVIEWS:
                    self._reviews.popitem(last=False)
                future = self._worker.ask("review", match_id)
                future.add_done_callback(lambda done: self._take_review(key, done))
            return self._reviews.get(key)

    def forget(self) -> None:
        """Drop all reviews, because new ones can contain chances of winning."""
        with self._lock:
            self._reviews.clear()

    def _take_review(
        self, key: ReviewKey, future: "Future[tuple[Review, bool, tuple[Caveat, ...]]]"
    ) -> None:
        with self._lock:
            if error := future.exception():
                log.warning("cannot review match %s: %s", key[1], error)
                self._reviews.pop(key, None)
                return
            found = ReviewedMatch(*future.result())
            if key in self._reviews:
                self._reviews[key] = found
        if not found.solved:
            self._on_unsolved(key[1])

    def counts(self, sets: tuple[DiceSetPeriod, ...]) -> Totals | None:
        """Return the statistics of all matches for these sets of dice, or None while they are being computed."""
        key = self._history.identity, self.newest(), sets
        with self._lock:
            if key != self._counted:
                self._counted, self._counts = key, None
                self._count(sets)
            return self._counts

    def newest(self) -> int:
        """Return the position of the last entry in the journal, or 0 if the journal is empty."""
        return next((played.position for played in self._history.matches(limit=1)), 0)

    def _count(self, sets: tuple[DiceSetPeriod, ...]) -> None:
        future = self._worker.ask("count", sets, SLICE_S)
        future.add_done_callback(lambda done: self._take_counts(sets, done))

    def _take_counts(
        self, sets: tuple[DiceSetPeriod, ...], future: "Future[Totals | None]"
    ) -> None:
        with self._lock:
            if error := future.exception():
                log.warning("cannot count the matches: %s", error)
                self._counted = None
            elif (found := future.result()) is None:
                self._count(sets)
            elif self._counted and self._counted[2] == sets:
                self._counts = found
