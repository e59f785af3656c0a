"""`traykeeper bench fit`: a minute of measuring, then what to expect here and what to set."""

import os
import resource
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import cv2

from device import machine_fit as fits
from device.app import PlayOptions, serving
from device.bench.staged_throw import StagedThrow
from device.bench.vision import median_ms
from device.bench.web import watched
from device.files import as_owner_of
from device.machine_fit import Fit
from device.settings import Settings
from game.commands import StartMatch
from vision import read

READS = 5
PHONES, SECONDS = 10, 10
PATIENCE_S = 1.5
"""From the press to the reading, of those who press at once; longer, and people press again."""

SOON_S = 0.5
"""In which the last phone should have been told."""

MANY = 100
"""More are not served at once."""

FRAME_S = 1 / 15
"""Until a picture comes that was exposed after it was asked for."""

BESIDE_MB = 130
"""For the system without a desktop, 100 as others tell, and the coach's solver, 30 in docs/hardware.md."""

BUFFERS, CHANNELS = 4, 3
"""Pictures that a camera holds, and bytes of each pixel."""

FEWER = 0.9
"""Of the time: less is gained by another thread, and the page wants a core, too."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured.

    Attributes:
        reads_s: seconds of a read with the table known, by width and threads.
        phone_s: how much later the last is told, for each phone.
        peaks_mb: what playing held at most, by the width of the pictures that are read.
        memory_mb: what this machine has.
    """

    reads_s: dict[tuple[int, int], float]
    phone_s: float
    peaks_mb: dict[int, float]
    memory_mb: float

    def press_s(self, fit: Fit) -> float:
        """What a throw takes once it lies still, whether it is pressed for or read ahead."""
        return fit.looks * (FRAME_S + self.reads_s[fit.picture_px, fit.threads])

    def needs_mb(self, width_px: int) -> float:
        """With the camera's own buffers."""
        buffers_mb = BUFFERS * CHANNELS * width_px * width_px * 9 / 16 / 1024**2
        return self.peaks_mb[width_px] + buffers_mb

    def has_room(self, width_px: int) -> bool:
        """For pictures so wide, beside everything else."""
        return self.needs_mb(width_px) + BESIDE_MB <= self.memory_mb

    @property
    def phones(self) -> int:
        return round(SOON_S / self.phone_s)


def fit(state: Path | None) -> None:
    """Measure and tell; keep it in `state` where that is named."""
    phone_s = _phone_s()
    reads_s, peaks_mb = _reads()
    measured = Measured(reads_s, phone_s, peaks_mb, fits.memory_mb_here())
    best = choose(measured)
    _tell(measured, best)
    if state is not None:
        with as_owner_of(state):
            kept = fits.keep(best, state)
        click.echo(f"kept in {kept}: settings that are auto go by it at the next start")


def choose(measured: Measured) -> Fit:
    """The largest pictures and most looks that have room and are read in time; else what is quickest."""
    least = fits.WIDTHS_PX[-1]
    widths = [px for px in fits.WIDTHS_PX if measured.has_room(px)] or [least]
    tried = [replace(_quickest(measured, width_px), looks=2) for width_px in widths]
    once = replace(_quickest(measured, least), looks=1)
    in_time = (fit for fit in (*tried, once) if measured.press_s(fit) <= PATIENCE_S)
    return next(in_time, once)


def _quickest(measured: Measured, width_px: int) -> Fit:
    """With as few threads as take hardly longer."""
    best = Fit(width_px, 1)
    for threads in sorted({t for width, t in measured.reads_s if width == width_px}):
        more = Fit(width_px, threads)
        if measured.press_s(more) < FEWER * measured.press_s(best):
            best = more
    return best


def _reads() -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """Seconds of each read, and the memory so far after each width: small pictures come first."""
    whole = StagedThrow.of()
    reads_s, peaks_mb = {}, {}
    for width_px in sorted(fits.WIDTHS_PX):
        throw = whole.sized(width_px)
        work = partial(read, throw.image, throw.tray, known=throw.known())
        for threads in sorted({1, 2, os.cpu_count() or 1}):
            cv2.setNumThreads(threads)
            reads_s[width_px, threads] = median_ms(work, READS) / 1000
        peaks_mb[width_px] = _peak_mb()
    return reads_s, peaks_mb


def _phone_s() -> float:
    """What one more phone costs: how late the last of some is told, by their number."""
    with TemporaryDirectory() as state:
        options = PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state, seed=1)
        with serving(options) as (companion, server):
            companion.do(StartMatch(("Anna", "Ben")))
            return watched(companion, server, PHONES, SECONDS).median_ms / 1000 / PHONES


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _tell(measured: Measured, best: Fit) -> None:
    stopped_s = measured.press_s(best) + Settings().still_s
    phones = f"{measured.phones}" if measured.phones <= MANY else f"more than {MANY}"
    for line in (
        f"press to reading: {stopped_s:.1f} s after the dice stopped, at once if they lay so long",
        f"phones: {phones} are told within {SOON_S:g} s",
        _memory(measured, best),
        f'what suits it: picture = "{best.picture_px}", threads = "{best.threads}", looks = "{best.looks}"',
    ):
        click.echo(line)
    _table(measured)


def _memory(measured: Measured, best: Fit) -> str:
    """What it takes with that picture, and whether larger ones were left out for it."""
    says = (
        f"memory: {measured.needs_mb(best.picture_px):.0f} MB at most for playing, with the camera,"
        f" and {BESIDE_MB} beside it, of {measured.memory_mb:.0f} MB"
    )
    if not measured.has_room(best.picture_px):
        return f"{says}: too little, switch off what else runs here"
    if not measured.has_room(fits.WIDTHS_PX[0]):
        return f"{says}: larger pictures have no room"
    return says


def _table(measured: Measured) -> None:
    numbers = _threads(measured)
    heads = (f"{n} thread{'s' * (n > 1)}" for n in numbers)
    click.echo(f"\n{'picture':<10}" + "".join(f"{head:>12}" for head in heads) + f"{'memory':>12}")
    for width_px in fits.WIDTHS_PX:
        cells = "".join(f"{measured.reads_s[width_px, n]:>10.2f} s" for n in numbers)
        click.echo(f"{width_px:<10}{cells}{measured.needs_mb(width_px):>9.0f} MB")


def _threads(measured: Measured) -> list[int]:
    return sorted({threads for _, threads in measured.reads_s})
