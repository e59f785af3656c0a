"""The checks of the health page: those of the companion, and those of the machine."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from device.cameras.base import SIMULATED_CAMERA
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
from device.storage.backup import match_count
from device.storage.daily_backup import Backups
from device.storage.mending_journal import MendingJournal
from device.webhook.delivery_log import DeliveryLog
from game.errors import JournalError, reason
from game.journal.history import History
from game.message import Message, Verbatim
from web.contracts.maintenance import HealthCheck

REUSE_S = 10.0
"""How long the results of the machine's checks are reused, in seconds, however many phones show the health page."""

MACHINE: tuple[tuple[Message, Callable[[System], Finding]], ...] = (
    (Message("space"), check_pi.space),
    (Message("disk"), check_pi.disk),
    (Message("power"), check_pi.power),
    (Message("heat"), check_pi.heat),
    (Message("clock"), check_pi.clock),
    (Message("update"), check_service.update),
)


@dataclass(slots=True)
class HealthChecks:
    """The health checks of one companion and its machine. Thread-safe.

    Attributes:
        companion: The companion.
        journal: The companion's journal.
        backups: The backups of its matches, calibration and settings.
        system: The installation to check.
        deliveries: The latest deliveries to the webhook; None if no webhook is set.
    """

    companion: Companion
    journal: MendingJournal
    backups: Backups
    system: System
    deliveries: DeliveryLog | None = None
    _lock: Lock = field(default_factory=Lock)
    _checked_s: float = float("-inf")
    _machine: tuple[HealthCheck, ...] = ()

    def run(self) -> tuple[HealthCheck, ...]:
        """Run every check that is due, and return the results."""
        return (*self._table_checks(), *self._machine_checks())

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
        """Return the check of the webhook, or nothing if no webhook is set."""
        if self.deliveries is None:
            return ()
        report = self.deliveries.report()
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
    """Return the name of a camera for the health page. Only the name of the simulated tray is translated."""
    return Message("simulated tray") if camera == SIMULATED_CAMERA else Verbatim(camera)


def _check(name: Message, found: Finding) -> HealthCheck:
    remedy = found.trouble.remedy if found.trouble else None
    return HealthCheck(name, found.level.value, found.line, remedy)
