"""`traykeeper bench web`: many phones watch while one plays; how late is the last of them told?"""

import os
import re
import resource
import socket
import statistics
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from http.client import HTTPConnection
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic, perf_counter, sleep

import click

from device.app import PlayOptions, serving
from device.bench.processes import NOW, can_tell, memory_mb
from device.companion import Companion
from game.commands import EnterThrow, StartMatch, Undo
from web.server import Server

PACE_S = 1.0
GRACE_S = 5.0
DICE = (1, 1, 3, 3, 3, 5)
KB = 1024
_VERSION = re.compile(rb'"version":(\d+)')


@dataclass
class Phone:
    """A stream that is read all the time; `told` is version -> when it came."""

    told: dict[int, float] = field(default_factory=dict)

    def listen(self, connection: HTTPConnection) -> None:
        connection.request("GET", "/api/v1/events")
        for version in _versions(connection):
            self.told[version] = perf_counter()


@dataclass(frozen=True, slots=True)
class PhoneDelays:
    """How it went: for each action that all were told of, when the last of them was."""

    phones: int
    actions: int
    last_ms: list[float]
    missed: int
    before_mb: float
    after_mb: float

    @property
    def median_ms(self) -> float:
        return statistics.median(self.last_ms or [0.0])

    def __str__(self) -> str:
        return (
            f"action to the last of {self.phones} phones: median {self.median_ms:.0f} ms, "
            f"99th percentile {self._p99_ms:.0f} ms, slowest {max(self.last_ms, default=0):.0f} ms "
            f"of {self.actions}; {self.missed} snapshots missed; "
            f"memory {self.before_mb:.0f} -> {self.after_mb:.0f} MB"
        )

    @property
    def _p99_ms(self) -> float:
        if len(self.last_ms) < 2:  # noqa: PLR2004 - no quantiles of one
            return max(self.last_ms, default=0.0)
        return statistics.quantiles(self.last_ms, n=100, method="inclusive")[98]


def _versions(connection: HTTPConnection) -> Iterator[int]:
    try:
        for line in connection.getresponse():
            if found := _VERSION.search(line):
                yield int(found[1])
    except (OSError, ValueError):
        return  # the connection is closed: the bench is over


def web(phones: int, seconds: int) -> bool:
    """Print the delays and the memory; gives whether every phone was told of every action."""
    with TemporaryDirectory() as state:
        options = PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state, seed=1)
        with serving(options) as (companion, server):
            companion.do(StartMatch(("Anna", "Ben")))
            seen = watched(companion, server, phones, seconds)
    click.echo(str(seen))
    return not seen.missed


def watched(companion: Companion, server: Server, count: int, seconds: int) -> PhoneDelays:
    """So many phones watch, while something is done each second."""
    phones = [Phone() for _ in range(count)]
    with ExitStack() as connections:
        for phone in phones:
            connection = HTTPConnection("127.0.0.1", server.port, timeout=seconds + 60)
            connections.enter_context(closing(connection))
            Thread(target=phone.listen, args=(connection,), daemon=True).start()
            connections.callback(_hang_up, connection)
        _until(lambda: all(phone.told for phone in phones))
        before_mb = _memory_mb()
        acted = _act(companion, seconds)
        _until(lambda: all(max(acted) in phone.told for phone in phones))
        after_mb = _memory_mb()
    return _seen(phones, acted, before_mb, after_mb)


def _act(companion: Companion, seconds: int) -> dict[int, float]:
    """One action a second, each with the time at which it was asked for."""
    acted: dict[int, float] = {}
    next_s = monotonic()
    for number in range(seconds):
        start_s = perf_counter()
        snapshot = companion.do(Undo() if number % 2 else EnterThrow(DICE))
        acted[snapshot.version] = start_s
        next_s += PACE_S
        sleep(max(0.0, next_s - monotonic()))
    return acted


def _seen(
    phones: list[Phone], acted: dict[int, float], before_mb: float, after_mb: float
) -> PhoneDelays:
    missed = sum(version not in phone.told for phone in phones for version in acted)
    last_ms = [
        1000 * (max(phone.told[version] for phone in phones) - start_s)
        for version, start_s in acted.items()
        if all(version in phone.told for phone in phones)
    ]
    return PhoneDelays(len(phones), len(acted), last_ms, missed, before_mb, after_mb)


def _until(holds: Callable[[], bool]) -> None:
    """Wait, but not for ever."""
    until_s = monotonic() + GRACE_S
    while not holds() and monotonic() < until_s:
        sleep(0.02)


def _hang_up(connection: HTTPConnection) -> None:
    if connection.sock:
        connection.sock.shutdown(socket.SHUT_RDWR)


def _memory_mb() -> float:
    """What this process uses now; the most it ever used where the system does not say."""
    if can_tell():
        return memory_mb(os.getpid(), NOW)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KB
