"""Backups: written, checked, made every day, restored, and used to recover a damaged journal."""

import io
import json
import stat
from contextlib import closing
from dataclasses import replace
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from device import cli
from device.calibrating import profile_file
from device.coach.notes_file import NOTES_FILE, NotesFile
from device.commands import backup as backup_command
from device.errors import UsageError
from device.storage import backup
from device.storage.daily_backup import DAILY, KEPT, STEPS_PER_EVENING, Backups
from device.storage.recovery import open_journal
from device.storage.restore import restore_backup, restore_settings
from device.storage.throw_pictures import FRAMES_FOLDER
from game.errors import GameError
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE, Journal
from game.match.events import ScoreSet
from game.match.match import Match
from game.rules import rule_files
from game.stats.counts import DiceSetPeriod
from tests.device.calibrating.test_profile_file import PI as PROFILE

RULES = rule_files.load("walnut-studiolo")
DAY_S = 24 * 3600


@pytest.fixture
def journal(tmp_path):
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        yield journal


@pytest.fixture
def backups(tmp_path, clock):
    return Backups(tmp_path, clock=clock)


def play(journal, *scores):
    number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
    for score in scores:
        journal.append(number, ScoreSet(0, score))
    return number


def files(folder):
    return sorted(path.name for path in (folder / "backups").glob("*"))


def test_a_backup_reads_back(journal, backups, tmp_path):
    number = play(journal, 500, 700)
    profile_file.save(PROFILE, tmp_path / profile_file.PROFILE_FILE)
    good = backup.read(backups.make())

    assert (good.matches, good.position) == (1, 3)
    assert profile_file.parse(good.parts[profile_file.PROFILE_FILE].decode(), "here") == PROFILE
    journal.append(number, ScoreSet(0, 9000))
    journal.restore(good.journal)
    assert journal.newest()[1].state.players[0].score == 700
    assert journal.append(number, ScoreSet(0, 800)) == 4
    assert journal._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_only_its_owner_may_read_a_backup(journal, backups):
    play(journal)
    path = backups.make()

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def _changed(data, name, change):
    """Return the backup with one of its files changed."""
    out = io.BytesIO()
    with ZipFile(io.BytesIO(data)) as old, ZipFile(out, "w") as new:
        for member in old.namelist():
            new.writestr(member, change(old.read(member)) if member == name else old.read(member))
    return out.getvalue()


def _listed(**changes):
    return lambda text: json.dumps(json.loads(text) | changes)


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        (
            "journal.db",
            lambda data: data[:-9] + b"different",
            "journal.db was changed after it was written",
        ),
        ("journal.db", lambda _: b"", "journal.db was changed"),
        ("backup.json", lambda _: b"{", "Expecting property name"),
        (
            "backup.json",
            _listed(format=2),
            "it has format 2, but this version knows 1: update Traykeeper first",
        ),
        ("backup.json", _listed(files={"../../etc/passwd": {}}), "does not belong in a backup"),
        ("backup.json", _listed(files={"backup.json": {}}), "does not belong in a backup"),
        ("backup.json", _listed(files={}), "journal.db"),
        ("backup.json", _listed(files=[]), ""),
        ("backup.json", _listed(made_s="noon"), "could not convert"),
        ("backup.json", _listed(made_s=10**400), "too large to convert"),
    ],
)
def test_a_backup_with_an_invalid_part_is_refused_as_a_whole(journal, backups, name, change, why):
    play(journal, 500)
    data = _changed(backups.make().read_bytes(), name, change)

    with pytest.raises(UsageError, match=f"x.zip: this backup cannot be used: .*{why}"):
        backup.unpack(data, "x.zip")


@pytest.mark.parametrize("name", ["calibration.toml", "settings.toml"])
def test_a_backup_with_invalid_settings_or_calibration_keeps_its_matches(
    journal, clock, tmp_path, name
):
    play(journal, 500)
    (tmp_path / name).write_text("camra = 1 =\n")
    backups = Backups(tmp_path, tmp_path / "settings.toml", clock=clock)
    good = backup.read(backups.make())

    assert (good.matches, list(good.parts)) == (1, ["journal.db"])
    assert str(backups.report.line).endswith(f"left out because of errors: {name}")


def test_a_backup_with_a_calibration_of_a_later_version_keeps_its_matches(
    journal, backups, monkeypatch, tmp_path
):
    def older(text, where):
        return profile_file.parse(text.replace("format = 2", "format = 3"), where)

    play(journal, 500)
    profile_file.save(PROFILE, tmp_path / profile_file.PROFILE_FILE)
    path = backups.make()
    monkeypatch.setitem(backup.PARSED, profile_file.PROFILE_FILE, older)
    good = backup.read(path)

    assert (good.matches, good.unfit) == (1, (profile_file.PROFILE_FILE,))


