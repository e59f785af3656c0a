"""Publishes a tray on the broker in the settings, and deletes the tray's messages from former brokers.

The journal is the queue, and a small file records how much of it the broker has acknowledged. After a crash,
unacknowledged entries are sent again; receivers recognise them by match and number. A club board that has missed entries
asks for them and gets them from the journal.
"""

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from enum import Enum, auto
from functools import partial
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Protocol, Self

from device.errors import UsageError
from device.files import read_json, write_atomically
from device.mqtt.client import (
    BIRTH,
    OFFLINE,
    ONLINE,
    Address,
    BrokerClient,
    BrokerEvents,
    BrokerState,
    Topics,
    is_board,
    parse_address,
    tray_name,
)
from device.mqtt.tray_messages import compact_json, discovery, tray_state_json
from device.settings import Settings
from device.threads import DistinctReports, new_snapshots
from game.commands import CallPlayers, StartMatch
from game.errors import GameError
from game.journal.entry import WireEntry, is_match_id
from game.journal.history import Feed, FeedLine, FeedProgress, JournalFollower
from game.journal.journal import JOURNAL_FILE
from game.message import Message, Paragraph, join_with_and
from game.rules.rule_options import MAX_POINTS
from game.situation import READY_FOR_MATCH, TableError
from game.stats.announcements import announcements
from game.typed_json import typed
from web.contracts import Snapshot, Table

MAX_CALL_BYTES = 4_000
"""Largest accepted call, in bytes: enough for twenty names of the maximum length."""

MAX_TEXT_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Call:
    """A match that a club board asks this tray to play.

    Attributes:
        id: Identifier that the club board has chosen, and that the answer repeats.
        title: Name of the tournament.
        names: Names of the players.
        rules: Name of the rules; None means the default rules of this tray.
        target: Points to play for; None means the target of the rules.
    """

    id: str
    title: str
    names: tuple[str, ...]
    rules: str | None
    target: int | None

    @classmethod
    def of(cls, payload: bytes) -> Self | None:
        """Return the call in a message, or None if the message does not contain a valid one."""
        try:
            found = typed(cls, json.loads(payload) if len(payload) <= MAX_CALL_BYTES else None)
        except (KeyError, TypeError, ValueError, RecursionError):
            return None
        texts = (found.id, found.title, *found.names, found.rules or "")
        is_valid = all(map(str.isprintable, texts)) and 1 <= (found.target or 1) <= MAX_POINTS
        short = tuple(name[:MAX_TEXT_LENGTH] for name in found.names)
        return (
            replace(found, title=found.title[:MAX_TEXT_LENGTH], names=short) if is_valid else None
        )

    @property
    def question(self) -> Message:
        """The question that the players are asked."""
        calls = Message(
            "%(title)s: %(names)s have been called to this tray.",
            title=self.title,
            names=join_with_and(self.names),
        )
        return Paragraph(calls, Message("Start their match?"))


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """The answer of the players to a call.

    Attributes:
        id: Identifier of the call.
        accepted: Whether the match begins at this tray.
    """

    id: str
    accepted: bool


class OpenCall:
    """The call from a club board that the players have not answered yet. They are asked once no match is under way.

    The question is asked again until it is answered. This class is not thread-safe.

    Args:
        table: The companion.
        on_answer: Called, on any thread, with the answer of the players.
        answered: The last answer, from before the program was started; None if there is none.
    """

    def __init__(
        self,
        table: Table,
        on_answer: Callable[[CallAnswer], object],
        answered: CallAnswer | None = None,
    ) -> None:
        self._table, self._on_answer = table, on_answer
        self._open: Call | None = None
        self._answered = answered

    def receive(self, payload: bytes) -> None:
        """Store the call in a message, or withdraw the stored one if the message is empty.

        If the call has already been answered, the answer is repeated, because the club board has not received it.
        """
        found, answered = Call.of(payload), self._answered
        self._open = None
        if found and answered and found.id == answered.id:
            self._on_answer(answered)
        else:
            self._open = found

    def ask(self, snapshot: Snapshot) -> None:
        """Ask the players about the open call if the tray is ready for a match."""
        call = self._open
        if call is None or snapshot.situation not in READY_FOR_MATCH:
            return

        def answer(is_accepted: bool) -> None:  # noqa: FBT001 - the answer
            answered = CallAnswer(call.id, is_accepted)
            self._answered, self._open = answered, None
            self._on_answer(answered)

        match = StartMatch(call.names, rules=call.rules, target=call.target)
        try:
            self._table.do(CallPlayers(call.question, match, answer))
        except TableError:
            return  # another match has just begun: ask when it is over
        except GameError:  # the names or rules are not valid
            answer(is_accepted=False)


