"""Checks of this machine: its camera and pins, the Pi itself, and the service."""

import grp
import os
import platform
import pwd
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version as version_of
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from time import monotonic

from device.cameras import is_hot_pluggable
from device.cameras.base import Camera, CameraError
from device.doctor import problems
from device.doctor.problems import (
    Finding,
    Level,
    Trouble,
    failed,
    not_readable,
    ok,
    skipped,
    warning,
)
from device.doctor.system import Machine, System, fetch
from device.files import SERVICE, SERVICE_USER, as_owner_of
from device.hardware import voltage
from device.hardware.choices import as_camera
from device.machine_fit import is_raspberry_pi
from device.settings import SYSTEM_FILE
from device.watching.camera_link import HUNG_S, CameraLink
from game.message import Message, Plural, Verbatim, join_with_and

GROUPS = ("video", "gpio")

NEARLY_FULL_BYTES = 500 << 20

FULL_BYTES = 50 << 20
"""Free space below which the check fails. A match takes about 100 kB, but the system needs some space to work."""

HOT_C = 80.0
"""Temperature in °C at which every Pi reduces its clock speed."""

UNDER_VOLTAGE, SLOWED_BY_HEAT = 0x1, 0x8 | 0x4

SINCE_START_SHIFT = 16
"""How far the bits of `vcgencmd get_throttled` are shifted left to report what has happened since the start."""

IN_MEMORY = ("tmpfs", "ramfs", "rootfs")
"""Types of file systems whose contents are lost at a restart."""

NOT_MEASURED = Message("this machine cannot measure it")

HIDDEN = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")  # noqa: S108 - compared, not used
"""Folders whose files the service never sees, because of `ProtectHome` and `PrivateTmp` in its unit."""

UNDONE = "/opt/traykeeper/undone"
"""File in which `systemd/install --go-back` records which version was undone, and why."""

STICK = "/opt/traykeeper/stick"
"""File in which `systemd/carry` records when a USB stick last got a backup, and what has failed since then."""

STICK_TROUBLES = {
    "full": problems.STICK_FULL,
    "read-only": problems.STICK_READ_ONLY,
    "not-written": problems.STICK_NOT_WRITTEN,
    "not-read": problems.STICK_NOT_READ,
    "not-brought": problems.STICK_NOT_BROUGHT,
}
"""The problems that `systemd/carry` records."""


def camera(system: System) -> Finding:
    """Check the camera: ask the running companion or, if none is running, take a picture."""
    spec = system.settings.camera
    kind, _ = as_camera(spec)
    if kind in ("sim", "phone"):
        return ok(Message("not needed: %(camera)s", camera=spec))
    if system.state is not None:
        return _companions_camera(system)
    opener = system.machine.camera_opener(spec)
    if kind == "auto" and not is_hot_pluggable(opener):
        return skipped(Message("not a Raspberry Pi, so the dice are simulated"))
    found = [failed(problems.CAMERA_LOST, Message("it is not responding: check its cable"))]
    attempt = Thread(target=lambda: found.append(_tried(opener)), daemon=True)
    attempt.start()
    attempt.join(HUNG_S)
    return found[-1]


def _tried(opener: Callable[[], Camera]) -> Finding:
    """Open a camera, take a picture and close the camera."""
    link = CameraLink(opener, monotonic)
    try:
        camera, _ = link.open()
    except CameraError as error:
        return failed(problems.CAMERA_LOST, error.message)
    link.close()
    return ok(Verbatim(camera.name))


def _companions_camera(system: System) -> Finding:
    """Return what the running companion reports about its camera."""
    name = (system.state or {}).get("camera")
    if check := companions_check(system, "camera"):
        level, line = Level(check["level"]), Verbatim(check["line"])
        if level in (Level.OK, Level.SKIPPED):
            return Finding(level, line)
        if name:
            return Finding(level, line, problems.SLOW_CAMERA)
        return Finding(Level.FAILED, line, problems.CAMERA_LOST)
    return ok(Verbatim(str(name))) if name else failed(problems.CAMERA_LOST)


def companions_check(system: System, name: str) -> dict[str, str] | None:
    """Return the result of one check of the running companion, as its API describes it; None if it has no such check."""
    found = fetch(f"{system.address}api/v1/health") if system.state is not None else None
    return next((check for check in found or () if check["check"] == name), None)


