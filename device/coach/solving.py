"""Chances to win that nobody shipped: worked out aside, slice by slice, one rule set after the other."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import RLock

from device.coach.worker_client import QuestionWorker
from game.errors import GameError
from game.message import Message
from game.odds.match_model import unsolvable_reason
from game.rules.ruleset import Ruleset

SLICE_S = 0.25
"""So that a question of the table never waits long."""

SHOWN = 100
"""Phones are told of every hundredth."""


class Solving:
    """What is being solved, how far it is, and what cannot be.

    Args:
        worker: does the work.
        moved: called when phones must be told; with the rules where these are solved now.
    """

    def __init__(self, worker: QuestionWorker, moved: Callable[[Ruleset | None], object]) -> None:
        self._worker, self._moved = worker, moved
        self._lock = RLock()
        self._rules: Ruleset | None = None
        self._done = 0.0
        self._troubles: dict[Ruleset, Message] = {}

    def share(self, rules: Ruleset) -> float | None:
        """How much of it is done; None while it is not under way."""
        with self._lock:
            return self._done if self._rules == rules else None

    def trouble(self, rules: Ruleset) -> Message | None:
        """Why these are never solved, if they are not."""
        return self._troubles.get(rules) or unsolvable_reason(rules)

    def begin(self, rules: Ruleset) -> None:
        """From the next slice on it is this one; another that is under way is kept as far as it is."""
        with self._lock:
            if self.trouble(rules) or self._rules == rules:
                return
            idle = self._rules is None
            self._rules, self._done = rules, 0.0
            if idle:
                self._go_on(rules)

    def stop(self) -> None:
        with self._lock:
            self._rules = None

    def _go_on(self, rules: Ruleset) -> None:
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
                self._go_on(self._rules)
        if share == 1.0 or error or int(share * SHOWN) != int(before * SHOWN):
            self._moved(rules if share == 1.0 else None)
