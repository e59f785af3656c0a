"""The broker of the settings, for as long as the table is open; and what was left at another."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from device.errors import UsageError
from device.mqtt.address import Address, address, tray_name
from device.mqtt.client import BrokerClient, Ears
from device.mqtt.invitations import HostTable
from device.mqtt.outbox import FILE, Note
from device.mqtt.publisher import Publisher
from device.mqtt.topics import Topics
from device.settings import Settings
from game.errors import GameError
from game.journal.feed import Feed
from game.journal.journal import FILE as JOURNAL


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
        ears = Ears(
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


@contextmanager
def on_broker(
    settings: Settings, table: HostTable, folder: Path, warn: Callable[[str], object]
) -> Iterator[None]:
    """Tell the broker of the settings, within the `with`; where none is set, nobody.

    What this tray left at another broker, or under another name, is taken back in passing. Trouble
    of any kind is said by `warn`: the table opens all the same.
    """
    path = folder / FILE
    before = Note.read(path)
    parts: list[Publisher | Farewell] = []
    try:
        now, there = _wanted(settings)
        parts.extend(_farewell(before, now, path, warn))
        if now and there:
            note = _going_on(before, now)
            note.write(path)
            parts.append(_publisher(table, there, note, settings, folder=folder, warn=warn))
    except (UsageError, GameError) as error:
        warn(f"traykeeper: {error}; the table plays without its broker")
    for part in parts:
        part.start()
    try:
        yield
    finally:
        for part in reversed(parts):
            part.close()


def _publisher(
    table: HostTable,
    there: Address,
    note: Note,
    settings: Settings,
    *,
    folder: Path,
    warn: Callable[[str], object],
) -> Publisher:
    return Publisher(
        table,
        Feed(folder / JOURNAL),
        there,
        note,
        folder / FILE,
        discover=settings.mqtt_discovery,
        warn=lambda line: warn(f"traykeeper: {line}"),
    )


def _wanted(settings: Settings) -> tuple[Note | None, Address | None]:
    if not settings.mqtt:
        return None, None
    there = address(settings.mqtt, secret=settings.mqtt_secret, ca=settings.mqtt_ca)
    there.tls_context()
    name = tray_name(settings.mqtt_tray)
    return Note(there.url, name, settings.mqtt_secret, settings.mqtt_ca), there


def _going_on(before: Note | None, now: Note) -> Note:
    """How far the broker has the journal; another broker has nothing yet."""
    if before is None or before.url != now.url:
        return now
    return replace(now, match=before.match, seq=before.seq, chain=before.chain)


def _farewell(
    before: Note | None, now: Note | None, path: Path, warn: Callable[[str], object]
) -> Iterator[Farewell]:
    """To where this tray is still known as it is not any more."""
    if before is None or (now and (now.url, now.tray) == (before.url, before.tray)):
        return
    try:
        there = address(before.url, secret=before.secret, ca=before.ca)
    except (UsageError, GameError) as error:
        warn(f"traykeeper: {before.tray} cannot be taken off {before.url}: {error}")
        return

    def done() -> None:
        if now is None:
            path.unlink(missing_ok=True)

    yield Farewell(there, before.tray, done)
