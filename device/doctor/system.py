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
from device.safe_mode import OTHER_PORTS, kept_settings
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
        settings: The settings; those that safe mode would use if the settings file is not valid.
        settings_path: Path of the settings file; None if there is none.
        complaint: Why the settings file is not valid; None if it is.
        state: State of the running companion as JSON; None if no companion answers.
        installed: Whether the service is installed.
        safe_port: Port at which safe mode serves the page; None if the page is at the port in the settings.
    """

    machine: Machine
    settings: Settings
    settings_path: Path | None
    complaint: str | None
    state: dict[str, Any] | None
    installed: bool
    safe_port: int | None = None

    @property
    def address(self) -> str:
        """The address of the page on this machine."""
        if self.safe_port is not None:
            return f"http://127.0.0.1:{self.safe_port}/"
        return f"http://{own_address(self.settings.host)}:{self.settings.port}/"

    @property
    def hidden_settings(self) -> Path | None:
        """The settings file if this user has no permission to read it; otherwise None."""
        try:
            if self.settings_path:
                self.settings_path.open().close()
        except PermissionError:
            return self.settings_path
        except OSError:
            return None
        return None

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
        settings, complaint = kept_settings(path), str(error)
    installed = is_service(machine.path("/"))
    system = System(machine, settings, path, complaint, None, installed)
    if state := _companions_state(system):
        return replace(system, state=state)
    for port in filter(None, OTHER_PORTS):  # safe mode leaves a port that cannot be used
        elsewhere = replace(system, safe_port=port)
        if (state := _companions_state(elsewhere)) and state.get("safe_mode"):
            return replace(elsewhere, state=state)
    return system


def _companions_state(system: System) -> dict[str, Any] | None:
    """Return the state of the companion whose page is at the system's address; None if there is none."""
    state = fetch(f"{system.address}api/v1/state")
    return state if isinstance(state, dict) and "situation" in state else None


def fetch(url: str) -> Any:
    """Return the JSON at a URL of this machine's page, or None if there is no JSON."""
    try:
        with urllib.request.urlopen(url, timeout=HTTP_TIMEOUT_S) as answer:  # noqa: S310 - our own page
            return json.load(answer)
    except (OSError, ValueError):
        return None
