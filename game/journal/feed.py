"""The entries of a journal for programs that follow it, such as the MQTT bridge, and how far each has read.

A feed can read while another thread or process is writing the journal. Only one thread may use a
feed.

The journal is the queue of the MQTT broker and of the webhook. Entries after the last accepted one are sent
again after a crash, which does no harm.
"""

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import count, groupby
from pathlib import Path
from time import monotonic
from typing import Generic, Self, TypeVar

from game.errors import DamagedJournal
from game.file_io import write_atomically
from game.journal.entry import Entry, WireEntry
from game.journal.history import History
from game.match.events import Action, Redone, Revision, Spliced, Thrown, Undone
from game.match.match import Match


@dataclass(frozen=True, slots=True)
class RollIds:
    """The ids of the events in a match's timeline, and the ids that undo and redo would restore.

    Attributes:
        ids: One id for each event of the timeline.
        before: The ids one step ago, for undo.
        after: The ids as they were before each undo. Redo restores the last of them first.
    """

    ids: tuple[str, ...] = ()
    before: "RollIds | None" = field(default=None, repr=False, compare=False)
    after: tuple["RollIds", ...] = field(default=(), repr=False, compare=False)

    def push(self, name: str, match: Match, actions: Iterable[Action]) -> tuple["RollIds", Match]:
        """Return the ids and the match after one step.

        Args:
            name: Prefix for the ids of new events, different for each step of the match.
            match: The match before the step.
            actions: The actions that make up the step.

        Raises:
            GameError: If an action is not possible.
        """
        new_ids = (f"{name}-{n}" for n in count())
        ids = self
        for is_revision, group in groupby(actions, lambda action: isinstance(action, Revision)):
            together = list(group)
            for part in [[action] for action in together] if is_revision else [together]:
                after = match.push(*part)
                ids, match = ids._after(match, part, new_ids), after
        return ids, match

    def _after(self, match: Match, actions: list[Action], new_ids: Iterator[str]) -> "RollIds":
        """Return the ids after one revision of the timeline, or after consecutive events.

        These are the groups of actions that `Match.push` treats as one step.
        """
        match actions[0]:
            case Undone() if self.before:
                return replace(self.before, after=(*self.after, self))
            case Redone() if self.after:
                return replace(self.after[-1], after=self.after[:-1])
            case Spliced() as spliced:
                return self._then(_spliced(self.ids, match, spliced, new_ids))
            case action if isinstance(action, Revision):
                return self._then(self.ids)
        return self._then((*self.ids, *(next(new_ids) for _ in actions)))

    def _then(self, ids: tuple[str, ...]) -> "RollIds":
        return RollIds(ids, before=self)


def _spliced(
    ids: tuple[str, ...], match: Match, action: Spliced, new_ids: Iterator[str]
) -> tuple[str, ...]:
    """Return the ids after events were inserted, replaced or removed.

    A new throw with the same dice as a replaced throw gets the id of that throw.

    Args:
        ids: The ids before the change.
        match: The match before the change.
        action: The change.
        new_ids: Ids for events that are new.
    """
    replaced = range(action.start, action.stop)
    old = [
        (tuple(sorted(event.dice)), ids[i])
        for i in replaced
        if isinstance(event := match.timeline[i], Thrown)
    ]
    middle = []
    for event in action.events:
        dice = tuple(sorted(event.dice)) if isinstance(event, Thrown) else None
        known = next((pair for pair in old if pair[0] == dice), None)
        if known:
            old.remove(known)
        middle.append(known[1] if known else next(new_ids))
    return (*ids[: action.start], *middle, *ids[action.stop :])


SAVE_INTERVAL_S = 10.0
"""Shortest time between two writes of a progress, in seconds, because SD cards wear out."""

MAX_CACHED_MATCHES = 4
"""Number of matches whose newest line is cached. Other matches are replayed when they are
continued."""

