"""The big screen in Chromium updates itself."""

import json
from random import Random
from time import time

import pytest
from playwright.sync_api import expect

from bench.self_play import SelfPlay
from game.match.match import Match
from game.rules import rule_files
from tests.axe import faults
from tests.browser import PHONE
from tests.web.club.conftest import EVENING_S, RULES
from web.club import app as club
from web.pages import scoreboard
from web.server import Server

pytestmark = pytest.mark.browser
SCREEN = {"width": 1920, "height": 1080}


@pytest.fixture
def board(app):
    with Server(app, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.port}"


def send(inbox, tray, entry):
    inbox.on_message(tray, "event", json.dumps(entry.to_json()).encode())


def test_screen_shows_a_throw_as_it_happens(browser, board, inbox):
    page = browser.new_page(viewport=SCREEN)
    page.goto(board)
    expect(page.get_by_text("No tray has connected to the broker yet")).to_be_visible()
    tape = SelfPlay(Match.start(RULES, ["Anna", "<b>Ben</b>"]), "00000000000000aa", EVENING_S)
    inbox.on_message("den", "availability", b"online")
    send(inbox, "den", tape.entries[0])
    tray = page.locator("[data-tray=den]")
    expect(tray.locator(".on-turn .name")).to_have_text("Anna")
    expect(tray).to_contain_text("<b>Ben</b>")
    random = Random(1)
    while tape.match.state.turn.seat == 0:
        send(inbox, "den", tape.play(random))
    expect(tray.locator(".on-turn .name")).to_have_text("<b>Ben</b>")
    inbox.on_message("den", "availability", b"offline")
    expect(tray).to_contain_text("offline")
    page.close()


def test_an_open_screen_loads_the_new_version_once_after_an_update(browser, new_app, monkeypatch):
    page, opened = browser.new_page(viewport=SCREEN), []
    page.on("domcontentloaded", lambda: opened.append(page.url))
    with Server(new_app(), "127.0.0.1", 0) as old:
        page.goto(f"http://127.0.0.1:{old.port}")
        expect(page.locator("#trays")).to_be_visible()
    for user in (club, scoreboard):
        monkeypatch.setattr(user, "build", lambda: "newer")
    with Server(new_app(), "127.0.0.1", old.port):
        expect(page.locator("#board")).to_have_attribute("data-build", "newer")
        with page.expect_response("**/live"):
            page.evaluate("dispatchEvent(new Event('online'))")
    page.close()

    assert len(opened) == 2


def test_won_match_appears_in_tonights_table(browser, board, inbox):
    page = browser.new_page(viewport=SCREEN)
    page.goto(board)
    random = Random(5)
    tape = SelfPlay(Match.start(RULES, ["Anna", "Ben"]), "00000000000000ab", began_s=time())
    send(inbox, "den", tape.entries[0])
    while tape.match.state.winner is None:
        send(inbox, "den", tape.play(random))
    winner = tape.match.state.players[tape.match.state.winner].name
    expect(page.locator("[data-tray=den] .won-line")).to_have_text(f"{winner} wins!")
    expect(page.locator("[data-tray=den] .won-line")).to_be_visible()
    expect(page.locator("#standings tbody tr").first).to_contain_text(winner)
    page.get_by_role("link", name=winner).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(winner)
    page.close()


def test_nine_trays_with_three_players_each_fit_the_screen(browser, board, inbox, trays):
    trays.set_broker(is_connected=True)
    random = Random(2)
    for number in range(9):
        tray = f"tray {number}"
        inbox.on_message(tray, "availability", b"online")
        match = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben", "Jonas"])
        tape = SelfPlay(match, f"{number:016x}", EVENING_S)
        send(inbox, tray, tape.entries[0])
        for _ in range(20 + number):
            send(inbox, tray, tape.play(random))
    page = browser.new_page(viewport=SCREEN)
    page.goto(board)
    boxes = [each.bounding_box() for each in page.locator(".tray").all()]

    assert len(boxes) == 9
    assert max(box["y"] + box["height"] for box in boxes) <= SCREEN["height"]
    page.close()


PAGES = ("", "table", "records", "players/1", "matches/{match}", "tournaments", "nowhere")


def test_no_page_of_the_club_has_a_serious_accessibility_fault(browser, board, inbox, played):
    match_id = played(["Anna", "Ben"], 1).entries[0].match
    inbox.on_message("den", "availability", b"online")
    tape = SelfPlay(Match.start(RULES, ["Anna", "Ben"]), "00000000000000ac", EVENING_S)
    send(inbox, "den", tape.entries[0])
    context = browser.new_context(viewport=PHONE, reduced_motion="reduce", bypass_csp=True)
    page, wrong = context.new_page(), {}
    for path in PAGES:
        answer = page.goto(f"{board}/{path.format(match=match_id)}")
        assert answer.ok or path == "nowhere"
        expect(page.locator("h1, h2").first).to_be_visible()
        wrong |= {path: found} if (found := faults(page)) else {}

    assert wrong == {}


def test_standings_on_a_phone_split_no_name_within_a_word(browser, board, played):
    played(["Bartholomäus", "Oma Gerda", "Mama"], 1)
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.goto(f"{board}/table")
    lines = "names => names.map((each) => [each.textContent, each.getClientRects().length])"
    names = page.locator("table .who a").evaluate_all(lines)
    width = page.evaluate("document.documentElement.scrollWidth")
    page.close()

    assert dict(names) == {"Bartholomäus": 1, "Oma Gerda": 1, "Mama": 1}
    assert width <= 360


def test_steward_merges_two_players_on_a_phone(browser, board, played, steward, people):
    played(["Anna", "Annie"], 1)
    page = browser.new_page(viewport=PHONE)
    page.goto(f"{board}/{steward.link_path}")
    page.goto(f"{board}/players/{people.find('Annie', 't1')}")
    page.get_by_label("Same person as").select_option(label="Anna")
    page.get_by_role("button", name="Merge").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Anna")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.close()
