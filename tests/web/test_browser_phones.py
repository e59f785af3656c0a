"""Several phones at once recover from sleep, lost Wi-Fi, ten tabs and a restart in mid-turn."""

import pytest
from playwright.sync_api import expect

from game.commands import Bank, CorrectThrow, EnterThrow, Hold, RecordEvent, StartMatch, Undo
from game.match.events import Left, Renamed
from game.situation import Choice
from tests.browser import PHONE, never_late, stop_timers
from tests.web.conftest import PHONE_COOKIE
from web import app
from web.access.phone import COOKIE
from web.pages import scoreboard

pytestmark = pytest.mark.browser
SLEEP = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))"


OWN_STREAM = """
window.EventSource = class extends EventTarget {
  constructor() { super(); window.stream = this; }
  close() {}
};
"""
"""Lets a test send the events of the stream."""

NEWER_SECTIONS = """() => {
  const data = '<i data-build="newer"></i><div class="section" id="turn" data-digest="newer">newer</div>';
  stream.dispatchEvent(new MessageEvent("board", { data }));
  return document.getElementById("turn").textContent;
}"""


@pytest.fixture
def new_phone(browser):
    """Open a browser context for one more phone, the scorekeeper's or a watcher's."""
    contexts = []

    def phone(*, scorekeeper=False, notices_late_answers=False):
        context = browser.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
        if not notices_late_answers:
            never_late(context)
        if scorekeeper:
            cookie = {"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}
            context.add_cookies([cookie])
        contexts.append(context)
        return context

    yield phone
    for context in contexts:
        context.close()


def without_polls(context):
    """Refuse the polls of a phone, so that only its stream can bring an update."""
    context.route("**/sections", lambda route: route.abort())
    return context


def open_page(context, server, path=""):
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/{path}")
    return page


@pytest.fixture
def begun(table):
    table.do(StartMatch(("Anna", "Ben")))
    return table


def expect_at_risk(page, points):
    expect(page.locator(".hero .big")).to_have_text(points)


def test_undo_on_one_phone_is_shown_on_the_other_by_its_stream(begun, serve, new_phone):
    server = serve(begun)
    anna, ben = (
        open_page(without_polls(new_phone(scorekeeper=is_first)), server)
        for is_first in (True, False)
    )
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect_at_risk(ben, "1,000")
    anna.locator("#bank").tap()
    for page in (anna, ben):
        expect(page.locator(".hero h1")).to_contain_text("Ben")
    anna.locator("#undo").tap()

    for page in (anna, ben):
        expect_at_risk(page, "1,000")


def test_phone_that_slept_through_a_turn_is_updated_by_a_new_stream(begun, serve, new_phone):
    server = serve(begun)
    sleeper = open_page(without_polls(new_phone(scorekeeper=True)), server)
    other = open_page(new_phone(), server)
    sleeper.evaluate(SLEEP % "true")
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    begun.do(EnterThrow((5, 5, 5, 2, 3, 4)))
    expect_at_risk(other, "500")
    sleeper.evaluate(SLEEP % "false")

    expect_at_risk(sleeper, "500")
    expect(sleeper.locator(".hero h1")).to_contain_text("Ben")


def test_phone_without_wifi_says_so_and_updates_when_it_is_back(begun, serve, new_phone):
    """Its timers are stopped, so that it does not wait for its next try."""
    server = serve(begun, heartbeat_s=0.3)
    context = new_phone()
    context.clock.install()
    page = open_page(context, server)
    expect(page.locator(".hero .words")).to_be_visible()
    stop_timers(page)
    context.set_offline(True)
    snapshot = begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page.evaluate("dispatchEvent(new Event('online'))")  # tries at once, without success
    expect(page.locator("#link")).to_have_text("Reconnecting…")
    context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")

    expect_at_risk(page, "1,000")
    expect(page.locator("#link")).to_be_hidden()
    assert snapshot.version == begun.snapshot().version


def test_each_of_ten_tabs_updates_when_it_becomes_visible(begun, serve, new_phone):
    """A hidden tab closes its stream, because a browser has six connections for all tabs together."""
    server = serve(begun, limit=8)
    context = new_phone(scorekeeper=True)
    tabs = []
    for _ in range(10):
        tabs.append(open_page(context, server))
        expect(tabs[-1].locator(".hero .words")).to_be_visible()
        tabs[-1].evaluate(SLEEP % "true")
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))

    for tab in tabs:
        tab.evaluate(SLEEP % "false")
        expect_at_risk(tab, "1,000")
        tab.evaluate(SLEEP % "true")


