"""The two ways in which the trays of a shared match reach each other: over HTTP, and over a broker.

Over HTTP, each request carries a message from the guest, and the response carries a message from the host. Over a broker,
each side publishes its messages on its own topic.
"""

import http.client
from collections.abc import Callable
from queue import SimpleQueue
from secrets import token_hex

from device.addresses import NetworkAddress
from device.mqtt.client import ROOT, Address, BrokerClient, BrokerEvents
from device.shared_match.conversation import (
    MAX_BYTES,
    SharedMatchError,
)
from device.shared_match.links import (
    NO_ADDRESS,
    MatchSide,
)
from device.timed_request import TimedRequest
from game.message import Message

PATH = "/api/v1/shared-match/sync"
TIMEOUT_S = 5.0

UNKNOWN_CODE = Message("The other tray does not know this code: check it, or ask for a new one.")
TOO_MANY_TRIES = Message("Too many wrong codes were tried at the other tray: wait five minutes.")

MAX_WAITING = 50
"""Largest number of messages that may wait to be handled.

Further messages are dropped, because later ones repeat what is still missing.
"""


class UnreachableError(SharedMatchError):
    """Raised when the other tray does not answer."""


class UnknownHereError(SharedMatchError):
    """Raised when the host does not know the code, or accepts no further attempts for now."""


class HostTransport:
    """A guest's way to the host of a shared match over HTTP, one message at a time."""

    def __init__(self) -> None:
        self._request = TimedRequest(TIMEOUT_S)

    def send(self, address: str, message: str) -> bytes:
        """Send a message to the host, and return the host's answer.

        Args:
            address: Address of the host's page.
            message: The message.

        Raises:
            UnreachableError: If there is no answer.
            UnknownHereError: If the host does not know the code, or accepts no further attempts for now.
            SharedMatchError: If the answer does not come from a host of shared matches.
        """
        other = NetworkAddress.parse(address)
        if other is None:
            raise UnreachableError(NO_ADDRESS)
        connection = http.client.HTTPConnection(other.host, other.port, timeout=TIMEOUT_S)
        try:
            with self._request.over(connection):
                connection.request("POST", PATH, message, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                body = answer.read(MAX_BYTES + 1)
            if answer.length and len(body) <= MAX_BYTES:
                raise http.client.IncompleteRead(body)
        except (OSError, http.client.HTTPException):
            raise UnreachableError(
                Message(
                    "No tray answers at %(address)s: check the address, and that Traykeeper "
                    "is running there.",
                    address=str(other),
                )
            ) from None
        match answer.status:
            case http.client.OK:
                return body
            case http.client.FORBIDDEN:
                raise UnknownHereError(UNKNOWN_CODE)
            case http.client.TOO_MANY_REQUESTS:
                raise UnknownHereError(TOO_MANY_TRIES)
        raise SharedMatchError(
            Message(
                "The program at %(address)s does not support matches with other trays: check the "
                "address, and install the same version on both trays.",
                address=str(other),
            )
        )

    def abort(self) -> None:
        """Abort the request that is under way. Any thread may call this."""
        self._request.abort()


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
        self._on_message, self._on_connected, self._warn = on_message, on_connected, warn
        self._refused_reading: str | None = None
        self._refused_writing: str | None = None
        events = BrokerEvents(
            on_connected=self._subscribe,
            on_message=self._receive,
            on_acknowledged=self._note_acknowledged,
            on_subscription_refused=lambda refusal: self._refuse(refusal, self._refused_writing),
            on_trouble=warn,
        )
        self._client = BrokerClient(address, f"traykeeper-shared-{token_hex(4)}", events)
        self._client.start()

    def __repr__(self) -> str:
        return f"<BrokerTransport of {self.match_id} by {self._client!r}>"

    @property
    def trouble(self) -> Message | None:
        """Why the broker passes on no messages now, and what to do; None if no problem is known."""
        state, refusal = self._client.state, self._refused_reading or self._refused_writing
        if not state.is_connected and state.trouble:
            return Message("There is no connection to the broker: %(why)s", why=state.trouble)
        if state.is_connected and refusal:
            return Message(
                "The broker refuses the messages of this match (%(why)s): give the user of this "
                "tray the right to read and write `traykeeper/shared/#`.",
                why=refusal,
            )
        return None

    def send(self, message: str) -> None:
        """Publish a message if the broker is connected.

        A message that is lost does no harm, because the next one repeats what is missing. It is sent with QoS 1 only
        because the broker then says whether it has accepted the message.
        """
        if self._client.state.is_connected:
            self._client.publish(topic(self.match_id, self.side), message)

    def received(self) -> list[bytes]:
        """Return the messages that have arrived since the last call."""
        return [self._received.get() for _ in range(self._received.qsize())]

    def close(self) -> None:
        """Disconnect from the broker."""
        self._client.close()

    def _note_acknowledged(self, _number: int, refusal: str | None) -> None:
        self._refuse(self._refused_reading, refusal)

    def _refuse(self, reading: str | None, writing: str | None) -> None:
        """Note why the broker refuses to pass on messages to this tray, and from it; None if it does not refuse."""
        before, (self._refused_reading, self._refused_writing) = self.trouble, (reading, writing)
        if self.trouble not in (None, before):
            self._warn(str(self.trouble))

    def _subscribe(self) -> None:
        self._refuse(None, None)
        self._client.subscribe(topic(self.match_id, self.side.other))
        self._on_connected()

    def _receive(self, _topic: str, payload: bytes) -> None:
        if self._received.qsize() < MAX_WAITING:
            self._received.put(payload)
        self._on_message()
