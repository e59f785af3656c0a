"""A reader of a journal's matches and entries that works while another program is writing them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from game.errors import GameError, JournalError, reason
from game.journal import schema
from game.journal.entry import START_SEQ, Entry, Result, entry_from_row
from game.journal.schema import END_POSITION, load_match, select_entries, with_series_score
from game.match.match import Match
from game.match.series import Series
from game.message import Message
from game.rules.ruleset import Ruleset

BUSY_TIMEOUT_S = 5.0
"""How long a reader waits for a writer. No writer locks the file for that long."""

_MATCHES = """
SELECT match, MAX(position) AS last, MAX(seq), key, result
FROM entry JOIN match ON match.id = entry.match
"""

MAX_REQUESTS = 200
"""Number of newest steps whose request ids are returned. A phone repeats a request within minutes."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """One match in a list of matches.

    Attributes:
        id: Number of the match in this journal.
        key: Unique id of the match, across all journals.
        position: Position of the match's last entry. The next page of the list starts before it.
        steps: Number of steps, including those that were undone.
        rules: The rules of the match.
        result: The current or final standings.
        begun_s: When the match began, in seconds since 1970. None if the clock was not set.
        last_s: When the last step was taken, in seconds since 1970. None if the clock was not set.
        series: The series to which the match belongs, without its score; None for a single match.
    """

    id: int
    key: str
    position: int
    steps: int
    rules: Ruleset
    result: Result
    begun_s: float | None
    last_s: float | None
    series: Series | None

    @property
    def ended(self) -> bool:
        """Whether somebody has won. A match that nobody has won yet can be continued."""
        return self.result.winner is not None


@dataclass(frozen=True, slots=True)
class UnreadableMatch:
    """A match in the list that this version of Traykeeper cannot replay.

    Attributes:
        id: Number of the match in this journal.
        position: Position of the match's last entry.
        why: Why it cannot be replayed.
    """

    id: int
    position: int
    why: Message


class History:
    """A read-only view of a journal. Any thread may use it: each call opens its own connection.

    >>> history = History(Path("journal.db"))
    >>> [(played.result.names, played.result.scores) for played in history.matches(limit=10)]
    >>> history.match(3).state.turns
    >>> for entry in history.entries(after=1200): ...

    Raises (every method):
        JournalError: If the journal cannot be read, or has no such match.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def identity(self) -> str:
        """Id of the journal. It changes when a backup is restored."""
        with _reading(self.path) as db:
            return schema.identity(db)

    @property
    def version(self) -> tuple[str, int]:
        """The id of the journal and its last position. The content changes only if one of them does."""
        with _reading(self.path) as db:
            (newest,) = db.execute("SELECT MAX(position) FROM entry").fetchone()
            return schema.identity(db), newest or 0

    def matches(self, *, before: int = END_POSITION, limit: int = 50) -> tuple[PlayedMatch, ...]:
        """Return the matches that can be read, the most recently played first.

        Args:
            before: Only return matches whose last entry is before this position.
            limit: Largest number of matches to return.
        """
        with _reading(self.path) as db:
            found = (each for each, _ in _listed(db, before) if isinstance(each, PlayedMatch))
            return tuple(islice(found, limit))

    def all_matches(
        self, *, before: int = END_POSITION, limit: int = 50
    ) -> tuple[PlayedMatch | UnreadableMatch, ...]:
        """Return all matches, including those that cannot be read, the most recently played first.

        A match without any step, such as a rematch that was undone, is left out unless it is in play.

        Args:
            before: Only return matches whose last entry is before this position.
            limit: Largest number of matches to return.
        """
        with _reading(self.path) as db:
            (newest,) = db.execute("SELECT MAX(position) FROM entry").fetchone()
            found = (
                each
                for each, has_steps in _listed(db, before)
                if has_steps or each.position == newest
            )
            return tuple(islice(found, limit))

    def match(self, match_id: int) -> Match:
        """Return a match in its current state."""
        with _reading(self.path) as db:
            return load_match(db, match_id)

    def played(self, match_id: int) -> PlayedMatch:
        """Return one match as it appears in the list of matches."""
        with _reading(self.path) as db:
            row = db.execute(_MATCHES + "WHERE match.id = ? GROUP BY match", (match_id,)).fetchone()
            if row is None:
                raise JournalError("there is no match %(n)s", n=str(match_id))
            return _played(db, row)[0]

    def steps(self, match_id: int) -> tuple[Entry, ...]:
        """Return all entries of a match, from its start."""
        with _reading(self.path) as db:
            rows = select_entries(db, "WHERE match = ? ORDER BY seq", match_id)
            return tuple(map(entry_from_row, rows))

    def with_series_score(self, match_id: int, start: Match, before: int) -> Match:
        """Return a match before its first event with the score of its series as it was before a position.

        Args:
            match_id: Number of the match.
            start: The match before its first event.
            before: A position in the journal.
        """
        if start.state.series is None:
            return start
        with _reading(self.path) as db:
            return with_series_score(db, match_id, start, before)

    def entries(self, after: int = 0, limit: int = 500) -> tuple[Entry, ...]:
        """Return the entries of all matches after a position, in order.

        Args:
            after: A position in the journal. Only entries after it are returned.
            limit: Largest number of entries to return.
        """
        with _reading(self.path) as db:
            rows = select_entries(db, "WHERE position > ? ORDER BY position LIMIT ?", after, limit)
            return tuple(map(entry_from_row, rows))

    def count(self) -> int:
        """Return the number of matches."""
        with _reading(self.path) as db:
            (number,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
            return int(number)

    def match_sizes(self) -> tuple[tuple[int, str, int], ...]:
        """Return the number, the unique id and the number of the last step of each match.

        The matches are in the order in which they started.
        """
        query = (
            "SELECT id, key, MAX(seq) FROM match JOIN entry ON match = id GROUP BY id ORDER BY id"
        )
        with _reading(self.path) as db:
            return tuple(db.execute(query).fetchall())

    def requests(self, match_id: int | None = None) -> tuple[str, ...]:
        """Return the ids of the requests that caused the newest steps, newest first.

        Args:
            match_id: Number of a match whose steps are searched, all of them. By default, the latest steps of all
                matches are searched.
        """
        clause, values = (
            ("ORDER BY position DESC LIMIT ?", (MAX_REQUESTS,))
            if match_id is None
            else ("WHERE match = ? ORDER BY position DESC", (match_id,))
        )
        with _reading(self.path) as db:
            rows = db.execute(f"SELECT request FROM entry {clause}", values)  # noqa: S608 - from constants
            return tuple(request for (request,) in rows if request)

    def newest(self) -> tuple[int, str] | None:
        """Return the number and unique id of the match played last, or None if there is none."""
        query = "SELECT id, key FROM match JOIN entry ON match = id ORDER BY position DESC LIMIT 1"
        with _reading(self.path) as db:
            row = db.execute(query).fetchone()
        return (int(row[0]), str(row[1])) if row else None

    def key(self, match_id: int) -> str:
        """Return the unique id of a match, which is the same in all journals with that match."""
        with _reading(self.path) as db:
            row = db.execute("SELECT key FROM match WHERE id = ?", (match_id,)).fetchone()
        if row is None:
            raise JournalError("there is no match %(n)s", n=str(match_id))
        return str(row[0])

    def players(self, limit: int = 50) -> tuple[str, ...]:
        """Return the names of recent players, the most recent first, in their latest spelling."""
        names: dict[str, str] = {}
        for played in self.matches(limit=limit * 4):
            for name in played.result.names:
                names.setdefault(name.casefold(), name)
        return tuple(names.values())[:limit]

    def copy(self) -> bytes:
        """Return a copy of the whole journal, for a backup."""
        with _reading(self.path) as db, closing(sqlite3.connect(":memory:")) as copy:
            db.backup(copy)
            return copy.serialize()


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.exists():
        raise JournalError(
            "%(file)s: there is no journal: choose another folder with --state", file=str(path)
        )
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S)) as db:
            yield schema.tolerate_bad_text(db)
    except (sqlite3.Error, UnicodeDecodeError, GameError) as error:
        raise JournalError(
            "%(file)s: the journal cannot be read (%(why)s)", file=str(path), why=reason(error)
        ) from None


