"""The trace contains a second copy of every step, and is compared with the journal."""

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from game.errors import DamagedJournal
from game.journal import trace
from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import ScoreSet
from game.match.match import Match
from game.rules import rule_files

RULES = rule_files.load("walnut-studiolo")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.db"


@pytest.fixture
def text(tmp_path):
    return tmp_path / "journal.txt"


def play(path, *scores):
    with closing(Journal.open(path)) as journal:
        number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
        for score in scores:
            journal.append(number, ScoreSet(0, score))


def test_the_trace_has_the_content_of_the_journal(path, text):
    play(path, 500, 700)
    found = trace.read(text)

    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT position, match, seq, time, body, seal FROM entry").fetchall()
        keys = dict(db.execute("SELECT id, key FROM match").fetchall())
    assert list(found.rows) == rows
    assert (found.keys, found.is_whole, found.identity) == (keys, True, History(path).identity)


def test_the_trace_has_the_request_of_a_step(path, text):
    with closing(Journal.open(path)) as journal:
        number = journal.start(Match.start(RULES, ["Anna", "Ben"]), request="begin")
        journal.append(number, ScoreSet(0, 500))
        journal.append(number, ScoreSet(0, 600), request="six hundred")
    found = trace.read(text)

    assert found.is_whole
    assert found.requests == {1: "begin", 3: "six hundred"}
    written = text.read_bytes()
    text.unlink()
    Journal.open(path).close()
    assert text.read_bytes() == written


def test_people_can_read_the_trace(path, text):
    play(path, 550)

    assert text.read_text().startswith("# Traykeeper, journal ")
    assert '[{"kind": "scoreset", "seat": 0, "score": 550}]' in text.read_text()


def test_an_incomplete_last_line_is_ignored_and_overwritten(path, text):
    play(path, 500)
    with text.open("ab") as file:
        file.write(b"0123abcd 4 1.2 17")
    play(path, 600)

    assert trace.read(text).is_whole
    assert [row[0] for row in trace.read(text).rows] == [1, 2, 3, 4]


def test_a_missing_damaged_or_outdated_trace_is_completed_from_the_journal(path, text):
    play(path, 500, 700)
    whole = text.read_bytes()
    for left in (
        None,
        b"",
        whole[:-90],
        whole.replace(b": 700}", b": 900}"),
        whole[40:],
        b"\0" * 99,
    ):
        text.unlink()
        if left is not None:
            text.write_bytes(left)
        Journal.open(path).close()

        assert text.read_bytes() == whole


def test_a_journal_shorter_than_its_trace_is_damaged(path, text):
    play(path, 500, 700)
    with closing(sqlite3.connect(path)) as db:
        db.execute("DELETE FROM entry WHERE position = 3")
        db.commit()

    with pytest.raises(
        DamagedJournal, match=r"ends at step 2, but its second copy, journal\.txt, ends at step 3"
    ):
        Journal.open(path)
    assert len(trace.read(text).rows) == 3


def test_a_journal_that_differs_from_its_trace_is_damaged(path):
    play(path, 500)
    with closing(sqlite3.connect(path)) as db:
        (body,) = db.execute("SELECT body FROM entry WHERE position = 2").fetchone()
        other = body.replace("500", "900")
        sealed = trace.checksum(1, 1, None, other)
        db.execute(
            "UPDATE entry SET body = ?, time = NULL, seal = ? WHERE position = 2", (other, sealed)
        )
        db.commit()

    with pytest.raises(DamagedJournal, match=r"step 2 differs from the second copy, journal\.txt"):
        Journal.open(path)


def test_a_journal_beside_the_trace_of_another_one_is_damaged(path, text, tmp_path):
    play(path, 500)
    play(tmp_path / "other" / path.name, 500)
    shutil.copy(tmp_path / "other" / text.name, text)

    with pytest.raises(DamagedJournal, match=r"second copy, journal\.txt, belongs to another"):
        Journal.open(path)


@pytest.mark.parametrize("deed", [os.unlink, lambda path: os.truncate(path, 0)])
def test_a_trace_lost_while_in_use_is_rewritten(path, text, deed):
    with closing(Journal.open(path)) as journal:
        number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
        deed(text)
        journal.append(number, ScoreSet(0, 500))

        assert [row[0] for row in trace.read(text).rows] == [1, 2]
        assert journal.trace.problem is None


def test_a_trace_that_cannot_be_written_is_reported_and_stops_no_step(path, text):
    with closing(Journal.open(path)) as journal:
        number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
        text.unlink()
        text.mkdir()
        assert journal.append(number, ScoreSet(0, 500)) == 2
        assert "the second copy of the journal, cannot be written" in str(journal.trace.problem)

        text.rmdir()
        journal.append(number, ScoreSet(0, 600))
        assert journal.trace.problem is None
    assert [row[0] for row in trace.read(text).rows] == [1, 2, 3]


def test_steps_contained_in_backups_are_cut_and_writing_continues(path, text):
    with closing(Journal.open(path)) as journal:
        number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
        for score in (500, 600, 700):
            journal.append(number, ScoreSet(0, score))
        journal.cut_trace(3)
        journal.append(number, ScoreSet(0, 800))

    assert [row[0] for row in trace.read(text).rows] == [4, 5]
    Journal.open(path).close()


def test_a_closed_journal_does_not_cut_the_trace_of_its_successor(path, text):
    play(path, 500, 600)
    first = Journal.open(path)
    first.close()
    with closing(Journal.open(path)):
        first.cut_trace(3)

        assert [row[0] for row in trace.read(text).rows] == [1, 2, 3]


def test_a_restored_journal_is_usable_even_if_its_trace_cannot_be_written_yet(path, text):
    play(path, 500, 600)
    copy = History(path).copy()
    with closing(Journal.open(path)) as journal:
        before = journal.identity
        text.unlink()
        text.mkdir()
        journal.restore(copy)
        assert journal.identity != before
        assert "cannot be written" in str(journal.trace.problem)

        text.rmdir()
        journal.append(1, ScoreSet(0, 700))
        assert journal.trace.problem is None
    found = trace.read(text)
    assert (found.identity, len(found.rows)) == (History(path).identity, 4)


@pytest.mark.parametrize("name", ["journal.db", "journal.db-wal"])
@pytest.mark.parametrize("deed", [os.unlink, lambda path: os.truncate(path, 0)])
def test_files_lost_while_in_use_are_noticed_before_the_next_step(path, tmp_path, name, deed):
    with closing(Journal.open(path)) as journal:
        number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
        deed(tmp_path / name)

        with pytest.raises(DamagedJournal, match=f"{name} was deleted, replaced or emptied"):
            journal.append(number, ScoreSet(0, 500))


def test_a_trigger_or_view_in_a_journal_is_refused(path):
    play(path, 500)
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TRIGGER evil AFTER INSERT ON entry BEGIN DELETE FROM entry; END")
        db.commit()

    with pytest.raises(DamagedJournal, match="a trigger does not belong to a journal"):
        Journal.open(path)
