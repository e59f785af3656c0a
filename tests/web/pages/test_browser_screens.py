"""Everything needed to play is on the first screen, measured in Chromium in two fonts.

`tests.web.screens` has the list of screens.
"""

import pytest
from playwright.sync_api import expect

from game.commands import EnterThrow, StartMatch
from tests.web.conftest import PHONE_COOKIE
from tests.web.first_screen import (
    FONTS,
    double_text_faults,
    layout_faults,
    parts_out_of_view,
    set_font,
)
from tests.web.screens import MORE, SCREENS, doubtful, hot, tapped, thrown, won
from web.access.phone import COOKIE
from web.contracts import CoachMode

pytestmark = pytest.mark.browser

EVERY = SCREENS | MORE
SIZES = {
    "small phone": (360, 640),
    "phone": (390, 844),
    "on its side": (640, 360),
    "tablet": (768, 1024),
    "laptop": (1280, 800),
}

BELOW_PX = 32
BELOW_DOCK = "face => face.getBoundingClientRect().bottom > document.querySelector('.dock').getBoundingClientRect().top"


@pytest.fixture
def open_page(browser, table, serve):
    """Open the scoreboard with a given screen size and font."""
    port = serve(table).port

    def page(size, font, **options):
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", **options
        )
        context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
        opened = context.new_page()
        opened.goto(f"http://127.0.0.1:{port}/")
        set_font(opened, font)
        return opened

    return page


def show(page, table, name):
    """Show a screen of the list, as if the page were opened now."""
    address = page.url
    page.goto("about:blank")  # a page of a match would reload itself when the match is gone
    table.reset()
    EVERY[name].show(table, EVERY[name].names)
    page.goto(address)


@pytest.mark.parametrize(
    ("sizes", "fonts"),
    [
        (("small phone", "on its side"), FONTS[:1]),
        pytest.param(SIZES, FONTS, marks=pytest.mark.long),
    ],
    ids=["least room", "every size"],
)
def test_everything_needed_to_play_is_on_the_first_screen(open_page, table, sizes, fonts):
    page = open_page((360, 640), FONTS[0])
    faults = {}
    for name in SCREENS:
        show(page, table, name)
        for size in sizes:
            width, height = SIZES[size]
            page.set_viewport_size({"width": width, "height": height})
            for font in fonts:
                set_font(page, font)
                if wrong := layout_faults(page):
                    faults[name, size, font] = wrong

    assert faults == {}


@pytest.mark.parametrize("language", ["de", "es", "fr"])
def test_translations_fit_on_the_first_screen(open_page, table, language):
    page = open_page((360, 640), FONTS[0], locale=language)
    faults = {}
    for name in ("thrown", "kept", "hot", "last round", "left over", "coached", "eight"):
        show(page, table, name)
        set_font(page, FONTS[0])
        if wrong := layout_faults(page):
            faults[name] = wrong

    assert faults == {}


@pytest.mark.parametrize("language", ["en", "de", "es", "fr"])
def test_the_chance_of_winning_after_hot_dice_is_not_cut(open_page, table, language):
    hot(table)
    table.advise(CoachMode.LIVE)
    page = open_page((360, 640), FONTS[0], locale=language)
    edges = (
        "([note, bar]) => [note.getBoundingClientRect().bottom, bar.getBoundingClientRect().top]"
    )
    bottom, top = page.locator(".hero :is(.note, .bar)").evaluate_all(edges)

    assert bottom <= top + 1


def test_the_head_starts_of_the_next_match_leave_the_last_dice_in_view(open_page, table):
    won(table, head_starts=(250, 500))
    page = open_page((360, 640), FONTS[0])

    assert "Bartholomäus starts with 500." in page.locator(".result").inner_text()
    assert parts_out_of_view(page, ("#look-back", ".big-dice .slot", "#rematch")) == []


LARGE_TEXT_SIZES = ((360, 640), (640, 360), (820, 1180), (1920, 1080))


