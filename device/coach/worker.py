"""The worker process of the coach: `python -m device.coach.worker`.

It reads questions from a pipe, answers them one after another, and ends when the pipe is closed. What it logs goes through
the pipe as well, into the companion's log.
"""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

from game.errors import GameError, OddsError
from game.journal.history import History
from game.match.events import Bot, Event, PlayerStyle
from game.match.match import Match
from game.match.state import State
from game.odds.match_odds import MatchOdds, rules_digest
from game.odds.review import Caveat, Figures, Review, caveats, figures, review
from game.odds.several_players import ExactMatch, exact_three, remember_three
from game.odds.table_store import TableStore
from game.practice.handicap import HeadStart, even_head_start
from game.practice.learning import style_of
from game.practice.strategy import strategy_of
from game.rules.ruleset import Ruleset
from game.stats.counts import DiceSetPeriod, MatchCounter, Totals

log = logging.getLogger("device.coach.worker")  # in this process, the module is called __main__

NICENESS = 10
"""Added to the nice value of the companion: on a busy core the worker gets a tenth of the time of a reading, and still
answers in seconds when a person is waiting for a bot. At the lowest priority, it would hardly run at all."""

SAVE_INTERVAL_S = 20.0
_STILL_WORKING = 0.99
"""The share that is reported when the table for two players is done and the match of three is not."""

MAX_TABLES = 4
"""Largest number of tables in memory, of 0.3 to 3 MB each."""


class Worker:
    """Answers the questions of `device.coach.worker_client`; each public method answers one kind of question.

    Args:
        journal: Path of the journal, which is only read.
        tables: The stored tables of chances.
    """

    def __init__(self, journal: Path, tables: TableStore) -> None:
        self._history, self._tables = History(journal), tables
        self._cached: dict[str, MatchOdds | None] = {}
        self._solving: _Solving | None = None
        self._three: tuple[str, ExactMatch, Iterator[float]] | None = None
        self._counting, self._identity = MatchCounter(self._history), ""

    def figures(self, match: Match) -> Figures:
        """Return what the coach can show about a match in its current state, such as the value of each keep."""
        return figures(match, self._wins(match.rules))

    def decide(self, bot: Bot, state: State) -> Event | None:
        """Return what a bot decides to do, or None if it decides to throw.

        Args:
            bot: The bot whose turn it is.
            state: The state of the match.
        """
        return strategy_of(bot, state.rules, self._wins(state.rules)).decide(state)

    def style(self, name: str, rules: Ruleset) -> PlayerStyle:
        """Return how a person plays, learnt from earlier matches.

        Args:
            name: Name of the person.
            rules: Rules of the match in which a bot will play like this person.

        Raises:
            OddsError: If the person has made too few decisions.
            JournalError: If the journal cannot be read.
        """
        return style_of(self._history, name, rules)

    def head_start(self, rules: Ruleset) -> HeadStart:
        """Return the head start that gives two equally good players the same chance of winning.

        Raises:
            OddsError: If no table of chances exists for these rules.
        """
        return even_head_start(self._wins(rules) or self._tables.begin(rules))

    def review(self, match_id: int) -> tuple[Review, bool, tuple[Caveat, ...]]:
        """Return the review of a match, whether it contains chances of winning, and what those chances ignore.

        Raises:
            JournalError: If there is no such match.
        """
        match = self._history.match(match_id)
        wins = self._wins(match.rules)
        try:
            found = review(match, wins)
        except OddsError:  # these rules have no odds, so nothing is known about luck and decisions
            found = review(match, since=len(match.timeline))
        return found, wins is not None and wins.solved, caveats(match, wins)

    def solve(self, rules: Ruleset, seconds: float, three: bool = False) -> float:  # noqa: FBT001, FBT002 - sent as a plain argument
        """Work on the chances for some rules, and return how much of the work is done, from 0 to 1.

        The table for two players comes first.

        Args:
            rules: The rules under which the chances apply.
            seconds: How long to work, in seconds.
            three: Whether to solve the match of three players exactly as well.

        Raises:
            OddsError: If the table cannot be computed or saved.
        """
        key = rules_digest(rules, rules.target)
        wins = self._wins(rules)
        if three and wins is not None and wins.solved:
            return self._solve_exactly(key, rules, wins, seconds)
        if self._solving is None or self._solving.key != key:
            self.close()
            self._solving = _Solving(key, self._tables, self._tables.begin(rules))
        share = self._solving.advance(seconds)
        if share == 1.0:
            self.close()
            self._cached.pop(key, None)
        return min(share, _STILL_WORKING) if three else share

    def _solve_exactly(self, key: str, rules: Ruleset, wins: MatchOdds, seconds: float) -> float:
        if exact_three(wins) is not None:
            return 1.0
        if self._three is None or self._three[0] != key:
            solved = ExactMatch(rules, rules.target)
            self._three = key, solved, solved.solve()
        _, solved, shares = self._three
        until_s, share = monotonic() + seconds, 0.0
        for share in shares:
            if monotonic() >= until_s and share < 1:
                return share
        remember_three(wins, solved)
        self._three = None
        return 1.0

    def count(self, sets: tuple[DiceSetPeriod, ...], seconds: float) -> Totals | None:
        """Count matches for a while; return the statistics, or None if some matches have not been counted yet.

        Args:
            sets: The sets of dice, each with the position in the journal after which it was used.
            seconds: How long to work, in seconds.

        Raises:
            JournalError: If the journal cannot be read.
        """
        if self._identity != self._history.identity:
            self._identity = self._history.identity
            self._counting.reset()
        until_s = monotonic() + seconds
        for _ in self._counting.update():
            if monotonic() >= until_s:
                return None
        return self._counting.counts(sets)

    def close(self) -> None:
        """Save the table that is being computed, if there is one."""
        if self._solving:
            self._solving.save()
            self._solving = None

    def _wins(self, rules: Ruleset) -> MatchOdds | None:
        key = rules_digest(rules, rules.target)
        if key not in self._cached:
            while len(self._cached) >= MAX_TABLES:
                self._cached.pop(next(iter(self._cached)))
            self._cached[key] = self._tables.find(rules)
        return self._cached[key]


