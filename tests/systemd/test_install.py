"""The installer, run below a folder that stands in for `/`, where nothing is started."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.campaigns.size import count

PROJECT = Path(__file__).parents[2]
INSTALL = PROJECT / "systemd" / "install"

POLL_S = 0.05
"""How soon a server ends after its test."""

pytestmark = pytest.mark.long

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="the install is for root")
needs_sysusers = pytest.mark.skipif(
    shutil.which("systemd-sysusers") is None, reason="systemd-sysusers is not installed"
)


def install(*args):
    return subprocess.run([INSTALL, *args], capture_output=True, text=True, check=False)


def fingerprint(checkout):
    lines = INSTALL.read_text().partition("\ncase $mode in\n")[0]
    code = f"{lines}\nfingerprint".replace('"$(dirname "$0")/.."', f'"{checkout}"')
    return subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True).stdout


SYSTEMCTL = '#!/bin/sh\necho "$*" >>"$SAID"\n'
UDEVADM = "#!/bin/sh\n"


def live(root, *args, run="set_up", udevadm=UDEVADM, more=None):
    """Run the installer as on a live system, with programs that only record their calls."""
    programs = root / "stand-ins"
    programs.mkdir(exist_ok=True)
    scripts = {"systemctl": SYSTEMCTL, "udevadm": udevadm, "journalctl": UDEVADM, "sync": UDEVADM}
    scripts |= more or {}
    for name, text in scripts.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    lines = INSTALL.read_text().partition("\ncase $mode in\n")[0]
    code = f"{lines}\nlive() {{ true; }}\n{run}"
    env = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "SAID": str(root / "said")}
    command = ["bash", "-c", code, INSTALL, "--root", root, *args]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


class Page(BaseHTTPRequestHandler):
    """The part of a Traykeeper page that the installer requests."""

    situation = "no match"
    checks = ()

    def do_GET(self):
        is_health = self.path == "/api/v1/health"
        answer = json.dumps(self.checks if is_health else {"situation": self.situation}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class PageInAMatch(Page):
    situation = "throw"


@contextmanager
def served(root, page=Page):
    """Serve the page on one address, as in the settings."""
    with ThreadingHTTPServer(("127.0.0.2", 0), page) as server:
        settings = root / "etc/traykeeper/settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f'host = "127.0.0.2"\nport = {server.server_port}\n')
        Thread(target=server.serve_forever, args=(POLL_S,)).start()
        try:
            yield settings
        finally:
            server.shutdown()


@pytest.fixture(scope="module")
def built():
    """What distinguishes the version of this checkout."""
    return fingerprint(PROJECT)


@pytest.fixture
def root(tmp_path, built):
    """A system on which Traykeeper was built; its packages are those of this environment."""
    release = tmp_path / "opt" / "traykeeper" / "releases" / "20260101-000000"
    (release / "bin").mkdir(parents=True)
    venv = Path(shutil.which("traykeeper", path=PROJECT / ".venv" / "bin") or "").parent
    for name in ("python", "traykeeper"):
        program = release / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {venv / name} "$@"\n')
        program.chmod(0o755)
    (release / "fingerprint").write_text(built)
    (tmp_path / "opt/traykeeper/current").symlink_to("releases/20260101-000000")
    return tmp_path


@pytest.fixture
def update(root):
    """The same system, with a new version that is to replace the old one."""
    releases = root / "opt/traykeeper/releases"
    old, new = releases / "20260101-000000", releases / "20260102-000000"
    shutil.copytree(PROJECT / "systemd", old / "systemd")
    shutil.copytree(old, new)
    (old / "fingerprint").write_text("another")
    (root / "var/lib/traykeeper").mkdir(parents=True)
    (root / "var/lib/traykeeper/journal.db").write_bytes(bytes(200_000))
    return root


def current(root):
    return (root / "opt/traykeeper/current").readlink().name


def asked(root):
    """Return the requests to systemd about the service, in order."""
    lines = (root / "said").read_text().splitlines() if (root / "said").exists() else []
    return [
        line.split()[0]
        for line in lines
        if line.endswith("p traykeeper.service") or "restart tray" in line
    ]


def files(root):
    kept = ("opt/traykeeper/releases", "etc/passwd", "etc/group", "etc/shadow", "etc/gshadow")
    return sorted(
        str(path.relative_to(root))
        for path in root.rglob("*")
        if (path.is_file() or path.is_symlink())
        and not str(path.relative_to(root)).startswith((*kept, "etc/.pwd"))
    )


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.parametrize(
    "script",
    [INSTALL, *(PROJECT / "tests" / "virtual_pi" / name for name in ("boot.sh", "rootfs.sh"))],
    ids=lambda path: path.name,
)
def test_shellcheck_finds_nothing(script):
    done = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)

    assert done.stdout == ""


def test_the_installer_copies_every_package():
    setuptools = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["setuptools"]
    packages = {name.rstrip("*") for name in setuptools["packages"]["find"]["include"]}

    assert (
        f"sources=({' '.join(sorted(packages, key='game vision calibration device web'.index))})"
        in (INSTALL.read_text())
    )


def test_the_help_lists_every_option_and_unknown_ones_are_refused():
    shown = install("--help")

    for option in (
        "--check",
        "--uninstall",
        "--update",
        "--go-back",
        "--purge",
        "--port",
        "--name",
        "--root",
    ):
        assert option in shown.stdout
    assert install("--upgrade").returncode == 2
    assert "--port needs a value" in install("--port").stderr


@pytest.fixture
def checkout(tmp_path):
    for folder in ("game", "vision", "calibration", "device", "web", "docs", "systemd"):
        (tmp_path / folder).mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "systemd/carry"):
        (tmp_path / name).touch()
    return tmp_path


def test_compiled_files_do_not_change_the_version(checkout):
    before = fingerprint(checkout)
    half_written = checkout / "game" / "__pycache__" / "score.cpython-313.pyc.140234"
    half_written.parent.mkdir()
    half_written.touch()

    assert fingerprint(checkout) == before


@pytest.mark.parametrize("name", ["game/score.py", "systemd/carry", "CHANGELOG.md"])
def test_every_installed_file_changes_the_version(checkout, name):
    before = fingerprint(checkout)
    (checkout / name).write_text("changed")

    assert fingerprint(checkout) != before


@needs_root
@needs_sysusers
def test_a_second_install_changes_nothing(root):
    first = install("--root", str(root))
    assert first.returncode == 0, first.stderr
    before = {path: (root / path).read_bytes() for path in files(root) if path.startswith("etc/")}
    again = install("--root", str(root))

    assert again.returncode == 0, again.stderr
    assert {path: (root / path).read_bytes() for path in before} == before
    assert files(root) == [
        "etc/avahi/services/traykeeper.service",
        "etc/polkit-1/rules.d/50-traykeeper.rules",
        "etc/systemd/system/traykeeper-carry.service",
        "etc/systemd/system/traykeeper-carry.timer",
        "etc/systemd/system/traykeeper-watch.service",
        "etc/systemd/system/traykeeper.service",
        "etc/systemd/system/traykeeper.service.d/install.conf",
        "etc/sysusers.d/traykeeper.conf",
        "etc/traykeeper/settings.toml",
        "etc/udev/rules.d/60-traykeeper.rules",
        "opt/traykeeper/current",
        "usr/local/bin/traykeeper",
    ]


@needs_root
@needs_sysusers
def test_the_check_finds_nothing_missing_after_an_install(root):
    install("--root", str(root))
    done = install("--check", "--root", str(root))

    assert done.returncode == 0, done.stdout


@needs_root
@needs_sysusers
def test_port_80_is_granted_announced_and_kept(root):
    assert install("--root", str(root), "--port", "80").returncode == 0
    drop_in = (root / "etc/systemd/system/traykeeper.service.d/install.conf").read_text()

    assert "AmbientCapabilities=CAP_NET_BIND_SERVICE" in drop_in
    assert "<port>80</port>" in (root / "etc/avahi/services/traykeeper.service").read_text()
    install("--root", str(root))
    assert "\nport = 80\n" in (root / "etc/traykeeper/settings.toml").read_text()


@pytest.mark.parametrize("port", ["80x", "0", "080", "65536", "-1"])
def test_an_invalid_port_is_refused_before_anything_is_done(port, tmp_path):
    done = install("--root", str(tmp_path), "--port", port)

    assert done.returncode == 2
    assert f"--port {port} is not a port" in done.stderr
    assert not any(tmp_path.iterdir())


@needs_root
@needs_sysusers
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('camera = "auto"', 'camera = "auto"\nport = 81\n'),
        ("port=80", "port = 81\n"),
        ("port = 80x\n", "port = 81\n"),
        ("# port = 8000\n", "port = 81\n"),
        ("# port = 8000\nport = 80\n", "# port = 8000\nport = 81\n"),
    ],
    ids=["no last newline", "no blanks", "no number", "the usual one", "both"],
)
def test_the_port_is_written_to_its_line(root, before, after):
    settings = root / "etc/traykeeper/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(before)
    assert install("--root", str(root), "--port", "81").returncode == 0

    assert settings.read_text() == after


@needs_root
def test_invalid_settings_are_left_unchanged(root):
    settings = root / "etc/traykeeper/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("prot = 80\n")
    done = install("--root", str(root), "--port", "81")

    assert done.returncode == 2
    assert f"{settings}, line 1: prot is not a setting" in done.stderr
    assert settings.read_text() == "prot = 80\n"


def test_a_page_on_one_address_is_requested_there(root):
    with served(root, PageInAMatch):
        healthy, in_a_match = (live(root, run=name) for name in ("healthy", "in_a_match"))

    assert healthy.returncode == 0, healthy.stderr
    assert in_a_match.returncode == 0, in_a_match.stderr


@pytest.mark.parametrize(
    ("host", "asked"), [("", "127.0.0.1"), ("::", "127.0.0.1"), ("fd00::20", "[fd00::20]")]
)
def test_a_page_on_all_addresses_is_requested_locally(root, host, asked):
    settings = root / "etc/traykeeper/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'host = "{host}"\n')

    assert live(root, run="page").stdout == f"http://{asked}:8000\n"


@needs_root
@needs_sysusers
def test_the_permissions_of_the_service_follow_the_settings(root):
    install("--root", str(root))
    rule = root / "etc/polkit-1/rules.d/50-traykeeper.rules"
    drop_in = root / "etc/systemd/system/traykeeper.service.d/install.conf"
    assert rule.exists()
    assert "audio" not in drop_in.read_text()
    (root / "etc/traykeeper/settings.toml").write_text("voice = true\nshut_down = false\n")
    install("--root", str(root))

    assert not rule.exists()
    assert "SupplementaryGroups=audio" in drop_in.read_text()


@needs_root
@needs_sysusers
def test_an_older_release_that_prints_one_setting_at_a_time_is_asked_for_each(root):
    program = root / "opt/traykeeper/current/bin/traykeeper"
    only_last = 'while [ "$4" = --get ]; do shift 3; set -- settings "$@"; done'
    program.write_text(program.read_text().replace("exec", f"{only_last}\nexec"))
    settings = root / "etc/traykeeper/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('port = 80\nvoice = true\nstate = "/media/my disk"\n')
    install("--root", str(root))
    drop_in = (root / "etc/systemd/system/traykeeper.service.d/install.conf").read_text()

    for line in ("BIND_SERVICE", "SupplementaryGroups=audio", '"-/media/my disk"'):
        assert line in drop_in


@needs_root
@needs_sysusers
def test_no_udev_rule_is_added_if_the_system_has_one(root):
    rules = root / "usr/lib/udev/rules.d/99-com.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text('SUBSYSTEM=="gpio", GROUP="gpio", MODE="0660"\n')
    install("--root", str(root))

    assert not (root / "etc/udev/rules.d/60-traykeeper.rules").exists()


@needs_root
@needs_sysusers
def test_files_of_root_in_the_state_folder_are_given_to_the_service(root):
    install("--root", str(root))
    (line,) = re.findall(
        r"^traykeeper:x:(\d+):(\d+):", (root / "etc/passwd").read_text(), re.MULTILINE
    )
    user, group = map(int, line)
    backups = root / "var/lib/traykeeper/backups"
    backups.mkdir(parents=True)
    (backups / "traykeeper-000001.zip").touch()
    os.chown(backups.parent, user, group)
    install("--root", str(root))

    for path in (backups, *backups.iterdir()):
        assert (path.stat().st_uid, path.stat().st_gid) == (user, group)


@needs_root
@needs_sysusers
def test_an_update_stops_the_old_version_keeps_it_and_starts_the_new_one(update):
    releases = update / "opt/traykeeper/releases"
    for day in (1, 2):  # builds that a power cut interrupted
        (releases / f"2026020{day}-000000").mkdir()
    with served(update):
        done = live(update, "--update")

    assert done.returncode == 0, done.stderr
    assert current(update) == "20260102-000000"
    assert (releases / "20260101-000000/fingerprint").exists()
    assert asked(update) == ["stop", "restart"]
    assert "restart --no-block traykeeper-watch.service" in (update / "said").read_text()
    (backup,) = (update / "var/lib/traykeeper-backups").iterdir()
    assert (backup / "state/journal.db").stat().st_size == 200_000


def noted(root):
    lines = (root / "opt/traykeeper/watched").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.parametrize(("level", "worked"), [("ok", "yes"), ("warning", "no")])
@needs_root
@needs_sysusers
def test_an_update_notes_whether_the_camera_worked(update, level, worked):
    page = type("WithCamera", (Page,), {"checks": [{"check": "camera", "level": level}]})
    with served(update, page):
        live(update, "--update")
    (backup,) = (update / "var/lib/traykeeper-backups").iterdir()

    assert noted(update) == {
        "old": "20260101-000000",
        "backup": str(backup),
        "state": str(update / "var/lib/traykeeper"),
        "camera": worked,
        "settings": sha256((update / "etc/traykeeper/settings.toml").read_bytes()).hexdigest(),
    }


@needs_root
@needs_sysusers
def test_an_update_that_is_undone_keeps_what_was_played_since(update):
    with served(update):
        live(update, "--update")
        (update / "var/lib/traykeeper/journal.db").write_text("played since")
        (update / "var/lib/traykeeper/failed-starts.json").touch()
        done = live(update, "--go-back", "its page does not answer", run="undo_update")

    assert done.returncode == 0, done.stderr
    assert current(update) == "20260101-000000"
    assert (update / "var/lib/traykeeper/journal.db").read_text() == "played since"
    assert not (update / "var/lib/traykeeper/failed-starts.json").exists()
    assert (update / "opt/traykeeper/undone").read_text().endswith(": its page does not answer\n")
    assert not (update / "opt/traykeeper/watched").exists()
    assert not (update / "opt/traykeeper/releases/20260102-000000").exists()


@needs_root
@needs_sysusers
def test_matches_that_the_previous_version_cannot_read_are_kept_separately(update):
    """The previous version starts only with the files from before the update."""
    journal = update / "var/lib/traykeeper/journal.db"
    readable = f"healthy() {{ ! grep -q newer {journal}; }}"
    with served(update):
        live(update, "--update")
        journal.write_text("newer")
        done = live(update, "--go-back", run=f"{readable}; undo_update")

    assert done.returncode == 0, done.stderr
    assert journal.stat().st_size == 200_000
    (newer,) = (update / "var/lib/traykeeper-backups").glob("*-newer")
    assert (newer / "state/journal.db").read_text() == "newer"
    assert str(newer) in done.stdout


@needs_root
@needs_sysusers
@pytest.mark.parametrize(
    ("mistake", "healthy"),
    [
        ('lamp = "blue"\n', "true"),
        ('rules = "zilch"\n', "! grep -q zilch"),  # accepted, but the service does not start
    ],
    ids=["refused", "does not start"],
)
def test_settings_that_stop_the_previous_version_are_reverted_without_touching_the_matches(
    update, mistake, healthy
):
    journal = update / "var/lib/traykeeper/journal.db"
    with served(update) as settings:
        before = settings.read_text()
        live(update, "--update")
        settings.write_text(before + mistake)
        journal.write_text("played since")
        done = live(update, "--go-back", run=f"healthy() {{ {healthy} {settings}; }}; undo_update")

    assert done.returncode == 0, done.stderr
    assert "integer expression expected" not in done.stderr
    assert journal.read_text() == "played since"
    assert settings.read_text() == before
    (newer,) = (update / "var/lib/traykeeper-backups").glob("*-newer")
    assert (newer / "settings/settings.toml").read_text() == before + mistake
    assert f"kept in {newer}" in done.stdout
    assert (update / "etc/systemd/system/traykeeper.service.d/install.conf").exists()


@needs_root
@needs_sysusers
def test_settings_that_a_power_cut_left_half_reverted_are_reverted_without_touching_the_matches(
    update,
):
    journal = update / "var/lib/traykeeper/journal.db"
    cut = 'put_back_in() { rm -rf "$2"/*; kill -9 $$; }'
    with served(update) as settings:
        before = settings.read_text()
        live(update, "--update")
        settings.write_text(f'{before}lamp = "blue"\n')
        journal.write_text("played since")
        live(update, "--go-back", run=f"{cut}; undo_update")
        assert not settings.exists()
        done = live(update, "--go-back", run="undo_update")

    assert done.returncode == 0, done.stderr
    assert settings.read_text() == before
    assert journal.read_text() == "played since"


@needs_root
@needs_sysusers
def test_going_back_that_was_interrupted_can_be_finished(update):
    with served(update):
        live(update, "--update")
        live(update, "--go-back", run="switch_to() { kill -9 $$; }; undo_update")
        assert current(update) == "20260102-000000"
        live(update, "--go-back", run="place_files() { kill -9 $$; }; undo_update")
        assert current(update) == "20260101-000000"
        done = live(update, "--go-back", run="undo_update")

    assert done.returncode == 0, done.stderr
    assert current(update) == "20260101-000000"
    assert (update / "var/lib/traykeeper/journal.db").stat().st_size == 200_000


@needs_root
@needs_sysusers
def test_matches_that_a_power_cut_left_half_restored_are_restored_completely(update):
    journal = update / "var/lib/traykeeper/journal.db"
    cut = 'put_back_in() { rm -rf "$2"/*; kill -9 $$; }'
    with served(update):
        live(update, "--update", run=f"healthy() {{ return 1; }}; {cut}; set_up")
        assert not journal.exists()
        done = live(update, "--go-back", run="undo_update")

    assert done.returncode == 0, done.stderr
    assert journal.stat().st_size == 200_000
    assert not (update / "opt/traykeeper/watched").exists()


# Power cuts

MOMENT = """#!/bin/bash
PATH=${PATH#*:}
NAME "$@"
code=$?
number=$(cat "$MOMENTS/number" 2>/dev/null)
echo $((number + 1)) >"$MOMENTS/number"
moment=$MOMENTS/$(printf %04d $((number + 1)))
mkdir "$moment"
cp -a --parents etc/systemd etc/traykeeper opt/traykeeper "$moment" 2>/dev/null
printf '%s\\0' NAME "$@" >"$moment/command"
exit $code
"""
"""Stand-in for a program that runs it, and then keeps what could be on the card if the power was cut now."""

CHANGES_FILES = ("cat", "cp", "install", "ln", "mkdir", "mv", "rm", "sync")
UNITS = ("traykeeper.service", "traykeeper-carry.service", "traykeeper-watch.service")


class Card:
    """The files of a system, and which of them have reached the card. Names reach it in the order of their changes."""

    def __init__(self, root):
        self._root, self._moments = root, root / "moments"
        self._moments.mkdir()
        self._safe = contents(root)

    def live(self, *args, run="set_up"):
        """Run the installer, and keep every moment."""
        record = {name: MOMENT.replace("NAME", name) for name in CHANGES_FILES}
        record["systemctl"] = MOMENT.replace("NAME", "echo")
        before = f"export MOMENTS={self._moments}; cd {self._root}"
        done = live(self._root, *args, run=f"{before}; {run}", more=record)
        assert done.returncode == 0, done.stderr

    def cuts(self, unsafe=()):
        """Yield each state of the files after a power cut: what was not synced is empty.

        Args:
            unsafe: Folders whose contents had not reached the card at the beginning.
        """
        safe = {path: data for path, data in self._safe.items() if not path.startswith(unsafe)}
        seen = []
        for moment in sorted(self._moments.glob("0*")):
            files = contents(moment)
            words = (moment / "command").read_text().split("\0")[:-1]
            match words:
                case ["sync", "-f", _]:
                    safe = dict(files)
                case ["sync", *paths]:
                    names = [str(Path(path).relative_to(self._root)) for path in paths]
                    safe |= {name: files[name] for name in names if name in files}
                case ["mv", *_, old, new]:
                    old, new = (str(Path(path).relative_to(self._root)) for path in (old, new))
                    safe[new] = safe.pop(old, b"")
            for path, data in files.items():
                if data is not None and safe.get(path) != data:
                    (moment / path).write_bytes(b"")
            state = contents(moment)
            if state not in seen:
                seen.append(state)
                yield moment


def contents(root):
    """Return what the files contain that matter at a start, by their paths; None for a link."""
    return {
        str(path.relative_to(root)): None if path.is_symlink() else path.read_bytes()
        for folder in ("etc", "opt")
        for path in sorted((root / folder).rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def is_whole(root):
    """Return whether a version is complete and runs with its own unit files; None if no version is installed."""
    release = root / "opt/traykeeper" / "current"
    if not release.is_symlink():
        return None
    placed = [root / "etc/systemd/system" / name for name in UNITS]
    return bool(
        (release / "fingerprint").read_text()
        and all(path.exists() for path in placed)
        and all(
            path.read_bytes() == (release / "systemd" / path.name).read_bytes() for path in placed
        )
    )


@pytest.fixture
def older(update):
    """A running old version whose unit files differ from the new one's."""
    release = update / "opt/traykeeper/releases/20260101-000000"
    for name in UNITS:
        with (release / "systemd" / name).open("a") as unit:
            unit.write("# older\n")
    with served(update):
        done = live(update, run="release=$home/current; place_files $release/systemd")
        assert done.returncode == 0, done.stderr
        assert is_whole(update)
        yield update


def check_cuts(card, unsafe=(), recoveries=1):
    """Start after a cut at each moment; return the number of those that left a version complete, and of the others."""
    whole, mixed = [], []
    for cut in card.cuts(unsafe):
        needed = [cut / "etc", (cut / "opt/traykeeper/current").resolve()]
        assert [
            path
            for folder in needed
            for path in folder.rglob("*")
            if path.is_file() and path.suffix != ".new" and not path.read_bytes()
        ] == []
        (whole if is_whole(cut) else mixed).append(cut)
    for cut in mixed[:: max(1, len(mixed) // count(recoveries, len(mixed)))]:
        assert noted(cut)["old"] == current(cut)  # so that traykeeper-watch goes back
        assert (cut / "etc/systemd/system/traykeeper-watch.service").read_text()
        done = live(cut, "--go-back", run="undo_update")
        assert done.returncode == 0, done.stderr
        assert is_whole(cut)
    return len(whole), len(mixed)


@needs_root
@needs_sysusers
@pytest.mark.campaign
def test_a_power_cut_at_any_moment_of_an_update_or_of_its_return_leaves_a_version_that_works(older):
    card = Card(older)
    card.live("--update")
    whole, mixed = check_cuts(card, ("opt/traykeeper/releases/20260102-000000",))
    shutil.rmtree(older / "moments")
    card = Card(older)
    card.live("--go-back", run="undo_update")
    whole_again, mixed_again = check_cuts(card)

    print(f"\nupdate: {whole} states of one version, {mixed} that are undone")
    print(f"going back: {whole_again} states of one version, {mixed_again} that are continued")
    assert min(whole, mixed, whole_again, mixed_again) > 5


@needs_root
@needs_sysusers
@pytest.mark.campaign
def test_a_power_cut_at_any_moment_of_the_first_installation_leaves_a_whole_version_or_none(root):
    release = root / "opt/traykeeper/releases/20260101-000000"
    shutil.copytree(PROJECT / "systemd", release / "systemd")
    (root / "opt/traykeeper/current").unlink()
    card = Card(root)
    with served(root):
        card.live()
        cuts = list(card.cuts((str(release.relative_to(root)),)))
        found = [is_whole(cut) for cut in cuts]
        assert not live(cuts[found.index(True) - 1]).returncode
        assert is_whole(cuts[found.index(True) - 1])

    print(
        f"\nfirst installation: {found.count(None)} states without a version, {found.count(True)} with it"
    )
    assert False not in found
    assert None in found


@needs_root
def test_there_is_nothing_to_go_back_to_without_an_update(root):
    done = live(root, "--go-back", run="undo_update")

    assert done.returncode == 1
    assert "no update was made in the last ten minutes" in done.stderr


@needs_root
@needs_sysusers
def test_matches_on_a_separate_disk_are_written_copied_and_backed_up(update):
    disk = update / "media/my disk"
    disk.mkdir(parents=True)
    (disk / "journal.db").write_text("of the disk")
    units = update / "etc/systemd/system"
    with served(update) as settings:
        usual = settings.read_text()
        settings.write_text(f'{usual}state = "/media/my disk"\n')
        done = live(update, "--update")
        assert done.returncode == 0, done.stderr
        (backup,) = (update / "var/lib/traykeeper-backups").iterdir()
        rights = (units / "traykeeper.service.d/install.conf").read_text()
        carries = (units / "traykeeper-carry.service.d/install.conf").read_text()
        settings.write_text(usual)
        live(update)

    assert (backup / "state/journal.db").read_text() == "of the disk"
    assert "still in" not in done.stderr
    disks = r"media.mount media-my\x20disk.mount"
    assert f"[Unit]\nWants={disks}\nAfter={disks}\n" in rights
    assert 'ReadWritePaths="-/media/my disk"\n' in rights
    assert 'Environment="TRAYKEEPER_STATE=/media/my disk"\n' in carries
    assert not (units / "traykeeper-carry.service.d").exists()


@needs_root
@needs_sysusers
def test_matches_that_are_not_taken_along_to_another_folder_are_pointed_out(update):
    with served(update) as settings:
        settings.write_text(f'{settings.read_text()}state = "/media/ssd/matches"\n')
        done = live(update)
        live(update, run='mkdir -p "$root/media/ssd/matches"; cp "$usual/journal.db" "$_"')
        again = live(update)

    usual = update / "var/lib/traykeeper"
    assert f"cp -a {usual}/. '{update}/media/ssd/matches'" in done.stderr
    assert "still in" not in again.stderr


@needs_root
@needs_sysusers
def test_a_backup_without_space_leaves_the_old_version_running_and_no_partial_files(update):
    with served(update):
        done = live(update, "--update", run="ulimit -f 100; set_up")

    assert done.returncode == 1
    assert "the previous version is running again" in done.stderr
    assert current(update) == "20260101-000000"
    assert asked(update) == ["stop", "stop", "restart"]
    assert list((update / "var/lib/traykeeper-backups").iterdir()) == []
    assert (update / "var/lib/traykeeper/journal.db").stat().st_size == 200_000


@needs_root
@pytest.mark.parametrize(
    ("full", "message"),
    [
        ("df() { printf 'Avail\\n120M\\n'; }", "the card has 120 MB free, but 600 are needed"),
        ("cp() { return 1; }", "check that the card is not full. Nothing has changed."),
    ],
)
def test_a_new_version_without_space_leaves_no_files(update, full, message):
    venv = 'python3() { if [ "$1" = -m ]; then mkdir -p "${!#}"; else command python3 "$@"; fi; }'
    made = f"release_like() {{ true; }}; packages() {{ true; }}; works() {{ true; }}; {venv}"
    before = files(update)
    with served(update):
        done = live(update, "--update", run=f"{made}; {full}; set_up")

    assert (done.returncode, message in done.stderr) == (1, True)
    assert current(update) == "20260101-000000"
    assert len(list((update / "opt/traykeeper/releases").iterdir())) == 2
    assert asked(update) == []
    assert set(before) <= set(files(update))


@needs_root
@needs_sysusers
def test_an_interrupted_update_restores_everything(update):
    """A closed terminal interrupts the update."""
    once = '#!/bin/sh\n[ -e "$SAID.hung_up" ] || { touch "$SAID.hung_up"; kill -HUP "$PPID"; }\n'
    with served(update) as settings:
        before = settings.read_text()
        done = live(update, "--update", "--port", "81", udevadm=once)

    assert (update / "said.hung_up").exists()
    assert "the previous version is running again" in done.stderr
    assert current(update) == "20260101-000000"
    assert asked(update)[-1] == "restart"
    assert settings.read_text() == before
    assert (update / "var/lib/traykeeper/journal.db").stat().st_size == 200_000


@needs_root
def test_settings_that_the_new_version_does_not_know_change_nothing(update):
    with served(update) as settings:
        settings.write_text(f"{settings.read_text()}of_tomorrow = 1\n")
        done = live(update, "--update")

    assert done.returncode == 2
    assert "of_tomorrow is not a setting" in done.stderr
    assert current(update) == "20260101-000000"
    assert asked(update) == []


@needs_root
def test_a_match_that_began_during_the_build_is_not_interrupted(update):
    begins = "release_like() { touch $SAID.begun; echo 20260102-000000; }; in_a_match() { [ -e $SAID.begun ]; }"
    with served(update):
        done = live(update, "--update", run=f"{begins}; set_up")

    assert "a match is under way" in done.stderr
    assert asked(update) == []


@needs_root
@needs_sysusers
def test_uninstall_keeps_settings_and_matches_and_purge_keeps_nothing(root):
    install("--root", str(root))
    (root / "var/lib/traykeeper").mkdir(parents=True)
    (root / "var/lib/traykeeper/journal.db").touch()
    (
        root / "etc/systemd/system/traykeeper-first-boot.service"
    ).touch()  # from the card's first start
    install("--uninstall", "--root", str(root))

    assert files(root) == ["etc/traykeeper/settings.toml", "var/lib/traykeeper/journal.db"]
    install("--uninstall", "--purge", "--root", str(root))
    assert files(root) == []


@needs_root
@needs_sysusers
def test_check_lists_what_is_missing(root):
    install("--root", str(root))
    gone = ["etc/avahi/services/traykeeper.service", "etc/systemd/system/traykeeper-carry.timer"]
    for name in gone:
        (root / name).unlink()
    done = install("--check", "--root", str(root))

    assert done.returncode == 1
    assert all(f"FAILED {root}/{name}" in done.stdout for name in gone)
    assert "To repair it, run sudo" in done.stdout


@needs_root
@needs_sysusers
def test_the_check_does_not_call_settings_wrong_that_this_user_may_not_read(root):
    install("--root", str(root))
    settings = root / "etc/traykeeper/settings.toml"
    os.chown(settings, 65534, 65534)
    settings.chmod(0o600)
    powerless = ["--bounding-set", "-all", "--inh-caps", "-all"]
    done = subprocess.run(
        ["setpriv", *powerless, INSTALL, "--check", "--root", root],
        capture_output=True,
        text=True,
        check=False,
    )

    assert "you do not have permission to read them, so use sudo" in done.stdout
    assert done.returncode == 0, done.stdout


def test_the_lamp_blinks_red_until_a_failed_step_has_succeeded(tmp_path):
    first = (PROJECT / "systemd" / "first-boot").read_text().partition("# The steps")[0]
    goes_on = (
        'blink() { echo "blinks $*"; }; step 1 a; step 2 b; stuck c; step 1 a; step 2 b; step 3 d'
    )
    script = f"{first}\ncard={tmp_path}\n{goes_on}\n"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    blinks = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("blinks")]

    white, red = ["dh", "dh", "dh"], ["dh", "dl", "dl"]
    assert blinks == [
        ["1", *white],
        ["2", *white],
        ["2", *red],
        ["1", *white],
        ["2", *red],
        ["3", *white],
    ]


RELEASE = b"-----BEGIN PGP SIGNED MESSAGE-----\nOrigin: Debian\n"


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (200, RELEASE, ""),
        (200, b"<html>Welcome to our hotel</html>", "requires a login in a browser"),
        (403, b"log in first", "requires a login in a browser"),
        (None, b"", "there is no internet"),
    ],
    ids=["internet", "portal", "portal that refuses", "nothing"],
)
def test_the_login_page_of_a_portal_is_not_taken_for_the_internet(tmp_path, status, body, says):
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Print nothing."""

    whole = (PROJECT / "systemd" / "first-boot").read_text().partition("\nif [ ")[0]
    script = f"{whole}\ncard={tmp_path} number=1\nblink() {{ :; }}\nnetwork && echo reached\n"
    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        if status:
            Thread(target=server.serve_forever, args=(POLL_S,), daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}/"
        else:
            url = "http://127.0.0.1:9/"
        env = {**os.environ, "TRAYKEEPER_REACHES": url, "TRAYKEEPER_TRIES": "1"}
        done = subprocess.run(
            ["bash", "-c", script], env=env, capture_output=True, text=True, check=False
        )
        if status:
            server.shutdown()

    assert ("reached" in done.stdout) == (not says)
    assert says in done.stdout


def test_a_card_without_the_archive_gets_a_text_file_that_says_so(tmp_path):
    first = PROJECT / "systemd" / "cloud-init" / "vendor-data"
    script = first.read_text().replace("/boot/firmware", str(tmp_path))
    done = subprocess.run(["sh", "-c", script], check=False)

    assert done.returncode == 1
    assert "copy both files to it" in (tmp_path / "traykeeper.txt").read_text()


@needs_root
def test_update_without_an_install_is_refused(tmp_path):
    done = install("--update", "--root", str(tmp_path))

    assert done.returncode == 1
    assert "nothing is installed yet" in done.stderr
