"""A tray takes back all that a broker has kept of it: it was turned off, renamed, or moved."""

from collections.abc import Callable

from device.broker.address import Address
from device.broker.link import BrokerClient, Ears
from device.broker.topics import Topics


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
