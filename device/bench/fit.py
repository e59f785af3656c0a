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
from device.machine_fit import Fit
from device.settings import Settings
from game.commands import StartMatch
from vision import read

READS = 5
PHONES, SECONDS = 10, 10
PATIENCE_S = 1.5
"""From the press to the reading; longer, and people press again."""

SOON_S = 0.5
"""In which the last phone should have been told."""

MANY = 100
"""More are not served at once."""

FRAME_S = 1 / 15
"""Until a picture comes that was exposed after it was asked for."""

FEWER = 0.9
"""Of the time: less is gained by another thread, and the page wants a core, too."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured; reads in seconds by width and threads, the slowest of what was asked."""

    reads_s: dict[tuple[int, int], float]
    phone_s: float
    peak_mb: float
    memory_mb: float

    def press_s(self, fit: Fit) -> float:
        """From the press on a tray that lies still already."""
        return fit.looks * (FRAME_S + self.reads_s[fit.picture_px, fit.threads])

    @property
    def phones(self) -> int:
        return round(SOON_S / self.phone_s)


def fit(state: Path | None) -> None:
    """Measure and tell; keep it in `state` where that is named."""
    measured = Measured(_reads_s(), _phone_s(), _peak_mb(), fits.memory_mb_here())
    best = choose(measured)
    _tell(measured, best)
    if state is not None:
        click.echo(
            f"kept in {fits.keep(best, state)}: settings that are auto go by it at the next start"
        )


def choose(measured: Measured) -> Fit:
    """The largest pictures and most looks that are read in time; else what is quickest."""
    tried = [
        replace(_quickest(measured, width_px), looks=looks)
        for looks, widths in ((2, fits.WIDTHS_PX), (1, fits.WIDTHS_PX[-1:]))
        for width_px in widths
    ]
    in_time = (fit for fit in tried if measured.press_s(fit) <= PATIENCE_S)
    return next(in_time, tried[-1])


def _quickest(measured: Measured, width_px: int) -> Fit:
    """With as few threads as take hardly longer."""
    best = Fit(width_px, 1)
    for threads in sorted({t for width, t in measured.reads_s if width == width_px}):
        more = Fit(width_px, threads)
        if measured.press_s(more) < FEWER * measured.press_s(best):
            best = more
    return best


def _reads_s() -> dict[tuple[int, int], float]:
    whole = StagedThrow.of()
    reads_s = {}
    for threads in sorted({1, 2, os.cpu_count() or 1}):
        cv2.setNumThreads(threads)
        for width_px in fits.WIDTHS_PX:
            throw = whole.sized(width_px)
            work = partial(read, throw.image, throw.tray)
            reads_s[width_px, threads] = median_ms(work, READS) / 1000
    return reads_s


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
    lying_s = measured.press_s(best)
    stopped_s = lying_s + Settings().still_s
    phones = f"{measured.phones}" if measured.phones <= MANY else f"more than {MANY}"
    for line in (
        f"press to reading: {lying_s:.1f} s on dice that lie, {stopped_s:.1f} s on dice just stopped",
        f"phones: {phones} are told within {SOON_S:g} s",
        f"memory: {measured.peak_mb:.0f} MB at most for playing, of {measured.memory_mb:.0f} MB",
        f'what suits it: picture = "{best.picture_px}", threads = "{best.threads}", looks = "{best.looks}"',
    ):
        click.echo(line)
    click.echo(f"\n{'picture':<10}" + "".join(f"{f'{n} threads':>12}" for n in _threads(measured)))
    for width_px in fits.WIDTHS_PX:
        cells = (f"{measured.reads_s[width_px, n]:>10.2f} s" for n in _threads(measured))
        click.echo(f"{width_px:<10}" + "".join(cells))


def _threads(measured: Measured) -> list[int]:
    return sorted({threads for _, threads in measured.reads_s})
