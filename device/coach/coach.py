"""The coach: chances at the table and reviews of past matches, computed in a separate process."""

import logging
import pickle
from collections import Counter, OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from threading import Condition, RLock
from time import monotonic
from typing import Any

from device.coach.notes_file import NotesFile
from device.coach.worker_client import WorkerClient
from game.errors import GameError, JournalError, OddsError
from game.journal.history import History, PlayedMatch
from game.match.events import Bot, Event, PlayerStyle
from game.match.match import Match
from game.match.state import State
from game.message import Message
from game.odds.match_model import unsolvable_reason
from game.odds.review import Caveat, Figures, Review
from game.odds.several_players import PLAYERS, can_solve
from game.practice.handicap import HeadStart
from game.rules.ruleset import Ruleset
from game.situation import TableError
from game.stats.counts import DiceSetPeriod, Totals
from web.contracts import Coaching, CoachMode, ReviewedMatch

log = logging.getLogger(__name__)

SLICE_S = 0.25
"""Length of a slice of the computation in seconds: short, so that a question about the match in play is answered
soon."""

PROGRESS_STEPS = 100
"""Number of steps in which progress is reported."""

MAX_REVIEWS = 120
"""Largest number of reviews in the cache, which are pickled and then take 20 to 50 kB each, a fifth of their size.

The page about an evening needs 20 of them at once, and so does each person who practises with their own decisions. If
they did not fit together, each page would wait for reviews that the others displace. The review that was not used for
the longest time is dropped first."""

MAX_PENDING = 2
"""Largest number of reviews computed at a time, so that questions about the match in play need not wait."""

MAX_TRIES = 3
"""How often a review or a count that fails is tried. The process may have died for a reason that passes, such as too little memory."""

COUNT_WAIT_S = 1.0
"""Longest time that `counts` waits, in seconds from when counting began. After another step of a match, only that match is
counted again, which takes a few milliseconds. While a whole journal is counted, pages that ask again must not wait again:
they would use up the threads of the web server."""

ANSWER_S = 60.0
"""Longest time to wait for an answer, in seconds. A person's style of play is learnt from whole matches."""

TABLES = "odds"
"""Name of the folder with the tables of chances, in the state folder."""


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
        self._three = False
        self._done = 0.0
        self._troubles: dict[Ruleset, Message] = {}

    def share(self, rules: Ruleset) -> float | None:
        """Return how much of the table for these rules is done, from 0 to 1, or None if it is not being computed."""
        with self._lock:
            return self._done if self._rules == rules else None

    def trouble(self, rules: Ruleset) -> Message | None:
        """Return why no chances can be computed under these rules, or None if they can."""
        return self._troubles.get(rules) or unsolvable_reason(rules)

    def begin(self, rules: Ruleset, *, three: bool = False) -> None:
        """Start computing the table for these rules, slice by slice. Work already done for other rules is saved.

        Args:
            rules: The rules.
            three: Whether to solve the match of three players exactly as well.
        """
        with self._lock:
            if self.trouble(rules) or (self._rules == rules and self._three >= three):
                return
            idle = self._rules is None
            self._rules, self._three, self._done = rules, three, 0.0
            if idle:
                self._ask_for_slice(rules)

    def stop(self) -> None:
        """Stop after the current slice."""
        with self._lock:
            self._rules = None

    def _ask_for_slice(self, rules: Ruleset) -> None:
        future = self._worker.ask("solve", rules, SLICE_S, self._three)
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


ReviewKey = tuple[str, int, int]
"""Identity of the journal, number of the match, and number of its steps."""

CountsKey = tuple[str, int, tuple[DiceSetPeriod, ...]]
"""Identity of the journal, position of its last entry, and the sets of dice."""