def test_a_hidden_tab_opens_no_stream_when_the_wifi_is_back(begun, serve, new_phone):
    phone = new_phone()
    phone.add_init_script(OWN_STREAM)
    page = open_page(phone, serve(begun))
    page.evaluate(SLEEP % "true")
    page.evaluate("stream = null; dispatchEvent(new Event('online'))")
    assert page.evaluate("stream") is None

    page.evaluate(SLEEP % "false")
    assert page.evaluate("stream") is not None


def test_a_woken_phone_soon_says_that_the_tray_cannot_be_reached(begun, serve, new_phone):
    phone = without_polls(new_phone())
    phone.add_init_script(OWN_STREAM)  # which never sends an event
    phone.clock.install()
    page = open_page(phone, serve(begun))
    stop_timers(page)
    page.evaluate(SLEEP % "true")
    page.evaluate(SLEEP % "false")
    page.clock.run_for(6_000)

    expect(page.locator("#link")).to_have_text("Reconnecting…")


def test_two_phones_continue_after_a_restart_in_mid_turn(begun, serve, new_phone):
    server = serve(begun)
    anna, ben = open_page(new_phone(scorekeeper=True), server), open_page(new_phone(), server)
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect_at_risk(ben, "1,000")
    server.stop()
    for page in (anna, ben):
        expect(page.locator("#link")).to_be_visible()
    serve(begun, server.port)
    for page in (anna, ben):
        expect(page.locator("#link")).to_be_hidden()
    anna.locator("#bank").tap()

    expect(ben.locator(".hero h1")).to_contain_text("Ben")
    assert begun.match.state.players[0].score == 1000


@pytest.mark.parametrize("path", ["", "board", "turns", "overlay"])
def test_an_open_page_loads_the_new_version_after_an_update(
    begun, serve, new_phone, monkeypatch, path
):
    server = serve(begun)
    page = open_page(new_phone(), server, path)
    page.evaluate("document.body.append(Object.assign(document.createElement('p'), {id: 'old'}))")
    server.stop()
    for user in (app, scoreboard):
        monkeypatch.setattr(user, "build", lambda: "newer")
    serve(begun, server.port)

    expect(page.locator("#board")).to_have_attribute("data-build", "newer")
    expect(page.locator("#old")).to_have_count(0)


def test_an_open_page_shows_no_sections_of_another_version_before_it_loads_again(
    begun, serve, new_phone
):
    phone = new_phone()
    phone.add_init_script(OWN_STREAM)
    page = open_page(phone, serve(begun))

    with page.expect_navigation():
        assert "Anna" in page.evaluate(NEWER_SECTIONS)


def test_dice_on_the_pad_need_a_second_tap_after_another_change(begun, serve, new_phone):
    begun.show(simulated=False)
    page = open_page(new_phone(scorekeeper=True), serve(begun))
    page.locator("[data-enter]").first.tap()
    for face in "111234":
        page.locator("#pad .faces").get_by_label(face, exact=True).tap()
    begun.do(RecordEvent(Renamed(1, "Bernd")))
    expect(page.locator(".strip")).to_contain_text("Bernd")
    page.locator("#pad-enter").tap()
    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    page.locator("#pad-enter").tap()

    expect_at_risk(page, "1,000")


