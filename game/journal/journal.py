"""The journal: a file with every event of every match, written before anybody sees the event.

It is an SQLite database with a write-ahead log and full synchronisation, so an entry survives a
power cut as soon as `append` has returned. The state of a match is not stored; it is worked out
from the entries. `game.journal.history` can read the file while it is being written.

A second file, the trace, contains every step as a line of text. If the database is damaged, the
journal can be rebuilt from the trace.
"""

import fcntl
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from game.errors import DamagedJournal, GameError, JournalError, reason
from game.file_io import read_bounded
from game.journal import schema, trace
from game.journal.entry import (
    START_SEQ,
    CopiedEntries,
    Result,
    checksum,
    plausible_time,
    start_text,
    step_text,
)
from game.journal.schema import (
    check_integrity,
    insert,
    last_position,
    load_match,
    next_seq,
    open_copy,
    store_result,
)
from game.journal.trace import Trace
from game.match.events import Action, Place
from game.match.match import Match
from game.message import Message

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


log = logging.getLogger(__name__)

JOURNAL_FILE = "journal.db"
"""Name of the journal in the state folder."""

WAL_PAGES = 16
"""Pages after which SQLite moves the write-ahead log into the database: about six steps."""

WAL_BYTES = 1_048_576
"""Largest size that an empty write-ahead log may keep on the disk."""


