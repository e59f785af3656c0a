"""The page between two throws: no way around a farkle, and no question that traps a table.

Two phones in real Chromium, real HTTP, and a reader that is as slow as the test wants.
"""

import re
from contextlib import contextmanager, nullcontext

import cv2
import pytest
from playwright.sync_api import expect

from game.commands import StartMatch
from game.situation import Situation
from tests.browser import open_as_scorekeeper, wait_before_taps
from tests.device.rig import open_rig
from tests.device.test_browser_match import is_let_go
from tests.throws import THOUSAND
from web.app import create_app, new_link
from web.server import Server

pytestmark = pytest.mark.browser
SMALL = {"width": 360, "height": 640}
MISREAD, CORRECTED = (1, 2, 3, 4, 5, 6), (2, 3, 4, 5, 5, 6)
AGAIN = (2, 3, 5, 6)
HOW_TO_ANSWER = re.compile("^Hold for yes, press to read again$")
BANK = "async () => (await fetch('/api/v1/bank', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'})).json()"


COUNT_PULSES = """globalThis.pulses = 0;
new MutationObserver((changes) => {
  const pulsed = (classes) => (classes || "").split(" ").includes("pulse");
  for (const { target, oldValue } of changes) {
    if (pulsed(target.getAttribute("class")) && !pulsed(oldValue)) globalThis.pulses += 1;
  }
}).observe(document, { subtree: true, attributeFilter: ["class"], attributeOldValue: true });"""
"""JavaScript that counts how often a question begins to pulse, which takes only a second."""


@pytest.fixture
def phones(browser):
    """Open the pages of a table: the scorekeeper's phone, and a player's own phone."""
    contexts = []

    def open_phones(rig):
        app = create_app(rig.companion, scorekeeper=rig.companion.scorekeeper)
        server = Server(app, "127.0.0.1", 0)
        server.start()
        address = f"http://127.0.0.1:{server.port}/"
        contexts.append(server)
        pages = []
        for _ in range(2):
            context = browser.new_context(viewport=SMALL, reduced_motion="reduce", has_touch=True)
            context.add_init_script(COUNT_PULSES)
            contexts.append(context)
            pages.append(context.new_page())
            wait_before_taps(pages[-1])
        holder, player = pages
        open_as_scorekeeper(holder, address + new_link(app))
        rig.step()
        expect(holder.locator("html.holder")).to_be_attached()
        player.goto(address)
        return holder, player

    yield open_phones
    for each in reversed(contexts):
        each.stop() if isinstance(each, Server) else each.close()


def sit_as_anna(rig, holder, player):
    """Let the second phone play Anna's turns."""
    holder.evaluate(
        """() => fetch('/api/v1/scorekeeper/own-turn', {method: 'POST',
        headers: {'Content-Type': 'application/json'}, body: '{"on": true}'})"""
    )
    player.evaluate(
        """() => fetch('/api/v1/scorekeeper/sit', {method: 'POST',
        headers: {'Content-Type': 'application/json'}, body: '{"name": "Anna"}'})"""
    )
    rig.step()
    player.reload()  # the page learns its badge when it is opened
    expect(player.locator("html.own-turn")).to_be_attached()


def press(page):
    with page.expect_response(is_let_go):
        page.locator("#tray-button").click()


def expect_status(page, words):
    """Wait until the visible line of status contains these words."""
    line = page.locator(".message:not(.unseen)")
    expect(line).to_be_visible()
    expect(line).to_contain_text(words, use_inner_text=True)


@contextmanager
def pulsing(page):
    """Check that what is done within the block makes the question pulse."""
    expect(page.locator(".pulse")).to_have_count(0)
    page.evaluate("globalThis.pulses = 0")
    yield
    page.wait_for_function("() => globalThis.pulses > 0")


