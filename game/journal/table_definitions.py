"""The tables of a journal, in each version, and whether a file has just those.

A table may do things by itself: refuse rows by a CHECK, drop them by ON CONFLICT, work out columns.
So a journal from elsewhere is taken only where its tables say what ours say, word for word.
"""

import re
import sqlite3

VERSION = 3
"""Kept in the file's own `user_version`; 0 is a new file, or the first version, which had none."""

TABLES = """
CREATE TABLE about (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE match (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,      -- no other match anywhere has it
    result TEXT             -- of a match that was won, sealed: saves folding it for every list
);
CREATE TABLE entry (
    position INTEGER PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES match,
    seq INTEGER NOT NULL,
    time REAL,
    body TEXT NOT NULL,
    seal INTEGER NOT NULL,
    request TEXT,           -- which one asked for it: asked again, it is not done again
    UNIQUE (match, seq)
);
"""

FIRST_TABLES = """
CREATE TABLE match (
    id INTEGER PRIMARY KEY,
    setup TEXT NOT NULL
);
CREATE TABLE step (
    match INTEGER NOT NULL REFERENCES match,
    seq INTEGER NOT NULL,
    actions TEXT NOT NULL,
    PRIMARY KEY (match, seq)
) WITHOUT ROWID;
"""


def format_version(db: sqlite3.Connection) -> int:
    """Of the tables that are there; 0 where there are none."""
    (found,) = db.execute("PRAGMA user_version").fetchone()
    old = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'step'").fetchone()
    return 1 if old and not found else int(found)


def check_tables(db: sqlite3.Connection) -> None:
    """A journal has its tables, as we make them, and nothing else.

    Raises:
        sqlite3.DatabaseError: this one has a trigger, a view, an index or a table of another kind, or
            lacks one. What a newer version wrote is not looked at: `schema.prepare` refuses it.
    """
    db.execute("PRAGMA trusted_schema = OFF")
    if (found := format_version(db)) > VERSION:
        return
    missing = set(DEFINITIONS.get(found, ()))
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_schema").fetchall():
        if kind == "index" and sql is None:
            continue  # that of a UNIQUE, which its table has
        if kind != "table" or _plain(str(sql)) not in missing:
            raise sqlite3.DatabaseError(f"a {kind} is no part of a journal: {str(name)[:40]!r}")
        missing.remove(_plain(str(sql)))
    if missing:
        raise sqlite3.DatabaseError("a table of the journal is missing")


def _plain(sql: str) -> str:
    """The same without comments, and with no more blanks than needed."""
    words = " ".join(re.sub("--[^\n]*", "", sql).split())
    return re.sub(r" ?([(),]) ?", r"\1", words)


def _forms(tables: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_plain, tables.split(";"))))


DEFINITIONS = {
    0: (),
    1: _forms(FIRST_TABLES),
    2: _forms(TABLES.replace("    request TEXT,", "")),
    3: _forms(TABLES),
}
"""Version -> what its tables say. One that was brought up has the same words as a new one."""
