"""Restores a backup, after backing up the current matches and settings."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock, Timer
from time import monotonic

import platformdirs

from device.calibrating import profile_file
from device.errors import UsageError
from device.files import replace_file
from device.storage import backup
from device.storage.backup import SETTINGS, Backup, BackupError
from device.storage.daily_backup import RESTORED, Backups
from device.storage.throw_pictures import FRAMES_FOLDER, delete_after
from game.errors import GameError
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE, Journal, MendingJournal
from game.message import Message
from game.situation import TableError
from web.contracts import FoundBackup

FOLDER = "incoming"
"""Folder in the state folder to which `systemd/carry`, as root, copies files without opening them."""

_STATE_LINE = re.compile(r"""^[ \t]*["']?state["']?[ \t]*=.*\n?""", re.MULTILINE)

FileVersion = tuple[int, str, int, int]
"""Modification time in nanoseconds, name, inode and size in bytes. If all are equal, the file has not changed."""

ABANDONED_S = 120.0
"""An upload is dropped if no part arrives for this many seconds. Each part takes a second or two."""


class IncomingBackup:
    """The newest backup in the folder for incoming files. Thread-safe.

    The file is checked only once, because it may be large and many phones ask about it.

    Args:
        state: The state folder.
    """

    def __init__(self, state: Path) -> None:
        self._folder = state / FOLDER
        self._reading = Lock()
        self._checked: FileVersion | None = None
        self._found: FoundBackup | None = None

    def __repr__(self) -> str:
        return f"<IncomingBackup in {self._folder}: {self.file}>"

    @property
    def file(self) -> Path | None:
        """Path of the newest incoming file; None if there is none."""
        newest = self._newest()
        return newest[0] if newest else None

    def describe(self) -> FoundBackup | None:
        """Return what the newest file contains, or why it cannot be used; None if there is no file."""
        with self._reading:
            newest = self._newest()
            if newest is None:
                return None
            path, version = newest
            if version != self._checked:
                self._checked, self._found = version, _describe(path)
            return self._found

    def read(self) -> Backup | None:
        """Return the newest backup, or None if there is none.

        Raises:
            BackupError: If the file is not a valid backup.
        """
        with self._reading:
            file = self.file
            return backup.read(file) if file else None

    def delete(self) -> None:
        """Delete all incoming files, after the newest file has been restored or declined."""
        for path in self._folder.glob("*.zip"):
            path.unlink(missing_ok=True)

    def _newest(self) -> tuple[Path, FileVersion] | None:
        found = []
        for path in self._folder.glob("*.zip"):
            with suppress(OSError):  # it was deleted in the meantime
                if path.is_file():
                    stat = path.stat()
                    version = stat.st_mtime_ns, path.name, stat.st_ino, stat.st_size
                    found.append((path, version))
        return max(found, key=lambda each: each[1], default=None)


def _describe(path: Path) -> FoundBackup:
    try:
        return FoundBackup(backup.read(path).contents, is_usable=True)
    except BackupError as error:
        return FoundBackup(error.message, is_usable=False)


class BackupUpload:
    """A backup that is uploaded in parts and kept in memory until it is complete. Thread-safe.

    Args:
        abandoned_s: Seconds without a new part after which the upload is dropped.
        clock: Monotonic clock, in seconds.
    """

    def __init__(
        self, abandoned_s: float = ABANDONED_S, clock: Callable[[], float] = monotonic
    ) -> None:
        self._abandoned_s, self._clock = abandoned_s, clock
        self._lock = Lock()
        self._data = bytearray()
        self._last_part_s = 0.0

    def __len__(self) -> int:
        return len(self._data)

    def append(self, offset: int, part: bytes) -> int:
        """Add a part and return the offset at which the next one must begin.

        Args:
            offset: Number of bytes before this part. 0 starts a new upload.
            part: The bytes of the part.

        Raises:
            TableError: If another offset was expected, or the upload is too large.
        """
        with self._lock:
            if offset == 0:
                self._data.clear()
            if offset != len(self._data):
                raise TableError(
                    Message("Another backup is being uploaded: try again in a moment.")
                )
            if offset + len(part) > backup.MAX_PACKED:
                raise TableError(
                    Message("This file is too large to upload: restore it on the command line.")
                )
            if not self._data:
                self._drop_later(self._abandoned_s)
            self._data += part
            self._last_part_s = self._clock()
            return len(self._data)

    def finish(self) -> bytes:
        """Return all bytes received so far and forget them."""
        with self._lock:
            data = bytes(self._data)
            self._data.clear()
            return data

    def _drop_later(self, wait_s: float) -> None:
        timer = Timer(wait_s, self._drop_if_abandoned)
        timer.daemon = True
        timer.start()

    def _drop_if_abandoned(self) -> None:
        with self._lock:
            wait_s = self._last_part_s + self._abandoned_s - self._clock()
            if wait_s <= 0:
                self._data.clear()
            elif self._data:
                self._drop_later(wait_s)


def restore_backup(
    good: Backup, journal: Journal | MendingJournal, folder: Path, backups: Backups
) -> Path:
    """Restore the matches and the calibration, and return the path of a new backup of the previous ones.

    Args:
        good: The backup to restore.
        journal: The open journal.
        folder: The state folder.
        backups: The automatic backups in this folder.

    Raises:
        OSError, GameError: If the disk is full. The matches are then unchanged; the calibration may already be
            restored, with the previous one next to it.
    """
    before, was = backups.make(RESTORED), History(folder / JOURNAL_FILE).identity
    if profile_file.PROFILE_FILE in good.parts:
        replace_file(folder / profile_file.PROFILE_FILE, good.parts[profile_file.PROFILE_FILE])
    journal.restore(good.journal)  # last, so that an earlier failure leaves the matches unchanged
    delete_after(folder / FRAMES_FOLDER, good.position if good.identity == was else 0)
    with suppress(OSError, GameError):  # the daily backup tries again
        backups.make(RESTORED)
    return before


def restore_settings(good: Backup, settings_file: Path | None, state: str) -> Path | None:
    """Restore the settings and return the path of their file, or None if nothing had to be written.

    The folder for the matches stays that of this machine, because the backup may come from another one.

    Args:
        good: The backup to restore.
        settings_file: Path of the current settings file; None writes to the user's configuration folder.
        state: The current setting `state`; "" means the usual folder.

    Raises:
        UsageError: If the settings cannot be written.
    """
    if SETTINGS not in good.parts:
        return None
    path = settings_file or platformdirs.user_config_path("traykeeper") / SETTINGS
    line = f"state = {json.dumps(state, ensure_ascii=False)}\n" if state else ""
    text, count = _STATE_LINE.subn(lambda _: line, good.parts[SETTINGS].decode("utf-8"))
    data = (text if count else f"{text.rstrip()}\n{line}").encode("utf-8")
    if path.exists() and path.read_bytes() == data:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as error:
        raise UsageError(
            f"{path}: the settings cannot be written ({error.strerror}): "
            "the matches are restored; run the command again with sudo to restore the settings"
        ) from None
    return path
