"""The chances in the match in play, which the worker computes after each step."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from threading import RLock

from device.coach.worker_client import WorkerClient
from game.match.match import Match
from game.odds.figures import Figures
from web.contracts import CoachMode

log = logging.getLogger(__name__)


class MatchFigures:
    """The newest figures about the match in play. Thread-safe.

    Args:
        worker: Computes the figures in the background.
        on_found: Called from any thread with a match and its figures.
    """

    def __init__(self, worker: WorkerClient, on_found: Callable[[Match, Figures], object]) -> None:
        self._worker, self._on_found = worker, on_found
        self._lock = RLock()
        self._wanted: Match | None = None
        self._is_asked = False
        self._newest: tuple[Match, Figures] | None = None

    def shown(self, match: Match, mode: CoachMode) -> Figures | None:
        """Return the results for a match, as far as the mode allows them to be shown, and have the rest computed.

        While the current state is still being computed, only the values of the turn so far are
        returned. None means that nothing has been computed yet.

        Args:
            match: The match in play.
            mode: The amount of advice that the coach gives.
        """
        with self._lock:
            self._want(match)
            if self._newest is None:
                return None
            figured, found = self._newest
        is_newest = figured.state is match.state
        if is_newest and mode is CoachMode.LIVE:
            return found
        same_turn = len(figured.state.turns) == len(match.state.turns)
        tells_why = is_newest and mode is CoachMode.WHY
        return replace(
            found,
            keeps=(),
            before=None,
            turn=found.turn if same_turn else (),
            decision=found.decision if tells_why else None,
        )

    def stop(self) -> None:
        """Compute nothing more until `shown` is called again."""
        with self._lock:
            self._wanted = None

    def forget(self) -> None:
        """Drop the figures, because new ones can contain chances of winning."""
        with self._lock:
            self._newest = None

    def _want(self, match: Match) -> None:
        """Ask the worker for the figures of a match. If the worker is busy, ask after its next answer."""
        self._wanted = match
        is_known = self._newest is not None and self._newest[0].state is match.state
        if not self._is_asked and not is_known:
            self._is_asked = True
            bare = replace(match, before=None, after=())
            future = self._worker.ask("figures", bare)
            future.add_done_callback(lambda done: self._take(match, done))

    def _take(self, match: Match, future: "Future[Figures]") -> None:
        with self._lock:
            self._is_asked = False
            if error := future.exception():
                log.warning("cannot compute the figures: %s", error)
                return
            self._newest = match, future.result()
            if self._wanted is not None:
                self._want(self._wanted)
        self._on_found(match, future.result())