log = logging.getLogger(__name__)

PROGRESS_FILE = "mqtt.json"

WINDOW = 50
"""Number of entries that may be unacknowledged at once."""

MATCHES_PER_ANSWER = 500
ENTRIES_PER_ANSWER = 100

MAX_REQUEST_BYTES = 1_000
"""Largest accepted request, in bytes; a typical one has about 80."""

LISTEN_S = 1.0
"""Longest wait for a change of the match or the tray, in seconds; the waiting thread ends at most this late."""

REFUSED_S = 30.0
"""Pause before a message that the broker has refused is sent again, in seconds."""

FORMER_TRAYS_FILE = "mqtt-left.json"


@dataclass(frozen=True, slots=True)
class Progress(FeedProgress):
    """A tray on a broker, and the last entry that the broker has acknowledged.

    Attributes:
        url: Address of the broker.
        tray: Name of the tray in topics.
        secret: File with the user name and password for the broker; empty if there is none.
        ca: File with the certificate of the authority that signed the broker's certificate; empty trusts the
            system's authorities.
        call: Identifier of the last call of a club board that was answered; empty if there was none.
        is_call_accepted: Whether that call was accepted.
    """

    url: str
    tray: str
    secret: str = ""
    ca: str = ""
    call: str = ""
    is_call_accepted: bool = False

    @property
    def call_answer(self) -> CallAnswer | None:
        """The answer to the last call of a club board; None if there was none."""
        return CallAnswer(self.call, self.is_call_accepted) if self.call else None

    def is_same_tray(self, other: "Progress | None") -> bool:
        """Return whether this is the same name on the same broker."""
        return other is not None and (self.url, self.tray) == (other.url, other.tray)


class Outbox(JournalFollower[Progress]):
    """The queue of journal entries that the broker has not acknowledged yet. This class is not thread-safe.

    Args:
        feed: The entries of the journal.
        path: Path of the file that stores the progress.
        progress: How much of the journal the broker had acknowledged in the last run.
    """

    def __init__(self, feed: Feed, path: Path, progress: Progress) -> None:
        super().__init__(feed, path, progress)
        self._unacknowledged: dict[int, WireEntry] = {}
        self._acknowledged: set[int] = set()
        self.rewind()

    def rewind(self) -> None:
        """Go back to the last acknowledged entry, so that all entries after it are sent again."""
        self._unacknowledged.clear()
        self._acknowledged.clear()
        super().rewind()

    def send(self, publish: Callable[[FeedLine], int]) -> bool:
        """Publish entries until `WINDOW` of them are unacknowledged; return whether the whole journal has been sent.

        Args:
            publish: Publishes an entry and returns the number of its message.
        """
        if self.is_restored:
            self.rewind()
        for line in islice(self.unread(), WINDOW - len(self._unacknowledged)):
            self._unacknowledged[publish(line)] = line.entry
        return len(self._unacknowledged) < WINDOW

    def store_call_answer(self, answer: CallAnswer) -> None:
        """Store the answer to a call, so that players are not asked again after a restart."""
        self.progress = replace(self.progress, call=answer.id, is_call_accepted=answer.accepted)
        self.save()

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
            self.accept(entry)


class MatchSource(Protocol):
    """A source of recorded matches, such as `game.journal.history.Feed`."""

    def match_sizes(self) -> tuple[tuple[int, str, int], ...]:
        """Return the number, the id and the number of the last step of each match, in the order in which they began."""

    def whole(self, number: int) -> Iterator[FeedLine]:
        """Yield all entries of the match with this number, in order, each with the match before and after it."""


