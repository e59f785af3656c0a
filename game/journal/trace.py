"""Every step a second time: lines of text beside the journal, each with a seal of its own.

    # Traykeeper, journal 5b0c...: every step once more, should the journal be damaged
    3f2a91c0 12 3.4 1795000000.0 - [{"kind": "thrown", "dice": [1, 1, 2, 3, 4, 6]}]

A line is its seal, the position, match and number of the step, the time, the key of a match that
begins with it, and what was done. It is added and synced before anybody is told of the step, and
cut where backups hold all of it. People can read it, and so can a program that lost its journal.

Before the line of a step that a request asked for stands that: `3c08d1f5 asked 12 9b2e...`.
"""

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from game.file_io import open_regular_file, write_atomically
from game.journal.entry import Row, checksum

SUFFIX = ".txt"

HEAD = "# Traykeeper, journal {}: every step once more, should the journal be damaged"

REQUEST_MARK = "asked"

ABSENT = "-"
"""Stands for a time or a key that there is not."""

N_FIELDS = 6

Keys = Mapping[int, str]
"""Match -> what no other match anywhere is called."""

Requests = Mapping[int, str]
"""Position -> which request asked for that step; those alone that one asked for."""


@dataclass(frozen=True, slots=True)
class TraceText:
    """What a trace says.

    Attributes:
        identity: of the journal that it belongs to; "" where that cannot be read.
        rows: as they are in the journal, in the order of the lines.
        keys: of the matches that begin in them.
        requests: that asked for them.
        whole: whether every line holds, but perhaps the last: power may go while it is written.
    """

    identity: str
    rows: tuple[Row, ...]
    keys: Keys
    requests: Requests
    whole: bool


def read(path: Path) -> TraceText | None:
    """The trace in this file; None where there is no file.

    Raises:
        OSError: it cannot be read.
    """
    try:
        with open_regular_file(path) as file:
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return None
    identity = _identity(lines[0].decode("utf-8", "replace"))
    texts = [_unsealed(line) for line in lines[1:]]
    steps, requests = list(map(_step, texts)), list(map(_request, texts))
    whole = bool(identity) and all(map(_either, steps[:-1], requests[:-1]))
    keys = {row[1]: key for row, key in filter(None, steps) if key}
    rows = tuple(row for row, _ in filter(None, steps))
    return TraceText(identity, rows, keys, dict(filter(None, requests)), whole)


class Trace:
    """The trace of one journal. Any thread may call.

    Raises (every method):
        OSError: it cannot be written.
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
        """Whether the file is as we left it: nobody moved, emptied or lengthened it."""
        with self._lock:
            return self._is_in_place()

    def rewrite(
        self, identity: str, rows: Iterable[Row], keys: Keys, requests: Requests, last: int
    ) -> None:
        """A new file with these rows, in place of any other; `last` is the journal's newest."""
        head = f"{HEAD.format(identity)}\n"
        with self._lock:
            self._let_go()  # not in place until all of it is
            self._replace((head + _lines(rows, keys, requests)).encode("utf-8", "replace"))
            self.last = last

    def resume(self, last: int) -> None:
        """Add to the file that is there, whose last line may be a torn one."""
        with self._lock:
            file = self.path.open("r+b")
            data = file.read()
            self._file, self._size, self.last = file, data.rfind(b"\n") + 1, last
            file.truncate(self._size)

    def add(self, rows: Iterable[Row], keys: Keys, requests: Requests) -> None:
        """These are on the disk afterwards."""
        rows = tuple(rows)
        with self._lock:
            self._write(_lines(rows, keys, requests).encode("utf-8", "replace"))
            self.last = max((self.last, *(row[0] for row in rows)))

    def cut(self, upto: int) -> None:
        """What is at this position or before need not be kept any more."""
        with self._lock:
            if not self._is_in_place():
                return
            head, *lines = self.path.read_bytes().split(b"\n")
            kept = [line for line in lines if (at := _position(_unsealed(line))) and at > upto]
            if len(kept) < len(lines) - 1:  # the last is the nothing behind the end
                self._replace(b"\n".join([head, *kept, b""]))

    def close(self) -> None:
        with self._lock:
            self._let_go()

    def _is_in_place(self) -> bool:
        if self._file is None:
            return False
        try:
            there, ours = self.path.stat(), os.fstat(self._file.fileno())
        except OSError:
            return False
        return os.path.samestat(there, ours) and there.st_size == self._size

    def _let_go(self) -> None:
        if self._file:
            self._file.close()
            self._file = None

    def _write(self, data: bytes) -> None:
        """At the end of what holds: an earlier try may have left a part of a line."""
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
    """In the order of their positions; of two at one place the later counts."""
    latest = {row[0]: row for row in rows}
    return (latest[position] for position in sorted(latest))


def _lines(rows: Iterable[Row], keys: Keys, requests: Requests) -> str:
    """A request first: a torn end never has a step without the one that asked for it."""
    texts: list[str] = []
    for row in rows:
        if request := requests.get(row[0]):
            texts.append(f"{REQUEST_MARK} {row[0]} {request}")
        texts.append(_text(row, keys))
    return "".join(f"{_seal(text)} {text}\n" for text in texts)


def _text(row: Row, keys: Keys) -> str:
    position, match_id, seq, time_s, body, _ = row
    time = ABSENT if time_s is None else repr(time_s)
    key = keys.get(match_id, ABSENT) if seq == 0 else ABSENT
    return f"{position} {match_id}.{seq} {time} {key} {body}"


def _unsealed(line: bytes) -> str:
    """What this line says; nothing where it is not what was written."""
    sealed, _, text = line.decode("utf-8", "replace").partition(" ")
    return text if sealed == _seal(text) else ""


def _step(text: str) -> tuple[Row, str] | None:
    """The row that it tells and the key in it; None where it tells none."""
    try:
        position, number, time, key, body = text.split(" ", N_FIELDS - 2)
        match_id, seq = map(int, number.split("."))
        time_s = None if time == ABSENT else float(time)
        row = (int(position), match_id, seq, time_s, body, checksum(match_id, seq, time_s, body))
    except ValueError:
        return None
    return row, "" if key == ABSENT else key


def _request(text: str) -> tuple[int, str] | None:
    """Position and request, where it tells one."""
    asked, _, rest = text.partition(" ")
    position, _, request = rest.partition(" ")
    return (int(position), request) if asked == REQUEST_MARK and position.isdecimal() else None


def _either(step: object, request: object) -> bool:
    return step is not None or request is not None


def _position(text: str) -> int:
    """Which step it is about; 0 where that cannot be told."""
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
