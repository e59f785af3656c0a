"""The match in play and its journal, moved together: written first, then true."""

from typing import Protocol

from game.events import Action
from game.match import Match
from game.result import Result
from web.table import TableError


class Record(Protocol):
    """Keeps events before they are told: `game.journal.Journal`."""

    def newest(self) -> tuple[int, Match] | None: ...

    def start(self, match: Match) -> int: ...

    def reopen(self, match_id: int) -> Match: ...

    def append(self, match_id: int, *actions: Action, result: Result | None = None) -> int: ...


class Ledger:
    """The one match that is being played at this table, if any."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._match_id = 0
        self._match: Match | None = None

    def __bool__(self) -> bool:
        return self._match is not None

    @property
    def match(self) -> Match:
        """The match as it stands.

        Raises:
            TableError: there is none yet.
        """
        if self._match is None:
            raise TableError("There is no match yet: set one up first.")
        return self._match

    def begin(self, match: Match) -> None:
        self._match_id = self._record.start(match)
        self._match = match

    def reopen(self, match_id: int) -> Match:
        """Go on with an older match; the one in play stays in the journal as it is."""
        match = self._record.reopen(match_id)
        self._match_id, self._match = match_id, match
        return match

    def reload(self) -> None:
        """Go on with what the record says was played last, if anything."""
        self._match_id, self._match = self._record.newest() or (0, None)

    def resume(self, match_id: int, match: Match) -> None:
        self._match_id, self._match = match_id, match

    def do(self, *actions: Action) -> Match:
        """All of these as one step, or none where one is refused or cannot be written."""
        match = self.match.push(*actions)
        result = Result.of(match) if match.state.winner is not None else None
        self._record.append(self._match_id, *actions, result=result)
        self._match = match
        return match
