"""What stands in a journal's tables: a match as the fold of its rows, rows that are added or examined."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from game.errors import JournalError
from game.journal import schema, table_definitions
from game.journal.entry import COLUMNS, START_SEQ, Row, entry_from_row, is_intact
from game.journal.trace import Keys, Requests
from game.match.match import Match
from game.message import Message

NO_WAL = b"\x01\x01"
"""Bytes 18 and 19 of a file that has no write-ahead log beside it; in memory there can be none."""


def load_match(db: sqlite3.Connection, match_id: int) -> Match:
    """The match as it stands after all its entries."""
    rows = db.execute(f"SELECT {COLUMNS} FROM entry WHERE match = ? ORDER BY seq", (match_id,))  # noqa: S608 - our own words
    match: Match | None = None
    for entry in map(entry_from_row, rows):
        match = entry.begun or match
        if match is None:
            break
        match = match.push(*entry.actions)
    if match is None:
        raise JournalError(Message("there is no match %(n)s", n=str(match_id)))
    return match


def open_copy(copy: bytes) -> sqlite3.Connection:
    """A journal in memory, with the tables of today.

    Raises:
        JournalError: a newer Traykeeper wrote it.
        sqlite3.Error: it is damaged, or no journal at all.
    """
    db = schema.tolerate_bad_text(sqlite3.connect(":memory:", isolation_level=None))
    try:
        db.deserialize(copy[:18] + NO_WAL + copy[20:])
        table_definitions.check_tables(db)
        schema.prepare(db)
        check_integrity(db)
    except BaseException:
        db.close()
        raise
    return db


def check_integrity(db: sqlite3.Connection) -> None:
    """Whether it is whole: SQLite's own look at its pages, and the seal of every entry."""
    try:
        (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
        rows = db.execute(f"SELECT {COLUMNS} FROM entry")  # noqa: S608 - our own words
        broken = next((row[0] for row in rows if not is_intact(row)), None)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # the disk's fault
            raise
        raise sqlite3.DatabaseError(str(error)) from None  # a table is not there
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)
    if broken is not None:
        raise sqlite3.DatabaseError(f"entry {broken} has changed since it was written")


def next_seq(db: sqlite3.Connection, match_id: int) -> int:
    """The number of this match's next step; `BEGINNING` where there is no such match."""
    (last,) = db.execute("SELECT MAX(seq) FROM entry WHERE match = ?", (match_id,)).fetchone()
    return START_SEQ if last is None else int(last) + 1


def last_position(db: sqlite3.Connection) -> int:
    """0 where nothing is written yet."""
    (position,) = db.execute("SELECT MAX(position) FROM entry").fetchone()
    return int(position or 0)


def rows_after(
    db: sqlite3.Connection, position: int
) -> tuple[list[Row], dict[int, str], dict[int, str]]:
    """What follows, the keys of matches that begin in it, and by position the requests for it."""
    rows = db.execute(
        f"SELECT {COLUMNS} FROM entry WHERE position > ? ORDER BY position",  # noqa: S608 - our own words
        (position,),
    ).fetchall()
    begun = [row[1] for row in rows if row[2] == START_SEQ]
    keys = "SELECT id, key FROM match WHERE id = ?"
    asked = "SELECT position, request FROM entry WHERE position > ? AND request IS NOT NULL"
    return (
        rows,
        dict(db.execute(keys, (match_id,)).fetchone() for match_id in begun),
        dict(db.execute(asked, (position,)).fetchall()),
    )


def insert(db: sqlite3.Connection, row: Row, request: str = "") -> int:
    """Add this one at the end, wherever it stood before; gives its position."""
    done = db.execute(
        "INSERT INTO entry (match, seq, time, body, seal, request) VALUES (?, ?, ?, ?, ?, ?)",
        (*row[1:], request or None),
    )
    return done.lastrowid or 0


def append_missing(
    db: sqlite3.Connection, rows: Iterable[Row], keys: Keys, requests: Requests
) -> int:
    """Add entries of another copy of this journal that go on where it ends; gives how many.

    Args:
        db: within a transaction.
        rows: in the order of their positions.
        keys: of the matches that begin in them, as far as they are known.
        requests: that asked for them, likewise.
    """
    adopted = 0
    for row in rows:
        _, match_id, seq, *_ = row
        if seq != next_seq(db, match_id):
            continue
        if seq == START_SEQ:
            key = keys.get(match_id) or schema.new_key()
            db.execute("INSERT INTO match (id, key) VALUES (?, ?)", (match_id, key))
        insert(db, row, requests.get(row[0], ""))
        adopted += 1
    schema.mark_results_missing(db)
    return adopted


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of it on the disk at its end, or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has ended it already
            db.execute("ROLLBACK")
        raise
