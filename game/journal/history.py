"""Readers of a journal's matches and entries, which work while another program is writing them.

The journal is the queue of the MQTT broker and of the webhook: `JournalFollower` records how far each has read. Entries
after the last accepted one are sent again after a crash, which does no harm.
"""

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import count, groupby, islice
from pathlib import Path
from time import monotonic
from typing import Generic, Self, TypeVar

from game.errors import DamagedJournal, GameError, IllegalStepError, JournalError, reason
from game.file_io import write_atomically
from game.journal import schema
from game.journal.entry import START_SEQ, Entry, Result, WireEntry, entry_from_row
from game.journal.schema import (
    END_POSITION,
    load_match,
    report_illegal_step,
    select_entries,
    with_series_score,
)
from game.match.events import Action, Redone, Revision, Spliced, Thrown, Undone
from game.match.match import Match
from game.match.state import Series
from game.message import Message
from game.rules.ruleset import Ruleset

BUSY_TIMEOUT_S = 5.0
"""How long a reader waits for a writer. No writer locks the file for that long."""

_MATCHES = """
SELECT match, MAX(position) AS last, MAX(seq), key, result
FROM entry JOIN match ON match.id = entry.match
"""

MAX_REQUESTS = 200
"""Number of newest steps whose request ids are returned. A phone repeats a request within minutes."""


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """One match in a list of matches.

    Attributes:
        id: Number of the match in this journal.
        key: Unique id of the match, across all journals.
        position: Position of the match's last entry. The next page of the list starts before it.
        steps: Number of steps, including those that were undone.
        rules: The rules of the match.
        result: The current or final standings.
        begun_s: When the match began, in seconds since 1970. None if the clock was not set.
        last_s: When the last step was taken, in seconds since 1970. None if the clock was not set.
        series: The series to which the match belongs, without its score; None for a single match.
    """

    id: int
    key: str
    position: int
    steps: int
    rules: Ruleset
    result: Result
    begun_s: float | None
    last_s: float | None
    series: Series | None

    @property
    def ended(self) -> bool:
        """Whether somebody has won. A match that nobody has won yet can be continued."""
        return self.result.winner is not None


@dataclass(frozen=True, slots=True)
class UnreadableMatch:
    """A match in the list that this version of Traykeeper cannot replay.

    Attributes:
        id: Number of the match in this journal.
        position: Position of the match's last entry.
        why: Which match cannot be replayed, and why.
    """

    id: int
    position: int
    why: Message


