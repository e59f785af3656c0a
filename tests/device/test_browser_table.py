"""A table as people see it: a phone that plays, one that watches, and the board for the room.

Every tap is counted, and made only where a thumb would find its target without scrolling.
"""

import pytest
from playwright.sync_api import expect

from game.commands import StartMatch
from game.rules import rule_files
from game.situation import Situation
from tests.browser import ON_TOP, open_as_scorekeeper
from tests.device.rig import open_rig
from tests.device.test_browser_match import is_let_go
from tests.waiting import until
from tests.web.first_screen import FONTS, layout_faults, set_font
from web.app import create_app, new_link
from web.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SMALL = {"width": 360, "height": 640}
ROOM = {"width": 1920, "height": 1080}
THROW = (1, 1, 3, 3, 3, 5)


class Thumb:
    """Taps on a page and counts the taps; it never scrolls."""

    def __init__(self, page):
        self.page, self.taps = page, 0

    def tap(self, selector):
        target = self.page.locator(selector).first
        expect(target).to_be_visible()
        expect(self.page.locator("[data-settling]")).to_have_count(
            0
        )  # a button that has just changed accepts no tap
        until(lambda: target.evaluate(ON_TOP), said=lambda: f"{selector} is not in view")
        target.click()
        # The tap may have opened another page.
        self.page.wait_for_function("() => scrollY === 0")
        self.taps += 1

    def taken(self):
        """Taps since the last call."""
        taps, self.taps = self.taps, 0
        return taps


@pytest.fixture
def rig(tmp_path):
    with open_rig(tmp_path, seed=51) as rig:
        yield rig


@pytest.fixture
def table(rig, browser):
    """The scorekeeper's phone, a watching phone, and the board."""
    app = create_app(
        rig.companion,
        rules=(rule_files.load("walnut-studiolo"),),
        scorekeeper=rig.companion.scorekeeper,
    )
    errors = []

    def open_page(address, size, link=""):
        page = browser.new_page(viewport=size, reduced_motion="reduce")
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        if link:
            open_as_scorekeeper(page, address + link)
        else:
            page.goto(address)
        return page

    rig.companion.do(StartMatch(("Anna", "Bartholomäus")))
    rig.step()
    with Server(app, "127.0.0.1", 0) as server:
        home = f"http://127.0.0.1:{server.port}/"
        holder = open_page(home, SMALL, new_link(app))
        rig.step()
        expect(holder.locator("html.holder")).to_be_attached()
        yield holder, open_page(home, SMALL), open_page(f"{home}board", ROOM)
    assert errors == []


def shown_everywhere(pages, points):
    """Check that all three show the points at risk completely without scrolling, in both fonts."""
    holder, watcher, board = pages
    for page in (holder, watcher):
        expect(page.locator(".hero .big")).to_have_text(points)
    expect(board.locator(".giant")).to_have_text(points)
    needed = {
        holder: (".strip", ".big-dice", ".keep.top", "#bank"),
        watcher: (".strip", ".big-dice"),
        board: (),
    }
    for page, selectors in needed.items():
        for font in FONTS:
            set_font(page, font)
            found = {} if page is board else layout_faults(page, selectors)
            assert found == {}, font
    assert board.evaluate("document.documentElement.scrollWidth") <= ROOM["width"]
    assert board.locator(".giant").evaluate("giant => giant.scrollWidth <= giant.clientWidth")


