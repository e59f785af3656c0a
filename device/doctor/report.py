"""The doctor's report as a zip file: findings, settings and logs, without secrets.

Pictures are included only on request. The journal is never included, because it contains everybody's names.
"""

import os
import platform
import re
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import distributions
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from device import log_file
from device.doctor.system import HTTP_TIMEOUT_S, System
from device.errors import UsageError
from device.files import SERVICE, atomic_file, zip_member
from device.settings import as_text

SECRET = re.compile(
    r"((?:token|pin|password|passwd|secret|psk|key)[\"']?\s*[=:]\s*[\"']?)[^\s\"'&]+", re.IGNORECASE
)
USER = re.compile(r"(\b\w+://)[^/@\s\"]+@")
MAC = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
LOG_LINES = "500"
READABLE = 0o644
"""File mode of the report. It is often made with sudo and sent by another user."""


def pack_report(path: Path, system: System, found: str, *, pictures: bool) -> None:
    """Write the doctor's report; if that fails, leave no file behind.

    Args:
        path: The zip file to write.
        system: The installation, which provides settings and logs.
        found: The findings of all checks, as text.
        pictures: Whether to include pictures from the running companion.

    Raises:
        UsageError: If the file exists or cannot be written.
    """
    if path.exists():
        raise UsageError(f"{path}: this file exists: choose another name")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: the report cannot be written: the folder does not exist")
    try:
        with atomic_file(path) as file, ZipFile(file, "w", ZIP_DEFLATED) as report:
            os.fchmod(file.fileno(), READABLE)
            for name, text in _texts(system, found):
                report.writestr(zip_member(name, ZIP_DEFLATED), without_secrets(text))
            for name, picture in _pictures(system) if pictures else ():
                report.writestr(zip_member(name), picture)
    except OSError as error:
        raise UsageError(f"{path}: the report cannot be written: {error.strerror}") from None


def without_secrets(text: str) -> str:
    """Return the text with every token, PIN and hardware address replaced by asterisks.

    >>> without_secrets("GET /?token=abc123 from dc:a6:32:01:02:03")
    'GET /?token=*** from **:**:**:**:**:**'
    """
    text = USER.sub(r"\1***@", SECRET.sub(r"\1***", text))
    return MAC.sub("**:**:**:**:**:**", text)


def _texts(system: System, found: str) -> Iterator[tuple[str, str]]:
    machine = system.machine
    yield "doctor.txt", f"{found}\n"
    settings = system.settings
    if settings.webhook:  # its path may be a secret
        settings = replace(settings, webhook="http://***")
    yield "settings.toml", as_text(settings)
    yield "system.txt", "\n".join(_system(system))
    log = machine.run("journalctl", "--no-pager", "-o", "short-iso", "-u", SERVICE, "-n", LOG_LINES)
    yield "log.txt", log or "journalctl shows nothing: try sudo traykeeper doctor --zip ..."
    for path in log_file.files(system.folder):
        yield f"state/{path.name}", path.read_text("utf-8", "replace")
    yield "service.txt", machine.run("systemctl", "cat", SERVICE) or "not installed"


def _system(system: System) -> Iterator[str]:
    yield system.machine.read("/proc/device-tree/model") or platform.machine()
    yield f"{platform.system()} {platform.release()}, Python {sys.version}"
    yield system.machine.read("/etc/os-release") or ""
    yield system.machine.read("/proc/meminfo") or ""
    yield from sorted({f"{dist.name} {dist.version}" for dist in distributions()})


def _pictures(system: System) -> Iterator[tuple[str, bytes]]:
    """Yield the file name and JPEG of the latest photo and of the camera's current view.

    Both come from the running companion; a picture that it cannot deliver is left out.
    """
    photo = (system.state or {}).get("photo") or {}
    for name, route in (("photo.jpg", f"photo/{photo.get('id')}.jpg"), ("view.jpg", "view.jpg")):
        url = f"{system.address}api/v1/{route}"
        with (
            suppress(OSError),
            urllib.request.urlopen(url, timeout=HTTP_TIMEOUT_S) as answer,  # noqa: S310 - our own page
        ):
            yield name, answer.read()
