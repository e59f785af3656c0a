"""Backups from and to a stick: the script, run on folders as if they were one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CARRY = Path(__file__).parents[2] / "systemd" / "carry"

MACHINE = "3f2a9c11"
SERVICE = 1234
"""Whose the matches are, by number: there is no such user here."""

MINE = f"{os.uname().nodename}-3f2a"
"""What is on the stick under this name is ours."""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="it is run by root")


@pytest.fixture
def stick(tmp_path):
    (tmp_path / "stick").mkdir()
    return tmp_path / "stick"


@pytest.fixture
def state(tmp_path):
    folder = tmp_path / "state"
    (folder / "backups").mkdir(parents=True)
    for path in (folder, folder / "backups"):
        os.chown(path, SERVICE, SERVICE)
    for path in (*reversed(tmp_path.parents), tmp_path):  # there must be a way to it
        if path.stat().st_mode & 0o055 != 0o055:
            path.chmod(path.stat().st_mode | 0o055)
    return folder


def carry(tmp_path, stick, machine=MACHINE):
    (tmp_path / "machine-id").write_text(machine)
    names = {"STATE": "state", "BROUGHT": "brought", "MACHINE": "machine-id"}
    told = {name: str(tmp_path / file) for name, file in names.items()} | {"USER": str(SERVICE)}
    env = os.environ | {f"TRAYKEEPER_{name}": value for name, value in told.items()}
    return subprocess.run([CARRY, stick], env=env, capture_output=True, text=True, check=True)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("name", ["carry", "first-boot", "cloud-init/vendor-data"])
def test_shellcheck_has_nothing_to_say(name):
    done = subprocess.run(["shellcheck", CARRY.parent / name], capture_output=True, check=False)

    assert done.stdout == b""


def test_a_backup_that_lies_there_is_brought_once(tmp_path, stick, state):
    (stick / "traykeeper-2026-11-20.zip").write_bytes(b"zip")
    (stick / "holiday.zip").write_bytes(b"not ours")
    carry(tmp_path, stick)
    brought = state / "incoming" / "traykeeper-2026-11-20.zip"

    assert brought.read_bytes() == b"zip"
    assert brought.stat().st_mode & 0o777 == 0o600
    assert (brought.stat().st_uid, brought.parent.stat().st_uid) == (SERVICE, SERVICE)
    brought.unlink()
    carry(tmp_path, stick)
    assert not brought.exists()
    assert sorted(path.name for path in stick.iterdir()) == [
        "holiday.zip",
        "traykeeper-2026-11-20.taken",
    ]


@pytest.fixture
def protected(stick):
    """The stick, with its switch at read only: gives what moves that."""

    def switch(to):
        subprocess.run(["mount", "-o", f"remount,bind,{to}", stick], check=True)

    mounted = subprocess.run(["mount", "--bind", stick, stick], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("it cannot be mounted here")
    yield switch
    subprocess.run(["umount", stick], check=True)


def test_what_a_write_protected_stick_brought_is_not_brought_again(
    tmp_path, stick, state, protected
):
    (stick / "traykeeper-1.zip").write_bytes(b"one")
    protected("ro")
    carry(tmp_path, stick)
    brought = state / "incoming" / "traykeeper-1.zip"
    assert brought.read_bytes() == b"one"
    brought.unlink()
    carry(tmp_path, stick)

    assert not brought.exists()
    protected("rw")
    carry(tmp_path, stick)
    assert brought.exists()


def test_another_backup_on_a_write_protected_stick_is_brought(tmp_path, stick, state, protected):
    for content in (b"one", b"two"):
        protected("rw")
        (stick / "traykeeper-1.zip").write_bytes(content)
        protected("ro")
        carry(tmp_path, stick)

    assert (state / "incoming" / "traykeeper-1.zip").read_bytes() == b"two"


def test_nothing_is_written_where_nobody_made_the_folder(tmp_path, stick, state):
    (state / "backups" / "traykeeper-000009.zip").write_bytes(b"nine")
    carry(tmp_path, stick)

    assert list(stick.iterdir()) == []


def test_the_newest_goes_into_the_folder_once_a_day_and_seven_stay(tmp_path, stick, state):
    folder = stick / "traykeeper-backups"
    folder.mkdir()
    for number in (9, 10):
        (state / "backups" / f"traykeeper-{number:06}.zip").write_bytes(b"%d" % number)
    for day in range(1, 9):
        (folder / f"2020-01-0{day}-{MINE}.zip").write_bytes(b"old")
    carry(tmp_path, stick)
    names = sorted(path.name for path in folder.iterdir())

    assert len(names) == 7
    assert names[0] == f"2020-01-03-{MINE}.zip"
    assert (folder / names[-1]).read_bytes() == b"10"
    assert "took" not in carry(tmp_path, stick).stdout


def test_two_tables_may_share_a_stick(tmp_path, stick, state):
    folder = stick / "traykeeper-backups"
    folder.mkdir()
    for machine in (MACHINE, "77b0"):
        (state / "backups" / "traykeeper-000001.zip").write_text(machine)
        carry(tmp_path, stick, machine)

    assert {path.read_text() for path in folder.iterdir()} == {MACHINE, "77b0"}


def test_another_evening_on_the_same_date_takes_the_place_of_the_one_before(tmp_path, stick, state):
    """A clock that nobody sets begins at the same date with each start."""
    folder = stick / "traykeeper-backups"
    folder.mkdir()
    for evening in (b"first", b"second"):
        (state / "backups" / "traykeeper-000001.zip").write_bytes(evening)
        carry(tmp_path, stick)
    (taken,) = folder.iterdir()

    assert taken.read_bytes() == b"second"


def test_what_was_just_taken_stays_whatever_the_clock_says(tmp_path, stick, state):
    folder = stick / "traykeeper-backups"
    folder.mkdir()
    for day in range(1, 8):
        (folder / f"2999-01-0{day}-{MINE}.zip").write_bytes(b"old")
    (state / "backups" / "traykeeper-000001.zip").write_bytes(b"new")
    carry(tmp_path, stick)
    taken = {path.read_bytes() for path in folder.iterdir()}

    assert taken == {b"new", b"old"}
    assert len(list(folder.iterdir())) == 7


def test_a_link_leads_nowhere(tmp_path, stick, state):
    (stick / "traykeeper-1.zip").symlink_to("/etc/passwd")
    carry(tmp_path, stick)

    assert not (state / "incoming").exists()


def test_a_link_in_the_matches_folder_gives_nothing_of_roots_away(tmp_path, stick, state):
    """Whoever has the service's rights may set one there."""
    roots = tmp_path / "roots"
    roots.mkdir(mode=0o700)
    (state / "incoming").symlink_to(roots)
    (stick / "traykeeper-1.zip").write_bytes(b"one")
    carry(tmp_path, stick)

    assert roots.stat().st_uid == 0
    assert list(roots.iterdir()) == []
    assert (stick / "traykeeper-1.zip").exists()  # it is brought once that is mended


def test_no_file_of_roots_is_carried_away(tmp_path, stick, state):
    secret = tmp_path / "secret"
    secret.write_text("root's")
    secret.chmod(0o600)
    (stick / "traykeeper-backups").mkdir()
    (state / "backups" / "traykeeper-000001.zip").write_bytes(b"one")
    (state / "backups" / "traykeeper-000002.zip").symlink_to(secret)
    carry(tmp_path, stick)
    (taken,) = (stick / "traykeeper-backups").iterdir()

    assert taken.read_bytes() == b"one"
