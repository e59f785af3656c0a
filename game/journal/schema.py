"""The information that a journal stores about itself, and the upgrades from older versions."""

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from game.errors import JournalError
from game.journal import table_definitions
from game.journal.entry import checksum
from game.journal.table_definitions import TABLES, VERSION
from game.message import Message


def prepare(db: sqlite3.Connection, path: Path | None = None) -> None:
    """Create the tables of a journal, or upgrade the tables of an older version.

    Args:
        db: Connection to the journal's database.
        path: The journal's file, which is copied before an upgrade. None for a database in memory.

    Raises:
        JournalError: If a newer version of Traykeeper wrote the file.
        sqlite3.Error: If the file cannot be read or written.
    """
    version = table_definitions.format_version(db)
    if version > VERSION:
        raise JournalError(
            "%(file)s: this file is from a newer version (format %(found)s, not "
            "%(known)s): update this Traykeeper, or choose another folder with --state",
            file=str(path) if path else Message("the journal"),
            found=str(version),
            known=str(VERSION),
        )
    if version == VERSION:
        return
    if version and path:
        _copy(db, path.with_name(f"{path.stem}-format-{version}{path.suffix}"))
    with transaction(db):
        if not version:
            _make(db)
        while 0 < version < VERSION:
            version = UPGRADES[version](db)
        db.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit all changes made in the block, or roll them back if an error is raised."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has already ended the transaction
            db.execute("ROLLBACK")
        raise


def tolerate_bad_text(db: sqlite3.Connection) -> sqlite3.Connection:
    """Make a connection return damaged text instead of raising an error, and return the connection.

    The checksums of the entries reveal the damage.
    """
    db.text_factory = partial(str, encoding="utf-8", errors="replace")
    return db


def identity(db: sqlite3.Connection) -> str:
    """Return the id of the journal. Restoring a backup changes it."""
    (value,) = db.execute("SELECT value FROM about WHERE name = 'identity'").fetchone()
    return str(value)


def assign_identity(db: sqlite3.Connection, before: str = "") -> None:
    """Give a journal a new identity, because its future entries may differ from published ones.

    Args:
        db: Connection to the journal's database.
        before: Identity of the journal that it replaces, or "" if it replaces none.
    """
    named = [("identity", new_key()), ("before", before)]
    db.executemany("REPLACE INTO about VALUES (?, ?)", named)


def previous_identity(db: sqlite3.Connection) -> str:
    """Return the identity of the journal that this one replaced, or "" if it replaced none."""
    row = db.execute("SELECT value FROM about WHERE name = 'before'").fetchone()
    return str(row[0]) if row else ""


def mark_results_missing(db: sqlite3.Connection) -> None:
    """Record in the journal that some results of finished matches are not stored yet."""
    db.execute("REPLACE INTO about VALUES ('results', 'missing')")


def are_results_missing(db: sqlite3.Connection) -> bool:
    """Return whether results of finished matches still have to be worked out."""
    return db.execute("SELECT 1 FROM about WHERE name = 'results'").fetchone() is not None


def mark_results_complete(db: sqlite3.Connection) -> None:
    """Record in the journal that the results of all finished matches are stored."""
    db.execute("DELETE FROM about WHERE name = 'results'")


def new_key() -> str:
    """Return a random id of sixteen hexadecimal digits."""
    return secrets.token_hex(8)


def _copy(db: sqlite3.Connection, path: Path) -> None:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as copy:
        db.backup(copy)


def _make(db: sqlite3.Connection) -> None:
    for statement in TABLES.split(";"):  # executescript would commit the transaction
        db.execute(statement)
    assign_identity(db)


def _from_1(db: sqlite3.Connection) -> int:
    """Upgrade version 1, in which only the newest match could be played; return the new version."""
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
    """Upgrade version 2, and return the new version.

    The results in version 2 had no checksum, so they have to be worked out again.
    """
    db.execute("ALTER TABLE entry ADD COLUMN request TEXT")
    db.execute("UPDATE match SET result = NULL")
    mark_results_missing(db)
    return 3


UPGRADES: Mapping[int, Callable[[sqlite3.Connection], int]] = {1: _from_1, 2: _from_2}
"""Version of the tables -> function that upgrades them and returns the new version."""
