"""On the architecture of every Raspberry Pi, emulated: the install's wheels, readings, a match.

Debian trixie for arm64 in a folder, its programs run by qemu-user-static. Its packages are unpacked
and not set up: that apt, users and services do their work is seen in the other root. Speed says
nothing here.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.virtual_pi.appliance import CACHE, HERE, PARTS, PROJECT, sh

PACKAGES = (
    *("bash", "coreutils", "findutils", "grep", "gzip", "libc-bin", "libcrypt1", "mount", "sed"),
    *("base-passwd", "ca-certificates", "python3", "python3-pip", "python3-venv", "tar"),
    "systemd-standalone-sysusers",
)
EMULATED = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")
PLACE = "/srv"
TRAYKEEPER = f"{PLACE}/opt/traykeeper/current/bin"
PICTURES = Path(os.environ.get("TRAYKEEPER_PICTURES", "/nowhere"))
EACH_KIND = 20
CONFIDENCE = 0.001
ROOMS = ("tests/game", "tests/vision", "tests/calibration")

pytestmark = [
    pytest.mark.timeout(7200),
    pytest.mark.skipif(os.geteuid() != 0, reason="a system in a folder needs root"),
    pytest.mark.skipif(
        not EMULATED.exists() or shutil.which("mmdebstrap") is None,
        reason="arm64 is not emulated: apt install mmdebstrap qemu-user-static binfmt-support",
    ),
]


@pytest.fixture(scope="module")
def pi():
    """Installed there; gives how a command is run. What fits is kept from run to run."""
    root = CACHE / "arm64"
    sh(HERE / "rootfs.sh", root, *PACKAGES, env={**os.environ, "ARCH": "arm64"})
    home = root / "home" / "pi" / "traykeeper"
    shutil.rmtree(home, ignore_errors=True)
    for part in (*PARTS, "tests", "scripts", "Makefile", "CONTRIBUTING.md"):
        source = PROJECT / part
        if source.is_dir():
            hidden = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, home / part, ignore=hidden)
        else:
            shutil.copy(source, home / part)
    script = (
        'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs tmpfs "$1/tmp";'
        'if [ -d "$2" ]; then mkdir -p "$1/pictures"; mount --bind "$2" "$1/pictures"; fi;'
        'root=$1; shift 2; exec chroot "$root" /usr/bin/env -i LC_ALL=C.UTF-8 HOME=/root'
        ' PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"'
    )
    enter = ("unshare", "--mount", "--propagation", "private", "/bin/bash", "-c", script)

    def run(*command):
        return sh(*enter, "bash", root, PICTURES, *command)

    run("/home/pi/traykeeper/systemd/install", "--root", PLACE)
    return run


def pictures():
    """As many photographs as renders, spread over the folders."""
    found = []
    for kind in ("photos", "renders"):
        all_of_it = sorted((PICTURES / kind).glob("*.jpg"))
        found += all_of_it[:: max(1, len(all_of_it) // EACH_KIND)][:EACH_KIND]
    return [path.relative_to(PICTURES) for path in found]


def test_it_is_the_architecture_of_a_pi_and_takes_wheels_alone(pi):
    report = json.loads(pi("cat", f"{PLACE}/opt/traykeeper/current/packages.json"))
    wheels = [Path(item["download_info"]["url"]).name for item in report["install"]]

    assert pi("uname", "-m").strip() == "aarch64"
    assert wheels
    assert all(name.endswith(("_aarch64.whl", "-any.whl")) for name in wheels), wheels


@pytest.mark.skipif(not PICTURES.exists(), reason="no labelled pictures: TRAYKEEPER_PICTURES")
def test_it_reads_every_picture_as_an_x86_64_does(pi):
    names = pictures()
    here = subprocess.run(
        [PROJECT / ".venv/bin/traykeeper", "read", "--json", *names],
        cwd=PICTURES, capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    there = pi(
        "sh",
        "-c",
        f"cd /pictures; {TRAYKEEPER}/traykeeper read --json {' '.join(map(str, names))} || true",
    )
    pairs = list(
        zip(map(json.loads, here.splitlines()), map(json.loads, there.splitlines()), strict=True)
    )
    furthest = 0.0
    for ours, theirs in pairs:
        assert [die["value"] for die in theirs["dice"]] == [die["value"] for die in ours["dice"]]
        assert theirs["sure"] == ours["sure"]
        for one, other in zip(ours["dice"], theirs["dice"], strict=True):
            furthest = max(furthest, abs(one["confidence"] - other["confidence"]))
    print(f"\n{len(pairs)} pictures; confidences differ by {furthest:.2g} at most")  # noqa: T201

    assert len(pairs) == 2 * EACH_KIND
    assert furthest <= CONFIDENCE


def test_the_tables_of_odds_say_the_same(pi):
    ask = ("odds", "--rules", "zilch")
    here = sh(PROJECT / ".venv/bin/traykeeper", *ask)

    assert pi(f"{TRAYKEEPER}/traykeeper", *ask) == here


def test_a_match_of_500_points_is_played_over_http(pi):
    said = pi(f"{TRAYKEEPER}/python", "/home/pi/traykeeper/tests/virtual_pi/short_match.py", "500")
    print(f"\n{said}")  # noqa: T201

    assert "won" in said


@pytest.mark.parametrize("room", ROOMS)
def test_the_rooms_tests_pass_there(pi, room):
    python = f"{TRAYKEEPER}/python"
    pi(python, "-m", "pip", "install", "-q", "pytest", "pytest-timeout", "hypothesis")
    options = (
        "-q",
        "-p",
        "no:cacheprovider",
        "--timeout",
        "3600",
        "-m",
        "not slow and not campaign",
    )
    pi("sh", "-c", f"cd /home/pi/traykeeper; {python} -m pytest {' '.join(options)} {room}")
