"""The journal as others hear of it: entries in the order in which they were written.

A second, reading connection to the file that `game.journal` writes; for any thread. Each call
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

from game.entry import Entry
from game.errors import JournalError
from game.events import from_json
from game.journal import match_from

WAIT_S = 5.0
"""The writer is never longer."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A match in the journal: its place there, what others call it, how many steps it has."""

    number: int
    match: str
    steps: int


class Feed:
    """Reads the entries of a journal.

    Raises (every method):
        JournalError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __repr__(self) -> str:
        return f"<Feed of {self._path}>"

    def matches(self, after: int = 0) -> list[Recorded]:
        """Those with a higher number, oldest first."""
        rows = self._rows(
            "SELECT id, setup, (SELECT COUNT(*) FROM step WHERE match = id) FROM match "
            "WHERE id > ? ORDER BY id",
            (after,),
        )
        return [Recorded(number, _id(number, setup), steps) for number, setup, steps in rows]

    def first(self, number: int) -> Entry | None:
        """How the match of this number began."""
        rows = self._rows("SELECT setup FROM match WHERE id = ?", (number,))
        return next((_first(number, setup) for (setup,) in rows), None)

    def after(self, number: int, last: Entry) -> Iterator[Entry]:
        """What followed that entry of the match of this number."""
        rows = self._rows(
            "SELECT actions FROM step WHERE match = ? AND seq >= ? ORDER BY seq",
            (number, last.seq),
        )
        for (actions,) in rows:
            last = last.then(*(from_json(action) for action in json.loads(actions)))
            yield last

    def whole(self, number: int) -> Iterator[Entry]:
        """All entries of the match of this number."""
        first = self.first(number)
        if first is not None:
            yield first
            yield from self.after(number, first)

    def _rows(self, query: str, values: tuple[int, ...]) -> list[tuple[Any, ...]]:
        try:
            with closing(sqlite3.connect(self._path, timeout=WAIT_S)) as db:
                db.execute("PRAGMA query_only=ON")
                return list(db.execute(query, values))
        except sqlite3.Error as error:
            raise JournalError(f"{self._path}: the journal cannot be read ({error})") from None


def _id(number: int, setup: str) -> str:
    """What others call the match; one from before matches had names is called by its content."""
    named: str | None = json.loads(setup).get("id")
    return named or blake2s(f"{number} {setup}".encode(), digest_size=8).hexdigest()


def _first(number: int, setup: str) -> Entry:
    began_s = json.loads(setup).get("began", 0.0)
    return Entry.first(_id(number, setup), match_from(setup), began_s)
