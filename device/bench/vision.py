"""`traykeeper bench vision`: how fast, how that grows, and the pictures that were not right."""

import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

import click
import cv2

from device.bench.line_chart import LineChart, drawing
from device.bench.staged_throw import StagedThrow
from device.cameras.base import Image
from device.errors import UsageError
from vision import read
from vision.annotate import annotate
from vision.dataset import Case, Outcome, load_cases
from vision.images import ImageError, load
from vision.reading import Reading

TIMED_PX = (1536, 640)
WIDTHS = (640, 960, 1280, 1536, 2304, 3072, 4056)
DRAWN = "[0-9][0-9][0-9]-*-is-*.jpg"
WORST_FIRST = (Outcome.SILENT, Outcome.ASKED)


def times(runs: int, threads: int = 1) -> None:
    """A read, and one pass of blur, Otsu and contours, on the same frames, with so many threads."""
    cv2.setNumThreads(threads)
    click.echo(
        f"{'picture':<24}{'read ms':>10}{'pass ms':>10}{'ratio':>8}"
        f"   six dice, median of {runs}, {threads} thread{'s' * (threads > 1)}"
    )
    whole = StagedThrow.of()
    for width_px in TIMED_PX:
        _times_of(whole.sized(width_px), runs)


def _times_of(throw: StagedThrow, runs: int) -> None:
    """Three lines: what is known makes a read another one, and a pass stays the same."""
    image = throw.image
    ways = {
        "": partial(read, image),
        ", tray told": partial(read, image, throw.tray),
        ", table known": partial(read, image, throw.tray, known=throw.known()),
    }
    pass_ms = median_ms(partial(_reference_pass, image), runs)
    for told, reads in ways.items():
        read_ms = median_ms(reads, runs)
        name = f"{image.shape[1]}x{image.shape[0]}{told}"
        click.echo(f"{name:<24}{read_ms:>10.1f}{pass_ms:>10.1f}{read_ms / pass_ms:>8.1f}")


def _reference_pass(image: Image) -> None:
    """What any contour-based reader does at least."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    _, mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)


def median_ms(work: Callable[[], object], runs: int) -> float:
    """Of so many runs after one that does not count."""
    work()
    taken = []
    for _ in range(runs):
        start_s = perf_counter()
        work()
        taken.append(perf_counter() - start_s)
    return statistics.median(taken) * 1000


def failures(pictures: Path, folder: Path) -> None:
    """Read the labelled pictures; draw those that were not right, worst first, into `folder`."""
    cv2.setNumThreads(1)
    found: list[tuple[Case, Reading]] = []
    labelled = _labelled(pictures)
    with click.progressbar(labelled, label="Reading") as bar:
        for case in bar:
            reading = read(load(case.path), case.tray)
            is_good_question = case.is_trap and not reading.is_sure
            if case.outcome(reading) is not Outcome.RIGHT and not is_good_question:
                found.append((case, reading))
    found.sort(key=lambda one: WORST_FIRST.index(one[0].outcome(one[1])))
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(DRAWN):
        old.unlink()
    for place, (case, reading) in enumerate(found, 1):
        name = f"{place:03d}-{case.outcome(reading)}-{case.path.stem}-is-{_digits(case.values)}.jpg"
        cv2.imwrite(str(folder / name), annotate(load(case.path), reading))
    silent = sum(case.outcome(reading) is Outcome.SILENT for case, reading in found)
    click.echo(
        f"{len(found)} of {len(labelled)} pictures not right, {silent} of them silently wrong: {folder}"
    )


def _labelled(pictures: Path) -> list[Case]:
    try:
        return load_cases(pictures)
    except ImageError as error:
        raise UsageError(str(error)) from None


def _digits(values: tuple[int, ...]) -> str:
    return "".join(map(str, values)) or "empty"


def curves(path: Path, runs: int) -> None:
    """Draw the time of a read over the pixels of the tray, and over the dice, as an SVG."""
    cv2.setNumThreads(1)
    by_pixels, reference, by_dice = [], [], []
    whole = StagedThrow.of()
    for width_px in WIDTHS:
        throw = whole.sized(width_px)
        megapixels = throw.image.shape[0] * width_px / 1e6
        by_pixels.append((megapixels, median_ms(partial(read, throw.image, throw.tray), runs)))
        reference.append((megapixels, 4 * median_ms(partial(_reference_pass, throw.image), runs)))
    for n_dice in range(1, 13):
        throw = StagedThrow.of(n_dice, seed=n_dice)
        by_dice.append((float(n_dice), median_ms(partial(read, throw.image, throw.tray), runs)))
    charts = [
        LineChart("megapixels of the picture", "ms", {"read": by_pixels, "4 passes": reference}),
        LineChart("dice in the tray, 1536x864", "ms", {"read": by_dice}),
    ]
    path.write_text(drawing(charts), "utf-8")
    click.echo(f"wrote {path}")
