"""The scorekeeper and watchers, on two phones in real Chromium."""

import json
import re

import pytest
from playwright.sync_api import expect

from game.commands import Bank, EnterThrow, StartMatch
from tests.browser import ON_TOP, PHONE, never_late
from tests.web.conftest import make_app
from web.app import new_link
from web.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def server(table):
    """A server without a scorekeeper."""
    table.do(StartMatch(("Anna", "Ben")))
    table.show(simulated=False, camera="usb:0")
    with Server(make_app(table, holder=""), "127.0.0.1", 0) as server:
        yield server


@pytest.fixture
def new_phone(browser, server):
    """Open the page on one more phone; `link` is appended to the address."""
    contexts, errors = [], []

    def open_phone(link=""):
        contexts.append(browser.new_context(viewport=PHONE, has_touch=True))
        never_late(contexts[-1])
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.port}/{link}")
        return page

    yield open_phone
    for context in contexts:
        context.close()
    assert errors == []


def expect_scorekeeper(phone):
    expect(phone.locator("html.holder")).to_be_attached()


def test_watcher_asks_and_becomes_the_scorekeeper_by_a_press(new_phone, table):
    anna, ben = new_phone(), new_phone()
    expect(anna.locator("#bank")).to_be_hidden()
    anna.locator("#ask").tap()
    expect(anna.get_by_text("Press the button at the tray now")).to_be_visible()
    expect(ben.get_by_text("Press the button at the tray to agree")).to_be_visible()
    table.scorekeeper.press_button()

    expect_scorekeeper(anna)
    expect(anna.locator("#asking")).to_be_hidden()
    expect(anna.locator("#bank")).to_be_visible()
    expect(ben.locator("#bank")).to_be_hidden()


def test_two_taps_on_ask_are_one_request_of_one_phone(new_phone, table):
    """The dialog that opens shows the same button until the answer arrives."""
    anna = new_phone()
    asked = []
    anna.route("**/scorekeeper/ask", lambda route: (asked.append(route.request), route.continue_()))
    anna.evaluate("document.querySelectorAll('[data-scorekeeper]').forEach((each) => each.click())")
    expect(anna.get_by_text("Press the button at the tray now")).to_be_visible()
    table.scorekeeper.press_button()

    expect_scorekeeper(anna)
    assert len(asked) == 1


def test_scorekeeper_is_asked_on_the_phone_and_hands_over(new_phone, server):
    anna = new_phone(new_link(server.app))
    expect_scorekeeper(anna)
    assert "scorekeeper=" not in anna.url
    ben = new_phone()
    ben.locator("#ask").tap()
    expect(ben.locator("[data-for=holder]")).to_be_visible()
    anna.locator("#scorekeeper-give").tap()

    expect_scorekeeper(ben)
    expect(anna.locator("#ask")).to_be_visible()


def test_scorekeeper_is_asked_on_other_pages_too(new_phone, server):
    anna, ben = new_phone(new_link(server.app)), new_phone()
    expect_scorekeeper(anna)
    anna.goto(f"http://127.0.0.1:{server.port}/rules")
    anna.locator("[data-menu]").tap()
    expect(anna.locator("#show-pin")).to_be_visible()
    expect(anna.locator("#own-turn")).to_be_hidden()  # only the board shows this setting
    anna.get_by_role("button", name="Done").tap()
    anna.locator("#search-rules").focus()
    ben.locator("#ask").tap()
    expect(anna.locator("#hand-over-title")).to_be_focused()  # a key for the search answers nothing
    expect(anna.locator("[data-settling]")).to_have_count(0)
    anna.locator("#hand-over").get_by_text("Hand over").tap()

    expect_scorekeeper(ben)
    expect(anna.locator("html.watcher")).to_be_attached()


def test_page_knows_what_players_may_do_in_their_own_turns(client):
    own = re.search(r"data-own='([^']*)'", client.get("/").text)[1]

    assert {"/api/v1/not-a-die", "/api/v1/bank"} < set(json.loads(own))
    assert "/api/v1/undo" not in json.loads(own)