def test_nothing_is_banked_from_the_press_until_the_throw_is_read(tmp_path, phones):
    with open_rig(tmp_path, seed=51) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        holder, player = phones(rig)
        sit_as_anna(rig, holder, player)
        rig.throw(*THOUSAND)
        for page in (holder, player):
            expect(page.locator("#bank")).to_contain_text("Bank 1,000")
        with holder.expect_response("**/throw"):
            holder.locator("#throw-dice").click()
        expect(player.locator("#bank")).to_have_attribute("aria-disabled", "true")
        assert player.evaluate(BANK)["status"] == 409
        press(holder)
        rig.companion.process_all()
        for page in (holder, player):
            expect(page.locator("#bank")).to_contain_text("Reading…")
            expect(page.locator("#bank")).to_contain_text("The dice are still moving")
            expect(page.locator(".keep").first).to_have_attribute("aria-disabled", "true")
            expect(page.locator(".keeps h2")).to_contain_text("Reading…")
            expect_status(page, "dice")
        player.locator("#bank").tap(force=True)
        expect(player.locator("#toast")).to_contain_text("The dice are still moving")
        assert player.evaluate(BANK)["detail"] == "The dice are still moving."
        assert rig.scores == [0, 0]

        rig.press_until_read()
        while rig.companion.snapshot().situation is Situation.QUESTION:
            rig.hold()
        for page in (holder, player):
            expect(page.locator("[data-why^='The dice are still moving']")).to_have_count(0)
        assert len(rig.state.turn.throws) == 2 or rig.state.turns


def test_a_question_after_a_correction_says_how_to_answer_it(tmp_path, phones):
    """The dice 1 and 5 lie aside, but a person corrected the 1 to a 5."""
    with open_rig(tmp_path, seed=51) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        page, watcher = phones(rig)
        rig.throw(*MISREAD)
        one = rig.state.turn.last.dice.index(1)
        page.locator(f"#slot-{one}").tap()
        page.locator("[data-fix='5']").tap()
        expect(page.locator("#throw .big-dice")).to_have_attribute(
            "data-dice", str(list(CORRECTED))
        )
        page.locator("#throw-dice").tap()
        rig.wait_s(1)
        press(page)
        assert rig.settled().situation is Situation.QUESTION
        question = page.locator(".question.asked h2")
        expect(question).to_contain_text("Was  kept?")
        expect(question.get_by_label("5 5", exact=True)).to_be_visible()
        lying = rig.tray.truth

        expect(page.locator("#does")).to_have_text("Tap: read again Hold: yes")
        for each in (page, watcher):
            expect_status(each, HOW_TO_ANSWER)
        expect(page.locator("#throw-dice")).to_have_attribute("aria-disabled", "true")
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        with pulsing(page):
            page.locator("#throw-dice").tap(force=True)
        expect(question).to_be_in_viewport()
        expect(page.locator("#toast")).to_contain_text("Was 5 5 kept?")
        assert rig.tray.truth == lying

        with pulsing(page):
            press(page)
            assert rig.settled().situation is Situation.QUESTION
        expect_status(page, HOW_TO_ANSWER)
        page.locator("#choice-1").tap()
        expect(page.locator(".question.asked")).to_be_hidden()
        assert len(rig.state.turn.throws) == 2 or rig.state.turns
        expect_status(page, re.compile("."))
        expect(page.locator("#throw-dice")).not_to_have_attribute("aria-disabled", "true")


def test_a_question_after_a_correction_does_not_trap_a_table_with_a_phone_as_the_camera(
    tmp_path, phones
):
    with open_rig(tmp_path, open_camera=None, simulated=False, opened=False) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        page, _ = phones(rig)

        def take(values):
            """Let the phone photograph these dice, which are all that it sees."""
            rig.tray.gather(aside=True)
            rig.tray.throw(values=values)
            rig.clock.now_s += 2
            picture = tmp_path / "dice.jpg"
            cv2.imwrite(str(picture), rig.tray.capture().image)
            with page.expect_file_chooser() as chooser, page.expect_response("**/picture"):
                page.locator("#take-picture").tap()
                chooser.value.set_files(picture)

        take(MISREAD)
        one = rig.state.turn.last.dice.index(1)
        page.locator(f"#slot-{one}").tap()
        page.locator("[data-fix='5']").tap()
        expect(page.locator("#throw .big-dice")).to_have_attribute(
            "data-dice", str(list(CORRECTED))
        )
        for asked_again in (False, True):
            with pulsing(page) if asked_again else nullcontext():
                take(AGAIN)
            expect(page.locator(".question.asked h2")).to_contain_text("thrown or just moved?")
            expect_status(page, re.compile("^Please answer the question$"))
            expect(page.locator("#bank")).to_contain_text("Answer first")
        with pulsing(page):
            page.locator("#bank").tap(force=True)
        page.locator("#choice-1").tap()
        expect(page.locator(".question.asked")).to_be_hidden()

        assert rig.state.turn.last.dice == AGAIN
        expect_status(page, "Anna")
