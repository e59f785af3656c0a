"""Everything that was recorded is on the disk and can be read back."""

import shutil
import sqlite3
from contextlib import closing
from threading import Thread

import pytest

from game.errors import DamagedJournal, JournalError
from game.journal.history import History
from game.journal.journal import WAL_PAGES, Journal
from game.match.events import Kept, Place, ScoreSet, Thrown, Undone
from game.match.match import Match
from game.rules import rule_files
from tests.waiting import until

RULES = rule_files.load("walnut-studiolo")
THROW = Thrown((1, 1, 2, 3, 4, 6), (Place(1, 10.5, 20, 30, aside=True),))
NOON_S = 1_800_000_000.0


@pytest.fixture
def journal(tmp_path):
    with closing(Journal.open(tmp_path / "deep" / "journal.db")) as journal:
        yield journal


def begun(*names):
    return Match.start(RULES, names or ("Anna", "Ben"))


def test_new_journal_has_no_match(journal):
    assert journal.newest() is None


def test_a_match_is_restored_as_it_was(journal):
    match = Match.start(RULES, ["Anna", "Ben"], first=1)
    number = journal.start(match)
    steps = [(THROW,), (Kept((1, 1), assumed=True), Thrown((5, 2, 2, 3))), (Undone(),)]
    for step in steps:
        match = match.push(*step)
        journal.append(number, *step)
    journal.close()
    with closing(Journal.open(journal.path)) as again:
        assert again.newest() == (number, match)
        assert again.newest()[1].redo() == match.redo()


def test_a_backup_is_restored_without_waiting_for_a_reader_and_survives_a_kill(journal, tmp_path):
    number = journal.start(begun())
    journal.append(number, THROW)
    kept = History(journal.path).copy()
    journal.append(number, Kept((1, 1)))
    expected = begun().push(THROW)
    with closing(sqlite3.connect(journal.path)) as reader:
        reader.execute("BEGIN")
        assert len(reader.execute("SELECT * FROM entry").fetchall()) == 3
        journal._db.execute("PRAGMA busy_timeout = 3600000")  # in ms: much longer than a test waits
        restoring = Thread(target=journal.restore, args=(kept,), daemon=True)
        restoring.start()
        until(lambda: not restoring.is_alive())
        shutil.copytree(journal.path.parent, tmp_path / "killed")

    assert journal.newest() == (number, expected)
    with closing(Journal.open(tmp_path / "killed" / "journal.db")) as killed:
        assert killed.newest() == (number, expected)
    journal.append(number, Kept((1, 1)))
    assert journal.is_intact()


def test_head_starts_are_read_back_as_the_first_step_of_a_match(journal):
    match = begun().push(ScoreSet(1, 650))
    number = journal.start(match)

    assert journal.match(number) == match
    assert len(History(journal.path).match_entries(number)) == 2


def test_a_match_whose_head_starts_cannot_be_written_does_not_begin(journal):
    with closing(sqlite3.connect(journal.path)) as other:
        other.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON entry WHEN NEW.seq = 1 "
            "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
        with pytest.raises(JournalError):
            journal.start(begun().push(ScoreSet(1, 650)))

    assert journal.newest() is None


def test_the_newest_match_is_continued(journal):
    journal.start(begun("Anna", "Ben"))
    journal.start(begun("Cleo", "Dan"))

    _, match = journal.newest()
    assert match.state.player.name == "Cleo"


def test_reopening_an_older_match_is_recorded(journal):
    older = journal.start(begun())
    journal.append(older, THROW)
    journal.start(begun("Cleo", "Dan"))

    journal.append(older)
    assert journal.newest() == (older, begun().push(THROW))
    journal.append(older, Undone())
    assert journal.newest() == (older, begun())


def test_a_missing_match_is_named(journal):
    for attempt in (lambda: journal.match(7), lambda: journal.append(7, THROW)):
        with pytest.raises(JournalError, match="there is no match 7"):
            attempt()
    assert journal.newest() is None


def test_positions_rise_over_all_matches_even_if_the_clock_jumps(tmp_path):
    times = iter([NOON_S, NOON_S - 5000, 12.0, NOON_S + 1e9, NOON_S])
    path = tmp_path / "journal.db"
    with closing(Journal.open(path, clock=lambda: next(times))) as journal:
        first = journal.start(begun())
        assert journal.append(first, THROW) == 2
        second = journal.start(begun("Cleo", "Dan"))
        assert journal.append(second, THROW) == 4
        assert journal.append(first, Undone()) == 5
        assert journal.newest()[0] == first

    entries = History(path).entries()
    assert [entry.position for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.time_s for entry in entries] == [
        NOON_S,
        NOON_S - 5000,
        None,
        NOON_S + 1e9,
        NOON_S,
    ]


def test_a_folder_in_place_of_the_journal_is_named(tmp_path):
    with pytest.raises(JournalError, match="the journal cannot be used"):
        Journal.open(tmp_path)


def test_a_second_companion_on_one_folder_is_refused(journal):
    with pytest.raises(JournalError, match="another Traykeeper is using this folder"):
        Journal.open(journal.path)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entry SET body = '[{' WHERE seq = 1",
        "UPDATE entry SET body = '{}' WHERE seq = 0",
        "UPDATE entry SET body = replace(body, '4', '5') WHERE seq = 1",
        "UPDATE entry SET body = x'ff00' WHERE seq = 1",
        "UPDATE entry SET seq = 2 WHERE seq = 1",
    ],
)
def test_a_changed_row_is_reported_in_one_line_with_the_remedy(journal, damage):
    number = journal.start(begun())
    journal.append(number, THROW)
    journal._db.execute(damage)

    with pytest.raises(DamagedJournal, match=r"is damaged .* restart Traykeeper to repair it"):
        journal.newest()
    journal.close()
    with pytest.raises(DamagedJournal, match=r"has changed since it was written"):
        Journal.open(journal.path)


def test_a_file_that_is_not_a_journal_is_named(tmp_path):
    (tmp_path / "journal.db").write_bytes(b"nonsense" * 1000)
    with pytest.raises(DamagedJournal, match="restart Traykeeper to repair it"):
        Journal.open(tmp_path / "journal.db")


def test_the_write_ahead_log_stays_short_and_each_step_has_a_line_in_the_trace(journal):
    """If the log were lost, a turn or two would be missing, which the trace contains as well."""
    number = journal.start(begun())
    places = tuple(Place(1, 1234.5, 678.9, 95.1, 12.3) for _ in range(6))
    log, trace = (journal.path.with_name(name) for name in ("journal.db-wal", "journal.txt"))
    for _ in range(50):
        journal.append(number, Thrown((1, 1, 2, 3, 4, 6), places), Undone())
        assert log.stat().st_size <= (WAL_PAGES + 8) * 4120

    lines = trace.read_text().splitlines()
    assert len(lines) == 1 + 1 + 50
    assert all(len(line) < 1500 for line in lines[2:])


def test_a_step_that_cannot_be_written_leaves_nothing_behind(journal):
    number = journal.start(begun())
    journal._db.execute("PRAGMA query_only = 1")
    with pytest.raises(JournalError, match="is the disk full or read-only"):
        journal.append(number, THROW)
    journal._db.execute("PRAGMA query_only = 0")

    assert journal.newest() == (number, begun())
    journal.append(number, THROW)
    with closing(sqlite3.connect(journal.path)) as db:
        assert db.execute("SELECT seq FROM entry").fetchall() == [(0,), (1,)]