class GapReplay:
    """Answers to the requests of club boards, taken from the journal.

    A long answer is split into parts, and the club board requests each part separately.

    Args:
        source: The recorded matches, which come from the journal.
    """

    def __init__(self, source: MatchSource) -> None:
        self._source = source
        self._known: dict[str, int] = {}

    def answer(self, payload: bytes) -> tuple[str, dict[str, Any]] | None:
        """Return the name of the club board that sent a request, and the answer; None if the request is not valid.

        `{"to": BOARD, "from": 0}` asks for the list of matches, beginning with the first. `{"to": BOARD, "match":
        ID, "after": SEQ}` asks for the entries of a match after the entry with that number; -1 asks for all of them.
        """
        try:
            request = json.loads(payload) if len(payload) <= MAX_REQUEST_BYTES else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(request, dict) or not is_board(request.get("to")):
            return None
        match_id, after = request.get("match"), request.get("after")
        if isinstance(match_id, str) and is_match_id(match_id) and isinstance(after, int):
            return request["to"], self._entries(match_id, after)
        start = request.get("from")
        if isinstance(start, int) and start >= 0:
            return request["to"], self._matches(start)
        return None

    def _matches(self, start: int) -> dict[str, Any]:
        found = self._source.match_sizes()
        self._known = {key: number for number, key, _ in found}
        part = [[key, steps] for _, key, steps in found[start : start + MATCHES_PER_ANSWER]]
        return {"from": start, "matches": part, "more": start + len(part) < len(found)}

    def _entries(self, match_id: str, after: int) -> dict[str, Any]:
        if match_id not in self._known:
            self._known = {key: number for number, key, _ in self._source.match_sizes()}
        if match_id not in self._known:
            return {"match": match_id, "entries": [], "more": False}
        lines = self._source.whole(self._known[match_id])
        later = (line.entry for line in lines if line.entry.seq > after)
        entries = list(islice(later, ENTRIES_PER_ANSWER))
        more = next(later, None) is not None
        return {"match": match_id, "entries": [e.to_json() for e in entries], "more": more}


Job = Callable[[], object]


class Connection(Enum):
    """The state of the connection to the broker."""

    LOST = auto()
    CATCHING_UP = auto()
    CAUGHT_UP = auto()


