"""`traykeeper bench vision`: how fast, how that grows, and the pictures that were not right."""

import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

import click
import cv2

from device.bench.staged_throw import StagedThrow
from device.cameras.base import Image
from device.errors import UsageError
from vision import read
from vision.annotate import annotate
from vision.dataset import Case, Outcome, cases
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
        ", table known": partial(read, image, throw.tray, table=throw.known()),
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
            is_good_question = case.trap and not reading.sure
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
        return cases(pictures)
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
    left = _plot("megapixels of the picture", {"read": by_pixels, "4 passes": reference}, 0)
    right = _plot("dice in the tray, 1536x864", {"read": by_dice}, 360)
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 260" font-family="sans-serif"'
        f' font-size="12">{left}{right}</svg>\n',
        "utf-8",
    )
    click.echo(f"wrote {path}")


Points = list[tuple[float, float]]
COLOURS = ("#0b7285", "#e8590c")


def _plot(label: str, lines: dict[str, Points], shift: int) -> str:
    """One chart of 360 x 260: milliseconds upwards."""
    most_x = max(x for points in lines.values() for x, _ in points)
    most_y = max(y for points in lines.values() for _, y in points) * 1.1
    parts = [
        (
            f'<g transform="translate({shift} 0)">'
            '<rect width="360" height="260" fill="white"/>'
            '<path d="M50 20V210H345" fill="none" stroke="#495057"/>'
            f'<text x="197" y="248" text-anchor="middle">{label}</text>'
            f'<text x="345" y="226" text-anchor="end">{most_x:.3g}</text>'
            f'<text x="50" y="14">{most_y:.0f} ms</text>'
        )
    ]
    for colour, (name, points) in zip(COLOURS, lines.items(), strict=False):
        spots = [(50 + 295 * x / most_x, 210 - 190 * y / most_y) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        x, y = spots[-1]
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x:.0f}" y="{y - 8:.0f}" text-anchor="end" fill="{colour}">{name}</text>'
        )
    return "".join(parts) + "</g>"
