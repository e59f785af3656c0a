"""Every page of the table in Chromium: accessible, and no wider than a phone.

The pages come from the routes of the app, so a new page is checked without a change here.
"""

import pytest
from playwright.sync_api import expect

from game.match.match import Match
from tests.axe import faults
from tests.browser import PHONE
from tests.web.api.test_health import BAD, GOOD, MemoryMaintainer
from tests.web.api.test_misreads import MemoryMisreads
from tests.web.conftest import PHONE_COOKIE, as_scorekeeper, make_app
from tests.web.evening import SHORT, THREE, AtOnce, journal_of, played, reviewed
from tests.web.first_screen import double_text_faults
from tests.web.guest import ENDLESS, filled, routes
from tests.web.pages.test_browser_appliance import Calibration
from tests.web.screens import won
from web.access.phone import COOKIE
from web.server import Server

pytestmark = pytest.mark.browser

KNOWN = {"/", "/board", "/calibrate", "/dice", "/evening", "/health", "/join", "/matches/1", "/new"}
"""Some pages that the search has to find."""

SMALL = {"width": 360, "height": 640}

IN_TEAMS = Match.start(SHORT, ("Anna", "Ben", "Cleo", "Dan"), teams=[1, 2, 1, 2])


@pytest.fixture
def app(table, tmp_path):
    """An app with every part, a match that has just been won, and matches in the journal."""
    played_in_teams = IN_TEAMS.throw((1, 1, 1, 2, 3)).bank()
    history = journal_of(
        tmp_path, played(("Anna", "Ben")), played(THREE, rules=SHORT), played_in_teams
    )
    for n in (1, 2):
        reviewed(history.match(n))  # reviewing several players takes longer than a page may take
    maintainer = MemoryMaintainer(table)
    maintainer.checks = (GOOD, BAD)
    won(table, ("Anna", "Ben", "Cleo"))
    table.show(join_url="http://traykeeper.local/")
    return make_app(
        table,
        history=history,
        coach=AtOnce(history),
        maintainer=maintainer,
        misreads=MemoryMisreads(),
        calibration=Calibration(),
    )


def pages(app):
    """Return the path of every page, and of one that does not exist."""
    client, found = as_scorekeeper(app), ["/nowhere", "/matches/2", "/matches/3"]
    for route in routes(app):
        method, path = route.split()
        if method == "GET" and not ENDLESS.search(path) and not path.endswith("/sections"):
            path = filled(path)
            with client.get(path) as answer:
                if answer.mimetype == "text/html" and answer.status_code == 200:
                    found.append(path)
    return found


def width_faults(page):
    width = page.evaluate("document.documentElement.scrollWidth")
    tables = page.evaluate(
        "[...document.querySelectorAll('.scrolls')].map((each) => each.scrollWidth - each.clientWidth)"
    )
    return [("width", width)] if width > PHONE["width"] else [("table", px) for px in tables if px]


@pytest.mark.parametrize(
    ("size", "faults_of"),
    [
        (PHONE, (faults, width_faults)),
        pytest.param(SMALL, (double_text_faults,), marks=pytest.mark.long),
    ],
    ids=["usual text", "large text"],
)
def test_every_page_is_accessible_and_fits_a_phone_even_with_large_text(
    browser, app, size, faults_of
):
    paths, wrong = pages(app), {}
    assert set(paths) >= KNOWN
    context = browser.new_context(viewport=size, reduced_motion="reduce", bypass_csp=True)
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
    page = context.new_page()
    with Server(app, "127.0.0.1", 0) as server:
        for path in paths:
            page.goto(f"http://127.0.0.1:{server.port}{path}")
            expect(page.locator("main")).to_be_visible()
            found = [fault for find in faults_of for fault in find(page)]
            wrong |= {path: found} if found else {}

    assert wrong == {}, wrong
