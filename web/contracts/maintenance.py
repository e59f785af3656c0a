"""The maintenance of the appliance, as the health page and its API need it.

`device.maintenance` implements `Maintainer`.
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
        name: The name of the check, in one word.
        level: `ok`; `failed` needs a repair, `warning` needs attention, `skipped` was not checked.
        line: The result of the check.
        remedy: What to do about it; None if there is nothing to do.
    """

    name: Message
    level: Level
    line: Message
    remedy: Message | None = None

    @property
    def is_bad(self) -> bool:
        """Whether the check found a problem that somebody should look at."""
        return self.level in ("warning", "failed")


@dataclass(frozen=True, slots=True)
class FoundBackup:
    """A backup that somebody put on a USB stick or on the SD card.

    Attributes:
        line: What the backup contains, or why it cannot be used.
        is_usable: Whether the backup can be restored.
    """

    line: Message
    is_usable: bool


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """An attempt to send a step to the webhook.

    Attributes:
        time_s: When the attempt was made, in seconds since 1970.
        step: The kinds of events in the step, separated by commas.
        trouble: Why the receiver did not accept the step; None if it did.
        wait_s: Seconds from a failed attempt to the next one.
    """

    time_s: float
    step: str
    trouble: Message | None = None
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class WebhookReport:
    """How the latest steps for the webhook were delivered.

    Attributes:
        receiver: Host and port of the receiver.
        attempts: The latest attempts to send a step, newest first.
        trouble: Why the receiver does not accept the steps; None if nothing is wrong.
    """

    receiver: str
    attempts: tuple[DeliveryAttempt, ...] = ()
    trouble: Message | None = None


class Maintainer(Protocol):
    """Checks the appliance, backs it up and restores it. Any thread may call its methods."""

    def health(self) -> tuple[HealthCheck, ...]:
        """Run every check and return the results, always in the same order."""

    def webhook(self) -> WebhookReport | None:
        """Return how the latest steps for the webhook were delivered, or None if there is no webhook."""

    def backup(self) -> BinaryIO:
        """Return matches, calibration and settings as one zip file, to be read once.

        Raises:
            GameError: If the backup cannot be made, or one is already being made for somebody else.
        """

    def receive(self, at: int, part: bytes) -> int:
        """Store the next part of a backup and return the offset of the part after it.

        Args:
            at: Offset of the part, in bytes; 0 starts a new backup.
            part: The bytes of the part.

        Raises:
            TableError: If another part is expected, or the backup is too long.
        """

    def restore(self) -> Snapshot:
        """Restore the backup that was received, and return the state of the table afterwards.

        Raises:
            TableError: If the backup cannot be used.
        """

    def found_backup(self) -> FoundBackup | None:
        """Return the backup found on a USB stick or the SD card.

        None means that there is none, or that it has been restored or dismissed.
        """

    def restore_found(self) -> Snapshot:
        """Restore the backup that was found, and return the state of the table afterwards.

        Raises:
            TableError: If the backup cannot be used.
        """

    def dismiss_found(self) -> None:
        """Ignore the backup that was found, from now on."""

    def frame(self, position: int) -> bytes | None:
        """Return the camera image of a throw as JPEG, or None if it is not kept.

        Args:
            position: Position of the throw in the journal.
        """

    def clip(self, position: int) -> bytes | None:
        """Return a clip of how the dice of a throw came to rest, as Motion JPEG, or None if none is kept.

        Args:
            position: Position of the throw in the journal.
        """

    def clip_positions(self) -> frozenset[int]:
        """Return the positions in the journal of all throws that have a clip."""
