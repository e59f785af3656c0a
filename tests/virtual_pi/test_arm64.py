"""On the architecture of every Raspberry Pi, emulated: the locked wheels, readings, a match.

Debian trixie for arm64 in a folder, its programs run by qemu-user-static. Its packages are unpacked
and not set up: that apt, users and services do their work is seen in the other root. Speed says
nothing here.
"""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.virtual_pi.appliance import CACHE, HERE, PROJECT, sh, take_checkout

PACKAGES = (
    *("base-passwd", "bash", "coreutils", "diffutils", "findutils", "grep", "gzip", "libc-bin"),
    *("libcrypt1", "libstdc++6", "mount", "sed", "systemd-standalone-sysusers", "tar"),
    *("ca-certificates", "python3", "python3-pip", "python3-venv"),
)
EMULATED = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")
TRAYKEEPER = ("python3", "/srv/site/bin/traykeeper")
LOCK = PROJECT / "systemd" / "locks" / "trixie-aarch64.txt"
PICTURES = Path(os.environ.get("TRAYKEEPER_PICTURES", "/nowhere"))
EACH_KIND = 20
CONFIDENCE, MOSTLY = 0.005, 0.001
"""OpenCV shrinks a picture with other instructions there, and one value in ten thousand comes out one grey
level of 255 off. Of so little a die's confidence changes by this at most, and of most dice by less than the other."""
OTHERWISE = 2
"""Largest difference of a confidence that may decide whether an unclear place is questioned."""
SAYS = """
import json, numpy as np
from vision.networks import run
planes = {"vision": {"finder": (7, 384, 576), "finder_alone": (3, 384, 576), "near": (7, 64, 64),
                     "wide": (7, 64, 64), "deep": (7, 64, 64), "change": (6, 288, 384), "hand": (3, 160, 192)},
          "calibration": {"tray": (3, 160, 192), "frame": (3, 160, 160)}}
of = lambda shape: np.random.default_rng(7).random((1, *shape), np.float32)
print(json.dumps({name: run(name, of(shape), room=room).ravel()[::97].tolist()
                  for room, of_room in planes.items() for name, shape in of_room.items()}))
"""
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
    """Install the listed packages and Traykeeper from outside; return a function that runs a command."""
    root = CACHE / "arm64"
    sh(HERE / "rootfs.sh", root, *PACKAGES, env={**os.environ, "ARCH": "arm64"})
    shutil.rmtree(root / "srv", ignore_errors=True)
    put(root, "--only-binary", ":all:", "--require-hashes", "-r", LOCK)
    put(root, "--no-deps", PROJECT)
    for part in ("tests", "scripts", "docs", "pyproject.toml", "systemd", "README.md"):
        source, copy = PROJECT / part, root / "srv" / "checkout" / part
        copy.parent.mkdir(exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, copy)
    script = (
        'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount -t tmpfs tmpfs "$1/tmp";'
        'if [ -d "$2" ]; then mkdir -p "$1/pictures"; mount --bind "$2" "$1/pictures"; fi;'
        'root=$1; shift 2; exec chroot "$root" /usr/bin/env -i LC_ALL=C.UTF-8 HOME=/root'
        # As a Pi 4 has it: what no Pi can do, its emulator does slowly, and numpy does it wrong there.
        " QEMU_CPU=cortex-a72"
        # Emulated threads spend their time on waiting for each other.
        " OPENBLAS_NUM_THREADS=1 OPENCV_FOR_THREADS_NUM=1 PYTHONPATH=/srv/site PATH=/srv/site/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        ' /bin/bash -c "cd $1; shift; exec \\"\\$@\\"" bash "$@"'
    )
    enter = ("unshare", "--mount", "--propagation", "private", "/bin/bash", "-c", script)

    def run(*command, folder="/srv/checkout"):
        return sh(*enter, "bash", root, PICTURES, folder, *command)

    return run


def put(root, *what):
    """Install for that architecture; a package without a wheel is refused."""
    system = ("--python-platform", "aarch64-manylinux_2_40", "--python-version", "3.13")
    uv = PROJECT / ".venv" / "bin" / "uv"
    sh(uv, "pip", "install", "-q", "--no-config", "--target", root / "srv" / "site", *system, *what)


