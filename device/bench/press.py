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
from device.settings import Settings
from game.commands import Press, StartMatch, ThrowSimulatedDice
from game.situation import Situation
from vision import read

ROLL_S = 0.6
"""Shorter, and dice are not surely seen to roll."""

LAIN_S = 2.0
"""Since they left the hand: they roll, lie still for as long as they must, and are read ahead."""


def press(runs: int) -> None:
    """From letting go of the button to the snapshot on a phone's stream, over dice that lie and that were just thrown."""
    with TemporaryDirectory() as state:
        options = PlayOptions(
            camera="sim", host="127.0.0.1", port=0, state=state, roll_s=ROLL_S, seed=1
        )
        with serving(options) as (companion, server):
            lying_ms = _press_times_ms(companion, server.port, runs, LAIN_S)
            thrown_ms = _press_times_ms(companion, server.port, runs, 0.0)
    read_ms = median_ms(_reader(), 10)
    stopped_s = ROLL_S + Settings().still_s
    click.echo(
        f"press to phone: on dice that lie {_spread(lying_ms)}; on dice just thrown {_spread(thrown_ms)}, "
        f"of which they roll and are let lie for {1000 * stopped_s:.0f} ms; "
        f"two reads of it alone {2 * read_ms:.0f} ms"
    )


def _spread(times_ms: list[float]) -> str:
    return f"median {statistics.median(times_ms):.0f} ms, slowest {max(times_ms):.0f} ms of {len(times_ms)}"


def _reader() -> Callable[[], object]:
    tray = SimulatedTray(seed=1, roll_s=0)
    tray.throw_all()
    image = tray.capture().image
    return lambda: read(image, tray.tray, aside=tray.aside)


def _press_times_ms(companion: Companion, port: int, runs: int, lain_s: float) -> list[float]:
    companion.do(StartMatch(("Anna", "Ben")))
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/v1/events")
    stream = connection.getresponse()
    times_ms = []
    for _ in range(runs):
        companion.do(ThrowSimulatedDice())
        sleep(lain_s)
        before, start_s = companion.snapshot().version, perf_counter()
        companion.do(Press())
        _wait_for_reading(stream, before)
        times_ms.append((perf_counter() - start_s) * 1000)
    connection.close()
    return times_ms


def _wait_for_reading(stream: HTTPResponse, version: int) -> None:
    """Until the stream tells of a later state that waits for nothing; the one that waits may be left out."""
    while True:
        line = stream.readline()
        if not line.startswith(b"data:"):
            continue
        state = json.loads(line[5:])
        if state["version"] > version and state["situation"] != Situation.WAITING:
            return
