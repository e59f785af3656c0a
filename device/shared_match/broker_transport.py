"""How two trays reach each other over a broker: each side publishes its messages on a topic of the match."""

from collections.abc import Callable
from queue import SimpleQueue
from secrets import token_hex

from device.mqtt.address import Address
from device.mqtt.client import BrokerClient, BrokerEvents
from device.mqtt.topics import ROOT
from device.shared_match.match_code import MatchSide

MAX_WAITING = 50
"""Messages that may wait to be handled. Further ones are dropped, because later ones say the same."""


def topic(match_id: str, side: MatchSide) -> str:
    """Return the topic on which a side publishes.

    Args:
        match_id: The id of the keys of the match.
        side: The side.
    """
    return f"{ROOT}/shared/{match_id}/{side}"


class BrokerTransport:
    """The way to the other tray over a broker.

    Args:
        address: The broker.
        match_id: The id of the keys of the match.
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
        """Publish a message. If the broker is away it may be lost, because the next one says the same."""
        self._client.publish(topic(self.match_id, self.side), message, qos=0)

    def received(self) -> list[bytes]:
        """Return the messages that have arrived since the last call."""
        return [self._received.get() for _ in range(self._received.qsize())]

    def close(self) -> None:
        """Disconnect."""
        self._client.close()

    def _subscribe(self) -> None:
        self._client.subscribe(topic(self.match_id, self.side.other))
        self._on_connected()

    def _receive(self, _topic: str, payload: bytes) -> None:
        if self._received.qsize() < MAX_WAITING:
            self._received.put(payload)
        self._on_message()
