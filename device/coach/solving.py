"""Computes the chances of winning under rules for which no table is shipped, in short slices of time."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import RLock

from device.coach.worker_client import WorkerClient
from game.errors import GameError
from game.message import Message
from game.odds.match_model import unsolvable_reason
from game.rules.ruleset import Ruleset

SLICE_S = 0.25
"""Length of a slice of the computation in seconds: short, so that a question about the match in play is answered
soon."""

PROGRESS_STEPS = 100
"""Number of steps in which progress is reported."""


class Solving:
    """The rule set whose table of chances is being computed, and the progress of that computation.

    Args:
        worker: Does the work in the background.
        on_progress: Called when there is progress to show, with None until the table is complete, and
            then with the rules.
    """

    def __init__(
        self, worker: WorkerClient, on_progress: Callable[[Ruleset | None], object]
    ) -> None:
        self._worker, self._on_progress = worker, on_progress
        self._lock = RLock()
        self._rules: Ruleset | None = None
        self._done = 0.0
        self._troubles: dict[Ruleset, Message] = {}

    def share(self, rules: Ruleset) -> float | None:
        """Return how much of the table for these rules is done, from 0 to 1, or None if it is not being computed."""
        with self._lock:
            return self._done if self._rules == rules else None

    def trouble(self, rules: Ruleset) -> Message | None:
        """Return why no chances can be computed under these rules, or None if they can."""
        return self._troubles.get(rules) or unsolvable_reason(rules)

    def begin(self, rules: Ruleset) -> None:
        """Start computing the table for these rules, slice by slice. Work already done for other rules is saved."""
        with self._lock:
            if self.trouble(rules) or self._rules == rules:
                return
            idle = self._rules is None
            self._rules, self._done = rules, 0.0
            if idle:
                self._ask_for_slice(rules)

    def stop(self) -> None:
        """Stop after the current slice."""
        with self._lock:
            self._rules = None

    def _ask_for_slice(self, rules: Ruleset) -> None:
        future = self._worker.ask("solve", rules, SLICE_S)
        future.add_done_callback(lambda done: self._take(rules, done))

    def _take(self, rules: Ruleset, future: "Future[float]") -> None:
        with self._lock:
            error, before = future.exception(), self._done
            if isinstance(error, GameError):
                self._troubles[rules] = error.message
            share = 0.0 if error else future.result()
            if self._rules == rules:
                self._rules = None if error or share == 1.0 else rules
                self._done = share
            if self._rules:
                self._ask_for_slice(self._rules)
        is_visible = int(share * PROGRESS_STEPS) != int(before * PROGRESS_STEPS)
        if share == 1.0 or error or is_visible:
            self._on_progress(rules if share == 1.0 else None)