class Reviews:
    """Caches reviews and statistics of past matches until the journal changes.

    Args:
        worker: Computes reviews and statistics in the background.
        history: All matches in the journal.
        on_unsolved: Called with the number of a match whose review contains no chances of winning.
        clock: Monotonic clock, in seconds.
    """

    def __init__(
        self,
        worker: WorkerClient,
        history: History,
        on_unsolved: Callable[[int], object] = lambda _: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._worker, self._history, self._on_unsolved = worker, history, on_unsolved
        self._clock = clock
        self._lock = Condition(RLock())
        self._reviews: OrderedDict[ReviewKey, bytes | None] = OrderedDict()
        self._failures: Counter[ReviewKey | CountsKey] = Counter()
        self._counts: Totals | None = None
        self._counted: CountsKey | None = None
        self._counts_due_s = 0.0

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        """Return the review of a match, or None while it is being computed.

        Args:
            match_id: Number of the match in the journal.
            steps: Number of steps in the match. After another step, the match is reviewed again.

        Raises:
            OddsError: If the review has failed `MAX_TRIES` times.
        """
        key = self._history.identity, match_id, steps
        with self._lock:
            if self._failures[key] >= MAX_TRIES:
                raise OddsError(
                    "the coach cannot review match %(n)s: restart Traykeeper; if that does not help, "
                    "send a report with `traykeeper doctor --zip report.zip`",
                    n=str(match_id),
                )
            pending = sum(found is None for found in self._reviews.values())
            if key not in self._reviews and pending < MAX_PENDING:
                self._reviews[key] = None
                while len(self._reviews) > MAX_REVIEWS:
                    self._reviews.popitem(last=False)
                future = self._worker.ask("review", match_id)
                future.add_done_callback(lambda done: self._take_review(key, done))
            found = self._look_up(key)
        return pickle.loads(found) if found else None  # noqa: S301 - pickled below

    def has_review(self, match_id: int, steps: int) -> bool:
        """Return whether the cache contains the review of a match."""
        with self._lock:
            return bool(self._look_up((self._history.identity, match_id, steps)))

    def _look_up(self, key: ReviewKey) -> bytes | None:
        """Return what the cache contains for a match, and note that it was used last."""
        if key in self._reviews:
            self._reviews.move_to_end(key)
        return self._reviews.get(key)

    def forget(self) -> None:
        """Drop all reviews, because new ones can contain chances of winning."""
        with self._lock:
            self._reviews.clear()
            self._failures.clear()

    def _take_review(
        self, key: ReviewKey, future: "Future[tuple[Review, bool, tuple[Caveat, ...]]]"
    ) -> None:
        with self._lock:
            if error := future.exception():
                log.warning("cannot review match %s: %s", key[1], error)
                self._reviews.pop(key, None)
                self._failures[key] += 1
                return
            found = ReviewedMatch(*future.result())
            if key in self._reviews:
                self._reviews[key] = pickle.dumps(found)
        if not found.solved:
            self._on_unsolved(key[1])

    def counts(self, sets: tuple[DiceSetPeriod, ...]) -> Totals | None:
        """Return the statistics of all matches for these sets of dice, or None if computing them takes a while.

        Raises:
            OddsError: If counting has failed `MAX_TRIES` times since the last step of a match.
        """
        key = self._history.identity, self.newest(), sets
        with self._lock:
            if self._failures[key] >= MAX_TRIES:
                raise OddsError(
                    "the coach cannot count the matches: restart Traykeeper; if that does not help, "
                    "send a report with `traykeeper doctor --zip report.zip`"
                )
            if key != self._counted:
                self._counted, self._counts = key, None
                self._counts_due_s = self._clock() + COUNT_WAIT_S
                self._count(key)
            left_s = self._counts_due_s - self._clock()
            self._lock.wait_for(lambda: self._counts or self._counted != key, left_s)
            return self._counts if self._counted == key else None

    def newest(self) -> int:
        """Return the position of the last entry in the journal, or 0 if the journal is empty."""
        return next((played.position for played in self._history.matches(limit=1)), 0)

    def _count(self, key: CountsKey) -> None:
        future = self._worker.ask("count", key[2], SLICE_S)
        future.add_done_callback(lambda done: self._take_counts(key, done))

    def _take_counts(self, key: CountsKey, future: "Future[Totals | None]") -> None:
        with self._lock:
            if self._counted != key:
                return  # the journal has changed, so the matches are being counted again
            if error := future.exception():
                log.warning("cannot count the matches: %s", error)
                self._counted = None
                self._failures[key] += 1
            elif (found := future.result()) is None:
                self._count(key)
            else:
                self._counts = found
            self._lock.notify_all()


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
        self._is_played, self._won_match = False, 0

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
            self._note_win(match)
        mode = self._notes_file.notes.mode_in(match)
        if mode is CoachMode.OFF or match is None:
            return Coaching(mode)
        rules, shown = match.rules, self._figures.shown(match, mode)
        return Coaching(mode, shown, self._solving.share(rules), self._solving.trouble(rules))

    def _on_figures(self, match: Match, found: Figures) -> None:
        is_on = self._notes_file.notes.mode_in(match) is not CoachMode.OFF
        short = Caveat.SEVERAL in found.caveats and len(match.state.order) == PLAYERS
        three = short and match.state.closer is None and can_solve(match.rules)
        if is_on and (three or not found.solved):
            self._solving.begin(match.rules, three=three)
        self._changed()

    def _on_progress(self, solved: Ruleset | None) -> None:
        """Show progress. Once chances of winning can be computed, drop results and reviews that lack them."""
        if solved:
            self._reviews.forget()
            self._figures.forget()
            self._review_last_won()
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
        """Return how a person plays."""
        found: PlayerStyle = self._answer("style", name, rules)
        return found

    def head_start(self, rules: Ruleset) -> HeadStart:
        """Return the head start that gives equally good players equal chances."""
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

    def _note_win(self, match: Match) -> None:
        """Begin to review the match in play if it has just been won."""
        was_played, self._is_played = self._is_played, match.state.winner is None
        if was_played and not self._is_played and (played := self._newest_match()):
            self._won_match = played.id
            self._review_last_won()

    def _review_last_won(self) -> None:
        """Begin to review the match that was won last, unless another match has begun since."""
        played = self._newest_match()
        if played and played.id == self._won_match:
            with suppress(OddsError):  # the page of the match says so
                self._reviews.review(played.id, played.steps)

    def _newest_match(self) -> PlayedMatch | None:
        try:
            return next(iter(self._history.matches(limit=1)), None)
        except JournalError as error:
            log.warning("cannot review the last match: %s", error)
            return None

    def _solve_if_just_won(self, match_id: int) -> None:
        if match_id == self._won_match:
            self.solve(match_id)

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        """Return the review of a match, or None while it is being computed.

        Raises:
            OddsError: If the review has failed too often to be tried again.
        """
        found = self._reviews.review(match_id, steps)
        if found is None or found.solved:
            return found
        rules = self._history.match(match_id).rules
        share, trouble = self._solving.share(rules), self._solving.trouble(rules)
        return replace(found, solving=share, trouble=trouble)

    def has_review(self, match_id: int, steps: int) -> bool:
        """Return whether the review of a match is ready."""
        return self._reviews.has_review(match_id, steps)

    def solve(self, match_id: int) -> None:
        """Begin to compute the chances of winning under the rules of the match with this number."""
        self._solving.begin(self._history.match(match_id).rules)
        self._changed()

    def counts(self) -> Totals | None:
        """Return the statistics of all matches, or None if computing them takes a while.

        Raises:
            OddsError: If counting has failed too often to be tried again.
        """
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
