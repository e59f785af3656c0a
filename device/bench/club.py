"""`traykeeper bench club`: many simulated trays, one Mosquitto, one board, each in its own process.

A tray here is a link of its own that says what a real one says, event and state for each step;
only the table under it is a tape. The board is the real one.
"""

import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

import click

from device.bench.processes import cpu_s, memory_mb
from device.bench.self_play import SelfPlay
from device.club_board import ClubOptions, serving
from device.errors import UsageError
from device.mqtt.address import address
from device.mqtt.client import BrokerClient, Ears
from device.mqtt.gap_replay import Replay
from device.mqtt.topics import ONLINE, Topics
from device.mqtt.tray_state import state_json
from game.journal.feed import FeedLine, Recorded
from game.journal.wire import WireEntry
from game.match.match import Match
from game.message import Message
from game.rules import rule_files
from game.situation import Situation
from web.club.tray_inbox import TrayInbox
from web.contracts.table import Lamp, Snapshot

PROCESSES = 2
"""That share the trays: one alone would be measured rather than the board."""

SETTLE_S = 10.0
"""For what is under way at the end."""

CLIENTS_AT_ONCE_S = 0.01
"""Between one tray's coming and the next one's."""

_LAMP = Lamp("#2aa866", 0.0, Message("ready: throw and press"))

Times = dict[tuple[str, int], float]
"""When an entry was said or taken, by match and number, on the clock that all processes share."""


@dataclass(frozen=True, slots=True)
class ClubLoad:
    """How much is measured; `pace_s` is from one step of a tray to its next."""

    trays: int
    seconds: float
    pace_s: float


@dataclass(frozen=True, slots=True)
class Said:
    """What a share of the trays has said."""

    times: Times
    event_bytes: int
    state_bytes: int


@dataclass(frozen=True, slots=True)
class Heard:
    """What the board has taken; seconds of CPU, and memory in MB."""

    times: Times
    cpu_s: float
    memory_mb: float


def club(plan: ClubLoad) -> None:
    """Run it, and print what was measured."""
    with TemporaryDirectory() as folder, _mosquitto(Path(folder)) as (port, broker_pid):
        said, heard = _evening(plan, f"mqtt://127.0.0.1:{port}", folder)
        broker_cpu_s, broker_mb = cpu_s(broker_pid), memory_mb(broker_pid)
    times: Times = {key: at for share in said for key, at in share.times.items()}
    ways_ms = [(heard.times[key] - at) * 1000 for key, at in times.items() if key in heard.times]
    if not ways_ms:
        raise UsageError("nothing came through: is this machine too busy?")
    span_s = max(times.values()) - min(times.values())
    event, state = (
        sum(getattr(share, what) for share in said) / len(times)
        for what in ("event_bytes", "state_bytes")
    )
    p99_ms = quantiles(ways_ms, n=100)[98]
    for line in (
        f"{plan.trays} trays, a step each {plan.pace_s:g} s, for {span_s:.0f} s, {os.cpu_count()} cores",
        f"events: {len(times):,}, {len(times) / span_s:.0f} a second, {len(times) - len(ways_ms)} lost",
        f"tray to board: median {median(ways_ms):.1f} ms, 99th percentile {p99_ms:.1f} ms",
        f"bytes: {event:.0f} an event, {state:.0f} a state, topics included",
        f"board: {heard.memory_mb:.0f} MB, {100 * heard.cpu_s / span_s:.0f} % of a core",
        f"Mosquitto: {broker_mb:.0f} MB, {100 * broker_cpu_s / span_s:.0f} % of a core",
    ):
        click.echo(line)


def _evening(plan: ClubLoad, url: str, folder: str) -> tuple[list[Said], Heard]:
    """The processes, from the first to the last word."""
    spawn = multiprocessing.get_context("spawn")
    stop_board = spawn.Event()
    board_end, board_here = spawn.Pipe(duplex=False)
    board = spawn.Process(target=_board, args=(url, folder, stop_board, board_here))
    board.start()
    board_end.recv()
    ends, shares = [], []
    for number in range(PROCESSES):
        end, here = spawn.Pipe(duplex=False)
        names = [f"t{i}" for i in range(number, plan.trays, PROCESSES)]
        shares.append(spawn.Process(target=_play, args=(url, names, plan, number, here)))
        shares[-1].start()
        ends.append(end)
    said: list[Said] = [end.recv() for end in ends]
    stop_board.set()
    heard: Heard = board_end.recv()
    for process in (*shares, board):
        process.join()
    return said, heard


def _board(url: str, folder: str, stop: Event, tell: Connection) -> None:
    """The real board, noting when it took each entry."""
    options = ClubOptions(url, host="127.0.0.1", port=0, state=folder)
    inboxes: list[_Noting] = []

    def noting(*parts: Any) -> TrayInbox:
        inboxes.append(_Noting(*parts))
        return inboxes[0]

    with serving(options, lambda line: click.echo(line, err=True), noting):
        tell.send("ready")
        stop.wait()
        tell.send(Heard(inboxes[0].times, time.process_time(), memory_mb(os.getpid())))


