"""Backups from and to a USB stick: the script, run on folders that stand in for sticks."""

import os
import shutil
import subprocess
import urllib.request
from pathlib import Path

import pytest

from device.app import PlayOptions, serving
from device.doctor import checks
from device.storage.backup import MAX_PACKED
from tests.waiting import PATIENCE_S

CARRY = Path(__file__).parents[2] / "systemd" / "carry"

MACHINE = "3f2a9c11"
SERVICE = 1234
"""User and group of the matches, by number, because this machine has no such user."""

MINE = f"{os.uname().nodename}-3f2a"
"""Files on the stick with this name belong to this Pi."""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="it is run by root")


@pytest.fixture
def tmp_path(public_folder):
    """A folder that the service's user can reach as well."""
    return public_folder


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
    return folder


LSBLK = '#!/bin/sh\necho "lsblk $*" >>"$SAID"\ncat "$DEVICES/rows"\n'
MOUNT = """#!/bin/sh
echo "mount $*" >>"$SAID"
from="$DEVICES/$(basename "$3")"
[ -d "$from" ] && rmdir "$4" && ln -s "$from" "$4"
"""
UMOUNT = '#!/bin/sh\necho "umount $*" >>"$SAID"\nrm "$1" && mkdir "$1"\n'
"""Programs that record their calls; the contents of a device are in a folder of its name."""


