"""`traykeeper bench web`: measure the delay until the last of many phones receives a change, and the memory used."""

import os
from tempfile import TemporaryDirectory

import click

from bench.processes import RESIDENT, has_proc, memory_mb
from device.app import PlayOptions, serving
from device.bench import connected_phones, measure_delays, peak_mb
from game.commands import StartMatch


@click.command("web")
@click.option(
    "--phones", type=click.IntRange(1, 120), default=100, help="Number of open event streams."
)
@click.option(
    "--seconds",
    type=click.IntRange(2, 3600),
    default=120,
    help="Duration, with one action a second.",
)
def command(phones: int, seconds: int) -> int:
    """Measure the delay until the last of many phones receives an action; exit with status 1 if a phone misses one.

    \b
    traykeeper bench web
    traykeeper bench web --phones 20 --seconds 30
    """
    with TemporaryDirectory() as state:
        options = PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state, seed=1)
        with serving(options) as (companion, server):
            companion.do(StartMatch(("Anna", "Ben")))
            with connected_phones(server.port, phones, timeout_s=seconds + 60) as connected:
                before_mb = _memory_mb()
                delays = measure_delays(companion, connected, seconds)
                after_mb = _memory_mb()
    click.echo(
        f"action to the last of {phones} phones: median {delays.median_ms:.0f} ms, "
        f"99th percentile {delays.p99_ms:.0f} ms, slowest {max(delays.last_ms, default=0):.0f} ms "
        f"of {delays.actions}; {delays.missed} snapshots missed; "
        f"memory {before_mb:.0f} -> {after_mb:.0f} MB"
    )
    return int(delays.missed > 0)


def _memory_mb() -> float:
    """Return the resident memory of this process in MB, or its peak if the system reports only that."""
    if has_proc():
        return memory_mb(os.getpid(), RESIDENT)
    return peak_mb()
