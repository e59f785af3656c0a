"""Files of every earlier format are used by this version, and files of a newer one are refused with a remedy.

The folders in `data` were written by the programs of those days: `traykeeper settings`, a match that was played
through the companion, its backup, and a club board that received a match.
"""

import io
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner

from device.app import PlayOptions, open_maintenance
from device.calibrating import profile_file
from device.commands.backup import restore
from device.errors import UsageError
from device.settings import Settings, load, parse
from device.storage import backup
from game.commands import Bank
from game.errors import GameError, JournalError
from game.journal import schema
from game.journal.entry import WireEntry
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE, Journal
from game.match.match import Match
from game.rules.rule_files import load as load_rules
from web.club import store
from web.club.match_history import MatchHistory
from web.club.people import People
from web.club.store import ClubStore

DATA = Path(__file__).parent / "data"
LEFT = {folder.name: folder for folder in sorted(DATA.glob("0.1-november*"))}
MATCHES = {
    "0.1-november": 1,
    "0.1-november-21": 2,
    "0.1-november-24": 2,
    "0.1-november-26": 2,
}


def have(name):
    """Return the versions that left a file with this name."""
    return [version for version, folder in LEFT.items() if (folder / name).exists()]


@pytest.fixture
def left(tmp_path):
    """Return a function that copies what a version left."""
    return lambda version: Path(shutil.copytree(LEFT[version], tmp_path / "left"))


def number_in(file):
    """Return the `user_version`, which is at a fixed place in a database, see https://sqlite.org/fileformat.html."""
    return int.from_bytes(file.read_bytes()[60:64]) or 1


def formats(name, number):
    return {number(LEFT[version] / name) for version in have(name)}


def profile_format(file):
    return int(file.read_text("utf-8").partition("format = ")[2].partition("\n")[0])


def packed_journal_format(file):
    with ZipFile(file) as pack:
        return int.from_bytes(pack.read(JOURNAL_FILE)[60:64])


def test_there_is_a_file_of_every_format():
    """A new format needs a folder of the previous version, written by its program."""
    club = range(1, store.SCHEMA_VERSION + 1)
    journals = range(1, schema.VERSION + 1)

    assert LEFT.keys() == MATCHES.keys()
    assert formats(f"state/{JOURNAL_FILE}", number_in) == {*journals}
    assert formats(f"state/{profile_file.FILE}", profile_format) == {
        *range(1, profile_file.FORMAT + 1)
    }
    assert formats("club.db", number_in) == {*club}
    assert formats("evening.zip", packed_journal_format) == {*journals} - {1}  # no backups yet


@pytest.mark.parametrize("version", LEFT)
def test_matches_continue_where_they_stopped(left, version):
    state = left(version) / "state"
    before = number_in(state / JOURNAL_FILE)
    with open_maintenance(PlayOptions(camera="usb:97", state=str(state))) as maintenance:
        found = maintenance.companion.snapshot().match.state
        assert [(player.name, player.score) for player in found.players] == [
            ("Anna", 1000),
            ("Ben", 500),
        ]
        banked = maintenance.companion.do(Bank()).match.state
        assert banked.players[0].score > 1000
        assert History(state / JOURNAL_FILE).count() == MATCHES[version]

    assert number_in(state / JOURNAL_FILE) == schema.VERSION
    copies = [] if before == schema.VERSION else [f"journal-format-{before}.db"]
    assert [file.name for file in state.glob("journal-format-*")] == copies


@pytest.mark.parametrize("version", have(f"state/{profile_file.FILE}"))
def test_a_calibration_is_used_and_its_old_file_is_kept(left, version):
    file = left(version) / "state" / profile_file.FILE
    before, text = profile_format(file), file.read_text("utf-8")
    profile = profile_file.load(file)

    assert profile.camera == "simulated tray"
    assert profile_format(file) == profile_file.FORMAT
    if before < profile_file.FORMAT:
        assert file.with_name(f"{file.name}.{before}.bak").read_text("utf-8") == text
    assert profile_file.load(file) == profile


@pytest.mark.parametrize("version", have("settings.toml"))
def test_settings_are_read(version):
    assert load(LEFT[version] / "settings.toml").port == 8123


