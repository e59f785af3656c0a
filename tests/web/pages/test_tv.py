"""The television board has no controls and fits on screens of any shape."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from device.cameras.roll_clip import ClipFrame, RollClip
from game.commands import Bank, EnterThrow, StartMatch
from game.situation import Situation
from tests.browser import stop_timers
from tests.web.screens import EIGHT, LONGEST, WIDTH, farkled, felt, hot, kept, won
from web.contracts import CoachMode

SCREENS = {
    "tv": (1920, 1080),
    "old tv": (1024, 768),
    "tablet": (820, 1180),
    "portrait": (1080, 1920),
}


@pytest.fixture
def screen(browser, table, serve):
    page = browser.new_page(reduced_motion="reduce")
    page.goto(f"http://127.0.0.1:{serve(table).port}/board")
    yield page
    page.close()


def faults_at_every_size(page):
    """Return what reaches beyond its place on screens of each size."""
    found = {}
    for name, (width, height) in SCREENS.items():
        page.set_viewport_size({"width": width, "height": height})
        if wrong := overflowing(page):
            found[name] = wrong
    return found


def overflowing(page):
    """Return the texts that reach beyond the screen or their own card."""
    return page.evaluate(
        """() => [...document.querySelectorAll('#tv p, #tv h1, #tv li, #tv footer')].filter((each) => {
            const box = each.getBoundingClientRect();
            const card = (each.closest('section, ol, footer') || document.body).getBoundingClientRect();
            return box.right > Math.min(innerWidth, card.right) + 1 || box.bottom > Math.min(innerHeight, card.bottom) + 1;
        }).map((each) => each.className + ': ' + each.textContent)"""
    )


def test_television_board_has_no_controls(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    page = client.get("/board").text

    for control in ("<button", "<input", "<form", "<a ", "<select"):
        assert control not in page


LONG_QUESTION = (
    "1 1 5 were kept, so three dice should have been thrown, but the camera sees four dice. "
    "Was 1 1 kept? Hold the button for yes, or press it to read the dice again."
)


@pytest.mark.browser
def test_everything_fits_on_screens_of_every_size(screen, table):
    expect(screen.locator("h1")).to_have_text("Traykeeper")
    faults = {"no match": faults_at_every_size(screen)}
    for players in (2, 4, 7, 20):
        table.do(StartMatch(tuple(f"A player with a name {n}"[:24] for n in range(players))))
        table.do(EnterThrow((1, 1, 1, 1, 1, 1)))
        expect(screen.locator(".tv-players li")).to_have_count(players)
        expect(screen.locator(".giant")).not_to_have_text("6")
        faults[players] = faults_at_every_size(screen)
    kept(table, ("Mama", "Wilhelmina-Konstantina W"))
    table.show(situation=Situation.QUESTION, question=LONG_QUESTION, message=LONG_QUESTION)
    expect(screen.locator(".tv-message")).to_contain_text("so three dice should have been thrown")
    faults["question"] = faults_at_every_size(screen)
    table.show(situation=Situation.ACCEPTED, question=None)
    hot(table)
    table.advise(CoachMode.LIVE)
    expect(screen.locator(".unit")).to_contain_text("Chance of winning")
    expect(screen.locator(".tv-highlight")).to_contain_text("Hot dice!")
    faults["hot dice"] = faults_at_every_size(screen)

    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.browser
def test_no_name_is_cut_off(screen, table):
    screen.set_viewport_size({"width": 1920, "height": 1080})
    cut = "names => names.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"
    found = []
    for names in (EIGHT, LONGEST):
        table.do(StartMatch(names))
        expect(screen.locator(".tv-players li")).to_have_count(len(names))
        found += screen.locator(".tv-turn h1 span, .tv-players .name").evaluate_all(cut)

    assert found == []


def test_team_has_one_score(client, table):
    table.do(StartMatch(("Anna", "Ben", "Clara", "Dora"), teams=(1, 2, 1, 2)))

    assert "Anna + Clara" in client.get("/board").text


@pytest.mark.browser
def test_board_updates_itself(screen, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    expect(screen.locator(".giant")).to_have_text("550")
    table.do(Bank())

    expect(screen.locator(".tv-turn h1")).to_contain_text("Ben")
    expect(screen.locator(".tv-players .score").first).to_have_text("550")


ROLL = RollClip(tuple(ClipFrame(felt(), n / 15) for n in range(4))).motion_jpeg


def record(table):
    table.album["felt.mjpeg"] = ROLL
    table.show(photo=replace(table.snapshot().photo, has_clip=True))


@pytest.mark.parametrize("special", [hot, farkled])
def test_special_throw_has_a_replay(client, table, special):
    special(table)
    assert "data-roll" not in client.get("/board").text
    record(table)

    assert 'data-roll="/api/v1/photo/felt.mjpeg"' in client.get("/board").text


@pytest.mark.parametrize("other", [kept, won])
def test_other_throws_and_the_last_farkle_of_a_loser_have_no_replay(client, table, other):
    other(table)
    record(table)

    assert "data-roll" not in client.get("/board").text


@pytest.mark.browser
def test_replay_is_shown_once_and_goes(browser, table, serve):
    hot(table)
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.clock.install()
    page.goto(f"http://127.0.0.1:{serve(table).port}/board")
    stop_timers(page)
    record(table)
    replay = page.locator(".tv-roll")
    expect(replay).to_be_visible()
    shown = page.evaluate("document.querySelector('.tv-roll canvas').width")
    page.clock.resume()
    expect(replay).to_be_hidden()
    table.show(step=table.snapshot().step + 1)
    page.wait_for_timeout(500)

    assert replay.is_hidden()
    assert shown == WIDTH
    expect(replay).to_be_hidden()
    assert overflowing(page) == []
    page.close()