def test_a_turn_takes_few_taps_and_shows_on_every_screen(rig, table):
    holder, watcher, board = table
    thumb = Thumb(holder)
    rig.tray.throw_all(THROW)
    rig.wait_s(0.5)
    with holder.expect_response(is_let_go):
        thumb.tap("#tray-button")
    rig.settled()
    shown_everywhere(table, "550")
    thumb.tap("#bank")
    for page in (holder, watcher):
        expect(page.locator(".hero h1")).to_contain_text("Bartholomäus")
        expect(page.locator(".highlight")).to_contain_text("Anna is on the board")
    expect(board.locator(".tv-highlight")).to_contain_text("Anna is on the board")
    assert thumb.taken() + 1 == 3  # with simulated dice, the throw is a tap as well

    thumb.tap("#undo")
    shown_everywhere(table, "550")
    assert thumb.taken() == 1

    before = holder.locator(".photo img").get_attribute("src")
    thumb.tap("#slot-5")
    thumb.tap("[data-fix='1']")
    shown_everywhere(table, "1,300")
    assert thumb.taken() == 2
    expect(watcher.locator(".photo img")).not_to_have_attribute("src", before)
    thumb.tap("#undo")
    expect(holder.locator(".photo img")).to_have_attribute("src", before)
    thumb.taken()

    thumb.tap("#by-hand")
    thumb.tap("#hand [name=score]")
    holder.keyboard.type("4500")
    thumb.tap("#hand [data-submit$='/score'] button")
    expect(watcher.locator(".strip")).to_contain_text("4,500")
    assert thumb.taken() == 3


def test_a_rematch_takes_one_tap(rig, table):
    holder, watcher, _ = table
    holder.goto(holder.url.partition("#")[0] + "new")
    thumb = Thumb(holder)
    thumb.tap("#start")

    expect(holder.locator(".hero h1")).to_contain_text("Anna")
    expect(watcher.locator(".message")).to_contain_text("New match")
    assert thumb.taken() == 1


def test_a_watcher_gets_no_instructions_for_players(rig, table):
    _, watcher, _ = table
    rig.throw(*THROW)
    expect(watcher.locator(".hero .big")).to_have_text("550")

    words = watcher.locator("body").inner_text().lower()
    assert "tap to keep" not in words
    assert watcher.locator("#bank").is_hidden()


MATCH = (
    THROW,
    (1, 1, 1, 2, 3, 5),
    (2, 2, 3, 4, 6, 6),
    (2, 3, 3, 4, 4, 6),
    (2, 3, 5, 5, 5, 6),
    (1, 1, 3, 3, 3, 4),
    (2, 2, 3, 3, 4, 6),
)
"""Anna and Bartholomäus in turn: on the board both, a farkle each, and the last round after he is over the target."""


def well_shown(pages, selectors):
    """Check that nothing is hidden, cut, split or too large on the phones, in both fonts."""
    for page in pages[:2]:
        for font in FONTS:
            set_font(page, font)
            assert layout_faults(page, selectors) == {}, font


def test_two_phones_and_the_board_show_a_match_from_the_first_throw_to_the_winner(rig, table):
    """The camera reads each throw, and a thumb that never scrolls banks."""
    holder, watcher, board = table
    rig.companion.do(StartMatch(("Anna", "Bartholomäus"), target=1500))
    thumb = Thumb(holder)
    for dice in MATCH:
        name = rig.state.player.name
        rig.tray.throw_all(dice)
        rig.wait_s(0.5)
        with holder.expect_response(is_let_go):
            thumb.tap("#tray-button")
        if rig.settled().situation is Situation.ATTENTION:
            rig.press_until_read()
        if rig.state.keeps:
            shown_everywhere(table, f"{rig.state.keeps[0].score:,}")
            with holder.expect_response("**/bank"):
                thumb.tap("#bank")
        elif rig.state.winner is None:
            for page in (holder, watcher):
                expect(page.locator(".highlight")).to_contain_text(name)
        well_shown(table, (".strip", ".hero h1", ".message"))

    assert rig.state.winner == 1
    for page in (holder, watcher):
        expect(page.locator(".hero h1")).to_contain_text("Bartholomäus wins")
    expect(board.locator(".tv-turn.won h1")).to_have_text("Bartholomäus wins")
    expect(board.locator(".tv-message")).to_contain_text("Comeback: Bartholomäus was")