@dataclass(slots=True)
class Journal:
    """The writable record of all matches of one table, for use by one thread.

    Attributes:
        path: The database file.
        trace: Writer of the second copy, the trace. Its `problem` says why the trace cannot be
            written.
        identity: Id of this journal. It changes when a backup is restored.

    Raises (every method):
        JournalError: If the file cannot be read or written.
        DamagedJournal: If the file no longer contains what was written to it.
    """

    path: Path
    _db: sqlite3.Connection
    _lock: IO[bytes]
    _clock: Callable[[], float]
    trace: Trace
    _guard: FileGuard
    identity: str

    @classmethod
    def open(
        cls, path: Path, *, clock: Callable[[], float] = time.time, lock: IO[bytes] | None = None
    ) -> Self:
        """Open a journal after checking every entry, or create it if there is none.

        Args:
            path: The database file.
            clock: Returns seconds since 1970. The times are only for people to read, so the clock
                may jump.
            lock: A lock from `lock_journal`, which the journal then owns. Without it the journal
                takes the lock itself.
        """
        with _as_journal_error(path), ExitStack() as undo:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = lock or undo.enter_context(lock_journal(path))
            wal_file = path.with_name(f"{path.name}-wal")
            db = schema.tolerate_bad_text(
                sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            )
            undo.callback(db.close)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.execute(f"PRAGMA journal_size_limit={WAL_BYTES}")
            db.execute(f"PRAGMA wal_autocheckpoint={WAL_PAGES}")
            schema.check_tables(db)
            schema.prepare(db, path)
            check_integrity(db)
            keeper = Trace(db, path.with_suffix(trace.SUFFIX))
            undo.callback(keeper.close)
            guard, identity = FileGuard(path, wal_file), schema.identity(db)
            journal = cls(path, db, lock, clock, keeper, guard, identity)
            keeper.check(is_expected=bool(last_position(db)) and bool(read_owner(path)))
            journal._write_owner()
            guard.note()
            undo.pop_all()  # the journal now owns the files that were opened
        return journal

    def close(self) -> None:
        """Close the files and release the lock."""
        self._db.close()
        self.trace.close()
        self._lock.close()

    def start(self, match: Match, *, request: str = "", key: str = "") -> int:
        """Record a new match and return its number.

        Args:
            match: The match. If it has events already, such as head starts, they are its first step.
            request: Id of the request that started the match, if any.
            key: Unique id of the match if another journal already contains it; "" makes a new id.
        """
        with self._write():
            row = self._db.execute("INSERT INTO match (key) VALUES (?)", (key or schema.new_key(),))
            assert row.lastrowid is not None  # noqa: S101 - an INSERT has one
            self._insert(row.lastrowid, START_SEQ, start_text(match), request)
            if match.timeline:
                self._insert(row.lastrowid, START_SEQ + 1, step_text(match.timeline), request)
        self._write_owner()
        return row.lastrowid

    def append(
        self, match_id: int, *actions: Action, result: Result | None = None, request: str = ""
    ) -> int:
        """Record one step of a match and return its position.

        Args:
            match_id: Number of the match.
            *actions: The actions that make up the step. Without any, the match is being continued.
            result: The final standings, if this step wins the match.
            request: Id of the request that caused the step, if any.
        """
        with self._write():
            seq = next_seq(self._db, match_id)
            if seq == START_SEQ:
                raise JournalError(
                    "%(file)s: there is no match %(n)s", file=str(self.path), n=str(match_id)
                )
            position = self._insert(match_id, seq, step_text(actions), request)
            if result:
                store_result(self._db, match_id, seq, result)
        return position

    def match(self, match_id: int) -> Match:
        """Return a match in its current state."""
        with _as_journal_error(self.path):
            return load_match(self._db, match_id)

    def newest(self) -> tuple[int, Match] | None:
        """Return the number and the state of the match played last, or None if there is none."""
        with _as_journal_error(self.path):
            row = self._db.execute(
                "SELECT match FROM entry ORDER BY position DESC LIMIT 1"
            ).fetchone()
        return None if row is None else (row[0], self.match(row[0]))

    def last_position(self) -> int:
        """Return the position of the newest entry, or 0 if there is none."""
        with _as_journal_error(self.path):
            return last_position(self._db)

    def newest_places(self) -> tuple[Place, ...]:
        """Return where the dice of the newest throw lay, in whichever match, even if it was deleted by hand since.

        The result is empty if there is no throw, or if the newest one was undone.
        """
        with _as_journal_error(self.path):
            return schema.newest_places(self._db)

    def match_before(self, match_id: int) -> int:
        """Return the number of the match played last among those that began before this one, or 0 if there is none."""
        with _as_journal_error(self.path):
            row = self._db.execute(
                "SELECT match FROM entry WHERE match < ? ORDER BY position DESC LIMIT 1",
                (match_id,),
            ).fetchone()
        return row[0] if row else 0

    def restore(self, copy: bytes) -> None:
        """Replace the content of this journal with a copy from `History.copy`.

        If the copy cannot be used, the journal stays as it is. Otherwise the journal gets a new
        identity, so that programs that follow it start again from the beginning.
        """
        with _as_journal_error(self.path), closing(open_copy(copy)) as source:
            self._guard.check()
            schema.assign_identity(source, self.identity)
            source.backup(self._db)
            self.identity = schema.identity(self._db)
            with suppress(sqlite3.OperationalError):  # the write-ahead log has it as well
                self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")  # does not wait for readers
            self.trace.rewrite()
            self._write_owner()
            self._guard.note()

    def salvage(self) -> CopiedEntries:
        """Return everything that the open connection can still read, even from deleted files."""
        return schema.salvage_connection(self._db)

    def is_intact(self) -> bool:
        """Return whether the files are in place and contain exactly what was written."""
        try:
            self._guard.check()
            check_integrity(self._db)
        except (sqlite3.Error, DamagedJournal, UnicodeDecodeError):
            return False
        return True

    def check_in_place(self) -> None:
        """Raise an error if a file was moved, replaced or shortened since it was opened."""
        with _as_journal_error(self.path):
            self._guard.check()

    def cut_trace(self, upto: int) -> None:
        """Remove the steps up to and including a position from the trace. Thread-safe.

        Call this once backups contain these steps.
        """
        with _as_journal_error(self.path):
            self.trace.cut(upto)

    def _insert(self, match_id: int, seq: int, body: str, request: str) -> int:
        time_s = plausible_time(self._clock())
        row = (0, match_id, seq, time_s, body, checksum(match_id, seq, time_s, body))
        return insert(self._db, row, request)

    def _write_owner(self) -> None:
        """Write the id of this journal into the lock file, or "" while the journal has no steps."""
        write_owner(self._lock, self.identity if last_position(self._db) else "")

    @contextmanager
    def _write(self) -> Iterator[None]:
        """Save all changes made in the block, or none after an error; then update the trace."""
        with _as_journal_error(self.path):
            self._guard.check()
            with schema.transaction(self._db):
                yield
            self.trace.update()
            self._guard.note()


