"""A whole match on a phone in each language: no page that is visited shows English."""

import time
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import expect

from device.app import PlayOptions, serving
from game.situation import Situation
from tests.browser import PATIENCE_MS, open_with_pencil
from tests.campaigns.size import count
from tests.device.test_browser_match import is_let_go
from tests.device.test_german_pages import without_names
from tests.languages import OTHERS, english_left, spoken
from web.app import new_link
from web.i18n.translate import translate

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.campaign]

SMALL = {"width": 360, "height": 640}
ENOUGH = 300
"""Points at which the player banks, so that a match has banks, farkles and hot dice."""

TARGET = count(500, 1_000)

DIALOGS = ("[data-menu]", "#by-hand", "#slot-0", "[data-enlarge]")
PAGES = (
    *("new", "join", "turns", "board", "overlay", "matches", "matches/1", "evening", "players"),
    *("dice", "rules", "rules/zilch", "health", "calibrate", "no-such-page"),
)

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
    """A phone that plays a match and notes the English words that it sees, by page."""

    def __init__(self, page, companion, home, language):
        self.page, self.companion, self.home = page, companion, home
        self.language, self.left = language, {}

    def look(self, where):
        if words := english_left(without_names(self.page.evaluate(SEEN)), self.language):
            self.left[where] = self.left.get(where, set()) | words

    def settled(self):
        """Return the snapshot once nothing is being read, and wait until the page shows it."""
        until_s = time.monotonic() + PATIENCE_MS / 1000
        while (snapshot := self.companion.snapshot()).situation is Situation.WAITING:
            assert time.monotonic() < until_s, snapshot
            self.companion.wait(snapshot.version, 1)
        with spoken(self.language):
            message = str(translate(snapshot.message))
        expect(self.page.locator("#message")).to_contain_text(message)
        return snapshot

    def visit(self, *paths):
        for path in paths:
            self.page.goto(f"{self.home}{path}")
            self.page.wait_for_load_state("networkidle")
            self.look(path)

    def open_dialogs(self):
        for opener in DIALOGS:
            self.page.locator(opener).first.click()
            self.look(opener)
            self.page.keyboard.press("Escape")

    def set_up(self):
        for seat, name in enumerate(("Anna", "Ben")):
            self.page.locator(f"#name-{seat}").fill(name)
        self.page.locator("[name=target]").fill(str(TARGET))
        self.look("set up")
        self.page.locator("#start").click()
        expect(self.page.locator(".hero h1")).to_contain_text("Anna")

    def throw(self):
        """Throw, press and answer until a throw has been accepted."""
        with self.page.expect_response("**/throw"):
            self.page.locator("#throw-dice").click()
        self.look("rolling")
        with self.page.expect_response(is_let_go):
            self.page.locator("#tray-button").click()
        snapshot = self.settled()
        self.look(str(snapshot.situation))
        if snapshot.choices:
            self.page.locator("#choice-1").click()
            self.settled()

    def play(self):
        """Play until somebody has won, and open every dialog at the second throw."""
        throws = 0
        while self.companion.snapshot().match.state.winner is None:
            self.throw()
            throws += 1
            if throws == 2:
                self.open_dialogs()
            state = self.companion.snapshot().match.state
            points = state.turn.at_risk if state.turn.last else 0
            if points >= ENOUGH and not state.bank_refusal():
                self.page.locator("#bank").click()
                expect(self.page.locator("#bank")).not_to_have_attribute("data-busy", "")
                self.settled()
                self.look("banked")
        expect(self.page.locator("#rematch")).to_be_visible()
        self.look("won")


@pytest.fixture
def folder():
    """A folder without English words in its name, which the health page shows."""
    with TemporaryDirectory(prefix="tablett") as folder:
        yield folder


@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", OTHERS)
def test_a_match_from_start_to_end_shows_no_english(browser, folder, language):
    options = PlayOptions(
        camera="sim", host="127.0.0.1", port=0, state=folder, seed=8, roll_s=0.3, still_s=0.2
    )
    page = browser.new_page(viewport=SMALL, locale=language, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE_MS)
    with serving(options) as (companion, server):
        while companion.snapshot().camera is None:
            companion.wait(companion.snapshot().version, 5)
        home = f"http://127.0.0.1:{server.port}/"
        open_with_pencil(page, home + new_link(server.app))
        walk = Walk(page, companion, home, language)
        walk.set_up()
        walk.play()
        walk.visit(*PAGES)
        page.close()

    assert walk.left == {}
