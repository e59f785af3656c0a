"""The entries on their way from the journal to the broker, in order and without gaps.

The journal is the queue, and a small file records how much of it the broker has acknowledged. After a
crash, unacknowledged entries are sent again; receivers recognise them by match and number.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Self

from game.file_io import write_atomically
from game.journal.feed import Feed, FeedLine
from game.journal.wire import WireEntry

FILE = "mqtt.json"

WINDOW = 50
"""Number of entries that may be unacknowledged at once."""

SAVE_INTERVAL_S = 10.0
"""Shortest time between two writes of the progress, in seconds, because SD cards wear out."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A tray on a broker, and the last entry that the broker has acknowledged.

    Attributes:
        url: Address of the broker.
        tray: Name of the tray in topics.
        secret: File with the user name and password for the broker; empty if there is none.
        ca: File with the certificate of the authority that signed the broker's certificate; empty trusts the
            system's authorities.
        match: Id of the match to which the last acknowledged entry belongs; empty before the first.
        seq: Number of that entry in its match.
        chain: Digest of that match up to that entry.
    """

    url: str
    tray: str
    secret: str = ""
    ca: str = ""
    match: str = ""
    seq: int = 0
    chain: str = ""

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """Return the progress stored in a file, or None if the file is missing or not valid."""
        with suppress(OSError, ValueError, TypeError, RecursionError):
            return cls(**json.loads(path.read_text("utf-8")))
        return None

    def write(self, path: Path) -> None:
        """Write the progress to a file atomically.

        The file is not flushed to disk, and a full disk is ignored, because entries that are sent twice do no harm.
        """
        with suppress(OSError):
            write_atomically(path, json.dumps(asdict(self)), synced=False)


class Outbox:
    """The queue of journal entries that the broker has not acknowledged yet.

    Without earlier progress, it begins with the latest match; receivers request older matches. This class is not
    thread-safe.

    Args:
        feed: The entries of the journal.
        progress: How much of the journal the broker had acknowledged in the last run.
        path: Path of the file that stores the progress.

    Attributes:
        progress: How much of the journal the broker has acknowledged.
        last: The latest entry that was sent; None before the first.
    """

    def __init__(self, feed: Feed, progress: Progress, path: Path) -> None:
        self._feed, self._path = feed, path
        self.progress = self._saved = progress
        self._saved_s = 0.0
        self._unacknowledged: dict[int, WireEntry] = {}
        self._acknowledged: set[int] = set()
        self.rewind()

    def __repr__(self) -> str:
        after = f"{self.progress.match} {self.progress.seq}"
        return f"<Outbox after {after}, {len(self._unacknowledged)} unacknowledged>"

    def rewind(self) -> None:
        """Go back to the last acknowledged entry, so that all entries after it are sent again."""
        self._unacknowledged.clear()
        self._acknowledged.clear()
        done = self.progress
        self._identity = self._feed.identity
        self.last = self._feed.find(done.match, done.seq, done.chain) if done.match else None
        self._position = self.last.position if self.last else self._feed.newest()

    def send(self, publish: Callable[[FeedLine], int]) -> bool:
        """Publish entries until `WINDOW` of them are unacknowledged; return whether the whole journal has been sent.

        Args:
            publish: Publishes an entry and returns the number of its message.
        """
        if self._feed.identity != self._identity:  # a backup was restored
            self.rewind()
        room = WINDOW - len(self._unacknowledged)
        for line in islice(self._feed.after(self._position), room):
            self._position, self.last = line.position, line
            self._unacknowledged[publish(line)] = line.entry
        return len(self._unacknowledged) < WINDOW

    def acknowledge(self, number: int) -> None:
        """Record that the broker has acknowledged a message.

        The progress never moves past an entry that has not been acknowledged.
        """
        if number not in self._unacknowledged:
            return
        self._acknowledged.add(number)
        for first, entry in list(self._unacknowledged.items()):
            if first not in self._acknowledged:
                return
            self._acknowledged.remove(first)
            del self._unacknowledged[first]
            self.progress = replace(
                self.progress, match=entry.match, seq=entry.seq, chain=entry.chain
            )

    def save_if_due(self) -> None:
        """Save the progress if it has changed and the last write was more than `SAVE_INTERVAL_S` seconds ago."""
        if self.progress != self._saved and monotonic() - self._saved_s > SAVE_INTERVAL_S:
            self._saved_s = monotonic()
            self.save()

    def save(self) -> None:
        """Save the progress now."""
        self._saved = self.progress
        self._saved.write(self._path)
