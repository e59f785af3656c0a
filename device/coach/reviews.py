"""All matches of the journal, gone through aside: one looked back on, or all of them counted."""

import logging
from collections import OrderedDict
from concurrent.futures import Future
from threading import RLock

from device.coach.worker_client import QuestionWorker
from game.journal.history import History
from game.odds.figures import Caveat
from game.odds.review import Review
from game.stats.counts import DiceSetPeriod, Totals
from web.contracts.coach import ReviewedMatch

log = logging.getLogger(__name__)

SLICE_S = 0.25
REMEMBERED = 24
"""Matches looked back on: some hundred kB each, and all that the page of an evening shows."""

AT_ONCE = 2
"""However many phones ask for however many matches: the table's own questions come first."""

Which = tuple[str, int, int]
"""Identity of the journal, number of the match, and its steps: what a review is of."""


class Reviews:
    """Remembers what was worked out until the journal has moved on.

    Args:
        worker: does the work.
        history: all matches.
    """

    def __init__(self, worker: QuestionWorker, history: History) -> None:
        self._worker, self._history = worker, history
        self._lock = RLock()
        self._reviews: OrderedDict[Which, ReviewedMatch | None] = OrderedDict()
        self._counts: Totals | None = None
        self._counted: tuple[str, int, tuple[DiceSetPeriod, ...]] | None = None

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        """The match with so many steps; None while it is gone through."""
        which = self._history.identity, match_id, steps
        with self._lock:
            under_way = sum(found is None for found in self._reviews.values())
            if which not in self._reviews and under_way < AT_ONCE:
                self._reviews[which] = None
                while len(self._reviews) > REMEMBERED:
                    self._reviews.popitem(last=False)
                future = self._worker.ask("look_back", match_id)
                future.add_done_callback(lambda done: self._take_review(which, done))
            return self._reviews.get(which)

    def forget(self) -> None:
        """Chances to win are known now that were not."""
        with self._lock:
            self._reviews.clear()

    def _take_review(
        self, which: Which, future: "Future[tuple[Review, bool, tuple[Caveat, ...]]]"
    ) -> None:
        with self._lock:
            if error := future.exception():
                log.warning("match %s cannot be looked back on: %s", which[1], error)
                self._reviews.pop(which, None)
            elif which in self._reviews:
                self._reviews[which] = ReviewedMatch(*future.result())

    def counts(self, sets: tuple[DiceSetPeriod, ...]) -> Totals | None:
        """What all matches come to; None while they are counted."""
        which = self._history.identity, self.newest(), sets
        with self._lock:
            if which != self._counted:
                self._counted, self._counts = which, None
                self._count(sets)
            return self._counts

    def newest(self) -> int:
        """The position of the last entry there is."""
        return next((played.position for played in self._history.matches(limit=1)), 0)

    def _count(self, sets: tuple[DiceSetPeriod, ...]) -> None:
        future = self._worker.ask("count", sets, SLICE_S)
        future.add_done_callback(lambda done: self._take_counts(sets, done))

    def _take_counts(
        self, sets: tuple[DiceSetPeriod, ...], future: "Future[Totals | None]"
    ) -> None:
        with self._lock:
            if error := future.exception():
                log.warning("matches cannot be counted: %s", error)
                self._counted = None
            elif (found := future.result()) is None:
                self._count(sets)
            elif self._counted and self._counted[2] == sets:
                self._counts = found