class Publisher:
    """The part of the companion that publishes to a broker, between `start` and `close`.

    One thread runs the jobs in a queue; a second thread waits for changes of the match or the tray. All callbacks,
    from the companion and from the broker, only add a job to the queue.

    Args:
        table: The companion.
        feed: The entries of the companion's journal.
        address: Address of the broker.
        progress: Name of the tray, and how much of the journal the broker has acknowledged.
        path: Path of the file that stores the progress.
        discover: Whether to announce the tray to Home Assistant.
        warn: Called with one line about each problem.
    """

    def __init__(
        self,
        table: Table,
        feed: Feed,
        address: Address,
        progress: Progress,
        path: Path,
        *,
        discover: bool = True,
        warn: Callable[[str], object],
    ) -> None:
        self._table, self._report = table, DistinctReports(warn)
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._outbox, self._replay = Outbox(feed, path, progress), GapReplay(feed)
        self._open_call = OpenCall(table, self._on_call_answer, progress.call_answer)
        self._topics, self._discovers = Topics(progress.tray), discover
        will = (self._topics.availability, OFFLINE)
        self._client = BrokerClient(
            address, f"traykeeper-{progress.tray}", self._events(warn), will
        )
        self._last_state = ""
        self._snapshot = table.snapshot()
        self._closing = Event()
        self._connection = Connection.LOST
        self._retry_at_s = 0.0
        self._threads = (
            Thread(target=self._run_jobs, name="broker", daemon=True),
            Thread(target=self._listen, name="broker-listens", daemon=True),
        )

    def _events(self, warn: Callable[[str], object]) -> BrokerEvents:
        return BrokerEvents(
            on_connected=lambda: self._jobs.put(self._on_connected),
            on_lost=lambda: self._jobs.put(self._on_lost),
            on_message=lambda *message: self._jobs.put(partial(self._on_message, *message)),
            on_acknowledged=lambda *answer: self._jobs.put(partial(self._on_acknowledged, *answer)),
            on_trouble=lambda trouble: warn(f"{trouble}, the match continues"),
        )

    def state(self) -> BrokerState:
        """Return the state of the connection to the broker."""
        return self._client.state

    def start(self) -> None:
        """Start the threads and connect."""
        for thread in self._threads:
            thread.start()
        self._client.start()

    def close(self) -> None:
        """Publish that the tray is going offline if the broker is connected, end the threads, and save the progress."""
        self._closing.set()
        self._jobs.put(self._say_goodbye)
        self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._client.close()
        self._outbox.save()

    def _listen(self) -> None:
        for snapshot in new_snapshots(self._table, self._closing, LISTEN_S):
            job = partial(self._on_table_change, snapshot) if snapshot else self._on_idle
            self._jobs.put(job)

    def _run_jobs(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
                if job != self._on_idle:  # an idle second brings no new entries
                    self._send()
            except GameError as error:
                self._report(str(error))
            except Exception:
                log.exception("failed to publish to the broker; the match continues")

    # Jobs

    def _on_idle(self) -> None:
        """Send refused entries again and save the progress, after a second without a change."""
        if self._connection is not Connection.CAUGHT_UP:
            self._send()
        self._outbox.save_if_due()

    def _on_table_change(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._open_call.ask(snapshot)

    def _on_connected(self) -> None:
        """Publish everything again, because the broker may have lost it."""
        self._connection = Connection.CATCHING_UP
        self._last_state = ""
        self._client.subscribe(self._topics.replay, self._topics.assign, BIRTH)
        self._client.publish(self._topics.availability, ONLINE, retain=True)
        self._announce()

    def _announce(self) -> None:
        """Announce the tray to Home Assistant; if the settings say no, withdraw an earlier announcement."""
        announced = discovery(self._topics, self._snapshot.join_url) if self._discovers else None
        payload = json.dumps(announced) if announced else ""
        self._client.publish(self._topics.discovery, payload, retain=True)

    def _on_lost(self) -> None:
        self._connection = Connection.LOST

    def _on_message(self, topic: str, payload: bytes) -> None:
        if topic == BIRTH and self._discovers and payload == ONLINE.encode():
            self._announce()  # Home Assistant has started
            self._last_state = ""
        elif topic == self._topics.assign:
            self._open_call.receive(payload)
            self._open_call.ask(self._snapshot)
        elif topic == self._topics.replay and (reply := self._replay.answer(payload)):
            board, answer = reply
            self._client.publish(self._topics.answer(board), compact_json(answer))

    def _on_call_answer(self, answer: CallAnswer) -> None:
        self._jobs.put(partial(self._send_call_answer, answer))

    def _send_call_answer(self, answer: CallAnswer) -> None:
        self._outbox.store_call_answer(answer)
        self._client.publish(self._topics.assigned, compact_json(asdict(answer)))

    def _on_acknowledged(self, number: int, refusal: str | None) -> None:
        if refusal is None:
            self._outbox.acknowledge(number)
            return
        self._report(
            f"the broker refuses the messages of {self._topics.tray} ({refusal}): "
            "give its user permission to publish; the match continues"
        )
        self._retry_at_s = monotonic() + REFUSED_S
        if self._connection is Connection.CAUGHT_UP:
            self._connection = Connection.CATCHING_UP
        self._outbox.rewind()

    def _say_goodbye(self) -> None:
        if self._connection is not Connection.LOST:
            self._client.publish(self._topics.availability, OFFLINE, retain=True)

    def _send(self) -> None:
        """Publish new entries; once all of them have been sent, publish the state."""
        if self._connection is Connection.LOST or monotonic() < self._retry_at_s:
            return
        if self._outbox.send(self._publish_entry):
            self._connection = Connection.CAUGHT_UP
            state = compact_json(tray_state_json(self._snapshot, self._outbox.last))
            if state != self._last_state:
                self._last_state = state
                self._client.publish(self._topics.state, state, retain=True)

    def _publish_entry(self, line: FeedLine) -> int:
        """Publish an entry and return the number of its message, which the broker's acknowledgement repeats.

        Moments, such as a farkle, are published only if they have just happened, so that no lights flash for what
        happened during an outage.
        """
        if self._connection is Connection.CAUGHT_UP:
            for moment in announcements(line.before, line.match):
                self._client.publish(self._topics.moment, compact_json(moment), qos=0)
        return self._client.publish(self._topics.event, compact_json(line.entry.to_json()))


class FormerTrays:
    """The list of former brokers and names of this tray, kept in a file. Any thread may call `remove`.

    Args:
        path: Path of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()
        self._trays = read_json(path, partial(typed, tuple[Progress, ...])) or ()

    def update(self, before: Progress | None, now: Progress | None) -> None:
        """Add the broker and name of the last run, and remove those of this run.

        Args:
            before: Broker and name of the last run; None if there was no broker.
            now: Broker and name of this run; None if there is no broker.
        """
        with self._lock:
            known = [tray for tray in self._trays if not tray.is_same_tray(before)]
            if before:
                known.append(before)
            self._save(tray for tray in known if not tray.is_same_tray(now))

    def remove(self, tray: Progress) -> None:
        """Remove a former tray from the list after its messages have been deleted."""
        with self._lock:
            self._save(other for other in self._trays if other != tray)

    def cleanups(self, warn: Callable[[str], object]) -> Iterator["Cleanup"]:
        """For each former tray, yield a task that deletes its messages; warn if a task cannot be started now."""
        for tray in self._trays:
            try:
                address = parse_address(tray.url, secret=tray.secret, ca=tray.ca)
                yield Cleanup(address, tray.tray, partial(self.remove, tray))
            except (UsageError, GameError) as error:
                warn(f"traykeeper: {tray.tray} cannot be removed from {tray.url}: {error}")

    def _save(self, trays: Iterable[Progress]) -> None:
        remaining = tuple(trays)
        if remaining == self._trays:
            return
        self._trays = remaining
        with suppress(OSError):  # a full disk: deleting the messages twice does no harm
            if remaining:
                write_atomically(self._path, json.dumps([asdict(tray) for tray in remaining]))
            else:
                self._path.unlink(missing_ok=True)


class Cleanup:
    """A task that deletes a tray's retained messages from a broker as soon as the broker can be reached.

    Args:
        address: Address of the broker.
        tray: Name of the tray on that broker.
        on_done: Called on another thread when the broker has deleted the messages.
    """

    def __init__(self, address: Address, tray: str, on_done: Callable[[], object]) -> None:
        self._topics, self._on_done = Topics(tray), on_done
        self._unacknowledged: set[int] = set()
        events = BrokerEvents(
            on_connected=self._delete_messages, on_acknowledged=self._on_acknowledged
        )
        self._client = BrokerClient(address, f"traykeeper-{tray}-leaves", events)

    def start(self) -> None:
        """Connect in the background."""
        self._client.start()

    def close(self) -> None:
        """Disconnect from the broker, whether or not the messages have been deleted."""
        self._client.close()

    def _delete_messages(self) -> None:
        """Publish empty retained messages, which delete the retained ones (MQTT 5, section 3.3.1.3)."""
        retained = (self._topics.discovery, self._topics.state, self._topics.availability)
        self._unacknowledged = {self._client.publish(topic, "", retain=True) for topic in retained}

    def _on_acknowledged(self, number: int, refusal: str | None) -> None:
        self._unacknowledged.discard(number)
        if not self._unacknowledged and refusal is None:
            self._on_done()


@contextmanager
def publish_to_broker(
    settings: Settings, table: Table, folder: Path, warn: Callable[[str], object]
) -> Iterator[Callable[[], BrokerState] | None]:
    """Within the block, publish the tray's messages on the broker in the settings, if one is set.

    Retained messages that this tray has left on another broker, or under another name, are deleted as well. The
    match continues whatever goes wrong.

    Yields a function that returns the state of the connection; None if no broker is set.

    Args:
        settings: The settings, which name the broker and the tray.
        table: The companion.
        folder: The state folder.
        warn: Called with one line about each problem.
    """
    path, former = folder / PROGRESS_FILE, FormerTrays(folder / FORMER_TRAYS_FILE)
    before = Progress.read(path)
    parts: list[Publisher | Cleanup] = []
    state: Callable[[], BrokerState] | None = None
    try:
        now, address = _configured(settings)
        former.update(before, now)
        parts.extend(former.cleanups(warn))
        if now is None:
            with suppress(OSError):  # the messages are deleted once more at the next start
                path.unlink(missing_ok=True)
        if now and address:
            progress = now  # a new broker has acknowledged nothing
            if before and before.url == now.url:
                progress = replace(before, url=now.url, tray=now.tray, secret=now.secret, ca=now.ca)
            progress.write(path)
            publisher = Publisher(
                table,
                Feed(folder / JOURNAL_FILE),
                address,
                progress,
                path,
                discover=settings.mqtt_discovery,
                warn=lambda line: warn(f"traykeeper: {line}"),
            )
            parts.append(publisher)
            state = publisher.state
    except (UsageError, GameError) as error:
        state = partial(BrokerState, "", trouble=str(error))
        warn(f"traykeeper: {error}; playing without the broker")
    for part in parts:
        part.start()
    try:
        yield state
    finally:
        for part in reversed(parts):
            part.close()


def _configured(settings: Settings) -> tuple[Progress | None, Address | None]:
    if not settings.mqtt:
        return None, None
    address = parse_address(settings.mqtt, secret=settings.mqtt_secret, ca=settings.mqtt_ca)
    address.tls_context()  # report an unreadable certificate now
    name = tray_name(settings.mqtt_tray)
    return Progress(str(address), name, settings.mqtt_secret, settings.mqtt_ca), address
