"""`traykeeper bench vision`: measure how fast pictures are read, and draw those that are read wrongly."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import click
import cv2

from device.bench import StagedThrow, median_ms, medians_ms
from device.cameras.base import Image
from device.errors import UsageError
from vision import read
from vision.annotate import annotate
from vision.dataset import Case, Outcome, load_cases
from vision.images import ImageError, load
from vision.networks import installed_engines, use_engine
from vision.reading import Reading

WIDTH, HEIGHT = 360, 260
CHARTS_PER_ROW = 2
COLOURS = ("#0b7285", "#e8590c")
AXIS_X, AXIS_Y, X_LENGTH, Y_LENGTH = 50, 210, 295, 190
"""The position of the corner where the axes begin, and the lengths of the axes."""
ABOVE, BELOW = -8, 16
"""Vertical offset of a line's name from the end of the line."""
OVERLAP = 24
"""If two lines end closer together than this, the name of the lower one goes below it."""

Points = Sequence[tuple[float, float]]

TIMED_PX = (1536, 640)
WIDTHS_PX = (640, 960, 1280, 1536, 2304, 3072, 4056)
DRAWN_FILES = "[0-9][0-9][0-9]-*-is-*.jpg"
WORST_FIRST = (Outcome.SILENT, Outcome.ASKED)


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart with one or two lines.

    Attributes:
        label: Text below the horizontal axis.
        unit: Unit of the vertical axis.
        lines: Points of each line, by the name of the line.
        most: Upper end of the vertical axis. None leaves a little room above the highest point.
    """

    label: str
    unit: str
    lines: dict[str, Points]
    most: float | None = None

    def svg(self) -> str:
        """Return the axes and lines as SVG elements."""
        most_x = max(x for points in self.lines.values() for x, _ in points) or 1.0
        most_y = self.most or max(y for points in self.lines.values() for _, y in points) * 1.1
        ends = {name: Y_LENGTH * points[-1][1] / most_y for name, points in self.lines.items()}
        low = min(ends, key=ends.__getitem__)
        overlaps = len(ends) > 1 and max(ends.values()) - ends[low] < OVERLAP
        drawn = self._axes(most_x, most_y)
        for colour, (name, points) in zip(COLOURS, self.lines.items(), strict=False):
            spots = [
                (AXIS_X + X_LENGTH * x / most_x, AXIS_Y - Y_LENGTH * y / most_y) for x, y in points
            ]
            drawn += _line(name, spots, colour, BELOW if overlaps and name == low else ABOVE)
        return drawn

    def _axes(self, most_x: float, most_y: float) -> str:
        right = AXIS_X + X_LENGTH
        end = f"{most_x:.0f}" if float(most_x).is_integer() else f"{most_x:.3g}"
        return (
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
            f'<path d="M{AXIS_X} {AXIS_Y - Y_LENGTH}V{AXIS_Y}H{right}" fill="none" stroke="#495057"/>'
            f'<text x="197" y="248" text-anchor="middle">{self.label}</text>'
            f'<text x="{right}" y="226" text-anchor="end">{end}</text>'
            f'<text x="{AXIS_X}" y="14">{most_y:.0f} {self.unit}</text>'
        )


def _line(name: str, spots: Points, colour: str, name_offset: int) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    x, y = spots[-1]
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{x:.0f}" y="{y + name_offset:.0f}" text-anchor="end" fill="{colour}">{name}</text>'
    )


def drawing(charts: Sequence[LineChart]) -> str:
    """Return the text of an SVG file that shows the charts, two side by side."""
    rows = -(-len(charts) // CHARTS_PER_ROW)
    placed = [
        f'<g transform="translate({WIDTH * (k % CHARTS_PER_ROW)} {HEIGHT * (k // CHARTS_PER_ROW)})">'
        f"{chart.svg()}</g>"
        for k, chart in enumerate(charts)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * CHARTS_PER_ROW} {HEIGHT * rows}"'
        f' font-family="sans-serif" font-size="12">{"".join(placed)}</svg>\n'
    )


@click.command("vision")
@click.option(
    "--runs", type=click.IntRange(1, 10_000), default=30, help="Number of readings for each size."
)
@click.option(
    "--threads",
    type=click.IntRange(1, 64),
    default=1,
    help="Number of OpenCV threads for the table of times.",
)
@click.option(
    "--curves", type=click.Path(path_type=Path), help="Draw the curves into this SVG file instead."
)
@click.option(
    "--failures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Read the labelled pictures instead, and draw those that are wrong into this folder, worst first.",
)
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="TRAYKEEPER_PICTURES",
    help="Folder with labelled pictures: photos/ and renders/, or unpacked corrections.",
)
def command(
    runs: int, threads: int, curves: Path | None, failures: Path | None, pictures: Path | None
) -> None:
    """Measure the milliseconds per reading, compared with one pass of blurring, Otsu thresholding and contour finding.

    \b
    traykeeper bench vision --runs 100
    traykeeper bench vision --threads 4
    traykeeper bench vision --curves reading-time.svg
    traykeeper bench vision --failures wrong --pictures labelled
    """
    if failures is not None:
        if pictures is None:
            raise click.UsageError(
                "--failures needs labelled pictures: name their folder with --pictures"
            )
        _draw_failures(pictures, failures)
    elif curves is not None:
        _draw_curves(curves, runs)
    else:
        _print_times(runs, threads)


def _print_times(runs: int, threads: int) -> None:
    cv2.setNumThreads(threads)
    click.echo(
        f"{'picture':<24}{'read ms':>10}{'pass ms':>10}{'ratio':>8}"
        f"   six dice, median of {runs}, {threads} thread{'s' * (threads > 1)}"
    )
    for time in reading_times(TIMED_PX, runs):
        size = f"{time.size[0]}x{time.size[1]}"
        name = ", ".join(filter(None, (size, time.knowledge)))
        times = f"{time.read_ms:>10.1f}{time.pass_ms:>10.1f}{time.passes:>8.1f}"
        click.echo(f"{name:<24}{times}   {time.engine}")


@dataclass(frozen=True, slots=True)
class ReadingTime:
    """The median time of a reading of six dice.

    Attributes:
        size: Width and height of the picture, in pixels.
        knowledge: What is known about the tray; "" if nothing is.
        engine: The library that runs the networks.
        read_ms: Time of a reading, in milliseconds.
        pass_ms: Time of one pass of blur, Otsu's threshold and contours over the same picture, in between.
    """

    size: tuple[int, int]
    knowledge: str
    engine: str
    read_ms: float
    pass_ms: float

    @property
    def passes(self) -> float:
        """Time of the reading as a multiple of the time of a pass."""
        return self.read_ms / self.pass_ms


def reading_times(
    widths_px: Sequence[int], runs: int, clock: Callable[[], float] = perf_counter
) -> Iterator[ReadingTime]:
    """Yield the time of a reading for each width, each engine and each amount of knowledge about the tray.

    Readings and passes alternate, so that both see the same load of the machine.

    Args:
        widths_px: Widths of the pictures, in pixels.
        runs: Number of readings of each kind.
        clock: Clock in seconds.
    """
    staged = StagedThrow.of()
    for throw in map(staged.sized, widths_px):
        image = throw.image
        readers = {
            "": partial(read, image),
            "tray known": partial(read, image, throw.tray),
            "table known": partial(read, image, throw.tray, known=throw.known()),
        }
        reference = partial(_reference_pass, image)
        size = image.shape[1], image.shape[0]
        for engine in installed_engines():
            use_engine(engine)
            for knowledge, reader in readers.items():
                read_ms, pass_ms = medians_ms((reader, reference), runs, clock)
                yield ReadingTime(size, knowledge, engine, read_ms, pass_ms)
        use_engine("opencv")


def _reference_pass(image: Image) -> None:
    """Do the minimum work that any contour-based reader needs, as a reference for the times."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    _, mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)


