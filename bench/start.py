"""`traykeeper bench start`: measure how soon commands answer, and the load of `play` while nobody throws."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from urllib.request import urlopen

import click

from bench.processes import ANONYMOUS, cpu_s, free_port, has_proc, memory_mb
from device.commands.options import FiniteRange
from device.errors import UsageError

LIBRARIES = "import cv2, flask, gpiozero, numpy"
COMMAND = "from device.cli import main; main()"
PATIENCE_S = 60.0
POLL_S = 0.01
SETTLED_S = 5.0
"""Time allowed for loading everything else in the background after the page first answers."""


@click.command("start")
@click.option("--runs", type=click.IntRange(1, 1_000), default=5, help="Number of starts.")
@click.option(
    "--rest",
    "rest_s",
    type=FiniteRange(1, 3600),
    default=20.0,
    help="Seconds for which the idle load is measured.",
)
def command(runs: int, rest_s: float) -> None:
    """Measure the time from the start of `play` until its page answers, the idle load of `play`, and the time of `keeps`.

    `play` is compared with a Python process that only imports the libraries, `keeps` with one that does
    nothing.

    \b
    traykeeper bench start
    """
    page_s, libraries_s = _medians(runs, _page_s, lambda: _python_s(LIBRARIES))
    click.echo(
        f"play to page: median {page_s:.2f} s of {runs}; "
        f"Python with its libraries alone {libraries_s:.2f} s"
    )
    keeps_s, nothing_s = _medians(
        runs, lambda: _python_s(COMMAND, "keeps", "1", "1", "5"), lambda: _python_s("pass")
    )
    click.echo(
        f"keeps 1 1 5: median {1000 * keeps_s:.0f} ms of {runs}; python -c pass "
        f"{1000 * nothing_s:.0f} ms: {keeps_s / nothing_s:.1f} times as long"
    )
    _print_idle_load(rest_s)


def _print_idle_load(rest_s: float) -> None:
    if not has_proc():
        click.echo("at rest: not measured, because only Linux reports the load of a process")
        return
    with _playing() as game, _idle_python() as libraries:
        sleep(SETTLED_S)
        before_s = cpu_s(game)
        sleep(rest_s)
        share = (cpu_s(game) - before_s) / rest_s
        click.echo(
            f"at rest: {100 * share:.1f} % of a core in {rest_s:g} s, "
            f"{memory_mb(game, ANONYMOUS):.0f} MB of its own; "
            f"libraries alone {memory_mb(libraries, ANONYMOUS):.0f} MB"
        )


@contextmanager
def _idle_python() -> Iterator[int]:
    """Run a Python process that imports the libraries and then waits; yield its process ID."""
    process = subprocess.Popen(  # noqa: S603 - ours
        [sys.executable, "-c", f"{LIBRARIES}; input()"], stdin=subprocess.PIPE
    )
    try:
        yield process.pid
    finally:
        process.communicate(b"\n")


def _medians(runs: int, *ways: Callable[[], float]) -> tuple[float, ...]:
    """Call timing functions in turn, `runs` times each, and return the median time of each function.

    A first round is not counted, because Python may compile files in it.
    """
    times_s = [tuple(way() for way in ways) for _ in range(runs + 1)][1:]
    return tuple(median(each) for each in zip(*times_s, strict=True))


def _python_s(code: str, *words: str) -> float:
    start_s = perf_counter()
    subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", code, *words], stdout=subprocess.DEVNULL, check=True
    )
    return perf_counter() - start_s


def _page_s() -> float:
    start_s = perf_counter()
    with _playing():
        return perf_counter() - start_s


@contextmanager
def _playing() -> Iterator[int]:
    """Run `play` and wait for its page; yield the process ID."""
    port = free_port()
    with TemporaryDirectory() as state:
        options = ["--camera", "sim", "--host", "127.0.0.1", "--port", str(port), "--state", state]
        process = subprocess.Popen(  # noqa: S603 - ours
            [sys.executable, "-c", COMMAND, "play", *options], stdout=subprocess.DEVNULL
        )
        try:
            _until_answered(process, port, perf_counter() + PATIENCE_S)
            yield process.pid
        finally:
            process.terminate()
            process.wait()


def _until_answered(process: subprocess.Popen[bytes], port: int, until_s: float) -> None:
    while perf_counter() < until_s and process.poll() is None:
        try:
            with urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S) as answer:
                answer.read()
        except OSError:
            sleep(POLL_S)
        else:
            return
    raise UsageError("the page did not answer: check that `traykeeper play --camera sim` starts")
