"""The MQTT topics of a tray. docs/mqtt.md lists them."""

import re
from dataclasses import dataclass

ROOT = "traykeeper"
BIRTH = "homeassistant/status"
"""Topic on which Home Assistant reports that it has started and that devices must be announced again."""

ONLINE, OFFLINE = "online", "offline"

_BOARD = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class Topics:
    """The MQTT topics of one tray, or of every tray.

    Attributes:
        tray: Name of the tray; "+" matches every tray.
    """

    tray: str

    @property
    def availability(self) -> str:
        """Topic of the tray's availability, `online` or `offline`."""
        return f"{ROOT}/{self.tray}/availability"

    @property
    def state(self) -> str:
        """Topic of the current state of the tray and its match; the broker retains the last message."""
        return f"{ROOT}/{self.tray}/state"

    @property
    def event(self) -> str:
        """Topic on which the entries of the journal are published."""
        return f"{ROOT}/{self.tray}/event"

    @property
    def moment(self) -> str:
        """Topic on which special moments of a match, such as a farkle, are published for lights and sounds."""
        return f"{ROOT}/{self.tray}/moment"

    @property
    def replay(self) -> str:
        """Topic on which club boards ask for missed entries."""
        return f"{ROOT}/{self.tray}/replay"

    def answer(self, board: str) -> str:
        """Return the topic on which a club board receives the answers to its requests."""
        return f"{self.replay}/{board}"

    @property
    def assign(self) -> str:
        """Topic on which a club board assigns a match to the tray."""
        return f"{ROOT}/{self.tray}/assign"

    @property
    def assigned(self) -> str:
        """Topic on which the tray accepts or declines a match that a club board has assigned to it."""
        return f"{self.assign}/answer"

    @property
    def discovery(self) -> str:
        """Topic on which the tray is announced to Home Assistant."""
        return f"homeassistant/device/{ROOT}_{self.tray}/config"


def is_board(name: object) -> bool:
    """Return whether a value can be the name of a club board in topics."""
    return isinstance(name, str) and _BOARD.fullmatch(name) is not None
