"""The coach: what it says at the table, and of matches that are over; the work is done aside."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from threading import RLock

from device.coach.notes_file import NotesFile
from device.coach.reviews import Reviews
from device.coach.solving import Solving
from device.coach.worker_client import QuestionWorker
from game.journal.history import History
from game.match.match import Match
from game.odds.figures import Figures
from game.rules.ruleset import Ruleset
from game.situation import TableError
from game.stats.counts import DiceSetPeriod, Totals
from web.contracts.coach import Coaching, CoachMode, ReviewedMatch

log = logging.getLogger(__name__)

TABLES = "odds"
"""The folder of solved matches, in the state folder."""


class TableCoach:
    """What the page can be told beyond the match itself; see `web.contracts.coach.Coach`.

    Args:
        worker: works things out.
        history: all matches of the journal.
        notes_file: keeps how much the coach says, and which dice are thrown.
        changed: called whenever phones must be told, from any thread.
    """

    def __init__(
        self,
        worker: QuestionWorker,
        history: History,
        notes_file: NotesFile,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        self._changed = changed
        self._worker, self._history, self._notes_file = worker, history, notes_file
        self._reviews = Reviews(worker, history)
        self._solving = Solving(worker, self._moved)
        self._lock = RLock()
        self._wanted: Match | None = None
        self._asked: Match | None = None
        self._figures: tuple[Match, Figures] | None = None

    def close(self) -> None:
        self._worker.close()

    # At the table

    def switch(self, mode: CoachMode) -> None:
        """From now on it says so much.

        Raises:
            TableError: that cannot be kept over a restart.
        """
        self._notes_file.change(lambda notes: replace(notes, mode=mode))
        if mode is CoachMode.OFF:
            self._solving.stop()
            with self._lock:
                self._wanted = None

    @property
    def _mode(self) -> CoachMode:
        return self._notes_file.notes.mode

    def coaching(self, match: Match | None) -> Coaching:
        """What it says of this match now; what is not known yet comes with a later change."""
        if self._mode is CoachMode.OFF or match is None:
            return Coaching(self._mode)
        with self._lock:
            self._want(match)
            shown = self._shown(match)
        rules = match.rules
        return Coaching(self._mode, shown, self._solving.share(rules), self._solving.trouble(rules))

    def _shown(self, match: Match) -> Figures | None:
        """Those of this match; while they are worked out, of the turn before alone."""
        if self._figures is None:
            return None
        of, found = self._figures
        if of.state is match.state and self._mode is CoachMode.LIVE:
            return found
        same_turn = len(of.state.turns) == len(match.state.turns)
        return replace(found, keeps=(), before=None, turn=found.turn if same_turn else ())

    def _want(self, match: Match) -> None:
        """Ask for its figures, one match at a time; the newest that was wanted comes next."""
        self._wanted = match
        known = self._figures is not None and self._figures[0].state is match.state
        if self._asked is None and not known:
            self._asked = match
            bare = replace(match, before=None, after=())
            self._worker.ask("figures", bare).add_done_callback(self._take_figures)

    def _take_figures(self, future: "Future[Figures]") -> None:
        with self._lock:
            of, self._asked = self._asked, None
            if error := future.exception():
                log.warning("there are no figures: %s", error)
                return
            found = future.result()
            if of is not None:
                self._figures = of, found
            if self._wanted is not None:
                self._want(self._wanted)
        if of is not None and not found.solved and self._mode is not CoachMode.OFF:
            self._solving.begin(of.rules)
        self._changed()

    def _moved(self, solved: Ruleset | None) -> None:
        """Solving went on; what was said without its chances to win is out of date."""
        if solved:
            self._reviews.forget()
            with self._lock:
                self._figures = None
        self._changed()

    # Afterwards

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        found = self._reviews.review(match_id, steps)
        if found is None or found.solved:
            return found
        rules = self._history.match(match_id).rules
        share, trouble = self._solving.share(rules), self._solving.trouble(rules)
        return replace(found, solving=share, trouble=trouble)

    def solve(self, match_id: int) -> None:
        self._solving.begin(self._history.match(match_id).rules)
        self._changed()

    def counts(self) -> Totals | None:
        return self._reviews.counts(self._notes_file.notes.dice)

    def rewind(self, position: int) -> None:
        """A backup was restored, whose last entry has this position."""
        try:
            self._notes_file.change(lambda notes: notes.rewind(position))
        except TableError as error:
            log.warning("new matches may count for other dice: %s", error)

    def start_dice_set(self, name: str) -> None:
        dice = DiceSetPeriod(name, self._reviews.newest())
        self._notes_file.change(lambda notes: notes.with_dice(dice))