def test_asking_on_the_health_page_says_how(new_phone):
    phone = new_phone("health")
    phone.locator("[data-menu]").tap()
    phone.locator("#menu [data-scorekeeper]").tap()
    phone.wait_for_timeout(500)

    expect(phone.get_by_text("Press the button at the tray now")).to_be_visible()


def test_tap_of_a_watcher_changes_nothing_and_offers_to_ask(new_phone, table):
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    watcher = new_phone()
    watcher.locator(".keep").first.tap()

    expect(watcher.locator("#asking")).to_be_visible()
    assert table.match.state.turn.last.keep is None


@pytest.fixture
def opening(new_phone, server):
    """Open a phone with a link whose answer, like the stream, is held back. Return it and the requests."""

    def opened(link):
        phone, held = new_phone("rules"), {}
        for path in ("**/api/v1/scorekeeper/link", "**/live"):
            phone.route(
                path, lambda route: held.update({route.request.url.rpartition("/")[2]: route})
            )
        with phone.expect_request("**/api/v1/scorekeeper/link"):
            phone.goto(f"http://127.0.0.1:{server.port}/{link}")
        return phone, held

    return opened


def test_tap_waits_until_the_link_is_accepted(opening, server, table):
    """The tap counts even if the stream has not yet said who the scorekeeper is."""
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    phone, held = opening(new_link(server.app))
    phone.locator(".keep").first.tap()
    assert not phone.locator("#asking").is_visible()
    assert table.match.state.turn.last.keep is None
    expect(phone.locator("#toast")).to_be_empty()
    with phone.expect_response("**/api/v1/keep"):
        held["link"].continue_()

    expect_scorekeeper(phone)
    expect(phone.locator("#asking")).to_be_hidden()
    assert table.match.state.turn.last.keep.dice == (1, 1, 3, 3, 3, 5)
    held["live"].continue_()
    expect(phone.locator(".keep").first).to_have_attribute("aria-pressed", "true")


def test_tap_offers_to_ask_once_the_link_is_refused(opening, table):
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    phone, held = opening("#scorekeeper=used-up")
    phone.locator(".keep").first.tap()
    phone.locator(".keep").first.tap()
    assert not phone.locator("#asking").is_visible()
    held["link"].continue_()

    expect(phone.locator("#asking")).to_be_visible()
    assert table.match.state.turn.last.keep is None


def test_pin_from_the_scorekeepers_phone_works_on_another_phone(new_phone, server, table):
    anna = new_phone(new_link(server.app))
    expect_scorekeeper(anna)
    anna.locator("[data-menu]").tap()
    anna.locator("#show-pin").tap()
    shown = anna.locator("#the-pin")
    expect(shown).to_be_visible()
    anna.get_by_text("Stop keeping score").tap()
    expect(anna.locator("html.watcher")).to_be_attached()
    screen = new_phone()
    screen.locator("#ask").tap()
    screen.locator("#pin").fill(shown.text_content())
    screen.locator("#pin-form button").tap()

    expect_scorekeeper(screen)


def test_pin_that_the_scorekeeper_shows_is_the_agreement(new_phone, server):
    anna = new_phone(new_link(server.app))
    expect_scorekeeper(anna)
    anna.locator("[data-menu]").tap()
    anna.locator("#show-pin").tap()
    expect(anna.locator("#the-pin")).to_be_visible()
    pin = anna.locator("#the-pin").text_content()
    anna.get_by_role("button", name="Done").tap()
    ben = new_phone()
    ben.locator("#ask").tap()
    ben.locator("#pin").fill(pin)
    ben.locator("#pin-form button").tap()

    expect_scorekeeper(ben)
    expect(ben.locator("#asking")).to_be_hidden()
    expect(anna.locator("html.holder")).not_to_be_attached()


def test_watcher_cannot_fill_in_the_form_of_a_new_match(new_phone):
    phone = new_phone("new")
    expect(phone.get_by_role("heading", name="No match yet")).to_be_visible()
    expect(phone.locator("#new-match")).to_be_hidden()


