"""The trace: a second copy of every step, as lines of text in a file next to the journal.

    # Traykeeper, journal 5b0c...: every step once more, should the journal be damaged
    3f2a91c0 12 3.4 1795000000.0 - [{"kind": "thrown", "dice": [1, 1, 2, 3, 4, 6]}]

Each line contains a checksum, the position in the journal, the numbers of the match and the step,
the time, the unique id of a match that starts with the line, and the actions. It is on the disk
before anybody sees the step. Lines that backups contain are removed. People can read a trace, and
so can a program that has lost its journal.

If a request caused the step, a line before it names the request: `3c08d1f5 asked 12 9b2e...`.
"""

import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from game.errors import DamagedJournal, reason
from game.file_io import open_regular_file, write_atomically
from game.journal import schema
from game.journal.entry import CopiedEntries, Keys, Row, checksum
from game.journal.schema import entries_after, last_position, select_entries
from game.message import Message

log = logging.getLogger(__name__)

SUFFIX = ".txt"
"""Suffix of the name of a trace."""

HEAD = "# Traykeeper, journal {}: every step once more, should the journal be damaged"
"""First line of a trace, with the id of the journal in place of `{}`."""

REQUEST_MARK = "asked"
"""First word, after the checksum, of a line that names a request."""

ABSENT = "-"
"""Stands for a missing time or key."""

N_FIELDS = 6
"""Number of fields in a line, including the checksum."""


def read(path: Path) -> CopiedEntries | None:
    """Return the content of a trace, or None if the file does not exist.

    Raises:
        OSError: If the file cannot be read.
    """
    try:
        with open_regular_file(path) as file:
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return None
    identity = _identity(lines[0].decode("utf-8", "replace"))
    texts = [_unsealed(line) for line in lines[1:]]
    steps, requests = list(map(_step, texts)), list(map(_request, texts))
    readable = [step or request for step, request in zip(steps, requests, strict=True)]
    whole = bool(identity) and all(readable[:-1])
    keys = {row[1]: key for row, key in filter(None, steps) if key}
    rows = tuple(row for row, _ in filter(None, steps))
    return CopiedEntries(identity, rows, keys, dict(filter(None, requests)), whole)


class Trace:
    """The trace of one journal, open for writing. Only `cut` may be called by any thread.

    Args:
        db: Connection to the journal's database.
        path: Path of the trace.

    Attributes:
        problem: Why the trace cannot be written at the moment, or None.
        was_lost: Whether the trace was missing or damaged when the journal was opened.
    """

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db, self.path = db, path
        self._lock = Lock()
        self._file: BinaryIO | None = None
        self._size = self._last = 0
        self.problem: Message | None = None
        self.was_lost = False

    def __repr__(self) -> str:
        return f"<Trace in {self.path} up to {self._last}>"

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
        found = read(self.path)
        self.was_lost = is_expected and (found is None or not found.is_whole)
        if found is None or found.identity == schema.previous_identity(self._db):
            self._rewrite()
            return
        if found.identity not in ("", schema.identity(self._db)):
            raise DamagedJournal(
                "its second copy, %(file)s, belongs to another journal",
                file=self.path.name,
            )
        self._compare(found)
        if not found.is_whole:
            log.warning("%s: some lines are damaged; the file is rewritten", self.path)
            self._rewrite()
            return
        self._resume(max((0, *(row[0] for row in found.rows))))
        self._catch_up()

    def update(self) -> None:
        """Add the steps that the trace lacks. If the file was moved or changed, write a new one."""
        with self._lock:
            in_place = self._is_in_place()
        self._attempt(self._catch_up if in_place else self._rewrite)

    def rewrite(self) -> None:
        """Replace the trace with a new one that covers the whole journal."""
        self._attempt(self._rewrite)

    def cut(self, upto: int) -> None:
        """Remove the entries up to and including a position from the trace."""
        with self._lock:
            if not self._is_in_place():
                return
            head, *lines = self.path.read_bytes().split(b"\n")
            kept = [line for line in lines if (at := _position(_unsealed(line))) and at > upto]
            if len(kept) < len(lines) - 1:  # the last line is empty
                self._replace(b"\n".join([head, *kept, b""]))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._let_go()

    def _compare(self, found: CopiedEntries) -> None:
        last = last_position(self._db)
        newest = max((row[0] for row in found.rows), default=0)
        if newest > last:
            raise DamagedJournal(
                "it ends at step %(n)s, but its second copy, %(file)s, ends at step %(more)s",
                n=str(last),
                file=self.path.name,
                more=str(newest),
            )
        for row in found.rows:
            if select_entries(self._db, "WHERE position = ?", row[0]).fetchone() != row:
                raise DamagedJournal(
                    "step %(n)s differs from the second copy, %(file)s",
                    n=str(row[0]),
                    file=self.path.name,
                )

    def _rewrite(self) -> None:
        entries, last = entries_after(self._db, 0), last_position(self._db)
        head = f"{HEAD.format(entries.identity)}\n"
        with self._lock:
            self._let_go()  # until the new file is complete, the trace is not in place
            self._replace((head + _lines(entries)).encode("utf-8", "replace"))
            self._last = last

    def _resume(self, last: int) -> None:
        """Continue the existing file after its last complete line, in which the entry at position `last` is."""
        with self._lock:
            file = self.path.open("r+b")
            data = file.read()
            self._file, self._size, self._last = file, data.rfind(b"\n") + 1, last
            file.truncate(self._size)

    def _catch_up(self) -> None:
        """Append the entries that the trace lacks, and wait until they are on the disk."""
        entries = entries_after(self._db, self._last)
        if entries.rows:
            with self._lock:
                self._write(_lines(entries).encode("utf-8", "replace"))
                self._last = max((self._last, *(row[0] for row in entries.rows)))

    def _attempt(self, write: Callable[[], None]) -> None:
        """Call `write`, and record an error in `problem` instead of raising it.

        The step is not lost, because the database already contains it.
        """
        try:
            write()
        except (OSError, sqlite3.Error) as error:
            log.warning("%s cannot be written: %s", self.path, error)
            self.problem = Message(
                "%(file)s, the second copy of the journal, cannot be written (%(why)s): is "
                "the disk full?",
                file=self.path.name,
                why=reason(error),
            )
        else:
            self.problem = None

    def _is_in_place(self) -> bool:
        if self._file is None:
            return False
        try:
            found, ours = self.path.stat(), os.fstat(self._file.fileno())
        except OSError:
            return False
        return os.path.samestat(found, ours) and found.st_size == self._size

    def _let_go(self) -> None:
        if self._file:
            self._file.close()
            self._file = None

    def _write(self, data: bytes) -> None:
        """Write data after the last complete line, overwriting any incomplete line."""
        if self._file is None:
            raise FileNotFoundError(self.path)
        number = self._file.fileno()
        os.ftruncate(number, self._size)
        written = 0
        while written < len(data):
            written += os.pwrite(number, data[written:], self._size + written)
        os.fdatasync(number)
        self._size += len(data)

    def _replace(self, data: bytes) -> None:
        write_atomically(self.path, data)
        self._let_go()
        self._file, self._size = self.path.open("r+b"), len(data)


