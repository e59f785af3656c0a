"""A table in memory: session, rules and snapshots are real; tray, journal and threads are not."""

import json
import threading
import urllib.request
from dataclasses import fields, replace
from http.client import HTTPResponse

import jsonschema_rs
import pytest

from device.session.live_match import LiveMatch
from device.session.session import Session
from device.session.table_state import NeedsAttention, OpenQuestion
from device.session.verdict import Answer
from game.commands import (
    AcknowledgeDamage,
    AnswerQuestion,
    Command,
    CorrectDie,
    EnterThrow,
    Hold,
    MarkForeignObject,
    MoveSimulatedButton,
    Press,
    SetCoachMode,
    ThrowSimulatedDice,
)
from game.errors import JournalError
from game.match.match import Match
from game.message import Message, Verbatim
from game.odds.review import Figures, figures
from game.rules.rule_files import load
from game.situation import Choice, Situation, TableError
from tests.game.shipped import shipped
from tests.tray_reader import FakeTrayReader
from tests.waiting import PATIENCE_S
from web.access.phone import COOKIE, AccessControl
from web.access.scorekeeper import Scorekeeper, ScorekeeperRecord
from web.api.openapi import document
from web.app import create_app
from web.contracts import Coaching, CoachMode, Lamp, Snapshot
from web.route import JSON, current_route
from web.server import Server
from web.stream import Streams

SECRET = bytes(32)
PHONE_COOKIE, PHONE = AccessControl(SECRET, Scorekeeper()).new_cookie()
"""The scorekeeper's phone, unless a test chooses another one."""

RULES = load("walnut-studiolo")
READY = Lamp("#2aa866", 0.0, Message("Press to read the throw"))

MESSAGES = {
    "message", "advice", "lamp", "unread_throw", "question", "choices", "notice", "troubles",
}  # fmt: skip
"""The fields of a snapshot that are messages, or contain some."""


def as_message(value):
    """Return the plain strings of a test as messages."""
    match value:
        case str():
            return Verbatim(value)
        case Lamp():
            return replace(value, meaning=as_message(value.meaning))
        case Choice():
            return replace(value, label=as_message(value.label))
        case tuple():
            return tuple(map(as_message, value))
    return value


class NoJournal:
    """A journal that only remembers how each match began."""

    def __init__(self):
        self._begun = {}

    def newest(self):
        return None

    def match_before(self, match_id):
        return 0

    def start(self, match, *, request="", key=""):
        self._begun[len(self._begun) + 1] = match
        return len(self._begun)

    def match(self, match_id):
        if match_id not in self._begun:
            raise JournalError(Message("there is no match %(id)s here", id=match_id))
        return self._begun[match_id]

    def append(self, match_id, *actions, result=None, request=""):
        return 1


class MemoryAlbum(dict[str, bytes]):
    """Photos by name, with the dice of a photo under "photo/0" and its clip under "photo.mjpeg"."""

    photo = dict.get

    def die(self, name: str, number: int) -> bytes | None:
        return self.get(f"{name}/{number}")

    def clip(self, name: str) -> bytes | None:
        return self.get(f"{name}.mjpeg")


