"""A lock that lets only one process write a journal, and a check for changes by other programs."""

import fcntl
from contextlib import suppress
from pathlib import Path
from typing import IO

from game.errors import DamagedJournal, JournalError
from game.file_io import read_bounded

LOCK_SUFFIX = ".lock"
"""Suffix of the lock file."""
MAX_OWNER_BYTES = 1000
"""Largest number of bytes that is read from a lock file."""


class FileGuard:
    """A record of the device, inode and size of files, which reveals changes by other programs."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._seen: dict[Path, tuple[int, int, int]] = {}

    def note(self) -> None:
        """Remember the current state of all files that have not been moved, deleted or replaced."""
        now = {path: state for path in self._paths if (state := _state(path))}
        for path, seen in self._seen.items():
            if path not in now or now[path][:2] != seen[:2]:
                now[path] = seen
        self._seen = now

    def check(self) -> None:
        """Check that the files are still those that `note` remembered, and have not become shorter.

        Raises:
            DamagedJournal: If a file was moved, deleted, replaced or shortened.
        """
        for path, (device, inode, size) in self._seen.items():
            there = _state(path)
            if there is None or there[:2] != (device, inode) or there[2] < size:
                raise DamagedJournal("%(file)s was deleted, replaced or emptied", file=path.name)


def write_owner(lock: IO[bytes], identity: str) -> None:
    """Write the id of the journal into its lock file, so that a lost journal is noticed later.

    Args:
        lock: The lock from `lock_journal`.
        identity: Id of the journal, or "" while the journal has no steps.
    """
    with suppress(OSError):  # the journal also works without this safeguard
        lock.truncate(0)
        lock.write(identity.encode())
        lock.flush()


def read_owner(path: Path) -> str:
    """Return the id that `write_owner` wrote for the journal at a path, or "" if there is none."""
    try:
        return read_bounded(path.with_suffix(LOCK_SUFFIX), MAX_OWNER_BYTES).decode(
            "utf-8", "replace"
        )
    except OSError:
        return ""


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size


def lock_journal(path: Path) -> IO[bytes]:
    """Lock a journal for this process and return the open lock file. Closing it releases the lock.

    Raises:
        JournalError: If another process holds the lock.
        OSError: If the lock file cannot be created.
    """
    lock = path.with_suffix(LOCK_SUFFIX).open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise JournalError(
            "%(folder)s: another Traykeeper is using this folder: stop it, or choose "
            "another folder with --state",
            folder=str(path.parent),
        ) from None
    return lock