def _draw_failures(pictures: Path, folder: Path) -> None:
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
    for old in folder.glob(DRAWN_FILES):
        old.unlink()
    for rank, (case, reading) in enumerate(found, 1):
        name = f"{rank:03d}-{case.outcome(reading)}-{case.path.stem}-is-{_digits(case.values)}.jpg"
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


def _draw_curves(path: Path, runs: int) -> None:
    """Draw charts of the processor time of a reading against the size of the picture and against the number of dice."""
    cv2.setNumThreads(1)
    by_pixels, reference, by_dice = [], [], []
    whole = StagedThrow.of()
    for width_px in WIDTHS_PX:
        throw = whole.sized(width_px)
        megapixels = throw.image.shape[0] * width_px / 1e6
        works = partial(read, throw.image, throw.tray), partial(_reference_pass, throw.image)
        read_ms, pass_ms = medians_ms(works, runs, process_time)
        by_pixels.append((megapixels, read_ms))
        reference.append((megapixels, 4 * pass_ms))
    for n_dice in range(1, 13):
        throw = StagedThrow.of(n_dice, seed=n_dice)
        read_ms = median_ms(partial(read, throw.image, throw.tray), runs, process_time)
        by_dice.append((float(n_dice), read_ms))
    charts = [
        LineChart("megapixels of the picture", "ms", {"read": by_pixels, "4 passes": reference}),
        LineChart("dice in the tray, 1536x864", "ms", {"read": by_dice}),
    ]
    path.write_text(drawing(charts), "utf-8")
    click.echo(f"wrote {path}")
