"""The steps of the table for event streams: what has just happened, in order, with the same ids as the webhook."""

import json
import logging
from collections import deque
from collections.abc import Callable, Iterable
from secrets import token_hex
from threading import Lock

from game.errors import JournalError
from game.journal.feed import Feed
from game.match.match import Match
from game.stats.step_events import DiceLogEvents, StepEvent, step_events
from web.contracts.table import Snapshot
from web.stream import format_event

log = logging.getLogger(__name__)

MAX_EVENTS = 500
"""How many of the newest events a program can still get after a lost connection: the events of
about ten minutes."""


class StepStream:
    """The newest events of a table, made once for all streams. Any thread may call its methods.

    The stream does nothing until a program asks for events.

    Args:
        feed: The journal; None if there is none.
    """

    def __init__(self, feed: Feed | None) -> None:
        self._feed, self._lock = feed, Lock()
        self._events: deque[tuple[str, str]] = deque(maxlen=MAX_EVENTS)
        self._n_events = 0
        self._version = -1
        self._match: Match | None = None
        self._journal: tuple[str, int] | None = None
        self._dice: DiceLogEvents | None = None
        self._name = f"dice-{token_hex(4)}"

    def follower(self, last_id: str = "") -> Callable[[Snapshot], str]:
        """Return a function, for one stream, that returns the events since its last call as text.

        Args:
            last_id: Id of the last event that the program has received; "" if it has none yet.
        """
        n_sent: int | None = None

        def new_events(snapshot: Snapshot) -> str:
            nonlocal n_sent
            with self._lock:
                self._update(snapshot)
                if n_sent is None:
                    n_sent = self._number_after(last_id)
                n_new = min(self._n_events - n_sent, len(self._events))
                n_sent = self._n_events
                return "".join(text for _, text in list(self._events)[len(self._events) - n_new :])

        return new_events

    def _number_after(self, last_id: str) -> int:
        """Return how many events a program no longer needs. If `last_id` is unknown, it needs only new events."""
        ids = [event_id for event_id, _ in self._events]
        known = ids.index(last_id) + 1 if last_id in ids else len(ids)
        return self._n_events - len(ids) + known

    def _update(self, snapshot: Snapshot) -> None:
        if snapshot.version <= self._version:
            return
        is_new_step = self._journal is None or snapshot.match is not self._match
        self._version, self._match = snapshot.version, snapshot.match
        if self._dice is None:
            self._dice = DiceLogEvents(self._name, snapshot.just_dice)
        self._add(self._dice.update(snapshot.just_dice))
        try:
            if is_new_step:
                self._read_journal()
        except JournalError as error:
            log.warning("the event stream misses a step: %s", error)

    def _read_journal(self) -> None:
        """Add the events of the steps since the last call; the first call and a restored backup add none."""
        if self._feed is None:
            return
        before, self._journal = self._journal, self._feed.version
        if before is None or before[0] != self._journal[0]:
            return
        if self._journal[1] - before[1] <= MAX_EVENTS:
            for line in self._feed.after(before[1]):
                self._journal = (self._journal[0], line.position)
                self._add(step_events(line))

    def _add(self, events: Iterable[StepEvent]) -> None:
        for event in events:
            text = format_event("step", json.dumps(event, separators=(",", ":")), event["id"])
            self._events.append((event["id"], text))
            self._n_events += 1
