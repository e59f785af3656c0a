"""The SQLite database of a club board: the entries of every match, the results, and the players.

The entries are the source of truth. The tables `match` and `seat` contain what is derived from them,
so that the results of a year are one query.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import IO, Any, Self

from game.errors import GameError, reason
from game.journal.journal import lock_journal
from game.message import Message

SCHEMA_VERSION = 2

_SCHEMA = """
CREATE TABLE IF NOT EXISTS match (
    id TEXT PRIMARY KEY,
    tray TEXT NOT NULL,
    began REAL NOT NULL,
    rules TEXT NOT NULL,
    target INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    chain TEXT NOT NULL,
    winner INTEGER
);
CREATE INDEX IF NOT EXISTS match_began ON match (began);
CREATE TABLE IF NOT EXISTS entry (
    match TEXT NOT NULL REFERENCES match,
    seq INTEGER NOT NULL,
    chain TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (match, seq)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS player (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS called (
    key TEXT NOT NULL,
    tray TEXT NOT NULL,
    player INTEGER NOT NULL REFERENCES player,
    PRIMARY KEY (key, tray)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seat (
    match TEXT NOT NULL REFERENCES match,
    seat INTEGER NOT NULL,
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    player INTEGER REFERENCES player,
    team INTEGER,
    score INTEGER NOT NULL,
    won INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    farkles INTEGER NOT NULL,
    hot INTEGER NOT NULL,
    best_turn INTEGER NOT NULL,
    banked INTEGER NOT NULL,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seat_player ON seat (player);
CREATE TABLE IF NOT EXISTS tournament (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    plan TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS call (
    tournament INTEGER NOT NULL REFERENCES tournament,
    pairing INTEGER NOT NULL,
    tray TEXT NOT NULL,
    declined INTEGER NOT NULL,
    PRIMARY KEY (tournament, pairing)
) WITHOUT ROWID;
"""


class StoreError(GameError):
    """The database cannot be read or written. The message names the file and the remedy."""


class ClubStore:
    """The database of one club board. Safe to use from any thread.

    Every method raises `StoreError` if the file cannot be read or written.

    Args:
        path: The file, for error messages.
        db: The open connection.
        file_lock: Open file that keeps other boards out; closed with the store.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, file_lock: IO[bytes]) -> None:
        self._path, self._db, self._file_lock, self._lock = path, db, file_lock, RLock()

    def __repr__(self) -> str:
        return f"<ClubStore in {self._path}>"

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a database, which is created if it is missing.

        Raises:
            JournalError: If another board has it open.
        """
        with _as_store_error(path), ExitStack() as undo:
            path.parent.mkdir(parents=True, exist_ok=True)
            file_lock = undo.enter_context(lock_journal(path))
            db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            undo.callback(db.close)
            db.row_factory = sqlite3.Row
            # A power cut may lose the last entries: the trays send them again.
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > SCHEMA_VERSION:
                raise StoreError(
                    Message(
                        "%(file)s: this file is from a newer version: update this Traykeeper",
                        file=str(path),
                    )
                )
            db.executescript(_SCHEMA)
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            undo.pop_all()  # success: the store will close both
        return cls(path, db, file_lock)

    def close(self) -> None:
        """Close the database and let other boards open it."""
        with self._lock:
            self._db.close()
            self._file_lock.close()

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        """Return all rows of a query.

        Args:
            query: SQL with a placeholder for each value.
            values: The values.
        """
        with self._lock, _as_store_error(self._path), suppress(OverflowError):
            return self._db.execute(query, values).fetchall()
        return []  # a number beyond SQLite's range is in no row

    def row(self, query: str, *values: Any) -> sqlite3.Row | None:
        """Return the first row of a query, or None.

        Args:
            query: SQL with a placeholder for each value.
            values: The values.
        """
        return next(iter(self.rows(query, *values)), None)

    def run(self, query: str, *values: Any) -> int:
        """Execute a statement, and return the id of the row that it inserts, if any.

        Args:
            query: SQL with a placeholder for each value.
            values: The values.
        """
        with self._lock, _as_store_error(self._path):
            return self._db.execute(query, values).lastrowid or 0

    def run_each(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Execute a statement once for each row of values.

        Args:
            query: SQL with a placeholder for each value.
            rows: The values.
        """
        with self._lock, _as_store_error(self._path):
            self._db.executemany(query, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes within the `with` block, or none if it raises."""
        with self._lock, _as_store_error(self._path):
            self._db.execute("BEGIN")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")


@contextmanager
def _as_store_error(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(
            Message(
                "%(file)s: the club's history cannot be used (%(why)s): is the disk full or "
                "read-only?",
                file=str(path),
                why=reason(error),
            )
        ) from None
    except sqlite3.IntegrityError as error:
        raise StoreError(
            Message(
                "%(file)s: the club's history rejected a change (%(why)s) and is unchanged: "
                "restart the club board",
                file=str(path),
                why=reason(error),
            )
        ) from None
    except sqlite3.DatabaseError as error:
        raise StoreError(
            Message(
                "%(file)s: the club's history is damaged (%(why)s): move the file away, and "
                "the trays will send everything again",
                file=str(path),
                why=reason(error),
            )
        ) from None
