"""The tables of a journal: their definitions and their rows.

A table can have side effects: a CHECK refuses rows, ON CONFLICT drops them, a column may be
computed. A journal from elsewhere is therefore accepted only if its definitions match these word
for word.
"""

import re
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from game.errors import GameError, IllegalStepError, JournalError, reason
from game.journal.entry import START_SEQ, CopiedEntries, Result, Row, entry_from_row, is_intact
from game.match.events import Place, Thrown, Undone
from game.match.match import Match
from game.message import Message
from game.typed_json import MALFORMED

VERSION = 3
"""Version of the tables, stored as the file's `user_version`. That value is 0 in a new file."""

TABLES = """
CREATE TABLE about (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE match (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,      -- an id that no other match has, in any journal
    result TEXT             -- final standings with a checksum, so that lists need not replay the match
);
CREATE TABLE entry (
    position INTEGER PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match,
    seq INTEGER NOT NULL,
    time REAL,
    body TEXT NOT NULL,
    seal INTEGER NOT NULL,
    request TEXT,           -- id of the request that made the step, so that a repeated request does nothing
    UNIQUE (match, seq)
);
"""

END_POSITION = 2**62
"""A position after every entry."""

NO_WAL = b"\x01\x01"
"""Bytes 18 and 19 of an SQLite file that has no write-ahead log. A database in memory cannot have
one."""


def format_version(db: sqlite3.Connection) -> int:
    """Return the version of the tables, or 0 if there are none."""
    (found,) = db.execute("PRAGMA user_version").fetchone()
    return int(found)


def check_tables(db: sqlite3.Connection) -> None:
    """Check that a journal has exactly the tables of its version.

    A journal of a newer version is not checked here, because `schema.prepare` refuses it.

    Raises:
        sqlite3.DatabaseError: If there is a trigger, a view, an index or an unknown table, or a
            table is missing.
    """
    db.execute("PRAGMA trusted_schema = OFF")
    if (found := format_version(db)) > VERSION:
        return
    missing = set(DEFINITIONS) if found else set()
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_schema").fetchall():
        if kind == "index" and sql is None:
            continue  # SQLite's own index of a UNIQUE constraint
        if kind != "table" or _plain(str(sql)) not in missing:
            raise sqlite3.DatabaseError(
                f"a {kind} does not belong to a journal: {str(name)[:40]!r}"
            )
        missing.remove(_plain(str(sql)))
    if missing:
        raise sqlite3.DatabaseError("a table of the journal is missing")


def _plain(sql: str) -> str:
    """Return SQL without comments or unnecessary spaces."""
    words = " ".join(re.sub("--[^\n]*", "", sql).split())
    return re.sub(r" ?([(),]) ?", r"\1", words)


DEFINITIONS = tuple(filter(None, map(_plain, TABLES.split(";"))))
"""The normalised definitions of the tables."""


def prepare(db: sqlite3.Connection, path: Path | None = None) -> None:
    """Create the tables of a journal if there are none.

    Args:
        db: Connection to the journal's database.
        path: The journal's file, for error messages. None for a database in memory.

    Raises:
        JournalError: If a newer version of Traykeeper wrote the file.
        sqlite3.Error: If the file cannot be read or written.
    """
    version = format_version(db)
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
    with transaction(db):
        for statement in TABLES.split(";"):  # executescript would commit the transaction
            db.execute(statement)
        assign_identity(db)
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


def new_key() -> str:
    """Return a random id of sixteen hexadecimal digits."""
    return secrets.token_hex(8)


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
    """Return a match in its current state, replayed from all its entries, with the score of its series.

    Args:
        db: Connection to the journal's database.
        match_id: Number of the match.

    Raises:
        JournalError: If there is no such match.
        DamagedJournal: If an entry is damaged.
        IllegalStepError: If the rules do not allow a step.
    """
    return _replayed(db, match_id, END_POSITION, has_score=True)


