"""Simulated phones that follow the event stream, and the delay with which each change reaches them."""

import re
import socket
import statistics
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from threading import Thread
from time import monotonic, perf_counter, sleep

from device.companion import Companion
from game.commands import EnterThrow, Undo

PACE_S = 1.0
"""Time from one action to the next, in seconds."""

GRACE_S = 5.0
"""How long to wait for phones that have not yet received a snapshot, in seconds."""

DICE = (1, 1, 3, 3, 3, 5)
_VERSION = re.compile(rb'"version":(\d+)')


@dataclass
class Phone:
    """A phone that follows the event stream.

    Attributes:
        received_s: When each snapshot arrived, in seconds of `perf_counter`, by the snapshot's version number.
    """

    received_s: dict[int, float] = field(default_factory=dict)

    def listen(self, connection: HTTPConnection) -> None:
        """Read the event stream until the connection is closed."""
        connection.request("GET", "/api/v1/events")
        try:
            for line in connection.getresponse():
                if found := _VERSION.search(line):
                    self.received_s[int(found[1])] = perf_counter()
        except (OSError, ValueError):
            return  # the connection was closed: the benchmark is over


@dataclass(frozen=True, slots=True)
class PhoneDelays:
    """How long each action took to reach the last phone.

    Attributes:
        phones: Number of phones.
        actions: Number of actions.
        last_ms: Delay of the last phone, for each action that reached every phone.
        missed: Number of snapshots that phones did not receive, added up over all phones.
    """

    phones: int
    actions: int
    last_ms: list[float]
    missed: int

    @property
    def median_ms(self) -> float:
        """The median delay of the last phone, in milliseconds."""
        return statistics.median(self.last_ms or [0.0])

    @property
    def p99_ms(self) -> float:
        """The 99th percentile of the delay of the last phone, in milliseconds."""
        if len(self.last_ms) < 2:  # noqa: PLR2004 - quantiles need two values
            return max(self.last_ms, default=0.0)
        return statistics.quantiles(self.last_ms, n=100, method="inclusive")[98]


@contextmanager
def connected_phones(port: int, count: int, timeout_s: float) -> Iterator[list[Phone]]:
    """Connect phones to the event stream, and disconnect them at the end of the block.

    Args:
        port: Port of the page on this machine.
        count: Number of phones.
        timeout_s: How long a phone waits for the next event, in seconds.
    """
    phones = [Phone() for _ in range(count)]
    with ExitStack() as connections:
        for phone in phones:
            connection = HTTPConnection("127.0.0.1", port, timeout=timeout_s)
            connections.enter_context(closing(connection))
            Thread(target=phone.listen, args=(connection,), daemon=True).start()
            connections.callback(_hang_up, connection)
        _wait_until(lambda: all(phone.received_s for phone in phones))
        yield phones


def measure_delays(companion: Companion, phones: list[Phone], actions: int) -> PhoneDelays:
    """Carry out one action per second, and measure how long each takes to reach the phones.

    Args:
        companion: The companion whose page the phones follow; a match must be under way.
        phones: The connected phones.
        actions: Number of actions.
    """
    asked_s: dict[int, float] = {}
    next_s = monotonic()
    for number in range(actions):
        start_s = perf_counter()
        snapshot = companion.do(Undo() if number % 2 else EnterThrow(DICE))
        asked_s[snapshot.version] = start_s
        next_s += PACE_S
        sleep(max(0.0, next_s - monotonic()))
    _wait_until(lambda: all(max(asked_s) in phone.received_s for phone in phones))
    missed = sum(version not in phone.received_s for phone in phones for version in asked_s)
    last_ms = [
        1000 * (max(phone.received_s[version] for phone in phones) - start_s)
        for version, start_s in asked_s.items()
        if all(version in phone.received_s for phone in phones)
    ]
    return PhoneDelays(len(phones), len(asked_s), last_ms, missed)


def _wait_until(holds: Callable[[], bool]) -> None:
    until_s = monotonic() + GRACE_S
    while not holds() and monotonic() < until_s:
        sleep(0.02)


def _hang_up(connection: HTTPConnection) -> None:
    if connection.sock:
        connection.sock.shutdown(socket.SHUT_RDWR)
