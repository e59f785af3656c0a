"""The coach and the pages of past matches in Chromium: they work and are accessible."""

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from game.commands import Bank, EnterThrow, StartMatch
from game.match.match import Match
from tests.axe import faults
from tests.browser import PHONE, never_late
from tests.web.conftest import PHONE_COOKIE, make_app
from tests.web.evening import SHORT, THREE, AtOnce, journal_of, played, reviewed
from tests.web.first_screen import FONTS, set_font
from web.access.phone import COOKIE
from web.contracts import CoachMode
from web.pages import matches
from web.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    begun = Match.start(SHORT, ("Cleo", "Dan")).throw((1, 1, 1, 2, 3)).bank()
    evening = (played(("Anna", "Ben")), played(THREE, rules=SHORT), begun)
    history = journal_of(tmp_path_factory.mktemp("evening"), *evening)
    for n in (1, 2):
        reviewed(history.match(n))  # reviewing several players takes longer than a page may take
    return history


@pytest.fixture
def coach(history):
    return AtOnce(history)


@pytest.fixture
def address(table, history, coach):
    with Server(make_app(table, history=history, coach=coach), "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.port}/"


@pytest.fixture
def page(browser, address):
    context = browser.new_context(viewport=PHONE, reduced_motion="reduce", bypass_csp=True)
    never_late(context)
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": address}])
    errors = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert errors == []


def test_scorekeeper_switches_the_coach_on_and_every_keep_has_figures(page, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 4, 5, 6)))
    page.locator("[data-menu]").click()
    page.locator("#coach-mode").select_option("live")
    page.locator("#menu [data-close]").click()

    expect(page.locator(".figures")).to_have_count(len(table.match.state.keeps))
    expect(page.locator(".tip")).to_be_visible()
    assert faults(page) == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_star_of_the_best_choice_takes_no_line_of_its_own_on_a_small_phone(
    page, table, language
):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    table.advise(CoachMode.LIVE)
    page.set_viewport_size({"width": 360, "height": 640})
    page.set_extra_http_headers({"Accept-Language": language})
    page.reload()
    set_font(page, FONTS[0])
    expect(page.locator(".figures strong")).to_be_visible()
    rows = page.locator(".keeps > ul:first-of-type > li:has(.figures)")
    heights = rows.evaluate_all("rows => rows.map((row) => row.getBoundingClientRect().height)")

    assert len(heights) == 2
    assert heights[0] == heights[1]


def test_review_of_a_turn_has_no_serious_fault(page, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.advise(CoachMode.AFTER)
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    table.do(Bank())

    expect(page.locator(".moments li")).to_have_count(2)
    assert faults(page) == []


def test_result_is_saved_as_a_png(page, address):
    page.goto(f"{address}matches/1")
    with page.expect_download() as download:
        page.locator("#save-card").click()

    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_match_that_cannot_be_resumed_is_reported_on_its_page(page, address):
    page.goto(f"{address}matches/3")
    with page.expect_response("**/matches/3"):  # the page reloads
        page.get_by_role("button", name="Continue this match").click()

    expect(page.locator("#toast")).to_have_text("There is no match 3 here")
    assert page.url == f"{address}matches/3"


def test_new_set_of_dice_is_named_on_the_page(page, address):
    page.goto(f"{address}dice")
    page.locator("[name=name]").last.fill("Ivory")
    page.get_by_role("button", name="Start new statistics").click()

    expect(page.get_by_role("heading", name="Ivory")).to_be_visible()


PLACE = (936, 120)
"""A pixel of the card within the photo of the luckiest throw."""


def test_saved_card_contains_the_photo_of_the_luckiest_throw(page, address, monkeypatch):
    magenta = np.full((360, 640, 3), (255, 0, 255), np.uint8)
    jpeg = cv2.imencode(".jpg", magenta)[1].tobytes()
    monkeypatch.setattr(matches, "picture_of", lambda *_: jpeg)
    page.goto(f"{address}matches/1")
    expect(page.locator("#lucky")).to_be_visible()
    page.wait_for_function("() => document.getElementById('lucky').complete")
    with page.expect_download() as download:
        page.locator("#save-card").click()
    saved = cv2.imread(str(download.value.path()))

    assert saved[PLACE[1], PLACE[0]] == pytest.approx([255, 0, 255], abs=8)


def test_slider_replays_the_match_throw_by_throw(page, address):
    page.goto(f"{address}matches/1")
    expect(page.locator("#replay-says")).to_have_text("Turn 1")
    first = page.locator("#replay-dice .die").count()
    page.locator("#replay-at").focus()
    page.keyboard.press("End")
    scores = page.locator(".legend").first.locator("b").all_inner_texts()

    assert first == 6
    assert page.locator("#replay-who b").all_inner_texts() == scores


def test_result_of_the_coach_does_not_reset_the_replay(page, address, coach):
    coach.ready = False
    page.goto(f"{address}matches/1")
    page.locator("#replay-at").focus()
    page.keyboard.press("End")
    shown = page.locator("#replay").inner_text()
    coach.ready = True

    expect(page.locator(".point")).to_be_visible()
    assert page.locator("#replay").inner_text() == shown
    expect(page.locator("#replay-at")).to_be_focused()


def test_drill_shows_what_each_choice_costs_and_counts_the_right_ones(page, address):
    page.goto(f"{address}practice?name=Anna")
    positions, n_right = page.locator(".drill:has([data-choice])"), 0
    n = positions.count()
    shown = page.locator(".drill:visible")
    expect(shown.locator("b:visible", has_text="costs")).to_have_count(0)
    assert faults(page) == []

    for i in range(n):
        right = shown.locator("[data-right]").first
        wrong = shown.locator("[data-choice]:not([data-right])").first
        chosen = right if i % 2 else wrong
        n_right += i % 2
        chosen.click()
        expect(chosen).to_have_attribute("aria-pressed", "true")
        expect(right.locator("b")).to_have_text("The best choice")
        expect(wrong.locator("b")).to_contain_text("percentage point")
        expect(shown.get_by_text("your choice in the match")).to_be_visible()
        wrong.click()
        expect(shown.locator("[aria-pressed=true]")).to_have_count(1)
        shown.locator("[data-next]").click()

    expect(shown.locator("[data-result]")).to_have_text(f"{n_right} of {n} right")
    assert faults(page) == []
