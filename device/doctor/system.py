"""The installation that the doctor checks: the machine, its settings, and the state of the running companion."""

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from device.cameras import CameraOpener, camera_opener
from device.errors import UsageError
from device.files import is_service, state_folder
from device.lan import own_address
from device.settings import Settings, find, load
from game.errors import FileError, GameError

COMMAND_TIMEOUT_S = 10
HTTP_TIMEOUT_S = 3


@dataclass(frozen=True, slots=True)
class Machine:
    """Access to a machine's files and programs.

    Attributes:
        root: Folder that contains the machine's files; tests replace it.
        camera_opener: Returns the function that opens a camera, given the value of the setting `camera`.
    """

    root: Path = Path("/")
    camera_opener: Callable[[str], CameraOpener] = camera_opener

    def path(self, path: str) -> Path:
        """Return the path below `root` that corresponds to an absolute path on the machine."""
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        """Return the text of a file, or None if it cannot be read."""
        try:
            return self.path(path).read_text("utf-8", "replace").strip("\0\n ")
        except OSError:
            return None

    def glob(self, pattern: str) -> Iterator[Path]:
        """Yield the files that match an absolute pattern, sorted."""
        yield from sorted(self.root.glob(pattern.lstrip("/")))

    def run(self, *command: str) -> str | None:
        """Run a program and return what it prints, or None if it is missing, fails or takes too long."""
        program = shutil.which(command[0])
        if program is None:
            return None
        try:
            done = subprocess.run(  # noqa: S603 - only commands of the checks
                [program, *command[1:]],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=COMMAND_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None


@dataclass(frozen=True, slots=True)
class System:
    """An installation for the doctor to check.

    Attributes:
        machine: Access to the machine's files and programs.
        settings: The settings; the defaults if the settings file is not valid.
        settings_path: Path of the settings file; None if there is none.
        complaint: Why the settings file is not valid; None if it is.
        state: State of the running companion as JSON; None if no companion answers.
        installed: Whether the service is installed.
    """

    machine: Machine
    settings: Settings
    settings_path: Path | None
    complaint: str | None
    state: dict[str, Any] | None
    installed: bool

    @property
    def address(self) -> str:
        """The address of the page on this machine."""
        return f"http://{own_address(self.settings.host)}:{self.settings.port}/"

    @property
    def folder(self) -> Path:
        """The state folder."""
        return state_folder(self.settings.state, self.machine.path("/"))


def open_system(file: str | None = None, machine: Machine | None = None) -> System:
    """Load the settings and the state of the running companion.

    Args:
        file: Settings file; None uses the one that applies to this user.
        machine: Access to the machine's files and programs; None uses this machine.

    Raises:
        FileError: If `file` is given and cannot be read.
    """
    machine = machine or Machine()
    path, settings, complaint = find(file), Settings(), None
    try:
        settings = load(path)
    except (UsageError, GameError) as error:
        if file is not None and isinstance(error, FileError):
            raise
        complaint = str(error)
    installed = is_service(machine.path("/"))
    system = System(machine, settings, path, complaint, None, installed)
    state = fetch(f"{system.address}api/v1/state")
    is_ours = isinstance(state, dict) and "situation" in state
    return replace(system, state=state) if is_ours else system


def fetch(url: str) -> Any:
    """Return the JSON at a URL of this machine's page, or None if there is no JSON."""
    try:
        with urllib.request.urlopen(url, timeout=HTTP_TIMEOUT_S) as answer:  # noqa: S310 - our own page
            return json.load(answer)
    except (OSError, ValueError):
        return None
