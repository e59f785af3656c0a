"""What can still be read of a damaged journal, entry by entry."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from game.journal import schema
from game.journal.entry import COLUMNS, Row, holds

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite says of damaged tables may itself be no text."""

MISSES = 2_000
"""So many positions in a row without an entry are the end: one lost page holds fewer."""


def readable(path: Path, after: int = 0) -> tuple[list[Row], dict[int, str]]:
    """Every entry after this position that is what was written, and the keys of matches.

    Positions are asked for one by one: SQLite then touches no page but those on its way there.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            schema.lenient(db)
            return list(_rows(db, after)), _keys(db)
    except UNREADABLE:
        return [], {}


def _rows(db: sqlite3.Connection, after: int) -> Iterator[Row]:
    position = last = after
    while position - last < MISSES:
        position += 1
        row = _row(db, position)
        if row is not None and holds(row):
            last = position
            yield row


def _row(db: sqlite3.Connection, position: int) -> Row | None:
    try:
        row: Row | None = db.execute(
            f"SELECT {COLUMNS} FROM entry WHERE position = ?",  # noqa: S608 - our own words
            (position,),
        ).fetchone()
    except UNREADABLE:
        return None
    return row


def _keys(db: sqlite3.Connection) -> dict[int, str]:
    try:
        return dict(db.execute("SELECT id, key FROM match"))
    except UNREADABLE:
        return {}
