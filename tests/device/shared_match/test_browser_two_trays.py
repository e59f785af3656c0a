"""Two phones in a real browser begin a match at two trays; each shows the other tray's throw with its picture."""

from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from device.app import PlayOptions, serving
from tests.browser import PHONE, open_as_scorekeeper, wait_before_taps
from web.app import new_link

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def open_phone(browser, tmp_path):
    """Start a companion with a simulated tray, and return the scorekeeper's page and how to stop it."""
    errors = []
    with ExitStack() as stack:

        def opened(name):
            options = PlayOptions(
                camera="sim",
                host="127.0.0.1",
                port=0,
                state=str(tmp_path / name),
                roll_s=1.2,
                seed=3,
            )
            _, server = stack.enter_context(serving(options))
            page = browser.new_context(viewport=PHONE, reduced_motion="reduce").new_page()
            wait_before_taps(page)
            page.on("pageerror", lambda error: errors.append(str(error)))
            open_as_scorekeeper(page, f"http://127.0.0.1:{server.port}/{new_link(server.app)}")
            expect(page.locator("html.holder")).to_be_attached()
            return page, server

        yield opened
    assert errors == []


def test_a_throw_at_one_tray_is_shown_at_the_other_with_its_picture(open_phone, browser):
    (host, server), (guest, _) = open_phone("host"), open_phone("guest")
    watcher = browser.new_page(viewport=PHONE)

    host.locator("#name-0").fill("Anna")
    host.locator("#other-tray summary").click()
    host.locator("[data-share=invite]").click()
    code, link = (host.locator(each) for each in (".match-code", ".match-link"))
    invitation = link.inner_text()
    watcher.goto(invitation)
    expect(watcher.locator("main")).to_contain_text("You are invited to a match")
    assert code.inner_text() not in watcher.content()

    guest.locator("#name-0").fill("Ben")
    guest.locator("#other-tray summary").click()
    guest.locator("#invitation").fill(invitation)
    guest.locator("[data-share=join]").click()

    expect(guest.locator(".elsewhere")).to_have_text("It is Anna's turn at the other tray.")
    expect(guest.locator("#throw-dice")).to_be_hidden()
    expect(host.locator("#throw-dice")).to_be_visible()
    with host.expect_response("**/throw"):
        host.locator("#throw-dice").click()
    host.wait_for_timeout(800)  # the dice are rolling
    host.locator("#tray-button").click()
    expect(host.locator(".big-dice .slot").first).to_be_visible()

    picture = guest.locator(".photo img[src^='/api/v1/photo/']")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    expect(guest.locator(".keep")).to_have_count(0)
    expect(host.locator("#roll-again")).to_be_visible()
    expect(guest.locator("#roll-again")).to_be_visible()
    faces = [
        page.locator(".big-dice[data-dice]").get_attribute("data-dice") for page in (host, guest)
    ]
    assert faces[0] == faces[1]

    server.stop()
    expect(guest.locator("#other_tray")).to_contain_text(
        "The other tray is not reachable: the match is waiting."
    )


def test_a_match_in_play_is_set_aside_for_one_at_two_trays(open_phone):
    (host, _), (guest, _) = open_phone("host"), open_phone("guest")
    guest.locator("#name-0").fill("Carl")
    guest.get_by_role("button", name="Start the match").first.click()
    with guest.expect_response("**/throw"):
        guest.locator("#throw-dice").click()
    guest.wait_for_timeout(800)  # the dice are rolling
    guest.locator("#tray-button").click()
    expect(guest.locator(".big-dice .slot").first).to_be_visible()

    host.locator("#name-0").fill("Anna")
    host.locator("#other-tray summary").click()
    host.locator("[data-share=invite]").click()
    host.locator("[data-copy]").click()
    expect(host.locator("[data-copy]")).to_have_text("Copied")
    invitation = host.locator(".match-link").inner_text()
    assert host.evaluate("getSelection().toString()").strip() == invitation
    guest.goto(guest.url.partition("#")[0].rstrip("/") + "/new")
    guest.locator("#name-0").fill("Ben")
    guest.locator("#other-tray summary").click()
    guest.locator("#invitation").fill(invitation)
    guest.locator("[data-share=join]").click()

    expect(guest.locator("#other_tray")).to_contain_text("finish it, or set it aside")
    expect(host.locator(".wait")).to_contain_text("at the other tray: it has to be finished")
    guest.locator("#other_tray a").click()
    guest.locator("[data-set-aside]").click()

    expect(guest.locator(".elsewhere")).to_have_text("It is Anna's turn at the other tray.")
    expect(guest.locator("body")).to_contain_text("You have joined: Anna begins.")
    expect(host.locator("body")).to_contain_text("The other tray has joined: Anna begins.")
    guest.goto(guest.url + "matches")
    expect(guest.locator("main")).to_contain_text("Carl")
