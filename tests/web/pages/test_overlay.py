"""The page for video streams: transparent, without controls, and sized by its query."""

import pytest
from playwright.sync_api import expect

from game.commands import EnterThrow, SetJustDice, StartMatch
from tests.web.conftest import make_app
from tests.web.screens import LONGEST, farkled, kept, thrown, won


@pytest.fixture
def table(shared_table):
    """The table of all tests, as if it were new."""
    shared_table.reset()
    return shared_table


@pytest.fixture(scope="module")
def shared_page(_chromium):
    page = _chromium.new_page(reduced_motion="reduce")
    yield page
    page.close()


@pytest.fixture
def overlay(browser, shared_page, table, shared_server):
    """Open the overlay with a query in a browser source of this size. There is one page for all tests."""

    def opened(query="", width=1280, height=720):
        shared_page.set_viewport_size({"width": width, "height": height})
        shared_page.goto(f"http://127.0.0.1:{shared_server.port}/overlay{query}")
        return shared_page

    return opened


def outside(page):
    """Return the cards that reach beyond the page, and texts and dice that reach beyond their card."""
    return page.evaluate(
        """() => [...document.querySelectorAll('#board :is(section, h1 span, p, li, .die)')].filter((each) => {
            const box = each.getBoundingClientRect();
            const card = (each.parentElement.closest('section') || document.body).getBoundingClientRect();
            return box.right > card.right + 1 || box.left < card.left - 1 || box.bottom > innerHeight + 1 || box.top < -1;
        }).map((each) => each.className + ': ' + each.textContent)"""
    )


def background(page):
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


def warned(page):
    return page.locator("#wrong:not([hidden]) li").all_inner_texts()


def test_overlay_shows_the_turn_and_the_scores_and_has_no_controls(client, table):
    kept(table)
    page = client.get("/overlay").text

    assert ">300</b><span>at risk" in page
    assert page.count("<li ") == 2
    for control in ("<button", "<input", "<form", "<a ", "<select"):
        assert control not in page


def test_overlay_shows_the_dice_that_ended_the_turn(client, table):
    farkled(table)
    page = client.get("/overlay/sections").text

    assert "Anna" in page.partition("ov-turn")[0]
    assert page.partition("ov-turn")[0].count("<svg") == 4


def test_overlay_shows_who_has_won(client, table):
    won(table)

    assert "</b><span>wins" in client.get("/overlay").text


def test_overlay_shows_throws_without_a_match(client, table):
    table.do(SetJustDice(on=True))
    table.do(EnterThrow((2, 3, 6)))

    assert "<b>11</b><span>in total" in client.get("/overlay").text


def test_overlay_is_empty_without_a_match(client):
    assert "ov-turn" not in client.get("/overlay").text


def test_overlay_can_be_switched_off(table):
    client = make_app(table, has_overlay=False).test_client()

    assert [client.get(f"/overlay{path}").status_code for path in ("", "/live", "/sections")] == [
        404
    ] * 3


@pytest.mark.browser
@pytest.mark.parametrize(
    ("query", "colour"),
    [
        ("", "rgba(0, 0, 0, 0)"),
        ("?background=00b140", "rgb(0, 177, 64)"),
        ("?background=%230b4", "rgb(0, 187, 68)"),
        ("?background=RebeccaPurple", "rgb(102, 51, 153)"),
    ],
)
def test_background_is_transparent_unless_the_query_names_a_colour(overlay, table, query, colour):
    thrown(table)
    page = overlay(query)

    assert background(page) == colour
    assert warned(page) == []


@pytest.mark.browser
@pytest.mark.parametrize(
    "wrong",
    [
        "background=grean", "background=url(//evil)", "background=inherit", "background=#00b140",
        "size=500", "size=big", "size=", "place=middle", "show=dice", "sise=150", "constructor=1",
    ],
)  # fmt: skip
def test_wrong_option_is_shown_in_the_picture_with_what_is_allowed(overlay, table, wrong):
    thrown(table)
    page = overlay(f"?place=top&{wrong}")
    (shown,) = warned(page)
    name, told, allowed = wrong.partition("#")[0], *shown.split(": ", 1)

    assert told == name
    assert ("use the options" in allowed) == (name in {"sise=150", "constructor=1"})
    assert background(page) == "rgba(0, 0, 0, 0)"
    assert outside(page) == []


@pytest.mark.browser
def test_scores_are_marked_as_old_while_the_tray_is_gone(browser, table, serve):
    thrown(table)
    server = serve(table)
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"http://127.0.0.1:{server.port}/overlay")
    sign, scores = page.locator("#link"), page.locator("#overlay")
    expect(sign).to_be_hidden()
    server.stop()

    expect(sign).to_have_text("No connection to the tray: this may be out of date")
    expect(sign).to_be_in_viewport(ratio=1)
    expect(scores).to_have_css("filter", "grayscale(1) brightness(0.75)")
    serve(table, server.port)
    expect(sign).to_be_hidden()
    expect(scores).to_have_css("filter", "none")
    page.close()


@pytest.mark.browser
def test_silence_of_ten_seconds_makes_the_overlay_ask_and_show_that_nobody_answers(
    browser, table, serve
):
    thrown(table)
    page = browser.new_page()
    page.clock.install()
    page.goto(f"http://127.0.0.1:{serve(table).port}/overlay")
    expect(page.locator(".ov-turn")).to_be_visible()
    page.route("**/overlay/live", lambda route: route.abort())
    page.route("**/overlay/sections", lambda route: route.abort())
    page.clock.fast_forward(10_000)

    expect(page.locator("#link")).to_have_text("No connection to the tray: this may be out of date")
    page.close()


@pytest.mark.browser
def test_query_sets_size_place_and_parts(overlay, table):
    thrown(table)
    usual = overlay().locator(".ov-turn").bounding_box()
    page = overlay("?size=50&place=top-right&show=turn")
    turn = page.locator(".ov-turn").bounding_box()

    expect(page.locator(".ov-scores")).to_be_hidden()
    assert turn["width"] == pytest.approx(usual["width"] / 2, rel=0.05)
    assert (turn["x"] > 640, turn["y"] < 200) == (True, True)
    assert (usual["x"] < 100, usual["y"] > 400) == (True, True)


@pytest.mark.browser
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (600, 300)])
@pytest.mark.parametrize("query", ["", "?size=150&place=top-right", "?place=bottom"])
def test_everything_fits_and_follows_the_match(overlay, table, size, query):
    page = overlay(query, *size)
    table.do(StartMatch(LONGEST))
    table.do(EnterThrow((1, 1, 1, 1, 1, 1)))
    expect(page.locator(".ov-points b")).to_have_text("8,000")

    assert outside(page) == []


@pytest.mark.browser
@pytest.mark.parametrize("size", [(1280, 720), (600, 300), (500, 900)])
@pytest.mark.parametrize("place", ["top-right", "bottom"])
def test_twenty_long_names_fit(overlay, table, size, place):
    farkled(table, tuple(f"{n:02} Wilhelmina-Konstantina"[:24] for n in range(20)))
    page = overlay(f"?place={place}&size=150", *size)
    expect(page.locator(".ov-scores li")).to_have_count(20)

    assert outside(page) == []
    table.do(EnterThrow((1, 1, 1, 1, 1, 1)))
    expect(page.locator(".ov-points b")).to_have_text("8,000")
    assert outside(page) == []
