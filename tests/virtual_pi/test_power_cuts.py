"""The power is cut at every second of an update and of a first installation, and the Pi starts again with a version that works.

The system is Debian's, with its systemd, on an ext4 disk under a kernel of its own. Each second of the recording gives one
disk: what the kernel had written by then. Of all disks with the same files, one is started. A disk that writes in another
order than the kernel, or loses what it said it had written, is not tried.
"""

import json
import os
import shutil
from collections import Counter

import pytest

from tests.virtual_pi.appliance import HERE, base, installed, quote, sh, take_checkout
from tests.virtual_pi.user_mode import PROGRAMS, Guest, Recording, digest_of, disk_of, recovered

NEEDS = [name for name in ("debootstrap", "cc", *PROGRAMS) if not shutil.which(name)]
PATIENCE_S = 2 * 3600
AFTER_S = 60
"""How long after its end the power is still cut, in seconds."""

pytestmark = [
    pytest.mark.timeout(10 * 3600),
    pytest.mark.skipif(os.geteuid() != 0, reason="mounts disks: needs root"),
    pytest.mark.skipif(
        bool(NEEDS),
        reason=f"missing: {', '.join(NEEDS)} (apt install debootstrap e2fsprogs gcc procps user-mode-linux)",
    ),
]

CHECKOUT = "/home/pi/traykeeper"
OFFLINE = "PIP_NO_INDEX=1 PIP_FIND_LINKS=/home/pi/wheels"
UNITS = ("traykeeper.service", "traykeeper-carry.service", "traykeeper-watch.service")
PLAYERS = ["Anna", "Ben"]


def asking(path, body):
    code = (HERE / "asking.py").read_text()
    return f"python3 -c {quote(code)} {quote(path)} {quote(json.dumps(body))}"


UPDATE = f"""
until systemctl is-active -q traykeeper; do sleep 1; done
{asking("/api/v1/match", {"names": PLAYERS})}
{asking("/api/v1/dice", {"dice": [1, 1, 1, 2, 3, 4]})}
for unit in {CHECKOUT}/systemd/traykeeper*.service; do echo "# newer" >>$unit; done
touch /run/host/begun
{OFFLINE} {CHECKOUT}/systemd/install --update --in-a-match >/run/host/said 2>&1
touch /run/host/ended
for second in $(seq {AFTER_S}); do sleep 1; done
touch /run/host/over
"""
FIRST_START = f"""
/opt/traykeeper/source/systemd/first-boot --start /boot/firmware
touch /run/host/begun
until grep -q "ready: " /boot/firmware/traykeeper.txt; do sleep 1; done
touch /run/host/ended
for second in $(seq {AFTER_S}); do sleep 1; done
touch /run/host/over
"""
FIRST_START_FILES = {
    "etc/reached": "-----BEGIN PGP SIGNED MESSAGE-----\n",
    "etc/systemd/system/traykeeper-first-boot.service.d/offline.conf": (
        f"[Service]\nEnvironment={OFFLINE} TRAYKEEPER_REACHES=file:///etc/reached TRAYKEEPER_RETRY_S=3\n"
    ),
    "usr/local/bin/apt-get": "#!/bin/sh\n",
}
"""What stands in for the network."""

LOOK = """
import json, pathlib, subprocess, sys, time, urllib.request

home, units = pathlib.Path("/opt/traykeeper"), pathlib.Path("/etc/systemd/system")
players, names, seconds = json.loads(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])

def page():
    for port in (8000, 80):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/state", timeout=5) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            pass
    return None

def look():
    release = home / "current"
    state = page()
    watch = subprocess.run(["systemctl", "is-active", "traykeeper-watch"], capture_output=True, text=True)
    return {
        "version": release.resolve().name,
        "others": [name for name in names if not (release / "systemd" / name).exists()
                   or (units / name).read_bytes() != (release / "systemd" / name).read_bytes()],
        "page": state is not None and not state["safe_mode"],
        "players": [player["name"] for player in state["players"]] if state else None,
        "watched": (home / "watched").exists(),
        "watch": watch.stdout.strip(),
    }

def works(seen):
    is_watched = seen["watched"] and seen["watch"] == "active"
    return (seen["page"] and not seen["others"] and seen["players"] == players
            and (is_watched or not seen["watched"]))

end = time.monotonic() + seconds
while True:
    try:
        seen = look()
    except OSError as error:
        seen = {"error": str(error)}
    if "error" not in seen and works(seen) or time.monotonic() > end:
        break
    time.sleep(1)
seen["works"] = "error" not in seen and works(seen)
pathlib.Path("/run/host/verdict.new").write_text(json.dumps(seen))
pathlib.Path("/run/host/verdict.new").rename("/run/host/verdict")
"""


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    root = base()
    return [installed(root, tmp_path_factory.mktemp("install")), root]


