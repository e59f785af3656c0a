"""Journals of older versions are upgraded without loss."""

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict

import pytest

from game.errors import JournalError
from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import Banked, Kept, Thrown, Undone, to_json
from game.match.match import Match
from game.rules import rule_files

RULES = rule_files.load("zilch")

FORMAT_1 = """
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

STEPS = [
    (Thrown((1, 1, 2, 3, 4, 6)),),
    (Kept((1, 1), assumed=True), Thrown((5, 5, 2, 3))),
    (Undone(),),
    (Kept((1, 1)), Thrown((5, 5, 5, 3))),
    (Banked(),),
]


@pytest.fixture
def old(tmp_path):
    """A journal in the first format: three different matches, and 150 others."""
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript("PRAGMA journal_mode=WAL;" + FORMAT_1)
        setup = {"rules": asdict(RULES), "names": ["Anna", "Ben"], "first": 1, "teams": [None] * 2}
        db.executemany("INSERT INTO match (setup) VALUES (?)", [(json.dumps(setup),)] * 153)
        for match_id, n_steps in ((1, 5), (2, 0), (153, 4)):
            for seq, step in enumerate(STEPS[:n_steps]):
                text = json.dumps([to_json(action) for action in step])
                db.execute("INSERT INTO step VALUES (?, ?, ?)", (match_id, seq, text))
        db.commit()
    return path


def played(n_steps):
    match = Match.start(RULES, ["Anna", "Ben"], first=1)
    for step in STEPS[:n_steps]:
        match = match.push(*step)
    return match


def test_every_match_of_the_first_format_is_unchanged(old):
    with closing(Journal.open(old)) as journal:
        assert journal.newest() == (153, played(4))
        assert journal.newest()[1].undo() == played(4).undo()

    history = History(old)
    assert history.match(1) == played(5)
    assert history.match(2) == played(0)
    assert len(history.matches(limit=999)) == 153
    assert [entry.position for entry in history.entries(limit=999)] == list(range(1, 153 + 9 + 1))


def test_the_original_file_is_copied_before_an_upgrade(old):
    Journal.open(old).close()

    copy = old.with_name("journal-format-1.db")
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("SELECT COUNT(*) FROM step").fetchone() == (9,)
        assert db.execute("PRAGMA quick_check").fetchone() == ("ok",)


def test_a_file_that_cannot_be_upgraded_is_left_unchanged(old):
    with closing(sqlite3.connect(old)) as db:
        db.execute("CREATE TABLE entry (other)")
    with pytest.raises(JournalError):
        Journal.open(old)

    with closing(sqlite3.connect(old)) as db:
        assert db.execute("SELECT COUNT(*) FROM step").fetchone() == (9,)


def test_a_journal_of_a_newer_version_is_left_unchanged(tmp_path):
    path = tmp_path / "journal.db"
    Journal.open(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")

    with pytest.raises(JournalError, match=r"from a newer version .* update this Traykeeper"):
        Journal.open(path)
