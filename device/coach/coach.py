"""The coach: chances at the table and reviews of past matches, computed in a separate process."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from device.coach.just_won import JustWon
from device.coach.match_figures import MatchFigures
from device.coach.notes_file import NotesFile
from device.coach.reviews import Reviews
from device.coach.solving import Solving
from device.coach.worker_client import WorkerClient
from game.errors import GameError
from game.journal.history import History
from game.match.bot import Bot, PlayerStyle
from game.match.events import Event
from game.match.match import Match
from game.match.state import State
from game.message import Message
from game.odds.figures import Figures
from game.practice.handicap import HeadStart
from game.rules.ruleset import Ruleset
from game.situation import TableError
from game.stats.counts import DiceSetPeriod, Totals
from web.contracts import Coaching, CoachMode, ReviewedMatch

ANSWER_S = 60.0
"""Longest time to wait for an answer, in seconds. A person's style of play is learnt from whole matches."""

log = logging.getLogger(__name__)

TABLES = "odds"
"""Name of the folder with the tables of chances, in the state folder."""


class TableCoach:
    """Answers the page's questions about chances and statistics. It implements `web.contracts.Coach`.

    Args:
        worker: Computes the answers in the background.
        history: All matches in the journal.
        notes_file: Stores how much the coach says, and which dice were used when.
        changed: Called from any thread when there is something new to show.
    """

    def __init__(
        self,
        worker: WorkerClient,
        history: History,
        notes_file: NotesFile,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        self._changed = changed
        self._worker, self._history, self._notes_file = worker, history, notes_file
        self._reviews = Reviews(worker, history, self._solve_if_just_won)
        self._solving = Solving(worker, self._on_progress)
        self._figures = MatchFigures(worker, self._on_figures)
        self._just_won = JustWon(history, self._reviews.review)

    def close(self) -> None:
        """End the process that computes the answers."""
        self._worker.close()

    # During a match

    def switch(self, mode: CoachMode, match: Match | None = None) -> None:
        """Choose how much the coach says.

        Args:
            mode: The amount of advice that the coach gives.
            match: The match in play, which decides whether this applies to matches between people
                or to matches against a bot; None means matches between people.

        Raises:
            TableError: If the mode cannot be saved.
        """
        self._notes_file.change(lambda notes: notes.with_mode(mode, match))
        if mode is CoachMode.OFF:
            self._solving.stop()
            self._figures.stop()

    def coaching(self, match: Match | None) -> Coaching:
        """Return what the coach knows about this match now. The result may change whenever `changed` is called."""
        if match is not None:
            self._just_won.note(match)
        mode = self._notes_file.notes.mode_in(match)
        if mode is CoachMode.OFF or match is None:
            return Coaching(mode)
        rules, shown = match.rules, self._figures.shown(match, mode)
        return Coaching(mode, shown, self._solving.share(rules), self._solving.trouble(rules))

    def _on_figures(self, match: Match, found: Figures) -> None:
        is_on = self._notes_file.notes.mode_in(match) is not CoachMode.OFF
        if is_on and not found.solved:
            self._solving.begin(match.rules)
        self._changed()

    def _on_progress(self, solved: Ruleset | None) -> None:
        """Show progress. Once chances of winning can be computed, drop results and reviews that lack them."""
        if solved:
            self._reviews.forget()
            self._figures.forget()
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
