"""What one needs is on the first screen: measured in real Chromium, screen by screen, in two fonts.

The list of screens by size is `tests.web.screens`.
"""

import pytest
from playwright.sync_api import expect

from tests.browser import PATIENCE_MS
from tests.web.conftest import PHONE_COOKIE
from tests.web.first_screen import FONTS, eyesores, put_on
from tests.web.screens import SCREENS, thrown
from web.access.phone import COOKIE

pytestmark = pytest.mark.browser

SIZES = {
    "small phone": (360, 640),
    "phone": (390, 844),
    "on its side": (640, 360),
    "tablet": (768, 1024),
    "laptop": (1280, 800),
}


@pytest.fixture
def open_page(browser, table, serve):
    """A page of this size at the table, in this font."""
    port = serve(table).port

    def page(size, font, **options):
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **options
        )
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
        opened = context.new_page()
        opened.goto(f"http://127.0.0.1:{port}/")
        put_on(opened, font)
        return opened

    return page


@pytest.mark.parametrize("name", SCREENS)
def test_what_one_plays_with_is_seen_without_scrolling(open_page, table, name):
    screen = SCREENS[name]
    screen.show(table, screen.names)
    page = open_page((360, 640), FONTS[0])
    faults = {}
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for font in FONTS:
            put_on(page, font)
            if wrong := eyesores(page):
                faults[size, font] = wrong

    assert faults == {}


@pytest.mark.parametrize("name", ["thrown", "kept", "last round", "eight"])
def test_german_words_fit_as_well(open_page, table, name):
    SCREENS[name].show(table, SCREENS[name].names)
    page = open_page((360, 640), FONTS[0], locale="de")

    assert eyesores(page) == {}


@pytest.mark.parametrize("name", SCREENS)
def test_text_of_twice_the_size_needs_no_scrolling_sideways(open_page, table, name):
    SCREENS[name].show(table, SCREENS[name].names)
    page = open_page((360, 640), FONTS[0])
    page.evaluate("document.documentElement.style.fontSize = '200%'")

    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_status_is_one_line_for_a_usual_throw(open_page, table):
    thrown(table, ("Anna", "Ben"))
    page = open_page((390, 844), FONTS[1])

    line = page.locator(".message")
    assert len(line.inner_text()) <= 40
    expect(line).to_be_in_viewport(ratio=1)


def test_the_photo_is_enlarged_by_a_tap(open_page, table):
    thrown(table)
    page = open_page((360, 640), FONTS[0])
    page.locator("[data-enlarge]").click()

    box = page.locator("#enlarged img").bounding_box()
    assert box["width"] > 300
    page.locator("#enlarged [data-close]").click()
    expect(page.locator("#enlarged")).to_be_hidden()
