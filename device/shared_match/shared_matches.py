"""The matches that are played at two trays: what the page asks for, and the messages over HTTP or over a broker.

Over HTTP, each request carries a message from the guest, and the response carries a message from the host. Over a broker,
each side publishes its messages on its own topic.
"""

import http.client
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from queue import SimpleQueue
from secrets import token_hex
from threading import Event, Thread
from time import monotonic
from typing import Any

from device.addresses import NetworkAddress
from device.errors import UsageError
from device.mqtt.address import ROOT, Address
from device.mqtt.client import BrokerClient, BrokerEvents
from device.shared_match.conversation import ASK_LATER
from device.shared_match.links import (
    NO_ADDRESS,
    Link,
    MatchSide,
    TrayInvitation,
    keys_of,
    new_code,
)
from device.shared_match.sync import MAX_BYTES, NotSignedError, Sealed, SharedMatchError, Sync
from device.shared_match.tray_pair import SharedParts, TrayPair
from device.threads import new_snapshots
from game.commands import CorrectThrow, Rematch, Undo
from game.errors import JournalError, TraykeeperError
from game.match.match import Match
from game.message import Message
from game.situation import TableError
from web.contracts import OtherTrayView, Table, UnknownCodeError

log = logging.getLogger(__name__)

PATH = "/api/v1/shared-match/sync"
TIMEOUT_S = 5.0

UNKNOWN_CODE = Message("The other tray does not know this code: check it, or ask for a new one.")
TOO_MANY_TRIES = Message("Too many wrong codes were tried at the other tray: wait five minutes.")

MAX_WAITING = 50
"""Largest number of messages that may wait to be handled.

Further messages are dropped, because later ones repeat what is still missing.
"""

POLL_S = 1.0
"""Longest pause between two messages from a guest to the host over HTTP, in seconds."""

BROKER_S = 2.0
"""Longest pause between two messages over a broker, in seconds."""

REFUSED_S = 60.0
"""Pause after the host has rejected the code, in seconds. More frequent attempts would look like guessing."""

UNKNOWN = Message("This tray has no match with that code: ask for a new code.")

NO_BROKER = Message(
    "A code without an address needs a broker that both trays use: enter the link, or set `mqtt`."
)
NO_NAMES = Message("Enter who is playing at this tray.")


class UnreachableError(SharedMatchError):
    """Raised when the other tray does not answer."""


class UnknownHereError(SharedMatchError):
    """Raised when the host does not know the code, or accepts no further attempts for now."""


