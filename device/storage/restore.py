"""Restores a backup, after the current matches and settings are backed up."""

from contextlib import suppress
from pathlib import Path
from typing import Protocol

import platformdirs

from device.calibrating import profile_file
from device.errors import UsageError
from device.files import replace_file
from device.storage.backup import SETTINGS, Backup
from device.storage.daily_backup import RESTORED, Backups
from device.storage.throw_pictures import FOLDER as FRAMES
from device.storage.throw_pictures import delete_after
from game.errors import GameError
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE as JOURNAL


class Restorable(Protocol):
    """A journal that can be replaced by the one in a backup."""

    def restore(self, copy: bytes) -> None:
        """Replace all matches by those of a copy, which is a SQLite database."""


def restore_backup(good: Backup, journal: Restorable, folder: Path, backups: Backups) -> Path:
    """Restore the matches and the calibration, and return the backup of what was there before.

    Args:
        good: The backup to restore.
        journal: The open journal.
        folder: The state folder.
        backups: Backups of this folder.

    Raises:
        OSError, GameError: If the disk is full. The matches are unchanged then; the calibration may be
            restored already, with the previous one next to it.
    """
    before, was = backups.make(RESTORED), History(folder / JOURNAL).identity
    if profile_file.FILE in good.parts:
        replace_file(folder / profile_file.FILE, good.parts[profile_file.FILE])
    journal.restore(good.journal)  # last, so that a failure before leaves the match unchanged
    delete_after(folder / FRAMES, good.position if good.identity == was else 0)
    with suppress(OSError, GameError):  # the daily backup tries again
        backups.make(RESTORED)
    return before


def restore_settings(good: Backup, settings_file: Path | None) -> Path | None:
    """Restore the settings and return their file, or None if nothing had to be written.

    Args:
        good: The backup to restore.
        settings_file: The current settings; None restores to the user's own configuration.

    Raises:
        UsageError: If they cannot be written.
    """
    if SETTINGS not in good.parts:
        return None
    path = settings_file or platformdirs.user_config_path("traykeeper") / SETTINGS
    if path.exists() and path.read_bytes() == good.parts[SETTINGS]:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, good.parts[SETTINGS])
    except OSError as error:
        raise UsageError(
            f"{path}: the settings cannot be written ({error.strerror}): "
            "the matches are restored; run the command again with sudo to restore the settings"
        ) from None
    return path
