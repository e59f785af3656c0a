"""The health page, backups, and pictures of throws."""

from collections.abc import Callable
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from threading import Lock
from time import monotonic
from typing import BinaryIO

from device.cameras.base import SIMULATED_CAMERA
from device.coach.coach import TableCoach
from device.companion import Companion
from device.companion.snapshots import Troubles
from device.doctor import check_pi, check_service
from device.doctor.findings import (
    BACKUP_FAILED,
    CAMERA_LOST,
    JOURNAL_RESTORED,
    LAMP_FAILED,
    NOT_DELIVERED,
    NOT_WHOLE,
    NOT_WRITTEN,
    SAFE_MODE,
    Finding,
    failed,
    ok,
    skipped,
    warning,
)
from device.doctor.system import System
from device.shared_match.shared_matches import SharedMatches
from device.storage import backup
from device.storage.backup import Backup, BackupError, match_count
from device.storage.daily_backup import Backups
from device.storage.incoming_backup import BackupUpload, IncomingBackup
from device.storage.mending_journal import MendingJournal
from device.storage.misreads import MisreadStore
from device.storage.restore import restore_backup
from device.storage.throw_pictures import ThrowPictures
from device.webhook.delivery_log import DeliveryLog
from game.commands import RestoreBackup
from game.errors import JournalError, reason
from game.journal.history import History
from game.message import Message, Verbatim
from game.situation import TableError
from web.contracts.maintenance import FoundBackup, HealthCheck, WebhookReport
from web.contracts.table import Snapshot

PACKING_WAIT_S = 10.0
"""Enough to pack a thousand long matches. Only one backup at a time fits into memory."""

REUSE_S = 10.0
"""How long the checks of the machine are reused, however many phones show the page."""

MACHINE: tuple[tuple[Message, Callable[[System], Finding]], ...] = (
    (Message("space"), check_pi.space),
    (Message("disk"), check_pi.disk),
    (Message("power"), check_pi.power),
    (Message("heat"), check_pi.heat),
    (Message("clock"), check_pi.clock),
    (Message("update"), check_service.update),
)


@dataclass(slots=True)
class Maintenance:
    """Looks after one companion; it implements `web.contracts.maintenance.Maintainer`.

    Attributes:
        companion: The companion.
        journal: Its journal.
        backups: Its backups.
        frames: Its pictures of throws.
        misreads: Its pictures that people corrected.
        coach: Works out figures of its matches.
        system: The machine, for the checks.
        shared: Its matches with other trays.
        deliveries: The newest deliveries to the webhook; None if there is none.
    """

    companion: Companion
    journal: MendingJournal
    backups: Backups
    frames: ThrowPictures
    misreads: MisreadStore
    coach: TableCoach
    system: System
    shared: SharedMatches
    deliveries: DeliveryLog | None = None
    _upload: BackupUpload = field(default_factory=BackupUpload)
    _lock: Lock = field(default_factory=Lock)
    _packing: Lock = field(default_factory=Lock)
    _checked_s: float = float("-inf")
    _machine: tuple[HealthCheck, ...] = ()
    _incoming: IncomingBackup = field(init=False)

    def __post_init__(self) -> None:
        self._incoming = IncomingBackup(self.journal.path.parent)

    def health(self) -> tuple[HealthCheck, ...]:
        """Implement `Maintainer.health`."""
        return (*self._table_checks(), *self._machine_checks())

    def webhook(self) -> WebhookReport | None:
        """Implement `Maintainer.webhook`."""
        return self.deliveries.report() if self.deliveries else None

    def backup(self) -> BinaryIO:
        """Implement `Maintainer.backup`."""
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
        """Implement `Maintainer.receive`."""
        return self._upload.append(at, part)

    def restore(self) -> Snapshot:
        """Implement `Maintainer.restore`."""
        try:
            good = backup.unpack(self._upload.finish(), Message("the uploaded file"))
        except BackupError as error:
            raise TableError(error.message) from None
        return self._restore(good)

    def found_backup(self) -> FoundBackup | None:
        """Implement `Maintainer.found_backup`."""
        return self._incoming.describe()

    def restore_found(self) -> Snapshot:
        """Implement `Maintainer.restore_found`."""
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
        """Implement `Maintainer.dismiss_found`."""
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
        """Implement `Maintainer.frame`."""
        return self.frames.get(position)

    def clip(self, position: int) -> bytes | None:
        """Implement `Maintainer.clip`."""
        return self.frames.clip(position)

    def clip_positions(self) -> frozenset[int]:
        """Implement `Maintainer.clip_positions`."""
        return self.frames.clip_positions()

    def _table_checks(self) -> tuple[HealthCheck, ...]:
        troubles = self.companion.troubles
        safe = warning(SAFE_MODE) if troubles.safe_mode else None
        return (
            *((_check(Message("safe mode"), safe),) if safe else ()),
            _check(Message("camera"), self._camera(troubles)),
            _check(Message("journal"), self._journal(troubles)),
            _check(Message("backup"), self._backup()),
            _check(Message("lamp"), self._output(troubles)),
            *self._webhook_checks(),
        )

    def _webhook_checks(self) -> tuple[HealthCheck, ...]:
        """Return the check of the webhook, if there is one."""
        report = self.webhook()
        if report is None:
            return ()
        if report.trouble:
            found = warning(NOT_DELIVERED, report.trouble)
        else:
            found = ok(Message("every step has arrived at %(host)s", host=report.receiver))
        return (_check(Message("steps for another program"), found),)

    def _camera(self, troubles: Troubles) -> Finding:
        if troubles.safe_mode:
            return skipped(Message("off in safe mode"))
        if troubles.camera:
            return warning(CAMERA_LOST, troubles.camera)
        if not self.companion.tray_camera.is_expected:
            return ok(Message("phones take the photos"))
        camera = self.companion.snapshot().camera
        return ok(_called(camera) if camera else Message("searching"))

    def _journal(self, troubles: Troubles) -> Finding:
        if troubles.journal:
            return failed(NOT_WRITTEN, troubles.journal)
        if trouble := self.journal.trouble:
            return failed(NOT_WHOLE, trouble)
        if troubles.record:
            return warning(JOURNAL_RESTORED)
        try:
            matches = History(self.journal.path).count()
            size_mb = self.journal.path.stat().st_size / 1024**2
        except (OSError, JournalError) as error:
            return failed(NOT_WRITTEN, reason(error))
        return ok(
            Message(
                "%(matches)s, %(size)s MB, in %(folder)s",
                matches=match_count(matches),
                size=size_mb,
                folder=str(self.journal.path.parent),
            )
        )

    def _output(self, troubles: Troubles) -> Finding:
        return (
            warning(LAMP_FAILED, troubles.output) if troubles.output else ok(Message("no problems"))
        )

    def _backup(self) -> Finding:
        report = self.backups.report
        return warning(BACKUP_FAILED, report.line) if report.failed else ok(report.line)

    def _machine_checks(self) -> tuple[HealthCheck, ...]:
        with self._lock:
            if monotonic() - self._checked_s > REUSE_S:
                self._machine = tuple(_check(name, look(self.system)) for name, look in MACHINE)
                self._checked_s = monotonic()
            return self._machine


def _called(camera: str) -> Message:
    """Return the name of a camera for the health page; only the simulated tray's is translated."""
    return Message("simulated tray") if camera == SIMULATED_CAMERA else Verbatim(camera)


def _check(name: Message, found: Finding) -> HealthCheck:
    remedy = found.trouble.remedy if found.trouble else None
    return HealthCheck(name, found.level.value, found.line, remedy)
