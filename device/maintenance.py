"""The services for the page apart from the match: health checks, backups, and pictures of throws."""

from dataclasses import dataclass, field
from tempfile import TemporaryFile
from threading import Lock
from typing import BinaryIO

from device.coach.coach import TableCoach
from device.companion import Companion
from device.doctor.health_checks import HealthChecks
from device.shared_match.shared_matches import SharedMatches
from device.storage import backup
from device.storage.backup import Backup, BackupError
from device.storage.daily_backup import Backups
from device.storage.incoming_backup import BackupUpload, IncomingBackup
from device.storage.mending_journal import MendingJournal
from device.storage.misreads import MisreadStore
from device.storage.restore import restore_backup
from device.storage.throw_pictures import ThrowPictures
from game.commands import RestoreBackup
from game.errors import reason
from game.message import Message
from game.situation import TableError
from web.contracts import FoundBackup, HealthCheck, Snapshot, WebhookReport

PACKING_WAIT_S = 10.0
"""How long to wait for another backup, in seconds: enough to pack a thousand long matches.

Only one backup at a time fits into memory.
"""


@dataclass(slots=True)
class Maintenance:
    """The health checks, backups and pictures of one companion. Implements `web.contracts.Maintainer`.

    Attributes:
        companion: The companion.
        journal: The companion's journal.
        backups: The backups of its matches, calibration and settings.
        frames: The pictures and clips of its throws.
        misreads: The pictures of throws whose readings people corrected.
        coach: Works out statistics and advice for its matches.
        checks: The checks of the health page.
        shared: Its matches with other trays.
    """

    companion: Companion
    journal: MendingJournal
    backups: Backups
    frames: ThrowPictures
    misreads: MisreadStore
    coach: TableCoach
    checks: HealthChecks
    shared: SharedMatches
    _upload: BackupUpload = field(default_factory=BackupUpload)
    _packing: Lock = field(default_factory=Lock)
    _incoming: IncomingBackup = field(init=False)

    def __post_init__(self) -> None:
        self._incoming = IncomingBackup(self.journal.path.parent)

    def health(self) -> tuple[HealthCheck, ...]:
        """Run every check and return the results, always in the same order."""
        return self.checks.run()

    def webhook(self) -> WebhookReport | None:
        """Return how the latest steps for the webhook were delivered, or None if there is no webhook."""
        deliveries = self.checks.deliveries
        return deliveries.report() if deliveries else None

    def backup(self) -> BinaryIO:
        """Return matches, calibration and settings as one zip file, to be read once."""
        if not self._packing.acquire(timeout=PACKING_WAIT_S):
            raise TableError(Message("another backup is being prepared: try again in a moment"))
        try:
            file: BinaryIO = TemporaryFile(dir=self.journal.path.parent)  # noqa: SIM115 - closed by the caller
            backup.pack(self.backups.collect(), file)
        except OSError as error:
            raise TableError(
                Message("a backup cannot be made (%(why)s): is the disk full?", why=reason(error))
            ) from None
        finally:
            self._packing.release()
        file.seek(0)
        return file

    def receive(self, at: int, part: bytes) -> int:
        """Store the next part of a backup and return the offset of the part after it."""
        return self._upload.append(at, part)

    def restore(self) -> Snapshot:
        """Restore the backup that was received, and return the state of the table afterwards."""
        try:
            good = backup.unpack(self._upload.finish(), Message("the uploaded file"))
        except BackupError as error:
            raise TableError(error.message) from None
        return self._restore(good)

    def found_backup(self) -> FoundBackup | None:
        """Return the backup found on a USB stick or the SD card."""
        return self._incoming.describe()

    def restore_found(self) -> Snapshot:
        """Restore the backup that was found, and return the state of the table afterwards."""
        try:
            good = self._incoming.read()
        except BackupError as error:
            raise TableError(error.message) from None
        if good is None:
            raise TableError(Message("that backup is no longer available"))
        snapshot = self._restore(good)
        self._incoming.delete()
        return snapshot

    def dismiss_found(self) -> None:
        """Ignore the backup that was found, from now on."""
        self._incoming.delete()

    def _restore(self, good: Backup) -> Snapshot:
        def put() -> None:
            restore_backup(good, self.journal, self.journal.path.parent, self.backups)
            self.coach.rewind(good.position)

        try:
            return self.companion.do(RestoreBackup(put))
        except OSError as error:
            raise TableError(
                Message("it cannot be restored (%(why)s): is the disk full?", why=reason(error))
            ) from None

    def frame(self, position: int) -> bytes | None:
        """Return the camera image of a throw as JPEG, or None if it is not kept."""
        return self.frames.get(position)

    def clip(self, position: int) -> bytes | None:
        """Return a clip of how the dice of a throw came to rest, as Motion JPEG, or None if none is kept."""
        return self.frames.clip(position)

    def clip_positions(self) -> frozenset[int]:
        """Return the positions in the journal of all throws that have a clip."""
        return self.frames.clip_positions()