class History:
    """A read-only view of a journal. Any thread may use it: each call opens its own connection.

    >>> history = History(Path("journal.db"))
    >>> [(played.result.names, played.result.scores) for played in history.matches(limit=10)]
    >>> history.match(3).state.turns
    >>> for entry in history.entries(after=1200): ...

    Raises (every method):
        JournalError: If the journal cannot be read, or has no such match.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def identity(self) -> str:
        """Id of the journal. It changes when a backup is restored."""
        with _reading(self.path) as db:
            return schema.identity(db)

    @property
    def version(self) -> tuple[str, int]:
        """The id of the journal and its last position. The content changes only if one of them does."""
        with _reading(self.path) as db:
            (newest,) = db.execute("SELECT MAX(position) FROM entry").fetchone()
            return schema.identity(db), newest or 0

    def matches(self, *, before: int = END_POSITION, limit: int = 50) -> tuple[PlayedMatch, ...]:
        """Return the matches that can be read, the most recently played first.

        Args:
            before: Only return matches whose last entry is before this position.
            limit: Largest number of matches to return.
        """
        with _reading(self.path) as db:
            found = (each for each, _ in _listed(db, before) if isinstance(each, PlayedMatch))
            return tuple(islice(found, limit))

    def all_matches(
        self, *, before: int = END_POSITION, limit: int = 50
    ) -> tuple[PlayedMatch | UnreadableMatch, ...]:
        """Return all matches, including those that cannot be read, the most recently played first.

        A match without any step, such as a rematch that was undone, is left out unless it is in play.

        Args:
            before: Only return matches whose last entry is before this position.
            limit: Largest number of matches to return.
        """
        with _reading(self.path) as db:
            (newest,) = db.execute("SELECT MAX(position) FROM entry").fetchone()
            found = (
                each
                for each, has_steps in _listed(db, before)
                if has_steps or each.position == newest
            )
            return tuple(islice(found, limit))

    def match(self, match_id: int) -> Match:
        """Return a match in its current state."""
        with _reading(self.path) as db:
            return load_match(db, match_id)

    def played(self, match_id: int) -> PlayedMatch:
        """Return one match as it appears in the list of matches."""
        with _reading(self.path) as db:
            row = db.execute(_MATCHES + "WHERE match.id = ? GROUP BY match", (match_id,)).fetchone()
            if row is None:
                raise JournalError("there is no match %(n)s", n=str(match_id))
            return _played(db, row)[0]

    def match_entries(self, match_id: int) -> tuple[Entry, ...]:
        """Return all entries of a match, from its start."""
        with _reading(self.path) as db:
            rows = select_entries(db, "WHERE match = ? ORDER BY seq", match_id)
            return tuple(map(entry_from_row, rows))

    def with_series_score(self, match_id: int, start: Match, before: int) -> Match:
        """Return a match before its first event with the score of its series as it was before a position.

        Args:
            match_id: Number of the match.
            start: The match before its first event.
            before: A position in the journal.
        """
        if start.state.series is None:
            return start
        with _reading(self.path) as db:
            return with_series_score(db, match_id, start, before)

    def entries(self, after: int = 0, limit: int = 500) -> tuple[Entry, ...]:
        """Return the entries of all matches after a position, in order.

        Args:
            after: A position in the journal. Only entries after it are returned.
            limit: Largest number of entries to return.
        """
        with _reading(self.path) as db:
            rows = select_entries(db, "WHERE position > ? ORDER BY position LIMIT ?", after, limit)
            return tuple(map(entry_from_row, rows))

    def count(self) -> int:
        """Return the number of matches."""
        with _reading(self.path) as db:
            (number,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
            return int(number)

    def match_sizes(self) -> tuple[tuple[int, str, int], ...]:
        """Return the number, the unique id and the number of the last step of each match.

        The matches are in the order in which they started.
        """
        query = (
            "SELECT id, key, MAX(seq) FROM match JOIN entry ON match = id GROUP BY id ORDER BY id"
        )
        with _reading(self.path) as db:
            return tuple(db.execute(query).fetchall())

    def requests(self, match_id: int | None = None) -> tuple[str, ...]:
        """Return the ids of the requests that caused the newest steps, newest first.

        Args:
            match_id: Number of a match whose steps are searched, all of them. By default, the latest steps of all
                matches are searched.
        """
        clause, values = (
            ("ORDER BY position DESC LIMIT ?", (MAX_REQUESTS,))
            if match_id is None
            else ("WHERE match = ? ORDER BY position DESC", (match_id,))
        )
        with _reading(self.path) as db:
            rows = db.execute(f"SELECT request FROM entry {clause}", values)  # noqa: S608 - from constants
            return tuple(request for (request,) in rows if request)

    def newest(self) -> tuple[int, str] | None:
        """Return the number and unique id of the match played last, or None if there is none."""
        query = "SELECT id, key FROM match JOIN entry ON match = id ORDER BY position DESC LIMIT 1"
        with _reading(self.path) as db:
            row = db.execute(query).fetchone()
        return (int(row[0]), str(row[1])) if row else None

    def key(self, match_id: int) -> str:
        """Return the unique id of a match, which is the same in all journals with that match."""
        with _reading(self.path) as db:
            row = db.execute("SELECT key FROM match WHERE id = ?", (match_id,)).fetchone()
        if row is None:
            raise JournalError("there is no match %(n)s", n=str(match_id))
        return str(row[0])

    def players(self, limit: int = 50) -> tuple[str, ...]:
        """Return the names of recent players, the most recent first, in their latest spelling."""
        names: dict[str, str] = {}
        for played in self.matches(limit=limit * 4):
            for name in played.result.names:
                names.setdefault(name.casefold(), name)
        return tuple(names.values())[:limit]

    def copy(self) -> bytes:
        """Return a copy of the whole journal, for a backup."""
        with _reading(self.path) as db, closing(sqlite3.connect(":memory:")) as copy:
            db.backup(copy)
            return copy.serialize()


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.exists():
        raise JournalError(
            "%(file)s: there is no journal: choose another folder with --state", file=str(path)
        )
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_S)) as db:
            db.execute("BEGIN")  # all queries see the same steps, even while a backup is restored
            yield schema.tolerate_bad_text(db)
    except IllegalStepError:
        raise
    except (sqlite3.Error, UnicodeDecodeError, GameError) as error:
        raise JournalError(
            "%(file)s: the journal cannot be read (%(why)s)", file=str(path), why=reason(error)
        ) from None


def _listed(
    db: sqlite3.Connection, before: int
) -> Iterator[tuple[PlayedMatch | UnreadableMatch, bool]]:
    """Yield each match with whether it has any step that was not undone. One that cannot be read counts as such."""
    newest_first = "GROUP BY match HAVING last < ? ORDER BY last DESC"
    for row in db.execute(_MATCHES + newest_first, (before,)).fetchall():
        match_id, last, *_ = row
        try:
            yield _played(db, row)
        except IllegalStepError as error:
            yield UnreadableMatch(match_id, last, error.message), True
        except GameError as error:
            why = Message("match %(n)s cannot be read: %(why)s", n=str(match_id), why=error.message)
            yield UnreadableMatch(match_id, last, why), True


def _played(
    db: sqlite3.Connection, row: tuple[int, int, int, str, str | None]
) -> tuple[PlayedMatch, bool]:
    match_id, last, seq, key, stored = row
    start, newest = (_entry(db, match_id, number) for number in (START_SEQ, seq))
    assert start.start_match is not None  # noqa: S101 - the first entry has one
    result, has_steps = Result.from_text(stored, match_id, seq), True
    if result is None:
        match = load_match(db, match_id)
        result, has_steps = Result.of(match), bool(match.timeline)
    rules, series = start.start_match.rules, start.start_match.start_state.series
    times_s = (start.time_s, newest.time_s)
    played = PlayedMatch(match_id, key, last, seq, rules, result, *times_s, series)
    return played, has_steps or played.ended


def _entry(db: sqlite3.Connection, match_id: int, seq: int) -> Entry:
    return entry_from_row(
        select_entries(db, "WHERE match = ? AND seq = ?", match_id, seq).fetchone()
    )


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


class Feed(History):
    """A reader of the entries of a journal, each with the match before and after it, for use by one thread.

    Raises (every method):
        JournalError: If the journal cannot be read.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._tails: OrderedDict[int, FeedLine] = OrderedDict()

    def __repr__(self) -> str:
        return f"<Feed of {self.path}>"

    def whole(self, number: int) -> Iterator[FeedLine]:
        """Yield all entries of the match with this number, from its start to the last that the rules allow."""
        with suppress(IllegalStepError):
            yield from self._whole(number, 0)

    def _whole(self, number: int, series_at: int) -> Iterator[FeedLine]:
        """Yield all entries of a match, with the score of its series at a position; 0 is the start of the match."""
        line = None
        for entry in self.match_entries(number):
            line = self._line(entry, line, series_at)
            yield line

    def after(self, position: int) -> Iterator[FeedLine]:
        """Yield the entries of all matches after a position in the journal, in order.

        If the rules no longer allow a step, it and all later steps of that match are left out.
        """
        while entries := self.entries(position, BATCH_SIZE):
            for entry in entries:
                position = entry.position
                try:
                    line = self._line(entry, self._before(entry))
                except IllegalStepError:
                    continue
                self._remember(entry.match_id, line)
                yield line

    def at(self, position: int) -> FeedLine | None:
        """Return the entry at a position in the journal; None if there is none."""
        line = next(self.after(position - 1), None)
        return line if line and line.position == position else None

    def before_newest(self) -> int:
        """Return the position just before the start of the match played last; 0 if there is none."""
        for played in self.matches(limit=1):
            return self.match_entries(played.id)[0].position - 1
        return 0

    def find(self, match_id: str, seq: int, chain: str) -> FeedLine | None:
        """Return an entry if the journal still contains it unchanged, otherwise None.

        Args:
            match_id: Id of the match.
            seq: Number of the entry within the match.
            chain: Digest of the match up to the entry.
        """
        self._tails.clear()
        for number, key, _ in self.match_sizes():
            if key == match_id:
                for line in self.whole(number):
                    if (line.entry.seq, line.entry.chain) == (seq, chain):
                        if line.match.state.series is None:  # see `_before`
                            self._remember(number, line)
                        return line
        return None

    def _before(self, entry: Entry) -> FeedLine | None:
        """Return the line for the previous entry of the same match, or None if there is none."""
        if entry.seq == START_SEQ:
            return None
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
            start = self.with_series_score(entry.match_id, start, series_at)
            name = self.key(entry.match_id)
            first = WireEntry.first(name, start, entry.time_s or 0.0)
            return FeedLine(entry.position, first, None, start)
        if before is None:
            raise DamagedJournal("the start of match %(n)s is missing", n=str(entry.match_id))
        published = before.entry.then(*entry.actions)
        name = f"{published.match}-{published.seq}"
        with report_illegal_step(entry.match_id):
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
        self._position = self.last.position if self.last else self._feed.before_newest()

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
