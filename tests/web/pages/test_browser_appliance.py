"""Calibration, health and rules in Chromium: accessible, and no wider than a phone."""

from dataclasses import replace
from threading import Event

import pytest
from playwright.sync_api import expect

from game.message import Message
from game.rules.rule_files import names
from tests.axe import faults
from tests.browser import PHONE
from tests.waiting import PATIENCE_S
from tests.web.api.test_calibration import START, MemoryCalibration
from tests.web.api.test_health import BAD, GOOD, MemoryMaintainer
from tests.web.api.test_misreads import MemoryMisreads
from tests.web.conftest import PHONE_COOKIE, make_app
from web.access.phone import COOKIE
from web.contracts import HealthCheck
from web.i18n import LANGUAGES
from web.server import Server

pytestmark = pytest.mark.browser

LONGEST = "de"
"""The language with the longest words."""

STEPS = ("tray", "checks", "parts", "dice", "test", "save")
CHECKS = (
    GOOD,
    BAD,
    HealthCheck(
        Message("power"),
        "warning",
        Message("the power supply is too weak"),
        Message(
            "use the power supply made for this Pi and plug it in directly, without a hub or a thin phone cable"
        ),
    ),
    HealthCheck(Message("heat"), "skipped", Message("this machine cannot measure it")),
)


class Calibration(MemoryCalibration):
    """A calibration with something to show in every step."""

    def __init__(self):
        super().__init__()
        lamp = {"red": True, "green": False, "blue": None}
        self.now = replace(START, parts=replace(START.parts, lamp=lamp, showing="blue"))

    def lamp(self, colour, *, seen):
        return self.now

    def __getattr__(self, name):
        return lambda *_: self.now


@pytest.fixture
def address(table):
    maintainer, corrections = MemoryMaintainer(table), MemoryMisreads()
    maintainer.checks = CHECKS
    corrections.now = replace(corrections.now, on=True, pictures=17, size_bytes=7_400_000)
    table.show(troubles=("The journal was damaged. Check the scores before you play on.",))
    app = make_app(table, maintainer=maintainer, misreads=corrections, calibration=Calibration())
    with Server(app, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.port}/"


def open_page(browser, address, path, **options):
    context = browser.new_context(
        viewport=PHONE, reduced_motion="reduce", bypass_csp=True, **options
    )
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": address}])
    page = context.new_page()
    page.goto(f"{address}{path}")
    return page


def test_dialog_of_the_health_page_has_no_serious_fault(browser, address):
    page = open_page(browser, address, "health")
    page.locator("[data-opens=sure-delete]").click()

    assert faults(page) == []


def test_no_step_of_the_calibration_has_a_serious_fault(browser, address):
    page = open_page(browser, address, "calibrate")
    for i, step in enumerate(STEPS):
        page.locator(f"[data-go='{i}']").click()
        expect(page.locator(f"[data-step={step}]")).to_be_visible()
        expect(page.locator(".busy")).to_have_count(0)  # a waiting button may have low contrast

        assert (step, faults(page)) == (step, [])


def test_health_page_keeps_technical_words_folded_until_somebody_asks(browser, address):
    page = open_page(browser, address, "health")
    fine, bad = (page.locator(f".checks li.{level}").first for level in ("ok", "failed"))

    expect(fine.locator("p")).to_be_hidden()
    for said in bad.locator("p").all():
        expect(said).to_be_visible()
    fine.locator("summary").click()
    expect(fine.locator("p")).to_be_visible()


def test_join_card_is_printed_by_a_button(browser, table, address):
    table.show(join_url="http://traykeeper.local/")
    page = open_page(browser, address, "join")
    page.evaluate("window.print = () => { document.title = 'printed'; }")
    page.locator("#print").click()

    expect(page).to_have_title("printed")
    page.emulate_media(media="print")
    expect(page.locator("#print")).to_be_hidden()
    expect(page.locator(".join-card")).to_be_visible()


def test_buttons_that_wait_say_why(browser, address, monkeypatch):
    gate = Event()

    def slowly(self, _):
        gate.wait(PATIENCE_S)
        return self.now

    monkeypatch.setattr(Calibration, "do", slowly, raising=False)
    page = open_page(browser, address, "calibrate")
    button = page.get_by_role("button", name="Find the corners again")
    button.click()

    expect(button).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#waits")).to_contain_text("still working")
    gate.set()
    expect(page.locator("#waits")).to_be_empty()
    expect(button).not_to_have_attribute("aria-disabled", "true")


RULES = """async (paths) => {
  const width = async (path) => {
    const page = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
    document.querySelector("main").replaceWith(page.querySelector("main"));
    return document.documentElement.scrollWidth;
  };
  const found = [];
  for (const path of paths) found.push([path, await width(path)]);
  return found;
}"""
"""JavaScript that returns the width of the page with the content of each given page."""


@pytest.mark.parametrize(
    "language",
    [pytest.param(each, marks=[] if each == LONGEST else pytest.mark.long) for each in LANGUAGES],
)
def test_pages_fit_a_phone_in_every_language(browser, address, language):
    widths = {}
    page = open_page(browser, address, "", locale=language)
    for path in ("health", "calibrate", "rules/zilch"):
        page.goto(f"{address}{path}")
        expect(page.locator("html")).to_have_attribute("lang", language)
        for i in range(len(STEPS) if path == "calibrate" else 1):
            if path == "calibrate":
                page.locator(f"[data-go='{i}']").click()
            widths[path, i] = page.evaluate("document.documentElement.scrollWidth")
    widths |= dict(page.evaluate(RULES, [f"/rules/{name}" for name in names()]))

    assert len(widths) > len(STEPS) + len(names())
    assert {path: width for path, width in widths.items() if width > PHONE["width"]} == {}
