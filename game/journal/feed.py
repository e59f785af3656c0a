"""The entries of a journal for programs that follow it, such as the MQTT bridge.

A feed can read while another thread or process is writing the journal. Only one thread may use a
feed.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from game.errors import DamagedJournal
from game.journal.entry import Entry
from game.journal.history import History
from game.journal.wire import WireEntry
from game.match.match import Match
from game.match.roll_ids import RollIds

MAX_CACHED_MATCHES = 4
"""Number of matches whose newest line is cached. Other matches are replayed when they are
continued."""

BATCH_SIZE = 500
"""Number of entries that are read in one query."""


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A match in the journal.

    Attributes:
        number: Number of the match in the journal.
        match: Unique id of the match.
        steps: Number of its last step.
    """

    number: int
    match: str
    steps: int


@dataclass(frozen=True, slots=True)
class FeedLine:
    """An entry of the journal, with the match before and after it.

    Attributes:
        position: Position of the entry in the journal.
        entry: The entry in the form that is published.
        before: The match before the entry. None for the start of a match.
        match: The match after the entry.
        ids_before: Ids of the throws before the entry.
        ids: Ids of the throws after the entry.
    """

    position: int
    entry: WireEntry
    before: Match | None
    match: Match
    ids_before: RollIds = field(default_factory=RollIds, repr=False)
    ids: RollIds = field(default_factory=RollIds, repr=False)


class Feed:
    """A reader of the entries of a journal, for use by one thread.

    Raises (every method):
        JournalError: If the journal cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._history = History(path)
        self._tails: OrderedDict[int, FeedLine] = OrderedDict()

    def __repr__(self) -> str:
        return f"<Feed of {self._history.path}>"

    @property
    def identity(self) -> str:
        """Id of the journal. It changes when a backup is restored, as entries may then be missing."""
        return self._history.identity

    @property
    def version(self) -> tuple[str, int]:
        """The identity of the journal, and the position of its last entry."""
        return self._history.version

    def matches(self) -> list[RecordedMatch]:
        """Return all matches in the order in which they started."""
        return [RecordedMatch(*row) for row in self._history.match_sizes()]

    def whole(self, number: int) -> Iterator[FeedLine]:
        """Yield all entries of the match with this number, from its start."""
        line = None
        for entry in self._history.steps(number):
            line = self._line(entry, line)
            yield line

    def after(self, position: int) -> Iterator[FeedLine]:
        """Yield the entries of all matches after a position in the journal, in order."""
        while entries := self._history.entries(position, BATCH_SIZE):
            for entry in entries:
                line = self._line(entry, self._before(entry))
                self._remember(entry.match_id, line)
                position = line.position
                yield line

    def newest(self) -> int:
        """Return the position just before the start of the match played last; 0 if there is none."""
        for played in self._history.matches(limit=1):
            return self._history.steps(played.id)[0].position - 1
        return 0

    def find(self, match_id: str, seq: int, chain: str) -> FeedLine | None:
        """Return an entry if the journal still contains it unchanged, otherwise None.

        Args:
            match_id: Id of the match.
            seq: Number of the entry within the match.
            chain: Digest of the match up to the entry.
        """
        self._tails.clear()
        for recorded in self.matches():
            if recorded.match == match_id:
                for line in self.whole(recorded.number):
                    if (line.entry.seq, line.entry.chain) == (seq, chain):
                        self._remember(recorded.number, line)
                        return line
        return None

    def _before(self, entry: Entry) -> FeedLine | None:
        """Return the line for the previous entry of the same match, or None if there is none."""
        tail = self._tails.get(entry.match_id)
        if tail and tail.entry.seq == entry.seq - 1:
            return tail
        lines = (line for line in self.whole(entry.match_id) if line.entry.seq == entry.seq - 1)
        return next(lines, None)

    def _remember(self, number: int, line: FeedLine) -> None:
        self._tails[number] = line
        self._tails.move_to_end(number)
        if len(self._tails) > MAX_CACHED_MATCHES:
            self._tails.popitem(last=False)

    def _line(self, entry: Entry, before: FeedLine | None) -> FeedLine:
        if entry.start_match:
            name = self._history.key(entry.match_id)
            first = WireEntry.first(name, entry.start_match, entry.time_s or 0.0)
            return FeedLine(entry.position, first, None, entry.start_match)
        if before is None:
            raise DamagedJournal("the start of match %(n)s is missing", n=str(entry.match_id))
        published = before.entry.then(*entry.actions)
        name = f"{published.match}-{published.seq}"
        ids, after = before.ids.push(name, before.match, entry.actions)
        return FeedLine(entry.position, published, before.match, after, before.ids, ids)
