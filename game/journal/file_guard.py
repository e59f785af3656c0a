"""The files of a journal: one process alone may write them, and nobody else moves or empties them."""

import fcntl
from contextlib import suppress
from pathlib import Path
from typing import IO

from game.errors import DamagedJournal, JournalError
from game.file_io import read_bounded
from game.message import Message

LOCK_SUFFIX = ".lock"
MAX_OWNER_BYTES = 1000


class FileGuard:
    """Knows the files as we left them, by device, inode and size."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._seen: dict[Path, tuple[int, int, int]] = {}

    def note(self) -> None:
        """They are as they should be, but for one that is another file than before: `check` tells."""
        now = {path: state for path in self._paths if (state := _state(path))}
        for path, seen in self._seen.items():
            if path not in now or now[path][:2] != seen[:2]:
                now[path] = seen
        self._seen = now

    def check(self) -> None:
        """Whether they are those that were noted, and no shorter.

        Raises:
            DamagedJournal: somebody moved, deleted or emptied one.
        """
        for path, (device, inode, size) in self._seen.items():
            there = _state(path)
            if there is None or there[:2] != (device, inode) or there[2] < size:
                raise DamagedJournal(
                    Message("%(file)s was deleted, replaced or emptied", file=path.name)
                )


def write_owner(lock: IO[bytes], identity: str) -> None:
    """The lock says of which journal with steps it is: should all else be gone, that there was one is known."""
    with suppress(OSError):  # one sign less
        lock.truncate(0)
        lock.write(identity.encode())
        lock.flush()


def read_owner(path: Path) -> str:
    """What `name_owner` wrote beside this file; "" where it wrote nothing."""
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
    """A lock file beside this one, held by this process alone for as long as it is open.

    Raises:
        JournalError: another process holds it.
        OSError: it cannot be made.
    """
    lock = path.with_suffix(LOCK_SUFFIX).open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise JournalError(
            Message(
                "%(folder)s: another Traykeeper keeps its matches there: stop it, or use --state",
                folder=str(path.parent),
            )
        ) from None
    return lock
