"""What one needs is on the first screen: measured in real Chromium, screen by screen, in two fonts.

The list of screens by size is `tests.web.screens`.
"""

import pytest
from playwright.sync_api import expect

from tests.browser import PATIENCE_MS
from tests.web.conftest import PHONE_COOKIE
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
FONTS = ("DejaVu Sans", "TeX Gyre Heros, Liberation Sans, Arial")
"""A wide one and a usual one: what fits in both fits on a phone."""

NEEDED = (".strip", ".hero h1", ".big-dice", ".keep.top", ".message", "#bank", "#undo")
PHOTO_PART = 0.3
SPILL_PX = 0.6
"""Of a pixel, what rounding makes."""

MEASURE = """([needed, spill]) => {
  const box = (element) => element.getBoundingClientRect();
  const shown = (element) => element && element.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const dock = document.querySelector(".dock");
  const edge = box(dock).top;
  const hidden = [];
  for (const selector of needed) {
    for (const element of all(selector).slice(0, 1)) {
      const { top, bottom, left, right } = box(element);
      const below = dock.contains(element) ? innerHeight : edge;
      if (top < -spill || bottom > below + spill || left < -spill || right > innerWidth + spill) {
        hidden.push([selector, top, bottom, left, right, below]);
      }
    }
  }
  // Words and numbers that are cut: but for a name with a mark that it goes on.
  const cut = all("h1 span, .big, .unit, .strip b, .keep .score, .primary span, .wide, .needs, .flag, .ends, .tip")
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline"
      && getComputedStyle(element).textOverflow !== "ellipsis")
    .map((element) => element.textContent.trim());
  const over = all(".keep, .primary, .strip li, .hero, .wide").filter((element) => element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.textContent.trim());
  const lines = (element) => Math.round(box(element).height / parseFloat(getComputedStyle(element).lineHeight));
  const split = all(".hero h1 span, .strip .who, .big").filter((element) => lines(element) > 1).map((element) => element.textContent);
  const photo = all(".photo")[0];
  return {
    hidden, cut, over, split,
    sideways: document.documentElement.scrollWidth - innerWidth,
    photo: photo ? box(photo).height / innerHeight : 0,
  };
}"""


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
        opened.evaluate("font => { document.documentElement.style.fontFamily = font; }", font)
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
            page.evaluate("font => { document.documentElement.style.fontFamily = font; }", font)
            found = page.evaluate(MEASURE, [NEEDED, SPILL_PX])
            photo, sideways = found.pop("photo"), found.pop("sideways")
            wrong = {what: which for what, which in found.items() if which}
            if wrong or sideways > 0 or photo > PHOTO_PART + 0.01:
                faults[size, font] = (wrong, sideways, photo)

    assert faults == {}


@pytest.mark.parametrize("name", ["thrown", "kept", "last round", "eight"])
def test_german_words_fit_as_well(open_page, table, name):
    SCREENS[name].show(table, SCREENS[name].names)
    page = open_page((360, 640), FONTS[0], locale="de")
    found = page.evaluate(MEASURE, [NEEDED, SPILL_PX])

    assert (found["hidden"], found["over"], found["sideways"]) == ([], [], 0)


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
