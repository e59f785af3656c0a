"""Attacks over real HTTP and in a real browser."""

import socket

import pytest

from game.commands import EnterThrow, StartMatch
from tests.browser import PHONE
from tests.waiting import PATIENCE_S
from web.access.origin import AllowedHosts
from web.app import create_app
from web.server import Server
from web.stream import Streams

SCRIPTS = [
    "<img src onerror=hit=1>",
    '"><script>hit=1</script>',
    "'-(hit=1)-'",
    "{{7*7}}${7*7}",
    "</p><svg onload=hit=1>",
]
PAGES = [
    "/",
    "/new",
    "/join",
    "/health",
    "/calibrate",
    "/pad.svg",
    "/card.svg",
    "/api/v1/match.txt",
]


@pytest.fixture
def port(table):
    app = create_app(table, streams=Streams(limit=8, check_s=0.1), hosts=AllowedHosts(name="tray"))
    with Server(app, "127.0.0.1", 0) as server:
        yield server.port


def raw(port, *lines, body=b""):
    """Send exactly these lines and return the whole answer."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as peer:
        peer.sendall("\r\n".join((*lines, "Connection: close", "", "")).encode("latin-1") + body)
        with peer.makefile("rb") as answer:
            try:
                return answer.read()
            except ConnectionResetError:  # the server closed before all was sent
                return b"HTTP/1.1 400"


def status(answer):
    return int(answer.split()[1])


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/static//etc/passwd",
        "/static/..\\app.py",
        "/api/v1/photo/../../../etc/passwd",
        "/api/v1/photo/..%2f..%2f..%2fetc%2fpasswd.jpg",
        "/api/v1/photo/%00.jpg",
        "/api/v1/frame/..%2f..%2fjournal.db",
        "/api/v1/frame/1.jpg%00",
        "/api/v1/matches/..%2f..%2fjournal.db.txt",
        "/api/v1/matches/1.txt/../../../journal.db",
        "http://127.0.0.1/etc/passwd",
        "//etc/passwd",
        "/" + "a" * 5000,
    ],
)
def test_no_path_leads_out_of_the_served_files(port, path):
    answer = raw(port, f"GET {path} HTTP/1.1", "Host: localhost")

    assert status(answer) in (400, 404, 308), answer[:200]
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (["Content-Type: text/plain"], 415),  # a form on another site can send this
        (["Content-Type: application/x-www-form-urlencoded"], 415),
        (["Content-Type: application/json", "Origin: http://evil.example"], 403),
        (["Content-Type: application/json", "Origin: null"], 403),
        (["Content-Type: application/json", "Origin: http://localhost.evil.example"], 403),
        (["Content-Type: application/json", "Origin: http://localhost:1"], 403),
    ],
)
def test_page_of_another_site_cannot_change_anything(port, table, headers, expected):
    table.do(StartMatch(("Anna", "Ben")))
    version = table.snapshot().version
    body = b'{"dice": [1, 1, 1, 2, 3, 4]}'
    answer = raw(
        port,
        "POST /api/v1/dice HTTP/1.1",
        "Host: localhost",
        f"Content-Length: {len(body)}",
        *headers,
        body=body,
    )

    assert status(answer) == expected
    assert table.snapshot().version == version


@pytest.mark.parametrize(
    "lines",
    [
        ["POST /api/v1/press HTTP/1.1", "Host: rebound.example", "Origin: http://rebound.example"],
        ["GET / HTTP/1.1", "Host: tray.rebound.example"],
        ["GET /api/v1/state HTTP/1.1", "Host: 127.0.0.1.rebound.example:8000"],
    ],
)
def test_foreign_host_name_is_refused(port, lines):
    assert status(raw(port, *lines, "Content-Length: 0")) == 403


@pytest.mark.parametrize(
    "lines",
    [
        ["Content-Length: 3", "Transfer-Encoding: chunked"],
        ["Content-Length: 3", "Content-Length: 4"],
        ["Content-Length: -1"],
        ["Content-Length: 3x"],
        ["Transfer-Encoding: xchunked"],
        ["X: " + "y" * 400_000],
        ["Bad Header: x"],
        ["Host: localhost", "Host: evil.example"],
    ],
)
def test_malformed_requests_are_refused_and_do_no_harm(port, table, lines):
    answer = raw(port, "POST /api/v1/press HTTP/1.1", "Host: localhost", *lines, body=b"{}\r\n")

    assert status(answer) in (400, 403, 413, 431, 501), answer[:200]
    assert status(raw(port, "GET /healthz HTTP/1.1", "Host: localhost")) == 200
    assert table.done == []


def test_answer_headers_never_contain_a_line_from_the_request(port):
    answer = raw(port, "GET /x%0d%0aSet-Cookie:%20a=b HTTP/1.1", "Host: localhost")

    assert b"a=b" not in answer.partition(b"\r\n\r\n")[0]


@pytest.mark.browser
def test_names_that_look_like_scripts_are_shown_as_text(browser, table, port):
    table.do(StartMatch(tuple(SCRIPTS)))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    table.show(message=SCRIPTS[1], troubles=(SCRIPTS[0],), question=SCRIPTS[4])
    page = browser.new_page(viewport=PHONE)
    broken = []
    page.on("console", lambda line: broken.append(line.text) if line.type == "error" else None)
    for path in PAGES:
        page.goto(f"http://localhost:{port}{path}")
        assert page.evaluate("typeof hit") == "undefined", path
    page.goto(f"http://localhost:{port}/")
    assert page.locator("body").inner_text().count(SCRIPTS[0]) >= 1

    assert not [line for line in broken if "Content Security Policy" in line]


@pytest.mark.browser
def test_another_site_cannot_frame_the_page(browser, table, port):
    page = browser.new_page()
    page.route(
        "http://evil.example/",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f"<iframe id=f src='http://localhost:{port}/'></iframe>",
        ),
    )
    page.goto("http://evil.example/")
    page.wait_for_load_state("networkidle")
    frame = page.frames[1]

    assert frame.locator("#board").count() == 0


@pytest.mark.browser
def test_script_of_another_site_cannot_read_or_change_anything(browser, table, port):
    table.do(StartMatch(("Anna", "Ben")))
    version = table.snapshot().version
    page = browser.new_page()
    page.route(
        "http://evil.example/",
        lambda route: route.fulfill(content_type="text/html", body="<h1>Win a prize</h1>"),
    )
    page.goto("http://evil.example/")
    for options in (
        "{}",
        "{method: 'POST', mode: 'no-cors', body: '{}'}",
        "{method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}",
        "{method: 'POST', headers: {'Content-Type': 'application/zip'}, body: 'PK'}",
    ):
        found = page.evaluate(
            f"fetch('http://localhost:{port}/api/v1/undo', {options})"
            ".then(a => a.text()).catch(() => '')"
        )
        assert found == ""

    assert table.snapshot().version == version
