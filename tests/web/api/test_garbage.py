"""Garbage: every answer names the remedy, nothing crashes, nothing is logged. Some of it goes over real HTTP."""

import logging
import socket
import struct

import pytest

from game.commands import EnterThrow, StartMatch
from tests.waiting import PATIENCE_S, until
from tests.web.conftest import PHONE_COOKIE, make_app
from web.access.phone import COOKIE
from web.server import Server
from web.stream import Streams

GARBAGE = [
    *("NaN", "-Infinity", "1e400", "-1", "1" + "0" * 4000, "1.5", "true", "null", '""'),
    *('"' + "y" * 300 + '"', '"\\u0000"', '"\\ud800"', '"☃"', "[]", "[null]", "[[1]]", "[1e400]"),
    *("[true]", '["\\ud800", "b"]', '["A\\nB", "C"]', "{}", '{"a": 1}', "[" * 200 + "]" * 200),
]
BODIES = [b"", b"{", b"[]", b"null", b"\xff", b"[" * 8000, b" " * 20_000, b"\x00" * 50]
FIELDS = {
    "hold": {"seconds": "0"},
    "button": {"down": "true"},
    "dice": {"dice": "[1, 1]"},
    "keep": {"dice": "[1, 1]"},
    "bank": {"dice": "[1, 1]"},
    "correct": {"dice": "[1, 1]", "index": "0"},
    "face": {"photo": '"1"', "die": "0", "face": "1"},
    "answer": {"choice": '"1"'},
    "match": {"names": '["A", "B"]', "rules": '"stirler"', "target": "500", "teams": "[0, 1]"},
    "part": {"at": "0", "part": '"UEs="'},
    "reopen": {"match": "1"},
    "pin": {"pin": '"123456"'},
    "link": {"token": '"x"'},
    "sit": {"name": '"Z"'},
    "give": {"yes": "true"},
    "own-turn": {"on": "true"},
    "just-dice": {"on": "true"},
    "insert": {"turn": '"113335: 333 = 300"', "before": "0"},
    "drop": {"start": "0", "stop": "1"},
    "join": {"name": '"Z"', "team": "1"},
    "leave": {"seat": "0"},
    "rename": {"seat": "0", "name": '"Z"'},
    "order": {"seats": "[1, 0]"},
    "score": {"seat": "0", "score": "5"},
    "turn": {"seat": "0", "points": "5", "dice": "3"},
}
POSTS = sorted(
    rule.rule
    for rule in make_app(None).url_map.iter_rules()
    if rule.rule.startswith("/api/v1/") and "POST" in rule.methods
)


@pytest.fixture
def begun(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    return table


def send(port, method, path, body=b"", content_type="application/json"):
    """Send a request and return status and body of the answer."""
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    head += f"Cookie: {COOKIE}={PHONE_COOKIE}\r\n"
    head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as phone:
        phone.sendall(head.encode() + body)
        with phone.makefile("rb") as answer:
            status = int(answer.readline().split()[1])
            return status, answer.read().partition(b"\r\n\r\n")[2]


def over_http(http):
    """Return a way to send requests over a socket."""
    return lambda *request: send(http.port, *request)


def in_process(client):
    """Return a way to send requests to the app, which takes half the time."""

    def send_one(method, path, body=b"", content_type="application/json"):
        with client.open(path, method=method, data=body, content_type=content_type) as answer:
            return answer.status_code, answer.data

    return send_one


def garbage_for(name):
    """Yield bodies that are no object, then for each field of a route bodies where it is garbage."""
    yield BODIES
    fields = FIELDS.get(name, {})
    for field in fields:
        yield [_body(fields | {field: value}) for value in GARBAGE]


def _body(fields):
    return ("{" + ", ".join(f'"{key}": {text}' for key, text in fields.items()) + "}").encode()


def warnings(caplog):
    """Return the log records from the level of a warning."""
    return [line for line in caplog.records if line.levelno > logging.INFO]


@pytest.mark.parametrize("path", ["/api/v1/match", "/api/v1/picture/part"])
def test_garbage_over_http_is_refused_and_the_table_still_works(begun, http, caplog, path):
    refuses_garbage(over_http(http), path)

    assert warnings(caplog) == []


@pytest.mark.parametrize("path", POSTS)
def test_garbage_is_refused_and_the_table_still_works(begun, client, caplog, path):
    refuses_garbage(in_process(client), path)

    assert warnings(caplog) == []


def refuses_garbage(send_one, path):
    """Check the answers to all garbage for a path, and that the table works after each of it."""
    allowed = {200, 400, 404, 409, 413} | ({403, 429} if "/scorekeeper/" in path else set())
    for bodies in garbage_for(path.rpartition("/")[2]):
        for body in bodies:
            status, answer = send_one("POST", path, body)
            assert status in allowed, (body, answer)
            assert send_one("GET", "/api/v1/state")[0] == 200, body
        for page in ("/", "/pad.svg"):
            assert send_one("GET", page)[0] == 200, (bodies, page)
        status_of_text = send_one("GET", "/api/v1/match.txt")[0]
        assert status_of_text == 200 or (status_of_text == 404 and path.endswith("/just-dice")), (
            bodies
        )
    for content_type in ("text/plain", "multipart/form-data", "application/json; charset=utf-16"):
        status, _ = send_one("POST", path, b"{\xff}", content_type)
        assert status in {400, 415} | allowed & {403, 429}


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "TRACE", "BREW"])
def test_wrong_method_is_named(client, method):
    for path in set(POSTS) - {"/api/v1/scorekeeper/pin"}:  # this path has a GET as well
        status, answer = in_process(client)(method, path)
        assert status == 405
        assert f"does not accept {method}".encode() in answer


def test_hundred_broken_streams_leave_nothing_behind(begun, caplog):
    streams = Streams(limit=100, check_s=0.1)
    with Server(make_app(begun, streams=streams), "127.0.0.1", 0) as server:
        phones = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
        for i, phone in enumerate(phones):
            phone.sendall(
                b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n" % (b"live", b"api/v1/events")[i % 2]
            )
        for phone in phones:
            assert phone.recv(100).startswith(b"HTTP/1.1 200")
        for phone in phones[::2]:  # closes with a reset
            phone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for phone in phones:
            phone.close()
        begun.show(message="something happened")
        until(lambda: streams.number == 0)

        assert send(server.port, "GET", "/api/v1/state")[0] == 200
    assert warnings(caplog) == []
