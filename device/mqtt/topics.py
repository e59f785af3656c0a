"""The topics of a tray. docs/mqtt.md lists them."""

import re
from dataclasses import dataclass

ROOT = "traykeeper"
BIRTH = "homeassistant/status"
"""Where Home Assistant says that it has started and wants all devices to be announced."""

ONLINE, OFFLINE = "online", "offline"

_BOARD = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of the tray of this name; "+" matches every tray."""

    tray: str

    @property
    def availability(self) -> str:
        """Topic of the tray's availability, `online` or `offline`."""
        return f"{ROOT}/{self.tray}/availability"

    @property
    def state(self) -> str:
        """Topic of the current state of the table, which is retained."""
        return f"{ROOT}/{self.tray}/state"

    @property
    def event(self) -> str:
        """Topic of the entries of the journal."""
        return f"{ROOT}/{self.tray}/event"

    @property
    def moment(self) -> str:
        """Topic of what has just happened, for lights and sounds."""
        return f"{ROOT}/{self.tray}/moment"

    @property
    def replay(self) -> str:
        """Topic on which club boards ask for missed entries."""
        return f"{ROOT}/{self.tray}/replay"

    def answer(self, board: str) -> str:
        """Return the topic of the answers to this board."""
        return f"{self.replay}/{board}"

    @property
    def assign(self) -> str:
        """Topic on which a club board calls a match to the tray."""
        return f"{ROOT}/{self.tray}/assign"

    @property
    def assigned(self) -> str:
        """Topic on which the tray answers a call."""
        return f"{self.assign}/answer"

    @property
    def discovery(self) -> str:
        """Topic on which the tray is announced to Home Assistant."""
        return f"homeassistant/device/{ROOT}_{self.tray}/config"


def is_board(name: object) -> bool:
    """Whether this can be the name of a club board in topics."""
    return isinstance(name, str) and _BOARD.fullmatch(name) is not None
