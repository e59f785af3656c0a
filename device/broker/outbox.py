"""The entries on their way from the journal to the broker: in order, none left out.

The journal is the queue. Beside it stands only how far the broker has taken it; what was under
way when something broke goes out again, and counts once by its match and number.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from device.broker.note import Note
from game.entry import Entry
from game.feed import Feed
from game.match import Match

WINDOW = 50
"""Entries under way at once."""


class Outbox:
    """Reads the journal on from where the broker had it.

    Without a note it begins with the newest match; older ones are told to whoever asks.

    Args:
        feed: the journal.
        note: how far the broker had it.

    Attributes:
        last: the newest entry that was read, None before the first.
        match: the match after it.
    """

    def __init__(self, feed: Feed, note: Note) -> None:
        self._feed = feed
        self.note = note
        self._under_way: dict[int, Entry] = {}
        self._taken: set[int] = set()
        self.rewind()

    def __repr__(self) -> str:
        return f"<Outbox after {self.note.match} {self.note.seq}, {len(self._under_way)} under way>"

    def rewind(self) -> None:
        """Begin again after the last entry that the broker has taken."""
        self._under_way.clear()
        self._taken.clear()
        self._ahead: deque[Entry] = deque()
        self.last: Entry | None = None
        self.match: Match | None = None
        self._number = 0
        matches = self._feed.matches()
        for recorded in reversed(matches):
            if recorded.match == self.note.match and self._go_to_note(recorded.number):
                return
        if matches:
            self._number = matches[-1].number - 1

    def _go_to_note(self, number: int) -> bool:
        """Whether the journal still has what the note says, as it was."""
        match = None
        for entry in self._feed.whole(number):
            match = entry.played(match)
            if self.note.is_of(entry):
                self._number, self.last, self.match = number, entry, match
                return True
        return False

    def send(self, publish: Callable[[Entry, Match | None, Match], int]) -> bool:
        """Hand out entries while there is room; gives whether all of the journal is out.

        `publish` gets an entry and the match before and after it, and gives the number by which
        it will be acknowledged.
        """
        while len(self._under_way) < WINDOW:
            entry = self._next()
            if entry is None:
                return True
            before = self.match if entry.seq else None
            self.match = entry.played(before)
            self.last = entry
            self._under_way[publish(entry, before, self.match)] = entry
        return False

    def acknowledged(self, number: int) -> None:
        """The broker has taken what was published by this number; those before it count first."""
        if number not in self._under_way:
            return
        self._taken.add(number)
        for first, entry in list(self._under_way.items()):
            if first not in self._taken:
                return
            self._taken.remove(first)
            del self._under_way[first]
            self.note = replace(self.note, match=entry.match, seq=entry.seq, chain=entry.chain)

    def _next(self) -> Entry | None:
        if not self._ahead:
            self._ahead.extend(self._read())
        return self._ahead.popleft() if self._ahead else None

    def _read(self) -> list[Entry]:
        """What follows in this match, else how the next one begins."""
        if self.last and (more := list(self._feed.after(self._number, self.last))):
            return more
        for later in self._feed.matches(after=self._number):
            self._number = later.number
            first = self._feed.first(later.number)
            return [first] if first else []
        return []
