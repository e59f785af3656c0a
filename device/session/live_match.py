"""The match in play, in which a step takes effect only once it has been written to the journal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol, TypeVar

from game.commands import CorrectThrow, Undo
from game.errors import DamagedJournal, JournalError
from game.journal.entry import Result
from game.journal.journal import Journal, MendingJournal
from game.match.events import Action, Place, Redone, Thrown, Undone
from game.match.match import Match
from game.message import Message
from game.situation import NO_MATCH_YET, TableError

T = TypeVar("T")

MENDED = Message(
    "The journal was repaired, but earlier undo steps are lost: check the scoreboard, then "
    "try again."
)


class OtherTray(Protocol):
    """The other tray in matches whose players sit at two trays."""

    def seating(self, match_id: int) -> Callable[[int], bool] | None:
        """Return a function that reports whether a seat of this match is at the other tray.

        None means that the match is played at this tray only.
        """

    def ask(self, command: Undo | CorrectThrow) -> None:
        """Ask the other tray to make a change that only the tray of the current player can make.

        Raises:
            TableError: If the other tray cannot be reached.
        """

    def rematch(self, match: Match) -> str:
        """Return the id for a rematch, a match between the same players that follows the current one.

        Args:
            match: The rematch before its first event, or with head starts as its only events.

        Raises:
            TableError: If only the other tray can begin the rematch. It has then been asked to do
                so, unless it cannot be reached.
        """


class LiveMatch:
    """The match that is being played at this table.

    Args:
        journal: The journal to which each step is written before it takes effect.
        other_tray: The other tray; None if matches cannot be shared with another tray.

    Attributes:
        match_id: Number of the match in the journal; 0 if there is none.
        other_tray: The other tray; None if matches cannot be shared with another tray.
        seats_elsewhere: Returns whether a seat is at another tray; None if the match is played at this
            tray only.
        match_before: Number of the match to which undo returns from the start of this one; 0 if there is
            none.
        trouble: Why the last step could not be written; None if it was written.
        last_seen_position: Position in the journal of the newest throw that a camera saw; 0 if no
            throw has been seen since the program started.
        request_id: Id of the phone's request that is being carried out, which is recorded with its
            steps; "" if there is none.
        earlier_places: Where the dice of the newest throw lay when the match was loaded from the journal, if
            they belong to another match or were deleted by hand; otherwise empty.
        change_count: A number that grows with every change to the match. Beginning a match counts as a change.
            Unless a backup was restored, the journal has at least as many entries, so that the number goes on
            growing after a restart.
    """

    def __init__(
        self, journal: Journal | MendingJournal, other_tray: OtherTray | None = None
    ) -> None:
        self._journal, self.other_tray = journal, other_tray
        self.seats_elsewhere: Callable[[int], bool] | None = None
        self.match_id = self.match_before = 0
        self.trouble: Message | None = None
        self.last_seen_position = 0
        self.request_id = ""
        self.earlier_places: tuple[Place, ...] = ()
        self.change_count = 0
        self._match: Match | None = None

    def __bool__(self) -> bool:
        return self._match is not None

    @property
    def in_play(self) -> Match | None:
        """The match as it stands; None if there is no match yet."""
        return self._match

    @property
    def match(self) -> Match:
        """The match as it stands.

        Raises:
            TableError: If there is no match yet.
        """
        if self._match is None:
            raise TableError(NO_MATCH_YET)
        return self._match

    @property
    def is_recorded(self) -> bool:
        """Whether the most recent match in the journal is this one, in the same state."""
        try:
            return (self._journal.newest() or (0, None)) == (self.match_id, self._match)
        except JournalError:
            return False

    def update_seating(self) -> None:
        """Find out again which players sit at another tray, because that may have changed."""
        other = self.other_tray
        self.seats_elsewhere = other.seating(self.match_id) if other and self._match else None

    @contextmanager
    def for_request(self, request: str) -> Iterator[None]:
        """Attach the id of a phone's request to every step recorded inside the `with` block."""
        before, self.request_id = self.request_id, request
        try:
            yield
        finally:
            self.request_id = before

    def begin(self, match: Match, key: str = "") -> None:
        """Begin a match.

        Args:
            match: The match before its first event, or with head starts as its only events.
            key: Id of the match if another tray records it as well; "" creates a new id.

        Raises:
            JournalError: If the match cannot be written.
        """
        number = self._write(lambda: self._journal.start(match, request=self.request_id, key=key))
        if match.state.series:
            with suppress(
                JournalError
            ):  # the score of the series is then shown from the next start on
                number, match = self._journal.newest() or (number, match)
        self.resume(number, match)

    def reopen(self, match_id: int) -> Match:
        """Continue an older match, and return that match. The match in play stays in the journal as it is.

        Raises:
            JournalError: If there is no such match, or its continuation cannot be written.
        """
        match = self._repairing(lambda: self._journal.match(match_id))
        self._write(lambda: self._journal.append(match_id, request=self.request_id))
        self.resume(match_id, match)
        return match

    def reload(self) -> None:
        """Continue the most recent match in the journal, if there is one.

        Raises:
            JournalError: If that match cannot be read.
        """
        self.match_id, self._match = 0, None  # the journal may contain other matches now
        with suppress(JournalError):  # the next line reports the reason
            self.change_count = max(self.change_count, self._journal.last_position())
        self.match_id, self._match = self._journal.newest() or (0, None)
        self.last_seen_position = 0
        self.earlier_places = ()
        if self._match:
            with suppress(JournalError):
                places = self._journal.newest_places()
                self.earlier_places = () if places == self._match.last_places else places
        self._note_match_before()
        self.update_seating()
        self.change_count += 1

    def resume(self, match_id: int, match: Match) -> None:
        """Continue a match from the journal.

        Args:
            match_id: Number of the match.
            match: The match as it stands.
        """
        self.match_id, self._match = match_id, match
        self._note_match_before()
        self.update_seating()
        self.change_count += 1

    def _note_match_before(self) -> None:
        self.match_before = 0
        with suppress(JournalError):  # undo then ends at the start of this match
            self.match_before = self._journal.match_before(self.match_id)

    def do(self, *actions: Action, after: Match | None = None) -> Match:
        """Carry out these actions as one step, and return the resulting match.

        Args:
            *actions: The actions that make up the step.
            after: The match after these actions; None works it out.

        Raises:
            GameError: If an action is refused or the step cannot be written. Nothing changes then.
        """
        match = after or self.match.push(*actions)
        result = Result.of(match) if match.state.winner is not None else None
        known = self._match

        def write() -> int:
            if self._match is not known and _is_undo_or_redo(actions):
                raise TableError(MENDED)
            return self._journal.append(
                self.match_id, *actions, result=result, request=self.request_id
            )

        position = self._write(write)
        if self._match is not known:
            match = self.match.push(*actions)  # the repaired journal has other steps to undo
        self._match = match
        self.change_count += 1
        thrown = (action for action in actions if isinstance(action, Thrown))
        if any(place.seen for throw in thrown for place in throw.places):
            self.last_seen_position = position
        return match

    def _write(self, write: Callable[[], T]) -> T:
        """Return the result of `write`. If it fails, `trouble` is the reason until something is written."""
        try:
            done = self._repairing(write)
        except JournalError as error:
            self.trouble = error.message
            raise
        self.trouble = None
        return done

    def _repairing(self, call: Callable[[], T]) -> T:
        """Return the result of a call. If the journal is damaged, repair it and call again."""
        try:
            return call()
        except DamagedJournal:
            if not (isinstance(self._journal, MendingJournal) and self._journal.mend()):
                raise
            self._write_again(self._journal)
            return call()

    def _write_again(self, journal: MendingJournal) -> None:
        """Write the match in memory to a repaired journal again, if the journal lacks any step of the match."""
        if self._match is None:
            return
        with suppress(JournalError):
            if journal.match(self.match_id) == self._match:
                return
        start = self._match.start_state
        self.match_id = journal.start(Match(start, (), start))
        for event in self._match.timeline:
            journal.append(self.match_id, event)
        self._match = journal.match(self.match_id)
        self.update_seating()  # a shared match has a new id now, and continues at this tray only


def throws_elsewhere(match: Match) -> Message:
    """Return a message saying that the current player throws at the other tray."""
    name = match.state.player.display_name
    return Message("It is %(name)s's turn at the other tray.", name=name)


def _is_undo_or_redo(actions: tuple[Action, ...]) -> bool:
    return any(isinstance(action, Undone | Redone) for action in actions)
