"""`traykeeper bench start`: from the command to the page, beside a Python that only loads libraries."""

import socket
import subprocess
import sys
from contextlib import closing
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from urllib.request import urlopen

import click

from device.errors import UsageError

LIBRARIES = "import cv2, flask, gpiozero, numpy"
PLAY = "from device.cli import main; main()"
PATIENCE_S = 60.0
POLL_S = 0.01


def start(runs: int) -> None:
    """Print the medians; the first start, which may compile, is not counted."""
    times_s = [(_page_s(), _libraries_s()) for _ in range(runs + 1)][1:]
    page_s, libraries_s = (median(each) for each in zip(*times_s, strict=True))
    click.echo(
        f"play to page: median {page_s:.2f} s of {runs}; "
        f"Python with its libraries alone {libraries_s:.2f} s"
    )


def _libraries_s() -> float:
    start_s = perf_counter()
    subprocess.run([sys.executable, "-c", LIBRARIES], check=True)  # noqa: S603 - ours
    return perf_counter() - start_s


def _page_s() -> float:
    port = _free_port()
    with TemporaryDirectory() as state:
        options = ["--camera", "sim", "--host", "127.0.0.1", "--port", str(port), "--state", state]
        start_s = perf_counter()
        process = subprocess.Popen(  # noqa: S603 - ours
            [sys.executable, "-c", PLAY, "play", *options], stdout=subprocess.DEVNULL
        )
        try:
            _until_answered(process, port, start_s + PATIENCE_S)
            return perf_counter() - start_s
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
