"""The trace: a second copy of every step, as lines of text in a file next to the journal.

    # Traykeeper, journal 5b0c...: every step once more, should the journal be damaged
    3f2a91c0 12 3.4 1795000000.0 - [{"kind": "thrown", "dice": [1, 1, 2, 3, 4, 6]}]

Each line contains a checksum, the position in the journal, the numbers of the match and the step,
the time, the unique id of a match that starts with the line, and the actions. It is on the disk
before anybody sees the step. Lines that backups contain are removed. People can read a trace, and
so can a program that has lost its journal.

If a request caused the step, a line before it names the request: `3c08d1f5 asked 12 9b2e...`.
"""

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from game.file_io import open_regular_file, write_atomically
from game.journal.entry import Row, checksum

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

Keys = Mapping[int, str]
"""Number of a match -> unique id of the match."""

Requests = Mapping[int, str]
"""Position of an entry -> id of the request that caused it. Entries without a request are left out."""


@dataclass(frozen=True, slots=True)
class CopiedSteps:
    """The steps that could be read from a journal or from its trace.

    Attributes:
        identity: Id of the journal, or "" if it is lost.
        rows: The intact entries.
        keys: Unique ids of the matches that start in these entries, by match number.
        requests: Ids of the requests that caused these entries, by position.
        is_whole: Whether all lines of a trace are intact, apart from the last one, which a power cut may have
            left incomplete.
    """

    identity: str = ""
    rows: tuple[Row, ...] = ()
    keys: Keys = field(default_factory=dict)
    requests: Requests = field(default_factory=dict)
    is_whole: bool = True


def read(path: Path) -> CopiedSteps | None:
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
    return CopiedSteps(identity, rows, keys, dict(filter(None, requests)), whole)


class Trace:
    """The trace of one journal, open for writing. Any thread may use it.

    Raises (every method):
        OSError: If the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._file: BinaryIO | None = None
        self._size = 0
        self.last = 0

    def __repr__(self) -> str:
        return f"<Trace in {self.path} up to {self.last}>"

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still as this program left it: not moved, emptied or extended."""
        with self._lock:
            return self._is_in_place()

    def rewrite(self, steps: CopiedSteps, last: int) -> None:
        """Replace the file with a new one that contains these steps.

        Args:
            steps: The steps.
            last: Position of the journal's newest entry.
        """
        head = f"{HEAD.format(steps.identity)}\n"
        with self._lock:
            self._let_go()  # until the new file is complete, `is_in_place` is False
            self._replace((head + _lines(steps)).encode("utf-8", "replace"))
            self.last = last

    def resume(self, last: int) -> None:
        """Continue the existing file after its last complete line.

        Args:
            last: Position of the entry in that line.
        """
        with self._lock:
            file = self.path.open("r+b")
            data = file.read()
            self._file, self._size, self.last = file, data.rfind(b"\n") + 1, last
            file.truncate(self._size)

    def add(self, steps: CopiedSteps) -> None:
        """Append steps and wait until they are on the disk."""
        with self._lock:
            self._write(_lines(steps).encode("utf-8", "replace"))
            self.last = max((self.last, *(row[0] for row in steps.rows)))

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


def _lines(steps: CopiedSteps) -> str:
    """Return the lines of a trace that record these steps.

    A request comes before its step, so that a step is never read without its request.
    """
    texts: list[str] = []
    for row in steps.rows:
        if request := steps.requests.get(row[0]):
            texts.append(f"{REQUEST_MARK} {row[0]} {request}")
        texts.append(_text(row, steps.keys))
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
