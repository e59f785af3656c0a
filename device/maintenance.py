"""The maintenance of one companion: the checks of the health page, its backups, and the pictures of its throws."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from threading import Lock
from time import localtime, monotonic, strftime
from typing import BinaryIO

from device.cameras.base import SIMULATED_CAMERA
from device.coach.coach import TableCoach
from device.companion.companion import Companion, Troubles
from device.doctor import checks, problems
from device.doctor.problems import Finding, failed, ok, skipped, warning
from device.doctor.system import System
from device.mqtt.client import BrokerState
from device.shared_match.shared_matches import SharedMatches
from device.storage import backup
from device.storage.backup import Backup, BackupError, match_count
from device.storage.daily_backup import Backups
from device.storage.misreads import MisreadStore
from device.storage.restore import BackupUpload, IncomingBackup, restore_backup
from device.storage.throw_pictures import ThrowPictures
from device.webhook import DeliveryLog
from game.commands import RestoreBackup
from game.errors import JournalError, reason
from game.journal.history import History
from game.journal.journal import MendingJournal
from game.message import Message, Verbatim
from game.situation import TableError
from web.contracts import FoundBackup, HealthCheck, Snapshot, WebhookReport

PACKING_WAIT_S = 10.0
"""How long to wait for another backup, in seconds: enough to pack a thousand long matches.

Only one backup at a time fits into memory.
"""

REUSE_S = 10.0
"""How long the results of the machine's checks are reused, in seconds, however many phones show the health page."""


def _card(system: System) -> Finding:
    """Check the card in one line: its free space or, first, signs that the card is worn out."""
    worn = checks.disk(system)
    return worn if worn.trouble else checks.space(system)


MACHINE: tuple[tuple[Message, Callable[[System], Finding]], ...] = (
    (Message("space on the card"), _card),
    (Message("power"), checks.power),
    (Message("heat"), checks.heat),
    (Message("clock"), checks.clock),
    (Message("update"), checks.update),
    (Message("USB stick"), checks.stick),
)


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
        shared: Its matches with other trays.
        system: The installation to check.
        deliveries: The latest deliveries to the webhook; None if no webhook is set.
        broker: Returns the state of the connection to the broker; None if no broker is set.
    """

    companion: Companion
    journal: MendingJournal
    backups: Backups
    frames: ThrowPictures
    misreads: MisreadStore
    coach: TableCoach
    shared: SharedMatches
    system: System
    deliveries: DeliveryLog | None = None
    broker: Callable[[], BrokerState] | None = None
    _upload: BackupUpload = field(default_factory=BackupUpload)
    _packing: Lock = field(default_factory=Lock)
    _incoming: IncomingBackup = field(init=False)
    _checking: Lock = field(default_factory=Lock)
    _checked_s: float = float("-inf")
    _machine: tuple[HealthCheck, ...] = ()

    def __post_init__(self) -> None:
        self._incoming = IncomingBackup(self.journal.path.parent)

    def health(self) -> tuple[HealthCheck, ...]:
        """Run every check that is due and return the results, always in the same order."""
        table = (_check(name, found) for name, found in self._table_findings())
        return (*table, *self._machine_checks())

    def webhook(self) -> WebhookReport | None:
        """Return how the latest steps for the webhook were delivered, or None if there is no webhook."""
        return self.deliveries.report() if self.deliveries else None

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

    def _table_findings(self) -> Iterator[tuple[Message, Finding]]:
        """Yield the name and the finding of each check of the companion."""
        troubles = self.companion.troubles
        if troubles.safe_mode:
            yield Message("safe mode"), warning(problems.SAFE_MODE)
        yield Message("camera"), self._camera(troubles)
        yield Message("journal"), self._journal(troubles)
        yield Message("backup"), self._backup()
        yield Message("lamp"), self._output(troubles)
        if self.broker is not None:
            yield Message("broker"), _connected(self.broker())
        if self.deliveries is not None:
            yield Message("steps for another program"), _delivered(self.deliveries.report())

    def _camera(self, troubles: Troubles) -> Finding:
        if troubles.safe_mode:
            return skipped(Message("off in safe mode"))
        if troubles.camera:
            return warning(problems.CAMERA_LOST, troubles.camera)
        if troubles.slow_camera:
            return warning(problems.SLOW_CAMERA, troubles.slow_camera)
        if not self.companion.tray_camera.is_expected:
            return ok(Message("phones take the photos"))
        return ok(self._working_camera())

    def _working_camera(self) -> Message:
        camera = self.companion.snapshot().camera
        if camera is None:
            return Message("searching")
        rate_hz = self.companion.tray_camera.watch.link.rate_hz
        if rate_hz is None:
            return _called(camera)
        rate = round(rate_hz, 1)
        return Message("%(camera)s, %(rate)s pictures a second", camera=camera, rate=rate)

    def _journal(self, troubles: Troubles) -> Finding:
        if troubles.journal:
            return failed(problems.NOT_WRITTEN, troubles.journal)
        if trouble := self.journal.trouble:
            return failed(problems.NOT_WHOLE, trouble)
        if troubles.record:
            return warning(problems.JOURNAL_RESTORED)
        try:
            matches = History(self.journal.path).count()
            size_mb = self.journal.path.stat().st_size / 1024**2
        except (OSError, JournalError) as error:
            return failed(problems.NOT_WRITTEN, reason(error))
        return ok(
            Message(
                "%(matches)s, %(size)s MB, in %(folder)s",
                matches=match_count(matches),
                size=size_mb,
                folder=str(self.journal.path.parent),
            )
        )

    def _output(self, troubles: Troubles) -> Finding:
        if troubles.output:
            return warning(problems.LAMP_FAILED, troubles.output)
        return ok(Message("no problems"))

    def _backup(self) -> Finding:
        report = self.backups.report
        return warning(problems.BACKUP_FAILED, report.line) if report.failed else ok(report.line)

    def _machine_checks(self) -> tuple[HealthCheck, ...]:
        with self._checking:
            if monotonic() - self._checked_s > REUSE_S:
                self._machine = tuple(_check(name, look(self.system)) for name, look in MACHINE)
                self._checked_s = monotonic()
            return self._machine


def _connected(state: BrokerState) -> Finding:
    if not state.broker:
        return warning(problems.BROKER_REFUSED, Verbatim(state.trouble))
    if state.is_connected:
        return ok(Message("connected to %(broker)s", broker=state.broker))
    since = strftime("%H:%M", localtime(state.since_s))
    return warning(
        problems.BROKER_LOST,
        Message(
            "no connection to %(broker)s since %(time)s (%(why)s)",
            broker=state.broker,
            time=since,
            why=state.trouble or Message("no answer yet"),
        ),
    )


def _delivered(report: WebhookReport) -> Finding:
    if not report.receiver and report.trouble:
        return warning(problems.WEBHOOK_REFUSED, report.trouble)
    if report.trouble:
        problem = problems.NOT_WANTED if report.is_gone else problems.NOT_DELIVERED
        return warning(problem, report.trouble)
    if not report.attempts:
        return skipped(
            Message("nothing has been sent to %(host)s since the start", host=report.receiver)
        )
    return ok(Message("every step has arrived at %(host)s", host=report.receiver))


def _called(camera: str) -> Message:
    """Return the name of a camera for the health page. Only the name of the simulated tray is translated."""
    return Message("simulated tray") if camera == SIMULATED_CAMERA else Verbatim(camera)


def _check(name: Message, found: Finding) -> HealthCheck:
    remedy = found.trouble.remedy if found.trouble else None
    return HealthCheck(name, found.level.value, found.line, remedy)