class MemoryTable:
    """A `web.contracts.Table` over a real session, without tray, journal and threads.

    Tests set other fields of the snapshot with `show`.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._session = Session(LiveMatch(NoJournal()), RULES, FakeTrayReader())
        self._session.camera_found()
        self._snapshot = Snapshot(0, Situation.NO_MATCH, Message("Welcome"), READY, simulated=True)
        self.album = MemoryAlbum()
        self.done: list[Command] = []
        self.to_throw: list[tuple[int, ...]] = []

    @property
    def match(self) -> Match:
        return self._session.live_match.match

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        with self._changed:
            is_newer = self._changed.wait_for(lambda: self._snapshot.version > after, timeout_s)
            return self._snapshot if is_newer else None

    def show(self, **changes: object) -> Snapshot:
        match = changes.get("match")
        if match and match is not self._session.table.match:
            self._session.live_match.resume(1, match)
            self._session.table = replace(self._session.table, in_play=match)
        with self._changed:
            version = self._snapshot.version + 1
            told = {name: as_message(value) for name, value in changes.items() if name in MESSAGES}
            self._snapshot = replace(self._snapshot, version=version, **changes | told)
            self._changed.notify_all()
            return self._snapshot

    def at_once(self):
        """Return a context in which several changes become one: nobody sees a snapshot from within."""
        return self._changed

    def view(self) -> bytes | None:
        return self.album.get("view")

    def reset(self) -> None:
        """Become a new table, for the next test. Open streams stay open and send the new state."""
        fresh = MemoryTable()
        self._session = fresh._session
        for filled in (self.album, self.done, self.to_throw):
            filled.clear()
        kept = ("version", "scorekeeper")
        begun = {f.name: getattr(fresh.snapshot(), f.name) for f in fields(Snapshot)}
        self.show(**{name: value for name, value in begun.items() if name not in kept})

    def do(self, command: Command, request: str = "") -> Snapshot:  # noqa: PLR0911
        self.done.append(command)
        match command:
            case ThrowSimulatedDice():
                return self._throw()
            case MoveSimulatedButton():
                colour = "#f2b134" if command.down else "#2aa866"
                return self.show(
                    lamp=Lamp(colour, 0.0, "let go to read" if command.down else "ready")
                )
            case CorrectDie() | MarkForeignObject():
                return self._tapped(command)
            case SetCoachMode():
                return self.advise(CoachMode(command.mode))
            case AcknowledgeDamage():
                return self.show(troubles=())
            case Press():
                self._session.release_button(0.0)
                return self._drawn()
            case Hold():
                self._session.check_step(command.step)
                self._session.release_button(command.seconds)
                return self._drawn()
            case AnswerQuestion() if command.choice in {c.id for c in self._snapshot.choices}:
                if not self._session.table.choices:  # a question that a test put there
                    return self.show(question=None, choices=(), message="answered")
        self._session.do(command)
        return self._drawn()

    def offer(self, label: str) -> Snapshot:
        """Offer another interpretation of the last throw."""
        self._session.table = self._session.table.offering(Answer(Message(label)))
        return self._drawn()

    def _drawn(self) -> Snapshot:
        state, overlay = self._session.table, self._session.table.overlay
        self.show(
            match=state.match,
            step=self._session.live_match.change_count,
            message=state.message,
            situation=state.situation,
            advice=overlay.advice if isinstance(overlay, NeedsAttention) else (),
            unread_throw=self._session.unread_throw,
            question=overlay.question if isinstance(overlay, OpenQuestion) else None,
            choices=state.choices,
            rolloff=state.rolloff if state.match is None and state.dice_log is None else None,
            just_dice=state.dice_log,
            hold=self._session.hold_effect,
        )
        return self.advise(self._snapshot.coach.mode)

    def _throw(self) -> Snapshot:
        if not self.to_throw:
            raise TableError(Verbatim("The dice were not gathered."))
        return self.do(EnterThrow(self.to_throw.pop(0)))

    def _tapped(self, command: CorrectDie | MarkForeignObject) -> Snapshot:
        photo = self._snapshot.photo
        if photo is None or photo.id != command.photo:
            raise TableError(Message("That photo is out of date: use the newest one."))
        dice = list(photo.dice)
        if isinstance(command, MarkForeignObject):
            del dice[command.die]
        else:
            dice[command.die] = replace(dice[command.die], value=command.face, problem=None)
        return self.show(photo=replace(photo, dice=tuple(dice)))

    def advise(self, mode: CoachMode) -> Snapshot:
        return self.show(coach=Coaching(mode, self._figures(mode)))

    def _figures(self, mode: CoachMode) -> Figures | None:
        """Calculate at once what the real coach calculates in the background."""
        match = self._snapshot.match
        if mode is CoachMode.OFF or match is None:
            return None
        found = figures(match, shipped(match.rules))
        return found if mode is CoachMode.LIVE else replace(found, keeps=(), before=None)


def make_app(table, *, holder: str = PHONE, has_button: bool = True, **options):
    """Make an app whose scorekeeper is the test's own phone, which counts as the owner's as well."""
    shown = isinstance(table, MemoryTable)
    scorekeeper = Scorekeeper(
        ScorekeeperRecord(holder=holder),
        on_change=lambda: table.show(scorekeeper=scorekeeper.view()) if shown else None,
        has_button=has_button,
    )
    if shown:
        table.show(scorekeeper=scorekeeper.view())
        table.scorekeeper = scorekeeper
    app = create_app(table, scorekeeper=scorekeeper, secret=SECRET, **options)
    app.extensions["traykeeper_access"].add_owner(PHONE)
    app.after_request(_check_shape)
    return app


_validators = {}


def _check_shape(response):
    """Check that an answer has the shape that the OpenAPI document describes."""
    route = current_route()
    if route and route.media_type == response.mimetype == JSON and response.status_code == 200:
        name = (route.method, route.path)
        if name not in _validators:
            found = document([route])
            (path,) = found["paths"].values()
            content = path[route.method.lower()]["responses"]["200"]["content"]
            schema = content[JSON]["schema"] | {"components": found["components"]}
            _validators[name] = jsonschema_rs.validator_for(schema)
        _validators[name].validate(response.json)
    return response


def as_scorekeeper(app):
    """Return Flask's test client as the scorekeeper's phone."""
    client = app.test_client()
    client.set_cookie(COOKIE, PHONE_COOKIE)
    return client


class AnyStatus(urllib.request.HTTPErrorProcessor):
    """Returns answers with any status code instead of raising an error."""

    def http_response(self, request, response):
        return response


class HttpClient:
    """A client over real HTTP, by default the scorekeeper's phone."""

    def __init__(self, port: int, cookie: str = PHONE_COOKIE) -> None:
        self.port = port
        self._cookie = cookie
        self._opener = urllib.request.build_opener(AnyStatus)

    def get(self, path: str) -> HTTPResponse:
        return self._open(path, None)

    def post(self, path: str, **body: object) -> HTTPResponse:
        return self._open(path, json.dumps(body).encode())

    def listen(self, path: str, language: str = "en") -> str:
        """Return the first event of a stream."""
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, headers={"Accept-Language": language})
        with self._opener.open(request, timeout=PATIENCE_S) as stream:
            return b"".join(iter(stream.readline, b"\n")).decode()

    def _open(self, path: str, data: bytes | None) -> HTTPResponse:
        headers = {"Content-Type": "application/json", "Cookie": f"{COOKIE}={self._cookie}"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        return self._opener.open(request, timeout=PATIENCE_S)


@pytest.fixture
def table() -> MemoryTable:
    return MemoryTable()


@pytest.fixture(scope="module")
def shared_table() -> MemoryTable:
    """A table for all tests of a module, each of which resets it."""
    return MemoryTable()


@pytest.fixture(scope="module")
def shared_server(shared_table):
    app = make_app(shared_table, streams=Streams(check_s=0.1, limit=8))
    with Server(app, "127.0.0.1", 0) as server:
        yield server


@pytest.fixture
def client(table):
    """Flask's test client, which needs no sockets."""
    return as_scorekeeper(make_app(table))


@pytest.fixture
def serve():
    """Start servers on free ports, and stop all of them after the test."""
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
def new_client():
    """Make a client for a port."""
    return HttpClient


@pytest.fixture
def http(table, serve) -> HttpClient:
    return HttpClient(serve(table, limit=64).port)
