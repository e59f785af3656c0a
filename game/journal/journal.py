"""The events of matches on disk: each is there before anyone is told that it happened.

SQLite with a write-ahead log and full synchronisation: what `append` returned from survives a
pulled plug. Nothing else is true; a match is the fold of its entries. `game.journal.history` reads.

Beside it stands a trace, every step as text: should the one be damaged, the other still knows.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from game.errors import DamagedJournal, GameError, JournalError, reason
from game.journal import schema, table_definitions, trace
from game.journal.entry import (
    COLUMNS,
    START_SEQ,
    Result,
    checksum,
    plausible_time,
    start_text,
    step_text,
)
from game.journal.file_guard import FileGuard, lock_journal, read_owner, write_owner
from game.journal.rows import (
    check_integrity,
    insert,
    last_position,
    load_match,
    next_seq,
    open_copy,
    rows_after,
    transaction,
)
from game.journal.salvage import Salvaged, salvage_connection
from game.journal.trace import Trace, TraceText
from game.match.events import Action
from game.match.match import Match
from game.message import Message

JOURNAL_FILE = "journal.db"
"""Its name in the state folder."""

WAL_PAGES = 16
"""The log is written back once it is so long: some six steps, a turn or two."""

WAL_BYTES = 1_048_576
"""What it may keep of the disk when it was written back."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Journal:
    """The record of all matches of one table. Used by one thread.

    Attributes:
        path: its file.
        identity: what tells it from every other.
        trouble: why the trace falls behind; None while it does not.
        trace_lost: whether the trace of its steps was gone or damaged when it was opened.

    Raises (every method):
        JournalError: the file cannot be read or written; says which and what to do.
        DamagedJournal: what it holds is not what was written, or is less than was written.
    """

    path: Path
    _db: sqlite3.Connection
    _lock: IO[bytes]
    _clock: Callable[[], float]
    _trace: Trace
    _guard: FileGuard
    identity: str = ""
    trouble: Message | None = None
    trace_lost: bool = False

    @classmethod
    def open(
        cls, path: Path, *, clock: Callable[[], float] = time.time, lock: IO[bytes] | None = None
    ) -> Self:
        """The journal in this file, made where there is none; every entry is looked at.

        Args:
            path: the file.
            clock: seconds since 1970, for people to read; it may jump as it likes.
            lock: what `locked` gave; the journal closes it with itself.
        """
        with _as_journal_error(path), ExitStack() as undo:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = lock or undo.enter_context(lock_journal(path))
            log_file = path.with_name(f"{path.name}-wal")
            db = schema.tolerate_bad_text(
                sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            )
            undo.callback(db.close)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.execute(f"PRAGMA journal_size_limit={WAL_BYTES}")
            db.execute(f"PRAGMA wal_autocheckpoint={WAL_PAGES}")
            table_definitions.check_tables(db)
            schema.prepare(db, path)
            check_integrity(db)
            steps = Trace(path.with_suffix(trace.SUFFIX))
            undo.callback(steps.close)
            journal = cls(path, db, lock, clock, steps, FileGuard(path, log_file))
            journal._hold_against_the_trace()
            journal._fill_in_results()
            journal._name_it()
            journal._guard.note()
            undo.pop_all()  # all went well: the journal keeps them
        return journal

    def close(self) -> None:
        self._db.close()
        self._trace.close()
        self._lock.close()

    def start(self, match: Match, *, request: str = "") -> int:
        """Write down a new match; gives its number. `request` is which one asked for it."""
        with self._one_write():
            row = self._db.execute("INSERT INTO match (key) VALUES (?)", (schema.new_key(),))
            assert row.lastrowid is not None  # noqa: S101 - an INSERT has one
            self._add(row.lastrowid, START_SEQ, start_text(match), request)
        self._name_it()
        return row.lastrowid

    def append(
        self, match_id: int, *actions: Action, result: Result | None = None, request: str = ""
    ) -> int:
        """Write one step of a match: actions that were pushed together; gives its position.

        `result` is that of a match which is won with this step.
        """
        with self._one_write():
            seq = next_seq(self._db, match_id)
            if seq == START_SEQ:
                raise JournalError(
                    Message(
                        "%(file)s: there is no match %(n)s", file=str(self.path), n=str(match_id)
                    )
                )
            position = self._add(match_id, seq, step_text(actions), request)
            if result:
                self._keep_result(match_id, seq, result)
        return position

    def reopen(self, match_id: int, *, request: str = "") -> Match:
        """Take up an older match: from now on it is the newest. That is on disk, too."""
        match = self.match(match_id)
        self.append(match_id, request=request)
        return match

    def match(self, match_id: int) -> Match:
        """This match as it stands."""
        with _as_journal_error(self.path):
            return load_match(self._db, match_id)

    def newest(self, *, but: int = 0) -> tuple[int, Match] | None:
        """The number of the match that was played last (`but` this one) and the match as it stands, or None."""
        with _as_journal_error(self.path):
            row = self._db.execute(
                "SELECT match FROM entry WHERE match != ? ORDER BY position DESC LIMIT 1", (but,)
            ).fetchone()
        return None if row is None else (row[0], self.match(row[0]))

    def restore(self, copy: bytes) -> None:
        """Take the place of everything here with what `History.copy` gave, at once or not.

        It gets another identity: whoever follows the journal has to begin anew.
        """
        with _as_journal_error(self.path), closing(open_copy(copy)) as source:
            self._guard.check()
            schema.assign_identity(source, self.identity)
            source.backup(self._db)
            self.identity = schema.identity(self._db)
            with suppress(sqlite3.OperationalError):  # it is in the log as well
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._write_trace(self._follow)
            self._name_it()
            self._guard.note()

    def salvage(self) -> Salvaged:
        """All that can still be read by this connection, though its files are gone."""
        return salvage_connection(self._db)

    def holds(self) -> bool:
        """Whether its files are where they were, and all in them is what was written."""
        try:
            self._guard.check()
            check_integrity(self._db)
        except (sqlite3.Error, DamagedJournal, UnicodeDecodeError):
            return False
        return True

    def check_in_place(self) -> None:
        """Whether its files are those that were opened, and no shorter."""
        with _as_journal_error(self.path):
            self._guard.check()

    def cut_trace(self, upto: int) -> None:
        """Backups hold what is at this position or before. Any thread may call."""
        with _as_journal_error(self.path):
            self._trace.cut(upto)

    def _add(self, match_id: int, seq: int, body: str, request: str) -> int:
        time_s = plausible_time(self._clock())
        row = (0, match_id, seq, time_s, body, checksum(match_id, seq, time_s, body))
        return insert(self._db, row, request)

    def _keep_result(self, match_id: int, seq: int, result: Result) -> None:
        self._db.execute(
            "UPDATE match SET result = ? WHERE id = ?", (result.to_text(match_id, seq), match_id)
        )

    def _fill_in_results(self) -> None:
        """Once after an older version or a rescue: lists need not fold what was won."""
        if not schema.are_results_missing(self._db):
            return
        with self._one_write():
            query = "SELECT match, MAX(seq) FROM entry GROUP BY match"
            for match_id, seq in self._db.execute(query).fetchall():
                with suppress(GameError):  # it stays, though this version cannot read it
                    result = Result.of(load_match(self._db, match_id))
                    if result.winner is not None:
                        self._keep_result(match_id, seq, result)
            schema.mark_results_complete(self._db)

    def _name_it(self) -> None:
        """Its lock tells that something is here, or that nothing is."""
        write_owner(self._lock, self.identity if last_position(self._db) else "")

    # The trace

    def _hold_against_the_trace(self) -> None:
        """Each must say what the other does; the trace may end earlier, but never later."""
        self.identity = schema.identity(self._db)
        found = trace.read(self._trace.path)
        had_steps = bool(last_position(self._db)) and bool(read_owner(self.path))
        self.trace_lost = had_steps and (found is None or not found.whole)
        if found is None or found.identity == schema.previous_identity(self._db):
            self._follow()
            return
        if found.identity not in ("", self.identity):
            raise DamagedJournal(Message("another journal was here before"))
        last = last_position(self._db)
        beyond = next((row[0] for row in found.rows if row[0] > last), None)
        if beyond:
            newest = max(row[0] for row in found.rows)
            raise DamagedJournal(
                Message(
                    "it ends at step %(n)s, but %(more)s were told", n=str(last), more=str(newest)
                )
            )
        self._check_against(found)
        if not found.whole:
            log.warning("%s: lines of it are damaged: it is written anew", self._trace.path)
            self._follow()
            return
        self._trace.go_on(max((0, *(row[0] for row in found.rows))))
        self._catch_up()

    def _check_against(self, found: TraceText) -> None:
        for row in found.rows:
            ours = self._db.execute(
                f"SELECT {COLUMNS} FROM entry WHERE position = ?",  # noqa: S608 - our own words
                (row[0],),
            ).fetchone()
            if ours != row:
                raise DamagedJournal(Message("step %(n)s is another than was told", n=str(row[0])))

    def _follow(self) -> None:
        """The trace begins anew with all that is here."""
        self.identity = schema.identity(self._db)
        self._trace.begin(self.identity, *rows_after(self._db, 0), last_position(self._db))

    def _catch_up(self) -> None:
        """What the trace does not have yet is added to it: usually one step."""
        rows, keys, requests = rows_after(self._db, self._trace.last)
        if rows:
            self._trace.add(rows, keys, requests)

    def _write_trace(self, write: Callable[[], None]) -> None:
        """A trace that cannot be written stops nobody: the step is in the journal."""
        try:
            write()
        except (OSError, sqlite3.Error) as error:
            log.warning("%s cannot be written: %s", self._trace.path, error)
            self.trouble = Message(
                "%(file)s, the second trace of each step, cannot be written (%(why)s): "
                "is the disk full?",
                file=self._trace.path.name,
                why=reason(error),
            )
        else:
            self.trouble = None

    @contextmanager
    def _one_write(self) -> Iterator[None]:
        """All of it on the disk at its end, or nothing; then a second time, as text."""
        with _as_journal_error(self.path):
            self._guard.check()
            with transaction(self._db):
                yield
            self._write_trace(self._catch_up if self._trace.is_in_place else self._follow)
            self._guard.note()


@contextmanager
def _as_journal_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise JournalError(
            Message(
                "%(file)s: the journal cannot be used (%(why)s): is the disk full or read-only?",
                file=str(path),
                why=str(error),
            )
        ) from None
    except JournalError as error:
        if not isinstance(error, DamagedJournal):
            raise
        raise _damaged(path, error) from None
    except (sqlite3.Error, GameError, ValueError, KeyError, TypeError) as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> DamagedJournal:
    return DamagedJournal(
        Message(
            "%(file)s: the journal is damaged (%(why)s): restart, and it is mended from its trace "
            "and the backups",
            file=str(path),
            why=reason(error),
        )
    )
