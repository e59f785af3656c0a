"""The events of matches on disk: each is there before anyone is told that it happened.

SQLite with a write-ahead log and full synchronisation: what `append` returned from survives a
pulled plug. Nothing else is stored; a match is the fold of its events.
"""

import fcntl
import json
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Any, Self

from game.errors import GameError, JournalError
from game.events import Action, from_json, to_json
from game.match import Match
from game.ruleset import Ruleset

JOURNAL = "journal.db"
"""Its name in the folder of a table."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS match (
    id INTEGER PRIMARY KEY,
    setup TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS step (
    match INTEGER NOT NULL REFERENCES match,
    seq INTEGER NOT NULL,
    actions TEXT NOT NULL,
    PRIMARY KEY (match, seq)
) WITHOUT ROWID;
"""


@dataclass(slots=True)
class Journal:
    """The record of all matches of one table. Used by one thread.

    Raises (every method):
        JournalError: the file cannot be read or written; says which and what to do.
    """

    path: Path
    _db: sqlite3.Connection
    _lock: IO[bytes]

    @classmethod
    def open(cls, path: Path) -> Self:
        """The journal in this file, made where there is none."""
        with _as_journal_error(path), ExitStack() as undo:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = undo.enter_context(_locked(path.with_suffix(".lock")))
            db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            undo.callback(db.close)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
            db.executescript(_SCHEMA)
            undo.pop_all()  # all went well: the journal keeps both
        return cls(path, db, lock)

    def close(self) -> None:
        self._db.close()
        self._lock.close()

    def start(self, match: Match) -> int:
        """Write down a new match; gives its number."""
        with _as_journal_error(self.path):
            setup = json.dumps(setup_json(match) | new_name())
            row = self._db.execute("INSERT INTO match (setup) VALUES (?)", (setup,))
        assert row.lastrowid is not None  # noqa: S101 - an INSERT has one
        return row.lastrowid

    def append(self, match_id: int, *actions: Action) -> None:
        """Write one step of a match: actions that were pushed together."""
        step = json.dumps([to_json(action) for action in actions])
        with _as_journal_error(self.path):
            self._db.execute(
                "INSERT INTO step SELECT ?1, COUNT(*), ?2 FROM step WHERE match = ?1",
                (match_id, step),
            )

    def newest(self) -> tuple[int, Match] | None:
        """The number of the newest match and the match as it stands, or None."""
        with _as_journal_error(self.path):
            row = self._db.execute(
                "SELECT id, setup FROM match ORDER BY id DESC LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            match = match_from(row[1])
            for step in self._steps(row[0]):
                match = match.push(*step)
        return row[0], match

    def _steps(self, match_id: int) -> Iterator[list[Action]]:
        rows = self._db.execute(
            "SELECT actions FROM step WHERE match = ? ORDER BY seq", (match_id,)
        )
        for (actions,) in rows:
            yield [from_json(action) for action in json.loads(actions)]


def _locked(path: Path) -> IO[bytes]:
    """A lock file held by this process alone, for as long as it is open."""
    lock = path.open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise JournalError(
            f"{path.parent}: another Traykeeper keeps its matches there: stop it, or use --state"
        ) from None
    return lock


@contextmanager
def _as_journal_error(path: Path) -> Iterator[None]:
    try:
        yield
    except JournalError:
        raise
    except (OSError, sqlite3.OperationalError) as error:
        raise JournalError(
            f"{path}: the journal cannot be used ({error}): is the disk full or read-only?"
        ) from None
    except (sqlite3.Error, GameError, ValueError, KeyError, TypeError) as error:
        raise JournalError(
            f"{path}: the journal is damaged ({error}): move the file away to begin anew"
        ) from None


def setup_json(match: Match) -> dict[str, Any]:
    start = match.start_state
    names = [player.name for player in start.players]
    teams = [player.team for player in start.players]
    return {"rules": asdict(match.rules), "names": names, "first": start.order[0], "teams": teams}


def new_name() -> dict[str, Any]:
    """What others call a new match, unlike any other in the world, and when it began here."""
    return {"id": secrets.token_hex(8), "began": time.time()}


def match_from(setup: str) -> Match:
    """The match that was begun so."""
    data = json.loads(setup)
    rules = _rules_from(data["rules"])
    return Match.start(rules, data["names"], first=data["first"], teams=data["teams"])


def _rules_from(data: dict[str, Any]) -> Ruleset:
    """The rule set as the match was begun with, whatever its file says today."""
    defaults = {f.name: f.default for f in fields(Ruleset)}
    typed = {key: _like(defaults[key], value) for key, value in data.items()}
    return Ruleset(**typed)


def _like(default: object, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return type(default)(value) if isinstance(default, str) else value
