"""The PIN form and the one-time link, in real Chromium."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser import PHONE
from tests.web.conftest import PHONE as PHONE_BADGE
from tests.web.conftest import HttpClient
from web.app import new_link

pytestmark = pytest.mark.browser


@pytest.fixture
def server(table, serve):
    return serve(table)


@pytest.fixture
def watcher(browser, server):
    context = browser.new_context(viewport=PHONE, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/")
    return page


def test_wrong_pin_shows_an_error_beside_the_field(watcher):
    watcher.locator("[data-menu]").click()
    watcher.locator("#menu [data-scorekeeper]").click()
    watcher.locator("#pin").fill("000000")
    watcher.locator("#pin-form button").click()

    error = watcher.locator("#pin-said")
    expect(error).not_to_be_empty()
    expect(error).to_be_in_viewport(ratio=1)


def test_one_time_link_works_in_an_open_tab(watcher, server, table):
    table.scorekeeper.release()
    link = new_link(server.app)
    watcher.evaluate("link => { location.hash = link; }", link)

    expect(watcher.locator("html.holder")).to_be_attached()
    assert "scorekeeper" not in watcher.url


def test_pin_that_the_scorekeeper_shows_hands_over_at_once(watcher, server, table):
    as_holder = HttpClient(server.port)
    pin = json.load(as_holder.get("/api/v1/scorekeeper/pin"))["pin"]
    watcher.locator("[data-menu]").click()
    watcher.locator("#menu [data-scorekeeper]").click()
    watcher.locator("#pin").fill(pin)
    watcher.locator("#pin-form button").click()

    expect(watcher.locator("html.holder")).to_be_attached()
    assert as_holder.post("/api/v1/scorekeeper/pin", pin=pin).status == 200
    assert not table.scorekeeper.is_held_by(PHONE_BADGE)  # the PIN hands over only once


def test_a_pin_that_never_arrived_stays_in_its_field_and_is_sent_once(watcher):
    sent = []
    watcher.route("**/scorekeeper/pin", lambda route: (sent.append(route), route.abort()))
    watcher.locator("[data-menu]").click()
    watcher.locator("#menu [data-scorekeeper]").click()
    watcher.locator("#pin").fill("123 456")
    for _ in range(3):
        watcher.locator("#pin-form button").click()

    expect(watcher.locator("#pin-said")).to_contain_text("not responding")
    expect(watcher.locator("#pin")).to_have_value("123 456")
    assert len({route.request.headers["idempotency-key"] for route in sent}) == 1
