"""What the page needs to tell how the appliance does, and to back it up and restore it.

`device.maintenance` implements `Maintainer`; nothing in this room knows how.
"""

from dataclasses import dataclass
from typing import BinaryIO, Literal, Protocol

from game.message import Message
from web.contracts.table import Snapshot

Level = Literal["ok", "skipped", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One line of the health page.

    Attributes:
        name: one word: what was looked at.
        level: `failed` has to be mended, `warning` one should know of, `skipped` cannot be told.
        line: what was found.
        remedy: what to do about it; None where there is nothing to do.
    """

    name: Message
    level: Level
    line: Message
    remedy: Message | None = None

    @property
    def is_bad(self) -> bool:
        return self.level in ("warning", "failed")


@dataclass(frozen=True, slots=True)
class FoundBackup:
    """A backup that was put on a stick or on the card.

    Attributes:
        line: what is in it, or why it cannot be used.
        is_usable: whether it can be put in place.
    """

    line: Message
    is_usable: bool


class Maintainer(Protocol):
    """Looks after the appliance. Every method may be called from any thread."""

    def health(self) -> tuple[HealthCheck, ...]:
        """Every check, the same ones in the same order each time."""

    def backup(self) -> BinaryIO:
        """All that is worth keeping, as one file, to be read once.

        Raises `game.GameError` where it cannot be, or is made for somebody else just now.
        """

    def receive(self, at: int, part: bytes) -> int:
        """Take the next part of a backup, `at` so many bytes; 0 begins anew. Gives where to go on.

        Raises `TableError` where another part was expected, or it is too long.
        """

    def restore(self) -> Snapshot:
        """Put what was received in place of what is here. Raises `TableError` if it does not hold."""

    def found_backup(self) -> FoundBackup | None:
        """What lies on a stick or on the card and waits for a word; usually nothing."""

    def restore_found(self) -> Snapshot:
        """Put that in place of what is here. Raises `TableError` if it does not hold."""

    def dismiss_found(self) -> None:
        """It is not wanted."""

    def frame(self, position: int) -> bytes | None:
        """The camera's picture of the throw at this position of the journal, as JPEG, if kept."""
