"""What all checks share: the machine, its settings, and the companion if it answers."""

import json
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from device.doctor.machine import Machine
from device.errors import UsageError
from device.settings import Settings, find, load
from game.errors import GameError

SERVICE = "traykeeper.service"
USER = "traykeeper"
SERVICE_STATE = "/var/lib/traykeeper"
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
        if self.settings.state:
            return Path(self.settings.state)
        if self.installed:
            return self.machine.path(SERVICE_STATE)
        return platformdirs.user_state_path("traykeeper")


def admit(file: str | None = None, machine: Machine | None = None) -> System:
    """Look at this machine, with these settings."""
    machine = machine or Machine()
    path, settings, complaint = find(file), Settings(), None
    try:
        settings = load(path)
    except (UsageError, GameError) as error:
        complaint = str(error)
    state = fetch(f"http://{_reachable(settings.host)}:{settings.port}/api/v1/state")
    installed = machine.path(f"/etc/systemd/system/{SERVICE}").exists()
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
    return "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104 - compared
