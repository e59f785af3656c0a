"""Checks of the version, the settings, the service and the journal."""

import os
import platform
import sqlite3
from contextlib import closing
from importlib.metadata import version as version_of

from device.doctor import problems
from device.doctor.check_pi import existing
from device.doctor.findings import Finding, failed, not_readable, ok, skipped, warning
from device.doctor.system import System
from device.files import SERVICE
from game.message import Message, Plural, Verbatim

UNDONE = "/opt/traykeeper/undone"
"""File in which `systemd/install --go-back` records which version was undone, and why."""


def version(_: System) -> Finding:
    """Report the versions of Traykeeper and Python, and the processor."""
    python = f"Python {platform.python_version()}"
    return ok(Verbatim(f"{version_of('traykeeper')}, {python}, {platform.machine()}"))


def settings(system: System) -> Finding:
    """Check the settings file."""
    if system.complaint:
        return failed(problems.BAD_SETTINGS, system.complaint)
    path = system.settings_path
    return ok(Verbatim(str(path)) if path else Message("no file, so the defaults apply"))


def service(system: System) -> Finding:
    """Check that the service is running, and report how many times systemd had to restart it."""
    if not system.installed:
        return skipped(Message("not installed, started by hand"))
    output = system.machine.run("systemctl", "show", "-p", "ActiveState,NRestarts", SERVICE)
    values = dict(line.partition("=")[::2] for line in (output or "").splitlines())
    active, restarts = values.get("ActiveState"), values.get("NRestarts", "0")
    if active is None:
        return skipped(Message("systemctl has no information"))
    if active != "active":
        return failed(problems.NOT_RUNNING, active)
    if restarts == "0":
        return ok(Message("running"))
    return warning(problems.RESTARTS, Plural("once", "%(n)s times", n=int(restarts)))


def update(system: System) -> Finding:
    """Check whether the last update was undone because the new version did not work."""
    if undone := system.machine.read(UNDONE):
        return warning(problems.UPDATE_UNDONE, undone)
    return ok(Message("no update was undone"))


def journal(system: System) -> Finding:
    """Check that the journal can be written and is not damaged."""
    folder = existing(system.folder)
    file = system.folder / "journal.db"
    if not system.installed and not os.access(folder, os.W_OK):
        return failed(problems.NO_STATE, str(folder))
    try:
        if not file.exists():
            return ok(Message("no match yet, in %(folder)s", folder=str(system.folder)))
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            (answer,) = db.execute("PRAGMA quick_check").fetchone()
            (matches,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
    except (PermissionError, sqlite3.OperationalError):
        return not_readable(file)
    except sqlite3.DatabaseError as error:
        return failed(problems.BAD_JOURNAL, str(error))
    if answer != "ok":
        return failed(problems.BAD_JOURNAL, answer)
    held = Plural("one match in %(file)s", "%(n)s matches in %(file)s", n=matches, file=str(file))
    return ok(held)
