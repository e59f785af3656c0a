"""The board's own SQLite: every entry of every match, and who sat where with which result.

Entries are the truth; `match` and `seat` are what they add up to, kept beside them so that a table
of a year is one query.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import IO, Any, Self

from game.errors import GameError, reason
from game.journal.file_guard import locked
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
    banked INTEGER,
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

_BANKED = "BEGIN; ALTER TABLE seat ADD COLUMN banked INTEGER; PRAGMA user_version=2; COMMIT"
"""From version 1 on: NULL until `MatchHistory` has counted it."""


class StoreError(GameError):
    """The board's history cannot be read or written; says which file and what to do."""


class ClubStore:
    """The file of a board, and of no other; any thread may ask, one at a time.

    Raises (every method):
        StoreError: the file cannot be read or written.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, alone: IO[bytes]) -> None:
        self._path, self._db, self._alone, self._lock = path, db, alone, RLock()

    def __repr__(self) -> str:
        return f"<ClubStore in {self._path}>"

    @classmethod
    def open(cls, path: Path) -> Self:
        """The board's history in this file, made where there is none.

        Raises:
            JournalError: another board has it open.
        """
        with _as_store_error(path), ExitStack() as undo:
            path.parent.mkdir(parents=True, exist_ok=True)
            alone = undo.enter_context(locked(path))
            db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            undo.callback(db.close)
            db.row_factory = sqlite3.Row
            # What a power cut takes from here, the trays tell again.
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > SCHEMA_VERSION:
                raise StoreError(
                    Message(
                        "%(file)s: a newer Traykeeper wrote it: bring this one up to date",
                        file=str(path),
                    )
                )
            if version == 1:
                db.executescript(_BANKED)
            db.executescript(_SCHEMA)
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            undo.pop_all()  # all went well: the store keeps them
        return cls(path, db, alone)

    def close(self) -> None:
        with self._lock:
            self._db.close()
            self._alone.close()

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock, _as_store_error(self._path), suppress(OverflowError):
            return self._db.execute(query, values).fetchall()
        return []  # what was asked for has a larger number than any row

    def row(self, query: str, *values: Any) -> sqlite3.Row | None:
        return next(iter(self.rows(query, *values)), None)

    def run(self, query: str, *values: Any) -> int:
        """Change something; gives the number of a row that was put in."""
        with self._lock, _as_store_error(self._path):
            return self._db.execute(query, values).lastrowid or 0

    def run_each(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self._lock, _as_store_error(self._path):
            self._db.executemany(query, rows)

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that is changed within the `with`, or none of it."""
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
                "%(file)s: the club's history does not take that (%(why)s) and stays as it was: "
                "start the board again",
                file=str(path),
                why=reason(error),
            )
        ) from None
    except sqlite3.DatabaseError as error:
        raise StoreError(
            Message(
                "%(file)s: the club's history is damaged (%(why)s): move the file away, "
                "the trays tell it again",
                file=str(path),
                why=reason(error),
            )
        ) from None
