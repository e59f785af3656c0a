"""The threads that exchange messages with the other tray, over HTTP or over a broker."""

import logging
from collections.abc import Callable
from threading import Event, Thread

from device.errors import UsageError
from device.mqtt.address import Address
from device.shared_match.broker_transport import BrokerTransport
from device.shared_match.http_transport import UnknownHereError, UnreachableError, exchange
from device.shared_match.links import Link
from device.shared_match.match_code import MatchSide
from device.shared_match.sync import Sealed, Sync
from device.shared_match.tray_pair import TrayPair
from device.threads import new_snapshots
from game.errors import TraykeeperError
from web.contracts import ChangingTable

log = logging.getLogger(__name__)

POLL_S = 1.0
"""Longest pause between two messages from a guest to the host over HTTP, in seconds."""

BROKER_S = 2.0
"""Longest pause between two messages over a broker, in seconds."""

REFUSED_S = 60.0
"""Pause after the host has rejected the code, in seconds. More frequent attempts would look like guessing."""


class Talker:
    """Exchanges messages with the other tray: sends this tray's messages and passes on those that arrive.

    Args:
        pair: The shared match, which creates this tray's messages and handles the other tray's.
        broker: Address of this tray's broker; None if there is none.
        clock: Monotonic clock, in seconds.
        warn: Prints one line about a problem.
    """

    def __init__(
        self,
        pair: TrayPair,
        broker: Address | None,
        clock: Callable[[], float],
        warn: Callable[[str], object],
    ) -> None:
        self._pair, self._address, self._clock, self._warn = pair, broker, clock, warn
        self._broker: BrokerTransport | None = None
        self._news, self._closing = Event(), Event()
        self._next_s = 0.0
        self._threads: tuple[Thread, ...] = ()

    def start(self, table: ChangingTable) -> None:
        """Start the threads.

        Args:
            table: The companion, which announces each change of the match.
        """
        self._threads = (
            Thread(target=self._run, name="other-tray", daemon=True),
            Thread(target=self._listen, args=(table,), name="other-tray-listens", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End the threads and the connection to the broker."""
        self._closing.set()
        self._news.set()
        for thread in self._threads:
            thread.join()
        self._close_broker()

    def wake(self, *, at_once: bool = False) -> None:
        """Wake the thread, which then sends a message if there is news for the other tray.

        Args:
            at_once: Whether to send a message even if there is no news and the usual pause is not over.
        """
        if at_once:
            self._next_s = 0.0
        self._news.set()

    def _listen(self, table: ChangingTable) -> None:
        for snapshot in new_snapshots(table, self._closing, POLL_S):
            if snapshot:
                self._news.set()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._news.wait(max(0.0, self._next_s - self._clock()))
            self._news.clear()
            try:
                self._turn()
            except Exception:
                log.exception("failed to talk to the other tray; the match continues")
                self._next_s = self._clock() + POLL_S

    def _turn(self) -> None:
        self._pair.refresh()
        link = self._pair.link
        self._connect_broker(link)
        if link and link.side is MatchSide.GUEST and link.address:
            self._ask_host(link)
        elif link and self._broker:
            self._use_broker(self._broker, link)
        elif self._clock() >= self._next_s:
            self._next_s = self._clock() + POLL_S

    def _has_to_speak(self) -> bool:
        conversation = self._pair.conversation
        return self._clock() >= self._next_s or bool(conversation and conversation.has_news)

    def _ask_host(self, link: Link) -> None:
        if not self._has_to_speak():
            return
        self._next_s = self._clock() + POLL_S
        text = self._pair.message(link).sealed(link.keys)
        try:
            self._hear(link, exchange(link.address, text))
        except UnreachableError as error:
            if not link.match:  # a match that has begun shows this by itself after a few seconds
                self._pair.trouble = error.message
        except TraykeeperError as error:
            self._pair.trouble = error.message
            if isinstance(error, UnknownHereError):
                self._next_s = self._clock() + REFUSED_S
        else:
            if self._pair.conversation and self._pair.conversation.has_news:
                self._news.set()

    def _use_broker(self, broker: BrokerTransport, link: Link) -> None:
        for message in broker.received():
            try:
                self._hear(link, message)
            except TraykeeperError as error:
                log.warning("a message from the other tray is ignored: %s", error)
        if self._has_to_speak():
            self._next_s = self._clock() + BROKER_S
            link = self._pair.link or link
            broker.send(self._pair.message(link).sealed(link.keys))

    def _hear(self, link: Link, message: bytes) -> None:
        sealed = Sealed.parse(message)
        if sealed.id == link.id:
            self._pair.answer(link, Sync.opened(sealed, link.keys, link.side.other))

    def _connect_broker(self, link: Link | None) -> None:
        """Connect to the broker if the match needs it; otherwise close the connection."""
        wanted = link if link and self._address and not link.address else None
        if self._broker and (wanted is None or self._broker.match_id != wanted.id):
            self._close_broker()
        if wanted and self._address and self._broker is None:
            try:
                self._broker = BrokerTransport(
                    self._address, wanted.id, wanted.side,
                    on_message=self.wake,
                    on_connected=lambda: self.wake(at_once=True),
                    warn=self._warn,
                )  # fmt: skip
            except UsageError as error:
                self._warn(str(error))

    def _close_broker(self) -> None:
        if self._broker:
            self._broker.close()
            self._broker = None