def rows_by_position(rows: Iterable[Row]) -> Iterator[Row]:
    """Return the rows sorted by position, and only the last of several with the same position."""
    latest = {row[0]: row for row in rows}
    return (latest[position] for position in sorted(latest))


def _lines(entries: CopiedEntries) -> str:
    """Return the lines of a trace that record these entries.

    A request comes before its step, so that a step is never read without its request.
    """
    texts: list[str] = []
    for row in entries.rows:
        if request := entries.requests.get(row[0]):
            texts.append(f"{REQUEST_MARK} {row[0]} {request}")
        texts.append(_text(row, entries.keys))
    return "".join(f"{_seal(text)} {text}\n" for text in texts)


def _text(row: Row, keys: Keys) -> str:
    position, match_id, seq, time_s, body, _ = row
    time = ABSENT if time_s is None else repr(time_s)
    key = keys.get(match_id, ABSENT) if seq == 0 else ABSENT
    return f"{position} {match_id}.{seq} {time} {key} {body}"


def _unsealed(line: bytes) -> str:
    """Return a line without its checksum, or "" if the checksum does not match."""
    sealed, _, text = line.decode("utf-8", "replace").partition(" ")
    return text if sealed == _seal(text) else ""


def _step(text: str) -> tuple[Row, str] | None:
    """Return the row in a line and the id of a match that starts with it, or None if there is no row."""
    try:
        position, number, time, key, body = text.split(" ", N_FIELDS - 2)
        match_id, seq = map(int, number.split("."))
        time_s = None if time == ABSENT else float(time)
        row = (int(position), match_id, seq, time_s, body, checksum(match_id, seq, time_s, body))
    except ValueError:
        return None
    return row, "" if key == ABSENT else key


def _request(text: str) -> tuple[int, str] | None:
    """Return an entry's position and the id of its request, or None if the line names no request."""
    asked, _, rest = text.partition(" ")
    position, _, request = rest.partition(" ")
    return (int(position), request) if asked == REQUEST_MARK and position.isdecimal() else None


def _position(text: str) -> int:
    """Return the position of the entry that a line is about, or 0 if there is none."""
    if step := _step(text):
        return step[0][0]
    request = _request(text)
    return request[0] if request else 0


def _seal(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


def _identity(head: str) -> str:
    before, after = HEAD.split("{}")
    fits = head.startswith(before) and head.endswith(after)
    return head[len(before) : -len(after)] if fits else ""