def pins(system: System) -> Finding:
    """Check the chip that drives the GPIO pins, and its driver; and ask the running companion whether it can use them."""
    said = companions_check(system, "lamp")
    if said and said["level"] == Level.WARNING:
        return Finding(Level.WARNING, Verbatim(said["line"]), problems.LAMP_FAILED)
    chips = [path.name for path in system.machine.glob("/dev/gpiochip*")]
    none = Message("not a Raspberry Pi, so there are no pins")
    if not chips:
        return warning(problems.NO_PINS) if is_raspberry_pi(system.machine.root) else skipped(none)
    if find_spec("lgpio") is None:
        return (
            failed(problems.NO_LGPIO, chips[0])
            if is_raspberry_pi(system.machine.root)
            else skipped(none)
        )
    settings = system.settings
    lamp = f"{settings.red_pin}, {settings.green_pin}, {settings.blue_pin}"
    wired = Message(
        "%(chip)s: button GPIO%(button)s, lamp GPIO%(lamp)s",
        chip=chips[0],
        button=settings.button_pin,
        lamp=lamp,
    )
    return warning(problems.BUTTON_DOWN, wired) if _is_button_down(system) else ok(wired)


def _is_button_down(system: System) -> bool:
    """Return whether the button's pin is low although the running companion pulls it up."""
    state = system.machine.run("pinctrl", "get", str(system.settings.button_pin)) or ""
    return bool(re.search(r"\bip\b.*\bpu\b.*\blo\b", state))


def rights(system: System) -> Finding:
    """Check that the service's user is in the groups that may use the camera and the pins."""
    if not system.installed:
        return skipped(Message("the service is not installed, so your own permissions apply"))
    missing = [name for name in GROUPS if not _is_member(SERVICE_USER, name)]
    if missing:
        return failed(
            problems.NOT_ALLOWED, Message("not in %(groups)s", groups=join_with_and(missing))
        )
    return ok(
        Message("user %(user)s, in %(groups)s", user=SERVICE_USER, groups=join_with_and(GROUPS))
    )


def _is_member(user: str, group: str) -> bool:
    try:
        found, home = grp.getgrnam(group), pwd.getpwnam(user)
    except KeyError:
        return False
    return user in found.gr_mem or home.pw_gid == found.gr_gid


def space(system: System) -> Finding:
    """Check the free disk space for the matches."""
    folder = existing(system.folder)
    free = shutil.disk_usage(folder).free
    line = Message("%(size)s GB free in %(folder)s", size=free / 2**30, folder=str(folder))
    if free < FULL_BYTES:
        return failed(problems.DISK_FULL, line)
    return warning(problems.DISK_FULL, line) if free < NEARLY_FULL_BYTES else ok(line)


