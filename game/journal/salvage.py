"""Recovery of the intact entries of a damaged journal, one by one."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from game.journal import schema
from game.journal.entry import Row, is_intact
from game.journal.schema import select_entries
from game.journal.trace import Keys, Requests

UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Errors that a damaged table can cause. SQLite's own message may not be valid text either."""

MAX_GAP = 2_000
"""Number of consecutive missing positions after which the search ends. A lost page has fewer
entries."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The data that could be read from a journal.

    Attributes:
        identity: Id of the journal, or "" if it is lost.
        rows: The intact entries.
        keys: Unique ids of the matches, by match number.
        requests: Ids of the requests that caused the entries, by position.
    """

    identity: str = ""
    rows: tuple[Row, ...] = ()
    keys: Keys = field(default_factory=dict)
    requests: Requests = field(default_factory=dict)


def salvage_file(path: Path) -> Salvaged:
    """Return everything intact in a journal file, which may be damaged or missing.

    Entries are read one by one, so SQLite reads only the pages that lead to each entry.
    """
    if not path.exists():
        return Salvaged()
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            return salvage_connection(db)
    except UNREADABLE:
        return Salvaged()


def salvage_connection(db: sqlite3.Connection) -> Salvaged:
    """Return everything intact in a journal that is open."""
    schema.tolerate_bad_text(db)
    rows = tuple(_rows(db))
    return Salvaged(_identity(db), rows, _keys(db), dict(_requests(db, rows)))


def _rows(db: sqlite3.Connection) -> Iterator[Row]:
    position = last = 0
    while position - last < MAX_GAP:
        position += 1
        row = _row(db, position)
        if row is not None and is_intact(row):
            last = position
            yield row


def _row(db: sqlite3.Connection, position: int) -> Row | None:
    try:
        row: Row | None = select_entries(db, "WHERE position = ?", position).fetchone()
    except UNREADABLE:
        return None
    return row


def _identity(db: sqlite3.Connection) -> str:
    try:
        return schema.identity(db)
    except (*UNREADABLE, TypeError):
        return ""


def _keys(db: sqlite3.Connection) -> dict[int, str]:
    try:
        return dict(db.execute("SELECT id, key FROM match"))
    except UNREADABLE:
        return {}


def _requests(db: sqlite3.Connection, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
    """Yield the position and id of each request."""
    for position, *_ in rows:
        with suppress(*UNREADABLE):
            query = "SELECT request FROM entry WHERE position = ?"
            (request,) = db.execute(query, (position,)).fetchone()
            if request:
                yield position, str(request)
