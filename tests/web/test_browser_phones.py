"""Several phones at once: sleep, lost Wi-Fi, ten tabs, a restart in mid-turn. All are right again."""

import pytest
from playwright.sync_api import expect

from game.commands import Bank, StartMatch, TapIn
from tests.browser import PATIENCE_MS, PHONE
from tests.web.conftest import PHONE_COOKIE
from web.access.phone import COOKIE

pytestmark = pytest.mark.browser
RIGHT_MS = 1000
BACK_MS = 10_000
SLEEP = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))"


@pytest.fixture
def new_phone(browser):
    """A phone of its own, which holds the pencil or watches."""
    contexts = []

    def phone(*, holder=False):
        context = browser.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE_MS)
        if holder:
            cookie = {"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}
            context.add_cookies([cookie])
        contexts.append(context)
        return context

    yield phone
    for context in contexts:
        context.close()


def open_page(context, server):
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/")
    return page


@pytest.fixture
def begun(table):
    table.do(StartMatch(("Anna", "Ben")))
    return table


def at_risk(page, points, timeout=RIGHT_MS):
    expect(page.locator(".hero .big")).to_have_text(points, timeout=timeout)


def test_undo_on_one_phone_is_seen_on_the_other(begun, serve, new_phone):
    server = serve(begun)
    anna, ben = open_page(new_phone(holder=True), server), open_page(new_phone(), server)
    begun.do(TapIn((1, 1, 1, 2, 3, 4)))
    at_risk(ben, "1,000")
    anna.locator("#bank").tap()
    expect(ben.locator(".hero h1")).to_contain_text("Ben")
    anna.locator("#undo").tap()

    for page in (anna, ben):
        at_risk(page, "1,000")


def test_a_phone_that_slept_through_a_turn_is_right_within_a_second(begun, serve, new_phone):
    server = serve(begun)
    sleeper, other = open_page(new_phone(holder=True), server), open_page(new_phone(), server)
    sleeper.evaluate(SLEEP % "true")
    begun.do(TapIn((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    begun.do(TapIn((5, 5, 5, 2, 3, 4)))
    at_risk(other, "500")
    sleeper.evaluate(SLEEP % "false")

    at_risk(sleeper, "500")
    expect(sleeper.locator(".hero h1")).to_contain_text("Ben")


def test_a_phone_that_lost_the_wi_fi_says_so_and_is_right_when_it_is_back(begun, serve, new_phone):
    server = serve(begun, heartbeat_s=0.3)
    context = new_phone()
    page = open_page(context, server)
    expect(page.locator(".hero .words")).to_be_visible()
    context.set_offline(True)
    server_side = begun.do(TapIn((1, 1, 1, 2, 3, 4)))
    page.evaluate("dispatchEvent(new Event('online'))")  # tries at once, in vain
    expect(page.locator("#link")).to_have_text("Reconnecting to the table…", timeout=BACK_MS)
    context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")

    at_risk(page, "1,000")
    expect(page.locator("#link")).to_be_hidden()
    assert server_side.version == begun.snapshot().version


def test_ten_tabs_are_each_right_when_they_are_looked_at(begun, serve, new_phone):
    """A tab that nobody sees gives its stream back: a browser has six for all tabs together."""
    server = serve(begun, limit=8)
    context = new_phone(holder=True)
    tabs = []
    for _ in range(10):
        tabs.append(open_page(context, server))
        expect(tabs[-1].locator(".hero .words")).to_be_visible()
        tabs[-1].evaluate(SLEEP % "true")
    begun.do(TapIn((1, 1, 1, 2, 3, 4)))

    for tab in tabs:
        tab.evaluate(SLEEP % "false")
        at_risk(tab, "1,000")
        tab.evaluate(SLEEP % "true")


def test_two_phones_go_on_after_a_restart_in_mid_turn(begun, serve, new_phone):
    server = serve(begun)
    anna, ben = open_page(new_phone(holder=True), server), open_page(new_phone(), server)
    begun.do(TapIn((1, 1, 1, 2, 3, 4)))
    at_risk(ben, "1,000")
    server.stop()
    for page in (anna, ben):
        expect(page.locator("#link")).to_be_visible()
    serve(begun, server.port)
    for page in (anna, ben):
        expect(page.locator("#link")).to_be_hidden(timeout=BACK_MS)
    anna.locator("#bank").tap()

    expect(ben.locator(".hero h1")).to_contain_text("Ben")
    assert begun.match.state.players[0].score == 1000