class DelayedPage:
    """A page whose requests can be held back, as on a bad Wi-Fi."""

    def __init__(self, page):
        self.page, self._held = page, []

    def hold(self, path):
        """Hold back all requests to this address."""
        self.page.route(f"**/api/v1/{path}", self._hold)

    def _hold(self, route):
        self._held.append(route)

    def release(self):
        """Send the requests that were held back."""
        for route in self._held:
            route.continue_()


@pytest.fixture
def delayed(begun, serve, new_phone):
    context = new_phone(scorekeeper=True, notices_late_answers=True)
    return DelayedPage(open_page(context, serve(begun)))


def test_late_bank_does_not_bank_for_the_next_player(begun, delayed):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page = delayed.page
    expect_at_risk(page, "1,000")
    delayed.hold("bank")
    page.locator("#bank").tap()
    expect(page.locator("#toast")).to_have_text("Sending…")
    begun.do(Bank())
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect(page.locator(".hero h1")).to_contain_text("Ben")
    delayed.release()

    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    assert [player.score for player in begun.match.state.players] == [1000, 0]


def test_a_late_start_after_the_roll_off_does_not_bank_in_the_match(table, serve, new_phone):
    for die in (3, 5):
        table.do(EnterThrow((die,)))
    context = new_phone(scorekeeper=True, notices_late_answers=True)
    delayed = DelayedPage(open_page(context, serve(table)))
    page = delayed.page
    delayed.hold("hold")
    page.locator("#begin").tap()
    expect(page.locator("#toast")).to_have_text("Sending…")
    table.do(Hold(1.0))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    delayed.release()

    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    expect_at_risk(page, "1,000")
    assert [player.score for player in table.match.state.players] == [0, 0]


def test_changes_by_hand_show_the_current_turn_after_a_refusal(begun, serve, new_phone):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page = open_page(new_phone(scorekeeper=True), serve(begun))
    expect_at_risk(page, "1,000")
    page.evaluate("document.querySelector('[data-hand]').click()")
    turn = page.locator("#hand form[data-submit$='/turn']")
    expect(turn.locator("[name=points]")).to_have_value("1000")
    begun.do(Bank())
    expect(page.locator(".hero h1")).to_contain_text("Ben")
    turn.locator("button").first.click()

    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    expect(turn.locator("[name=points]")).to_have_value("0")
    expect(page.locator("#hand")).to_be_visible()


def test_a_change_by_hand_still_concerns_the_chosen_player_after_a_refusal(table, serve, new_phone):
    table.do(StartMatch(("Anna", "Ben", "Cleo")))
    page = open_page(new_phone(scorekeeper=True), serve(table))
    rename, leave = (
        page.locator(f"#hand [data-submit$='/{each}']") for each in ("rename", "leave")
    )
    page.locator("#by-hand").click()
    rename.locator("select").select_option(label="Ben")
    rename.locator("input").fill("Bea")
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect_at_risk(page, "1,000")
    rename.locator("button").click()
    expect(page.locator("#hand")).to_be_hidden()
    assert [player.name for player in table.match.state.players] == ["Anna", "Bea", "Cleo"]

    expect(page.locator(".strip")).to_contain_text("Bea")
    page.locator("#by-hand").click()
    leave.locator("select").select_option(label="Cleo")
    table.do(Bank())
    expect(page.locator(".hero h1")).to_contain_text("Bea")
    leave.locator("button").click()
    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    expect(leave.locator("select")).to_have_value("2")
    table.do(RecordEvent(Left(2)))
    expect(page.locator(".players .name[data-gone]")).to_have_text("Cleo")
    leave.locator("button").click()
    expect(leave.locator("select")).to_have_value("")
    leave.locator("button").click()
    assert [player.here for player in table.match.state.players] == [True, True, False]


