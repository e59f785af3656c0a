"""A match that is played at two trays, as the pages and the API need it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from game.errors import TraykeeperError
from game.message import Message


class SharedPhase(StrEnum):
    """The stages of a shared match."""

    INVITING = "inviting"
    JOINING = "joining"
    PLAYING = "playing"


@dataclass(frozen=True, slots=True)
class OtherTrayView:
    """The other tray of a shared match.

    Attributes:
        phase: The stage of the match.
        seats: The seats of the players at the other tray.
        is_reachable: Whether the other tray has answered in the last few seconds.
        trouble: Why the trays cannot play together now, and what to do; None if they can.
    """

    phase: SharedPhase
    seats: tuple[int, ...] = ()
    is_reachable: bool = False
    trouble: Message | None = None


class UnknownCodeError(TraykeeperError):
    """A message is signed with a code that belongs to no match at this tray."""


class SharedPlay(Protocol):
    """Plays matches together with another tray. Any thread may call its methods."""

    def view(self) -> OtherTrayView | None:
        """Return what the page shows about the other tray, or None if there is none."""

    def invitation(self, page: str) -> str:
        """Return the secret invitation for the other tray; "" if there is none.

        Args:
            page: Address of this tray's page.
        """

    def invite(
        self,
        names: tuple[str, ...],
        rules: str | None,
        target: int | None,
        options: Mapping[str, Any] | None,
    ) -> None:
        """Make a code that lets another tray join a match.

        Args:
            names: The players at this tray.
            rules: Name of published rules; None means the default of this tray.
            target: Points to play for; None means the target of the rules.
            options: Options that differ from the rules.

        Raises:
            GameError: If these players cannot form a match, or the rules are not valid.
        """

    def join(self, invitation: str, names: tuple[str, ...]) -> None:
        """Join a match to which another tray has invited this one.

        Args:
            invitation: The link or the code that the other tray shows.
            names: The players at this tray.

        Raises:
            TableError: If the invitation cannot be read, or the trays would need a broker to meet.
        """

    def leave(self) -> None:
        """Withdraw the invitation or, if the match has begun, play on alone."""

    def exchange(self, keys_id: str, text: str, mac: str) -> str:
        """Process a message from the other tray, and return the answer as JSON.

        Args:
            keys_id: Id of the keys that sign the message.
            text: The message.
            mac: The signature of the message.

        Raises:
            UnknownCodeError: If the message is not signed with the code of a match that is known here.
            TraykeeperError: If the message cannot be understood.
        """
