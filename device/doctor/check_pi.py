"""The Pi itself: its disk, its power, its heat, its clock."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

from device.doctor.findings import (
    CLOCK_UNSET,
    DISK_ERRORS,
    DISK_FULL,
    LOW_VOLTAGE,
    READ_ONLY,
    TOO_HOT,
    Finding,
    failed,
    ok,
    skipped,
    warning,
)
from device.doctor.system import Machine, System
from game.message import Message, Verbatim

NEARLY_FULL = 500 << 20
FULL = 50 << 20
"""A match is some 100 kB; the system needs the rest to live."""

HOT_C = 80.0
"""From here on every Pi slows itself down."""

UNDER_VOLTAGE, SLOWED_BY_HEAT = 0x1, 0x8 | 0x4
ONCE = 16
"""Bits of get_throttled; shifted by so many: since the start."""

NOT_MEASURED = Message("this machine does not measure it")


def space(system: System) -> Finding:
    """Room for the matches."""
    folder = existing(system.folder)
    free = shutil.disk_usage(folder).free
    line = Message("%(size)s GB free in %(folder)s", size=free / 2**30, folder=str(folder))
    if free < FULL:
        return failed(DISK_FULL, line)
    return warning(DISK_FULL, line) if free < NEARLY_FULL else ok(line)


def existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def disk(system: System) -> Finding:
    """A card that wears out turns read-only, or has errors that ext4 counts."""
    mount = _mount_of(system.machine, existing(system.folder))
    if mount is None:
        return skipped(Message("/proc/mounts does not tell"))
    device, kind, options = mount
    if "ro" in options.split(","):
        return failed(READ_ONLY, device)
    errors = [
        f"{path.parent.name}: {count}"
        for path in system.machine.glob("/sys/fs/ext4/*/errors_count")
        if (count := path.read_text().strip()) != "0"
    ]
    if errors:
        return failed(DISK_ERRORS, ", ".join(errors))
    return ok(Message("%(kind)s, no errors counted", kind=kind))


def _mount_of(machine: Machine, folder: Path) -> tuple[str, str, str] | None:
    """Device, kind and options of what the matches are on: a service sees the rest read-only.

    The deepest counts, and of two on one place the last line: it lies on top.
    """
    lines = (line.split() for line in (machine.read("/proc/mounts") or "").splitlines())
    above = [f for f in lines if len(f) > 3 and folder.is_relative_to(f[1])]  # noqa: PLR2004
    above.sort(key=lambda f: len(f[1]))  # stable: the last of equals stays last
    return (above[-1][0], above[-1][2], above[-1][3]) if above else None


def power(system: System) -> Finding:
    """The supply's voltage, now and since the start."""
    flags = _throttled(system.machine)
    if flags is None:
        return _power_by_hwmon(system.machine)
    if flags & UNDER_VOLTAGE:
        return failed(LOW_VOLTAGE, Message("now"))
    if flags & UNDER_VOLTAGE << ONCE:
        return warning(LOW_VOLTAGE, Message("at least once since the start"))
    return ok(Message("never too low since the start"))


def _power_by_hwmon(machine: Machine) -> Finding:
    """Where vcgencmd is missing or not allowed: the kernel's own alarm."""
    for path in machine.glob("/sys/class/hwmon/hwmon*/in0_lcrit_alarm"):
        low = path.read_text().strip() == "1"
        return failed(LOW_VOLTAGE, Message("now")) if low else ok(Message("not too low now"))
    return skipped(NOT_MEASURED)


def _throttled(machine: Machine) -> int | None:
    _, _, value = (machine.run("vcgencmd", "get_throttled") or "").partition("=")
    try:
        return int(value, 16)
    except ValueError:
        return None


def heat(system: System) -> Finding:
    """The hottest the processor says it is."""
    texts = (
        system.machine.read(f"/sys/class/thermal/{path.parent.name}/temp")
        for path in system.machine.glob("/sys/class/thermal/thermal_zone*/temp")
    )
    values = [int(text) / 1000 for text in texts if text and text.lstrip("-").isdigit()]
    if not values:
        return skipped(NOT_MEASURED)
    line = Verbatim(f"{max(values):.0f} °C")
    slowed = (_throttled(system.machine) or 0) & SLOWED_BY_HEAT
    return warning(TOO_HOT, line) if slowed or max(values) >= HOT_C else ok(line)


def clock(system: System) -> Finding:
    """Set from the network: a Pi has no battery of its own."""
    now = f"{datetime.now(UTC).astimezone():%Y-%m-%d %H:%M}"
    answer = system.machine.run("timedatectl", "show", "-p", "NTPSynchronized", "--value")
    match answer:
        case "yes":
            return ok(Message("%(when)s, set from the network", when=now))
        case "no":
            return warning(CLOCK_UNSET, now)
        case _:
            return skipped(Message("%(when)s; timedatectl does not tell", when=now))
