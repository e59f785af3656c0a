"""`traykeeper bench`: times, each beside a reference in the same run."""

import json
import statistics
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import click
import cv2
import numpy as np

from device.camera import Image
from device.cameras.simulated import SimulatedTray
from device.companion import Companion
from device.play import Options, serving
from vision import read

SIZES = ((1536, 864), (640, 480))


def vision(runs: int) -> None:
    """A read, and one pass of blur, Otsu and contours, on the same frames, one thread."""
    cv2.setNumThreads(1)
    tray = SimulatedTray(seed=1, roll_s=0)
    tray.throw_all()
    frame = tray.capture().image
    click.echo(
        f"{'picture':<12}{'read ms':>10}{'pass ms':>10}{'ratio':>8}   six dice, median of {runs}"
    )
    for size in SIZES:
        image = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
        read_ms = _median_ms(partial(read, image), runs)
        pass_ms = _median_ms(partial(_reference_pass, image), runs)
        name = f"{size[0]}x{size[1]}"
        click.echo(f"{name:<12}{read_ms:>10.1f}{pass_ms:>10.1f}{read_ms / pass_ms:>8.1f}")


def _reference_pass(image: Image) -> None:
    """What any contour-based reader does at least."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    _, mask = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)


def _median_ms(work: Callable[[], object], runs: int) -> float:
    work()
    times = []
    for _ in range(runs):
        start_s = perf_counter()
        work()
        times.append(perf_counter() - start_s)
    return statistics.median(times) * 1000


def press(runs: int) -> None:
    """From letting go of the button over a still tray to the snapshot on a phone's stream."""
    with TemporaryDirectory() as state:
        options = Options(camera="sim", host="127.0.0.1", port=0, state=state, roll_s=0.1, seed=1)
        with serving(options) as (companion, server):
            times_ms = _press_times_ms(companion, server.port, runs)
    read_ms = _median_ms(_reader(), 10)
    click.echo(
        f"press to phone: median {statistics.median(times_ms):.0f} ms, "
        f"slowest {max(times_ms):.0f} ms of {runs}; two reads of it alone {2 * read_ms:.0f} ms"
    )


def _reader() -> Callable[[], object]:
    tray = SimulatedTray(seed=1, roll_s=0)
    tray.throw_all()
    image = tray.capture().image
    return lambda: read(image, tray.tray, aside=tray.aside)


def _press_times_ms(companion: Companion, port: int, runs: int) -> list[float]:
    companion.new_match(("Anna", "Ben"))
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/v1/events")
    stream = connection.getresponse()
    times_ms = []
    for _ in range(runs):
        companion.throw()
        sleep(1.0)  # rolls 0.1 s, lies still for 0.4 s
        start_s = perf_counter()
        companion.pressed()
        _next_reading(stream)
        times_ms.append((perf_counter() - start_s) * 1000)
    connection.close()
    return times_ms


def _next_reading(stream: HTTPResponse) -> None:
    """Wait until the stream tells of a state that is not waiting any more."""
    waited = False
    while True:
        line = stream.readline()
        if not line.startswith(b"data:"):
            continue
        waiting = json.loads(line[5:])["situation"] == "waiting for stillness"
        if waited and not waiting:
            return
        waited = waited or waiting
