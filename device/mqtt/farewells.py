"""What this tray left at other brokers, or under other names, is taken back, however long it takes.

Who is still to be told stands in a file: a broker that is away now may be there at the next start.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Lock

from device.errors import UsageError
from device.files import write_atomically
from device.mqtt.address import Address, address
from device.mqtt.client import BrokerClient, BrokerEvents
from device.mqtt.outbox import Note
from device.mqtt.topics import Topics
from game.errors import GameError

LEFT_FILE = "mqtt-left.json"


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """A name under which this tray is still known at a broker, and how to get in there."""

    url: str
    tray: str
    secret: str
    ca: str

    @classmethod
    def of(cls, note: Note) -> "LeftBehind":
        return cls(note.url, note.tray, note.secret, note.ca)

    def is_that_of(self, note: Note | None) -> bool:
        """Whether it is the same tray at the same broker, whatever opens it."""
        return note is not None and (self.url, self.tray) == (note.url, note.tray)


class Farewells:
    """Who is still to be told, in this file; `done` comes on any thread."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        self._open = _read(path)

    def settle(self, before: Note | None, now: Note | None) -> None:
        """What was and is no more is left behind; what is here (again) is not."""
        with self._lock:
            known = [left for left in self._open if not left.is_that_of(before)]
            if before:
                known.append(LeftBehind.of(before))
            self._keep(left for left in known if not left.is_that_of(now))

    def done(self, left: LeftBehind) -> None:
        """That broker has forgotten it."""
        with self._lock:
            self._keep(other for other in self._open if other != left)

    def _keep(self, some: Iterable[LeftBehind]) -> None:
        still = tuple(some)
        if still == self._open:
            return
        self._open = still
        with suppress(OSError):  # a full disk: what is told twice does no harm
            if still:
                write_atomically(self._path, json.dumps([asdict(left) for left in still]))
            else:
                self._path.unlink(missing_ok=True)

    def say(self, warn: Callable[[str], object]) -> Iterator["Farewell"]:
        """One to each that is left; who cannot be told is said by `warn`, and tried again."""
        for left in self._open:
            try:
                there = address(left.url, secret=left.secret, ca=left.ca)
                yield Farewell(there, left.tray, partial(self.done, left))
            except (UsageError, GameError) as error:
                warn(f"traykeeper: {left.tray} cannot be taken off {left.url}: {error}")


def _read(path: Path) -> tuple[LeftBehind, ...]:
    with suppress(OSError, ValueError, TypeError, RecursionError):
        return tuple(LeftBehind(**left) for left in json.loads(path.read_text("utf-8")))
    return ()


class Farewell:
    """`start`, later `close`; between them it goes to the broker once, when that is there.

    Args:
        address: the broker.
        tray: what the tray was called there.
        done: called when the broker has forgotten it, on another thread.
    """

    def __init__(self, address: Address, tray: str, done: Callable[[], object]) -> None:
        self._topics, self._done = Topics(tray), done
        self._left: set[int] = set()
        ears = BrokerEvents(
            connected=self._say,
            lost=lambda: None,
            heard=lambda *_: None,
            acknowledged=self._taken,
            warn=lambda _: None,
        )
        self._link = BrokerClient(address, f"traykeeper-{tray}-leaves", ears)

    def start(self) -> None:
        self._link.start()

    def close(self) -> None:
        self._link.close()

    def _say(self) -> None:
        """An empty retained message is none."""
        kept = (self._topics.discovery, self._topics.state, self._topics.availability)
        self._left = {self._link.publish(topic, "", retain=True) for topic in kept}

    def _taken(self, number: int, refusal: str | None) -> None:
        self._left.discard(number)
        if not self._left and refusal is None:
            self._done()
