"""A whole match on phones in three languages: no page that is visited shows English."""

import time
from itertools import cycle
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import expect

from device.app import PlayOptions, serving
from game.situation import Situation
from tests.browser import open_as_scorekeeper, wait_before_taps
from tests.campaigns.size import count
from tests.device.test_browser_match import is_let_go
from tests.device.test_german_pages import without_names
from tests.languages import OTHERS, english_left, spoken
from tests.waiting import PATIENCE_S
from web.app import new_link
from web.i18n import translate

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.long, pytest.mark.campaign]

SMALL = {"width": 360, "height": 640}
ENOUGH = 300
"""Points at which the player banks, so that a match has banks, farkles and hot dice."""

TARGET = count(500, 1_000)

DIALOGS = ("[data-menu]", "#by-hand", "#slot-0", "[data-enlarge]")
PAGES = (
    *("new", "join", "turns", "board", "overlay", "matches", "matches/1", "evening", "players"),
    *("dice", "rules", "rules/zilch", "health", "calibrate", "no-such-page"),
)

TABS = 5
"""Pages that are loaded at once. A browser opens no more than six connections to one server."""

SEEN = """() => {
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (walker.currentNode.parentElement.checkVisibility()) texts.push(walker.currentNode.data);
  for (const name of ["aria-label", "title", "placeholder", "alt"])
    for (const element of document.querySelectorAll(`[${name}]`))
      if (element.checkVisibility()) texts.push(element.getAttribute(name));
  return texts.join("\\n");
}"""
"""JavaScript that returns what the page shows or reads out."""


class Walk:
    """A phone that notes the English words that it sees, by page."""

    def __init__(self, page, home, language):
        self.page, self.home, self.language, self.left = page, home, language, {}

    def look(self, where, page=None):
        seen = (page or self.page).evaluate(SEEN)
        if words := english_left(without_names(seen), self.language):
            self.left[where] = self.left.get(where, set()) | words

    def expect_message(self, message):
        with spoken(self.language):
            text = str(translate(message))
        expect(self.page.locator("#message")).to_contain_text(text)

    def visit(self, *paths):
        for at in range(0, len(paths), TABS):
            tabs = {path: self.page.context.new_page() for path in paths[at : at + TABS]}
            for path, tab in tabs.items():
                tab.goto(f"{self.home}{path}", wait_until="commit")
            for path, tab in tabs.items():
                tab.wait_for_load_state("networkidle")
                self.look(path, tab)
                tab.close()

    def open_dialogs(self):
        for opener in DIALOGS:
            self.page.locator(opener).first.click()
            self.look(opener)
            self.page.keyboard.press("Escape")


class Evening:
    """A match with three phones that share the right to keep score. They act in turn, and all look at each step."""

    def __init__(self, walks, companion):
        self.walks, self.companion, self._turns = walks, companion, cycle(walks)

    def look(self, where):
        for walk in self.walks:
            walk.look(where)

    def settled(self, *, before=None):
        """Return the snapshot once nothing is being read, and wait until every page shows it.

        With `before`, the message of an earlier snapshot, wait until the message has changed.
        """
        until_s = time.monotonic() + PATIENCE_S
        while (
            snapshot := self.companion.snapshot()
        ).situation is Situation.WAITING or snapshot.message == before:
            assert time.monotonic() < until_s, snapshot
            self.companion.wait(snapshot.version, 1)
        for walk in self.walks:
            walk.expect_message(snapshot.message)
        return snapshot

    def set_up(self):
        page = next(self._turns).page
        for seat, name in enumerate(("Anna", "Ben")):
            page.locator(f"#name-{seat}").fill(name)
        page.locator("[name=target]").fill(str(TARGET))
        self.look("set up")
        page.locator("#start").click()
        for walk in self.walks:
            expect(walk.page.locator(".hero h1")).to_contain_text("Anna")

    def throw(self):
        """Throw, press and answer until a throw has been accepted."""
        page = next(self._turns).page
        with page.expect_response("**/throw"):
            page.locator("#throw-dice").click()
        self.look("rolling")
        with page.expect_response(is_let_go):
            page.locator("#tray-button").click()
        snapshot = self.settled()
        self.look(str(snapshot.situation))
        if snapshot.choices:
            page.locator("#choice-1").click()
            self.settled(before=snapshot.message)

    def bank(self):
        page = next(self._turns).page
        before = self.companion.snapshot().message
        page.locator("#bank").click()
        expect(page.locator("#bank")).not_to_have_attribute("data-busy", "")
        self.settled(before=before)
        self.look("banked")

    def play(self):
        """Play until somebody has won, and open every dialog at the second throw."""
        throws = 0
        while self.companion.snapshot().match.state.winner is None:
            self.throw()
            throws += 1
            if throws == 2:
                for walk in self.walks:
                    walk.open_dialogs()
            state = self.companion.snapshot().match.state
            points = state.turn.at_risk if state.turn.last else 0
            if points >= ENOUGH and not state.bank_refusal():
                self.bank()
        for walk in self.walks:
            expect(walk.page.locator("#rematch")).to_be_visible()
        self.look("won")


@pytest.fixture
def folder():
    """A folder without English words in its name, which the health page shows."""
    with TemporaryDirectory(prefix="tablett") as folder:
        yield folder


@pytest.fixture
def table(folder):
    """A running companion and its server, with a camera."""
    options = PlayOptions(
        camera="sim", host="127.0.0.1", port=0, state=folder, seed=8, roll_s=0.3, still_s=0.2
    )
    with serving(options) as (companion, server):
        while companion.snapshot().camera is None:
            companion.wait(companion.snapshot().version, 5)
        yield companion, server


def phones(browser, home, link):
    """Return one phone for each language, all with the cookies of the scorekeeper."""
    found, cookies = [], None
    for language in OTHERS:
        context = browser.new_context(
            viewport=SMALL, locale=language, reduced_motion="reduce", storage_state=cookies
        )
        page = context.new_page()
        wait_before_taps(page)
        if cookies is None:
            open_as_scorekeeper(page, home + link)
            cookies = context.storage_state()
        else:
            page.goto(home)
        expect(page.locator("html.holder")).to_be_attached()
        found.append(Walk(page, home, language))
    return found


@pytest.mark.timeout(600)
def test_a_match_from_start_to_end_shows_no_english(browser, table):
    companion, server = table
    walks = phones(browser, f"http://127.0.0.1:{server.port}/", new_link(server.app))
    evening = Evening(walks, companion)
    evening.set_up()
    evening.play()
    for walk in walks:
        walk.visit(*PAGES)
        walk.page.close()

    assert [(walk.language, walk.left) for walk in walks] == [(each, {}) for each in OTHERS]
