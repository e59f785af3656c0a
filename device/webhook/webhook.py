"""Sends the steps of a match, in order, to the address in the settings, and repeats each until the receiver accepts it.

The journal is the queue, and a small file records how much of it has been accepted. After a crash, the latest
steps may be sent a second time, with the same ids.
"""

import json
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Thread

from device.errors import UsageError
from device.settings import Settings
from device.threads import DistinctReports, new_snapshots
from device.webhook.delivery import Courier, DeliveryError
from device.webhook.delivery_log import DeliveryLog
from device.webhook.receiver import Receiver, parse_receiver
from game.errors import GameError
from game.journal.feed import Feed, FeedLine
from game.journal.feed_progress import FeedProgress, ProgressFile
from game.journal.journal import JOURNAL_FILE
from game.stats.step_events import WebhookBody, step_events
from web.contracts import ChangingTable, Snapshot

log = logging.getLogger(__name__)

FILE = "webhook.json"

LISTEN_S = 1.0
"""Longest wait for a change of the match, in seconds; the thread ends at most this late."""

FIRST_RETRY_S, MAX_RETRY_S = 1.0, 300.0
"""First and longest pause after a failed attempt, in seconds. The pause doubles each time."""

HEAD_START_S = 0.1
"""Pause before a step is sent, in seconds, so that phones show it first."""


@dataclass(frozen=True, slots=True)
class Delivered(FeedProgress):
    """The last entry that a receiver has accepted.

    Attributes:
        receiver: Fingerprint of the receiver's address.
    """

    receiver: str


class Webhook:
    """A thread that sends the entries of a journal to another program, between `start` and `close`.

    Without earlier progress, the thread begins with the latest match.

    Args:
        table: The companion, which announces each change of the match.
        feed: The entries of the companion's journal.
        receiver: The program that receives the entries.
        folder: The state folder.
        first_retry_s: Pause after the first failed attempt, in seconds.
        timeout_s: How long one attempt may take, in seconds; None uses the usual time.

    Attributes:
        deliveries: The latest attempts.
    """

    def __init__(
        self,
        table: ChangingTable,
        feed: Feed,
        receiver: Receiver,
        folder: Path,
        *,
        first_retry_s: float = FIRST_RETRY_S,
        timeout_s: float | None = None,
    ) -> None:
        self._table, self._feed = table, feed
        before, new = Delivered.read(folder / FILE), Delivered(receiver.fingerprint)
        valid = before if before and before.receiver == new.receiver else new
        self._file = ProgressFile(folder / FILE, valid, before)
        self._courier = Courier(receiver, timeout_s) if timeout_s else Courier(receiver)
        self._first_retry_s = first_retry_s
        self._tray = socket.gethostname()
        self.deliveries = DeliveryLog(receiver)
        self._identity, self._position = "", 0
        self._report = DistinctReports(partial(log.warning, "the webhook is waiting: %s"))
        self._closing = Event()
        self._thread = Thread(target=self._run, name="webhook", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Abort the current request, end the thread, and save the progress."""
        self._closing.set()
        self._courier.close()
        self._thread.join()
        self._file.save()

    def _run(self) -> None:
        shown: Snapshot | None = None
        for later in new_snapshots(self._table, self._closing, LISTEN_S):
            if later is None or shown is None or later.match is not shown.match:
                if later:
                    self._closing.wait(HEAD_START_S)
                self._deliver_without_errors()
            self._file.save_if_due()
            shown = later or shown

    def _deliver_without_errors(self) -> None:
        try:
            self._deliver_all()
        except GameError as error:
            self._report(str(error))
        except Exception:
            log.exception("the webhook failed; the match continues")

    def _deliver_all(self) -> None:
        """Deliver every entry of the journal that the receiver has not accepted yet."""
        self._find_position()
        for line in self._feed.after(self._position):
            if not self._deliver(line):
                return
            self._position = line.position
            self._file.progress = self._file.progress.after(line.entry)
            self._file.save_if_due()

    def _find_position(self) -> None:
        """Find the entry to continue with, when the thread starts and after a backup has been restored."""
        identity = self._feed.identity
        if identity == self._identity:
            return
        done = self._file.progress
        last = self._feed.find(done.match, done.seq, done.chain) if done.match else None
        self._position = last.position if last else self._feed.newest()
        self._identity = identity

    def _deliver(self, line: FeedLine) -> bool:
        """Keep sending an entry until it is accepted; return False if the webhook is closed first."""
        entry, events = line.entry, step_events(line)
        body: WebhookBody = {
            "type": "traykeeper.step",
            "version": 1,
            "tray": self._tray,
            "events": events,
        }
        text = json.dumps(body, separators=(",", ":")).encode()
        kinds = ", ".join(event["kind"] for event in events)
        wait_s = self._first_retry_s
        while not self._closing.is_set():
            try:
                self._courier.deliver(f"{entry.match}-{entry.seq}-{entry.chain}", text)
            except DeliveryError as trouble:
                pause_s = max(wait_s, trouble.retry_after_s)
                self.deliveries.add(kinds, trouble.message, pause_s)
                self._file.save_if_due()
                self._closing.wait(pause_s)
                wait_s = min(wait_s * 2, MAX_RETRY_S)
            else:
                self.deliveries.add(kinds)
                return True
        return False


@contextmanager
def send_to_webhook(
    settings: Settings, table: ChangingTable, folder: Path, warn: Callable[[str], object]
) -> Iterator[DeliveryLog | None]:
    """Within the block, send the steps of matches to the address in the settings, if one is set.

    Yields the log of the deliveries; None if no address is set or it cannot be used.

    Args:
        settings: The settings, which name the receiver.
        table: The companion.
        folder: The state folder.
        warn: Called with one line about each problem.
    """
    try:
        receiver = (
            parse_receiver(settings.webhook, secret=settings.webhook_secret)
            if settings.webhook
            else None
        )
    except (UsageError, GameError) as error:
        warn(f"traykeeper: {error}; playing without the webhook")
        receiver = None
    if receiver is None:
        yield None
        return
    webhook = Webhook(table, Feed(folder / JOURNAL_FILE), receiver, folder)
    webhook.start()
    try:
        yield webhook.deliveries
    finally:
        webhook.close()
