"""The MQTT topics of a tray. docs/mqtt.md lists them."""

import re

ROOT = "traykeeper"
BIRTH = "homeassistant/status"
"""Topic on which Home Assistant reports that it has started and that devices must be announced again."""

ONLINE, OFFLINE = "online", "offline"

_BOARD = re.compile(r"[a-z0-9-]{1,40}")


class Topics:
    """The MQTT topics of one tray, or of every tray.

    Args:
        tray: Name of the tray; "+" matches every tray.

    Attributes:
        tray: Name of the tray.
        availability: Availability of the tray, `online` or `offline`.
        state: Current state of the tray and its match; the broker retains the last message.
        event: Entries of the journal.
        moment: Special moments of a match, such as a farkle, for lights and sounds.
        replay: Requests of club boards for missed entries.
        assign: Matches that a club board assigns to the tray.
        assigned: Whether the tray accepts or declines a match that a club board has assigned to it.
        discovery: The announcement of the tray to Home Assistant.
    """

    def __init__(self, tray: str) -> None:
        self.tray = tray
        self.availability = f"{ROOT}/{tray}/availability"
        self.state = f"{ROOT}/{tray}/state"
        self.event = f"{ROOT}/{tray}/event"
        self.moment = f"{ROOT}/{tray}/moment"
        self.replay = f"{ROOT}/{tray}/replay"
        self.assign = f"{ROOT}/{tray}/assign"
        self.assigned = f"{self.assign}/answer"
        self.discovery = f"homeassistant/device/{ROOT}_{tray}/config"

    def answer(self, board: str) -> str:
        """Return the topic on which a club board receives the answers to its requests."""
        return f"{self.replay}/{board}"


def is_board(name: object) -> bool:
    """Return whether a value can be the name of a club board in topics."""
    return isinstance(name, str) and _BOARD.fullmatch(name) is not None
