"""Input of the command line is limited, and refused in one line that is safe for a terminal."""

import os
import socket
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from device.calibrating import profile_file
from device.calibrating.profile_file import ProfileError
from device.cli import main
from device.commands.doctor import pack_report
from device.doctor.system import Machine, System
from device.errors import UsageError
from device.files import as_owner_of, printable
from device.settings import Settings
from device.storage import backup
from device.storage.backup import MAX_BYTES, BackupError
from device.storage.daily_backup import Backups
from game.file_io import MAX_CHARS
from game.journal.journal import JOURNAL_FILE, Journal
from game.match.match import Match
from game.rules import rule_files
from tests.waiting import PATIENCE_S

COMMAND = str(Path(sys.executable).with_name("traykeeper"))


@pytest.fixture
def call(capsys, monkeypatch):
    """Run a command in this process, and return its exit code and what it said."""

    def call(*words, cwd="."):
        monkeypatch.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            main([*map(str, words)])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return call


def run(*words, **options):
    done = subprocess.run(
        [COMMAND, *map(str, words)], capture_output=True, timeout=PATIENCE_S, check=False, **options
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def play(folder):
    with closing(Journal.open(folder / JOURNAL_FILE)) as journal:
        journal.start(Match.start(rule_files.load("zilch"), ["Anna", "Ben"]))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("read", "/dev/zero"), "a device or a pipe, not a picture"),
        (("read", "/dev/null"), "a device or a pipe, not a picture"),
        (("restore", "/dev/zero", "--yes"), "a device or a pipe"),
        (("restore", "/", "--yes"), "Is a directory"),
        (("read", "a\x1b[31mb\n.jpg"), r"a\x1b[31mb\n.jpg: no such file"),
        (("keeps", "\x1b]0;evil\x07"), "traykeeper: "),
        (("pin", "--settings", "\x1b[2J"), "the file does not exist"),
        (("doctor", "--settings", "none.toml"), "none.toml: the file does not exist"),
        (("play", "--state", "/dev/null"), "/dev/null: this folder cannot be created"),
    ],
)
def test_bad_input_is_refused_quickly_in_one_line(call, words, why):
    code, _, said = call(*words)

    assert code == 2
    assert why in said
    assert said.count("\n") == 1
    assert said.strip().isprintable()


@pytest.mark.parametrize(
    "words", [("play", "--still", "nan"), ("calibrate", "height", "--die", "nan")]
)
def test_nan_is_outside_every_range(call, words):
    code, _, said = call(*words)

    assert code == 2
    assert "'nan' is not a finite number" in said


def test_root_refuses_to_play_in_another_users_folder(other_users_folder):
    code, _, said = run("play", "--state", other_users_folder, "--camera", "sim", "--port", "0")

    assert code == 2
    assert "belongs to user 1234, not to root: start the service" in said
    assert list(other_users_folder.iterdir()) == []


def test_an_endless_profile_is_refused():
    with pytest.raises(ProfileError, match="it is a device or a pipe"):
        profile_file.load(Path("/dev/zero"))


def test_a_backup_never_replaces_a_device(call, tmp_path):
    play(tmp_path)
    code, _, said = call("backup", "/dev/null", "--state", tmp_path)

    assert (code, said.count("\n")) == (2, 1)
    assert "it is a device or a pipe" in said
    assert not Path("/dev/null").is_file()


