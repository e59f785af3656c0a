"""The settings that depend on this machine: size of the frames, number of threads, readings per throw, and memory.

`traykeeper bench fit` measures which values suit the machine and can save them in the state folder. A setting that is
`auto` takes the saved value. If there is none, it takes a default that depends on the machine's memory.
docs/decisions/small-machines.md explains why nothing is measured at the start.
"""

import json
import logging
import os
from contextlib import suppress
from ctypes import CDLL
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from device.errors import UsageError
from device.files import read_json, write_atomically
from game.errors import quoted

log = logging.getLogger(__name__)

FIT_FILE = "fit.json"
AUTO = "auto"
SMALL_MB = 1000
"""A machine with less memory is small, such as a Zero 2 W or a Pi 3: four frames of 2304x1296 take a tenth of it."""

WIDTHS_PX = (2304, 1536, 1152)
"""Frame widths to choose from. A 16 mm die, 30 cm from the camera, is then 95, 63 or 47 pixels wide.

Below 40 pixels, pips begin to merge.
"""

MAX_READINGS = 4

M_ARENA_MAX = -8
"""Number of the option in glibc's malloc.h."""

ARENAS = 2
"""Number of malloc's memory arenas: one for the reader and one for the pages.

The default of eight per core used 150 MB more with 500 event streams.
"""

BOUNDS = {"picture": (640, 4608), "threads": (1, 64), "burst_frames": (1, MAX_READINGS)}
"""Smallest and largest value of each setting."""


def is_raspberry_pi(root: Path = Path("/")) -> bool:
    """Return whether this machine is a Raspberry Pi.

    Args:
        root: Root folder of the system; the doctor and tests use another one.
    """
    try:
        return "Raspberry Pi" in (root / "proc/device-tree/model").read_text("utf-8", "replace")
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Fit:
    """How the reader uses this machine.

    Attributes:
        picture_px: Largest width of the frames that are read, in pixels.
        threads: Number of threads of the reader; 0 means one for each core.
        burst_frames: Number of readings of one throw that must agree.
    """

    picture_px: int = WIDTHS_PX[0]
    threads: int = 0
    burst_frames: int = 2


DEFAULT_FIT = Fit()


def default_fit(cores: int | None = None, memory_mb: float | None = None) -> Fit:
    """Return the values for a machine that has not been measured, based on its memory.

    On a small machine, one core is left to the pages.

    Args:
        cores: Number of cores; None uses this machine's number.
        memory_mb: Memory in MB; None uses this machine's memory.

    >>> default_fit(cores=4, memory_mb=416)
    Fit(picture_px=1536, threads=3, burst_frames=2)
    >>> default_fit(cores=4, memory_mb=3800) == DEFAULT_FIT
    True
    """
    if (total_memory_mb() if memory_mb is None else memory_mb) >= SMALL_MB:
        return DEFAULT_FIT
    return Fit(WIDTHS_PX[1], max(1, (cores or os.cpu_count() or 1) - 1))


def load(state: Path) -> Fit | None:
    """Return the values that `traykeeper bench fit` has saved in the state folder; None if there are no valid ones."""
    path = state / FIT_FILE
    fit = read_json(path, _parse_fit)
    if fit is None and path.exists():
        log.warning("%s is ignored because it is damaged: run `traykeeper bench fit` again", path)
    return fit


def _parse_fit(data: dict[str, Any]) -> Fit:
    if "looks" in data:  # the name of burst_frames in earlier versions
        data = {"burst_frames": data["looks"]} | {k: n for k, n in data.items() if k != "looks"}
    fit = Fit(**data)
    if not all(isinstance(n, int) for n in astuple(fit)):
        raise TypeError("whole numbers expected")
    if fit.picture_px <= 0 or fit.burst_frames <= 0:
        raise ValueError("positive numbers expected")
    return fit


def save(fit: Fit, state: Path) -> Path:
    """Save values that suit this machine, for settings that are `auto`.

    Args:
        fit: The values.
        state: The state folder.

    Returns:
        Path of the file.

    Raises:
        OSError: If the file cannot be written.
    """
    write_atomically(state / FIT_FILE, json.dumps(asdict(fit)) + "\n")
    return state / FIT_FILE


def from_settings(picture: str, threads: str, burst_frames: str, state: Path) -> Fit:
    """Return the values in the settings, with the saved or default value for each setting that is `auto`.

    Args:
        picture: Largest width of the frames in pixels, as a number or `auto`.
        threads: Number of threads of the reader, as a number or `auto`.
        burst_frames: Number of readings of one throw, as a number or `auto`.
        state: The state folder.

    Raises:
        UsageError: If a setting is neither a number within its bounds nor `auto`.
    """
    auto = load(state) or default_fit()
    return Fit(
        parse_number("picture", picture) or auto.picture_px,
        parse_number("threads", threads) or auto.threads,
        parse_number("burst_frames", burst_frames) or auto.burst_frames,
    )


def parse_number(name: str, text: str) -> int | None:
    """Return the number in a setting, or None if it is `auto`.

    Args:
        name: Name of the setting, a key of `BOUNDS`.
        text: Value of the setting.

    Raises:
        UsageError: If the value is neither a number within the bounds of the setting nor `auto`.
    """
    if text == AUTO:
        return None
    low, high = BOUNDS[name]
    if text.isascii() and text.isdecimal() and low <= int(text) <= high:
        return int(text)
    raise UsageError(f'{name} is {quoted(text)}: use "auto", or "{low}" to "{high}"')


def total_memory_mb() -> float:
    """Return the total memory of this machine, in MB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**2


def limit_malloc_arenas() -> None:
    """Make all threads of this process share their free memory.

    By default, glibc gives each thread its own memory, and keeps the memory that a thread frees for that thread.
    Call this function before other threads start. With another C library, it has no effect.
    """
    with suppress(OSError, AttributeError, TypeError):
        CDLL(None).mallopt(M_ARENA_MAX, ARENAS)


def return_free_memory() -> None:
    """Return memory that this process has freed to the system. With another C library, it has no effect.

    By default, glibc keeps most of it: after an evening of readings, about 50 MB.
    """
    with suppress(OSError, AttributeError, TypeError):
        CDLL(None).malloc_trim(0)