def _replayed(
    db: sqlite3.Connection, match_id: int, before: int, *, has_score: bool = False
) -> Match:
    """Return a match as it was before a position in the journal."""
    match: Match | None = None
    rows = select_entries(db, "WHERE match = ? AND position < ? ORDER BY seq", match_id, before)
    for entry in map(entry_from_row, rows):
        if entry.start_match:
            start = entry.start_match
            match = with_series_score(db, match_id, start) if has_score else start
        if match is None:
            break
        with report_illegal_step(match_id):
            match = match.push(*entry.actions)
    if match is None:
        raise JournalError("there is no match %(n)s", n=str(match_id))
    return match


@contextmanager
def report_illegal_step(match_id: int) -> Iterator[None]:
    """Turn the refusal of a stored step into an error that names the match.

    The rules may have changed since the step, or somebody has written a step that no Traykeeper writes.

    Args:
        match_id: Number of the match.

    Raises:
        IllegalStepError: If the rules do not allow the step.
    """
    try:
        yield
    except MALFORMED as error:
        raise IllegalStepError(
            "this version cannot read match %(n)s: %(why)s", n=str(match_id), why=reason(error)
        ) from None


def newest_places(db: sqlite3.Connection) -> tuple[Place, ...]:
    """Return where the dice of the newest throw in the journal lay; nothing if there is none, or if it was undone."""
    undone = set()
    for entry in map(entry_from_row, select_entries(db, "ORDER BY position DESC")):
        if any(isinstance(action, Undone) for action in entry.actions):
            undone.add(entry.match_id)
        if any(isinstance(action, Thrown) for action in entry.actions):
            then = _replayed(db, entry.match_id, entry.position + 1).last_places
            now = load_match(db, entry.match_id).last_places
            if [(place.x, place.y) for place in now] == [(place.x, place.y) for place in then]:
                return now  # with the faces as they were corrected since
            return () if entry.match_id in undone else then
    return ()


def with_series_score(
    db: sqlite3.Connection, match_id: int, start: Match, before: int = END_POSITION
) -> Match:
    """Return a match before its first event with the score of its series, which the other matches of the series give.

    Args:
        db: Connection to the journal's database.
        match_id: Number of the match.
        start: The match before its first event.
        before: The other matches count as they were before this position in the journal.
    """
    series = start.start_state.series
    if series is None:
        return start
    earlier_names: dict[str, str] = {}  # of players who were renamed in a later match of the series
    # The id of a series may also be in a name, so what is found is checked again below.
    query = (
        "SELECT id, result, (SELECT MAX(seq) FROM entry WHERE match = id AND position < ?1) "
        "FROM match CROSS JOIN entry ON match = id AND seq = 0 "
        "WHERE id != ?2 AND position < ?1 AND instr(body, ?3) ORDER BY id"
    )
    for other, stored, seq in db.execute(query, (before, match_id, series.id)).fetchall():
        rows = select_entries(db, "WHERE match = ? AND seq = ?", other, START_SEQ)
        first = entry_from_row(rows.fetchone()).start_match
        if first is None or first.start_state.series != series:
            continue
        try:
            result = Result.from_text(stored, other, seq) or Result.of(_replayed(db, other, before))
        except IllegalStepError:
            continue  # nobody is known to have won it
        names = [player.name for player in first.start_state.players]
        winners = [seat for seat in range(len(result.names)) if result.has_won(seat)]
        if other < match_id:
            series = series.after(names, result.names, winners)
            continue
        renamed = zip(names, result.names, strict=False)
        earlier_names |= {new: earlier_names.get(old, old) for old, new in renamed if old != new}
        now = [earlier_names.get(name, name) for name in result.names]
        series = series.after(now, now, winners)
    state = replace(start.start_state, series=series)
    return replace(start, start_state=state, state=state)


def open_copy(copy: bytes) -> sqlite3.Connection:
    """Open the bytes of a copied journal in memory.

    Raises:
        JournalError: If a newer version of Traykeeper wrote the copy.
        sqlite3.Error: If the copy is damaged or not a journal.
    """
    db = tolerate_bad_text(sqlite3.connect(":memory:", isolation_level=None))
    try:
        db.deserialize(copy[:18] + NO_WAL + copy[20:])
        check_tables(db)
        prepare(db)
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