@contextmanager
def _as_journal_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise JournalError(
            "%(file)s: the journal cannot be used (%(why)s): is the disk full or read-only?",
            file=str(path),
            why=str(error),
        ) from None
    except JournalError as error:
        if not isinstance(error, DamagedJournal):
            raise
        raise _damaged(path, error) from None
    except (sqlite3.Error, GameError, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> DamagedJournal:
    return DamagedJournal(
        "%(file)s: the journal is damaged (%(why)s): restart Traykeeper to repair it "
        "from the second copy and the backups",
        file=str(path),
        why=reason(error),
    )


Reopen = Callable[[CopiedEntries], tuple[Journal, Message | None]]
"""A function that recovers the journal from all sources, including the steps that the program still has in memory.

It returns the open journal, with a notice for the players or None.
"""


class MendingJournal:
    """A journal that can be recovered and reopened. Not thread-safe, except where a method says otherwise.

    Every method raises JournalError if the journal cannot be used, and tries again at the next call. If
    `mend` may help, the error is DamagedJournal.

    Args:
        journal: The open journal.
        reopen: Recovers and reopens the journal.
        on_notice: Called after a recovery with the notice for the players.
    """

    def __init__(
        self, journal: Journal, reopen: Reopen, on_notice: Callable[[Message], object]
    ) -> None:
        self._journal: Journal | None = journal
        self._path = journal.path
        self._reopen, self._on_notice = reopen, on_notice
        self._remembered = CopiedEntries()

    def __repr__(self) -> str:
        return f"<MendingJournal in {self._path}>"

    @property
    def path(self) -> Path:
        """Path of the journal file."""
        return self._path

    @property
    def trouble(self) -> Message | None:
        """What is wrong with the journal or its second copy, the trace; None if nothing is wrong. Thread-safe."""
        journal = self._journal
        if journal is None:
            return Message("the journal was lost and cannot be written again yet")
        try:
            journal.check_in_place()
        except JournalError as error:
            return error.message
        return journal.trace.problem

    def mend(self) -> bool:
        """Recover the journal. Return False if it is intact, so that the error must have another cause."""
        if self._journal is not None:
            if self._journal.is_intact():
                return False
            self._remembered = self._journal.salvage()
            self._journal.close()
            self._journal = None
        self._opened()
        return True

    def match(self, match_id: int) -> Match:
        """Implement `Journal.match`."""
        return self._opened().match(match_id)

    def newest(self) -> tuple[int, Match] | None:
        """Implement `Journal.newest`."""
        return self._opened().newest()

    def last_position(self) -> int:
        """Implement `Journal.last_position`."""
        return self._opened().last_position()

    def newest_places(self) -> tuple[Place, ...]:
        """Implement `Journal.newest_places`."""
        return self._opened().newest_places()

    def match_before(self, match_id: int) -> int:
        """Implement `Journal.match_before`."""
        return self._opened().match_before(match_id)

    def start(self, match: Match, *, request: str = "", key: str = "") -> int:
        """Implement `Journal.start`."""
        return self._opened().start(match, request=request, key=key)

    def append(
        self, match_id: int, *actions: Action, result: Result | None = None, request: str = ""
    ) -> int:
        """Implement `Journal.append`."""
        return self._opened().append(match_id, *actions, result=result, request=request)

    def restore(self, copy: bytes) -> None:
        """Replace the journal with a copy from a backup. If the journal is damaged, recover it first."""
        try:
            self._opened().restore(copy)
        except DamagedJournal:
            if not self.mend():
                raise
            self._opened().restore(copy)

    def cut_trace(self, held: Callable[[str], int]) -> None:
        """Delete from the trace (the journal's second copy) the steps that backups contain. Any thread may call this.

        Args:
            held: Returns the position up to which backups contain a journal, given the identity of the journal.
        """
        if journal := self._journal:
            journal.cut_trace(held(journal.identity))

    def close(self) -> None:
        """Close the journal file."""
        if self._journal:
            self._journal.close()

    def _opened(self) -> Journal:
        """Return the open journal. If the last attempt to open it failed, try again first."""
        if self._journal is None:
            self._journal, notice = self._reopen(self._remembered)
            self._remembered = CopiedEntries()
            if notice:
                self._on_notice(notice)
        return self._journal
