"""Functions that read, add and check the rows of a journal's tables."""

import sqlite3
from collections.abc import Iterable
from contextlib import suppress

from game.errors import GameError, JournalError
from game.journal import schema, table_definitions
from game.journal.entry import START_SEQ, Result, Row, entry_from_row, is_intact
from game.journal.trace import Keys, Requests
from game.match.match import Match

NO_WAL = b"\x01\x01"
"""Bytes 18 and 19 of an SQLite file that has no write-ahead log. A database in memory cannot have
one."""


def select_entries(db: sqlite3.Connection, clause: str, *values: int) -> sqlite3.Cursor:
    """Return the rows of the entries that an SQL clause selects.

    Args:
        db: Connection to the journal's database.
        clause: The clause, such as `WHERE match = ?`.
        values: The values of its placeholders.
    """
    columns = "position, match, seq, time, body, seal"
    return db.execute(f"SELECT {columns} FROM entry {clause}", values)  # noqa: S608 - from constants


def load_match(db: sqlite3.Connection, match_id: int) -> Match:
    """Return a match in its current state, replayed from all its entries.

    Args:
        db: Connection to the journal's database.
        match_id: Number of the match.

    Raises:
        JournalError: If there is no such match.
        DamagedJournal: If an entry is damaged.
    """
    match: Match | None = None
    for entry in map(entry_from_row, select_entries(db, "WHERE match = ? ORDER BY seq", match_id)):
        match = entry.start_match or match
        if match is None:
            break
        match = match.push(*entry.actions)
    if match is None:
        raise JournalError("there is no match %(n)s", n=str(match_id))
    return match


def open_copy(copy: bytes) -> sqlite3.Connection:
    """Open the bytes of a copied journal in memory, and upgrade its tables to the current version.

    Raises:
        JournalError: If a newer version of Traykeeper wrote the copy.
        sqlite3.Error: If the copy is damaged or not a journal.
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
    """Check the pages of the database and the checksum of every entry.

    Raises:
        sqlite3.DatabaseError: If an entry or a page is damaged or missing.
        sqlite3.OperationalError: If the disk cannot be read.
    """
    try:
        (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
        broken = next((row[0] for row in select_entries(db, "") if not is_intact(row)), None)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:  # a disk error
            raise
        raise sqlite3.DatabaseError(str(error)) from None  # a table is missing
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)
    if broken is not None:
        raise sqlite3.DatabaseError(f"entry {broken} has changed since it was written")


def next_seq(db: sqlite3.Connection, match_id: int) -> int:
    """Return the number of a match's next step, or `START_SEQ` if there is no such match.

    Args:
        db: Connection to the journal's database.
        match_id: Number of the match.
    """
    (last,) = db.execute("SELECT MAX(seq) FROM entry WHERE match = ?", (match_id,)).fetchone()
    return START_SEQ if last is None else int(last) + 1


def last_position(db: sqlite3.Connection) -> int:
    """Return the position of the newest entry, or 0 if there is none."""
    (position,) = db.execute("SELECT MAX(position) FROM entry").fetchone()
    return int(position or 0)


def rows_after(
    db: sqlite3.Connection, position: int
) -> tuple[list[Row], dict[int, str], dict[int, str]]:
    """Return the rows after a position, with the ids of their matches and requests.

    Args:
        db: Connection to the journal's database.
        position: A position in the journal. Only rows after it are returned.

    Returns:
        The rows, the unique id of each match that starts in them (by the number of the match), and
        the ids of the requests that caused them (by position).
    """
    rows = select_entries(db, "WHERE position > ? ORDER BY position", position).fetchall()
    started = [row[1] for row in rows if row[2] == START_SEQ]
    keys = "SELECT id, key FROM match WHERE id = ?"
    requests = "SELECT position, request FROM entry WHERE position > ? AND request IS NOT NULL"
    return (
        rows,
        dict(db.execute(keys, (match_id,)).fetchone() for match_id in started),
        dict(db.execute(requests, (position,)).fetchall()),
    )


def insert(db: sqlite3.Connection, row: Row, request: str = "") -> int:
    """Add a row at the end of the journal and return its position.

    Args:
        db: Connection to the journal's database.
        row: The row. The position in it is ignored.
        request: Id of the request that caused the step, if any.
    """
    done = db.execute(
        "INSERT INTO entry (match, seq, time, body, seal, request) VALUES (?, ?, ?, ?, ?, ?)",
        (*row[1:], request or None),
    )
    return done.lastrowid or 0


def append_missing(
    db: sqlite3.Connection, rows: Iterable[Row], keys: Keys, requests: Requests
) -> int:
    """Add the rows of another copy that continue this journal, and return how many were added.

    Args:
        db: Connection to the journal's database, within a transaction.
        rows: Rows of the other copy, in the order of their positions.
        keys: Unique ids of matches that start in the rows, as far as they are known.
        requests: Ids of the requests that caused the rows, as far as they are known.
    """
    added = 0
    for row in rows:
        _, match_id, seq, *_ = row
        if seq != next_seq(db, match_id):
            continue
        if seq == START_SEQ:
            key = keys.get(match_id) or schema.new_key()
            db.execute("INSERT INTO match (id, key) VALUES (?, ?)", (match_id, key))
        insert(db, row, requests.get(row[0], ""))
        added += 1
    schema.mark_results_missing(db)
    return added


def store_result(db: sqlite3.Connection, match_id: int, seq: int, result: Result) -> None:
    """Store the final standings of a match, so that a list of matches need not replay it.

    Args:
        db: Connection to the journal's database.
        match_id: Number of the match.
        seq: Number of the match's last step.
        result: The standings after that step.
    """
    db.execute(
        "UPDATE match SET result = ? WHERE id = ?", (result.to_text(match_id, seq), match_id)
    )


def fill_in_results(db: sqlite3.Connection) -> None:
    """Work out and store the results of all matches that were won."""
    query = "SELECT match, MAX(seq) FROM entry GROUP BY match"
    for match_id, seq in db.execute(query).fetchall():
        with suppress(GameError):  # a match that this version cannot read stays as it is
            result = Result.of(load_match(db, match_id))
            if result.winner is not None:
                store_result(db, match_id, seq, result)
    schema.mark_results_complete(db)
