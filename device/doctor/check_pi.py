"""Checks of the Pi itself: disk, power supply, temperature and clock."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

from device.doctor import problems
from device.doctor.check_hardware import is_pi
from device.doctor.findings import Finding, failed, ok, skipped, warning
from device.doctor.system import Machine, System
from device.hardware import voltage
from game.message import Message, Verbatim

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
        return is_pi(machine)
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