def entries_after(db: sqlite3.Connection, position: int) -> CopiedEntries:
    """Return the entries after a position in the journal.

    Args:
        db: Connection to the journal's database.
        position: The position.
    """
    rows = select_entries(db, "WHERE position > ? ORDER BY position", position).fetchall()
    started = [row[1] for row in rows if row[2] == START_SEQ]
    keys = "SELECT id, key FROM match WHERE id = ?"
    requests = "SELECT position, request FROM entry WHERE position > ? AND request IS NOT NULL"
    return CopiedEntries(
        identity(db),
        tuple(rows),
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


def append_missing(db: sqlite3.Connection, entries: CopiedEntries) -> int:
    """Add the entries of another copy that continue this journal, and return how many were added.

    Args:
        db: Connection to the journal's database, within a transaction.
        entries: The entries, in the order of their positions. Ids of matches and requests may be missing.
    """
    added = 0
    for row in entries.rows:
        _, match_id, seq, *_ = row
        if seq != next_seq(db, match_id):
            continue
        if seq == START_SEQ:
            key = entries.keys.get(match_id) or new_key()
            db.execute("INSERT INTO match (id, key) VALUES (?, ?)", (match_id, key))
        insert(db, row, entries.requests.get(row[0], ""))
        added += 1
    _fill_in_results(db)
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


def _fill_in_results(db: sqlite3.Connection) -> None:
    """Work out and store the results of all matches that were won."""
    query = "SELECT match, MAX(seq) FROM entry GROUP BY match"
    for match_id, seq in db.execute(query).fetchall():
        with suppress(GameError):  # a match that this version cannot read stays as it is
            result = Result.of(load_match(db, match_id))
            if result.winner is not None:
                store_result(db, match_id, seq, result)


UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""Errors that a damaged table can cause. SQLite's own message may not be valid text either."""

MAX_GAP = 2_000
"""Number of consecutive missing positions after which the search ends. A lost page has fewer
entries."""


def salvage_file(path: Path) -> CopiedEntries:
    """Return everything intact in a journal file, which may be damaged or missing.

    Entries are read one by one, so SQLite reads only the pages that lead to each entry.
    """
    if not path.exists():
        return CopiedEntries()
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            return salvage_connection(db)
    except UNREADABLE:
        return CopiedEntries()


def salvage_connection(db: sqlite3.Connection) -> CopiedEntries:
    """Return everything intact in a journal that is open."""
    tolerate_bad_text(db)
    rows = tuple(_intact_rows(db))
    return CopiedEntries(
        _intact_identity(db), rows, _intact_keys(db), dict(_intact_requests(db, rows))
    )


def _intact_rows(db: sqlite3.Connection) -> Iterator[Row]:
    position = last = 0
    while position - last < MAX_GAP:
        position += 1
        row = _intact_row(db, position)
        if row is not None and is_intact(row):
            last = position
            yield row


def _intact_row(db: sqlite3.Connection, position: int) -> Row | None:
    try:
        row: Row | None = select_entries(db, "WHERE position = ?", position).fetchone()
    except UNREADABLE:
        return None
    return row


def _intact_identity(db: sqlite3.Connection) -> str:
    try:
        return identity(db)
    except (*UNREADABLE, TypeError):
        return ""


def _intact_keys(db: sqlite3.Connection) -> dict[int, str]:
    try:
        return dict(db.execute("SELECT id, key FROM match"))
    except UNREADABLE:
        return {}


def _intact_requests(db: sqlite3.Connection, rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
    """Yield the position and id of each request."""
    for position, *_ in rows:
        with suppress(*UNREADABLE):
            query = "SELECT request FROM entry WHERE position = ?"
            (request,) = db.execute(query, (position,)).fetchone()
            if request:
                yield position, str(request)
