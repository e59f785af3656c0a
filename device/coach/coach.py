"""The coach: chances at the table and reviews of past matches, computed in a separate process."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from threading import RLock
from typing import Any

from device.coach.just_won import JustWon
from device.coach.notes_file import NotesFile
from device.coach.reviews import Reviews
from device.coach.solving import Solving
from device.coach.worker_client import QuestionWorker
from game.errors import GameError
from game.journal.history import History
from game.match.bot import Bot, PlayerStyle
from game.match.events import Event
from game.match.match import Match
from game.match.state import State
from game.message import Message
from game.odds.figures import Figures
from game.practice.bot_steps import is_practice
from game.practice.handicap import HeadStart
from game.rules.ruleset import Ruleset
from game.situation import TableError
from game.stats.counts import DiceSetPeriod, Totals
from web.contracts.coach import Coaching, CoachMode, ReviewedMatch

ANSWER_S = 60.0
"""Longest time to wait for an answer, in seconds. A person's style of play is learnt from whole matches."""

log = logging.getLogger(__name__)

TABLES = "odds"
"""Name of the folder with the tables of chances, in the state folder."""


class TableCoach:
    """Answers the page's questions about chances and statistics. It implements `web.contracts.coach.Coach`.

    Args:
        worker: Computes the answers in the background.
        history: All matches in the journal.
        notes_file: Stores how much the coach says, and which dice were used when.
        changed: Called from any thread when there is something new to show.
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
        self._reviews = Reviews(worker, history, self._solve_if_just_won)
        self._solving = Solving(worker, self._on_progress)
        self._lock = RLock()
        self._wanted: Match | None = None
        self._asked: Match | None = None
        self._figures: tuple[Match, Figures] | None = None
        self._just_won = JustWon(history, self._reviews.review)

    def close(self) -> None:
        """End the process that computes the answers."""
        self._worker.close()

    # During a match

    def switch(self, mode: CoachMode, *, practice: bool = False) -> None:
        """Choose how much the coach says.

        Args:
            mode: The amount of advice that the coach gives.
            practice: True to set the mode for matches against a bot, False for matches between people.

        Raises:
            TableError: If the mode cannot be saved.
        """
        self._notes_file.change(
            lambda notes: replace(notes, practice=mode) if practice else replace(notes, mode=mode)
        )
        if mode is CoachMode.OFF:
            self._solving.stop()
            with self._lock:
                self._wanted = None

    def _mode(self, match: Match | None) -> CoachMode:
        """Return how much the coach says during a match."""
        notes = self._notes_file.notes
        return notes.practice if match and is_practice(match) else notes.mode

    def coaching(self, match: Match | None) -> Coaching:
        """Return what the coach knows about this match now. The result may change whenever `changed` is called."""
        if match is not None:
            self._just_won.note(match)
        mode = self._mode(match)
        if mode is CoachMode.OFF or match is None:
            return Coaching(mode)
        with self._lock:
            self._want(match)
            shown = self._shown(match, mode)
        rules = match.rules
        return Coaching(mode, shown, self._solving.share(rules), self._solving.trouble(rules))

    def _shown(self, match: Match, mode: CoachMode) -> Figures | None:
        """Return the results for the match, as far as the mode allows them to be shown.

        While the current state is still being computed, only the values of the turn so far are
        returned. None means that nothing has been computed yet.
        """
        if self._figures is None:
            return None
        figured, found = self._figures
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

    def _want(self, match: Match) -> None:
        """Ask the worker for the chances in this match. If the worker is busy, ask after its next answer."""
        self._wanted = match
        known = self._figures is not None and self._figures[0].state is match.state
        if self._asked is None and not known:
            self._asked = match
            bare = replace(match, before=None, after=())
            self._worker.ask("figures", bare).add_done_callback(self._take_figures)

    def _take_figures(self, future: "Future[Figures]") -> None:
        with self._lock:
            asked, self._asked = self._asked, None
            if error := future.exception():
                log.warning("cannot compute the figures: %s", error)
                return
            found = future.result()
            if asked is not None:
                self._figures = asked, found
            if self._wanted is not None:
                self._want(self._wanted)
        is_on = self._mode(asked) is not CoachMode.OFF
        if asked is not None and not found.solved and is_on:
            self._solving.begin(asked.rules)
        self._changed()

    def _on_progress(self, solved: Ruleset | None) -> None:
        """Show progress. Once chances of winning can be computed, drop results and reviews that lack them."""
        if solved:
            self._reviews.forget()
            with self._lock:
                self._figures = None
            self._just_won.review_again()
        self._changed()

    # Before and during a match against a bot

    def think(self, bot: Bot, state: State) -> "Future[Event | None]":
        """Start computing a bot's decision, and return the future that receives it.

        Args:
            bot: The bot whose turn it is.
            state: The state of the match.
        """
        return self._worker.ask("decide", bot, state)

    def style(self, name: str, rules: Ruleset) -> PlayerStyle:
        """Implement `Coach.style`: return how a person plays."""
        found: PlayerStyle = self._answer("style", name, rules)
        return found

    def head_start(self, rules: Ruleset) -> HeadStart:
        """Implement `Coach.head_start`: return the head start that gives equally good players equal chances."""
        found: HeadStart = self._answer("head_start", rules)
        return found

    def _answer(self, question: str, *args: object) -> Any:
        """Ask the worker a question, and wait for its answer.

        Raises:
            GameError: If the question has no answer.
            TableError: If the worker does not answer in time.
        """
        try:
            return self._worker.ask(question, *args).result(ANSWER_S)
        except GameError:
            raise
        except Exception as error:  # noqa: BLE001 - the worker may be lost, or busy
            log.warning("the coach does not answer: %r", error)
            raise TableError(Message("The coach is busy: try again in a minute.")) from None

    # After a match

    def _solve_if_just_won(self, match_id: int) -> None:
        if self._just_won.is_about(match_id):
            self.solve(match_id)

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        """Implement `Coach.review`: return the review of a match, or None while it is being computed."""
        found = self._reviews.review(match_id, steps)
        if found is None or found.solved:
            return found
        rules = self._history.match(match_id).rules
        share, trouble = self._solving.share(rules), self._solving.trouble(rules)
        return replace(found, solving=share, trouble=trouble)

    def solve(self, match_id: int) -> None:
        """Begin to compute the chances of winning under the rules of the match with this number."""
        self._solving.begin(self._history.match(match_id).rules)
        self._changed()

    def counts(self) -> Totals | None:
        """Return the statistics of all matches, or None while they are being computed."""
        return self._reviews.counts(self._notes_file.notes.dice)

    def rewind(self, position: int) -> None:
        """Adjust the record of dice sets to a journal that a restored backup has cut to this position."""
        try:
            self._notes_file.change(lambda notes: notes.rewind(position))
        except TableError as error:
            log.warning("new matches may be counted for the wrong dice: %s", error)

    def start_dice_set(self, name: str) -> None:
        """Record that all matches from now on are played with the set of dice called `name`.

        Raises:
            TableError: If this cannot be saved.
        """
        dice = DiceSetPeriod(name, self._reviews.newest())
        self._notes_file.change(lambda notes: notes.with_dice(dice))
