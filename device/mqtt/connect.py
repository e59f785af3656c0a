"""The broker of the settings, for as long as the table is open; and what was left at another."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from device.errors import UsageError
from device.mqtt.address import Address, address, tray_name
from device.mqtt.farewells import LEFT_FILE, Farewell, Farewells
from device.mqtt.invitations import HostTable
from device.mqtt.outbox import FILE, Note
from device.mqtt.publisher import Publisher
from device.settings import Settings
from game.errors import GameError
from game.journal.feed import Feed
from game.journal.journal import JOURNAL_FILE as JOURNAL


@contextmanager
def publish_to_broker(
    settings: Settings, table: HostTable, folder: Path, warn: Callable[[str], object]
) -> Iterator[None]:
    """Tell the broker of the settings, within the `with`; where none is set, nobody.

    What this tray left at another broker, or under another name, is taken back in passing. Trouble
    of any kind is said by `warn`: the table opens all the same.
    """
    path, farewells = folder / FILE, Farewells(folder / LEFT_FILE)
    before = Note.read(path)
    parts: list[Publisher | Farewell] = []
    try:
        now, there = _wanted(settings)
        farewells.settle(before, now)
        parts.extend(farewells.say(warn))
        if now is None:
            with suppress(OSError):  # then it is left behind once more, which does no harm
                path.unlink(missing_ok=True)
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
