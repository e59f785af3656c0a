"""A match at a table, beside hundreds of streams and guests who do all that guests can.

    python -m tests.campaigns.crowding SECONDS [STREAMS] [GUESTS]

The table is `traykeeper play` with the simulated tray; each stream and each guest has an address of
its own below 127.0.0.0/8, a few of them the same one. Their phones think for themselves: here they are
a process that stands back. Prints what was read and how late, and the memory.
"""

import json
import multiprocessing
import os
import random
import re
import socket
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from http.cookiejar import CookieJar
from itertools import cycle
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any
from urllib.error import HTTPError

from tests.campaigns.phone import Played
from tests.waiting import PATIENCE_S
from tests.web.conftest import MemoryTable, make_app
from tests.web.guest import ENDLESS, filled, routes

SIMULATED = ("--camera", "sim", "--roll", "0.6", "--seed", "4")
"""The shortest roll that the watch reliably sees. Real dice roll at least as long."""

LIES_S = 2.0
"""Time from the throw to the press: the dice roll, are at rest for 0.4 s, and somebody looks at them."""

THROWS = 40
"""Target score of a match."""

MOST_UNREAD = 5
"""Unread throws after which a table that has read nothing gives up."""

PAUSE_S = 0.3
"""Time between two requests of one watcher."""

COMES_BACK_S = 5.0
"""The Retry-After of a refused stream."""

ROUTES = [
    route.partition(" ") for route in routes(make_app(MemoryTable())) if not ENDLESS.search(route)
]
SEEN = [path for method, _, path in ROUTES if method == "GET"]
DONE = [path for method, _, path in ROUTES if method == "POST"]
"""All paths. A refused request costs time as well."""

ODD = "/matches?before=-99999999999999999999", "/api/v1/matches?before=99999999999999999999"
BODIES = {
    "/api/v1/scorekeeper/pin": [{"pin": "000000"}],
    "/api/v1/scorekeeper/owner": [{"pin": "000000"}],
    "/api/v1/scorekeeper/link": [{"token": "none"}],
    "/api/v1/scorekeeper/sit": [{"name": name} for name in ("Anna", "Ben", "")],
}
"""The requests that a watcher may make."""


@dataclass
class Guests:
    """What they were answered: status -> how often; 0 is none at all.

    `photo` is the newest photo that they saw told.
    """

    photo: str = "none"
    answers: Counter[int] = field(default_factory=Counter)
    over: Event = field(default_factory=Event)

    def look(self, state: bytes) -> None:
        if photo := json.loads(state)["photo"]:
            self.photo = photo["id"]


