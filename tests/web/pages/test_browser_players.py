"""Two, four and six players and teams: what people have to see, at four sizes and in two languages.

Each screen lists what must be visible without scrolling, and neither covered nor cut off.
"""

import pytest
from playwright.sync_api import expect

from tests.web.conftest import PHONE_COOKIE
from tests.web.first_screen import FONTS, parts_out_of_view, set_font
from tests.web.screens import kept, late, left_over, won
from web.access.phone import COOKIE
from web.i18n import LANGUAGES

pytestmark = pytest.mark.browser

SIZES = {
    "small phone": (360, 640),
    "phone": (390, 844),
    "tablet": (820, 1180),
    "television": (1920, 1080),
}
LARGE = ("tablet", "television")

SIX = ("Mama", "Papa", "Bartholomäus", "Emil", "Hannelore-Sophie", "Wilhelmina-Konstantina W")
GROUPS = {
    "two": (SIX[4:], {}),
    "four": (SIX[:4], {}),
    "six": (SIX, {}),
    "teams": (SIX, {"teams": (1, 2, 1, 2, 1, 2)}),
}
"""Names and teams. The longest names that are allowed are among them."""

STRIP = (".strip li", ".strip .badge", ".strip b")
DOCK = (".message", "#undo", "#by-hand")
TURN = (
    *STRIP,
    ".strip .on-turn .who",
    ".hero h1 span",
    ".hero .big",
    ".hero .unit",
    ".caption > span:not(.hint)",
    ".big-dice .slot",
    ".keep.top",
    *DOCK,
    "#press",
    "#bank",
)
LAST_THROW = (".caption > span:not(.hint)", ".big-dice .slot")
WON = (*STRIP, ".hero h1 span", ".hero .big", "#look-back", *DOCK, "#rematch")
STANDINGS = (".standings li", ".standings .name", ".standings .score", *LAST_THROW)
TV = (
    ".tv-turn h1 span",
    ".giant",
    ".tv-players li",
    ".tv-players .name",
    ".tv-players .score",
    ".tv-message",
    ".tv-foot span:first-child",
)
HAND_HELD = ("small phone", "phone", "tablet")
ON_TV = ("/board", LARGE, TV)
SCREENS = {
    kept: (("/", SIZES, TURN), ("/", ["tablet"], (".players li",)), ON_TV),
    late: (("/", SIZES, TURN), ("/board", LARGE, (*TV[:-2], ".tv-highlight", TV[-1]))),
    left_over: (("/board", LARGE, (*TV[:-2], ".tv-turn .unit", ".tv-highlight", TV[-1])),),
    won: (
        ("/", HAND_HELD, (*WON, *STANDINGS)),
        ("/", ["television"], (*WON, ".players li", ".players .score")),
        ON_TV,
    ),
}
"""For each state of the table: the pages, the sizes, and what has to be visible there."""

ROWS = (
    "#names li:not([hidden])",
    "#names li:not([hidden]) .badge",
    "#names li:not([hidden]) .remove",
    "#start",
)
FORMS = {"two": (*ROWS, "[name=target]"), "four": ROWS}
"""What the form for a new match shows. With more players, one scrolls to the target."""

SPILLS = """(dialog) => {
  const edge = dialog.getBoundingClientRect().right;
  const words = document.createRange();
  return [...dialog.querySelectorAll("button, input, select")].filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    words.selectNodeContents(each);
    const text = words.getBoundingClientRect();
    return right > edge || each.matches("button") && (text.left < left + 2 || text.right > right - 2);
  }).map((each) => each.textContent.trim());
}"""
"""JavaScript that returns the controls of a dialog that are cut off, and the buttons that are too narrow for their words."""

TOPS = "sides => sides.map((side) => side.getBoundingClientRect().top)"


def opened(browser, address, language, cookie=PHONE_COOKIE):
    context = browser.new_context(
        viewport={"width": 360, "height": 640}, reduced_motion="reduce", locale=language
    )
    if cookie:
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": address}])
    return context.new_page()


def faults_at(page, sizes, selectors):
    set_font(page, FONTS[0])
    found = {}
    for size in sizes:
        page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
        wrong = parts_out_of_view(page, selectors)
        if size in LARGE and len(set(page.locator(".strip li").evaluate_all(TOPS))) > 1:
            wrong.append("the strip of scores has several lines")
        if wrong:
            found[size] = wrong
    return found


@pytest.fixture
def address(table, serve):
    return f"http://127.0.0.1:{serve(table).port}"


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "de"])
def test_players_see_what_they_need_at_every_size(browser, table, address, language):
    page, wrong = opened(browser, address, language), {}
    for group, (names, options) in GROUPS.items():
        for show, screens in SCREENS.items():
            page.goto("about:blank")  # a page of a match would reload itself when the match is gone
            table.reset()
            show(table, names, **options)
            for path, sizes, selectors in screens:
                page.goto(f"{address}{path}")
                if found := faults_at(page, sizes, selectors):
                    wrong[group, show.__name__, path, *sizes] = found
            if show is kept and group in FORMS:
                page.goto(f"{address}/new")
                if found := faults_at(page, SIZES, FORMS[group]):
                    wrong[group, "new"] = found

    assert wrong == {}


def test_watcher_reads_above_the_dice_who_threw_them_last(browser, table, address):
    won(table, ("Mama", "Wilhelmina-Konstantina W"))
    wrong = {}
    for language in LANGUAGES:
        page = opened(browser, address, language, cookie="")
        page.goto(address)
        expect(page.locator(".caption > span:not(.hint)")).to_contain_text("Wilhelmina")
        found = faults_at(page, SIZES, (".caption > span:not(.hint)", ".message", "#ask"))
        wrong |= {language: found} if found else {}
        page.context.close()

    assert wrong == {}


def test_changes_by_hand_fit_a_small_phone_with_the_longest_name(browser, table, address):
    kept(table, SIX[5:] + SIX[:1])
    wrong = {}
    for language in LANGUAGES:
        page = opened(browser, address, language)
        page.goto(address)
        set_font(page, FONTS[0])
        page.locator("#by-hand").click()
        found = page.locator("#hand").evaluate(SPILLS)
        wrong |= {language: found} if found else {}
        page.context.close()

    assert wrong == {}
