"""The trace of a journal (its copy as text), compared with the database and kept up to date."""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

from game.errors import DamagedJournal, reason
from game.journal import schema, trace
from game.journal.rows import last_position, rows_after, select_entries
from game.journal.trace import Trace, TraceText
from game.message import Message

log = logging.getLogger(__name__)


class TraceKeeper:
    """The writer of a journal's trace, which is its second copy as lines of text.

    Attributes:
        problem: Why the trace cannot be written at the moment, or None.
        was_lost: Whether the trace was missing or damaged when the journal was opened.
    """

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._trace = Trace(path)
        self.problem: Message | None = None
        self.was_lost = False

    def close(self) -> None:
        """Close the trace."""
        self._trace.close()

    def check(self, *, is_expected: bool) -> None:
        """Compare the trace with the database, and bring the trace up to date.

        The trace may lack the newest steps of the database, but must not contain steps that the
        database lacks.

        Args:
            is_expected: Whether a trace was written before. If so, `was_lost` becomes True when the
                trace is missing or damaged.

        Raises:
            DamagedJournal: If the database lacks steps of the trace or differs from it.
        """
        found = trace.read(self._trace.path)
        self.was_lost = is_expected and (found is None or not found.whole)
        if found is None or found.identity == schema.previous_identity(self._db):
            self._rewrite()
            return
        if found.identity not in ("", schema.identity(self._db)):
            raise DamagedJournal(
                "its second copy, %(file)s, belongs to another journal",
                file=self._trace.path.name,
            )
        self._compare(found)
        if not found.whole:
            log.warning("%s: some lines are damaged; the file is rewritten", self._trace.path)
            self._rewrite()
            return
        self._trace.resume(max((0, *(row[0] for row in found.rows))))
        self._catch_up()

    def update(self) -> None:
        """Add the steps that the trace lacks. If the file was moved or changed, write a new one."""
        self._attempt(self._catch_up if self._trace.is_in_place else self._rewrite)

    def rewrite(self) -> None:
        """Replace the trace with a new one that covers the whole journal."""
        self._attempt(self._rewrite)

    def cut(self, upto: int) -> None:
        """Remove the steps up to and including this position from the trace. Thread-safe."""
        self._trace.cut(upto)

    def _compare(self, found: TraceText) -> None:
        last = last_position(self._db)
        newest = max((row[0] for row in found.rows), default=0)
        if newest > last:
            raise DamagedJournal(
                "it ends at step %(n)s, but its second copy, %(file)s, ends at step %(more)s",
                n=str(last),
                file=self._trace.path.name,
                more=str(newest),
            )
        for row in found.rows:
            if select_entries(self._db, "WHERE position = ?", row[0]).fetchone() != row:
                raise DamagedJournal(
                    "step %(n)s differs from the second copy, %(file)s",
                    n=str(row[0]),
                    file=self._trace.path.name,
                )

    def _rewrite(self) -> None:
        identity, last = schema.identity(self._db), last_position(self._db)
        self._trace.rewrite(identity, *rows_after(self._db, 0), last)

    def _catch_up(self) -> None:
        rows, keys, requests = rows_after(self._db, self._trace.last)
        if rows:
            self._trace.add(rows, keys, requests)

    def _attempt(self, write: Callable[[], None]) -> None:
        """Call `write`, and record an error in `problem` instead of raising it.

        The step is not lost, because the database already contains it.
        """
        try:
            write()
        except (OSError, sqlite3.Error) as error:
            log.warning("%s cannot be written: %s", self._trace.path, error)
            self.problem = Message(
                "%(file)s, the second copy of the journal, cannot be written (%(why)s): is "
                "the disk full?",
                file=self._trace.path.name,
                why=reason(error),
            )
        else:
            self.problem = None
