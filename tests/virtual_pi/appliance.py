"""A Traykeeper appliance without a Pi: our installer and unit under trixie's real systemd."""

import json
import os
import platform
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "traykeeper-virtual-pi"
PACKAGES = [
    *("systemd", "systemd-sysv", "dbus", "udev", "polkitd", "avahi-daemon", "iproute2", "kmod"),
    *("python3", "python3-venv", "python3-pip", "python3-numpy"),
]
PARTS = [
    *("game", "vision", "calibration", "device", "web", "systemd", "docs"),
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"),
]
LOCK = f"/home/pi/traykeeper/systemd/locks/trixie-{platform.machine()}.txt"
OLDER = "segno==1.6.1"
"""A list of packages from another day."""

BOOT_S = 60
STATE_MB = 32


def sh(*command, **options):
    """Run a command, and show its output if it fails."""
    done = subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def base() -> Path:
    """Return a plain trixie with systemd, which is made only once."""
    root = CACHE / "service"
    sh(HERE / "rootfs.sh", root, *PACKAGES)
    return root


def take_checkout(folder: Path) -> Path:
    """Return a copy of a fresh clone."""
    folder.mkdir(parents=True)
    for part in PARTS:
        source = PROJECT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)
    return folder


def installed(root: Path, work: Path) -> Path:
    """Return the layer that `systemd/install` adds to `root`, where no systemd runs yet."""
    upper, merged = work / "installed", work / "merged"
    for folder in (upper, merged, work / "work"):
        folder.mkdir(parents=True)
    layers = f"lowerdir={root},upperdir={upper},workdir={work / 'work'}"
    (upper / "etc").mkdir()
    (upper / "etc" / "hostname").write_text("traykeeper\n")
    take_checkout(upper / "home" / "pi" / "traykeeper")
    sh("mount", "-t", "overlay", "overlay", "-o", layers, merged)
    try:
        inside = ("chroot", merged, "/usr/bin/env", "-i", *_ENV)
        sh(*inside, "/home/pi/traykeeper/systemd/install")
        # An update in this root has no network.
        wheels = ("-d", "/home/pi/wheels", "--only-binary", ":all:", "-r", LOCK)
        pip = ("/opt/traykeeper/current/bin/pip", "download", "-q")
        sh(*inside, *pip, *wheels)
        sh(*inside, *pip, "-d", "/home/pi/wheels", "--no-deps", OLDER)
    finally:
        sh("umount", merged)
    return upper


_ENV = ("LC_ALL=C.UTF-8", "HOME=/root", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")


def empty_disk(path: Path) -> Path:
    """Return a disk that is used only for the matches, to see what has reached it."""
    path.write_bytes(b"\0" * (STATE_MB << 20))
    sh("mkfs.ext4", "-q", path)
    return path


@dataclass
class Appliance:
    """A running system; `run` is a root shell in it."""

    process: subprocess.Popen
    disk: Path | None

    @classmethod
    def boot(
        cls, lower: list[Path], work: Path, disk: Path | None = None, **variables: str
    ) -> "Appliance":
        """Boot these layers; the variables are those of `boot.sh`."""
        for name in ("upper", "work", "root"):
            (work / name).mkdir(parents=True, exist_ok=True)
        stack = ":".join(map(str, lower))
        layers = f"lowerdir={stack},upperdir={work / 'upper'},workdir={work / 'work'}"
        command = [HERE / "boot.sh", work / "root", layers, *([disk] if disk else [])]
        with (work / "boot.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | variables,
            )
        appliance = cls(process, disk)
        try:
            appliance.until(appliance.is_up, BOOT_S)
        except AssertionError:
            appliance.kill()
            raise
        return appliance

    @property
    def init(self) -> int:
        """Return the outer number of process 1 in the container."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return int(children.split()[0])

    def is_up(self) -> bool:
        """Stand-ins for what a system without hardware lacks."""
        return self.ask("systemctl is-system-running") in ("running", "degraded")

    def command(self, line: str) -> list[str]:
        inside = ["nsenter", "-t", str(self.init), "-m", "-u", "-i", "-n", "-p", "-C"]
        return [*inside, "/usr/bin/env", "-i", *_ENV, "/bin/sh", "-c", line]

    def run(self, line: str, timeout_s: float = 180) -> str:
        return sh(*self.command(line), timeout=timeout_s)

    def ask(self, line: str) -> str:
        """Return the output of a command, whether or not it fails."""
        with suppress(IndexError, FileNotFoundError, subprocess.TimeoutExpired):
            done = subprocess.run(
                self.command(line), capture_output=True, text=True, timeout=30, check=False
            )
            return done.stdout.strip()
        return ""

    def until(self, true, seconds: float = 30) -> None:
        end = monotonic() + seconds
        while not true():
            assert monotonic() < end, self.ask("journalctl -n 40 --no-pager")
            sleep(0.2)

    def shown(self, name: str) -> str:
        """Return a property of the service."""
        return self.ask(f"systemctl show -P {name} traykeeper")

    def http(self, path: str, body: dict | None = None) -> dict:
        """Send a request to the API as the scorekeeper's phone."""
        return json.loads(self.run(self.asking(path, body)))

    def asking(self, path: str, body: dict | None = None) -> str:
        """Return the command that sends the request."""
        code = (HERE / "asking.py").read_text()
        text = "" if body is None else json.dumps(body)
        return f"python3 -c {quote(code)} {quote(path)} {quote(text)}"

    def cut_power(self) -> Path | None:
        """Cut the power, and return what had reached the disk, without cached data."""
        copy = None
        if self.disk:
            os.kill(self.init, signal.SIGSTOP)
            copy = self.disk.with_name(f"after-{self.disk.name}")
            shutil.copy(self.disk, copy)
        self.kill()
        return copy

    def kill(self) -> None:
        with suppress(IndexError, FileNotFoundError, ProcessLookupError):
            os.kill(self.init, signal.SIGKILL)
        self.process.kill()
        self.process.wait()


def quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
