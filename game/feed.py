"""The journal as others hear of it: every entry in the order in which it was written.

A second, reading connection to the file that `game.journal` writes; for one thread. Each call
opens it anew, so that a journal that was restored or begun anew is read from then on.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2s
from pathlib import Path
from typing import Any

from game.errors import JournalError
from game.events import from_json
from game.journal import match_from
from game.match import Match
from game.wire import WireEntry

WAIT_S = 5.0
"""The writer is never longer."""

Position = tuple[int, int]
"""Where an entry stands among all: later ones are greater."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A match in the journal: its number there, what others call it, how many steps it has."""

    number: int
    match: str
    steps: int


@dataclass(frozen=True, slots=True)
class Line:
    """An entry, where it stands, and the match before and after it; None before its beginning."""

    position: Position
    entry: WireEntry
    before: Match | None
    match: Match


class Feed:
    """Reads the entries of a journal.

    Raises (every method):
        JournalError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: Line | None = None

    def __repr__(self) -> str:
        return f"<Feed of {self._path}>"

    def matches(self) -> list[Recorded]:
        """All of them, oldest first."""
        rows = self._rows(
            "SELECT id, setup, (SELECT COUNT(*) FROM step WHERE match = id) FROM match ORDER BY id"
        )
        return [Recorded(number, _id(number, setup), steps) for number, setup, steps in rows]

    def whole(self, number: int) -> Iterator[Line]:
        """All of the match of this number."""
        line = None
        for (setup,) in self._rows("SELECT setup FROM match WHERE id = ?", number):
            line = _first(number, setup)
            yield line
        for (actions,) in self._rows(
            "SELECT actions FROM step WHERE match = ? ORDER BY seq", number
        ):
            if line:
                line = _next(line, actions)
                yield line

    def after(self, position: Position) -> Iterator[Line]:
        """What was written after that, over all matches."""
        number, seq = position
        line = self.line(position)
        for (actions,) in self._rows(
            "SELECT actions FROM step WHERE match = ? AND seq >= ? ORDER BY seq", number, seq
        ):
            if line:
                self._last = line = _next(line, actions)
                yield line
        for (later,) in self._rows("SELECT id FROM match WHERE id > ? ORDER BY id", number):
            for line in self.whole(later):
                self._last = line
                yield line

    def newest(self) -> Position:
        """Just before the newest match."""
        ((number,),) = self._rows("SELECT COALESCE(MAX(id), 0) FROM match")
        return (number - 1, MOST_STEPS)

    def find(self, match_id: str, seq: int, chain: str) -> Position | None:
        """Where that entry stands, if the journal still has it as it was."""
        for recorded in reversed(self.matches()):
            if recorded.match == match_id:
                for line in self.whole(recorded.number):
                    if (line.entry.seq, line.entry.chain) == (seq, chain):
                        self._last = line
                        return line.position
        return None

    def line(self, position: Position) -> Line | None:
        """What stands there."""
        if self._last is None or self._last.position != position:
            lines = (line for line in self.whole(position[0]) if line.position == position)
            self._last = next(lines, None)
        return self._last

    def _rows(self, query: str, *values: int) -> list[tuple[Any, ...]]:
        try:
            with closing(sqlite3.connect(self._path, timeout=WAIT_S)) as db:
                db.execute("PRAGMA query_only=ON")
                return list(db.execute(query, values))
        except sqlite3.Error as error:
            raise JournalError(f"{self._path}: the journal cannot be read ({error})") from None


MOST_STEPS = 2**62
"""Beyond every step of a match."""


def _id(number: int, setup: str) -> str:
    """What others call the match; one from before matches had names is called by its content."""
    named: str | None = _loaded(setup).get("id")
    return named or blake2s(f"{number} {setup}".encode(), digest_size=8).hexdigest()


def _first(number: int, setup: str) -> Line:
    match, began_s = match_from(setup), _loaded(setup).get("began", 0.0)
    return Line((number, 0), WireEntry.first(_id(number, setup), match, began_s), None, match)


def _next(line: Line, actions: str) -> Line:
    """The step after that line."""
    step = tuple(from_json(action) for action in _loaded(actions))
    number, seq = line.position
    return Line((number, seq + 1), line.entry.then(*step), line.match, line.match.push(*step))


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise JournalError(f"the journal is damaged ({error})") from None
