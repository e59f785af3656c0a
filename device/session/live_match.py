"""The match in play and its journal, moved together: written first, then true."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar, runtime_checkable

from game.errors import DamagedJournal, JournalError
from game.journal.entry import Result
from game.match.events import Action, Place, Redone, Thrown, Undone
from game.match.match import Match
from game.message import Message
from game.situation import TableError

T = TypeVar("T")

MENDED = Message(
    "The journal was mended, without what was taken back before: look, then do it again."
)


NO_MATCH = Message("There is no match yet: set one up first.")


class StepRecord(Protocol):
    """Keeps events before they are told: `game.journal.journal.Journal`."""

    def newest(self, *, except_match: int = 0) -> tuple[int, Match] | None: ...

    def start(self, match: Match, *, request: str = "") -> int: ...

    def reopen(self, match_id: int, *, request: str = "") -> Match: ...

    def append(
        self, match_id: int, *actions: Action, result: Result | None = None, request: str = ""
    ) -> int: ...


@runtime_checkable
class MendingRecord(StepRecord, Protocol):
    """One that can be put right while it is used: `device.storage.mending_journal`."""

    def mend(self) -> bool: ...

    def match(self, match_id: int) -> Match: ...


class LiveMatch:
    """The one match that is being played at this table, if any.

    Attributes:
        match_id: its number in the record.
        trouble: why the last step could not be written; None where it was.
        seen: the position in the record of the newest throw that a camera saw.
        request: which one is being done, "" where none is; it is written with its steps.
        left_lying: where the dice of the match before lay, as long as this one has no throw.
        steps: how often the match changed since the start of the program, be it by another one.
    """

    def __init__(self, record: StepRecord) -> None:
        self._record = record
        self.match_id = 0
        self.trouble: Message | None = None
        self.seen = 0
        self.request = ""
        self.left_lying: tuple[Place, ...] = ()
        self.steps = 0
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
            raise TableError(NO_MATCH)
        return self._match

    @property
    def is_recorded(self) -> bool:
        """Whether the record says that this match was played last, and how it stands."""
        try:
            return (self._record.newest() or (0, None)) == (self.match_id, self._match)
        except JournalError:
            return False

    @contextmanager
    def asked_by(self, request: str) -> Iterator[None]:
        """What is written meanwhile is done for this request."""
        before, self.request = self.request, request
        try:
            yield
        finally:
            self.request = before

    def begin(self, match: Match) -> None:
        self.resume(self._written(lambda: self._record.start(match, request=self.request)), match)

    def reopen(self, match_id: int) -> Match:
        """Go on with an older match; the one in play stays in the journal as it is."""
        match = self._written(lambda: self._record.reopen(match_id, request=self.request))
        self.resume(match_id, match)
        return match

    def reload(self) -> None:
        """Go on with what the record says was played last, if anything that can be read."""
        self.match_id, self._match = 0, None  # of another record
        self.match_id, self._match = self._record.newest() or (0, None)
        self.seen = 0
        self.left_lying = ()
        if self._match and not self._match.last_places:
            with suppress(JournalError):
                _, earlier = self._record.newest(except_match=self.match_id) or (0, self._match)
                self.left_lying = earlier.last_places
        self.steps += 1

    def resume(self, match_id: int, match: Match) -> None:
        self.match_id, self._match = match_id, match
        self.steps += 1

    def do(self, *actions: Action) -> Match:
        """All of these as one step, or none where one is refused or cannot be written."""
        match = self.match.push(*actions)
        result = Result.of(match) if match.state.winner is not None else None
        known = self._match

        def write() -> int:
            if self._match is not known and _goes_back(actions):
                raise TableError(MENDED)
            return self._record.append(self.match_id, *actions, result=result, request=self.request)

        position = self._written(write)
        self._match = match
        self.steps += 1
        thrown = (action for action in actions if isinstance(action, Thrown))
        if any(place.seen for throw in thrown for place in throw.places):
            self.seen = position
        return match

    def _written(self, write: Callable[[], T]) -> T:
        """What `write` gives; a record that was lost is mended first."""
        try:
            try:
                done = write()
            except DamagedJournal:
                if not (isinstance(self._record, MendingRecord) and self._record.mend()):
                    raise
                self._write_again(self._record)
                done = write()
        except JournalError as error:
            self.trouble = error.message
            raise
        self.trouble = None
        return done

    def _write_again(self, record: MendingRecord) -> None:
        """What was mended may lack what we still know: then this match begins in it once more."""
        if self._match is None:
            return
        with suppress(JournalError):
            if record.match(self.match_id) == self._match:
                return
        start = self._match.start_state
        self.match_id = record.start(Match(start, (), start))
        for event in self._match.timeline:
            record.append(self.match_id, event)
        self._match = record.match(self.match_id)


def _goes_back(actions: tuple[Action, ...]) -> bool:
    return any(isinstance(action, Undone | Redone) for action in actions)
