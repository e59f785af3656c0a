"""Every page on a German phone, in the middle of a match and after one."""

import html
import json
import re
import urllib.request
from http.cookiejar import CookieJar
from itertools import chain
from tempfile import TemporaryDirectory
from urllib.error import HTTPError

import pytest

from device.app import PlayOptions, serving
from game.commands import Bank, EnterThrow, RecordEvent, StartMatch
from game.match.events import ScoreSet
from game.rules import rule_files
from tests.languages import english_left
from tests.waiting import COACH_PATIENCE_S, PATIENCE_S, until
from tests.web.guest import ENDLESS, filled, routes
from web.app import new_link

SPOKEN = re.compile(
    r"(?:aria-label|alt|placeholder|title|data-(?:why|bank|count|done|farkle|holds|next|nothing|part|reading|reset|"
    r'sending|skip|turn|was|win))="([^"]*)"'
)
FOR_SCRIPTS = re.compile(r"""data-words=(["'])(.*?)\1""", re.DOTALL)
NO_TEXT = re.compile(r"<(script|style)\b.*?</\1>|<[^>]+>", re.DOTALL)

PUBLISHED = [rule_files.load(name) for name in rule_files.names()]
NAMES = sorted({name for rules in PUBLISHED for name in (rules.title, rules.source)}, key=len)
"""Titles of games and of rule books, which are not translated."""


class GermanPhone:
    """Requests pages; `holds` says whether the phone is the scorekeeper's."""

    def __init__(self, server, *, holds):
        self._base = f"http://127.0.0.1:{server.port}"
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        if holds:
            self.ask("/api/v1/scorekeeper/link", {"token": new_link(server.app).partition("=")[2]})

    def ask(self, path, body=None):
        """Return status, content type and text of the response."""
        headers = {
            "Accept-Language": "de",
            "Accept": "text/html",
            "Content-Type": "application/json",
        }
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self._base + path, data, headers)  # noqa: S310 - our own page
        try:
            answer = self._opener.open(request, timeout=PATIENCE_S)
        except HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.headers.get_content_type(), answer.read()

    def wait_for(self, path):
        until(lambda: self.ask(path)[0] == 200, COACH_PATIENCE_S)


@pytest.fixture(scope="module")
def folder():
    """A folder whose name the health page shows."""
    with TemporaryDirectory(prefix="tablett") as folder:
        yield folder


@pytest.fixture(scope="module")
def server(folder):
    options = PlayOptions(
        camera="sim", host="127.0.0.1", port=0, state=folder, seed=3, roll_s=0.3, still_s=0.2
    )
    with serving(options) as (companion, server):
        while companion.snapshot().camera is None:
            companion.wait(companion.snapshot().version, 5)
        companion.do(StartMatch(("Anna", "Ben")))
        for dice in ((1, 1, 1, 2, 3, 4), (2, 3, 3, 4, 6, 6), (1, 1, 1, 5, 5, 5)):
            companion.do(EnterThrow(dice))
            if dice[0] == 1:
                companion.do(Bank())
        companion.do(RecordEvent(ScoreSet(0, 20_000)))
        companion.do(StartMatch(("Anna", "Ben")))
        companion.do(EnterThrow((1, 1, 1, 2, 3, 4)))
        yield server


OPTIONS_OF_THE_OVERLAY = (
    "size, place, show, background",
    "bottom-left, bottom, bottom-right, top-left, top, top-right",
    "all, turn, scores",
)
"""Parts of an address, which are the same in every language."""


@pytest.mark.parametrize("holds", [False, True], ids=["guest", "holder"])
def test_no_page_shows_english_to_a_german_phone(server, holds):
    phone = GermanPhone(server, holds=holds)
    for path in ("/api/v1/players", "/api/v1/matches/1/review"):  # worked out in the background
        phone.wait_for(path)
    left = {path: english_left(told, "de") for path, told in pages(phone, server.app)}

    left["/overlay"] -= set(re.findall(r"\w+", " ".join(OPTIONS_OF_THE_OVERLAY)))
    assert len(left) > 15
    assert {path: words for path, words in left.items() if words} == {}


def pages(phone, app):
    """Yield each page with the words that it shows, reads out or passes to its scripts."""
    for route in routes(app):
        method, _, path = route.partition(" ")
        if method == "GET" and not ENDLESS.search(path) and not path.startswith("/api/"):
            _, kind, data = phone.ask(filled(path))
            if kind in ("text/html", "image/svg+xml"):
                yield path, without_names(told(data.decode()))


def told(page):
    for_scripts = (json.loads(html.unescape(found[1])) for found in FOR_SCRIPTS.findall(page))
    words = chain(SPOKEN.findall(page), chain.from_iterable(map(texts, for_scripts)))
    return html.unescape(f"{NO_TEXT.sub(' ', page)} {' '.join(words)}")


def texts(value):
    """Return the texts passed to scripts, without their keys."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts(part)]


def without_names(text):
    flat = " ".join(text.split())
    for name in reversed(NAMES):
        flat = flat.replace(name, " ")
    return flat