BATCH_SIZE = 500
"""Number of entries that are read in one query."""


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
        return self._whole(number, 0)

    def _whole(self, number: int, series_at: int) -> Iterator[FeedLine]:
        """Yield all entries of a match, with the score of its series at a position; 0 is the start of the match."""
        line = None
        for entry in self._history.steps(number):
            line = self._line(entry, line, series_at)
            yield line

    def after(self, position: int) -> Iterator[FeedLine]:
        """Yield the entries of all matches after a position in the journal, in order."""
        while entries := self._history.entries(position, BATCH_SIZE):
            for entry in entries:
                line = self._line(entry, self._before(entry))
                self._remember(entry.match_id, line)
                position = line.position
                yield line

    def at(self, position: int) -> FeedLine | None:
        """Return the entry at a position in the journal; None if there is none."""
        line = next(self.after(position - 1), None)
        return line if line and line.position == position else None

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
                        if line.match.state.series is None:  # see `_before`
                            self._remember(recorded.number, line)
                        return line
        return None

    def _before(self, entry: Entry) -> FeedLine | None:
        """Return the line for the previous entry of the same match, or None if there is none."""
        tail = self._tails.get(entry.match_id)
        is_next = tail is not None and tail.entry.seq == entry.seq - 1
        # Between two entries of a match, another match of its series can have changed.
        if (
            tail
            and is_next
            and (not tail.match.state.series or tail.position == entry.position - 1)
        ):
            return tail
        whole = self._whole(entry.match_id, entry.position)
        return next((line for line in whole if line.entry.seq == entry.seq - 1), None)

    def _remember(self, number: int, line: FeedLine) -> None:
        self._tails[number] = line
        self._tails.move_to_end(number)
        if len(self._tails) > MAX_CACHED_MATCHES:
            self._tails.popitem(last=False)

    def _line(self, entry: Entry, before: FeedLine | None, series_at: int = 0) -> FeedLine:
        if start := entry.start_match:
            series_at = series_at or entry.position
            start = self._history.with_series_score(entry.match_id, start, series_at)
            name = self._history.key(entry.match_id)
            first = WireEntry.first(name, start, entry.time_s or 0.0)
            return FeedLine(entry.position, first, None, start)
        if before is None:
            raise DamagedJournal("the start of match %(n)s is missing", n=str(entry.match_id))
        published = before.entry.then(*entry.actions)
        name = f"{published.match}-{published.seq}"
        ids, after = before.ids.push(name, before.match, entry.actions)
        return FeedLine(entry.position, published, before.match, after, before.ids, ids)


class JournalFollower(Generic[AnyProgress]):
    """A reader of new entries for one receiver, which records in a file how many the receiver has accepted.

    Without earlier progress, the first entry is the start of the latest match. Only one thread may use a follower.

    Args:
        feed: The entries of the journal.
        path: Path of the file.
        progress: How much of the journal the receiver had accepted before.

    Attributes:
        progress: The last entry that the receiver has accepted.
        last: The last entry that was read; None before the first.
    """

    def __init__(self, feed: Feed, path: Path, progress: AnyProgress) -> None:
        self._feed, self._path, self.progress = feed, path, progress
        self._saved, self._saved_s = progress, 0.0
        self._identity, self._position = "", 0
        self.last: FeedLine | None = None

    def rewind(self) -> None:
        """Go back to the last accepted entry, so that all entries after it are read again."""
        done = self.progress
        self._identity = self._feed.identity
        self.last = self._feed.find(done.match, done.seq, done.chain) if done.match else None
        self._position = self.last.position if self.last else self._feed.newest()

    @property
    def is_restored(self) -> bool:
        """Whether this is another journal than at the last `rewind`, because a backup has been restored."""
        return self._feed.identity != self._identity

    def unread(self) -> Iterator[FeedLine]:
        """Yield the entries that have not been read since the last `rewind`, in order."""
        for line in self._feed.after(self._position):
            self._position, self.last = line.position, line
            yield line

    def accept(self, entry: WireEntry) -> None:
        """Record that the receiver has accepted this entry and all before it."""
        self.progress = self.progress.after(entry)

    def save_if_due(self) -> None:
        """Save the progress if it has changed and the last write was more than `SAVE_INTERVAL_S` seconds ago."""
        if self.progress != self._saved and monotonic() - self._saved_s > SAVE_INTERVAL_S:
            self.save()

    def save(self) -> None:
        """Save the progress now."""
        self._saved, self._saved_s = self.progress, monotonic()
        self.progress.write(self._path)