def carry(tmp_path, *folders, machine=MACHINE, fails=False, **more):
    """Run the script on these folders and on the sticks of the stand-in programs, and check its exit status."""
    (tmp_path / "machine-id").write_text(machine)
    (tmp_path / "bin").mkdir(exist_ok=True)
    programs = {"lsblk": LSBLK, "mount": MOUNT, "umount": UMOUNT} | more
    for name, text in programs.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    names = {"STATE": "state", "HOME": "home", "MACHINE": "machine-id", "STICK": "mounted"}
    (tmp_path / "home").mkdir(exist_ok=True)
    places = {f"TRAYKEEPER_{name}": tmp_path / file for name, file in names.items()}
    places |= {"SAID": tmp_path / "said", "DEVICES": tmp_path / "devices"}
    places |= {"TRAYKEEPER_USER": SERVICE}
    env = os.environ | {"PATH": path} | {name: str(place) for name, place in places.items()}
    done = subprocess.run([CARRY, *folders], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == int(fails), done.stderr
    return done


def told(tmp_path):
    """Return the record for the health page, as a dictionary."""
    lines = (tmp_path / "home" / "stick").read_text().splitlines()
    return dict(line.partition("=")[::2] for line in lines)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("name", ["carry", "first-boot", "launch", "cloud-init/vendor-data"])
def test_shellcheck_finds_nothing(name):
    done = subprocess.run(["shellcheck", CARRY.parent / name], capture_output=True, check=False)

    assert done.stdout == b""


def test_a_backup_on_the_stick_is_copied_once(tmp_path, stick, state):
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


def test_only_backups_are_copied_from_the_stick(tmp_path, stick, state):
    """The program itself, saved photos, and a file that is too large stay where they are."""
    names = ["traykeeper-main.zip", "traykeeper-0.1.0.zip", "traykeeper-corrections.zip"]
    for name in names:
        (stick / name).write_bytes(b"zip")
    large = stick / "traykeeper-2026-11-19.zip"
    with large.open("wb") as file:
        file.truncate(MAX_PACKED + 1)
    for name in ("traykeeper-2026-11-20 (1).zip", "traykeeper-000012.zip"):
        (stick / name).write_bytes(b"zip")
    carry(tmp_path, stick)

    assert brought(state) == ["traykeeper-000012.zip", "traykeeper-2026-11-20 (1).zip"]
    assert all((stick / name).exists() for name in (*names, large.name))


def test_a_backup_keeps_its_name_on_the_stick_until_its_copy_is_on_the_card(tmp_path, stick, state):
    (stick / "traykeeper-2026-11-21.zip").write_bytes(b"one")
    carry(tmp_path, stick, fails=True, sync="#!/bin/sh\nexit 1\n")

    assert (stick / "traykeeper-2026-11-21.zip").exists()
    assert list((state / "incoming").iterdir()) == []
    (tmp_path / "bin" / "sync").unlink()
    carry(tmp_path, stick)
    assert brought(state) == ["traykeeper-2026-11-21.zip"]


@pytest.fixture
def protected(stick):
    """Write-protect the stick, and return a function that moves its switch."""

    def switch(to):
        subprocess.run(["mount", "-o", f"remount,bind,{to}", stick], check=True)

    mounted = subprocess.run(["mount", "--bind", stick, stick], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("it cannot be mounted here")
    yield switch
    subprocess.run(["umount", stick], check=True)


def test_a_backup_on_a_write_protected_stick_is_copied_once(tmp_path, stick, state, protected):
    (stick / "traykeeper-2026-11-21.zip").write_bytes(b"one")
    protected("ro")
    carry(tmp_path, stick)
    brought = state / "incoming" / "traykeeper-2026-11-21.zip"
    assert brought.read_bytes() == b"one"
    brought.unlink()
    carry(tmp_path, stick)

    assert not brought.exists()
    protected("rw")
    carry(tmp_path, stick)
    assert brought.exists()


def test_another_backup_on_a_write_protected_stick_is_copied(tmp_path, stick, state, protected):
    for content in (b"one", b"two"):
        protected("rw")
        (stick / "traykeeper-2026-11-21.zip").write_bytes(content)
        protected("ro")
        carry(tmp_path, stick)

    assert (state / "incoming" / "traykeeper-2026-11-21.zip").read_bytes() == b"two"


def test_nothing_is_written_to_a_stick_without_the_folder(tmp_path, stick, state):
    (state / "backups" / "traykeeper-000009.zip").write_bytes(b"nine")
    carry(tmp_path, stick)

    assert list(stick.iterdir()) == []


def test_the_newest_backup_is_copied_once_a_day_and_seven_are_kept(tmp_path, stick, state):
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


def test_two_pis_can_share_a_stick(tmp_path, stick, state):
    folder = stick / "traykeeper-backups"
    folder.mkdir()
    for machine in (MACHINE, "77b0"):
        (state / "backups" / "traykeeper-000001.zip").write_text(machine)
        carry(tmp_path, stick, machine=machine)

    assert {path.read_text() for path in folder.iterdir()} == {MACHINE, "77b0"}


def test_a_later_backup_of_the_same_date_replaces_the_earlier_one(tmp_path, stick, state):
    """A clock that is never set shows the same date at each start."""
    folder = stick / "traykeeper-backups"
    folder.mkdir()
    for evening in (b"first", b"second"):
        (state / "backups" / "traykeeper-000001.zip").write_bytes(evening)
        carry(tmp_path, stick)
    (taken,) = folder.iterdir()

    assert taken.read_bytes() == b"second"


def test_the_newest_backup_stays_whatever_the_clock_says(tmp_path, stick, state):
    folder = stick / "traykeeper-backups"
    folder.mkdir()
    for day in range(1, 8):
        (folder / f"2999-01-0{day}-{MINE}.zip").write_bytes(b"old")
    (state / "backups" / "traykeeper-000001.zip").write_bytes(b"new")
    carry(tmp_path, stick)
    taken = {path.read_bytes() for path in folder.iterdir()}

    assert taken == {b"new", b"old"}
    assert len(list(folder.iterdir())) == 7


KB = 1024


@pytest.fixture
def small(stick):
    """Put a file system of 64 kB on the stick, and return the folder for the backups."""
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", stick]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("it cannot be mounted here")
    (stick / "traykeeper-backups").mkdir()
    yield stick / "traykeeper-backups"
    subprocess.run(["umount", stick], check=True)


def sizes(folder):
    return {path.name: path.stat().st_size // KB for path in folder.iterdir()}


def health_page(tmp_path, monkeypatch):
    """Return what the health page of a running companion says about sticks."""
    monkeypatch.setattr(checks, "STICK", str(tmp_path / "home" / "stick"))
    state = str(tmp_path / "matches")
    with serving(PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state)) as (_, server):
        address = f"http://127.0.0.1:{server.port}/health"
        with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
            return answer.read().decode().partition("<b>USB stick</b>")[2].partition("</li>")[0]


def test_a_full_stick_keeps_its_backups_and_the_health_page_says_so(
    tmp_path, small, state, monkeypatch
):
    before = {f"2020-01-0{day}-{MINE}.zip": 12 for day in (1, 2)} | {"holiday.jpg": 36}
    for name, size in before.items():
        (small / name).write_bytes(bytes(size * KB))
    (state / "backups" / "traykeeper-000001.zip").write_bytes(bytes(20 * KB))
    carry(tmp_path, small.parent, fails=True)

    assert sizes(small) == before
    page = health_page(tmp_path, monkeypatch)
    assert "the USB stick is full: it did not get the last backup" in page
    assert "Delete files from it on a computer" in page
    (small / "holiday.jpg").unlink()
    carry(tmp_path, small.parent)
    page = health_page(tmp_path, monkeypatch)
    assert "the last backup was copied at 2" in page
    assert "full" not in page


def test_older_backups_make_room_and_what_was_left_over_is_removed(tmp_path, small, state):
    for day in (1, 2, 3):
        (small / f"2020-01-0{day}-{MINE}.zip").write_bytes(bytes(12 * KB))
    (small / "2020-01-04-den-77b0.part").write_bytes(bytes(12 * KB))
    (small / "holiday.part").write_bytes(bytes(12 * KB))
    (state / "backups" / "traykeeper-000001.zip").write_bytes(bytes(24 * KB))
    carry(tmp_path, small.parent)

    left = sizes(small)
    (new,) = left.keys() - {f"2020-01-0{day}-{MINE}.zip" for day in (2, 3)} - {"holiday.part"}
    assert left[new] == 24
    assert len(left) == 4


def test_a_write_protected_stick_is_reported_until_a_stick_gets_the_backup(
    tmp_path, stick, state, protected, monkeypatch
):
    (stick / "traykeeper-backups").mkdir()
    (state / "backups" / "traykeeper-000001.zip").write_bytes(b"first")
    carry(tmp_path, stick)
    (state / "backups" / "traykeeper-000002.zip").write_bytes(b"second")
    protected("ro")
    carry(tmp_path, stick, fails=True)
    page = health_page(tmp_path, monkeypatch)

    assert "the USB stick is write-protected: it did not get the last backup" in page
    assert "the last backup was copied at 2" in page
    assert "Move the switch on the stick" in page
    carry(tmp_path)  # without a stick
    assert told(tmp_path)["failed"] == "read-only"
    protected("rw")
    carry(tmp_path, stick)
    assert told(tmp_path)["failed"] == ""


def test_without_a_stick_the_health_page_says_so(tmp_path, monkeypatch):
    assert "no USB stick has been used yet" in health_page(tmp_path, monkeypatch)


def test_links_on_a_stick_are_not_followed(tmp_path, stick, state):
    (stick / "traykeeper-2026-11-21.zip").symlink_to("/etc/passwd")
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
"""Partitions as `lsblk -rnpo NAME,TRAN,PKNAME,FSTYPE,MOUNTPOINT` prints them."""


@pytest.fixture
def devices(tmp_path):
    """Put a backup on each device, and let lsblk list them."""
    for name in ("mmcblk0p1", "sda1", "sda2", "sda3", "sdb", "sdc1"):
        (tmp_path / "devices" / name).mkdir(parents=True)
        (tmp_path / "devices" / name / f"traykeeper-2026-{name}.zip").write_bytes(b"zip")
    (tmp_path / "devices" / "rows").write_text(ROWS)
    return tmp_path / "devices"


def asked(tmp_path, *programs):
    lines = (tmp_path / "said").read_text().splitlines()
    return [line for line in lines if line.split()[0] in programs]


def brought(state):
    return sorted(path.name for path in (state / "incoming").glob("*"))


def test_unmounted_sticks_are_mounted_one_after_the_other(tmp_path, state, devices):
    carry(tmp_path)
    mounted = tmp_path / "mounted"

    assert asked(tmp_path, "mount", "umount") == [
        f"mount -o nosuid,nodev,noexec /dev/sda1 {mounted}",
        f"umount {mounted}",
        f"mount -o nosuid,nodev,noexec /dev/sdb {mounted}",
        f"umount {mounted}",
    ]
    assert asked(tmp_path, "lsblk") == ["lsblk -rnpo NAME,TRAN,PKNAME,FSTYPE,MOUNTPOINT"]
    assert brought(state) == ["traykeeper-2026-sda1.zip", "traykeeper-2026-sdb.zip"]
    assert (devices / "sda2" / "traykeeper-2026-sda2.zip").exists()


def test_the_newest_backup_is_copied_to_every_stick_with_a_folder(tmp_path, state, devices):
    (state / "backups" / "traykeeper-000001.zip").write_bytes(b"new")
    for name in ("sda1", "sda2", "sdb"):
        (devices / name / "traykeeper-backups").mkdir()
    carry(tmp_path)
    taken = {path.parts[-3] for path in devices.glob("*/traykeeper-backups/*")}

    assert taken == {"sda1", "sdb"}


def test_a_stick_that_cannot_be_mounted_is_skipped(tmp_path, state, devices):
    shutil.rmtree(devices / "sda1")
    carry(tmp_path, fails=True)

    assert [line.split()[0] for line in asked(tmp_path, "mount", "umount")] == [
        "mount",
        "mount",
        "umount",
    ]
    assert brought(state) == ["traykeeper-2026-sdb.zip"]
    assert told(tmp_path)["failed"] == "not-read"


def test_without_a_stick_nothing_is_mounted(tmp_path, state, devices):
    (devices / "rows").write_text("".join(ROWS.splitlines(keepends=True)[:2]))
    carry(tmp_path)

    assert asked(tmp_path, "mount", "umount") == []
    assert brought(state) == []


def test_a_link_in_the_state_folder_reveals_no_file_of_root(tmp_path, stick, state):
    """A program that runs as the service's user could create such a link."""
    roots = tmp_path / "roots"
    roots.mkdir(mode=0o700)
    (state / "incoming").symlink_to(roots)
    (stick / "traykeeper-2026-11-21.zip").write_bytes(b"one")
    carry(tmp_path, stick, fails=True)

    assert told(tmp_path)["failed"] == "not-brought"
    assert roots.stat().st_uid == 0
    assert list(roots.iterdir()) == []
    assert (
        stick / "traykeeper-2026-11-21.zip"
    ).exists()  # it is copied once that has been repaired


def test_no_file_of_root_is_copied_to_a_stick(tmp_path, stick, state):
    secret = tmp_path / "secret"
    secret.write_text("root's")
    secret.chmod(0o600)
    (stick / "traykeeper-backups").mkdir()
    (state / "backups" / "traykeeper-000001.zip").write_bytes(b"one")
    (state / "backups" / "traykeeper-000002.zip").symlink_to(secret)
    carry(tmp_path, stick)
    (taken,) = (stick / "traykeeper-backups").iterdir()

    assert taken.read_bytes() == b"one"
