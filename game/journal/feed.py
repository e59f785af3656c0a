"""The journal as others hear of it: every entry in the order in which it was written.

It reads beside the writer, by `game.journal.history`; for one thread.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from game.errors import DamagedJournal
from game.journal.entry import Entry
from game.journal.history import History
from game.journal.wire import WireEntry
from game.match.match import Match
from game.message import Message

MAX_CACHED_MATCHES = 4
"""Matches whose newest line is remembered; others are folded again when they are taken up."""

BATCH_SIZE = 500


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A match in the journal: its number there, what others call it, how many steps it has."""

    number: int
    match: str
    steps: int


@dataclass(frozen=True, slots=True)
class FeedLine:
    """An entry, where it stands, and the match before and after it; None before its beginning."""

    position: int
    entry: WireEntry
    before: Match | None
    match: Match


class Feed:
    """Reads the entries of a journal.

    Raises (every method):
        JournalError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._history = History(path)
        self._tails: OrderedDict[int, FeedLine] = OrderedDict()

    def __repr__(self) -> str:
        return f"<Feed of {self._history.path}>"

    @property
    def identity(self) -> str:
        """Another one means that a backup was restored: what was read may not be there any more."""
        return self._history.identity

    def matches(self) -> list[RecordedMatch]:
        """All of them, in the order in which they began."""
        return [RecordedMatch(*row) for row in self._history.match_sizes()]

    def whole(self, number: int) -> Iterator[FeedLine]:
        """All of the match of this number."""
        line = None
        for entry in self._history.steps(number):
            line = self._line(entry, line)
            yield line

    def after(self, position: int) -> Iterator[FeedLine]:
        """What was written after that, over all matches."""
        while entries := self._history.entries(position, BATCH_SIZE):
            for entry in entries:
                line = self._line(entry, self._before(entry))
                self._remember(entry.match_id, line)
                position = line.position
                yield line

    def newest(self) -> int:
        """The position just before the match that was played last; 0 where there is none."""
        for played in self._history.matches(limit=1):
            return self._history.steps(played.id)[0].position - 1
        return 0

    def find(self, match_id: str, seq: int, chain: str) -> FeedLine | None:
        """That entry, if the journal still has it as it was."""
        self._tails.clear()
        for recorded in self.matches():
            if recorded.match == match_id:
                for line in self.whole(recorded.number):
                    if (line.entry.seq, line.entry.chain) == (seq, chain):
                        self._remember(recorded.number, line)
                        return line
        return None

    def _before(self, entry: Entry) -> FeedLine | None:
        """The line of the same match before this one."""
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
            raise DamagedJournal(
                Message("the beginning of match %(n)s is missing", n=str(entry.match_id))
            )
        after = before.match.push(*entry.actions)
        return FeedLine(entry.position, before.entry.then(*entry.actions), before.match, after)
