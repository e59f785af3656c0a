"""The match in play and its journal, moved together: written first, then true."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from game.errors import JournalError
from game.journal.entry import Result
from game.match.events import Action, Thrown
from game.match.match import Match
from game.message import Message
from game.situation import TableError


class StepRecord(Protocol):
    """Keeps events before they are told: `game.journal.journal.Journal`."""

    def newest(self) -> tuple[int, Match] | None: ...

    def start(self, match: Match) -> int: ...

    def reopen(self, match_id: int) -> Match: ...

    def append(self, match_id: int, *actions: Action, result: Result | None = None) -> int: ...


class LiveMatch:
    """The one match that is being played at this table, if any.

    Attributes:
        match_id: its number in the record.
        trouble: why the last step could not be written; None where it was.
        seen: the position in the record of the newest throw that a camera saw.
    """

    def __init__(self, record: StepRecord) -> None:
        self._record = record
        self.match_id = 0
        self.trouble: Message | None = None
        self.seen = 0
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
            raise TableError(Message("There is no match yet: set one up first."))
        return self._match

    def begin(self, match: Match) -> None:
        with self._writing():
            self.match_id = self._record.start(match)
        self._match = match

    def reopen(self, match_id: int) -> Match:
        """Go on with an older match; the one in play stays in the journal as it is."""
        with self._writing():
            match = self._record.reopen(match_id)
        self.match_id, self._match = match_id, match
        return match

    def reload(self) -> None:
        """Go on with what the record says was played last, if anything."""
        self.match_id, self._match = self._record.newest() or (0, None)
        self.seen = 0

    def resume(self, match_id: int, match: Match) -> None:
        self.match_id, self._match = match_id, match

    def do(self, *actions: Action) -> Match:
        """All of these as one step, or none where one is refused or cannot be written."""
        match = self.match.push(*actions)
        result = Result.of(match) if match.state.winner is not None else None
        with self._writing():
            position = self._record.append(self.match_id, *actions, result=result)
        self._match = match
        thrown = (action for action in actions if isinstance(action, Thrown))
        if any(place.seen for throw in thrown for place in throw.places):
            self.seen = position
        return match

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except JournalError as error:
            self.trouble = error.message
            raise
        self.trouble = None