class _Noting(TrayInbox):
    """An inbox that notes when it had taken each entry."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.times: Times = {}

    def on_message(self, name: str, kind: str, payload: bytes) -> None:
        super().on_message(name, kind, payload)
        if kind in ("event", "answer"):
            data = json.loads(payload)
            for entry in data.get("entries", [data]):
                if "seq" in entry:
                    self.times.setdefault((entry["match"], entry["seq"]), time.monotonic())


class _Reel:
    """The tapes of a tray, told like a journal."""

    def __init__(self) -> None:
        self.tapes: list[SelfPlay] = []

    def matches(self) -> list[Recorded]:
        return [
            Recorded(number, tape.entries[0].match, len(tape.entries) - 1)
            for number, tape in enumerate(self.tapes)
        ]

    def whole(self, number: int) -> Iterator[FeedLine]:
        tape = self.tapes[number]
        for entry in list(tape.entries):
            yield FeedLine(entry.seq, entry, None, tape.match)


class _Tray:
    """A tray without a table."""

    def __init__(self, url: str, name: str, seed: int) -> None:
        self._topics, self._random = Topics(name), Random(seed)
        self._rules = rule_files.load("walnut-studiolo")
        ears = Ears(
            connected=self._here,
            lost=lambda: None,
            heard=self._asked,
            acknowledged=lambda *_: None,
            warn=lambda line: click.echo(line, err=True),
        )
        self._link = BrokerClient(address(url), f"traykeeper-{name}", ears)
        self._reel = _Reel()
        self._replay = Replay(self._reel)
        self._tape = self._begun()
        self.times: Times = {}
        self.event_bytes = self.state_bytes = 0
        self._link.start()

    def _asked(self, _topic: str, payload: bytes) -> None:
        if answer := self._replay.answer(payload):
            board, told = answer
            self._link.publish(self._topics.answer(board), _line(told))

    def _here(self) -> None:
        self._link.subscribe(self._topics.replay)
        self._link.publish(self._topics.availability, ONLINE, retain=True)

    def _begun(self) -> SelfPlay:
        match_id = f"{self._random.getrandbits(64):016x}"
        match = Match.start(self._rules, ["Anna", "Ben", "Cleo"])
        self._reel.tapes.append(SelfPlay(match, match_id, time.time()))
        return self._reel.tapes[-1]

    def play(self) -> None:
        """One step, said as a tray says it."""
        if self._tape.match.state.winner is not None:
            self._tape = self._begun()
        if not self.times or self._tape.entries[-1].seq == 0:
            self._say(self._tape.entries[0])
        self._say(self._tape.play(self._random))

    def _say(self, entry: WireEntry) -> None:
        match = self._tape.match
        throws = Message("%(name)s throws.", name=match.state.player.name)
        snapshot = Snapshot(1, Situation.ACCEPTED, throws, _LAMP)
        state = _line(state_json(snapshot, FeedLine(entry.seq, entry, None, match)))
        event = _line(entry.to_json())
        self.event_bytes += len(event) + len(self._topics.event)
        self.state_bytes += len(state) + len(self._topics.state)
        self.times[entry.match, entry.seq] = time.monotonic()
        self._link.publish(self._topics.event, event)
        self._link.publish(self._topics.state, state, retain=True)

    def close(self) -> None:
        self._link.close()


def _play(url: str, names: list[str], plan: ClubLoad, seed: int, tell: Connection) -> None:
    """A share of the trays: each plays on at its pace, all of them spread over it."""
    trays = []
    for number, name in enumerate(names):
        trays.append(_Tray(url, name, 1_000 * seed + number))
        time.sleep(CLIENTS_AT_ONCE_S)
    start_s = time.monotonic()
    for step in range(max(1, round(plan.seconds / plan.pace_s))):
        for number, tray in enumerate(trays):
            due_s = start_s + plan.pace_s * (step + number / len(trays))
            time.sleep(max(0.0, due_s - time.monotonic()))
            tray.play()
    time.sleep(SETTLE_S)
    times: Times = {key: at for tray in trays for key, at in tray.times.items()}
    bytes_said = (sum(t.event_bytes for t in trays), sum(t.state_bytes for t in trays))
    for tray in trays:
        tray.close()
    tell.send(Said(times, *bytes_said))


def _line(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


@contextmanager
def _mosquitto(folder: Path) -> Iterator[tuple[int, int]]:
    """A broker on loopback for as long as the `with` lasts: its port and its process."""
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise UsageError("Mosquitto is not installed: sudo apt install mosquitto")
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_dest none\n")
    broker = subprocess.Popen([program, "-c", str(config)], stderr=sys.stderr)  # noqa: S603 - ours
    try:
        yield port, broker.pid
    finally:
        broker.terminate()
        broker.wait()
