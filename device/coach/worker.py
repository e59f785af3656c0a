"""The process that works out figures, aside from the companion: `python -m device.coach.worker`.

It gets questions over a pipe, answers one after the other, and ends when the pipe does.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

from game.errors import GameError
from game.journal.history import History
from game.match.match import Match
from game.odds.figures import Caveat, Figures, caveats, figures
from game.odds.match_odds import MatchOdds, rules_digest
from game.odds.review import Review, review
from game.odds.table_store import TableStore
from game.rules.ruleset import Ruleset
from game.stats.counts import DiceSetPeriod, MatchCounter, Totals

LOWEST = 19
"""Of all priorities."""

SAVE_EVERY_S = 20.0
REMEMBERED = 4
"""Tables of chances: 0.3 to 3 MB each."""


class Worker:
    """Answers the questions; see `device.coach.worker_client`.

    Args:
        journal: the file of all matches.
        tables: the tables of solved matches.
    """

    def __init__(self, journal: Path, tables: TableStore) -> None:
        self._history, self._tables = History(journal), tables
        self._remembered: dict[str, MatchOdds | None] = {}
        self._solving: _Solving | None = None
        self._counting, self._identity = MatchCounter(self._history), ""

    def figures(self, match: Match) -> Figures:
        """Of this match as it stands."""
        return figures(match, self._wins(match.rules))

    def look_back(self, match_id: int) -> tuple[Review, bool, tuple[Caveat, ...]]:
        """A match of the journal, whether chances to win are in it, and what these leave out.

        Raises:
            JournalError: there is no such match.
        """
        match = self._history.match(match_id)
        wins = self._wins(match.rules)
        return review(match, wins), wins is not None and wins.solved, caveats(match)

    def solve(self, rules: Ruleset, seconds: float) -> float:
        """Go on for so long with solving a match under these rules; gives the share that is done.

        Raises:
            OddsError: it has no solution, or cannot be written down.
        """
        key = rules_digest(rules, rules.target)
        if self._solving is None or self._solving.key != key:
            self.close()
            self._solving = _Solving(key, self._tables, self._tables.begin(rules))
        share = self._solving.go_on(seconds)
        if share == 1.0:
            self.close()
            self._remembered.pop(key, None)
        return share

    def count(self, sets: tuple[DiceSetPeriod, ...], seconds: float) -> Totals | None:
        """Go on for so long with counting all matches; None while some are not counted.

        Raises:
            JournalError: the journal cannot be read.
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
        """Keep what is solved so far."""
        if self._solving:
            self._solving.save()
            self._solving = None

    def _wins(self, rules: Ruleset) -> MatchOdds | None:
        key = rules_digest(rules, rules.target)
        if key not in self._remembered:
            while len(self._remembered) >= REMEMBERED:
                self._remembered.pop(next(iter(self._remembered)))
            self._remembered[key] = self._tables.find(rules)
        return self._remembered[key]


class _Solving:
    """A table that is being solved, and kept on disk meanwhile."""

    def __init__(self, key: str, tables: TableStore, wins: MatchOdds) -> None:
        self.key, self._tables, self._wins = key, tables, wins
        self._shares: Iterator[float] = wins.solve()
        self._saved_s = monotonic()

    def go_on(self, seconds: float) -> float:
        """Gives the share that is done."""
        until_s = monotonic() + seconds
        share = next(self._shares, 1.0)
        while share < 1.0 and monotonic() < until_s:
            share = next(self._shares, 1.0)
        if share < 1.0 and monotonic() - self._saved_s > SAVE_EVERY_S:
            self.save()
        return share

    def save(self) -> None:
        self._tables.save(self._wins)
        self._saved_s = monotonic()


def main(descriptor: int, journal: str, tables: str) -> None:
    """Answer until the companion is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the companion's
    with suppress(OSError):
        os.nice(LOWEST)
    worker = Worker(Path(journal), TableStore(Path(tables)))
    with Connection(descriptor) as connection, suppress(EOFError, OSError):
        while (asked := connection.recv()) is not None:
            number, question, args = asked
            connection.send((number, *_answer(worker, question, args)))
    with suppress(GameError):
        worker.close()


def _answer(worker: Worker, question: str, args: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    try:
        return getattr(worker, question)(*args), None
    except Exception as error:  # noqa: BLE001 - handed to whoever asked
        return None, error if isinstance(error, GameError) else RuntimeError(repr(error))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