def existing(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def disk(system: System) -> Finding:
    """Check for signs of a worn-out card: a read-only file system, or errors counted by ext4."""
    mount = _mount_of(system.machine, existing(system.folder))
    if mount is None:
        return skipped(Message("/proc/mounts has no information"))
    device, kind, options = mount
    if _is_in_memory(system.machine, kind, options):
        return warning(problems.NOT_LASTING, kind)
    if "ro" in options.split(","):
        return failed(problems.READ_ONLY, device)
    errors = [
        f"{path.parent.name}: {count}"
        for path in system.machine.glob("/sys/fs/ext4/*/errors_count")
        if (count := path.read_text().strip()) != "0"
    ]
    if errors:
        return failed(problems.DISK_ERRORS, ", ".join(errors))
    return ok(Message("%(kind)s, no errors counted", kind=kind))


def _is_in_memory(machine: Machine, kind: str, options: str) -> bool:
    """Return whether a file system loses its contents at a restart.

    raspi-config lays an overlay over the card and keeps its upper folder in memory. Older versions leave that
    memory out of the list of mounts. On other machines, such an overlay belongs to a container and lasts as long
    as the container.

    Args:
        machine: The machine.
        kind: Type of the file system, such as "ext4".
        options: Its mount options, separated by commas.
    """
    if kind != "overlay":
        return kind in IN_MEMORY
    upper = next((each[9:] for each in options.split(",") if each.startswith("upperdir=")), None)
    under = _mount_of(machine, Path(upper)) if upper else None
    if under is None or under[1] == "overlay":
        return is_raspberry_pi(machine.root)
    return under[1] in IN_MEMORY


def _mount_of(machine: Machine, folder: Path) -> tuple[str, str, str] | None:
    """Return the device, type and options of the file system that contains a folder.

    Only that file system matters, because the service sees all others read-only. It is mounted at the deepest
    mount point above the folder. If two file systems are mounted there, the later one covers the earlier one.
    """
    lines = (line.split() for line in (machine.read("/proc/mounts") or "").splitlines())
    above = [f for f in lines if len(f) > 3 and folder.is_relative_to(f[1])]  # noqa: PLR2004
    above.sort(key=lambda f: len(f[1]))  # a stable sort: of equals, the last one stays last
    return (above[-1][0], above[-1][2], above[-1][3]) if above else None


def power(system: System) -> Finding:
    """Check the voltage of the power supply, now and since the Pi was started."""
    flags, root = _throttled(system.machine), system.machine.root
    alarm = voltage.is_low(root)
    if alarm or (flags or 0) & UNDER_VOLTAGE:
        return failed(problems.LOW_VOLTAGE, Message("now"))
    if when := voltage.last_low(system.folder, root):
        last = f"{when.astimezone():%H:%M}"
        return warning(problems.LOW_VOLTAGE, Message("last noticed at %(when)s", when=last))
    if (flags or 0) & UNDER_VOLTAGE << SINCE_START_SHIFT:
        return warning(problems.LOW_VOLTAGE, Message("at least once since the Pi started"))
    if flags is None and alarm is None:
        return skipped(NOT_MEASURED)
    return ok(Message("the voltage has not dropped too low since the Pi started"))


def _throttled(machine: Machine) -> int | None:
    _, _, value = (machine.run("vcgencmd", "get_throttled") or "").partition("=")
    try:
        return int(value, 16)
    except ValueError:
        return None


def heat(system: System) -> Finding:
    """Check the highest temperature that the processor reports."""
    texts = (
        system.machine.read(f"/sys/class/thermal/{path.parent.name}/temp")
        for path in system.machine.glob("/sys/class/thermal/thermal_zone*/temp")
    )
    values = [int(text) / 1000 for text in texts if text and text.lstrip("-").isdigit()]
    if not values:
        return skipped(NOT_MEASURED)
    line = Verbatim(f"{max(values):.0f} °C")
    slowed = (_throttled(system.machine) or 0) & SLOWED_BY_HEAT
    return warning(problems.TOO_HOT, line) if slowed or max(values) >= HOT_C else ok(line)


def clock(system: System) -> Finding:
    """Check that the clock is set from the network, because a Pi has no battery for it."""
    now = f"{datetime.now(UTC).astimezone():%Y-%m-%d %H:%M}"
    answer = system.machine.run("timedatectl", "show", "-p", "NTPSynchronized", "--value")
    match answer:
        case "yes":
            return ok(Message("%(when)s, synchronised with the network", when=now))
        case "no":
            return warning(problems.CLOCK_UNSET, now)
        case _:
            return skipped(
                Message("%(when)s; timedatectl does not say whether it is synchronised", when=now)
            )


def version(_: System) -> Finding:
    """Report the versions of Traykeeper and Python, and the processor."""
    python = f"Python {platform.python_version()}"
    return ok(Verbatim(f"{version_of('traykeeper')}, {python}, {platform.machine()}"))


def settings(system: System) -> Finding:
    """Check the settings file, and that the service may read it."""
    path = system.settings_path
    if path and (found := not_readable_by_service(system, path, problems.SETTINGS_NOT_READABLE)):
        return found
    if system.complaint:
        return failed(problems.BAD_SETTINGS, system.complaint)
    return ok(Verbatim(str(path)) if path else Message("no file, so the defaults apply"))


def not_readable_by_service(
    system: System, path: Path, trouble: Trouble = problems.NOT_READABLE
) -> Finding | None:
    """Return the finding that the service has no permission to read a file; None if it has, or the file does not exist.

    Only root can try that as the service's user. For others, the finding says that they may not read it themselves,
    unless it is in a folder that the service cannot see.

    Args:
        system: The installation.
        path: The file.
        trouble: What to report if the service may not read the file.
    """
    is_for_service = system.installed and system.settings_path == SYSTEM_FILE
    real = Path(os.path.realpath(path))
    is_hidden = is_for_service and any(
        real.is_relative_to(system.machine.path(folder)) for folder in HIDDEN
    )
    try:
        with as_owner_of(system.folder):
            path.open().close()
    except PermissionError:
        is_known = is_hidden or os.geteuid() == 0
        return failed(trouble, str(path)) if is_known else not_readable(path)
    except (OSError, ValueError):
        return None  # the caller reports why
    return failed(trouble, str(path)) if is_hidden else None


def safe_mode(system: System) -> Finding:
    """Check whether the running companion is in safe mode."""
    if system.state is None:
        return skipped(Message("Traykeeper is not running"))
    return (
        warning(problems.SAFE_MODE)
        if system.state.get("safe_mode")
        else ok(Message("not in safe mode"))
    )


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


def stick(system: System) -> Finding:
    """Report when a USB stick last got a backup, or why it did not get the latest one."""
    record = system.machine.read(STICK) or ""
    values = dict(line.partition("=")[::2] for line in record.splitlines())
    took = Message("the last backup was copied at %(when)s", when=values.get("took", ""))
    if trouble := STICK_TROUBLES.get(values.get("failed", "")):
        return warning(trouble, took if values.get("took") else "")
    return ok(took) if values.get("took") else ok(Message("no USB stick has been used yet"))


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
