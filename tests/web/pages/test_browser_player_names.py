"""Names and teams in the form for a new match, on the smallest phone."""

import pytest
from playwright.sync_api import expect

from game.commands import StartMatch
from tests.web.conftest import PHONE_COOKIE
from web.access.phone import COOKIE

pytestmark = pytest.mark.browser

NAMES = ("Mama", "Bartholomäus", "Hannelore", "Emil")
ONE_LINE = """rows => rows.map((row) => {
  const parts = [...row.children].filter((part) => part.getClientRects().length);
  const middles = parts.map((part) => part.getBoundingClientRect()).map((box) => box.top + box.height / 2);
  return Math.max(...middles) - Math.min(...middles) < 2;
})"""
"""JavaScript that returns for each row whether all of its parts are on one line."""
FITS = "fields => fields.map((field) => field.scrollWidth <= field.clientWidth)"
COLOUR = "element => getComputedStyle(element).getPropertyValue('--seat').trim()"


@pytest.fixture
def page(browser, table, serve):
    """The form for a new match, filled with the players of the current one."""
    table.do(StartMatch(NAMES, teams=(1, 2, 1, 2)))
    context = browser.new_context(viewport={"width": 360, "height": 640}, reduced_motion="reduce")
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{serve(table).port}/new")
    return page


def test_row_of_a_team_player_is_one_line_and_shows_twelve_letters(page):
    rows = page.locator("#names li:not([hidden])")

    expect(rows).to_have_count(4)
    assert rows.evaluate_all(ONE_LINE) == [True] * 4
    assert rows.locator("[name=name]").evaluate_all(FITS) == [True] * 4


def test_head_starts_leave_the_buttons_beside_the_name(page):
    page.locator("#with-handicap").check()
    row = page.locator("#names li").nth(1)
    parts = [row.locator(each).bounding_box() for each in ("[name=name]", "[data-remove]")]

    expect(row.locator(".head-start")).to_be_visible()
    assert (
        parts[0]["y"] < parts[1]["y"] + parts[1]["height"] / 2 < parts[0]["y"] + parts[0]["height"]
    )
    assert row.locator("[name=name]").evaluate_all(FITS) == [True]


def test_team_has_the_colour_that_it_has_in_the_match(page, table):
    page.locator("#names .team").nth(1).select_option("1")
    page.locator("#names .team").nth(2).select_option("2")
    colours = [page.locator("#names .team").nth(seat).evaluate(COLOUR) for seat in range(4)]
    page.locator("#start").click()
    page.wait_for_url("**/")
    rows = [row.evaluate(COLOUR) for row in page.locator(".players li").all()]

    assert colours[0] == colours[1] != colours[2] == colours[3]
    assert rows == [colours[0], colours[2]]


def test_form_says_how_many_characters_a_name_may_still_have(page):
    field, note = page.locator("#name-0"), page.locator(".limit")
    field.fill("Wilhelmina")
    expect(note).to_have_text("")

    field.fill("Wilhelmina-Konstantina")
    expect(note).to_have_text("At most 24 characters: 2 left")
    field.press_sequentially(" von")
    expect(note).to_have_text("At most 24 characters: 0 left")
    page.locator("#name-1").focus()
    expect(note).to_have_count(0)


def test_dialog_for_a_new_name_says_so_as_well(page):
    page.goto(page.url.replace("/new", "/"))
    page.locator("#by-hand").click()
    page.locator("[data-submit$='/rename'] [name=name]").fill("x" * 24)

    expect(page.locator("dialog .limit")).to_have_text("At most 24 characters: 0 left")
