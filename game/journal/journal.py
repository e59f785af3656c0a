"""The events of matches on disk: each is there before anyone is told that it happened.

SQLite with a write-ahead log and full synchronisation: what `append` returned from survives a
pulled plug. Nothing else is true; a match is the fold of its entries. `game.journal.history` reads.
"""

import fcntl
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from game.errors import DamagedJournal, GameError, JournalError, reason
from game.journal import schema
from game.journal.entry import (
    BEGINNING,
    COLUMNS,
    Result,
    Row,
    beginning_text,
    body_of,
    entry_of,
    holds,
    known,
    seal,
)
from game.match.events import Action
from game.match.match import Match
from game.message import Message

FILE = "journal.db"
"""Its name in the state folder."""

WAL_BYTES = 1_048_576
"""What the log may keep of the disk when it was written back; SQLite does that every 1,000 pages."""


NO_LOG = b"\x01\x01"
"""Bytes 18 and 19 of a file that has no write-ahead log beside it; in memory there can be none."""


@dataclass(slots=True)
class Journal:
    """The record of all matches of one table. Used by one thread.

    Raises (every method):
        JournalError: the file cannot be read or written; says which and what to do.
        DamagedJournal: what it holds is not what was written.
    """

    path: Path
    _db: sqlite3.Connection
    _lock: IO[bytes]
    _clock: Callable[[], float]

    @classmethod
    def open(cls, path: Path, *, clock: Callable[[], float] = time.time) -> Self:
        """The journal in this file, made where there is none; every entry is looked at.

        Args:
            path: the file.
            clock: seconds since 1970, for people to read; it may jump as it likes.
        """
        with _as_journal_error(path), ExitStack() as undo:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = undo.enter_context(_locked(path.with_suffix(".lock")))
            db = schema.lenient(
                sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            )
            undo.callback(db.close)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.execute(f"PRAGMA journal_size_limit={WAL_BYTES}")
            schema.prepare(db, path)
            _examine(db)
            undo.pop_all()  # all went well: the journal keeps both
        return cls(path, db, lock, clock)

    def close(self) -> None:
        self._db.close()
        self._lock.close()

    def start(self, match: Match) -> int:
        """Write down a new match; gives its number."""
        with self._one_write():
            row = self._db.execute("INSERT INTO match (key) VALUES (?)", (schema.new_key(),))
            assert row.lastrowid is not None  # noqa: S101 - an INSERT has one
            self._add(row.lastrowid, BEGINNING, beginning_text(match))
        return row.lastrowid

    def append(self, match_id: int, *actions: Action, result: Result | None = None) -> int:
        """Write one step of a match: actions that were pushed together; gives its position.

        `result` is that of a match which is won with this step.
        """
        with self._one_write():
            seq = self._next_seq(match_id)
            if seq == BEGINNING:
                raise JournalError(
                    Message(
                        "%(file)s: there is no match %(n)s", file=str(self.path), n=str(match_id)
                    )
                )
            position = self._add(match_id, seq, body_of(actions))
            if result:
                self._db.execute(
                    "UPDATE match SET result = ? WHERE id = ?", (result.to_text(seq), match_id)
                )
        return position

    def reopen(self, match_id: int) -> Match:
        """Take up an older match: from now on it is the newest. That is on disk, too."""
        match = self._match(match_id)
        self.append(match_id)
        return match

    def newest(self) -> tuple[int, Match] | None:
        """The number of the match that was played last and the match as it stands, or None."""
        with _as_journal_error(self.path):
            row = self._db.execute(
                "SELECT match FROM entry ORDER BY position DESC LIMIT 1"
            ).fetchone()
        return None if row is None else (row[0], self._match(row[0]))

    def restore(self, copy: bytes) -> None:
        """Take the place of everything here with what `History.copy` gave, at once or not.

        It gets another identity: whoever follows the journal has to begin anew.
        """
        with _as_journal_error(self.path), closing(opened(copy)) as source:
            source.backup(self._db)
            schema.renew(self._db)

    def adopt(self, rows: Iterable[Row], keys: Mapping[int, str]) -> int:
        """Add entries of another copy of this journal that go on where it ends; gives how many.

        Args:
            rows: in the order of their positions.
            keys: of the matches that begin in them, as far as they are known.
        """
        adopted = 0
        with self._one_write():
            for _, match_id, seq, time_s, body, sealed in rows:
                if seq != self._next_seq(match_id):
                    continue
                if seq == BEGINNING:
                    key = keys.get(match_id) or schema.new_key()
                    self._db.execute("INSERT INTO match (id, key) VALUES (?, ?)", (match_id, key))
                self._insert((match_id, seq, time_s, body, sealed))
                adopted += 1
        return adopted

    def _match(self, match_id: int) -> Match:
        with _as_journal_error(self.path):
            return fold(self._db, match_id)

    def _next_seq(self, match_id: int) -> int:
        (last,) = self._db.execute(
            "SELECT MAX(seq) FROM entry WHERE match = ?", (match_id,)
        ).fetchone()
        return BEGINNING if last is None else int(last) + 1

    def _add(self, match_id: int, seq: int, body: str) -> int:
        time_s = known(self._clock())
        return self._insert((match_id, seq, time_s, body, seal(match_id, seq, time_s, body)))

    def _insert(self, values: tuple[int, int, float | None, str, int]) -> int:
        row = self._db.execute(
            "INSERT INTO entry (match, seq, time, body, seal) VALUES (?, ?, ?, ?, ?)", values
        )
        return row.lastrowid or 0

    @contextmanager
    def _one_write(self) -> Iterator[None]:
        """All of it on the disk at its end, or nothing."""
        with _as_journal_error(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("ROLLBACK")
                raise


def fold(db: sqlite3.Connection, match_id: int) -> Match:
    """The match as it stands after all its entries."""
    rows = db.execute(f"SELECT {COLUMNS} FROM entry WHERE match = ? ORDER BY seq", (match_id,))  # noqa: S608 - our own words
    match: Match | None = None
    for entry in map(entry_of, rows):
        match = entry.begun or match
        if match is None:
            break
        match = match.push(*entry.actions)
    if match is None:
        raise JournalError(Message("there is no match %(n)s", n=str(match_id)))
    return match


def opened(copy: bytes) -> sqlite3.Connection:
    """A journal in memory, with the tables of today.

    Raises:
        JournalError: a newer Traykeeper wrote it.
        sqlite3.Error: it is damaged, or no journal at all.
    """
    db = schema.lenient(sqlite3.connect(":memory:", isolation_level=None))
    try:
        db.deserialize(copy[:18] + NO_LOG + copy[20:])
        schema.prepare(db)
        _examine(db)
    except BaseException:
        db.close()
        raise
    return db


def _examine(db: sqlite3.Connection) -> None:
    """Whether it is whole: SQLite's own look at its pages, and the seal of every entry."""
    try:
        (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
        rows = db.execute(f"SELECT {COLUMNS} FROM entry")  # noqa: S608 - our own words
        broken = next((row[0] for row in rows if not holds(row)), None)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # the disk's fault
            raise
        raise sqlite3.DatabaseError(str(error)) from None  # a table is not there
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)
    if broken is not None:
        raise sqlite3.DatabaseError(f"entry {broken} has changed since it was written")


def _locked(path: Path) -> IO[bytes]:
    """A lock file held by this process alone, for as long as it is open."""
    lock = path.open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise JournalError(
            Message(
                "%(folder)s: another Traykeeper keeps its matches there: stop it, or use --state",
                folder=str(path.parent),
            )
        ) from None
    return lock


@contextmanager
def _as_journal_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise JournalError(
            Message(
                "%(file)s: the journal cannot be used (%(why)s): is the disk full or read-only?",
                file=str(path),
                why=str(error),
            )
        ) from None
    except JournalError as error:
        if not isinstance(error, DamagedJournal):
            raise
        raise _damaged(path, error) from None
    except (sqlite3.Error, GameError, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> DamagedJournal:
    return DamagedJournal(
        Message(
            "%(file)s: the journal is damaged (%(why)s): move the file away to start with a new one",
            file=str(path),
            why=reason(error),
        )
    )