def test_a_backup_that_the_card_did_not_store_replaces_no_older_one(
    journal, backups, clock, tmp_path, monkeypatch
):
    for _ in range(7):
        play(journal, 500)
        backups.make()
    before = files(tmp_path)
    monkeypatch.setattr(backup, "write", lambda _, path: path.write_bytes(b"\0" * 900))

    with pytest.raises(GameError, match="not a zip file"):
        backups.make()
    assert files(tmp_path) == before


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"\0" * 5000])
def test_a_file_that_is_not_a_zip_is_refused(data):
    with pytest.raises(UsageError, match="not a zip file"):
        backup.unpack(data, "x.zip")


def test_a_long_reason_is_shortened(journal, backups):
    play(journal, 500)
    data = bytearray(backups.make().read_bytes())
    data[26:28] = (2000).to_bytes(2, "little")  # the length of the first name

    with pytest.raises(UsageError, match="not a zip file") as error:
        backup.unpack(bytes(data), "x.zip")
    assert len(str(error.value)) < 300


def test_one_backup_a_day_is_made_after_play_and_the_newest_are_kept(
    journal, backups, clock, tmp_path
):
    backups.make_if_due()
    assert files(tmp_path) == []
    number = play(journal)
    for day in range(KEPT[DAILY] + 3):
        for _ in range(3):  # no second one on the same day, none on a day without a throw
            backups.make_if_due()
        clock.now_s += DAY_S
        backups.make_if_due()
        journal.append(number, ScoreSet(0, 50 * day))

    assert files(tmp_path) == [f"traykeeper-{n:06}.zip" for n in range(4, KEPT[DAILY] + 4)]


def test_a_backup_is_made_after_an_evening_even_if_the_clock_is_not_set(
    journal, backups, clock, tmp_path
):
    number = play(journal)
    backups.make_if_due()
    for _ in range(3):  # the clock shows the same time at each start
        for score in range(STEPS_PER_EVENING + 1):
            journal.append(number, ScoreSet(0, 50 * score))
        backups.make_if_due()
        evening = Backups(tmp_path, clock=clock)
        evening.make_if_due()
        evening.make_if_due()

    assert files(tmp_path) == [f"traykeeper-{n:06}.zip" for n in range(1, 5)]


def test_a_journal_that_is_too_large_to_restore_is_reported(journal, backups, monkeypatch):
    play(journal)
    monkeypatch.setitem(backup.MAX_BYTES, JOURNAL_FILE, 4096)
    backups.make_if_due()

    assert backups.report.failed
    assert "journal.db is larger than 4 kB" in str(backups.report.line)
    with pytest.raises(GameError):  # the page shows the error in one line
        backups.make()


def test_a_restore_keeps_only_pictures_of_the_same_journal(journal, backups, tmp_path):
    frames = tmp_path / FRAMES_FOLDER
    frames.mkdir()

    def pictures(*positions):
        for position in positions:
            (frames / f"{position:09}.jpg").touch()
        return lambda: sorted(int(path.stem) for path in frames.iterdir())

    number = play(journal, 500)
    good = backup.read(backups.make())
    journal.append(number, ScoreSet(0, 700))
    left = pictures(1, 2, 3)
    restore_backup(good, journal, tmp_path, backups)
    assert left() == [1, 2]

    restore_backup(replace(good, identity="another"), journal, tmp_path, backups)
    assert left() == []


def test_restores_in_a_row_never_delete_the_largest_backup(journal, backups, tmp_path):
    for _ in range(3):
        play(journal, 500)
    full = backups.collect()
    small, empty = (replace(full, parts=full.parts | {JOURNAL_FILE: _copy(tmp_path / name, played)})
                    for name, played in (("small", 1), ("empty", 0)))  # fmt: skip
    for good in (empty, small, empty, empty, small, empty, empty, empty):
        restore_backup(good, journal, tmp_path, backups)
        for _ in range(KEPT[DAILY]):
            backups.make()

    counts = [found.matches for found in backups.valid()]
    assert max(counts) == 3
    assert len(counts) <= sum(KEPT.values()) + 2


def test_the_newest_backup_with_more_matches_is_kept_as_well_as_the_largest(
    journal, backups, tmp_path
):
    for _ in range(2):
        play(journal, 500)
    largest = backups.collect()
    empty = replace(largest, parts={JOURNAL_FILE: _copy(tmp_path / "empty", 0)})
    restore_backup(empty, journal, tmp_path, backups)
    play(journal, 700)
    for _ in range(6):
        restore_backup(empty, journal, tmp_path, backups)

    assert {1, 2} <= {found.matches for found in backups.valid()}