def test_players_own_phone_plays_in_the_own_turn(new_phone, server, table):
    anna, ben = new_phone(new_link(server.app)), new_phone()
    expect_scorekeeper(anna)
    ben.locator("[data-menu]").tap()
    with ben.expect_response("**/api/v1/scorekeeper/sit"):
        ben.locator("#player").select_option("Ben")
    ben.get_by_role("button", name="Done").tap()
    anna.locator("[data-menu]").tap()
    anna.locator("#own-turn").check()
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect(ben.locator("#bank")).to_be_hidden()
    table.do(Bank())
    ben.locator("#press").tap()
    expect(ben.locator("[data-whole^='Waiting']")).to_be_attached()
    table.do(EnterThrow((5, 5, 5, 1, 3, 4)))
    ben.locator("#bank").tap()

    expect(ben.locator(".hero h1")).to_contain_text("Anna")
    assert table.match.state.players[1].score == 600


def test_second_tap_on_bank_opens_no_dialog_once_the_own_turn_is_over(new_phone, server, table):
    """Whether this phone may act is decided when the tap is made, not when it is sent."""
    anna, ben = new_phone(new_link(server.app)), new_phone()
    expect_scorekeeper(anna)
    table.scorekeeper.allow_own_turns(on=True)
    ben.locator("[data-menu]").tap()
    with ben.expect_response("**/api/v1/scorekeeper/sit"):
        ben.locator("#player").select_option("Anna")
    ben.get_by_role("button", name="Done").tap()
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect(ben.locator("html.own-turn")).to_be_attached()
    held = {}
    ben.route("**/api/v1/bank", lambda route: held.update(bank=route), times=1)
    with ben.expect_request("**/api/v1/bank"):
        ben.locator("#bank").tap()
    ben.locator("#bank").tap()
    table.do(Bank())
    expect(ben.locator("html.watcher")).to_be_attached()
    with ben.expect_response(lambda answer: answer.url.endswith("/bank") and answer.status == 403):
        held["bank"].continue_()

    expect(ben.locator("#asking")).to_be_hidden()


def test_taken_player_is_refused_in_the_open_menu(new_phone):
    anna, ben = new_phone(), new_phone()
    for phone in (anna, ben):
        phone.locator("[data-menu]").tap()
        with phone.expect_response("**/api/v1/scorekeeper/sit"):
            phone.locator("#player").select_option("Ben")

    expect(ben.locator("#toast")).to_contain_text("Ben already has another phone")
    assert ben.locator("#toast").evaluate(ON_TOP)
    expect(ben.locator("#player")).to_have_value("")
    ben.get_by_role("button", name="Done").tap()
    expect(ben.locator("body > #toast")).to_be_visible()


def test_refusal_is_shown_only_after_a_request(new_phone, server, table):
    anna, ben = new_phone(new_link(server.app)), new_phone()
    expect_scorekeeper(anna)
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    ben.locator(".keep").first.tap()
    expect(ben.locator("#asking")).to_be_visible()
    expect(ben.get_by_text("The scorekeeper did not agree.")).to_be_hidden()
    ben.locator("#asking").get_by_role("button", name="Ask to keep score").tap()
    expect(ben.locator("[data-for=holder]")).to_be_visible()
    anna.locator("#scorekeeper-keep").tap()

    expect(ben.get_by_text("The scorekeeper did not agree.")).to_be_visible()


def test_two_quick_changes_of_a_setting_are_sent_one_after_the_other(new_phone, server, table):
    anna, seen = new_phone(new_link(server.app)), []
    expect_scorekeeper(anna)
    anna.on("request", lambda request: seen.append(("sent", request.post_data)))
    anna.on("response", lambda answer: seen.append(("answered", answer.request.post_data)))
    off = '{"on":false}'
    with anna.expect_response(lambda answer: answer.request.post_data == off):
        anna.locator("#own-turn").evaluate("box => { box.click(); box.click(); }")

    assert [what for what, body in seen if body] == ["sent", "answered", "sent", "answered"]
    assert not table.snapshot().scorekeeper.own_turn