def test_a_late_removal_does_not_remove_another_player(begun, delayed):
    page = delayed.page
    page.evaluate("document.querySelector('[data-hand]').click()")
    delayed.hold("leave")
    leave = page.locator("#hand form[data-submit$='/leave']")
    leave.locator("select").select_option(label="Ben")
    leave.locator("button").first.click()
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect_at_risk(page, "1,000")
    delayed.release()

    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    assert [player.name for player in begun.match.state.players] == ["Anna", "Ben"]


def test_a_button_takes_no_tap_just_after_its_number_changed(begun, serve, new_phone):
    """The taps are made in the moment when the page has drawn the other number."""
    begun.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    page = open_page(new_phone(scorekeeper=True), serve(begun))
    expect_at_risk(page, "200")
    sent = []
    page.on("request", lambda request: sent.append(request.url.rpartition("/")[2]))
    page.evaluate(
        """document.addEventListener("swapped", function tap() {
        if (document.querySelector(".hero .big").textContent !== "100") return;
        document.removeEventListener("swapped", tap);
        for (const id of ["bank", "keep-55", "undo"]) document.getElementById(id)?.click();
        })"""
    )
    begun.do(CorrectThrow((2, 3, 4, 5, 5, 6)))
    expect_at_risk(page, "100")
    assert set(sent) & {"bank", "keep", "undo"} == set()

    page.locator("#keep-55").tap()
    expect(page.locator("#keep-55")).to_have_attribute("aria-pressed", "true")
    assert begun.match.state.turn.last.keep.dice == (5, 5)


def test_a_late_correction_does_not_change_another_throw(begun, delayed):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page = delayed.page
    expect_at_risk(page, "1,000")
    delayed.hold("correct")
    page.locator("#slot-5").tap()
    page.locator("[data-fix='5']").tap()
    expect(page.locator("#toast")).to_have_text("Sending…")
    begun.do(Bank())
    delayed.release()

    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    expect(page.locator("#toast")).to_contain_text("Ben throws.")
    assert begun.match.timeline[0].dice == (1, 1, 1, 2, 3, 4)


def test_bank_after_a_slow_keep_banks_that_throw(begun, delayed):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 5)))
    page = delayed.page
    expect_at_risk(page, "1,050")
    delayed.hold("keep")
    page.locator(".keep").nth(1).tap()
    page.locator("#bank").tap()
    expect(page.locator("#toast")).to_have_text("Sending…")
    delayed.release()

    expect(page.locator(".hero h1")).to_contain_text("Ben")
    assert begun.match.state.players[0].score == 1050


def test_repeated_taps_on_a_slow_undo_are_one_step(begun, delayed):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page = delayed.page
    expect(page.locator(".hero h1")).to_contain_text("Ben")
    expect_at_risk(page, "1,000")
    delayed.hold("undo")
    page.locator("#undo").tap()
    page.locator("#undo").tap()
    expect(page.locator("#toast")).to_have_text("Sending…")
    page.locator("#undo").tap()
    with page.expect_response("**/api/v1/undo"):
        delayed.release()
    expect(page.locator("#toast")).to_contain_text("Not sent. Check the scoreboard")

    assert len(begun.match.timeline) == 2
    assert [type(each) for each in begun.done].count(Undo) == 1


def test_three_quick_taps_on_undo_are_three_steps(begun, serve, new_phone):
    page = open_page(new_phone(scorekeeper=True), serve(begun))
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect(page.locator(".hero h1")).to_contain_text("Ben")
    expect_at_risk(page, "1,000")
    expect(page.locator("[data-settling]")).to_have_count(0)
    page.evaluate("for (let i = 0; i < 3; i++) document.getElementById('undo').click()")

    expect(page.locator("#undo")).to_be_disabled()
    assert begun.match.timeline == ()


