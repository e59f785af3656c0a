"""House rules on a phone: changed in the form, marked, sent and remembered."""

import pytest
from playwright.sync_api import expect

from game.commands import StartMatch
from tests.axe import faults
from tests.browser import PHONE
from tests.web.conftest import PHONE_COOKIE
from web.access.phone import COOKIE

pytestmark = pytest.mark.browser


@pytest.fixture
def address(table, serve):
    return f"http://127.0.0.1:{serve(table).port}/"


def open_page(browser, address, **options):
    context = browser.new_context(
        viewport=PHONE, reduced_motion="reduce", bypass_csp=True, **options
    )
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": address}])
    page = context.new_page()
    page.goto(address)
    return page


@pytest.fixture
def page(browser, address):
    page = open_page(browser, address)
    yield page
    page.context.close()


def option(page, name):
    return page.locator(f"[data-option={name}]")


def changed(page):
    return page.locator("#options summary small")


def test_form_is_restored_after_reading_the_rules(page):
    page.locator("[name=rules]").select_option("walnut-studiolo")
    page.locator("#name-0").fill("Anna")
    page.locator("#add-player").click()
    page.locator("#name-2").fill("Cleo")
    page.locator("[name=target]").fill("5000")
    page.locator("#options summary").click()
    option(page, "opening").fill("350")
    page.locator("#explained").click()
    expect(page.locator("h1")).to_contain_text("Walnut")
    page.get_by_text("Scoreboard").click()

    for seat, name in enumerate(("Anna", "", "Cleo")):
        expect(page.locator(f"#name-{seat}")).to_have_value(name)
    expect(page.locator("#name-3")).to_be_hidden()
    expect(page.locator("[name=target]")).to_have_value("5000")
    expect(changed(page)).to_have_text("changed: 1")


def test_changed_options_are_marked_sent_and_remembered(page, table, address):
    page.locator("[name=rules]").select_option("walnut-studiolo")
    expect(option(page, "opening")).to_have_value("500")
    page.locator("#options summary").click()
    option(page, "opening").fill("350")
    option(page, "opening").blur()
    option(page, "last_round").select_option("charity roll")
    option(page, "below_zero").uncheck()
    expect(changed(page)).to_have_text("changed: 3")
    expect(page.locator("label.changed")).to_have_count(3)
    expect(page.get_by_text("published: 500")).to_be_visible()
    expect(page.get_by_text("published: all others have one more turn")).to_be_visible()
    page.locator("#start").click()
    expect(page.locator(".hero")).to_be_visible()

    rules = table.match.rules
    assert (rules.opening, rules.last_round, rules.below_zero) == (350, "charity roll", False)
    assert rules.straight == 1500
    page.goto(f"{address}new")
    expect(option(page, "opening")).to_have_value("350")
    expect(changed(page)).to_have_text("changed: 3")
    page.locator("#options summary").click()
    page.locator("#as-published").click()
    expect(changed(page)).to_be_empty()
    expect(option(page, "opening")).to_have_value("500")


def test_choosing_other_rules_resets_the_options(page, table):
    page.locator("[name=rules]").select_option("zilch")
    expect(option(page, "three_farkles")).to_have_value("500")
    page.locator("#options summary").click()
    option(page, "three_farkles").fill("1000")
    page.locator("[name=rules]").select_option("standard")

    expect(option(page, "three_farkles")).to_have_value("0")
    expect(changed(page)).to_be_empty()
    page.locator("#start").click()
    expect(page.locator(".hero")).to_be_visible()
    assert table.match.rules.name == "standard"
    assert table.match.rules.three_farkles == 0


def test_board_whose_match_ended_offers_house_rules(page, table, address):
    table.do(StartMatch(("Anna", "Ben")))
    page.goto(address)
    table.show(match=None)

    expect(page.locator("#options")).to_be_visible()
    page.locator("#options summary").click()
    option(page, "opening").fill("350")
    page.locator("#start").click()
    expect(page.locator(".hero")).to_be_visible()
    assert table.match.rules.opening == 350