def pictures():
    """Return as many photos as renders, spread over the folders."""
    found = []
    for kind in ("photos", "renders"):
        all_of_it = sorted((PICTURES / kind).glob("*.jpg"))
        found += all_of_it[:: max(1, len(all_of_it) // EACH_KIND)][:EACH_KIND]
    return [path.relative_to(PICTURES) for path in found]


def test_all_packages_are_wheels_for_the_architecture_of_a_pi(pi):
    tags = pi("sh", "-c", "cat /srv/site/*.dist-info/WHEEL | grep ^Tag:").splitlines()

    assert pi("uname", "-m").strip() == "aarch64"
    assert any("cp313" in tag for tag in tags)
    assert all(tag.endswith(("_aarch64", "-any")) for tag in tags), tags


def test_the_installer_uses_only_the_locked_wheels(pi):
    root = CACHE / "arm64"
    take_checkout(root / "srv" / "pi" / "traykeeper")
    install = ("env", "-u", "PYTHONPATH", "systemd/install", "--root", "/srv/appliance")
    said = pi(*install, folder="/srv/pi/traykeeper")
    checked = pi(*install, "--check", folder="/srv/pi/traykeeper")
    report = root / "srv/appliance/opt/traykeeper/current/packages.json"
    packages = json.loads(report.resolve().read_text())["install"]
    taken = {package["download_info"]["url"].rpartition("/")[2] for package in packages}

    assert "nothing was started" in said
    assert "FAILED" not in checked
    assert len(taken) == LOCK.read_text().count("==")
    assert all(name.endswith(("aarch64.whl", "-any.whl")) for name in taken), taken


def values(reading):
    return [die["value"] for die in reading["dice"]]


def readings(said):
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


@pytest.mark.skipif(not PICTURES.exists(), reason="no labelled pictures: TRAYKEEPER_PICTURES")
def test_every_picture_is_read_as_on_x86_64(pi):
    names = pictures()
    here = sh(PROJECT / ".venv/bin/traykeeper", "read", "--json", *names, cwd=PICTURES)
    with ThreadPoolExecutor(2) as both:
        there = both.map(
            lambda part: pi(*TRAYKEEPER, "read", "--json", *part, folder="/pictures"),
            (names[:EACH_KIND], names[EACH_KIND:]),
        )
        pairs = list(zip(readings(here), readings("".join(there)), strict=True))
    same = [(ours, theirs) for ours, theirs in pairs if values(ours) == values(theirs)]
    others = [
        f"{ours['file']}: {values(ours)}, there {values(theirs)}"
        for ours, theirs in pairs
        if values(ours) != values(theirs)
    ]
    apart = [
        abs(one["confidence"] - other["confidence"])
        for ours, theirs in same
        for one, other in zip(ours["dice"], theirs["dice"], strict=True)
    ]
    near = sum(gap <= MOSTLY for gap in apart)
    print(  # noqa: T201
        f"\n{len(pairs)} pictures, as sure of each; {len(same)} with the same values, of whose"
        f" {len(apart)} dice the confidences differ by {max(apart):.2g} at most, {near} of them by"
        f" less than {MOSTLY}; asked otherwise: {'; '.join(others) or 'none'}"
    )

    assert len(pairs) == 2 * EACH_KIND
    assert [theirs["file"] for _, theirs in pairs] == [ours["file"] for ours, _ in pairs]
    assert [theirs["sure"] for _, theirs in pairs] == [ours["sure"] for ours, _ in pairs]
    assert all(values(ours) == values(theirs) for ours, theirs in pairs if ours["sure"])
    assert len(others) <= OTHERWISE
    assert max(apart) <= CONFIDENCE
    assert near > 0.9 * len(apart)


def test_the_networks_give_the_same_results(pi):
    here = json.loads(sh(PROJECT / ".venv/bin/python", "-c", SAYS, cwd=PROJECT))
    there = json.loads(pi("python3", "-c", SAYS))

    assert there.keys() == here.keys()
    for name, said in here.items():
        assert there[name] == pytest.approx(said, abs=1e-5), name


def test_the_tables_of_odds_are_the_same(pi):
    ask = ("odds", "--rules", "zilch")
    here = sh(PROJECT / ".venv/bin/traykeeper", *ask)

    assert pi(*TRAYKEEPER, *ask) == here


def test_a_match_of_500_points_is_played_over_http(pi):
    said = pi("python3", "tests/virtual_pi/short_match.py", "500")
    print(f"\n{said}")  # noqa: T201

    assert "won" in said


@pytest.mark.parametrize("room", ROOMS)
def test_the_tests_of_three_packages_pass(pi, room):
    put(CACHE / "arm64", "pytest", "pytest-timeout", "pytest-xdist", "hypothesis", "playwright")
    chosen = ("-n", "auto", "-m", "not slow and not campaign", "--timeout", "3600", room)
    pi("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen)
