"""Publishes each step of a match on the broker: a step goes into the journal first, and from there to the broker."""

import logging
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic

from device.mqtt.address import Address
from device.mqtt.client import BrokerEvents
from device.mqtt.gap_replay import GapReplay
from device.mqtt.invitations import HostTable, Invitations
from device.mqtt.message_sender import MessageSender
from device.mqtt.outbox import Outbox, Progress
from device.mqtt.topics import BIRTH
from device.threads import DistinctReports, new_snapshots
from game.errors import GameError
from game.journal.feed import Feed
from web.contracts import Snapshot

log = logging.getLogger(__name__)

Job = Callable[[], object]

LISTEN_S = 1.0
"""Longest wait for a change of the match or the tray, in seconds; the waiting thread ends at most this late."""

REFUSED_S = 30.0
"""Pause before a message that the broker has refused is sent again, in seconds."""


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
        table: HostTable,
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
        self._outbox, self._replay = Outbox(feed, progress, path), GapReplay(feed)
        self._invitations = Invitations(table, self._on_invitation_answer)
        self._messages = MessageSender(
            address, progress.tray, self._events(warn), discover=discover
        )
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

    def start(self) -> None:
        """Start the threads and connect."""
        for thread in self._threads:
            thread.start()
        self._messages.client.start()

    def close(self) -> None:
        """Publish that the tray is going offline if the broker is connected, end the threads, and save the progress."""
        self._closing.set()
        self._jobs.put(self._say_goodbye)
        self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._messages.client.close()
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
        self._invitations.propose(snapshot)

    def _on_connected(self) -> None:
        self._connection = Connection.CATCHING_UP
        self._messages.on_connected(self._snapshot.join_url)

    def _on_lost(self) -> None:
        self._connection = Connection.LOST

    def _on_message(self, topic: str, payload: bytes) -> None:
        if topic == BIRTH:
            self._messages.on_home_assistant_birth(payload, self._snapshot.join_url)
        elif topic == self._messages.topics.assign:
            self._invitations.receive(payload)
            self._invitations.propose(self._snapshot)
        elif topic == self._messages.topics.replay and (reply := self._replay.answer(payload)):
            self._messages.replay_answer(*reply)

    def _on_invitation_answer(self, invitation: str, is_accepted: bool) -> None:  # noqa: FBT001 - the answer
        self._jobs.put(
            partial(self._messages.invitation_answer, invitation, is_accepted=is_accepted)
        )

    def _on_acknowledged(self, number: int, refusal: str | None) -> None:
        if refusal is None:
            self._outbox.acknowledge(number)
            return
        self._report(
            f"the broker refuses the messages of {self._messages.topics.tray} ({refusal}): "
            "give its user permission to publish; the match continues"
        )
        self._retry_at_s = monotonic() + REFUSED_S
        if self._connection is Connection.CAUGHT_UP:
            self._connection = Connection.CATCHING_UP
        self._outbox.rewind()

    def _say_goodbye(self) -> None:
        if self._connection is not Connection.LOST:
            self._messages.offline()

    def _send(self) -> None:
        """Publish new entries; once all of them have been sent, publish the state."""
        if self._connection is Connection.LOST or monotonic() < self._retry_at_s:
            return
        is_live = self._connection is Connection.CAUGHT_UP
        if self._outbox.send(partial(self._messages.entry, is_live=is_live)):
            self._connection = Connection.CAUGHT_UP
            self._messages.state(self._snapshot, self._outbox.last)