def _listed(
    db: sqlite3.Connection, before: int
) -> Iterator[tuple[PlayedMatch | UnreadableMatch, bool]]:
    """Yield each match with whether it has any step that was not undone. One that cannot be read counts as such."""
    newest_first = "GROUP BY match HAVING last < ? ORDER BY last DESC"
    for row in db.execute(_MATCHES + newest_first, (before,)).fetchall():
        match_id, last, *_ = row
        try:
            yield _played(db, row)
        except GameError as error:
            yield UnreadableMatch(match_id, last, error.message), True


def _played(
    db: sqlite3.Connection, row: tuple[int, int, int, str, str | None]
) -> tuple[PlayedMatch, bool]:
    match_id, last, seq, key, stored = row
    start, newest = (_entry(db, match_id, number) for number in (START_SEQ, seq))
    assert start.start_match is not None  # noqa: S101 - the first entry has one
    result, has_steps = Result.from_text(stored, match_id, seq), True
    if result is None:
        match = load_match(db, match_id)
        result, has_steps = Result.of(match), bool(match.timeline)
    rules, series = start.start_match.rules, start.start_match.start_state.series
    times_s = (start.time_s, newest.time_s)
    played = PlayedMatch(match_id, key, last, seq, rules, result, *times_s, series)
    return played, has_steps or played.ended


def _entry(db: sqlite3.Connection, match_id: int, seq: int) -> Entry:
    return entry_from_row(
        select_entries(db, "WHERE match = ? AND seq = ?", match_id, seq).fetchone()
    )
