"""Accessibility: axe-core on every view in both themes, and a match played by keyboard."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from game.commands import Bank, EnterThrow, StartMatch
from game.situation import Choice, Situation
from tests.axe import faults
from tests.browser import PHONE, never_late
from tests.web.conftest import PHONE_COOKIE
from tests.web.screens import felt, photo_of
from web.access.phone import COOKIE
from web.contracts import Photo, PhotoDie

pytestmark = pytest.mark.browser


@pytest.fixture
def address(table, serve):
    return f"http://127.0.0.1:{serve(table).port}/"


@pytest.fixture
def page(browser):
    """A blank page on the phone of the scorekeeper."""
    context = browser.new_context(viewport=PHONE, reduced_motion="reduce", bypass_csp=True)
    never_late(context)
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
    yield context.new_page()
    context.close()


def begin(table):
    table.do(StartMatch(("Anna", "Ben", "Cleo")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    table.do(Bank())
    table.do(EnterThrow((2, 2, 3, 4, 6, 6)))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    throw = table.match.last_throw
    table.album["felt"] = felt()
    table.show(photo=photo_of(throw.dice, index=throw.index))


def doubtful(table):
    begin(table)
    table.album["p1"] = b""
    die = PhotoDie(2, 0.5, 0.5, 0.1, 0.2, 0, "tray", None)
    photo = Photo("p1", 640, 360, (die, replace(die, x=0.7, value=None, problem="cocked")))
    advice = ("The circled die is not flat: throw that die again.",)
    table.show(situation=Situation.ATTENTION, photo=photo, message=advice[0], advice=advice)


def asking(table):
    begin(table)
    choices = (Choice("1", "Yes, Anna banked"), Choice("2", "No"))
    table.show(situation=Situation.QUESTION, question="Did Anna bank 350?", choices=choices)


def won(table):
    table.do(StartMatch(("Anna", "Ben"), target=1000))
    for dice in ((1, 1, 1, 1, 1, 1), (2, 2, 3, 4, 6, 6)):
        table.do(EnterThrow(dice))
        if table.match.state.turn.last:
            table.do(Bank())


@pytest.mark.parametrize(
    "view",
    [lambda table: None, begin, doubtful, asking, won],
    ids=["set up", "match", "doubtful", "question", "won"],
)
def test_scoreboard_has_no_serious_fault(page, table, address, view):
    view(table)
    page.goto(address)

    assert faults(page) == []


@pytest.mark.parametrize("opener", ["[data-menu]", "#by-hand", "#slot-0", "[data-enlarge]"])
def test_dialogs_of_the_scoreboard_have_no_serious_fault(page, table, address, opener):
    begin(table)
    page.goto(address)
    page.locator(opener).first.click()

    assert faults(page) == []


def test_page_of_a_watcher_has_no_serious_fault(page, table, address):
    begin(table)
    page.context.clear_cookies()
    page.goto(address)
    page.locator("#ask").click()

    assert faults(page) == []


def reach(page, locator):
    """Press Tab until an element has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if locator.evaluate("(element) => element === document.activeElement"):
            return
    raise AssertionError(f"{locator} is not reachable by keyboard")


def press(page, selector, key="Enter"):
    """Focus an element, wait until the page accepts presses, and press a key."""
    reach(page, page.locator(selector))
    expect(page.locator("[data-settling]")).to_have_count(0)
    page.keyboard.press(key)


def test_match_is_played_by_keyboard_alone(page, table, address):
    page.goto(address)
    for seat, name in enumerate(("Anna", "Ben")):
        reach(page, page.locator(f"#name-{seat}"))
        page.keyboard.type(name)
    reach(page, page.locator("[name=rules]"))
    page.keyboard.type("Farkle (Walnut")
    expect(page.locator("[name=rules]")).to_have_value("walnut-studiolo")
    reach(page, page.locator("[name=target]"))
    page.keyboard.press("Control+a")
    page.keyboard.type("1000")
    page.keyboard.press("Enter")
    expect(page.locator(".hero h1")).to_contain_text("Anna")

    table.to_throw = [(1, 1, 3, 3, 3, 5)]
    press(page, "#throw-dice")
    expect(page.locator(".message")).to_contain_text("threw")
    press(page, "#slot-0", " ")
    press(page, "#keep-chosen")
    expect(page.locator("#keep-1")).to_have_attribute("aria-pressed", "true")
    press(page, "#undo")
    expect(page.locator("#keep-1")).to_have_attribute("aria-pressed", "false")
    press(page, "#slot-5", " ")
    press(page, "[data-fix='1']")
    expect(page.locator(".hero .big")).to_have_text("1,300")
    press(page, "#bank")

    expect(page.locator(".hero h1")).to_contain_text("Ben")
    assert table.match.state.players[0].score == 1300
    table.to_throw = [(2, 3, 3, 4, 6, 6)]
    press(page, "#throw-dice")
    expect(page.locator(".hero.won h1")).to_contain_text("Anna")
    press(page, "#rematch")
    expect(page.locator(".hero h1")).to_contain_text("Ben")


def spoken(page):
    """Return the role and name of everything that a screen reader reads on the page, in its order."""
    return re.findall(r"""- '?(\w+)(?: "([^"]*)")?""", page.locator("#board").aria_snapshot())


def choose(page, name):
    """Press the first button whose name begins with this, as somebody would who only hears the page."""
    heard = spoken(page)
    buttons = [each for role, each in heard if role == "button"]
    assert all(buttons), buttons  # every button has a name
    found = next(each for each in buttons if each.startswith(name))
    assert "status" in [role for role, _ in heard[: heard.index(("button", found))]]
    expect(page.locator("[data-settling]")).to_have_count(0)
    page.get_by_role("button", name=found, exact=True).first.press("Enter")


def test_match_is_played_in_the_order_of_a_screen_reader(page, table, address):
    table.do(StartMatch(("Anna", "Ben"), target=1000))
    page.goto(address)
    table.to_throw = [(1, 1, 3, 3, 3, 5), (2, 3, 3, 4, 6, 6)]
    choose(page, "Throw")
    expect(page.locator(".hero .big")).to_have_text("550")
    assert spoken(page).index(("heading", "Anna")) < spoken(page).index(
        next(each for each in spoken(page) if each[1].startswith("die 1 of 6"))
    )
    choose(page, "Bank 550")
    expect(page.locator(".hero h1")).to_contain_text("Ben")
    choose(page, "Throw")
    expect(page.locator(".hero h1")).to_contain_text("Anna")
    table.to_throw = [(1, 1, 1, 5, 2, 3), (2, 3, 3, 4, 6, 6)]
    choose(page, "Throw")
    expect(page.locator(".hero .big")).to_have_text("1,050")
    choose(page, "Bank")
    expect(page.locator(".hero h1")).to_contain_text("Ben")
    choose(page, "Throw")

    expect(page.locator(".hero.won h1")).to_contain_text("Anna")
    choose(page, "Rematch")
    expect(page.locator(".hero h1")).to_contain_text("Ben")


def test_message_is_announced_by_a_screen_reader_once(page, table, address):
    begin(table)
    page.goto(address)

    said = page.locator("[role=status]:has(.message)")
    expect(said).to_have_count(1)
    expect(said).to_contain_text(str(table.snapshot().message))
