"""What a journal says of itself, and the way up from older versions."""

import secrets
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

from game.errors import JournalError
from game.journal import table_definitions
from game.journal.entry import checksum
from game.journal.table_definitions import TABLES, VERSION
from game.message import Message


def prepare(db: sqlite3.Connection, path: Path | None = None) -> None:
    """Make the tables, or bring those of an older version up to this one.

    Args:
        db: the journal.
        path: its file: what it was is copied beside it first. None where it is in memory.

    Raises:
        JournalError: a newer Traykeeper wrote the file.
        sqlite3.Error: it cannot be read or written.
    """
    version = table_definitions.format_version(db)
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
        while 0 < version < VERSION:
            version = UPGRADES[version](db)
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def tolerate_bad_text(db: sqlite3.Connection) -> sqlite3.Connection:
    """The same, but that damaged text comes as it is: its seal tells."""
    db.text_factory = partial(str, encoding="utf-8", errors="replace")
    return db


def identity(db: sqlite3.Connection) -> str:
    """What tells this journal from every other, and from itself before a backup was restored."""
    (value,) = db.execute("SELECT value FROM about WHERE name = 'identity'").fetchone()
    return str(value)


def assign_identity(db: sqlite3.Connection, before: str = "") -> None:
    """From now on it is another journal: what it says next may differ from what was told.

    `before` is the one whose place it takes.
    """
    named = [("identity", new_key()), ("before", before)]
    db.executemany("REPLACE INTO about VALUES (?, ?)", named)


def previous_identity(db: sqlite3.Connection) -> str:
    """Whose place this journal took; "" where it is the first."""
    row = db.execute("SELECT value FROM about WHERE name = 'before'").fetchone()
    return str(row[0]) if row else ""


def mark_results_missing(db: sqlite3.Connection) -> None:
    """Matches were won here whose results are not kept."""
    db.execute("REPLACE INTO about VALUES ('results', 'missing')")


def are_results_missing(db: sqlite3.Connection) -> bool:
    """Whether they have to be worked out."""
    return db.execute("SELECT 1 FROM about WHERE name = 'results'").fetchone() is not None


def mark_results_complete(db: sqlite3.Connection) -> None:
    """All of them are kept now."""
    db.execute("DELETE FROM about WHERE name = 'results'")


def new_key() -> str:
    """A name that nothing else has."""
    return secrets.token_hex(8)


def _copy(db: sqlite3.Connection, path: Path) -> None:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as copy:
        db.backup(copy)


def _make(db: sqlite3.Connection) -> None:
    for statement in TABLES.split(";"):  # executescript would commit
        db.execute(statement)
    assign_identity(db)


def _from_1(db: sqlite3.Connection) -> int:
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
        [(match, seq, body, checksum(match, seq, None, body)) for match, seq, body in rows],
    )
    return 3


def _from_2(db: sqlite3.Connection) -> int:
    """Results had no seal: they are worked out again."""
    db.execute("ALTER TABLE entry ADD COLUMN request TEXT")
    db.execute("UPDATE match SET result = NULL")
    mark_results_missing(db)
    return 3


UPGRADES: Mapping[int, Callable[[sqlite3.Connection], int]] = {1: _from_1, 2: _from_2}
"""What turns the tables of a version into those of a newer one; gives which."""
