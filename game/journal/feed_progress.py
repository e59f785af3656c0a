"""The progress of a receiver outside this machine through the journal, stored in a small file.

The journal is the queue of the MQTT broker and of the webhook. Entries after the last accepted one are sent
again after a crash, which does no harm.
"""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Generic, Self, TypeVar

from game.file_io import write_atomically
from game.journal.wire import WireEntry

SAVE_INTERVAL_S = 10.0
"""Shortest time between two writes of a progress, in seconds, because SD cards wear out."""


@dataclass(frozen=True, slots=True)
class FeedProgress:
    """The last entry of the journal that a receiver has accepted.

    Attributes:
        match: Id of the match to which the entry belongs; empty before the first.
        seq: Number of the entry in its match.
        chain: Digest of that match up to the entry.
    """

    match: str = field(default="", kw_only=True)
    seq: int = field(default=0, kw_only=True)
    chain: str = field(default="", kw_only=True)

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

    def after(self, entry: WireEntry) -> Self:
        """Return the progress after the receiver has accepted this entry and all before it."""
        return replace(self, match=entry.match, seq=entry.seq, chain=entry.chain)


AnyProgress = TypeVar("AnyProgress", bound=FeedProgress)


class ProgressFile(Generic[AnyProgress]):
    """A progress in memory, which is written to its file now and then.

    Args:
        path: Path of the file.
        progress: The progress at the start.
        saved: The progress in the file; None if the file contains no progress that is still valid.

    Attributes:
        progress: The current progress.
    """

    def __init__(self, path: Path, progress: AnyProgress, saved: AnyProgress | None) -> None:
        self._path, self.progress = path, progress
        self._saved, self._saved_s = saved, 0.0

    def save_if_due(self) -> None:
        """Save the progress if it has changed and the last write was more than `SAVE_INTERVAL_S` seconds ago."""
        if self.progress != self._saved and monotonic() - self._saved_s > SAVE_INTERVAL_S:
            self.save()

    def save(self) -> None:
        """Save the progress now."""
        self._saved, self._saved_s = self.progress, monotonic()
        self.progress.write(self._path)
