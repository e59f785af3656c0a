"""What is handed in on the command line is bounded, and answered in one line that harms no terminal."""

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
from device.doctor.report import pack_report
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

COMMAND = str(Path(sys.executable).with_name("traykeeper"))


def run(*words, **options):
    done = subprocess.run(
        [COMMAND, *map(str, words)], capture_output=True, timeout=60, check=False, **options
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
        (("pin", "--settings", "\x1b[2J"), "no such file"),
        (("doctor", "--settings", "none.toml"), "none.toml: there is no such file"),
        (("play", "--state", "/dev/null"), "/dev/null: this folder cannot be created"),
    ],
)
def test_it_is_one_line_and_quick(words, why):
    code, _, said = run(*words)

    assert code == 2
    assert why in said
    assert said.count("\n") == 1
    assert said.strip().isprintable()


@pytest.mark.parametrize(
    "words", [("play", "--still", "nan"), ("calibrate", "height", "--die", "nan")]
)
def test_nan_is_outside_every_range(words):
    code, _, said = run(*words)

    assert code == 2
    assert "'nan' is not a finite number" in said


def test_root_does_not_play_in_anothers_folder(anothers):
    code, _, said = run("play", "--state", anothers, "--camera", "sim", "--port", "0")

    assert code == 2
    assert "belongs to user 1234, not to root: start the service" in said
    assert list(anothers.iterdir()) == []


def test_a_profile_without_end_is_refused():
    with pytest.raises(ProfileError, match="it is a device or a pipe"):
        profile_file.load(Path("/dev/zero"))


def test_a_backup_never_takes_the_place_of_a_device(tmp_path):
    play(tmp_path)
    code, _, said = run("backup", "/dev/null", "--state", tmp_path)

    assert (code, said.count("\n")) == (2, 1)
    assert "it is a device or a pipe" in said
    assert not Path("/dev/null").is_file()


def test_a_pipe_that_nobody_fills_does_not_stop_a_restore(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert run("restore", tmp_path / "pipe", "--yes")[0] == 2


@pytest.mark.parametrize("words", [("read", "f.jpg"), ("rules", "check", "f.toml"), ("match", "f")])
def test_a_pipe_that_nobody_fills_is_no_file(tmp_path, words):
    os.mkfifo(tmp_path / words[-1])
    code, _, said = run(*words, cwd=tmp_path)

    assert (code, said.count("\n")) == (2, 1)
    assert "a device or a pipe" in said


def test_a_text_that_is_too_long_is_refused(tmp_path):
    with (tmp_path / "match.txt").open("wb") as file:
        file.truncate(MAX_CHARS + 1)

    assert "match.txt: this is longer than" in run("match", tmp_path / "match.txt")[2]


def test_a_line_without_an_end_is_refused():
    with Path("/dev/zero").open("rb") as endless:
        code, _, said = run("keeps", "-", stdin=endless)

    assert code == 2
    assert "stdin, line 1: longer than" in said


@pytest.mark.parametrize("name", ["/dev/null", "kept.txt", "folder"])
def test_a_report_takes_the_place_of_nothing(tmp_path, name):
    (tmp_path / "kept.txt").write_text("mine")
    (tmp_path / "folder").mkdir()
    system = System(Machine(), Settings(), None, None, None, installed=False)
    with pytest.raises(UsageError, match="this file exists"):
        pack_report(tmp_path / name, system, "ok", pictures=False)

    assert (tmp_path / "kept.txt").read_text() == "mine"


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("backup.json", '{"format": 1, "made_s": 1, "files": {"settings.toml": {}}}')
        bomb.writestr("settings.toml", bytes(MAX_BYTES["settings.toml"] + 1))

    with pytest.raises(BackupError, match=r"settings.toml is larger than 64 kB"):
        backup.read(path)


def test_nested_json_and_unseen_characters_are_refused(tmp_path):
    (tmp_path / "list").write_text("[" * 100_000)
    (tmp_path / "settings.toml").write_text('state = "a\\u0000b"\n')

    assert "--list" in run("read", "--list", tmp_path / "list")[2]
    code, _, said = run("pin", "--settings", tmp_path / "settings.toml")
    assert (code, said.count("\n")) == (2, 1)
    assert "allowed is one line of text" in said


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "<&-", "1>&- 2>&- <&-"])
def test_a_closed_stream_is_never_taken_by_a_file(tmp_path, closed):
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
def test_no_name_of_a_file_is_obeyed_by_the_terminal(tmp_path, words):
    (tmp_path / f"{EVIL}good.toml").write_text('extends = "zilch"\n')
    (tmp_path / f"{EVIL}bad.toml").write_text('extend = "zilch"\n')
    play(make(tmp_path / EVIL))
    backup.write(Backups(tmp_path / EVIL).collect(), tmp_path / f"{EVIL}.zip")
    _, out, said = run(*(word.format(folder=tmp_path) for word in words))

    assert r"a\x1b]0;evil" in out + said
    assert all(line.isprintable() for line in (out + said).splitlines())


def test_no_warning_of_play_is_obeyed_by_the_terminal(tmp_path):
    state = make(tmp_path / EVIL)
    (state / "calibration.toml").write_text("broken")
    (state / "pencil.json").mkdir()
    with socket.create_server(("0.0.0.0", 0)) as taken:  # noqa: S104 - where it would listen, too
        port = taken.getsockname()[1]
        code, _, said = run("play", "--state", state, "--camera", "sim", "--port", port)

    assert code == 2
    assert said.count(r"a\x1b]0;evil") == 2
    assert all(line.isprintable() for line in said.splitlines())


def make(folder):
    folder.mkdir()
    return folder


def test_names_are_shown_on_one_line_without_orders_to_the_terminal():
    assert printable("Zoë 🎲.zip") == "Zoë 🎲.zip"
    assert printable("a\x1b[2J\n.zip") == r"a\x1b[2J\n.zip"
    assert printable("a\u202eb") == r"a\u202eb"


def test_what_root_does_in_a_folder_of_another_it_does_as_that_other(anothers, roots):
    (anothers / "journal.lock").symlink_to(roots)
    with as_owner_of(anothers):
        with pytest.raises(PermissionError):
            (anothers / "journal.lock").read_text()
        (anothers / "new").write_text("")

    assert (anothers / "new").stat().st_uid == 1234
    assert os.geteuid() == 0
    assert roots.read_text() == "root's"
