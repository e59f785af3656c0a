"""The entries on their way from the journal to the broker, in order and without gaps.

The journal is the queue, and a small file records how much of it the broker has acknowledged. After a
crash, unacknowledged entries are sent again; receivers recognise them by match and number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from game.journal.feed import Feed, FeedLine
from game.journal.feed_progress import FeedProgress, ProgressFile
from game.journal.wire import WireEntry

FILE = "mqtt.json"

WINDOW = 50
"""Number of entries that may be unacknowledged at once."""


@dataclass(frozen=True, slots=True)
class Progress(FeedProgress):
    """A tray on a broker, and the last entry that the broker has acknowledged.

    Attributes:
        url: Address of the broker.
        tray: Name of the tray in topics.
        secret: File with the user name and password for the broker; empty if there is none.
        ca: File with the certificate of the authority that signed the broker's certificate; empty trusts the
            system's authorities.
    """

    url: str
    tray: str
    secret: str = ""
    ca: str = ""


class Outbox:
    """The queue of journal entries that the broker has not acknowledged yet.

    Without earlier progress, the queue begins with the latest match; receivers request older matches. This class is not
    thread-safe.

    Args:
        feed: The entries of the journal.
        progress: How much of the journal the broker had acknowledged in the last run.
        path: Path of the file that stores the progress.

    Attributes:
        last: The latest entry that was sent; None before the first.
    """

    def __init__(self, feed: Feed, progress: Progress, path: Path) -> None:
        self._feed, self._file = feed, ProgressFile(path, progress, progress)
        self._unacknowledged: dict[int, WireEntry] = {}
        self._acknowledged: set[int] = set()
        self.rewind()

    def __repr__(self) -> str:
        after = f"{self.progress.match} {self.progress.seq}"
        return f"<Outbox after {after}, {len(self._unacknowledged)} unacknowledged>"

    @property
    def progress(self) -> Progress:
        """How much of the journal the broker has acknowledged."""
        return self._file.progress

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
            self._file.progress = self.progress.after(entry)

    def save_if_due(self) -> None:
        """Save the progress if it has changed and the last write was long enough ago."""
        self._file.save_if_due()

    def save(self) -> None:
        """Save the progress now."""
        self._file.save()
