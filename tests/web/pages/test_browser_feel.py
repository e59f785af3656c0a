"""Sounds, announcer, vibration and celebration in Chromium, with every effect recorded."""

import json

import pytest
from playwright.sync_api import expect

from game.commands import Bank, EnterThrow, Rematch, SetJustDice, StartMatch
from game.situation import Situation
from tests.browser import PHONE
from tests.web.conftest import PHONE_COOKIE
from web.access.phone import COOKIE

pytestmark = pytest.mark.browser

COUNT = """
window.done = [];
window.SpeechSynthesisUtterance = class { constructor(words) { this.words = words; } };
Object.defineProperty(window, "speechSynthesis", { value: { cancel() {}, speak(said) { done.push("said: " + said.words); } } });
navigator.vibrate = () => { done.push("buzz"); return true; };
const real = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { done.push("tone"); return real.call(this); };
"""


NOTE_CONFETTI = """new MutationObserver(() => {
  if (document.querySelector(".confetti")) done.push("confetti");
}).observe(document.body, { childList: true })"""
"""JavaScript that notes when confetti appears, which is gone again soon."""


@pytest.fixture
def open_phone(browser, table, serve):
    contexts = []
    port = serve(table).port

    def phone(motion="no-preference", path=""):
        context = browser.new_context(viewport=PHONE, has_touch=True, reduced_motion=motion)
        context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
        context.add_init_script(COUNT)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/{path}")
        return page

    yield phone
    for context in contexts:
        context.close()


@pytest.fixture
def begun(table):
    table.do(StartMatch(("Anna", "Ben")))
    return table


def done(page):
    return page.evaluate("done")


def throw(table, page):
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect(page.locator(".hero .big, .giant")).to_have_text("1,000")


def test_all_effects_are_off_at_first(begun, open_phone):
    page = open_phone()
    throw(begun, page)

    assert done(page) == []


def test_effects_that_are_switched_on_happen_and_stay_on(begun, open_phone):
    page = open_phone()
    page.locator("[data-menu]").tap()
    for name in ("sounds", "caller", "buzz"):
        page.locator(f"#feel [name={name}]").check()
    page.locator("#menu [data-close]").tap()
    page.evaluate("done.length = 0")
    throw(begun, page)

    assert set(done(page)) == {"tone", "buzz", f"said: {begun.snapshot().message}"}
    page.reload()
    expect(page.locator("#feel [name=caller]")).to_be_checked()


def test_opening_the_page_is_silent(begun, open_phone):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page = open_phone()
    page.evaluate("localStorage.setItem('traykeeper-feel', '{\"caller\": true}')")
    page.reload()
    expect(page.locator(".hero .big")).to_have_text("1,000")
    page.wait_for_timeout(300)

    assert done(page) == []


def test_event_is_announced_once_despite_later_messages(begun, open_phone):
    begun.show(simulated=False, camera="usb:0")
    page = open_phone()
    page.evaluate("localStorage.setItem('traykeeper-feel', '{\"buzz\": true, \"caller\": true}')")
    page.reload()
    begun.do(EnterThrow((2, 3, 3, 4, 6, 6)))
    for situation, said in (
        (Situation.WAITING, "Waiting for the dice"),
        (Situation.ATTENTION, "A hand"),
        (Situation.WAITING, "Waiting again"),
    ):
        begun.show(situation=situation, message=said)
        expect(page.locator(".message")).to_have_attribute("data-whole", said)

    assert done(page).count("buzz") == 2  # the farkle, and the question
    assert done(page)[-1] == "said: Waiting again"


def test_throws_without_a_match_are_announced(table, open_phone):
    table.do(SetJustDice(on=True))
    page = open_phone()
    page.evaluate("localStorage.setItem('traykeeper-feel', '{\"buzz\": true, \"caller\": true}')")
    page.reload()
    for dice in ((1, 3, 5), (1, 3, 5)):
        table.do(EnterThrow(dice))
        expect(page.locator(".message")).to_have_attribute(
            "data-whole", str(table.snapshot().message)
        )

    page.wait_for_function("() => done.filter((each) => each === 'buzz').length >= 2")
    page.wait_for_timeout(300)
    assert done(page).count("buzz") == 2


def win(table):
    table.do(StartMatch(("Anna", "Ben"), target=1000))
    table.do(EnterThrow((1, 1, 1, 1, 1, 1)))
    table.do(Bank())
    table.do(EnterThrow((2, 2, 3, 4, 6, 6)))


@pytest.mark.parametrize("path", ["", "board"], ids=["phone", "television"])
def test_win_is_celebrated(begun, open_phone, path):
    page = open_phone(path=path)
    throw(begun, page)
    page.evaluate(NOTE_CONFETTI)
    win(begun)

    page.wait_for_function("() => done.includes('confetti')")
    expect(page.locator(".confetti")).not_to_be_attached()


def test_celebration_ends_when_the_next_match_begins(begun, open_phone):
    page = open_phone()
    throw(begun, page)
    page.evaluate("performance.now = () => 1e12")  # the confetti would fall for years
    win(begun)
    expect(page.locator(".confetti")).to_be_attached()
    begun.do(Rematch())

    expect(page.locator(".confetti")).not_to_be_attached()


def test_nothing_moves_with_reduced_motion(begun, open_phone):
    page = open_phone("reduce")
    throw(begun, page)
    win(begun)
    expect(page.locator(".hero.won")).to_be_visible()

    assert page.locator(".confetti").count() == 0
    assert page.evaluate("document.getAnimations().length") == 0


def test_page_can_be_installed_as_an_app(client):
    manifest = json.loads(client.get("/manifest.webmanifest").text)

    for icon in manifest["icons"]:
        with client.get(icon["src"]) as answer:
            assert answer.mimetype == icon["type"]
    assert manifest["display"] == "standalone"
