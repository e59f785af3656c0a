"""`traykeeper bench start`: how soon commands answer, and what a tray at rest takes.

From `play` to its page, and at rest, beside the libraries alone; `keeps`, beside a Python that does nothing.
"""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from urllib.request import urlopen

import click

from device.bench.processes import OWN, can_tell, cpu_s, memory_mb
from device.errors import UsageError

LIBRARIES = "import cv2, flask, gpiozero, numpy"
COMMAND = "from device.cli import main; main()"
PATIENCE_S = 60.0
POLL_S = 0.01
SETTLED_S = 5.0
"""After the page is up all is loaded that is loaded beside playing."""


def start(runs: int, rest_s: float) -> None:
    """Print the medians, and what it takes in so many seconds while nobody throws."""
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
    _tell_rest(rest_s)


def _tell_rest(rest_s: float) -> None:
    if not can_tell():
        click.echo("at rest: not measured, Linux alone says what a process takes")
        return
    with _playing() as game, _waiting() as libraries:
        sleep(SETTLED_S)
        before_s = cpu_s(game)
        sleep(rest_s)
        share = (cpu_s(game) - before_s) / rest_s
        click.echo(
            f"at rest: {100 * share:.1f} % of a core in {rest_s:g} s, "
            f"{memory_mb(game, OWN):.0f} MB of its own; libraries alone {memory_mb(libraries, OWN):.0f} MB"
        )


@contextmanager
def _waiting() -> Iterator[int]:
    """A Python with the libraries that does nothing."""
    process = subprocess.Popen(  # noqa: S603 - ours
        [sys.executable, "-c", f"{LIBRARIES}; input()"], stdin=subprocess.PIPE
    )
    try:
        yield process.pid
    finally:
        process.communicate(b"\n")


def _medians(runs: int, *ways: Callable[[], float]) -> tuple[float, ...]:
    """Of each way, taken by turns; the first time, which may compile, is not counted."""
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
    """`play` whose page is up: its process."""
    port = _free_port()
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


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port: int = server.getsockname()[1]
    return port


def _until_answered(process: subprocess.Popen[bytes], port: int, until_s: float) -> None:
    while perf_counter() < until_s and process.poll() is None:
        try:
            with urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S) as answer:
                answer.read()
        except OSError:
            sleep(POLL_S)
        else:
            return
    raise UsageError("the page did not come up: does `traykeeper play --camera sim` start?")
