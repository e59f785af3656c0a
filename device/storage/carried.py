"""A backup that somebody put on a stick or on the card: it waits here until it is asked for.

`systemd/carry` brings it, as root; nothing of it is looked at there.
"""

from contextlib import suppress
from pathlib import Path
from threading import Lock

from device.storage import backup
from device.storage.backup import Backup, BackupError
from web.contracts.maintenance import FoundBackup

FOLDER = "incoming"

Mark = tuple[int, str, int, int]
"""Time, name, file and size: the same ones are the same backup."""


class Carried:
    """What waits beside the matches. Any thread may ask: it is looked at once, by one of them.

    Args:
        state: the folder of the matches.
    """

    def __init__(self, state: Path) -> None:
        self._folder = state / FOLDER
        self._looking = Lock()
        self._mark: Mark | None = None
        self._found: FoundBackup | None = None

    def __repr__(self) -> str:
        return f"<Carried in {self._folder}: {self.file}>"

    @property
    def file(self) -> Path | None:
        """The one that came last, or None."""
        last = self._last()
        return last[0] if last else None

    def look(self) -> FoundBackup | None:
        """What is in it, or why it cannot be used; None where there is none.

        It may be large, and many ask: what was found is remembered, what is in it is not.
        """
        with self._looking:
            last = self._last()
            if last is None:
                return None
            path, mark = last
            if mark != self._mark:
                self._mark, self._found = mark, _looked_at(path)
            return self._found

    def read(self) -> Backup | None:
        """It, or None where there is none.

        Raises:
            BackupError: it does not hold.
        """
        with self._looking:
            file = self.file
            return backup.read(file) if file else None

    def forget(self) -> None:
        """It was taken, or is not wanted; so are all that came before."""
        for path in self._folder.glob("*.zip"):
            path.unlink(missing_ok=True)

    def _last(self) -> tuple[Path, Mark] | None:
        found = []
        for path in self._folder.glob("*.zip"):
            with suppress(OSError):  # forgotten meanwhile
                if path.is_file():
                    found.append((path, _mark(path)))
        return max(found, key=lambda each: each[1], default=None)


def _mark(path: Path) -> Mark:
    state = path.stat()
    return state.st_mtime_ns, path.name, state.st_ino, state.st_size


def _looked_at(path: Path) -> FoundBackup:
    try:
        return FoundBackup(backup.read(path).contents, is_usable=True)
    except BackupError as error:
        return FoundBackup(error.message, is_usable=False)
