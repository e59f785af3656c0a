"""The report to send along: what the doctor found, the settings, the log. No secrets.

Pictures go in only where they were asked for; the journal, with everyone's name, never does.
"""

import os
import platform
import re
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from device.doctor.system import PATIENCE_S, System
from device.errors import UsageError
from device.files import SERVICE, atomic_file, zip_member
from device.settings import as_text

SECRET = re.compile(
    r"((?:token|pin|password|passwd|secret|psk|key)[\"']?\s*[=:]\s*[\"']?)[^\s\"'&]+", re.IGNORECASE
)
MAC = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
LOG_LINES = "500"
READABLE = 0o644
"""Whoever asked root for it sends it along as somebody else."""


def pack_report(path: Path, system: System, found: str, *, pictures: bool) -> None:
    """Write the report; nothing is left behind where that fails.

    Raises:
        UsageError: it cannot be written there, or something of that name is there.
    """
    if path.exists():
        raise UsageError(f"{path}: there is something of that name: name another")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: no report can be written there: there is no such folder")
    try:
        with atomic_file(path) as file, ZipFile(file, "w", ZIP_DEFLATED) as report:
            os.fchmod(file.fileno(), READABLE)
            for name, text in _texts(system, found):
                report.writestr(zip_member(name, ZIP_DEFLATED), without_secrets(text))
            for name, picture in _pictures(system) if pictures else ():
                report.writestr(zip_member(name), picture)
    except OSError as error:
        raise UsageError(f"{path}: no report can be written there: {error.strerror}") from None


def without_secrets(text: str) -> str:
    """The text with every token, PIN and hardware address blotted out.

    >>> without_secrets("GET /?token=abc123 from dc:a6:32:01:02:03")
    'GET /?token=*** from **:**:**:**:**:**'
    """
    return MAC.sub("**:**:**:**:**:**", SECRET.sub(r"\1***", text))


def _texts(system: System, found: str) -> Iterator[tuple[str, str]]:
    machine = system.machine
    yield "doctor.txt", f"{found}\n"
    yield "settings.toml", as_text(system.settings)
    yield "system.txt", "\n".join(_system(system))
    log = machine.run("journalctl", "--no-pager", "-o", "short-iso", "-u", SERVICE, "-n", LOG_LINES)
    yield "log.txt", log or "journalctl does not tell: try sudo traykeeper doctor --zip ..."
    yield "service.txt", machine.run("systemctl", "cat", SERVICE) or "not installed"


def _system(system: System) -> Iterator[str]:
    yield system.machine.read("/proc/device-tree/model") or platform.machine()
    yield f"{platform.system()} {platform.release()}, Python {sys.version}"
    yield system.machine.read("/etc/os-release") or ""
    yield system.machine.read("/proc/meminfo") or ""
    yield from sorted({f"{dist.name} {dist.version}" for dist in distributions()})


def _pictures(system: System) -> Iterator[tuple[str, bytes]]:
    """The last photo and what the camera sees now, from the running companion."""
    photo = (system.state or {}).get("photo") or {}
    for name, route in (("photo.jpg", f"photo/{photo.get('id')}.jpg"), ("view.jpg", "view.jpg")):
        url = f"{system.address}api/v1/{route}"
        with (
            suppress(OSError),
            urllib.request.urlopen(url, timeout=PATIENCE_S) as answer,  # noqa: S310 - our own page
        ):
            yield name, answer.read()
