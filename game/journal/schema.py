"""The tables of the journal, their version, and the way up from older ones."""

import secrets
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

from game.errors import JournalError
from game.journal.entry import seal
from game.message import Message

VERSION = 2
"""Kept in the file's own `user_version`; 0 is a new file, or the first version, which had none."""

TABLES = """
CREATE TABLE about (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE match (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,      -- no other match anywhere has it
    result TEXT             -- of a match that was won: saves folding it for every list
);
CREATE TABLE entry (
    position INTEGER PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match,
    seq INTEGER NOT NULL,
    time REAL,
    body TEXT NOT NULL,
    seal INTEGER NOT NULL,
    UNIQUE (match, seq)
);
"""


def prepare(db: sqlite3.Connection, path: Path | None = None) -> None:
    """Make the tables, or bring those of an older version up to this one.

    Args:
        db: the journal.
        path: its file: what it was is copied beside it first. None where it is in memory.

    Raises:
        JournalError: a newer Traykeeper wrote the file.
        sqlite3.Error: it cannot be read or written.
    """
    version = _version(db)
    if version > VERSION:
        raise JournalError(
            Message(
                "%(file)s: a newer Traykeeper wrote it (format %(found)s, this one knows %(known)s):"
                " update this one, or use --state another folder",
                file=str(path) if path else Message("the journal"),
                found=str(version),
                known=str(VERSION),
            )
        )
    if version == VERSION:
        return
    if version and path:
        _copy(db, path.with_name(f"{path.stem}-format-{version}{path.suffix}"))
    db.execute("BEGIN IMMEDIATE")
    try:
        if not version:
            _make(db)
        for older in range(version or VERSION, VERSION):
            UP[older](db)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def lenient(db: sqlite3.Connection) -> sqlite3.Connection:
    """The same, but that damaged text comes as it is: its seal tells."""
    db.text_factory = partial(str, encoding="utf-8", errors="replace")
    return db


def identity(db: sqlite3.Connection) -> str:
    """What tells this journal from every other, and from itself before a backup was restored."""
    (value,) = db.execute("SELECT value FROM about WHERE name = 'identity'").fetchone()
    return str(value)


def renew(db: sqlite3.Connection) -> None:
    """From now on it is another journal: what it says next may differ from what was told."""
    db.execute("REPLACE INTO about VALUES ('identity', ?)", (new_key(),))


def new_key() -> str:
    """A name that nothing else has."""
    return secrets.token_hex(8)


def _version(db: sqlite3.Connection) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    old = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'step'").fetchone()
    return 1 if old and not version else int(version)


def _copy(db: sqlite3.Connection, path: Path) -> None:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as copy:
        db.backup(copy)


def _make(db: sqlite3.Connection) -> None:
    for statement in TABLES.split(";"):  # executescript would commit
        db.execute(statement)
    renew(db)


def _from_1(db: sqlite3.Connection) -> None:
    """Only the newest match was ever played: the order of matches is that of all steps."""
    matches = db.execute("SELECT id, setup FROM match ORDER BY id").fetchall()
    steps = db.execute("SELECT match, seq + 1, actions FROM step ORDER BY match, seq").fetchall()
    db.execute("DROP TABLE step")
    db.execute("DROP TABLE match")
    _make(db)
    rows = sorted([(match_id, 0, setup) for match_id, setup in matches] + steps)
    db.executemany(
        "INSERT INTO match (id, key) VALUES (?, ?)", [(m, new_key()) for m, _ in matches]
    )
    db.executemany(
        "INSERT INTO entry (match, seq, body, seal) VALUES (?, ?, ?, ?)",
        [(match, seq, body, seal(match, seq, None, body)) for match, seq, body in rows],
    )


UP: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _from_1}
"""What turns the tables of a version into those of the next."""