@pytest.mark.parametrize("version", ["0.1-november-21", "0.1-november-24", "0.1-november-26"])
def test_every_setting_of_an_older_version_still_exists(version):
    """Each of these files sets everything that could be set."""
    found = load(LEFT[version] / "settings.toml")

    assert found == Settings(port=8123, mains_hz=60, rules="kcd")


@pytest.mark.parametrize("version", have("evening.zip"))
def test_a_backup_is_restored(left, tmp_path, version):
    state = tmp_path / "state"
    state.mkdir()
    words = (
        left(version) / "evening.zip",
        "--state",
        state,
        "--settings",
        tmp_path / "settings.toml",
    )
    (tmp_path / "settings.toml").touch()
    done = CliRunner().invoke(restore, [*map(str, words), "--yes"])
    assert done.exit_code == 0, done.output

    assert History(state / JOURNAL_FILE).count() == MATCHES[version]
    with open_maintenance(PlayOptions(camera="usb:97", state=str(state))) as maintenance:
        players = maintenance.companion.snapshot().match.state.players
        assert [player.score for player in players] == [1000, 500]


@pytest.mark.parametrize("version", have("club.db"))
def test_a_club_keeps_its_matches_and_accepts_more(left, version):
    with closing(ClubStore.open(left(version) / "club.db")) as opened:
        history = MatchHistory(opened, People(opened), lambda: 1_764_000_000.0)
        rows = opened.rows("SELECT name, score, won, banked FROM seat ORDER BY seat")
        assert [tuple(row) for row in rows] == [("Anna", 2100, 0, 2100), ("Ben", 2150, 1, 2150)]
        another = Match.start(load_rules("walnut-studiolo"), ["Cleo", "Dan"])
        history.add("t1", WireEntry.first("00000000000000bb", another, 1_764_000_100))

        assert opened.rows("SELECT COUNT(*) AS n FROM match")[0]["n"] == 2


NEWEST = LEFT["0.1-november-26"]


def raise_number(file):
    with closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA user_version = {number_in(file) + 1}")


def test_a_journal_of_a_newer_version_is_refused_and_left_alone(left):
    file = left(NEWEST.name) / "state" / JOURNAL_FILE
    raise_number(file)
    before = file.read_bytes()
    with pytest.raises(JournalError, match=r"from a newer version \(format 4, not 3\): update"):
        Journal.open(file)

    assert file.read_bytes() == before


def test_a_calibration_of_a_newer_version_is_refused_and_left_alone(left):
    file = left(NEWEST.name) / "state" / profile_file.FILE
    newer = file.read_text("utf-8").replace("format = 2", f"format = {profile_file.FORMAT + 1}")
    file.write_text(newer, "utf-8")
    with pytest.raises(profile_file.ProfileError, match=r"newer version: update this Traykeeper$"):
        profile_file.load(file)

    assert file.read_text("utf-8") == newer


def test_a_setting_of_a_newer_version_is_named():
    text = (NEWEST / "settings.toml").read_text("utf-8")
    line = len(text.splitlines()) + 1
    with pytest.raises(
        UsageError, match=rf"settings.toml, line {line}: of_tomorrow is not a setting"
    ):
        parse(f"{text}of_tomorrow = 1\n", "settings.toml")


def repacked(file, change):
    """Return the bytes of a backup with some of its files changed."""
    out = io.BytesIO()
    with ZipFile(file) as pack, ZipFile(out, "w") as new:
        for name in pack.namelist():
            new.writestr(name, change(name, pack.read(name)))
    return out.getvalue()


def test_a_backup_of_a_newer_version_is_refused():
    def newer(name, data):
        if name != backup.LIST:
            return data
        return json.dumps(json.loads(data) | {"format": backup.FORMAT + 1})

    with pytest.raises(
        backup.BackupError, match="it has format 2, but this version knows 1: update"
    ):
        backup.unpack(repacked(NEWEST / "evening.zip", newer), "evening.zip")


def test_a_club_of_a_newer_version_is_refused_and_left_alone(left):
    file = left(NEWEST.name) / "club.db"
    raise_number(file)
    before = file.read_bytes()
    with pytest.raises(GameError, match="from a newer version: update this Traykeeper"):
        ClubStore.open(file)

    assert file.read_bytes() == before
