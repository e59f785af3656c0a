"""Putting a backup back, with what was there kept beside it."""

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
from device.storage.throw_pictures import forget
from game.errors import GameError
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE as JOURNAL


class Restorable(Protocol):
    """A journal that takes the matches of a backup."""

    def restore(self, copy: bytes) -> None: ...


def restore_backup(good: Backup, journal: Restorable, folder: Path, backups: Backups) -> Path:
    """Matches and calibration as they were, without pictures of others; gives where those of before are.

    Raises:
        OSError, GameError: there is no room for it. The matches are as before; the calibration may be
            the restored one already, with that of before beside it.
    """
    before, was = backups.make(RESTORED), History(folder / JOURNAL).identity
    if profile_file.FILE in good.parts:
        replace_file(folder / profile_file.FILE, good.parts[profile_file.FILE])
    journal.restore(good.journal)  # last: a match in play is told of it, or it was not done
    forget(folder / FRAMES, after=good.position if good.identity == was else 0)
    with suppress(OSError, GameError):  # tried again by itself
        backups.make(RESTORED)
    return before


def restore_settings(good: Backup, settings_file: Path | None) -> Path | None:
    """The settings as they were; gives where, or None where nothing had to be written.

    Raises:
        UsageError: they cannot be written.
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
            "the matches are restored; do it again with sudo for the settings"
        ) from None
    return path
