"""Files of this format are used, and files of a newer one are refused with a remedy.

The files in `data` were written by the program: `traykeeper settings`, a match that was played through the
companion, its backup, and a club board that received a match.
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

WRITTEN = Path(__file__).parent / "data" / "0.1-november-26"


@pytest.fixture
def written(tmp_path):
    """A copy of the files."""
    return Path(shutil.copytree(WRITTEN, tmp_path / "written"))


def number_in(file):
    """Return the `user_version`, which is at a fixed place in a database, see https://sqlite.org/fileformat.html."""
    return int.from_bytes(file.read_bytes()[60:64])


def test_the_files_have_the_formats_of_this_version():
    """A change of a format replaces these files; once a release has used the old format, it also needs an upgrade."""
    with ZipFile(WRITTEN / "evening.zip") as pack:
        assert int.from_bytes(pack.read(JOURNAL_FILE)[60:64]) == schema.VERSION
    assert number_in(WRITTEN / "state" / JOURNAL_FILE) == schema.VERSION
    assert number_in(WRITTEN / "club.db") == store.SCHEMA_VERSION


def test_a_match_continues_where_it_stopped(written):
    state = written / "state"
    with open_maintenance(PlayOptions(camera="usb:97", state=str(state))) as maintenance:
        found = maintenance.companion.snapshot().match.state
        assert [(player.name, player.score) for player in found.players] == [
            ("Anna", 1000),
            ("Ben", 500),
        ]
        banked = maintenance.companion.do(Bank()).match.state
        assert banked.players[0].score > 1000
        assert History(state / JOURNAL_FILE).count() == 2


def test_a_calibration_is_used(written):
    assert (
        profile_file.load(written / "state" / profile_file.PROFILE_FILE).camera == "simulated tray"
    )


def test_every_setting_is_read():
    """The file sets everything that can be set."""
    assert load(WRITTEN / "settings.toml") == Settings(port=8123, mains_hz=60, rules="kcd")


def test_a_backup_is_restored(written, tmp_path):
    state, settings = tmp_path / "state", tmp_path / "settings.toml"
    state.mkdir()
    settings.touch()
    words = (written / "evening.zip", "--state", state, "--settings", settings)
    done = CliRunner().invoke(restore, [*map(str, words), "--yes"])
    assert done.exit_code == 0, done.output

    assert History(state / JOURNAL_FILE).count() == 2
    with open_maintenance(PlayOptions(camera="usb:97", state=str(state))) as maintenance:
        players = maintenance.companion.snapshot().match.state.players
        assert [player.score for player in players] == [1000, 500]


def test_a_club_keeps_its_matches_and_accepts_more(written):
    with closing(ClubStore.open(written / "club.db")) as opened:
        history = MatchHistory(opened, People(opened), lambda: 1_764_000_000.0)
        rows = opened.rows("SELECT name, score, won, banked FROM seat ORDER BY seat")
        assert [tuple(row) for row in rows] == [("Anna", 2100, 0, 2100), ("Ben", 2150, 1, 2150)]
        another = Match.start(load_rules("walnut-studiolo"), ["Cleo", "Dan"])
        history.add("t1", WireEntry.first("00000000000000bb", another, 1_764_000_100))

        assert opened.rows("SELECT COUNT(*) AS n FROM match")[0]["n"] == 2


def raise_number(file):
    with closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA user_version = {number_in(file) + 1}")


def test_a_journal_of_a_newer_version_is_refused_and_left_alone(written):
    file = written / "state" / JOURNAL_FILE
    raise_number(file)
    before = file.read_bytes()
    with pytest.raises(JournalError, match=r"from a newer version \(format 4, not 3\): update"):
        Journal.open(file)

    assert file.read_bytes() == before


def test_a_calibration_of_a_newer_version_is_refused_and_left_alone(written):
    file = written / "state" / profile_file.PROFILE_FILE
    newer = file.read_text("utf-8").replace("format = 2", f"format = {profile_file.FORMAT + 1}")
    file.write_text(newer, "utf-8")
    with pytest.raises(profile_file.ProfileError, match=r"newer version: update this Traykeeper$"):
        profile_file.load(file)

    assert file.read_text("utf-8") == newer


def test_a_setting_of_a_newer_version_is_named():
    text = (WRITTEN / "settings.toml").read_text("utf-8")
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
        backup.unpack(repacked(WRITTEN / "evening.zip", newer), "evening.zip")


def test_a_club_of_a_newer_version_is_refused_and_left_alone(written):
    file = written / "club.db"
    raise_number(file)
    before = file.read_bytes()
    with pytest.raises(GameError, match="from a newer version: update this Traykeeper"):
        ClubStore.open(file)

    assert file.read_bytes() == before
