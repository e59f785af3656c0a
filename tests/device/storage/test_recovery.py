"""Damage never ends with an empty journal: all recorded steps are recovered, and a notice tells the players."""

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from device.session.live_match import LiveMatch
from device.storage.daily_backup import Backups
from device.storage.recovery import RescueState, delete_notice, open_journal
from game.errors import DamagedJournal
from game.journal.history import History
from game.journal.journal import Journal, MendingJournal
from game.match.events import ScoreSet
from game.match.match import Match
from game.rules import rule_files

RULES = rule_files.load("walnut-studiolo")
SCORES = tuple(range(50, 1000, 50))


@pytest.fixture
def backups(tmp_path, clock):
    return Backups(tmp_path, clock=clock)


def begun(*names):
    return Match.start(RULES, names or ("Anna", "Ben"))


def play(folder, *scores):
    with closing(Journal.open(folder / "journal.db")) as journal:
        number = journal.start(begun())
        for score in scores:
            journal.append(number, ScoreSet(0, score), request=f"asked for {score}")
    return History(folder / "journal.db").entries()


def notice_at_start(folder, backups):
    """Return the notice for the players at a start."""
    journal, notice = open_journal(folder, backups)
    journal.close()
    return notice


def flip(path, share):
    data = bytearray(path.read_bytes())
    data[int(len(data) * share)] ^= 4
    path.write_bytes(data)


LOSSES = {
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: os.truncate(path, 0),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "junk": lambda path: path.write_bytes(b"junk" * 5000),
    "another": lambda path: shutil.copy(path.with_name("empty.db"), path),
}


