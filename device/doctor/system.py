"""What all checks share: the machine, its settings, and the companion if it answers."""

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from device.errors import UsageError
from device.files import is_service, state_folder
from device.lan import ALL_INTERFACES
from device.settings import Settings, find, load
from game.errors import FileError, GameError

PATIENCE_S = 10


@dataclass(frozen=True, slots=True)
class Machine:
    """Files below `root`, and programs on the search path."""

    root: Path = Path("/")

    def path(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        """What stands in that file, or None where it cannot be read."""
        try:
            return self.path(path).read_text("utf-8", "replace").strip("\0\n ")
        except OSError:
            return None

    def glob(self, pattern: str) -> Iterator[Path]:
        """The files that match, in order."""
        yield from sorted(self.root.glob(pattern.lstrip("/")))

    def run(self, *command: str) -> str | None:
        """What that program prints, or None where it is missing, slow or fails."""
        program = shutil.which(command[0])
        if program is None:
            return None
        try:
            done = subprocess.run(  # noqa: S603 - our own words
                [program, *command[1:]],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None


PATIENCE_S = 3


@dataclass(frozen=True, slots=True)
class System:
    """The appliance under examination.

    Attributes:
        complaint: why the settings do not hold; the defaults are looked at then.
        state: what the running companion says of itself, or None where none answers.
        installed: whether the service is set up here.
    """

    machine: Machine
    settings: Settings
    settings_path: Path | None
    complaint: str | None
    state: dict[str, Any] | None
    installed: bool

    @property
    def address(self) -> str:
        return f"http://{_reachable(self.settings.host)}:{self.settings.port}/"

    @property
    def folder(self) -> Path:
        """Where the matches are."""
        return state_folder(self.settings.state, self.machine.path("/"))


def admit(file: str | None = None, machine: Machine | None = None) -> System:
    """Look at this machine, with these settings.

    Raises:
        FileError: the file that was named cannot be read.
    """
    machine = machine or Machine()
    path, settings, complaint = find(file), Settings(), None
    try:
        settings = load(path)
    except (UsageError, GameError) as error:
        if file is not None and isinstance(error, FileError):
            raise
        complaint = str(error)
    state = fetch(f"http://{_reachable(settings.host)}:{settings.port}/api/v1/state")
    installed = is_service(machine.path("/"))
    return System(machine, settings, path, complaint, state, installed)


def fetch(url: str) -> dict[str, Any] | None:
    """The JSON object there, or None where no Traykeeper answers."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310 - our own page
            data = json.load(answer)
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and "situation" in data else None


def _reachable(host: str) -> str:
    return "127.0.0.1" if host in ALL_INTERFACES else host
