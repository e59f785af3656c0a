"""The entries on their way from the journal to the broker: in order, none left out.

The journal is the queue. Beside it stands only how far the broker has taken it; what was under
way when something broke goes out again, and counts once by its match and number.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Self

from game.file_io import write_atomically
from game.journal.feed import Feed, FeedLine
from game.journal.wire import WireEntry

FILE = "mqtt.json"


@dataclass(frozen=True, slots=True)
class Note:
    """A tray on a broker; `match`, `seq` and `chain` are of the last entry that was taken."""

    url: str
    tray: str
    secret: str = ""
    ca: str = ""
    match: str = ""
    seq: int = 0
    chain: str = ""

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """The note in this file; None where there is none, or none that can be read."""
        with suppress(OSError, ValueError, TypeError, RecursionError):
            return cls(**json.loads(path.read_text("utf-8")))
        return None

    def write(self, path: Path) -> None:
        """In one step, so that a power cut leaves the old note or the new one.

        It need not outlive the cut: what is sent again counts once.
        """
        with suppress(OSError):  # a full disk: the entries go out again, and count once
            write_atomically(path, json.dumps(asdict(self)), synced=False)


WINDOW = 50
"""Entries under way at once."""


class Outbox:
    """Reads the journal on from where the broker had it.

    Without a note it begins with the newest match; older ones are told to whoever asks.

    Args:
        feed: the journal.
        note: how far the broker had it.

    Attributes:
        note: how far it has it now.
        last: the newest line that went out, None before the first.
    """

    def __init__(self, feed: Feed, note: Note) -> None:
        self._feed = feed
        self.note = note
        self._under_way: dict[int, WireEntry] = {}
        self._taken: set[int] = set()
        self.rewind()

    def __repr__(self) -> str:
        return f"<Outbox after {self.note.match} {self.note.seq}, {len(self._under_way)} under way>"

    def rewind(self) -> None:
        """Begin again after the last entry that the broker has taken."""
        self._under_way.clear()
        self._taken.clear()
        note = self.note
        self._identity = self._feed.identity
        self.last = self._feed.find(note.match, note.seq, note.chain) if note.match else None
        self._position = self.last.position if self.last else self._feed.newest()

    def send(self, publish: Callable[[FeedLine], int]) -> bool:
        """Hand out lines while there is room; gives whether all of the journal is out.

        `publish` gives the number by which the broker will acknowledge it.
        """
        if self._feed.identity != self._identity:  # a backup was restored
            self.rewind()
        room = WINDOW - len(self._under_way)
        for line in islice(self._feed.after(self._position), room):
            self._position, self.last = line.position, line
            self._under_way[publish(line)] = line.entry
        return len(self._under_way) < WINDOW

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
