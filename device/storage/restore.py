"""Restores a backup, after backing up the current matches and settings."""

from contextlib import suppress
from pathlib import Path

import platformdirs

from device.calibrating import profile_file
from device.errors import UsageError
from device.files import replace_file
from device.storage.backup import SETTINGS, Backup
from device.storage.daily_backup import RESTORED, Backups
from device.storage.mending_journal import MendingJournal
from device.storage.throw_pictures import FRAMES_FOLDER, delete_after
from game.errors import GameError
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE, Journal


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


def restore_settings(good: Backup, settings_file: Path | None) -> Path | None:
    """Restore the settings and return the path of their file, or None if nothing had to be written.

    Args:
        good: The backup to restore.
        settings_file: Path of the current settings file; None writes to the user's configuration folder.

    Raises:
        UsageError: If the settings cannot be written.
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