@pytest.mark.usefixtures("journal")
def test_a_file_that_is_no_backup_counts_as_one_without_matches(backups, tmp_path):
    made = backups.make()
    made.write_bytes(b"")
    for _ in range(KEPT[DAILY]):
        backups.make()

    assert made.name not in files(tmp_path)


def _copy(folder, n_matches):
    """Return a copy of another journal with this many matches."""
    folder.mkdir()
    with closing(Journal.open(folder / JOURNAL_FILE)) as other:
        for _ in range(n_matches):
            play(other, 50)
        return History(folder / JOURNAL_FILE).copy()


def test_the_order_of_backups_does_not_depend_on_the_clock(journal, backups, clock, tmp_path):
    number = play(journal)
    for now_s in (1_800_000_000.0, 12.0, 1_700_000_000.0, 1_900_000_000.0):
        clock.now_s = now_s
        journal.append(number, ScoreSet(0, int(now_s) % 9000 // 50 * 50))
        backups.make_if_due()

    assert [good.made_s for good in backups.valid()] == [
        1_900_000_000.0,
        1_700_000_000.0,
        12.0,
        1_800_000_000.0,
    ]


@pytest.mark.usefixtures("in_1970")
def test_a_backup_is_made_and_restored_while_the_clock_says_1970(journal, backups, clock, tmp_path):
    clock.now_s = 12.0
    number = play(journal, 500)
    backups.make_if_due()
    assert not backups.report.failed
    journal.append(number, ScoreSet(0, 9000))
    (good,) = backups.valid()
    restore_backup(good, journal, tmp_path, backups)

    assert journal.newest()[1].state.players[0].score == 500
    assert "1970-01-01" in str(good)


def test_a_failed_backup_is_reported_and_nothing_else_fails(journal, backups, tmp_path):
    play(journal)
    (tmp_path / "backups").write_text("in the way")
    backups.make_if_due()

    assert backups.report.failed
    assert "failed" in str(backups.report.line)


def test_a_damaged_journal_is_replaced_by_the_backup_and_the_later_steps(
    journal, backups, tmp_path
):
    number = play(journal, *range(0, 20_000, 50))
    backups.make()
    journal.append(number, ScoreSet(0, 5050))
    other = play(journal, 600)
    journal.close()
    pages = bytearray((tmp_path / "journal.db").read_bytes())
    pages[5 * 4096 : 6 * 4096] = b"\xa5" * 4096
    (tmp_path / "journal.db").write_bytes(pages)
    journal, notice = open_journal(tmp_path, backups)

    with closing(journal):
        assert journal.newest()[0] == other
        history = History(tmp_path / "journal.db")
        assert history.match(number).state.players[0].score == 5050
        assert history.match(other).state.players[0].score == 600
    assert str(notice).startswith(
        "The journal was damaged. It was replaced by a backup (1 match, made "
    )
    assert "3 later steps that could still be read; 2 matches in all." in str(notice)
    assert (tmp_path / "journal-damaged-1.db").exists()


def test_without_a_backup_every_readable_step_is_kept(journal, backups, tmp_path):
    first = play(journal, *range(0, 10_000, 50))
    second = play(journal, 650)
    journal._db.execute("UPDATE entry SET body = 'x' WHERE match = ? AND seq = 100", (first,))
    journal.close()
    (tmp_path / "journal.txt").unlink()
    journal, notice = open_journal(tmp_path, backups)

    with closing(journal):
        assert journal.newest()[0] == second
        assert History(tmp_path / "journal.db").match(first).state.players[0].score == 98 * 50
    assert "There was no backup" in str(notice)


def test_an_unreadable_journal_is_replaced_by_an_empty_one_and_reported(backups, tmp_path):
    for number in (1, 2):
        (tmp_path / "journal.db").write_bytes(b"rubbish" * 999)
        journal, notice = open_journal(tmp_path, backups)
        with closing(journal):
            assert journal.newest() is None
        assert f"kept as journal-damaged-{number}.db" in str(notice)


@pytest.mark.parametrize("at", [100, 1500, 3000, 3900, 4000])
def test_a_journal_with_unreadable_table_names_is_set_aside(journal, backups, tmp_path, at):
    """SQLite gives a reason that is not valid text."""
    play(journal, 500)
    journal.close()
    data = bytearray((tmp_path / "journal.db").read_bytes())
    data[at : at + 90] = b"\xcb\xff\x9f" * 30
    (tmp_path / "journal.db").write_bytes(data)
    journal, _ = open_journal(tmp_path, backups)

    with closing(journal):
        assert play(journal, 500)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs `traykeeper` in an empty folder and returns its output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def run(*words, ok=True, **options):
        done = CliRunner().invoke(cli.cli, [*words, "--state", str(tmp_path)], **options)
        assert (done.exit_code == 0) is ok, done
        return done.output if ok else str(done.exception)

    return run


def test_a_backup_is_made_and_restored_on_the_command_line(journal, run, tmp_path):
    number = play(journal, 500)
    config = tmp_path / "config" / "traykeeper" / "settings.toml"
    config.parent.mkdir(parents=True)
    config.write_text("port = 8123\n")
    assert run("backup", "kept.zip").startswith("kept.zip: 1 match and settings.toml, made ")
    journal.append(number, ScoreSet(0, 9000))
    config.write_text("port = 9999\n")

    assert "another Traykeeper is using this folder" in run(
        "restore", "kept.zip", "--yes", ok=False
    )
    journal.close()
    assert "Replace the matches" in run("restore", "kept.zip", input="y\n")
    with closing(Journal.open(tmp_path / "journal.db")) as again:
        assert again.newest()[1].state.players[0].score == 500
    assert config.read_text() == "port = 8123\n"
    assert config.with_name("settings.toml.bak").read_text() == "port = 9999\n"
    before = backup.read(tmp_path / "backups" / "restored-000001.zip")
    assert before.position == 3


@pytest.mark.parametrize(
    ("theirs", "ours", "expected"),
    [
        ('state = "/media/ssd"\nport = 80\n', "", "port = 80\n"),
        (
            'state = "/media/ssd"\nport = 80\n',
            "/media/stick",
            'state = "/media/stick"\nport = 80\n',
        ),
        ("port = 80", "/media/stick", 'port = 80\nstate = "/media/stick"\n'),
        ('# state = ""\nport = 80\n', "", '# state = ""\nport = 80\n'),
    ],
)
def test_restored_settings_keep_the_folder_of_this_machine(tmp_path, theirs, ours, expected):
    good = backup.Backup(0.0, 0, 0, {"settings.toml": theirs.encode()})
    settings = tmp_path / "settings.toml"
    restore_settings(good, settings, ours)

    assert settings.read_text() == expected
    assert restore_settings(good, settings, ours) is None


@pytest.mark.parametrize("is_installed", [True, False])
def test_a_restore_asks_for_the_installer_if_the_service_needs_other_permissions(
    journal, run, tmp_path, monkeypatch, is_installed
):
    monkeypatch.setattr(backup_command, "is_service", lambda: is_installed)
    play(journal, 500)
    config = tmp_path / "config" / "traykeeper" / "settings.toml"
    config.parent.mkdir(parents=True)
    config.write_text("port = 80\nvoice = true\nstill_s = 0.5\n")
    run("backup", "kept.zip")
    journal.close()
    config.write_text("port = 8000\nstill_s = 0.7\n")
    said = run("restore", "kept.zip", "--yes")

    assert ("changed: port, voice. Run the installer again" in said) is is_installed


def test_dice_named_after_a_backup_count_from_its_end(journal, run, tmp_path):
    play(journal, 500)
    run("backup", "kept.zip")
    play(journal, 9000)
    notes_file = NotesFile(tmp_path / NOTES_FILE)
    notes_file.change(lambda notes: notes.with_dice(DiceSetPeriod("ivory", 4)))
    journal.close()
    run("restore", "kept.zip", "--yes")

    position = backup.read(tmp_path / "kept.zip").position
    assert position < 4
    assert NotesFile(tmp_path / NOTES_FILE).notes.dice[-1] == DiceSetPeriod("ivory", position)


def test_a_backup_overwrites_only_another_backup(journal, run, tmp_path):
    number = play(journal, 500)
    (tmp_path / "house.toml").write_text('extends = "zilch"\n')
    assert "this file exists and is not a backup" in run("backup", "house.toml", ok=False)
    assert (tmp_path / "house.toml").read_text() == 'extends = "zilch"\n'

    run("backup", "kept.zip")
    journal.append(number, ScoreSet(0, 9000))
    run("backup", "kept.zip")
    assert backup.read(tmp_path / "kept.zip").position == 3


def test_nothing_is_restored_without_confirmation(journal, run, tmp_path):
    number = play(journal, 500)
    run("backup", "kept.zip")
    journal.append(number, ScoreSet(0, 9000))
    journal.close()
    run("restore", "kept.zip", ok=False, input="n\n")

    with closing(Journal.open(tmp_path / "journal.db")) as again:
        assert again.newest()[1].state.players[0].score == 9000


def test_a_failed_backup_or_restore_is_reported_in_one_line(run):
    assert "there is no journal" in run("backup", ok=False)
    assert "No such file" in run("restore", "gone.zip", "--yes", ok=False)
