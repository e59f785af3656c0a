"""The connection between two trays over an MQTT broker: each side publishes its messages on its own topic."""

from collections.abc import Callable
from queue import SimpleQueue
from secrets import token_hex

from device.mqtt.address import Address
from device.mqtt.client import BrokerClient, BrokerEvents
from device.mqtt.topics import ROOT
from device.shared_match.match_code import MatchSide

MAX_WAITING = 50
"""Largest number of messages that may wait to be handled.

Further messages are dropped, because later ones repeat what is still missing.
"""


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