@dataclass
class Evening:
    """What the table did in the meantime, with the message for each throw that was not read."""

    late_ms: list[float] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    threads: int = 0

    @property
    def early_and_late_mb(self) -> tuple[float, float]:
        """Return the memory in the second third, when all watchers are there, and in the last third."""
        third = max(1, len(self.memory_mb) // 3)
        middle = self.memory_mb[third : 2 * third] or self.memory_mb
        return statistics.mean(middle), statistics.mean(self.memory_mb[-third:])

    @property
    def growth_mb(self) -> float:
        early, late = self.early_and_late_mb
        return late - early


def main() -> None:
    seconds, streams, guests = (int(n) for n in (*sys.argv[1:], "500", "30")[:3])
    with TemporaryDirectory() as folder:
        table = Played(Path(folder), CookieJar(), *SIMULATED)
        try:
            answers, evening = attend(table, seconds, streams, guests)
        finally:
            table.kill()
            table.gone()
    print(told(answers, evening, streams, guests))


def attend(table: Played, seconds: int, streams: int, guests: int) -> tuple[Counter[int], Evening]:
    """Run all watchers at once for a while, and return the answers that they got."""
    apart = multiprocessing.get_context("spawn")
    here, there = apart.Pipe()
    crowd = apart.Process(target=crowd_around, args=(table.port, streams, guests, there))
    crowd.start()
    try:
        evening = play(table, seconds)
    finally:
        here.send("over")
        answers: Counter[int] = here.recv()
        crowd.join()
    return answers, evening


def crowd_around(port: int, streams: int, guests: int, table: Connection) -> None:
    """Start the watchers, and end them when the table has finished."""
    os.nice(10)
    crowd = Guests()
    threads = [Thread(target=stream, args=(port, n, crowd)) for n in range(streams)]
    threads += [Thread(target=guest, args=(port, n, crowd)) for n in range(guests)]
    for thread in threads:
        thread.start()
    with suppress(EOFError):  # the table is gone without a word
        table.recv()
    crowd.over.set()
    for thread in threads:
        thread.join()
    with suppress(OSError):
        table.send(crowd.answers)


def stream(port: int, number: int, crowd: Guests) -> None:
    """Open a stream. Every second watcher never reads it, and a refused one tries again."""
    while not crowd.over.is_set():
        with suppress(OSError), connected(port, number) as phone:
            phone.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            began = phone.recv(64)
            crowd.answers[int(began.split()[1]) if began else 0] += 1
            while not crowd.over.wait(0.2) and b" 200 " in began:
                if number % 2 and not phone.recv(65_536):
                    break
        crowd.over.wait(COMES_BACK_S)


def guest(port: int, number: int, crowd: Guests) -> None:
    """Request every path of the app in random order."""
    rng = random.Random(number)
    while not crowd.over.wait(PAUSE_S * rng.random() * 2):
        connection = HTTPConnection(
            "127.0.0.1", port, timeout=PATIENCE_S, source_address=(address_of(number), 0)
        )
        try:
            method, path, *rest = wish(rng, crowd.photo)
            connection.request(method, path, *rest)
            answer = connection.getresponse()
            said = answer.read()
            crowd.answers[answer.status] += 1
            if path == "/api/v1/state" and answer.status == 200:
                crowd.look(said)
        except (OSError, HTTPException):
            crowd.answers[0] += 1
        finally:
            connection.close()


def wish(rng: random.Random, photo: str) -> tuple[str, str, bytes | None, dict[str, str]]:
    """Return a random path, mostly of a match, a throw or a photo that exists."""
    if rng.random() < 0.8:
        match, position = rng.randint(1, 5), rng.randint(1, 50)
        path = filled(rng.choice([*SEEN, *ODD]), match_id=match, position=position, photo_id=photo)
        return "GET", path, None, {"Host": "localhost"}
    path = rng.choice([*DONE, *BODIES])
    body = rng.choice(BODIES.get(path, [{}]))
    key = str(rng.randrange(9))
    headers = {"Host": "localhost", "Content-Type": "application/json", "Idempotency-Key": key}
    return "POST", path, json.dumps(body).encode(), headers


def address_of(number: int) -> str:
    """Return an address; some watchers share that of a router."""
    return f"127.0.1.{1 + number % 200}"


def connected(port: int, number: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE_S, (address_of(number), 0))


def play(table: Played, seconds: int) -> Evening:
    """Throw, press, and wait for the reading on a phone's stream; then bank or begin another match.

    On a slow machine it goes on until a throw has been read, but gives up if the first five are not.
    """
    evening, events = Evening(), followed(table)
    table.post("match", names=["Anna", "Ben"])
    until_s, memory = time.monotonic() + seconds, cycle((True, False, False, False))
    while time.monotonic() < until_s or not (evening.late_ms or len(evening.unread) >= MOST_UNREAD):
        table.post("throw")
        time.sleep(LIES_S)
        before = table.state()
        start_s = time.perf_counter()
        table.post("press")
        read = next((now for now in within(events, PATIENCE_S) if is_read(now, before)), None)
        if read is None:
            evening.unread.append(str(table.state()["message"]))
        else:
            evening.late_ms.append(1000 * (time.perf_counter() - start_s))
        go_on(table, match_over=len(evening.late_ms) % THROWS == 0)
        if next(memory):
            evening.memory_mb.append(resident_mb(table.process.pid))
            evening.threads = max(evening.threads, threads_of(table.process.pid))
    return evening


def go_on(table: Played, *, match_over: bool) -> None:
    """End the turn or the match, so that the next throw is a new one."""
    again = ("match", {"names": ["Anna", "Ben"]})
    for path, body in [again] if match_over else [("skip", {}), again]:
        with suppress(HTTPError):
            table.post(path, **body)
            return


def is_read(now: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether another picture has been read since then."""
    return now["version"] > before["version"] and now["photo"] != before["photo"]


def followed(table: Played) -> Iterator[dict[str, Any] | None]:
    """Yield the states on the scorekeeper's stream, and None at a heartbeat; reconnect when it ends."""
    while True:
        for line in table.stream():
            if line.startswith(b"data:"):
                yield json.loads(line[5:])
            elif line.startswith(b":"):
                yield None


def within(events: Iterator[dict[str, Any] | None], seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the states that arrive in time, or until the next heartbeat."""
    until_s = time.monotonic() + seconds
    for event in events:
        if event:
            yield event
        if time.monotonic() > until_s:
            return


def _status(pid: int, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


def resident_mb(pid: int) -> float:
    return _status(pid, "VmRSS") / 1024


def threads_of(pid: int) -> int:
    return _status(pid, "Threads")


def told(answered: Counter[int], evening: Evening, streams: int, guests: int) -> str:
    first, last = evening.early_and_late_mb
    answers = ", ".join(f"{n} x {status}" for status, n in sorted(answered.items()))
    late = sorted(evening.late_ms)
    return (
        f"{len(late)} throws read beside {streams} streams and {guests} guests, {len(evening.unread)} unread; "
        f"press to phone: median {statistics.median(late):.0f} ms, "
        f"19 of 20 within {late[len(late) * 19 // 20]:.0f} ms, 99 of 100 within {late[len(late) * 99 // 100]:.0f}, "
        f"slowest {late[-1]:.0f} ms; "
        f"memory {first:.0f} -> {last:.0f} MB, {evening.threads} threads; answers: {answers}"
    )


if __name__ == "__main__":
    main()