def test_dice_from_a_pad_of_an_earlier_turn_are_refused(begun, serve, new_phone):
    begun.show(simulated=False)
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    page = open_page(new_phone(scorekeeper=True), serve(begun))
    page.locator("[data-enter]").first.tap()
    for face in "555":
        page.locator("#pad .faces").get_by_label(face, exact=True).tap()
    begun.do(Bank())
    expect(page.locator(".hero h1")).to_contain_text("Ben")
    page.locator("#pad-enter").tap()

    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    assert begun.match.state.turn.throws == ()


def test_a_board_whose_stream_has_stalled_shows_what_a_tap_did_and_opens_another_stream(
    begun, serve, new_phone
):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    phone = new_phone(scorekeeper=True)
    phone.add_init_script(OWN_STREAM)
    page = open_page(phone, serve(begun))
    page.evaluate("stream.hasStalled = true")
    page.locator("#undo").tap()

    expect_at_risk(page, "1,000")
    page.wait_for_function("!stream.hasStalled")


def test_a_tap_on_a_board_that_no_longer_shows_the_own_last_step_is_refused(
    begun, serve, new_phone
):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    phone = without_polls(new_phone(scorekeeper=True))
    phone.add_init_script(OWN_STREAM)
    page = open_page(phone, serve(begun))
    with page.expect_request("**/sections"):
        page.locator("#undo").tap()
    page.locator("#undo").tap()

    expect(page.locator("#toast")).to_contain_text("The match has moved on")
    assert len(begun.match.timeline) == 1


def test_a_form_on_a_board_whose_stream_has_stalled_does_not_replace_a_match(
    table, serve, new_phone
):
    phone = new_phone(scorekeeper=True)
    phone.add_init_script(OWN_STREAM)
    page = open_page(phone, serve(table))
    table.do(StartMatch(("Cleo", "Dora")))
    page.locator("#start").tap()

    expect(page.locator("#toast")).to_contain_text("Not sent")
    expect(page.locator(".hero h1")).to_contain_text("Cleo")
    assert table.match.state.players[0].name == "Cleo"


def test_a_board_without_one_of_its_scripts_says_so_and_is_loaded_again(begun, serve, new_phone):
    phone = new_phone(scorekeeper=True)
    phone.clock.install()
    page = phone.new_page()
    page.route("**/requests.js*", lambda route: route.abort(), times=1)
    page.goto(f"http://127.0.0.1:{serve(begun).port}/")
    expect(page.locator("#link")).to_have_text("Reconnecting…")
    with page.expect_navigation():
        page.clock.fast_forward(6_000)

    expect(page.locator("#link")).to_be_hidden()
    assert page.evaluate("Boolean(window.post)")


def test_a_form_keeps_what_was_typed_when_traykeeper_is_updated(table, serve, new_phone):
    phone = new_phone(scorekeeper=True)
    phone.add_init_script(OWN_STREAM)
    page = open_page(phone, serve(table))
    page.locator("#name-0").fill("Anna")
    page.locator("[name=target]").fill("5000")
    with page.expect_navigation():
        page.evaluate(NEWER_SECTIONS)

    expect(page.locator("#name-0")).to_have_value("Anna")
    expect(page.locator("[name=target]")).to_have_value("5000")


def test_a_question_that_a_phone_did_not_cause_leaves_it_where_it_is_read(table, serve, new_phone):
    table.do(StartMatch(tuple(f"Player {n}" for n in range(8))))
    for _ in range(16):
        table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
        table.do(Bank())
    server = serve(table)
    pages = [
        open_page(new_phone(), server),
        open_page(new_phone(scorekeeper=True), server, "turns"),
    ]
    for page in pages:
        page.evaluate("scrollTo(0, 500)")
    table.show(question="Were these dice thrown?", choices=(Choice("a", "Yes"),))
    for page in pages:
        expect(page.locator(".question.asked h2")).to_have_text("Were these dice thrown?")
    expect(pages[0].locator(".question.asked")).not_to_be_in_viewport()
    table.show(question=None, choices=())
    for page in pages:
        expect(page.locator(".question.asked h2")).to_have_count(0)
        assert page.evaluate("scrollY") == 500
