"""Journals of older versions are upgraded without loss."""

import sqlite3
from contextlib import closing

import pytest

from game.errors import DamagedJournal, JournalError
from game.journal.history import History
from game.journal.journal import Journal
from game.journal.schema import TABLES, VERSION, check_tables, open_copy
from game.match.events import ScoreSet
from game.match.match import Match
from game.rules import rule_files


@pytest.fixture
def newer(tmp_path):
    """The file of a journal of a newer version."""
    path = tmp_path / "journal.db"
    Journal.open(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    return path


def test_a_journal_of_a_newer_version_is_left_unchanged(newer):
    with pytest.raises(JournalError, match=r"from a newer version .* update this Traykeeper"):
        Journal.open(newer)


def test_a_copy_that_a_newer_version_wrote_is_refused(newer):
    with pytest.raises(JournalError, match=r"from a newer version .* update this Traykeeper"):
        open_copy(newer.read_bytes())


ENTRY = "position, match, seq, time, body, seal"


@pytest.fixture
def journal(tmp_path):
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        number = journal.start(Match.start(rule_files.load("zilch"), ["Anna", "Ben"]))
        journal.append(number, ScoreSet(0, 500))
        yield journal


def made_anew(journal, tables):
    """Copy the matches of a journal into other tables."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.execute("ATTACH ? AS ours", (str(journal.path),))
        db.executescript(tables)
        for table, columns in (("about", "*"), ("match", "*"), ("entry", ENTRY)):
            into = table if columns == "*" else f"{table} ({columns})"
            db.execute(f"INSERT INTO {into} SELECT {columns} FROM ours.{table}")  # noqa: S608 - our own words
        db.execute(f"PRAGMA user_version = {VERSION}")
        return db.serialize()


def test_equal_tables_are_accepted_however_they_are_written(journal):
    journal.restore(made_anew(journal, TABLES.replace("\n    ", " -- so\n\n  ")))

    assert journal.append(1, ScoreSet(0, 700)) == 3
    assert History(journal.path).match(1).state.players[0].score == 700


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("position INTEGER PRIMARY KEY", "position INTEGER PRIMARY KEY CHECK (position < 3)"),
        ("UNIQUE (match, seq)\n", "UNIQUE (match, seq) ON CONFLICT IGNORE\n"),
        ("UNIQUE (match, seq)\n", "UNIQUE (match, seq), CHECK (seq < 2)\n"),
        ("    UNIQUE (match, seq)\n", "    more TEXT AS (body), UNIQUE (match, seq)\n"),
        ("request TEXT,", "request TEXT /* -- */ NOT NULL DEFAULT 'x',"),
        (TABLES, TABLES + "CREATE UNIQUE INDEX step ON entry (match, seq);"),
        (TABLES, TABLES + "CREATE TABLE step (other);"),
        (TABLES, TABLES + "CREATE VIEW step AS SELECT 1;"),
    ],
)
def test_a_table_that_would_refuse_the_next_step_is_refused(journal, ours, theirs):
    tables = TABLES.replace(ours, theirs)
    assert tables != TABLES
    with pytest.raises(DamagedJournal, match="does not belong to a journal"):
        journal.restore(made_anew(journal, tables))

    assert journal.append(1, ScoreSet(0, 700)) == 3


def test_a_journal_without_one_of_its_tables_is_refused():
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(f"CREATE TABLE match (id); PRAGMA user_version = {VERSION}")
        with pytest.raises(sqlite3.DatabaseError):
            check_tables(db)
        db.execute("DROP TABLE match")
        with pytest.raises(sqlite3.DatabaseError, match="a table of the journal is missing"):
            check_tables(db)
