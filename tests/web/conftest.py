"""A table in memory, real but for the tray: the rules, the snapshots and the waiting are true."""

import json
import threading
import urllib.request
from dataclasses import replace
from http.client import HTTPResponse
from pathlib import Path

import pytest

from game import Match
from game.match.events import Event, Spliced
from game.match.match_text import insertion
from game.odds.figures import Figures, figures
from game.odds.table_store import TableStore
from game.rules.rule_files import changed, load
from game.situation import Situation, TableError
from web.access.pencil import Pencil, PencilState
from web.access.phone import COOKIE, Phones
from web.app import create_app
from web.contracts.coach import Coaching, Mode
from web.contracts.table import Lamp, Snapshot
from web.server import Server
from web.stream import Streams

SECRET = bytes(32)
PHONE_COOKIE, PHONE = Phones(SECRET).cookie()
"""The phone that holds the pencil wherever a test does not say otherwise."""

RULES = load("walnut-studiolo")
SHIPPED = TableStore(Path("no such folder"))
READY = Lamp("#2aa866", 0.0, "Press to read the throw")


class MemoryTable:
    """A `web.contracts.table.Table` over one match; tests put any other snapshot with `show`."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._snapshot = Snapshot(0, Situation.NO_MATCH, "Welcome", READY, simulated=True)
        self.photos: dict[str, bytes] = {}
        self.done: list[tuple] = []
        self.to_throw: list[tuple[int, ...]] = []

    @property
    def match(self) -> Match:
        if self._snapshot.match is None:
            raise TableError("no match has begun: set one up first")
        return self._snapshot.match

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        with self._changed:
            is_newer = self._changed.wait_for(lambda: self._snapshot.version > after, timeout_s)
            return self._snapshot if is_newer else None

    def show(self, **changes: object) -> Snapshot:
        with self._changed:
            version = self._snapshot.version + 1
            self._snapshot = replace(self._snapshot, version=version, **changes)
            self._changed.notify_all()
            return self._snapshot

    def _play(self, match: Match, message: str) -> Snapshot:
        if match.state.winner is not None:
            situation = Situation.WON
        elif match.state.turn.last:
            situation = Situation.ACCEPTED
        else:
            situation = Situation.TURN_BEGINS
        self.show(match=match, message=message, situation=situation, question=None, choices=())
        return self.advise(self._snapshot.coach.mode)

    def photo(self, photo_id: str) -> bytes | None:
        return self.photos.get(photo_id)

    def view(self) -> bytes | None:
        return self.photos.get("view")

    def press(self) -> Snapshot:
        self.done.append(("press",))
        return self.show(message="pressed")

    def reread(self) -> Snapshot:
        self.done.append(("reread",))
        return self.show(message="read again")

    def hold(self, seconds: float) -> Snapshot:
        self.done.append(("hold", seconds))
        return self.bank()

    def button(self, *, down: bool) -> Snapshot:
        self.done.append(("button", down))
        colour = "#f2b134" if down else "#2aa866"
        return self.show(lamp=Lamp(colour, 0.0, "let go to read" if down else "ready"))

    def throw(self) -> Snapshot:
        if not self.to_throw:
            raise TableError("the dice were not gathered")
        return self.dice(self.to_throw.pop(0))

    def new_match(
        self,
        names: tuple[str, ...],
        *,
        rules: str | None = None,
        target: int | None = None,
        options: dict | None = None,
        teams: tuple[int, ...] | None = None,
    ) -> Snapshot:
        chosen = changed(load(rules) if rules else RULES, options or {})
        match = Match.start(replace(chosen, target=target or chosen.target), names, teams=teams)
        return self._play(match, f"{names[0]} begins")

    def rematch(self) -> Snapshot:
        if self.match.state.winner is None:
            raise TableError("the match is not over")
        names = [player.name for player in self.match.state.players]
        return self._play(Match.start(self.match.rules, names, first=1), "a rematch")

    def advise(self, mode: Mode) -> Snapshot:
        return self.show(coach=Coaching(mode, self._figures(mode)))

    def _figures(self, mode: Mode) -> Figures | None:
        """What `device.coach.coach` has worked out aside, here at once."""
        match = self._snapshot.match
        if mode is Mode.OFF or match is None:
            return None
        found = figures(match, SHIPPED.find(match.rules))
        return found if mode is Mode.LIVE else replace(found, keeps=(), before=None)

    def heed(self) -> Snapshot:
        return self.show(troubles=())

    def reopen(self, match_id: int) -> Snapshot:
        self.done.append(("reopen", match_id))
        return self.show(message="reopened")

    def dice(self, dice: tuple[int, ...]) -> Snapshot:
        return self._play(self.match.throw(dice), f"thrown: {dice}")

    def keep(self, dice: tuple[int, ...]) -> Snapshot:
        return self._play(self.match.keep(dice), f"kept: {dice}")

    def bank(self, dice: tuple[int, ...] | None = None) -> Snapshot:
        name = self.match.state.player.name
        return self._play(self.match.bank(dice), f"{name} banked")

    def correct(self, dice: tuple[int, ...], index: int | None = None) -> Snapshot:
        return self._play(self.match.correct(dice, index), "corrected")

    def face(self, photo_id: str, die: int, value: int) -> Snapshot:
        photo = self._snapshot.photo
        if photo is None or photo.id != photo_id:
            raise TableError("that photo is an old one")
        self.done.append(("face", die, value))
        dice = list(photo.dice)
        dice[die] = replace(dice[die], value=value, problem=None)
        return self.show(photo=replace(photo, dice=tuple(dice)))

    def by_hand(self, event: Event) -> Snapshot:
        return self._play(self.match.push(event), "by hand")

    def insert(self, line: str, before: int | None = None) -> Snapshot:
        return self._play(self.match.push(insertion(self.match, line, before)), "inserted")

    def drop(self, start: int, stop: int) -> Snapshot:
        return self._play(self.match.push(Spliced(start, stop, ())), "dropped")

    def answer(self, choice_id: str) -> Snapshot:
        if choice_id not in {choice.id for choice in self._snapshot.choices}:
            raise TableError(f"{choice_id!r} is no answer to an open question")
        self.done.append(("answer", choice_id))
        return self.show(question=None, choices=(), message=f"answered {choice_id}")

    def undo(self) -> Snapshot:
        return self._play(self.match.undo(), "taken back")

    def redo(self) -> Snapshot:
        return self._play(self.match.redo(), "done again")


def make_app(table, *, holder: str = PHONE, **options):
    """The app over this table; the pencil is with the test's own phone."""
    pencil = Pencil(PencilState(holder=holder))
    if isinstance(table, MemoryTable):
        pencil.changed = lambda: table.show(pencil=pencil.view())
        table.show(pencil=pencil.view())
        table.pencil = pencil
    return create_app(table, pencil=pencil, secret=SECRET, **options)


