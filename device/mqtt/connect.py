"""Connects the companion to the broker in the settings, and deletes the tray's messages from former brokers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from device.errors import UsageError
from device.mqtt import former_trays
from device.mqtt.address import Address, parse_address, tray_name
from device.mqtt.former_trays import Cleanup, FormerTrays
from device.mqtt.invitations import HostTable
from device.mqtt.outbox import FILE, Progress
from device.mqtt.publisher import Publisher
from device.settings import Settings
from game.errors import GameError
from game.journal.feed import Feed
from game.journal.journal import JOURNAL_FILE as JOURNAL


@contextmanager
def publish_to_broker(
    settings: Settings, table: HostTable, folder: Path, warn: Callable[[str], object]
) -> Iterator[None]:
    """Within the block, publish the tray's messages on the broker in the settings, if one is set.

    Retained messages that this tray has left on another broker, or under another name, are deleted as well. The
    match continues whatever goes wrong.

    Args:
        settings: The settings, which name the broker and the tray.
        table: The companion.
        folder: The state folder.
        warn: Called with one line about each problem.
    """
    path, former = folder / FILE, FormerTrays(folder / former_trays.FILE)
    before = Progress.read(path)
    parts: list[Publisher | Cleanup] = []
    try:
        now, address = _configured(settings)
        former.update(before, now)
        parts.extend(former.cleanups(warn))
        if now is None:
            with suppress(OSError):  # the messages are deleted once more at the next start
                path.unlink(missing_ok=True)
        if now and address:
            progress = _continued(before, now)
            progress.write(path)
            parts.append(
                Publisher(
                    table,
                    Feed(folder / JOURNAL),
                    address,
                    progress,
                    path,
                    discover=settings.mqtt_discovery,
                    warn=lambda line: warn(f"traykeeper: {line}"),
                )
            )
    except (UsageError, GameError) as error:
        warn(f"traykeeper: {error}; playing without the broker")
    for part in parts:
        part.start()
    try:
        yield
    finally:
        for part in reversed(parts):
            part.close()


def _configured(settings: Settings) -> tuple[Progress | None, Address | None]:
    if not settings.mqtt:
        return None, None
    address = parse_address(settings.mqtt, secret=settings.mqtt_secret, ca=settings.mqtt_ca)
    address.tls_context()  # report an unreadable certificate now
    name = tray_name(settings.mqtt_tray)
    return Progress(address.url, name, settings.mqtt_secret, settings.mqtt_ca), address


def _continued(before: Progress | None, now: Progress) -> Progress:
    """Return how much of the journal the current broker has acknowledged; a new broker has acknowledged nothing."""
    if before is None or before.url != now.url:
        return now
    return replace(now, match=before.match, seq=before.seq, chain=before.chain)