@pytest.mark.parametrize(
    "screens",
    [("thrown", "eight", "asked"), pytest.param(EVERY, marks=pytest.mark.long)],
    ids=["three screens", "every screen"],
)
def test_everything_is_usable_with_text_of_double_size(open_page, table, screens):
    page = open_page((360, 640), FONTS[0])
    faults = {"set up": wrong} if (wrong := double_text_faults(page)) else {}
    for name in (each for each in screens if each != "set up"):
        show(page, table, name)
        table.show(simulated=name in ("begins", "thrown"))
        for width, height in (
            LARGE_TEXT_SIZES if name in ("thrown", "doubtful") else LARGE_TEXT_SIZES[:1]
        ):
            page.set_viewport_size({"width": width, "height": height})
            page.reload()
            if wrong := double_text_faults(page):
                faults[name, width] = wrong
    for dialog in ("menu", "pad", "hand", "asking"):
        page.evaluate("id => document.getElementById(id).showModal()", dialog)
        if wrong := double_text_faults(page):
            faults[dialog] = wrong
        page.evaluate("id => document.getElementById(id).close()", dialog)

    assert faults == {}


def test_short_name_is_not_split_at_double_text_size(open_page, table):
    page = open_page((360, 640), FONTS[0])
    lines = "names => names.map((each) => Math.round(each.clientHeight / parseFloat(getComputedStyle(each).lineHeight)))"
    found = {}
    for name in ("late", "won"):
        show(page, table, name)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        names = page.locator(".players .name, .turns .name").filter(has_text="Anna")
        found[name] = set(names.evaluate_all(lines)) - {0, 1}

    assert found == {"late": set(), "won": set()}


def test_card_without_a_photo_is_as_high_as_its_dice(open_page, table):
    tapped(table)
    page = open_page((390, 844), FONTS[1])

    card, dice = (page.locator(each).bounding_box() for each in (".throw", ".throw .big-dice"))
    assert card["y"] + card["height"] - dice["y"] - dice["height"] < BELOW_PX


def test_uncertain_die_is_corrected_on_a_phone_in_landscape(open_page, table):
    doubtful(table)
    page = open_page(SIZES["on its side"], FONTS[1])

    for face in range(1, 7):
        expect(page.locator(f"[data-fix='{face}']")).to_be_in_viewport(ratio=1)
    assert page.locator("[data-fix='6']").evaluate(BELOW_DOCK) is False


def test_status_of_a_usual_throw_is_one_line(open_page, table):
    thrown(table, ("Anna", "Ben"))
    page = open_page((390, 844), FONTS[1])

    line = page.locator(".message")
    assert len(line.inner_text()) <= 40
    expect(line).to_be_in_viewport(ratio=1)


def test_photo_is_enlarged_by_a_tap(open_page, table):
    thrown(table)
    page = open_page((360, 640), FONTS[0])
    page.locator("[data-enlarge]").click()

    box = page.locator("#enlarged svg").bounding_box()
    assert box["width"] > 300
    page.locator("#enlarged [data-close]").click()
    expect(page.locator("#enlarged")).to_be_hidden()


def test_the_smallest_phone_shows_its_buttons_below_a_toast(open_page, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page = open_page((320, 568), FONTS[0], locale="de-DE")
    expect(page.locator(".hero .big")).to_be_visible()
    page.evaluate("toast('Anna has banked 1,000 points. Now it is the turn of Ben, who throws.')")
    toast, dock = (page.locator(each).bounding_box() for each in ("#toast", ".dock"))
    assert toast["y"] + toast["height"] <= dock["y"]
    assert (
        page.locator("#toast").evaluate("toast => getComputedStyle(toast).pointerEvents") == "none"
    )


def test_a_short_name_beside_points_is_not_cut_on_any_screen(open_page, table):
    table.do(StartMatch(("Katharina", "Ben")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page = open_page((320, 800), FONTS[0])
    name = page.locator(".hero .fits")
    cut = []
    for width in (320, 340, 390, 768, 1024, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        if name.evaluate("name => name.scrollWidth > name.clientWidth"):
            cut.append(width)

    assert cut == []
