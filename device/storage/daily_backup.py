"""Automatic backups: one on each day on which people play. The latest few are kept."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import time

from device.errors import UsageError
from device.storage import backup
from device.storage.backup import Backup, BackupError
from game.errors import JournalError, reason
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE
from game.message import Message

log = logging.getLogger(__name__)

FOLDER = "backups"
DAILY, RESTORED = "traykeeper", "restored"

KEPT = {DAILY: 7, RESTORED: 4}
"""How many backups of each kind are kept. Each restore makes a backup before and another one after it."""

TWICE = 2
DAY_S = 20 * 3600.0
"""Age in seconds at which a backup is replaced by a new one.

This is less than a day, so that an evening that begins earlier than yesterday's gets its own backup.
"""

STEPS_PER_EVENING = 50
"""After this many new steps, a backup is made even if no day has passed according to the clock."""

CHECK_INTERVAL_S = 600.0


@dataclass(frozen=True, slots=True)
class BackupReport:
    """The result of the last automatic backup.

    Attributes:
        line: What the backup contains, or why it failed.
        failed: Whether the backup failed.
    """

    line: Message
    failed: bool = False


class Backups:
    """The automatic backups in the state folder, numbered so that their order does not depend on the clock.

    Args:
        folder: The state folder, which contains the folder for backups.
        settings_file: Path of the settings file to include; None if there is none.
        clock: Wall clock, in seconds since 1970.

    Attributes:
        report: The result of the last backup.
        on_made: Called after each successful backup.
    """

    def __init__(
        self,
        folder: Path,
        settings_file: Path | None = None,
        *,
        clock: Callable[[], float] = time,
    ) -> None:
        self._state, self._folder = folder, folder / FOLDER
        self._settings_file, self._clock = settings_file, clock
        self._newest: Backup | None = None
        self._has_made_one = False
        self.report = BackupReport(Message("none yet"))
        self.on_made: Callable[[], object] = lambda: None

    def collect(self) -> Backup:
        """Return the current matches, calibration and settings as a backup."""
        return backup.collect(self._state, self._settings_file, self._clock())

    def make(self, kind: str = DAILY) -> Path:
        """Write a backup, delete the oldest backups of its kind, and return the path of the new one.

        A backup that contains more matches than there are now may be needed if the wrong backup was restored. So
        the latest such backup, and the one with the most matches, are never deleted.

        Args:
            kind: `DAILY`, or `RESTORED` because of a restore or a recovery. The name of the file begins with it.

        Raises:
            OSError, GameError: If the backup cannot be written or read back. Older backups are then kept.
        """
        made = self.collect()
        self._folder.mkdir(mode=0o700, exist_ok=True)
        files = self._files()
        number = number_of(files[0]) + 1 if files else 1
        path = self._folder / f"{kind}-{number:06}.zip"
        backup.write(made, path)
        _read_back(path)
        self._rotate(kind, made.matches)
        self._remember(made)
        self._has_made_one = True
        self.on_made()
        return path

    def make_if_due(self) -> None:
        """Make a backup if one is due. If it fails, report that; the next check will try again."""
        try:
            if self._is_due():
                self.make()
        except Exception as error:  # noqa: BLE001 - the next check is in ten minutes
            log.warning("the daily backup cannot be made: %s", error)
            self.report = BackupReport(Message("failed (%(why)s)", why=reason(error)), failed=True)

    def valid(self, identity: str = "") -> Iterator[Backup]:
        """Yield the valid backups, newest first. If an identity is given, yield only backups of that journal."""
        for path in self._files():
            with suppress(UsageError):
                found = backup.read(path)
                if identity in ("", found.identity):
                    yield found

    def exist(self) -> bool:
        """Return whether there are any backups, valid or not."""
        return bool(self._files())

    def position_held_twice(self, identity: str) -> int:
        """Return the journal position up to which the two latest backups of a journal contain every step.

        The result is 0 if there are fewer than two valid backups.
        """
        positions = [found.position for found in islice(self.valid(identity), 2)]
        return min(positions) if len(positions) == TWICE else 0

    def _is_due(self) -> bool:
        history = History(self._state / JOURNAL_FILE)
        newest = self._newest_of(history.identity)
        if not history.entries(newest.position if newest else 0, limit=1):
            return False
        if newest is None or abs(self._clock() - newest.made_s) >= DAY_S:
            return True
        # A clock that is never set begins at the same time whenever the Pi starts.
        after = newest.position + STEPS_PER_EVENING
        return not self._has_made_one and bool(history.entries(after, limit=1))

    def _newest_of(self, identity: str) -> Backup | None:
        if self._newest is None or self._newest.identity != identity:
            self._newest = None
            if found := next(self.valid(identity), None):
                self._remember(found)
        return self._newest

    def _rotate(self, kind: str, matches: int) -> None:
        old = self._files(kind)[KEPT[kind] :]
        if not old:
            return
        counts = {path: backup.listed_matches(path) for path in self._files()}
        richer = [path for path, count in counts.items() if count > matches]
        spared = {*richer[:1], *sorted(richer, key=counts.__getitem__)[-1:]}
        for path in old:
            if path not in spared:
                path.unlink(missing_ok=True)

    def _remember(self, made: Backup) -> None:
        """Remember the latest backup, without the contents of its files, and report what it contains."""
        self._newest = replace(made, parts=dict.fromkeys(made.parts, b""))
        self.report = BackupReport(made.contents)

    def _files(self, *kinds: str) -> list[Path]:
        found = (path for kind in kinds or KEPT for path in self._folder.glob(f"{kind}-*.zip"))
        return sorted(found, key=number_of, reverse=True)


def _read_back(path: Path) -> None:
    """Read a new backup back; if the card did not store it correctly, delete it and raise JournalError."""
    try:
        backup.read(path)
    except BackupError as error:
        path.unlink()
        raise JournalError(error.message) from None


def number_of(path: Path) -> int:
    """Return the number after the last hyphen of a file name, or 0 if there is none."""
    digits = path.stem.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else 0
