"""`traykeeper bench`: times, each beside a reference in the same run."""

import json
import statistics
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import click

from device.app import PlayOptions, serving
from device.bench.vision import median_ms
from device.cameras.simulated.tray import SimulatedTray
from device.companion import Companion
from game.commands import Press, StartMatch, ThrowDice
from vision import read


def press(runs: int) -> None:
    """From letting go of the button over a still tray to the snapshot on a phone's stream."""
    with TemporaryDirectory() as state:
        options = PlayOptions(
            camera="sim", host="127.0.0.1", port=0, state=state, roll_s=0.1, seed=1
        )
        with serving(options) as (companion, server):
            times_ms = _press_times_ms(companion, server.port, runs)
    read_ms = median_ms(_reader(), 10)
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
    companion.do(StartMatch(("Anna", "Ben")))
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/v1/events")
    stream = connection.getresponse()
    times_ms = []
    for _ in range(runs):
        companion.do(ThrowDice())
        sleep(1.0)  # rolls 0.1 s, lies still for 0.4 s
        start_s = perf_counter()
        companion.do(Press())
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
