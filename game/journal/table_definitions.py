"""The tables of a journal in each version, and a check that a file has exactly these tables.

A table can have side effects: a CHECK refuses rows, ON CONFLICT drops them, a column may be
computed. A journal from elsewhere is therefore accepted only if its definitions match these word
for word.
"""

import re
import sqlite3

VERSION = 3
"""Version of the tables, stored as the file's `user_version`. That value is 0 in a new file, and in
files of version 1."""

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
    """Return the version of the tables, or 0 if there are none."""
    (found,) = db.execute("PRAGMA user_version").fetchone()
    old = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'step'").fetchone()
    return 1 if old and not found else int(found)


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
    missing = set(DEFINITIONS.get(found, ()))
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


def _forms(tables: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_plain, tables.split(";"))))


DEFINITIONS = {
    0: (),
    1: _forms(FIRST_TABLES),
    2: _forms(TABLES.replace("    request TEXT,", "")),
    3: _forms(TABLES),
}
"""Version -> its normalised definitions. An upgraded journal has the same definitions as a new one."""