def matters(root):
    """Return a digest of the files that a start depends on: not those of releases that nothing refers to."""
    home = root / "opt/traykeeper"
    watched = home / "watched"
    lines = watched.read_text().splitlines() if watched.exists() else []
    named = [line.removeprefix("old=") for line in lines if line.startswith("old=")]
    if (home / "current").is_symlink():
        named.append((home / "current").readlink().name)
    there = [path for path in home.glob("*") if path.name != "releases"] if home.exists() else []
    state = root / "var/lib/traykeeper"
    empty = sorted(
        path.name for path in state.rglob("*") if path.is_file() and not path.stat().st_size
    )
    folders = [root / "etc", root / "usr/local", *(home / "releases" / name for name in named)]
    return f"{digest_of(root, [*folders, *there])} {empty} {(state / 'journal.db').exists()}"


def start_each(recording, work, players, seconds):
    """Start one disk of each kind; return the verdict on every disk."""
    verdicts, known = [], {}
    for image in recording.disks():
        with recovered(image, work / "look") as root:
            kind = matters(root)
        if kind not in known:
            known[kind] = start(image, work / f"start-{len(known)}", players, seconds)
            print(len(verdicts), known[kind], flush=True)
        verdicts.append(known[kind])
    return verdicts, len(known)


def start(image, work, players, seconds):
    """Start a disk, and return what the script `LOOK` has seen."""
    work.mkdir()
    words = " ".join(quote(json.dumps(each)) for each in (players, UNITS, seconds))
    with Guest(
        f"{work / 'changes'},{image}", f"python3 -c {quote(LOOK)} {words}", work / "host"
    ) as guest:
        guest.wait_for("verdict", PATIENCE_S)
    (work / "changes").unlink()
    return json.loads((work / "host" / "verdict").read_text())


def show(name, verdicts, kinds):
    versions = Counter(seen.get("version") for seen in verdicts if seen["works"])
    print(
        f"\n{name}: {len(verdicts)} power cuts, one each second; {kinds} different disks were started: "
        f"{sum(versions.values())} cuts left a version that works ({dict(versions)})"
    )
    assert [seen for seen in verdicts if not seen["works"]] == []


def test_a_power_cut_at_any_second_of_an_update_leaves_a_version_that_works(layers, tmp_path):
    enable = ("systemctl", "enable", "-q", *UNITS)
    disk = disk_of(layers, tmp_path / "made", lambda root: sh("chroot", root, *enable))
    recording = Recording.of(disk, tmp_path, UPDATE, PATIENCE_S)
    assert "is running, and starts with the Pi" in (tmp_path / "host" / "said").read_text()
    verdicts, kinds = start_each(recording, tmp_path, PLAYERS, 900)

    show("update", verdicts, kinds)
    assert len({seen["version"] for seen in verdicts}) == 2


def test_a_power_cut_at_any_second_of_the_first_start_of_a_card_leads_to_the_page(layers, tmp_path):
    def without_traykeeper(root):
        sh("chroot", root, f"{CHECKOUT}/systemd/install", "--uninstall", "--purge")
        take_checkout(root / "opt/traykeeper/source")
        (root / "boot/firmware").mkdir(parents=True, exist_ok=True)
        for name, text in FIRST_START_FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (root / "usr/local/bin/apt-get").chmod(0o755)

    disk = disk_of(layers, tmp_path / "made", without_traykeeper)
    recording = Recording.of(disk, tmp_path, FIRST_START, PATIENCE_S)
    verdicts, kinds = start_each(recording, tmp_path, [], 3600)

    show("first start", verdicts, kinds)