def test_options_have_no_serious_fault(browser, address):
    page = open_page(browser, address)
    page.locator("#options summary").click()
    option(page, "opening").fill("350")
    option(page, "opening").blur()
    expect(changed(page)).to_have_text("changed: 1")

    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.context.close()


def test_current_rules_have_no_serious_fault(browser, table, address):
    table.do(StartMatch(("Anna", "Ben"), options={"opening": 350}))
    page = open_page(browser, address)
    page.locator(".players a[href='/rules']").click()

    expect(page.locator(".tag")).to_have_count(1)
    assert faults(page) == []
    page.context.close()


def test_folded_option_that_is_empty_is_shown_on_start(page, table):
    page.locator("#options summary").click()
    option(page, "minimum_bank").fill("")
    page.locator("#options summary").click()
    expect(option(page, "minimum_bank")).to_be_hidden()
    page.locator("#start").click()

    expect(option(page, "minimum_bank")).to_be_focused()
    assert table.done == []


def test_rules_are_found_by_words_and_three_questions_without_leaving_the_form(page):
    page.locator("#name-0").fill("Anna")
    page.locator("#find-rules").click()
    finder = page.locator("#rules-dialog")
    page.get_by_label("Search").fill("zilch")
    expect(finder.locator("li:visible")).not_to_have_count(0)
    assert all("zilch" in row.lower() for row in finder.locator("li:visible").all_inner_texts())
    page.get_by_label("Search").fill("")
    page.get_by_label("What is a straight worth?").select_option("nothing")
    page.get_by_label("What does a first bank need?").select_option("any points")
    page.get_by_label("Can the next player take over the points?").select_option("yes")

    expect(finder.locator("li:visible")).to_have_count(3)
    assert faults(page) == []
    finder.get_by_text("High-stakes Farkle").click()
    expect(page.locator("[name=rules]")).to_have_value("high-stakes")
    expect(page.locator("#rules-summary")).to_contain_text("The next player may take over")
    expect(page.locator("#name-0")).to_have_value("Anna")


def test_a_double_tap_on_find_your_rules_opens_one_dialog(page):
    held = []

    def hold(route):
        held.append(route)

    page.route("**/rules", hold)
    with page.expect_request("**/rules"):
        page.locator("#find-rules").click()
    expect(page.locator("#toast")).to_have_text("Loading…")
    page.locator("#find-rules").click()
    for route in held:
        route.continue_()

    expect(page.locator("#rules-dialog #finder")).to_be_visible()
    expect(page.locator("#toast")).to_be_hidden()
    expect(page.locator("dialog[open]")).to_have_count(1)


def test_enter_in_a_name_leads_to_the_next_name_and_starts_no_match(page, table):
    page.locator("#name-0").fill("Anna")
    page.locator("#name-0").press("Enter")
    expect(page.locator("#name-1")).to_be_focused()
    page.locator("#name-1").fill("Ben")
    page.locator("#name-1").press("Enter")

    expect(page.locator("#name-1")).not_to_be_focused()
    assert table.done == []


def test_a_match_cannot_be_started_before_the_form_works(page, address):
    page.route("**/new-match.js*", lambda route: route.abort())
    page.goto(f"{address}new")

    expect(page.locator("#start")).to_be_disabled()


def test_answers_that_no_set_fits_leave_the_nearest_sets(page, address):
    page.goto(f"{address}rules")
    page.get_by_label("What is a straight worth?").select_option("more than 1,500")
    page.get_by_label("What does a first bank need?").select_option("up to 500")
    page.get_by_label("Can the next player take over the points?").select_option("yes")

    expect(page.locator("#found")).to_contain_text("These come nearest")
    expect(page.locator("#finder li:visible")).to_have_count(3)
