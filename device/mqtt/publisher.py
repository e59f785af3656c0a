"""The tray tells the broker: one thread that listens to the table as a phone does.

It waits for the table, never the table for it: what happens goes into the journal first, and
from there to the broker whenever that is there.
"""

import json
import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import Any

from device.mqtt.address import Address
from device.mqtt.client import BrokerClient, BrokerEvents, Will
from device.mqtt.discovery import discovery
from device.mqtt.gap_replay import Replay
from device.mqtt.invitations import HostTable, Invitations
from device.mqtt.outbox import Note, Outbox
from device.mqtt.topics import BIRTH, OFFLINE, ONLINE, Topics
from device.mqtt.tray_state import state_json
from game.errors import GameError
from game.journal.feed import Feed, FeedLine
from game.stats.announcements import announcements
from web.contracts.table import Snapshot

log = logging.getLogger(__name__)

Job = Callable[[], object]

LISTEN_S = 1.0
"""How soon a closing publisher is noticed by who listens to the table."""

NOTE_S = 10.0
"""The note is written at most so often: an SD card wears out."""

REFUSED_S = 30.0
"""After the broker refused a message, before it is tried again."""


class Publisher:
    """`start`, later `close`.

    Args:
        table: the companion.
        feed: its journal.
        address: the broker.
        note: as whom, and how far the broker has the journal.
        path: where the note is kept.
        discover: whether Home Assistant is told.
        warn: told of every trouble, in one line.
    """

    def __init__(
        self,
        table: HostTable,
        feed: Feed,
        address: Address,
        note: Note,
        path: Path,
        *,
        discover: bool = True,
        warn: Callable[[str], object],
    ) -> None:
        self._table, self._warn, self._discover = table, warn, discover
        self._topics = Topics(note.tray)
        self._outbox, self._replay, self._path = Outbox(feed, note), Replay(feed), path
        self._invitation = Invitations(table, self._answer)
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._snapshot = table.snapshot()
        self._closing = Event()
        self._connected = self._caught_up = False
        self._said, self._trouble, self._noted = "", "", note
        self._noted_s = self._not_before_s = 0.0
        self._link = BrokerClient(address, f"traykeeper-{note.tray}", self._ears(), self._will())
        self._threads = (
            Thread(target=self._run, name="broker", daemon=True),
            Thread(target=self._listen, name="broker-listens", daemon=True),
        )

    def _ears(self) -> BrokerEvents:
        """All of them only put a job into the queue."""
        return BrokerEvents(
            connected=lambda: self._jobs.put(self._greet),
            lost=lambda: self._jobs.put(self._lost),
            heard=lambda *message: self._jobs.put(partial(self._heard, *message)),
            acknowledged=lambda *answer: self._jobs.put(partial(self._taken, *answer)),
            warn=lambda trouble: self._warn(f"{trouble}, the table plays on"),
        )

    def _will(self) -> Will:
        return Will(self._topics.availability, OFFLINE)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()
        self._link.start()

    def close(self) -> None:
        """Say goodbye where the broker is there, and note how far it has the journal."""
        self._closing.set()
        self._jobs.put(self._goodbye)
        self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._link.close()
        self._outbox.note.write(self._path)

    # The threads

    def _listen(self) -> None:
        version = -1
        while not self._closing.is_set():
            if snapshot := self._table.wait(version, LISTEN_S):
                version = snapshot.version
                self._jobs.put(partial(self._changed, snapshot))
            else:
                self._jobs.put(self._idle)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
                if job != self._idle:  # then nothing can be new
                    self._tell()
            except GameError as error:
                self._say(str(error))
            except Exception:
                log.exception("telling the broker failed; the table plays on")

    def _say(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._warn(trouble)

    # What comes in

    def _idle(self) -> None:
        """Nothing happened for a second: try again what was refused, note down what was taken."""
        if not self._caught_up:
            self._tell()
        if self._outbox.note != self._noted and monotonic() - self._noted_s > NOTE_S:
            self._noted, self._noted_s = self._outbox.note, monotonic()
            self._noted.write(self._path)

    def _changed(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._invitation.look(snapshot)

    def _greet(self) -> None:
        self._connected, self._said = True, ""
        self._link.subscribe(self._topics.replay, self._topics.assign, BIRTH)
        self._publish(self._topics.availability, ONLINE, retain=True)
        self._introduce()

    def _introduce(self) -> None:
        """To Home Assistant; or take back what it was told before."""
        told = json.dumps(discovery(self._topics, self._snapshot.join_url))
        self._publish(self._topics.discovery, told if self._discover else "", retain=True)

    def _lost(self) -> None:
        self._connected = self._caught_up = False

    def _heard(self, topic: str, payload: bytes) -> None:
        if topic == BIRTH and payload == ONLINE.encode() and self._discover:
            self._introduce()
            self._said = ""
        elif topic == self._topics.assign:
            self._invitation.heard(payload)
            self._invitation.look(self._snapshot)
        elif topic == self._topics.replay and (answer := self._replay.answer(payload)):
            board, told = answer
            self._publish(self._topics.answer(board), _text(told))

    def _answer(self, call: str, accepted: bool) -> None:  # noqa: FBT001 - what was said
        """Comes on the table's thread."""
        told = _text({"id": call, "accepted": accepted})
        self._jobs.put(lambda: self._publish(self._topics.assigned, told))

    def _taken(self, number: int, refusal: str | None) -> None:
        if refusal is None:
            self._outbox.acknowledged(number)
            return
        self._say(
            f"the broker refuses what {self._topics.tray} says ({refusal}): "
            "its user needs the right to write there; the table plays on"
        )
        self._not_before_s = monotonic() + REFUSED_S
        self._caught_up = False
        self._outbox.rewind()

    # What goes out

    def _tell(self) -> None:
        if not self._connected or monotonic() < self._not_before_s:
            return
        if self._outbox.send(self._line):
            self._caught_up = True
            self._state()

    def _line(self, line: FeedLine) -> int:
        if self._caught_up:  # what happened during an outage makes no lights flash later
            for moment in announcements(line.before, line.match):
                self._publish(self._topics.moment, _text(moment), qos=0)
        return self._publish(self._topics.event, _text(line.entry.to_json()))

    def _state(self) -> None:
        state = _text(state_json(self._snapshot, self._outbox.last))
        if state != self._said:
            self._said = state
            self._publish(self._topics.state, state, retain=True)

    def _goodbye(self) -> None:
        if self._connected:
            self._publish(self._topics.availability, OFFLINE, retain=True)

    def _publish(self, topic: str, payload: str, *, qos: int = 1, retain: bool = False) -> int:
        return self._link.publish(topic, payload, qos=qos, retain=retain)


def _text(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
