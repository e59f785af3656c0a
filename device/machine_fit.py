"""What suits this machine: how large the pictures, how many threads of the reader, how many looks, what memory.

`traykeeper bench fit` measures it and can keep it beside the matches; `auto` in the settings takes
what was kept, else goes by the machine's memory.
"""

import json
import os
from contextlib import suppress
from ctypes import CDLL
from dataclasses import asdict, dataclass
from pathlib import Path

from device.errors import UsageError
from device.files import write_atomically
from game.errors import quoted

FILE = "fit.json"
AUTO = "auto"
SMALL_MB = 1000
"""Below it is a Zero 2 W or a Pi 3: four pictures of 2304x1296 are a tenth of its memory."""

WIDTHS_PX = (2304, 1536, 1152)
"""A die of 16 mm from 30 cm is 95, 63, 47 pixels wide; below 40 pips begin to run together."""

MAX_READINGS = 4

M_ARENA_MAX = -8
"""Of glibc's malloc.h."""

ARENAS = 2
"""Of the reader and of the page; as many as usual, eight for each core, held some 150 MB more beside 500 streams."""

BOUNDS = {"picture": (640, 4608), "threads": (1, 64), "looks": (1, MAX_READINGS)}
"""What may be set, from and to."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How the reader works.

    Attributes:
        picture_px: width of the pictures that are read, at most.
        threads: of the reader; 0 takes as many as there are cores.
        looks: readings of one throw that must agree.
    """

    picture_px: int = WIDTHS_PX[0]
    threads: int = 0
    looks: int = 2


DEFAULT_FIT = Fit()


def default_fit(cores: int | None = None, memory_mb: float | None = None) -> Fit:
    """By memory alone, where nothing was measured: a core of a small machine is left to the page.

    >>> default_fit(cores=4, memory_mb=416)
    Fit(picture_px=1536, threads=3, looks=2)
    >>> default_fit(cores=4, memory_mb=3800) == DEFAULT_FIT
    True
    """
    if (total_memory_mb() if memory_mb is None else memory_mb) >= SMALL_MB:
        return DEFAULT_FIT
    return Fit(WIDTHS_PX[1], max(1, (cores or os.cpu_count() or 1) - 1))


def load(state: Path) -> Fit | None:
    """What was measured here and kept; None where there is none, or it does not hold."""
    with suppress(OSError, ValueError, TypeError, RecursionError):
        fit = Fit(**json.loads((state / FILE).read_text("utf-8")))
        numbers = (fit.picture_px, fit.threads, fit.looks)
        if all(isinstance(n, int) for n in numbers) and fit.picture_px > 0 and fit.looks > 0:
            return fit
    return None


def save(fit: Fit, state: Path) -> Path:
    """Write it down for `auto`; gives where.

    Raises:
        OSError: it cannot be written.
    """
    write_atomically(state / FILE, json.dumps(asdict(fit)) + "\n")
    return state / FILE


def from_settings(picture: str, threads: str, looks: str, state: Path) -> Fit:
    """What the settings say; each of them `auto`, or a number.

    Raises:
        UsageError: one is neither.
    """
    auto = load(state) or default_fit()
    return Fit(
        parse_number("picture", picture) or auto.picture_px,
        parse_number("threads", threads) or auto.threads,
        parse_number("looks", looks) or auto.looks,
    )


def parse_number(name: str, said: str) -> int | None:
    """A setting as a number of `BOUNDS`; None where it is `auto`.

    Raises:
        UsageError: it is neither.
    """
    if said == AUTO:
        return None
    low, high = BOUNDS[name]
    if said.isascii() and said.isdecimal() and low <= int(said) <= high:
        return int(said)
    raise UsageError(f'{name} is {quoted(said)}: take "auto", or "{low}" to "{high}"')


def total_memory_mb() -> float:
    """What this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**2


def limit_malloc_arenas() -> None:
    """All threads of this process: glibc gives each some of its own, and keeps what they let go.

    Best before they start; where the C library is another, nothing changes.
    """
    with suppress(OSError, AttributeError, TypeError):
        CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
