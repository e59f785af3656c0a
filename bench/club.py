"""`traykeeper bench club`: measure a club board with many trays.

Many simulated trays, a Mosquitto broker and a club board run in separate processes. Each simulated tray has its own
connection and publishes the same messages as a real one: an event and a state for each step. The matches of the
simulated trays are played by `SelfPlay`. The club board is not simulated.
"""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

import click

from bench.processes import cpu_s, free_port, memory_mb
from bench.self_play import SelfPlay
from device.club_board import ClubOptions, serving
from device.commands.options import FiniteRange
from device.errors import UsageError
from device.mqtt.client import ONLINE, BrokerClient, BrokerEvents, Topics, parse_address
from device.mqtt.publisher import GapReplay
from device.mqtt.tray_messages import compact_json, tray_state_json
from game.journal.entry import WireEntry
from game.journal.history import FeedLine
from game.match.match import Match
from game.message import Message
from game.rules import rule_files
from game.situation import Situation
from web.club.tray_inbox import TrayInbox
from web.contracts import Lamp, Snapshot

PROCESSES = 2
"""Number of processes among which the trays are divided. A single process would be the bottleneck instead of the
board."""

SETTLE_S = 10.0
"""Time to wait at the end for messages that are still in transit."""

CONNECT_INTERVAL_S = 0.01
"""Time between one tray's connection to the broker and the next tray's."""

_LAMP = Lamp("#2aa866", 0.0, Message("ready: throw and press"))

Times = dict[tuple[str, int], float]
"""When each journal entry was published or received, by match and entry number, on a clock that all processes share."""


@dataclass(frozen=True, slots=True)
class ClubLoad:
    """The load of a benchmark.

    Attributes:
        trays: Number of trays.
        seconds: How long the trays play.
        pace_s: Time between two steps of a tray.
    """

    trays: int
    seconds: float
    pace_s: float


@dataclass(frozen=True, slots=True)
class Published:
    """The journal entries that the trays in one process have published, with their times and total sizes."""

    times: Times
    event_bytes: int
    state_bytes: int


@dataclass(frozen=True, slots=True)
class Received:
    """The journal entries that the club board has received, and the processor time and memory of its process."""

    times: Times
    cpu_s: float
    memory_mb: float


@click.command("club")
@click.option("--trays", type=click.IntRange(1, 1_000), default=200, help="Number of trays.")
@click.option("--seconds", type=FiniteRange(1), default=300, help="How long they play.")
@click.option(
    "--pace",
    type=FiniteRange(0.01, 60),
    default=2,
    help="Seconds from one step of a tray to its next; people take about eight.",
)
def command(trays: int, seconds: float, pace: float) -> None:
    """Measure events per second, the delay from tray to board, and memory, with many trays on a Mosquitto broker.

    \b
    traykeeper bench club
    traykeeper bench club --trays 50 --pace 0.1 --seconds 30
    """
    load = ClubLoad(trays, seconds, pace)
    with TemporaryDirectory() as folder, _mosquitto(Path(folder)) as (port, broker_pid):
        published, received = _run(load, f"mqtt://127.0.0.1:{port}", folder)
        broker_cpu_s, broker_mb = cpu_s(broker_pid), memory_mb(broker_pid)
    times: Times = {key: at for share in published for key, at in share.times.items()}
    delays_ms = [
        (received.times[key] - at) * 1000 for key, at in times.items() if key in received.times
    ]
    if not delays_ms:
        raise UsageError("no event reached the board: try again while this machine is less busy")
    span_s = max(times.values()) - min(times.values())
    event, state = (
        sum(getattr(share, what) for share in published) / len(times)
        for what in ("event_bytes", "state_bytes")
    )
    p99_ms = quantiles(delays_ms, n=100)[98]
    for line in (
        f"{trays} trays, a step each {pace:g} s, for {span_s:.0f} s, {os.cpu_count()} cores",
        f"events: {len(times):,}, {len(times) / span_s:.0f} a second, {len(times) - len(delays_ms)} lost",
        f"tray to board: median {median(delays_ms):.1f} ms, 99th percentile {p99_ms:.1f} ms",
        f"bytes: {event:.0f} an event, {state:.0f} a state, topics included",
        f"board: {received.memory_mb:.0f} MB, {100 * received.cpu_s / span_s:.0f} % of a core",
        f"Mosquitto: {broker_mb:.0f} MB, {100 * broker_cpu_s / span_s:.0f} % of a core",
    ):
        click.echo(line)


def _run(load: ClubLoad, url: str, folder: str) -> tuple[list[Published], Received]:
    """Start the processes of the board and the trays, and collect their results.

    `url` is the address of the broker, and `folder` the state folder of the board.
    """
    spawn = multiprocessing.get_context("spawn")
    stop_board = spawn.Event()
    board_end, board_here = spawn.Pipe(duplex=False)
    board = spawn.Process(target=_board, args=(url, folder, stop_board, board_here))
    board.start()
    board_end.recv()
    ends, shares = [], []
    for number in range(PROCESSES):
        end, here = spawn.Pipe(duplex=False)
        names = [f"t{i}" for i in range(number, load.trays, PROCESSES)]
        shares.append(spawn.Process(target=_play, args=(url, names, load, number, here)))
        shares[-1].start()
        ends.append(end)
    published: list[Published] = [end.recv() for end in ends]
    stop_board.set()
    received: Received = board_end.recv()
    for process in (*shares, board):
        process.join()
    return published, received


