"""The topics of a tray. docs/mqtt.md lists them."""

import re
from dataclasses import dataclass

ROOT = "traykeeper"
BIRTH = "homeassistant/status"
"""Where Home Assistant says that it is there (again), and wants to be told everything."""

ONLINE, OFFLINE = "online", "offline"

_BOARD = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class Topics:
    """Of the tray of this name; "+" is every tray."""

    tray: str

    @property
    def availability(self) -> str:
        return f"{ROOT}/{self.tray}/availability"

    @property
    def state(self) -> str:
        return f"{ROOT}/{self.tray}/state"

    @property
    def event(self) -> str:
        return f"{ROOT}/{self.tray}/event"

    @property
    def moment(self) -> str:
        return f"{ROOT}/{self.tray}/moment"

    @property
    def replay(self) -> str:
        return f"{ROOT}/{self.tray}/replay"

    def answer(self, board: str) -> str:
        """Where what this board asked for is said."""
        return f"{self.replay}/{board}"

    @property
    def assign(self) -> str:
        """Where a club board calls a match to the tray."""
        return f"{ROOT}/{self.tray}/assign"

    @property
    def assigned(self) -> str:
        """Where the tray says what became of a match that was called to it."""
        return f"{self.assign}/answer"

    @property
    def discovery(self) -> str:
        """Where Home Assistant looks."""
        return f"homeassistant/device/{ROOT}_{self.tray}/config"


def is_board(name: object) -> bool:
    """Whether a board may be called so: it becomes part of a topic."""
    return isinstance(name, str) and _BOARD.fullmatch(name) is not None