class _Solving:
    """A table of chances that is being computed, and is saved from time to time.

    Args:
        key: Identifies the rules of the table.
        tables: Stores the table.
        wins: The table, as far as it has been computed.
    """

    def __init__(self, key: str, tables: TableStore, wins: MatchOdds) -> None:
        self.key, self._tables, self._wins = key, tables, wins
        self._shares: Iterator[float] = wins.solve()
        self._saved_s = monotonic()

    def advance(self, seconds: float) -> float:
        """Work for this many seconds, and return the share of the table that is done, from 0 to 1."""
        until_s = monotonic() + seconds
        share = next(self._shares, 1.0)
        while share < 1.0 and monotonic() < until_s:
            share = next(self._shares, 1.0)
        if share < 1.0 and monotonic() - self._saved_s > SAVE_INTERVAL_S:
            self.save()
        return share

    def save(self) -> None:
        self._tables.save(self._wins)
        self._saved_s = monotonic()


def main(descriptor: int, journal: str, tables: str) -> None:
    """Answer questions until the companion closes the pipe.

    Args:
        descriptor: File descriptor of the pipe.
        journal: Path of the journal.
        tables: Path of the folder with the tables of chances.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the companion
    with suppress(OSError):
        os.nice(NICENESS)
    worker = Worker(Path(journal), TableStore(Path(tables)))
    with Connection(descriptor) as connection, suppress(EOFError, OSError):
        logging.getLogger().addHandler(_CompanionLog(connection))
        while (request := connection.recv()) is not None:
            number, question, args = request
            connection.send((number, *_answer(worker, question, args)))
    with suppress(GameError):
        worker.close()


class _CompanionLog(logging.Handler):
    """A log handler that sends each record to the companion, with the traceback as text."""

    def __init__(self, connection: "Connection[Any, Any]") -> None:
        super().__init__()
        self._connection = connection

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record. Its arguments and its traceback may not survive pickling, so they become text first."""
        as_text = {"msg": self.format(record), "args": None, "exc_info": None, "exc_text": None}
        self._connection.send(logging.makeLogRecord(record.__dict__ | as_text))


def _answer(worker: Worker, question: str, args: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    try:
        return getattr(worker, question)(*args), None
    except GameError as error:
        return None, error
    except Exception as error:
        log.exception("the coach cannot answer the question %r", question)
        return None, RuntimeError(repr(error))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
