"""A simulated throw for timing the reader, at any picture size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Self

from device.cameras.base import Image, scaled
from device.cameras.simulated.tray import SimulatedTray
from vision import Quad, read
from vision.candidates import ENOUGH_LEANS
from vision.known_tray import KnownTray


@dataclass(frozen=True, slots=True, eq=False)
class StagedThrow:
    """An image of dice at rest in the simulated tray, an empty-tray image, and the tray's corners in both."""

    image: Image
    empty: Image
    tray: Quad

    @classmethod
    def of(cls, n_dice: int = 6, seed: int = 1) -> Self:
        """Throw dice in the simulated tray and return the images that its camera takes.

        Args:
            n_dice: Number of dice in the tray.
            seed: Seed for the simulated tray. The same seed gives the same throw.
        """
        tray = SimulatedTray(seed=seed, n_dice=n_dice, roll_s=0)
        empty = tray.capture().image
        tray.throw_all()
        return cls(tray.capture().image, empty, tray.tray)

    def sized(self, width_px: int) -> Self:
        """Return the same throw with images scaled to this width."""
        tray = self.tray.scaled(width_px / self.image.shape[1])
        return type(self)(scaled(self.image, width_px), scaled(self.empty, width_px), tray)

    def known(self) -> KnownTray:
        """Return what a companion knows about this tray once it has seen enough throws to determine the properties of the lens."""
        tray = KnownTray(self.empty)
        for _ in range(ENOUGH_LEANS):
            tray = tray.with_reading(self.image, read(self.image, self.tray, known=tray))
            if len(tray.leans) >= ENOUGH_LEANS:
                break
        return tray


def median_ms(
    work: Callable[[], object], runs: int, clock: Callable[[], float] = perf_counter
) -> float:
    """Return the median time that a function takes, in milliseconds.

    Args:
        work: The function to time. It is called once beforehand, untimed, to warm up.
        runs: Number of calls to time.
        clock: Clock in seconds. `time.process_time` leaves out the time during which other programs run.
    """
    return medians_ms([work], runs, clock)[0]


def medians_ms(
    works: Sequence[Callable[[], object]], runs: int, clock: Callable[[], float] = perf_counter
) -> list[float]:
    """Return the median times that several functions take, in milliseconds.

    The functions are called in turn, so that a machine whose speed changes slows all of them down alike.

    Args:
        works: The functions to compare. Each is called once beforehand, untimed, to warm up.
        runs: Number of calls of each function to time.
        clock: Clock in seconds, as for `median_ms`.
    """
    for work in works:
        work()
    times_s: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for work, times in zip(works, times_s, strict=True):
            start_s = clock()
            work()
            times.append(clock() - start_s)
    return [median(times) * 1000 for times in times_s]
