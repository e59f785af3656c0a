"""Reads the journal beside whoever writes it: all matches, one match, all that happened since."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from game.errors import GameError, JournalError, reason
from game.journal import schema
from game.journal.entry import COLUMNS, START_SEQ, Entry, Result, Row, entry_from_row
from game.journal.rows import load_match
from game.match.match import Match
from game.message import Message
from game.rules.ruleset import Ruleset

BUSY_TIMEOUT_S = 5.0
"""Longer than any writer holds the file."""

_MATCHES = """
SELECT match, MAX(position) AS last, MAX(seq), key, result
FROM entry JOIN match ON match.id = entry.match
GROUP BY match HAVING last < ? ORDER BY last DESC
"""

_ONE = """
SELECT match, MAX(position) AS last, MAX(seq), key, result
FROM entry JOIN match ON match.id = entry.match
WHERE match.id = ? GROUP BY match
"""

MAX_REQUESTS = 200
"""Steps whose requests are looked at: a phone asks again within minutes."""

END_POSITION = 2**62
"""Beyond every position."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """One match of the list.

    Attributes:
        id: its number in this journal.
        key: no other match, in any journal, has it.
        position: of its last entry: where the list goes on after it.
        steps: how many there are, with those taken back.
        begun_s, last_s: what the clock said then, seconds since 1970; None where it was not set.
    """

    id: int
    key: str
    position: int
    steps: int
    rules: Ruleset
    result: Result
    begun_s: float | None
    last_s: float | None

    @property
    def ended(self) -> bool:
        """Whether somebody has won; any other can be taken up again."""
        return self.result.winner is not None


@dataclass(frozen=True, slots=True)
class UnreadableMatch:
    """One match of the list that was begun or played as this version does not know.

    Attributes:
        id: its number in this journal.
        position: of its last entry.
        why: what stands in the way.
    """

    id: int
    position: int
    why: Message


class History:
    """What the journal in this file says; any thread may ask, each time with a connection of its own.

    >>> history = History(Path("journal.db"))
    >>> [(played.result.names, played.result.scores) for played in history.matches(limit=10)]
    >>> history.match(3).state.turns
    >>> for entry in history.entries(after=1200): ...

    Raises (every method):
        JournalError: it cannot be read, or there is no such match.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def identity(self) -> str:
        """Another one means that a backup was restored: whoever followed it begins anew."""
        with self._reading() as db:
            return schema.identity(db)

    @property
    def as_of(self) -> tuple[str, int]:
        """Its identity and the position of its last entry: where both are as before, it says the same."""
        with self._reading() as db:
            (newest,) = db.execute("SELECT MAX(position) FROM entry").fetchone()
            return schema.identity(db), newest or 0

    def matches(self, *, before: int = END_POSITION, limit: int = 50) -> tuple[PlayedMatch, ...]:
        """The matches that can be read, the one played last first.

        Args:
            before: only those whose last entry is before this position: the next page.
            limit: how many at most.
        """
        with self._reading() as db:
            found = (each for each in _listed(db, before) if isinstance(each, PlayedMatch))
            return tuple(islice(found, limit))

    def listed(
        self, *, before: int = END_POSITION, limit: int = 50
    ) -> tuple[PlayedMatch | UnreadableMatch, ...]:
        """The same, with those that cannot be read."""
        with self._reading() as db:
            return tuple(islice(_listed(db, before), limit))

    def match(self, match_id: int) -> Match:
        """A match as it stands, whole: its `state.turns` are what statistics are made of."""
        with self._reading() as db:
            return load_match(db, match_id)

    def played(self, match_id: int) -> PlayedMatch:
        """What the list says of this match."""
        with self._reading() as db:
            row = db.execute(_ONE, (match_id,)).fetchone()
            if row is None:
                raise JournalError(Message("there is no match %(n)s", n=str(match_id)))
            return _played(db, row)

    def steps(self, match_id: int) -> tuple[Entry, ...]:
        """Its entries in order, the beginning first."""
        with self._reading() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM entry WHERE match = ? ORDER BY seq",  # noqa: S608 - our own words
                (match_id,),
            )
            return tuple(map(entry_from_row, rows))

    def entries(self, after: int = 0, limit: int = 500) -> tuple[Entry, ...]:
        """All that was accepted after this position, over all matches, in order.

        Whoever passes it on remembers the last position and asks from there.
        """
        with self._reading() as db:
            rows = db.execute(
                f"SELECT {COLUMNS} FROM entry WHERE position > ? ORDER BY position LIMIT ?",  # noqa: S608 - our own words
                (after, limit),
            )
            return tuple(map(entry_from_row, rows))

    def count(self) -> int:
        """How many matches there are."""
        with self._reading() as db:
            (number,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
            return int(number)

    def sizes(self) -> tuple[tuple[int, str, int], ...]:
        """Number, key and last step of every match, in the order in which they began."""
        query = (
            "SELECT id, key, MAX(seq) FROM match JOIN entry ON match = id GROUP BY id ORDER BY id"
        )
        with self._reading() as db:
            return tuple(db.execute(query).fetchall())

    def requests(self) -> tuple[str, ...]:
        """Those that the newest steps were done for."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT request FROM entry ORDER BY position DESC LIMIT ?", (MAX_REQUESTS,)
            )
            return tuple(request for (request,) in rows if request)

    def key(self, match_id: int) -> str:
        """What no other match has, in any journal."""
        with self._reading() as db:
            row = db.execute("SELECT key FROM match WHERE id = ?", (match_id,)).fetchone()
        if row is None:
            raise JournalError(Message("there is no match %(n)s", n=str(match_id)))
        return str(row[0])

    def players(self, limit: int = 50) -> tuple[str, ...]:
        """Everybody's name, whoever played last first; as written in the newest match."""
        names: dict[str, str] = {}
        for played in self.matches(limit=limit * 4):
            for name in played.result.names:
                names.setdefault(name.casefold(), name)
        return tuple(names.values())[:limit]

    def copy(self) -> bytes:
        """The whole journal as it is at this moment, for a backup."""
        with self._reading() as db, closing(sqlite3.connect(":memory:")) as copy:
            db.backup(copy)
            return copy.serialize()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if not self.path.exists():
            raise JournalError(
                Message(
                    "%(file)s: there is no journal here: look with --state elsewhere",
                    file=str(self.path),
                )
            )
        uri = f"{self.path.absolute().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S)) as db:
                yield schema.tolerate_bad_text(db)
        except (sqlite3.Error, UnicodeDecodeError, GameError) as error:
            raise JournalError(
                Message(
                    "%(file)s: the journal cannot be read (%(why)s)",
                    file=str(self.path),
                    why=reason(error),
                )
            ) from None


def _listed(db: sqlite3.Connection, before: int) -> Iterator[PlayedMatch | UnreadableMatch]:
    """A match that this version cannot play again hides none of the others."""
    for row in db.execute(_MATCHES, (before,)).fetchall():
        match_id, last, *_ = row
        try:
            yield _played(db, row)
        except GameError as error:
            yield UnreadableMatch(match_id, last, error.message)


def _played(db: sqlite3.Connection, row: tuple[int, int, int, str, str | None]) -> PlayedMatch:
    match_id, last, seq, key, kept = row
    begun, newest = (_entry(db, match_id, number) for number in (START_SEQ, seq))
    assert begun.begun is not None  # noqa: S101 - it is the beginning
    result = Result.from_text(kept, match_id, seq) or Result.of(load_match(db, match_id))
    rules = begun.begun.rules
    return PlayedMatch(match_id, key, last, seq, rules, result, begun.time_s, newest.time_s)


def _entry(db: sqlite3.Connection, match_id: int, seq: int) -> Entry:
    row: Row = db.execute(
        f"SELECT {COLUMNS} FROM entry WHERE match = ? AND seq = ?",  # noqa: S608 - our own words
        (match_id, seq),
    ).fetchone()
    return entry_from_row(row)
