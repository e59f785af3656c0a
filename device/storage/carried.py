"""A backup that somebody put on a stick or on the card: it waits here until it is asked for.

`systemd/carry` brings it, as root; nothing of it is looked at there.
"""

from dataclasses import dataclass
from pathlib import Path

from device.storage import backup
from device.storage.backup import Backup

FOLDER = "incoming"


@dataclass(frozen=True, slots=True)
class Carried:
    """What waits beside the matches."""

    state: Path

    @property
    def file(self) -> Path | None:
        """The one that came last, or None."""
        files = (path for path in (self.state / FOLDER).glob("*.zip") if path.is_file())
        return max(files, key=lambda path: path.stat().st_mtime, default=None)

    def read(self) -> Backup | None:
        """It, or None where there is none.

        Raises:
            BackupError: it does not hold.
        """
        file = self.file
        return backup.read(file) if file else None

    def forget(self) -> None:
        """It was taken, or is not wanted; so are all that came before."""
        for path in (self.state / FOLDER).glob("*.zip"):
            path.unlink(missing_ok=True)