def _board(url: str, folder: str, stop: Event, results: Connection) -> None:
    """Run a real club board in this process until `stop` is set, and send what it has received to `results`."""
    options = ClubOptions(url, host="127.0.0.1", port=0, state=folder)
    made: list[_TimedInbox] = []

    def make_inbox(*parts: Any) -> TrayInbox:
        made.append(_TimedInbox(*parts))
        return made[0]

    with serving(options, lambda line: click.echo(line, err=True), make_inbox):
        results.send("ready")
        stop.wait()
        results.send(Received(made[0].times, time.process_time(), memory_mb(os.getpid())))


class _TimedInbox(TrayInbox):
    """The inbox of a club board, which records when each journal entry was received."""

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


class _SelfPlayedMatches:
    """The matches that have been played at a simulated tray, used in place of a journal."""

    def __init__(self) -> None:
        self.played: list[SelfPlay] = []

    def match_sizes(self) -> tuple[tuple[int, str, int], ...]:
        return tuple(
            (number, played.entries[0].match, len(played.entries) - 1)
            for number, played in enumerate(self.played)
        )

    def whole(self, number: int) -> Iterator[FeedLine]:
        played = self.played[number]
        for entry in list(played.entries):
            yield FeedLine(entry.seq, entry, None, played.match)


class _Tray:
    """A simulated tray with its own connection to the broker."""

    def __init__(self, url: str, name: str, seed: int) -> None:
        self._topics, self._random = Topics(name), Random(seed)
        self._rules = rule_files.load("walnut-studiolo")
        events = BrokerEvents(
            on_connected=self._connected,
            on_message=self._replay_requested,
            on_trouble=lambda line: click.echo(line, err=True),
        )
        self._link = BrokerClient(parse_address(url), f"traykeeper-{name}", events)
        self._matches = _SelfPlayedMatches()
        self._replay = GapReplay(self._matches)
        self._current = self._begin_match()
        self.times: Times = {}
        self.event_bytes = self.state_bytes = 0
        self._link.start()

    def _replay_requested(self, _topic: str, payload: bytes) -> None:
        if reply := self._replay.answer(payload):
            board, answer = reply
            self._link.publish(self._topics.answer(board), compact_json(answer))

    def _connected(self) -> None:
        self._link.subscribe(self._topics.replay)
        self._link.publish(self._topics.availability, ONLINE, retain=True)

    def _begin_match(self) -> SelfPlay:
        match_id = f"{self._random.getrandbits(64):016x}"
        match = Match.start(self._rules, ["Anna", "Ben", "Cleo"])
        self._matches.played.append(SelfPlay(match, match_id, time.time()))
        return self._matches.played[-1]

    def play(self) -> None:
        """Play one step of the match, and publish it as a real tray does."""
        if self._current.match.state.winner is not None:
            self._current = self._begin_match()
        if not self.times or self._current.entries[-1].seq == 0:
            self._publish(self._current.entries[0])
        self._publish(self._current.play(self._random))

    def _publish(self, entry: WireEntry) -> None:
        match = self._current.match
        throws = Message("%(name)s throws.", name=match.state.player.name)
        snapshot = Snapshot(1, Situation.ACCEPTED, throws, _LAMP)
        state = compact_json(tray_state_json(snapshot, FeedLine(entry.seq, entry, None, match)))
        event = compact_json(entry.to_json())
        self.event_bytes += len(event) + len(self._topics.event)
        self.state_bytes += len(state) + len(self._topics.state)
        self.times[entry.match, entry.seq] = time.monotonic()
        self._link.publish(self._topics.event, event)
        self._link.publish(self._topics.state, state, retain=True)

    def close(self) -> None:
        self._link.close()


def _play(url: str, names: list[str], load: ClubLoad, seed: int, results: Connection) -> None:
    """Let the simulated trays in this process play at the same pace, with their steps spread evenly over time.

    `names` are the names of these trays. What they have published is sent to `results`.
    """
    trays = []
    for number, name in enumerate(names):
        trays.append(_Tray(url, name, 1_000 * seed + number))
        time.sleep(CONNECT_INTERVAL_S)
    start_s = time.monotonic()
    for step in range(max(1, round(load.seconds / load.pace_s))):
        for number, tray in enumerate(trays):
            due_s = start_s + load.pace_s * (step + number / len(trays))
            time.sleep(max(0.0, due_s - time.monotonic()))
            tray.play()
    time.sleep(SETTLE_S)
    times: Times = {key: at for tray in trays for key, at in tray.times.items()}
    n_bytes = (sum(t.event_bytes for t in trays), sum(t.state_bytes for t in trays))
    for tray in trays:
        tray.close()
    results.send(Published(times, *n_bytes))


@contextmanager
def _mosquitto(folder: Path) -> Iterator[tuple[int, int]]:
    """Run a Mosquitto broker on the loopback interface; yield its port and its process ID."""
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise UsageError("Mosquitto is not installed: sudo apt install mosquitto")
    port = free_port()
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_dest none\n")
    broker = subprocess.Popen([program, "-c", str(config)], stderr=sys.stderr)  # noqa: S603 - ours
    try:
        yield port, broker.pid
    finally:
        broker.terminate()
        broker.wait()