def holding(app):
    """Flask's client as the phone that holds the pencil."""
    client = app.test_client()
    client.set_cookie(COOKIE, PHONE_COOKIE)
    return client


class AnyAnswer(urllib.request.HTTPErrorProcessor):
    """Keeps answers with errors as answers."""

    def http_response(self, request, response):
        return response


class Browserless:
    """A client over real HTTP, as the phone that holds the pencil."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._opener = urllib.request.build_opener(AnyAnswer)

    def get(self, path: str) -> HTTPResponse:
        return self._open(path, None)

    def post(self, path: str, **body: object) -> HTTPResponse:
        return self._open(path, json.dumps(body).encode())

    def listen(self, path: str, language: str = "en") -> str:
        """The first event of a stream."""
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, headers={"Accept-Language": language})
        with self._opener.open(request, timeout=10) as stream:
            return b"".join(iter(stream.readline, b"\n")).decode()

    def _open(self, path: str, data: bytes | None) -> HTTPResponse:
        headers = {"Content-Type": "application/json", "Cookie": f"{COOKIE}={PHONE_COOKIE}"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        return self._opener.open(request, timeout=10)


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


@pytest.fixture
def client(table):
    """Flask's client: no sockets."""
    return holding(make_app(table))


@pytest.fixture
def serve():
    """Starts servers on free ports, and stops them all after the test."""
    servers = []

    def start(table: MemoryTable, port: int = 0, **streams: float) -> Server:
        app = make_app(table, streams=Streams(**{"check_s": 0.1, "limit": 8} | streams))
        servers.append(Server(app, "127.0.0.1", port))
        servers[-1].start()
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def browserless():
    """Makes a client for a port."""
    return Browserless


@pytest.fixture
def http(table, serve) -> Browserless:
    return Browserless(serve(table, limit=64).port)
