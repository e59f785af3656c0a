"""A backup a day by itself, a few of them kept; none while nothing was played."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from threading import Event, Thread
from time import time
from typing import Self

from device.errors import UsageError
from device.storage import backup
from device.storage.backup import Backup, BackupError
from game.errors import JournalError, reason
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE as JOURNAL
from game.message import Message

log = logging.getLogger(__name__)

FOLDER = "backups"
DAILY, RESTORED = "traykeeper", "restored"

KEPT = 7
KEPT_OF_RESTORES = 4
"""What was there before each of the last two, and after."""

KINDS = {DAILY: KEPT, RESTORED: KEPT_OF_RESTORES}
"""What they are called, and how many stay."""

TWICE = 2
DAY_S = 20 * 3600.0
"""A little less, so that an evening that begins earlier than yesterday's has its own."""

AN_EVENING = 50
"""So many steps since the last one are worth another, whatever the clock says."""

LOOK_S = 600.0
"""How often it is looked whether one is due."""


@dataclass(frozen=True, slots=True)
class BackupReport:
    """How the last backup went: its number and what is in it, or why there is none."""

    line: Message
    failed: bool = False


class Backups:
    """The backups that are made by themselves, numbered: order never depends on the clock.

    Args:
        folder: the state folder; they are in one below it.
        settings_file: goes in with the matches; None where there is none.
        clock: seconds since 1970.

    Attributes:
        report: how the last one went.
        made: called after each.
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
        self._made = False
        self.report = BackupReport(Message("none yet"))
        self.on_made: Callable[[], object] = lambda: None

    def collect(self) -> Backup:
        """All that is worth keeping, as it is at this moment."""
        return backup.collect(self._state, self._settings_file, self._clock())

    def make(self, kind: str = DAILY) -> Path:
        """Write one, and let the oldest of its kind go: restores push out no daily one.

        Raises:
            OSError, GameError: it cannot be made, or read back; the older ones are as they were.
        """
        made = self.collect()
        self._folder.mkdir(mode=0o700, exist_ok=True)
        files = self._files()
        number = _number(files[0]) + 1 if files else 1
        path = self._folder / f"{kind}-{number:06}.zip"
        backup.write(made, path)
        _read_back(path)
        for old in self._files(kind)[KINDS[kind] :]:
            old.unlink(missing_ok=True)
        self._note(made)
        self._made = True
        self.on_made()
        return path

    def make_if_due(self) -> None:
        """What goes wrong is noted for the health page, and tried again at the next look."""
        try:
            if self._due():
                self.make()
        except Exception as error:  # noqa: BLE001 - the next look is in ten minutes
            log.warning("the daily backup cannot be made: %s", error)
            self.report = BackupReport(
                Message("cannot be made (%(why)s)", why=reason(error)), failed=True
            )

    def valid(self, identity: str = "") -> Iterator[Backup]:
        """Those that hold, the newest first; of this journal alone where its identity is named."""
        for path in self._files():
            with suppress(UsageError):
                found = backup.read(path)
                if identity in ("", found.identity):
                    yield found

    def exist(self) -> bool:
        """Whether there are any, good or not."""
        return bool(self._files())

    def position_held_twice(self, identity: str) -> int:
        """Up to this position of that journal, two backups hold all steps: nothing else has to."""
        positions = [found.position for found in islice(self.valid(identity), 2)]
        return min(positions) if len(positions) == TWICE else 0

    def _due(self) -> bool:
        history = History(self._state / JOURNAL)
        newest = self._newest_of(history.identity)
        if not history.entries(newest.position if newest else 0, limit=1):
            return False
        if newest is None or abs(self._clock() - newest.made_s) >= DAY_S:
            return True
        # A clock that nobody sets begins at the same moment with each start.
        return not self._made and bool(history.entries(newest.position + AN_EVENING, limit=1))

    def _newest_of(self, identity: str) -> Backup | None:
        if self._newest is None or self._newest.identity != identity:
            self._newest = None
            if found := next(self.valid(identity), None):
                self._note(found)
        return self._newest

    def _note(self, made: Backup) -> None:
        """What it holds is not kept in memory."""
        self._newest = replace(made, parts=dict.fromkeys(made.parts, b""))
        self.report = BackupReport(made.contents)

    def _files(self, *kinds: str) -> list[Path]:
        found = (path for kind in kinds or KINDS for path in self._folder.glob(f"{kind}-*.zip"))
        return sorted(found, key=_number, reverse=True)


class DailyBackup:
    """Makes them on a thread of its own, from `__enter__` to `__exit__`."""

    def __init__(self, backups: Backups) -> None:
        self._backups = backups
        self._stop = Event()
        self._thread = Thread(target=self._run, name="backups", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._backups.make_if_due()
            self._stop.wait(LOOK_S)


def _read_back(path: Path) -> None:
    """No older one goes for one that the card did not keep."""
    try:
        backup.read(path)
    except BackupError as error:
        path.unlink()
        raise JournalError(error.message) from None


def _number(path: Path) -> int:
    digits = path.stem.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else 0
