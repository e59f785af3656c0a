"""`traykeeper bench press`: measure the time from a button press until a phone gets the reading."""

import json
import statistics
from collections.abc import Callable
from http.client import HTTPConnection, HTTPResponse
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import click

from device.app import PlayOptions, serving
from device.bench import median_ms
from device.cameras.simulated.tray import SimulatedTray
from device.companion import Companion
from device.settings import Settings
from game.commands import Press, StartMatch, ThrowSimulatedDice
from game.situation import Situation
from vision import read

ROLL_S = 0.6
"""Duration of a roll in seconds: the shortest that is reliably noticed."""

SETTLED_S = 2.0
"""Time from a throw until the dice have come to rest and have been read in advance."""


@click.command("press")
@click.option("--runs", type=click.IntRange(1, 1_000), default=20, help="Number of presses.")
def command(runs: int) -> None:
    """Measure the milliseconds from a press until the reading arrives in a phone's event stream.

    Half of the presses are made when the dice are at rest, the other half right after a throw.

    \b
    traykeeper bench press
    """
    with TemporaryDirectory() as state:
        options = PlayOptions(
            camera="sim", host="127.0.0.1", port=0, state=state, roll_s=ROLL_S, seed=1
        )
        with serving(options) as (companion, server):
            at_rest_ms = _press_times_ms(companion, server.port, runs, SETTLED_S)
            thrown_ms = _press_times_ms(companion, server.port, runs, 0.0)
    read_ms = median_ms(_reader(), 10)
    roll_and_rest_s = ROLL_S + Settings().still_s
    click.echo(
        f"press to phone: dice at rest {_spread(at_rest_ms)}; dice just thrown {_spread(thrown_ms)}, "
        f"which includes {1000 * roll_and_rest_s:.0f} ms until they have rolled and come to rest; "
        f"two readings alone {2 * read_ms:.0f} ms"
    )


def _spread(times_ms: list[float]) -> str:
    return f"median {statistics.median(times_ms):.0f} ms, slowest {max(times_ms):.0f} ms of {len(times_ms)}"


def _reader() -> Callable[[], object]:
    tray = SimulatedTray(seed=1, roll_s=0)
    tray.throw_all()
    image = tray.capture().image
    return lambda: read(image, tray.tray, aside=tray.aside)


def _press_times_ms(companion: Companion, port: int, runs: int, wait_s: float) -> list[float]:
    """Throw the dice and press the button many times; return how long each reading took to reach a phone.

    `wait_s` is the time from each throw to the press that follows it.
    """
    companion.do(StartMatch(("Anna", "Ben")))
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/api/v1/events")
    stream = connection.getresponse()
    times_ms = []
    for _ in range(runs):
        companion.do(ThrowSimulatedDice())
        sleep(wait_s)
        before, start_s = companion.snapshot().version, perf_counter()
        companion.do(Press())
        _wait_for_reading(stream, before)
        times_ms.append((perf_counter() - start_s) * 1000)
    connection.close()
    return times_ms


def _wait_for_reading(stream: HTTPResponse, version: int) -> None:
    """Wait for a snapshot newer than this version in which the companion no longer waits for still dice."""
    while True:
        line = stream.readline()
        if not line.startswith(b"data:"):
            continue
        state = json.loads(line[5:])
        if state["version"] > version and state["situation"] != Situation.WAITING:
            return
