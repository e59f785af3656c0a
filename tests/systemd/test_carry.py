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


LSBLK = '#!/bin/sh\necho "lsblk $*" >>"$SAID"\ncat "$DEVICES/rows"\n'
MOUNT = """#!/bin/sh
echo "mount $*" >>"$SAID"
from="$DEVICES/$(basename "$3")"
[ -d "$from" ] && rmdir "$4" && ln -s "$from" "$4"
"""
UMOUNT = '#!/bin/sh\necho "umount $*" >>"$SAID"\nrm "$1" && mkdir "$1"\n'
"""Stand-ins that write down what is asked; what is on a device lies in a folder of its name."""


def carry(tmp_path, *folders, machine=MACHINE):
    """Run it, on these folders and on the sticks that the stand-ins know of."""
    (tmp_path / "machine-id").write_text(machine)
    (tmp_path / "bin").mkdir(exist_ok=True)
    programs = {"lsblk": LSBLK, "mount": MOUNT, "umount": UMOUNT}
    for name, text in programs.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    names = {"STATE": "state", "BROUGHT": "brought", "MACHINE": "machine-id", "STICK": "mounted"}
    places = {f"TRAYKEEPER_{name}": tmp_path / file for name, file in names.items()}
    places |= {"SAID": tmp_path / "said", "DEVICES": tmp_path / "devices"}
    places |= {"TRAYKEEPER_USER": SERVICE}
    env = os.environ | {"PATH": path} | {name: str(place) for name, place in places.items()}
    return subprocess.run([CARRY, *folders], env=env, capture_output=True, text=True, check=True)


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
        carry(tmp_path, stick, machine=machine)

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


ROWS = """\
/dev/mmcblk0 mmc   \n\
/dev/mmcblk0p1  /dev/mmcblk0 vfat /boot/firmware
/dev/sda usb   \n\
/dev/sda1  /dev/sda vfat \n\
/dev/sda2  /dev/sda ext4 /media/in\\x20use
/dev/sda3  /dev/sda swap \n\
/dev/sdb usb  exfat \n\
/dev/sdc sata   \n\
/dev/sdc1  /dev/sdc ext4 \n"""
"""As `lsblk -rnpo NAME,TRAN,PKNAME,FSTYPE,MOUNTPOINT` prints them."""


@pytest.fixture
def devices(tmp_path):
    """A backup on each of them, and what lsblk says of them."""
    for name in ("mmcblk0p1", "sda1", "sda2", "sda3", "sdb", "sdc1"):
        (tmp_path / "devices" / name).mkdir(parents=True)
        (tmp_path / "devices" / name / f"traykeeper-{name}.zip").write_bytes(b"zip")
    (tmp_path / "devices" / "rows").write_text(ROWS)
    return tmp_path / "devices"


def asked(tmp_path, *programs):
    lines = (tmp_path / "said").read_text().splitlines()
    return [line for line in lines if line.split()[0] in programs]


def brought(state):
    return sorted(path.name for path in (state / "incoming").glob("*"))


def test_sticks_that_nobody_has_mounted_are_mounted_one_after_the_other(tmp_path, state, devices):
    carry(tmp_path)
    mounted = tmp_path / "mounted"

    assert asked(tmp_path, "mount", "umount") == [
        f"mount -o nosuid,nodev,noexec /dev/sda1 {mounted}",
        f"umount {mounted}",
        f"mount -o nosuid,nodev,noexec /dev/sdb {mounted}",
        f"umount {mounted}",
    ]
    assert asked(tmp_path, "lsblk") == ["lsblk -rnpo NAME,TRAN,PKNAME,FSTYPE,MOUNTPOINT"]
    assert brought(state) == ["traykeeper-sda1.zip", "traykeeper-sdb.zip"]
    assert (devices / "sda2" / "traykeeper-sda2.zip").exists()


def test_the_newest_goes_onto_every_stick_with_a_folder(tmp_path, state, devices):
    (state / "backups" / "traykeeper-000001.zip").write_bytes(b"new")
    for name in ("sda1", "sda2", "sdb"):
        (devices / name / "traykeeper-backups").mkdir()
    carry(tmp_path)
    taken = {path.parts[-3] for path in devices.glob("*/traykeeper-backups/*")}

    assert taken == {"sda1", "sdb"}


def test_a_stick_that_cannot_be_mounted_is_left_out(tmp_path, state, devices):
    shutil.rmtree(devices / "sda1")
    carry(tmp_path)

    assert [line.split()[0] for line in asked(tmp_path, "mount", "umount")] == [
        "mount",
        "mount",
        "umount",
    ]
    assert brought(state) == ["traykeeper-sdb.zip"]


def test_without_a_stick_nothing_is_mounted(tmp_path, state, devices):
    (devices / "rows").write_text("".join(ROWS.splitlines(keepends=True)[:2]))
    carry(tmp_path)

    assert asked(tmp_path, "mount", "umount") == []
    assert brought(state) == []


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
