"""Brokers and names that this tray used earlier, and the deletion of its retained messages there.

A file lists those brokers and names until the messages have been deleted, because a broker that cannot be reached now
may be back at the next start.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from device.errors import UsageError
from device.files import read_json, write_atomically
from device.mqtt.address import Address, parse_address
from device.mqtt.client import BrokerClient, BrokerEvents
from device.mqtt.outbox import Progress
from device.mqtt.topics import Topics
from game.errors import GameError

FILE = "mqtt-left.json"


@dataclass(frozen=True, slots=True)
class FormerTray:
    """A broker, and a name under which the broker may still hold retained messages from this tray.

    Attributes:
        url: URL of the broker.
        tray: Name of the tray in topics.
        secret: File with the user name and password for the broker; empty if there is none.
        ca: File with the certificate of the authority that signed the broker's certificate; empty trusts the
            system's authorities.
    """

    url: str
    tray: str
    secret: str
    ca: str

    @classmethod
    def of(cls, progress: Progress) -> "FormerTray":
        """Return the broker and name that a tray had in an earlier run."""
        return cls(progress.url, progress.tray, progress.secret, progress.ca)

    def is_same_tray(self, progress: Progress | None) -> bool:
        """Return whether `progress` has the same broker and the same name of the tray as this one."""
        return progress is not None and (self.url, self.tray) == (progress.url, progress.tray)


class FormerTrays:
    """The list of former brokers and names of this tray, kept in a file. Any thread may call `remove`.

    Args:
        path: Path of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        self._trays = read_json(path, _parse) or ()

    def update(self, before: Progress | None, now: Progress | None) -> None:
        """Add the broker and name of the last run, and remove those of this run.

        Args:
            before: Broker and name of the last run; None if there was no broker.
            now: Broker and name of this run; None if there is no broker.
        """
        with self._lock:
            known = [tray for tray in self._trays if not tray.is_same_tray(before)]
            if before:
                known.append(FormerTray.of(before))
            self._save(tray for tray in known if not tray.is_same_tray(now))

    def remove(self, tray: FormerTray) -> None:
        """Remove a former tray from the list after its messages have been deleted."""
        with self._lock:
            self._save(other for other in self._trays if other != tray)

    def cleanups(self, warn: Callable[[str], object]) -> Iterator["Cleanup"]:
        """For each former tray, yield a task that deletes its messages; warn if a task cannot be started now."""
        for tray in self._trays:
            try:
                address = parse_address(tray.url, secret=tray.secret, ca=tray.ca)
                yield Cleanup(address, tray.tray, partial(self.remove, tray))
            except (UsageError, GameError) as error:
                warn(f"traykeeper: {tray.tray} cannot be removed from {tray.url}: {error}")

    def _save(self, trays: Iterable[FormerTray]) -> None:
        remaining = tuple(trays)
        if remaining == self._trays:
            return
        self._trays = remaining
        with suppress(OSError):  # a full disk: deleting the messages twice does no harm
            if remaining:
                write_atomically(self._path, json.dumps([asdict(tray) for tray in remaining]))
            else:
                self._path.unlink(missing_ok=True)


def _parse(data: Any) -> tuple[FormerTray, ...]:
    return tuple(FormerTray(**tray) for tray in data)


class Cleanup:
    """A task that deletes a tray's retained messages from a broker as soon as the broker can be reached.

    Args:
        address: Address of the broker.
        tray: Name of the tray on that broker.
        on_done: Called on another thread when the broker has deleted the messages.
    """

    def __init__(self, address: Address, tray: str, on_done: Callable[[], object]) -> None:
        self._topics, self._on_done = Topics(tray), on_done
        self._unacknowledged: set[int] = set()
        events = BrokerEvents(
            on_connected=self._delete_messages, on_acknowledged=self._on_acknowledged
        )
        self._client = BrokerClient(address, f"traykeeper-{tray}-leaves", events)

    def start(self) -> None:
        """Connect in the background."""
        self._client.start()

    def close(self) -> None:
        """Disconnect from the broker, whether or not the messages have been deleted."""
        self._client.close()

    def _delete_messages(self) -> None:
        """Publish empty retained messages, which delete the retained ones (MQTT 5, section 3.3.1.3)."""
        retained = (self._topics.discovery, self._topics.state, self._topics.availability)
        self._unacknowledged = {self._client.publish(topic, "", retain=True) for topic in retained}

    def _on_acknowledged(self, number: int, refusal: str | None) -> None:
        self._unacknowledged.discard(number)
        if not self._unacknowledged and refusal is None:
            self._on_done()
