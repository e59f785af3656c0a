"""The supply voltage of the Pi: the kernel's alarm, and a record of when it last went off.

The kernel reports only the current state: its driver clears the firmware's record of past alarms every two seconds
(drivers/hwmon/raspberrypi-hwmon.c). So the companion keeps its own record, which is valid until the Pi restarts.
"""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from device.files import read_json, write_atomically
from device.threads import DistinctReports, repeated

log = logging.getLogger(__name__)

ALARMS = "sys/class/hwmon/hwmon*/in0_lcrit_alarm"
BOOT_ID = "proc/sys/kernel/random/boot_id"
LOW_VOLTAGE_FILE = "low-voltage.json"

SAMPLE_S = 2.0
"""Interval at which the kernel's driver checks the voltage, in seconds: no alarm is shorter."""


def is_low(root: Path) -> bool | None:
    """Return whether the supply voltage is too low now; None if this machine does not measure it.

    Args:
        root: Root folder of the system.
    """
    alarms = [path.read_text().strip() for path in sorted(root.glob(ALARMS))]
    return "1" in alarms if alarms else None


def last_low(folder: Path, root: Path) -> datetime | None:
    """Return when the supply voltage last became too low since the Pi started; None if it has not, as far as is known.

    Args:
        folder: The state folder.
        root: Root folder of the system.
    """

    def parse(record: Any) -> datetime | None:
        is_this_boot = record["boot"] == _boot_id(root)
        return datetime.fromisoformat(record["when"]) if is_this_boot else None

    return read_json(folder / LOW_VOLTAGE_FILE, parse)


def _boot_id(root: Path) -> str:
    return (root / BOOT_ID).read_text().strip()


@contextmanager
def watched_voltage(folder: Path, root: Path = Path("/")) -> Iterator[None]:
    """Within the block, record when the supply voltage becomes too low, if this machine measures it.

    Args:
        folder: The state folder.
        root: Root folder of the system.
    """
    if is_low(root) is None:
        yield
        return
    with repeated(VoltageWatch(folder, root).sample, SAMPLE_S, "voltage"):
        yield


class VoltageWatch:
    """Records when the supply voltage becomes too low.

    Args:
        folder: The state folder.
        root: Root folder of the system.
        now: Returns the current time.
    """

    def __init__(
        self,
        folder: Path,
        root: Path,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._folder, self._root, self._now = folder, root, now
        self._was_low = False
        self._report = DistinctReports(log.warning)

    def sample(self) -> None:
        """Check the alarm once; if it has gone off since the last check, record the time.

        If the disk is full, the next check tries again.
        """
        try:
            self._sample()
        except OSError as error:
            self._report(f"the supply voltage cannot be recorded: {error}")

    def _sample(self) -> None:
        low = bool(is_low(self._root))
        if low and not self._was_low:
            record = {
                "boot": _boot_id(self._root),
                "when": self._now().isoformat(timespec="seconds"),
            }
            write_atomically(self._folder / LOW_VOLTAGE_FILE, json.dumps(record).encode())
            log.warning("the supply voltage is too low: use the official power supply")
        self._was_low = low