@pytest.mark.parametrize("with_backup", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_step_of_a_lost_journal_comes_back_with_a_notice(
    tmp_path, backups, loss, with_backup
):
    Journal.open(tmp_path / "other" / "journal.db").close()
    shutil.copy(tmp_path / "other" / "journal.db", tmp_path / "empty.db")
    recorded = play(tmp_path, *SCORES)
    if with_backup:
        backups.make()
        with closing(Journal.open(tmp_path / "journal.db")) as journal:
            journal.append(1, ScoreSet(0, 5000), request="asked for more")
        recorded = History(tmp_path / "journal.db").entries()
    asked = History(tmp_path / "journal.db").requests()
    LOSSES[loss](tmp_path / "journal.db")
    journal, notice = open_journal(tmp_path, backups)
    journal.close()

    assert History(tmp_path / "journal.db").entries() == recorded
    assert History(tmp_path / "journal.db").requests() == asked != ()
    assert "Check the scores before you play on" in str(notice)


def test_a_flipped_bit_in_the_log_loses_nothing(tmp_path, backups):
    journal = Journal.open(tmp_path / "journal.db")
    number = journal.start(begun())
    for score in SCORES:
        journal.append(number, ScoreSet(0, score), request=f"asked for {score}")
    recorded = History(tmp_path / "journal.db").entries()
    asked = History(tmp_path / "journal.db").requests()
    for name in ("journal.db", "journal.db-wal", "journal.txt"):  # as they are after a kill
        (tmp_path / "killed").mkdir(exist_ok=True)
        shutil.copy(tmp_path / name, tmp_path / "killed" / name)
    journal.close()
    flip(tmp_path / "killed" / "journal.db-wal", 0.1)
    journal, notice = open_journal(tmp_path / "killed", Backups(tmp_path / "killed"))
    journal.close()

    assert History(tmp_path / "killed" / "journal.db").entries() == recorded
    assert History(tmp_path / "killed" / "journal.db").requests() == asked
    assert notice


def test_the_notice_stays_until_it_is_acknowledged(tmp_path, backups):
    play(tmp_path, *SCORES)
    (tmp_path / "journal.db").unlink()
    for _ in range(2):
        notice = str(notice_at_start(tmp_path, backups))
        assert notice.startswith("The journal was missing or empty. There was no backup; ")
    delete_notice(tmp_path)

    assert notice_at_start(tmp_path, backups) is None


def test_an_empty_journal_next_to_a_damaged_one_is_recovered(tmp_path, backups):
    """An earlier version leaves this state if it is killed while setting the damaged journal aside."""
    recorded = play(tmp_path, *SCORES)
    (tmp_path / "journal.db").rename(tmp_path / "journal-damaged-1.db")
    (tmp_path / "journal.txt").unlink()
    Journal.open(tmp_path / "journal.db").close()
    (tmp_path / "journal.txt").unlink()
    assert notice_at_start(tmp_path, backups)
    assert History(tmp_path / "journal.db").entries() == recorded


def test_the_loss_of_both_database_and_trace_is_reported(tmp_path, backups):
    play(tmp_path, *SCORES)
    (tmp_path / "journal.db-wal").write_bytes(b"what was not written back")
    for name in ("journal.db", "journal.txt"):
        (tmp_path / name).unlink()
    assert "missing or empty" in str(notice_at_start(tmp_path, backups))
    assert (tmp_path / "journal-damaged-1.db-wal").read_bytes() == b"what was not written back"
    assert notice_at_start(tmp_path, backups)
    delete_notice(tmp_path)
    assert notice_at_start(tmp_path, backups) is None


def test_steps_are_recovered_from_a_trace_that_was_set_aside_alone(tmp_path, backups):
    recorded = play(tmp_path, *SCORES)
    (tmp_path / "journal.txt").rename(tmp_path / "journal-damaged-1.txt")
    (tmp_path / "journal.db").unlink()
    journal, _ = open_journal(tmp_path, backups)
    journal.close()

    assert History(tmp_path / "journal.db").entries() == recorded


@pytest.mark.parametrize("loss", ["gone", "emptied", "junk"])
def test_the_loss_of_the_trace_alone_is_reported_until_acknowledged(tmp_path, backups, loss):
    recorded = play(tmp_path, *SCORES)
    trace = tmp_path / "journal.txt"
    trace.unlink() if loss == "gone" else trace.write_bytes(b"junk" if loss == "junk" else b"")
    for _ in range(2):
        assert "journal.txt, the second copy of the journal" in str(
            notice_at_start(tmp_path, backups)
        )

    assert History(tmp_path / "journal.db").entries() == recorded
    delete_notice(tmp_path)
    assert notice_at_start(tmp_path, backups) is None


@pytest.mark.parametrize(
    "name", ["journal.txt", "journal.db-wal", "journal.db-shm", "journal.lock"]
)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_folder_or_pipe_with_the_name_of_a_file_is_renamed(tmp_path, backups, name, make):
    recorded = play(tmp_path, *SCORES)
    (tmp_path / name).unlink(missing_ok=True)
    make(tmp_path / name)
    journal, _ = open_journal(tmp_path, backups)
    journal.close()

    assert History(tmp_path / "journal.db").entries() == recorded
    assert len(list(tmp_path.glob("journal-strange-1.*"))) == 1


def test_a_first_start_gives_no_notice(tmp_path, backups):
    for _ in range(2):
        assert notice_at_start(tmp_path, backups) is None


def test_a_new_beginning_brings_no_old_matches_back(tmp_path, backups, clock):
    """Everything was moved away except the backups, which belong to another journal."""
    play(tmp_path, *SCORES)
    backups.make()
    for name in ("journal.db", "journal.txt"):
        (tmp_path / name).unlink()
    (tmp_path / "backups").rename(tmp_path / "old")
    new = play(tmp_path, 700)
    (tmp_path / "old").rename(tmp_path / "backups")
    backups.make_if_due()
    assert len(list(backups.valid(History(tmp_path / "journal.db").identity))) == 1
    (tmp_path / "journal.db").write_bytes(b"junk" * 5000)
    journal, _ = open_journal(tmp_path, backups)
    journal.close()

    assert History(tmp_path / "journal.db").entries() == new


def test_a_recovery_deletes_pictures_of_throws_but_no_foreign_file(tmp_path, backups):
    play(tmp_path, *SCORES)
    frames = tmp_path / "frames"
    frames.mkdir()
    for name in ("000000003.jpg", "holiday.jpg", "٣.jpg"):
        (frames / name).write_bytes(b"")
    (tmp_path / "journal.db").unlink()
    open_journal(tmp_path, backups)[0].close()

    assert sorted(path.name for path in frames.iterdir()) == ["holiday.jpg", "٣.jpg"]


@pytest.fixture
def mending(tmp_path, backups):
    """A journal in use, and its notices."""
    notices = []
    opened, _ = open_journal(tmp_path, backups)
    mending = MendingJournal(
        opened, lambda known: open_journal(tmp_path, backups, known), notices.append
    )
    live_match = LiveMatch(mending)
    live_match.begin(begun())
    for score in SCORES:
        live_match.do(ScoreSet(0, score))
    with closing(mending):
        yield live_match, mending, notices


def everything(path):
    return [f for f in path.iterdir() if f.name.startswith("journal") and f.suffix != ".lock"]


@pytest.mark.parametrize(
    ("names", "deed"),
    [
        (("journal.db",), os.unlink),
        (("journal.db",), lambda path: os.truncate(path, 0)),
        (("journal.db", "journal.db-wal", "journal.db-shm"), os.unlink),
        (("journal.db", "journal.db-wal", "journal.db-shm", "journal.txt"), os.unlink),
        (("journal.db-wal",), lambda path: os.truncate(path, 0)),
        (("journal.db", "journal.db-wal", "journal.txt"), lambda path: os.truncate(path, 0)),
    ],
)
def test_a_journal_that_is_lost_in_use_is_mended_at_the_next_step(tmp_path, mending, names, deed):
    live_match, journal, notices = mending
    for name in names:
        deed(tmp_path / name)
    assert journal.trouble is not None
    live_match.do(ScoreSet(1, 450))

    assert len(notices) == 1
    assert [player.score for player in live_match.match.state.players] == [SCORES[-1], 450]
    assert History(tmp_path / "journal.db").match(live_match.match_id) == live_match.match
    assert journal.trouble is None
    live_match.do(ScoreSet(1, 500))
    assert len(notices) == 1


def test_mending_is_tried_again_until_it_succeeds(tmp_path, backups):
    refused = [DamagedJournal, None]

    def reopen(known):
        if error := refused.pop(0):
            raise error(begun_message)
        return open_journal(tmp_path, backups, known)

    begun_message = RescueState(1, "").notice
    opened, _ = open_journal(tmp_path, backups)
    mending = MendingJournal(opened, reopen, lambda _: None)
    live_match = LiveMatch(mending)
    live_match.begin(begun())
    (tmp_path / "journal.db").unlink()
    with pytest.raises(DamagedJournal):
        live_match.do(ScoreSet(0, 500))
    assert live_match.trouble

    live_match.do(ScoreSet(0, 500))
    assert live_match.match.state.players[0].score == 500
    assert live_match.trouble is None
    mending.close()


def test_a_restored_backup_with_a_trigger_is_refused(tmp_path, backups):
    play(tmp_path, 500)
    copy = tmp_path / "copy.db"
    copy.write_bytes(History(tmp_path / "journal.db").copy())
    with closing(sqlite3.connect(copy)) as db:
        db.execute("CREATE TRIGGER evil AFTER INSERT ON entry BEGIN DELETE FROM entry; END")
        db.commit()
    with (
        closing(Journal.open(tmp_path / "journal.db")) as journal,
        pytest.raises(DamagedJournal, match="does not belong to a journal"),
    ):
        journal.restore(copy.read_bytes())


def test_without_trace_and_backup_requests_come_from_the_damaged_file(tmp_path, backups):
    recorded = play(tmp_path, *SCORES)
    asked = History(tmp_path / "journal.db").requests()
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db:
        db.execute("CREATE VIEW strange AS SELECT 1")
        db.commit()
    (tmp_path / "journal.txt").unlink()
    open_journal(tmp_path, backups)[0].close()

    assert History(tmp_path / "journal.db").entries() == recorded
    assert History(tmp_path / "journal.db").requests() == asked