def test_an_empty_pipe_does_not_hang_a_restore(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert run("restore", tmp_path / "pipe", "--yes")[0] == 2


@pytest.mark.parametrize("words", [("read", "f.jpg"), ("rules", "check", "f.toml"), ("match", "f")])
def test_an_empty_pipe_is_refused_as_a_file(call, tmp_path, words):
    os.mkfifo(tmp_path / words[-1])
    code, _, said = call(*words, cwd=tmp_path)

    assert (code, said.count("\n")) == (2, 1)
    assert "a device or a pipe" in said


def test_a_text_over_the_limit_is_refused(call, tmp_path):
    with (tmp_path / "match.txt").open("wb") as file:
        file.truncate(MAX_CHARS + 1)

    assert "match.txt: the file is longer than" in call("match", tmp_path / "match.txt")[2]


def test_an_endless_line_is_refused():
    with Path("/dev/zero").open("rb") as endless:
        code, _, said = run("keeps", "-", stdin=endless)

    assert code == 2
    assert "stdin, line 1: longer than" in said


@pytest.mark.parametrize("name", ["/dev/null", "kept.txt", "folder"])
def test_a_report_overwrites_no_special_file(tmp_path, name):
    (tmp_path / "kept.txt").write_text("mine")
    (tmp_path / "folder").mkdir()
    system = System(Machine(), Settings(), None, None, None, installed=False)
    with pytest.raises(UsageError, match="this file exists"):
        pack_report(tmp_path / name, system, "ok", pictures=False)

    assert (tmp_path / "kept.txt").read_text() == "mine"


def test_a_zip_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("backup.json", '{"format": 1, "made_s": 1, "files": {"settings.toml": {}}}')
        bomb.writestr("settings.toml", bytes(MAX_BYTES["settings.toml"] + 1))

    with pytest.raises(BackupError, match=r"settings.toml is larger than 64 kB"):
        backup.read(path)


def test_deeply_nested_json_and_invisible_characters_are_refused(call, tmp_path):
    (tmp_path / "list").write_text("[" * 100_000)
    (tmp_path / "settings.toml").write_text('state = "a\\u0000b"\n')

    assert "--list" in call("read", "--list", tmp_path / "list")[2]
    code, _, said = call("pin", "--settings", tmp_path / "settings.toml")
    assert (code, said.count("\n")) == (2, 1)
    assert "must be one line of text" in said


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "<&-", "1>&- 2>&- <&-"])
def test_no_file_takes_the_place_of_a_closed_stream(tmp_path, closed):
    play(tmp_path)
    before = (tmp_path / JOURNAL_FILE).read_bytes()
    script = f"{COMMAND} backup {tmp_path}/kept.zip --state {tmp_path} {closed}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert backup.read(tmp_path / "kept.zip").matches == 1
    assert (tmp_path / JOURNAL_FILE).read_bytes() == before


EVIL = "a\x1b]0;evil\x07"


@pytest.mark.parametrize(
    "words",
    [
        ("rules", "check", f"{EVIL}.toml"),
        ("rules", "check", "{folder}/" + f"{EVIL}good.toml"),
        ("rules", "check", "{folder}/" + f"{EVIL}bad.toml"),
        ("calibrate", "mat", "--out", "{folder}/" + f"{EVIL}.svg"),
        ("doctor", "--zip", "{folder}/" + f"{EVIL}.zip"),
        ("doctor", "--settings", "{folder}/" + f"{EVIL}bad.toml"),
        ("backup", "{folder}/" + f"{EVIL}.zip", "--state", "{folder}/" + EVIL),
        ("restore", "{folder}/" + f"{EVIL}.zip", "--state", "{folder}/" + EVIL, "--yes"),
    ],
)
def test_control_characters_in_file_names_are_escaped(call, tmp_path, words):
    (tmp_path / f"{EVIL}good.toml").write_text('extends = "zilch"\n')
    (tmp_path / f"{EVIL}bad.toml").write_text('extend = "zilch"\n')
    play(make(tmp_path / EVIL))
    backup.write(Backups(tmp_path / EVIL).collect(), tmp_path / f"{EVIL}.zip")
    _, out, said = call(*(word.format(folder=tmp_path) for word in words))

    assert r"a\x1b]0;evil" in out + said
    assert all(line.isprintable() for line in (out + said).splitlines())


def test_control_characters_in_warnings_of_play_are_escaped(tmp_path):
    state = make(tmp_path / EVIL)
    (state / "calibration.toml").write_text("broken")
    (state / "scorekeeper.json").mkdir()
    with socket.create_server(("0.0.0.0", 0)) as taken:  # noqa: S104 - where it would listen, too
        port = taken.getsockname()[1]
        code, _, said = run("play", "--state", state, "--camera", "sim", "--port", port)

    assert code == 2
    assert said.count(r"a\x1b]0;evil") == 2
    assert all(line.isprintable() for line in said.splitlines())


def make(folder):
    folder.mkdir()
    return folder


def test_printable_text_is_one_line_without_control_characters():
    assert printable("Zoë 🎲.zip") == "Zoë 🎲.zip"
    assert printable("a\x1b[2J\n.zip") == r"a\x1b[2J\n.zip"
    assert printable("a\u202eb") == r"a\u202eb"


def test_root_works_in_another_users_folder_as_that_user(other_users_folder, root_only_file):
    (other_users_folder / "journal.lock").symlink_to(root_only_file)
    with as_owner_of(other_users_folder):
        with pytest.raises(PermissionError):
            (other_users_folder / "journal.lock").read_text()
        (other_users_folder / "new").write_text("")

    assert (other_users_folder / "new").stat().st_uid == 1234
    assert os.geteuid() == 0
    assert root_only_file.read_text() == "root's"