def exchange(address: str, message: str) -> bytes:
    """Send a message from a guest to the host of a shared match, and return the host's answer.

    Args:
        address: Address of the host's page.
        message: The message.

    Raises:
        UnreachableError: If there is no answer, or the answer does not come from a host of shared matches.
        UnknownHereError: If the host does not know the code, or accepts no further attempts for now.
    """
    other = NetworkAddress.parse(address)
    if other is None:
        raise UnreachableError(NO_ADDRESS)
    connection = http.client.HTTPConnection(other.host, other.port, timeout=TIMEOUT_S)
    try:
        connection.request("POST", PATH, message, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read(MAX_BYTES + 1)
    except (OSError, http.client.HTTPException):
        raise UnreachableError(
            Message(
                "No tray answers at %(address)s: check the address, and that Traykeeper "
                "is running there.",
                address=str(other),
            )
        ) from None
    finally:
        connection.close()
    match answer.status:
        case http.client.OK:
            return body
        case http.client.FORBIDDEN:
            raise UnknownHereError(UNKNOWN_CODE)
        case http.client.TOO_MANY_REQUESTS:
            raise UnknownHereError(TOO_MANY_TRIES)
    raise UnreachableError(
        Message(
            "The program at %(address)s does not support matches with other trays: check the "
            "address, and install the same version on both trays.",
            address=str(other),
        )
    )


def topic(match_id: str, side: MatchSide) -> str:
    """Return the MQTT topic on which one side of a shared match publishes.

    Args:
        match_id: Id of the match's keys (`MatchKeys.id`).
        side: Host or guest.
    """
    return f"{ROOT}/shared/{match_id}/{side}"


class BrokerTransport:
    """A connection to the other tray of a shared match over an MQTT broker.

    Args:
        address: Address of the broker.
        match_id: Id of the match's keys (`MatchKeys.id`).
        side: The side of this tray.
        on_message: Called on the client's thread when a message has arrived.
        on_connected: Called on the client's thread when the broker has accepted the connection.
        warn: Prints one line about a problem.
    """

    def __init__(
        self,
        address: Address,
        match_id: str,
        side: MatchSide,
        *,
        on_message: Callable[[], object],
        on_connected: Callable[[], object],
        warn: Callable[[str], object],
    ) -> None:
        self.match_id, self.side = match_id, side
        self._received: SimpleQueue[bytes] = SimpleQueue()
        self._on_message, self._on_connected = on_message, on_connected
        events = BrokerEvents(
            on_connected=self._subscribe, on_message=self._receive, on_trouble=warn
        )
        self._client = BrokerClient(address, f"traykeeper-shared-{token_hex(4)}", events)
        self._client.start()

    def __repr__(self) -> str:
        return f"<BrokerTransport of {self.match_id} by {self._client!r}>"

    def send(self, message: str) -> None:
        """Publish a message. A message that is lost does no harm, because the next one repeats what is missing."""
        self._client.publish(topic(self.match_id, self.side), message, qos=0)

    def received(self) -> list[bytes]:
        """Return the messages that have arrived since the last call."""
        return [self._received.get() for _ in range(self._received.qsize())]

    def close(self) -> None:
        """Disconnect from the broker."""
        self._client.close()

    def _subscribe(self) -> None:
        self._client.subscribe(topic(self.match_id, self.side.other))
        self._on_connected()

    def _receive(self, _topic: str, payload: bytes) -> None:
        if self._received.qsize() < MAX_WAITING:
            self._received.put(payload)
        self._on_message()


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

    def start(self, table: Table) -> None:
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

    def _listen(self, table: Table) -> None:
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
            self._pair.hear(link, Sync.opened(sealed, link.keys, link.side.other))

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


class SharedMatches:
    """The matches that this tray plays with another tray.

    Implements `SharedPlay` for the pages and `OtherTray` for the session.

    Args:
        parts: The stores, the journal and the connections that shared matches use.
        clock: Monotonic clock, in seconds.

    Attributes:
        pair: The match that is being played with another tray.
    """

    def __init__(self, parts: SharedParts, clock: Callable[[], float] = monotonic) -> None:
        self._parts = parts
        self.pair = TrayPair(parts, clock)
        self._talker = Talker(self.pair, parts.broker, clock, parts.warn)

    def start(self, table: Table) -> None:
        """Start exchanging messages with other trays.

        Args:
            table: The companion.
        """
        self.pair.connect(table)
        self.pair.refresh()
        self._talker.start(table)

    def close(self) -> None:
        """Stop exchanging messages with other trays."""
        self._talker.close()

    def seating(self, match_id: int) -> Callable[[int], bool] | None:
        """Return a function that reports whether a seat of this match is at the other tray."""
        try:
            link = self._parts.links.get(self._parts.history.key(match_id))
        except JournalError:
            return None
        return link.is_elsewhere if link else None

    def ask(self, command: Undo | CorrectThrow) -> None:
        """Ask the other tray to make a change that only the tray of the current player can make."""
        self._ask(command)

    def rematch(self, match: Match) -> str:
        """Return the id for a rematch, a match between the same players that follows the current one."""
        if (key := self.pair.rematch(match)) is None:
            self._ask(Rematch())
            raise TableError(Message("The other tray is being asked to begin the rematch."))
        return key

    def view(self) -> OtherTrayView | None:
        """Return what the page shows about the other tray, or None if there is none."""
        return self.pair.view

    def invitation(self, page: str) -> str:
        """Return the secret invitation for the other tray; "" if there is none."""
        link = self._parts.links.pending
        return str(TrayInvitation(link.code, page)) if link and link.side is MatchSide.HOST else ""

    def invite(
        self,
        names: tuple[str, ...],
        rules: str | None,
        target: int | None,
        options: Mapping[str, Any] | None,
        best_of: int | None = None,
    ) -> None:
        """Make a code that lets another tray join a match."""
        code = new_code()
        link = Link(MatchSide.HOST, code, keys_of(code).id, names=names, best_of=best_of)
        self._open(replace(link, rules=rules, target=target, options=dict(options or {})))

    def join(self, invitation: str, names: tuple[str, ...]) -> None:
        """Join a match to which another tray has invited this one."""
        found = TrayInvitation.parse(invitation)
        if not found.address and self._parts.broker is None:
            raise TableError(NO_BROKER)
        keys_id = keys_of(found.code).id
        self._open(Link(MatchSide.GUEST, found.code, keys_id, found.address, names=names))

    def leave(self) -> None:
        """Withdraw the invitation or, if the match has begun, play on alone."""
        self.pair.leave()
        self._talker.wake()
        self._parts.on_change()

    def set_aside(self) -> None:
        """Let the match with the other tray begin although another one is being played here."""
        self.pair.set_aside()
        self._talker.wake(at_once=True)
        self._parts.on_change()

    def exchange(self, keys_id: str, text: str, mac: str) -> str:
        """Process a message from the other tray, and return the answer as JSON."""
        sealed = Sealed(keys_id, text, mac)
        link = self._parts.links.find(sealed.id)
        if link is None:
            raise UnknownCodeError(UNKNOWN)
        try:
            sync = Sync.opened(sealed, link.keys, link.side.other)
        except NotSignedError as error:
            raise UnknownCodeError(error.message) from None
        return self.pair.answer(link, sync).sealed(link.keys)

    def _ask(self, command: Undo | CorrectThrow | Rematch) -> None:
        if self.pair.conversation is None:
            raise TableError(ASK_LATER)
        self.pair.conversation.ask(command)
        self._talker.wake()

    def _open(self, link: Link) -> None:
        if not link.names:
            raise TableError(NO_NAMES)
        self.pair.open(link)
        self._talker.wake(at_once=True)
        self._parts.on_change()
