"""The scoreboard on a phone, in Chromium."""

from contextlib import contextmanager
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from game.commands import (
    AnswerQuestion,
    Bank,
    CorrectDie,
    EnterThrow,
    KeepDice,
    MarkForeignObject,
    MoveSimulatedButton,
    ReadAgain,
    RecordEvent,
    SetJustDice,
    StartMatch,
)
from game.match.events import ScoreSet
from game.message import Message
from game.situation import Choice, Situation, TableError
from tests.browser import ON_TOP, PHONE, never_late, stop_timers
from tests.waiting import until
from tests.web.conftest import PHONE_COOKIE
from web.access.phone import COOKIE
from web.contracts import CoachMode, Lamp, Photo, PhotoDie

pytestmark = pytest.mark.browser


def scorekeeper_context(browser):
    context = browser.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
    return context


@pytest.fixture
def impatient_context(browser):
    """The scorekeeper's phone, which drops some taps if an answer is late."""
    context = scorekeeper_context(browser)
    yield context
    context.close()


@pytest.fixture
def table(shared_table):
    """The table of all tests, as if it were new."""
    shared_table.reset()
    return shared_table


@pytest.fixture(scope="module")
def shared_context(_chromium):
    context = scorekeeper_context(_chromium)
    never_late(context)
    yield context
    context.close()


@pytest.fixture(scope="module")
def picture(shared_context, shared_server):
    """A picture opened as a page: it has no script, and shares what the pages of the scoreboard store."""
    page = shared_context.new_page()
    page.goto(f"http://127.0.0.1:{shared_server.port}/static/icon.svg")
    return page


@pytest.fixture
def context(shared_context, picture, browser):
    """The scorekeeper's phone, for which no answer is late. It keeps its cache, but no page and nothing that pages store."""
    yield shared_context
    shared_context.unroute_all()
    for page in shared_context.pages:
        if page != picture:
            page.close()
    # The answer to a tap of the test may arrive only now, and an open page could store something then.
    picture.evaluate("localStorage.clear()")


@contextmanager
def opened(context):
    """Open a page. A JavaScript error within the block fails the test."""
    errors = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


@pytest.fixture
def phone(context, table, shared_server):
    """An open scoreboard; a JavaScript error fails the test."""
    with opened(context) as page:
        page.goto(f"http://127.0.0.1:{shared_server.port}/")
        yield page


@pytest.fixture
def impatient_phone(impatient_context):
    """A page that drops some taps if an answer is late; a JavaScript error fails the test."""
    with opened(impatient_context) as page:
        yield page


@pytest.fixture
def begun(table):
    table.do(StartMatch(("Anna", "Ben")))
    return table


def test_match_is_set_up_with_names_and_target(phone, table):
    phone.get_by_label("Name of player 1", exact=True).fill("Anna")
    phone.get_by_label("Name of player 2", exact=True).fill("Ben")
    phone.get_by_text("Add a player").tap()
    phone.get_by_label("Name of player 3", exact=True).fill("Clara")
    phone.get_by_label("Remove player 2", exact=True).tap()
    phone.get_by_label("Points to win").fill("5000")
    phone.get_by_role("button", name="Start the match").tap()

    expect(phone.get_by_role("heading", name="Anna")).to_be_visible()
    assert [player.name for player in table.match.state.players] == ["Anna", "Clara"]
    assert table.match.rules.target == 5000


def test_recent_players_are_offered_and_the_order_is_shuffled(phone, table):
    for seat, name in ((1, "Anna"), (2, "Ben")):
        phone.get_by_label(f"Name of player {seat}", exact=True).fill(name)
    phone.evaluate("Math.random = () => 0")
    phone.locator("#shuffle").tap()
    expect(phone.get_by_label("Name of player 1", exact=True)).to_have_value("Ben")
    phone.get_by_role("button", name="Start the match").tap()
    expect(phone.get_by_role("heading", name="Ben")).to_be_visible()
    phone.wait_for_function("() => localStorage.length > 0")  # the answer may follow the stream
    phone.goto(f"{phone.url}new")

    offered = phone.locator("#recent option").evaluate_all("all => all.map((one) => one.value)")
    assert offered == ["Ben", "Anna"]


@pytest.fixture
def two_pairs(phone):
    """The form, filled in with Anna and Ben against Cleo and Dora."""
    for _ in range(2):
        phone.get_by_text("Add a player").tap()
    phone.get_by_text("Play in teams").tap()
    for seat, (name, team) in enumerate(PAIRS.items(), 1):
        phone.get_by_label(f"Name of player {seat}", exact=True).fill(name)
        phone.get_by_label(f"Team of player {seat}", exact=True).select_option(team)


LARGEST_GAP_PX = 32
"""The largest gap between two cards, in pixels: twice the padding of a card."""

PAIRS = {"Anna": "1", "Ben": "1", "Cleo": "2", "Dora": "2"}
IN_TEAMS = """rows => Object.fromEntries(rows.filter((row) => !row.hidden).map(
    (row) => [row.querySelector("input").value, row.querySelector(".team").value]))"""


def test_removing_a_player_keeps_the_teams(phone, two_pairs):
    phone.get_by_label("Remove player 1", exact=True).tap()
    left = phone.locator("#names li").evaluate_all(IN_TEAMS)

    assert left == {"Ben": "1", "Cleo": "2", "Dora": "2"}


def test_moving_a_player_up_keeps_the_teams(phone, two_pairs):
    phone.get_by_label("Move player 3 up", exact=True).tap()
    moved = phone.locator("#names li").evaluate_all(IN_TEAMS)

    assert list(moved) == ["Anna", "Cleo", "Ben", "Dora"]
    assert moved == PAIRS


def test_shuffling_keeps_the_teams(phone, two_pairs):
    phone.evaluate("Math.random = () => 0")
    phone.locator("#shuffle").tap()
    shuffled = phone.locator("#names li").evaluate_all(IN_TEAMS)

    assert list(shuffled) == ["Ben", "Cleo", "Dora", "Anna"]
    assert shuffled == PAIRS


def test_form_reports_a_duplicate_name(phone):
    for seat in (1, 2):
        phone.get_by_label(f"Name of player {seat}", exact=True).fill("Anna")
    phone.get_by_role("button", name="Start the match").tap()

    expect(phone.get_by_role("alert")).to_contain_text("Two players are called Anna")


def test_throw_keep_bank_and_undo(begun, phone):
    begun.to_throw = [(1, 1, 3, 3, 3, 5)]
    phone.get_by_role("button", name="Throw the dice").tap()
    expect(phone.locator("#keeps .keep").first).to_contain_text("550")

    phone.locator("#keep-11333").tap()
    expect(phone.locator("#keep-11333")).to_have_attribute("aria-pressed", "true")
    expect(phone.locator(".hero .big")).to_have_text("500")
    expect(phone.locator("#bank")).to_contain_text("Bank 500")

    phone.locator("#bank").tap()
    expect(phone.get_by_role("heading", name="Ben")).to_be_visible()
    assert begun.match.state.players[0].score == 500

    phone.get_by_role("button", name="Undo").tap()
    expect(phone.get_by_role("heading", name="Anna")).to_be_visible()
    phone.get_by_role("button", name="Redo").tap()
    expect(phone.get_by_role("heading", name="Ben")).to_be_visible()


def test_message_stays_in_view_beside_the_keeps(begun, phone):
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    phone.locator("[data-more]").tap()
    phone.locator("#more-keeps .keep").last.tap()

    expect(phone.locator(".message")).to_contain_text("Anna has 50 at risk")
    phone.locator(".players").scroll_into_view_if_needed()
    expect(phone.locator(".message")).to_be_in_viewport(ratio=1)
    expect(phone.locator("#undo")).to_be_in_viewport(ratio=1)


def test_scores_follow_the_first_screen_without_a_gap(begun, phone):
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    begun.advise(CoachMode.LIVE)
    expect(phone.locator(".tip .better")).to_be_visible()
    keeps, dock, scores = (
        phone.locator(each).bounding_box() for each in (".keeps", ".dock", ".players")
    )

    assert scores["y"] - max(keeps["y"] + keeps["height"], dock["y"]) < LARGEST_GAP_PX


def test_refused_bank_gives_the_reason(begun, phone):
    begun.do(EnterThrow((1, 2, 3, 4, 6, 6)))

    bank = phone.locator("#bank[aria-disabled]")
    expect(bank).to_contain_text("400 short")
    bank.tap(force=True)

    expect(phone.get_by_role("alert")).to_contain_text(
        "400 short of the 500 needed to get on the board"
    )
    assert begun.match.state.turn.seat == 0


def test_throw_is_corrected_in_two_taps(begun, phone):
    begun.do(EnterThrow((1, 2, 3, 4, 6, 6)))

    phone.locator("#slot-1").tap()
    phone.locator(".fix").get_by_label("5", exact=True).tap()

    expect(phone.locator(".hero .big")).to_have_text("150")
    assert begun.match.state.turn.last.dice == (1, 3, 4, 5, 6, 6)


def test_tapped_dice_show_what_they_score_and_are_kept(begun, phone):
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    for slot in (0, 1):
        phone.locator(f"#slot-{slot}").tap()
    expect(phone.locator("#keep-chosen")).to_have_text("Keep 200")
    phone.locator("#keep-chosen").tap()

    expect(phone.locator(".slot.kept")).to_have_count(2)
    assert begun.match.state.turn.last.keep.dice == (1, 1)


def test_selection_survives_the_arrival_of_the_photo(begun, phone):
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    for slot in (0, 1):
        phone.locator(f"#slot-{slot}").tap()
    begun.album["p1"] = b""
    dice = (PhotoDie(1, 0.1, 0.1, 0.1, 0.1, 0, "tray", None, 0),)
    begun.show(photo=Photo("p1", 640, 360, dice, 0))

    expect(phone.locator(".photo .spot")).to_have_count(1)
    expect(phone.locator("#keep-chosen")).to_have_text("Keep 200")
    phone.locator("#keep-chosen").tap()
    expect(phone.locator(".slot.kept")).to_have_count(2)
    phone.locator("#undo").tap()
    expect(phone.locator(".slot.kept")).to_have_count(0)
    expect(phone.locator(".slot[aria-pressed=true]")).to_have_count(0)


def test_dice_that_are_not_a_keep_are_explained(begun, phone):
    begun.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    phone.locator("#slot-0").tap()
    phone.locator("#slot-3").tap()
    expect(phone.locator(".says")).to_have_text("1 scores 100; 3 adds nothing")
    expect(phone.locator("#keep-chosen")).to_be_hidden()
    phone.locator("#slot-0").tap()

    expect(phone.locator(".says")).to_have_text("3 does not score")


def test_effect_of_a_keep_is_shown_while_its_dice_are_selected(begun, phone):
    begun.do(RecordEvent(ScoreSet(0, 9_900)))
    begun.do(EnterThrow((1, 5, 2, 3, 4, 6)))
    phone.locator("#slot-0").tap()

    expect(phone.locator(".says")).to_have_text("Reaches 10,000")
    expect(phone.locator("#keep-1 .unseen")).to_have_text("five dice left, reaches 10,000")


def test_explanation_names_the_best_part_of_the_selection(begun, phone):
    begun.do(EnterThrow((1, 1, 5, 2, 3, 4)))
    begun.do(KeepDice((5,)))
    for slot in (0, 2, 5):
        phone.locator(f"#slot-{slot}").tap()

    expect(phone.locator(".says")).to_have_text("1 5 scores 150; 2 adds nothing")


def test_missed_die_is_added_in_two_taps(begun, phone):
    begun.album["p1"] = b""
    dice = [PhotoDie(f, 0.1, 0.1, 0.1, 0.1, 0, "tray", None) for f in (1, 1, 1, 2, 4)]
    begun.show(situation=Situation.ATTENTION, photo=Photo("p1", 640, 360, tuple(dice)))
    phone.locator("[data-missed]").tap()
    phone.locator("#pad .faces").get_by_label("5", exact=True).tap()

    expect(phone.locator(".hero .big")).to_have_text("1,050")
    assert begun.match.state.turn.last.dice == (1, 1, 1, 2, 4, 5)


def test_foreign_object_is_dismissed_on_the_photo(begun, phone):
    begun.album["p1"] = b""
    die = PhotoDie(2, 0.2, 0.5, 0.1, 0.2, 0, "tray", None)
    thing = PhotoDie(None, 0.7, 0.5, 0.1, 0.2, 0, "tray", "something else")
    begun.show(situation=Situation.ATTENTION, photo=Photo("p1", 640, 360, (die, thing)))
    phone.locator(".spot.problem").tap()
    with phone.expect_response("**/api/v1/not-a-die"):
        phone.get_by_role("button", name="Not a die").tap()

    expect(phone.locator(".slot.seen")).to_have_count(1)
    assert begun.done[-1] == MarkForeignObject("p1", 1)


def test_foreign_object_beside_the_last_throw_can_be_dismissed(begun, phone):
    begun.album["p1"] = b""
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    dice = tuple(
        PhotoDie(f, 0.1 * i + 0.1, 0.3, 0.05, 0.1, 0, "tray", None, slot=i)
        for i, f in enumerate((1, 1, 1, 2, 3, 4))
    )
    thing = PhotoDie(None, 0.7, 0.8, 0.1, 0.2, 0, "tray", "something else")
    begun.show(situation=Situation.ATTENTION, photo=Photo("p1", 640, 360, (*dice, thing), index=0))
    phone.locator(".spot.problem").tap()
    phone.get_by_role("button", name="Not a die").tap()

    expect(phone.locator(".spot.problem")).to_have_count(0)
    assert begun.done[-1] == MarkForeignObject("p1", 6)


def test_player_is_skipped_in_two_taps(begun, phone):
    phone.locator("#by-hand").tap()
    phone.get_by_role("button", name="Skip Anna").tap()

    expect(phone.locator(".hero h1")).to_contain_text("Ben")


def test_skip_for_a_turn_that_is_over_is_refused(begun, phone):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    expect(phone.locator(".hero .big")).to_have_text("1,000")
    phone.locator("#by-hand").tap()
    begun.do(Bank())
    expect(phone.locator(".hero h1")).to_contain_text("Ben")
    phone.get_by_role("button", name="Skip Anna").tap()

    expect(phone.locator("#toast")).to_contain_text("moved on")
    assert begun.match.state.turn.seat == 1


def test_turn_and_score_are_set_by_hand(begun, phone):
    phone.locator("#by-hand").tap()
    turn = phone.locator("#hand form").nth(0)
    turn.get_by_label("Whose turn").select_option("Ben")
    turn.get_by_label("At risk").fill("450")
    turn.get_by_label("Dice").fill("3")
    turn.get_by_role("button").tap()
    expect(phone.locator("#hand")).to_be_hidden()
    phone.locator("#by-hand").tap()
    score = phone.locator("#hand form").nth(1)
    score.get_by_label("Score of").select_option("Anna")
    score.get_by_label("Points").fill("3200")
    score.get_by_role("button").tap()

    expect(phone.locator(".players .score").first).to_have_text("3,200")
    assert (begun.match.state.turn.seat, begun.match.state.turn.at_risk) == (1, 450)
    assert begun.match.state.dice_in_hand == 3


def test_correcting_an_older_turn_recalculates_the_scores(begun, phone, context):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    begun.do(EnterThrow((5, 5, 5, 2, 3, 4)))
    begun.do(Bank())
    phone.goto(f"{phone.url}turns")
    phone.locator("#turn-1 summary").tap()
    phone.locator("#turn-1 .past").tap()
    phone.locator("#pad-dice .slot").nth(3).tap()
    phone.locator("#pad .faces").get_by_label("5", exact=True).tap()

    expect(phone.locator("#turn-1 .sum")).to_have_text("1,050")
    assert begun.match.state.players[0].score == 1050


def test_open_question_is_shown_only_once(begun, phone):
    question = "Did Anna bank 350?"
    begun.show(
        question=question,
        message=question,
        choices=(Choice("1", "Yes"),),
        situation=Situation.QUESTION,
    )

    expect(phone.locator(".question h2")).to_have_text(question)
    expect(phone.locator(".message")).to_have_text("Hold for yes, press to read again")


def test_request_whose_answer_was_lost_is_repeated(begun, phone, context):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    lost = []

    def lose(route):
        if lost:
            return route.continue_()
        lost.append(route.fetch())
        return route.abort()

    context.route("**/api/v1/bank", lose)
    with phone.expect_response("**/api/v1/bank"):  # the answer to the second request
        phone.locator("#bank").tap()

    expect(phone.locator(".hero h1")).to_contain_text("Ben")
    assert begun.match.state.players[0].score == 1000
    expect(phone.locator("#toast")).to_be_hidden()


def test_die_is_corrected_on_the_photo(begun, phone):
    begun.album["p1"] = b""
    begun.do(EnterThrow((1, 2, 3, 4, 6, 6)))
    aside = PhotoDie(5, 0.9, 0.9, 0.1, 0.2, 0, "aside", None)
    spot = PhotoDie(2, 0.5, 0.5, 0.1, 0.2, 0, "tray", None, slot=1)
    begun.show(photo=Photo("p1", 640, 360, (aside, spot), index=0))

    phone.locator(".spot").tap()
    expect(phone.locator(".fix [aria-pressed=true]")).to_have_attribute("data-fix", "2")
    with phone.expect_response("**/api/v1/face"):
        phone.locator(".fix").get_by_label("1", exact=True).tap()

    assert begun.done[-1] == CorrectDie("p1", 1, 1)


def test_accepted_throw_is_read_again_in_two_taps(begun, phone):
    begun.do(EnterThrow((1, 2, 3, 4, 6, 6)))
    expect(phone.locator("#reread")).to_have_count(0)  # there is no camera
    begun.show(camera="one")
    expect(phone.locator("#reread")).to_have_count(1)
    phone.locator("#slot-1").tap()
    phone.locator("#reread").tap()

    expect(phone.get_by_role("alert")).to_contain_text("The dice have been thrown since")
    assert begun.done[-1] == ReadAgain()


def test_only_the_unread_die_has_to_be_tapped_in(begun, phone):
    begun.album["p1"] = b""
    faces = (1, 1, None, 3, 4, None)
    dice = tuple(PhotoDie(f, 0.1, 0.1, 0.1, 0.1, 0, "tray", None if f else "cocked") for f in faces)
    begun.show(situation=Situation.ATTENTION, photo=Photo("p1", 640, 360, dice))

    phone.locator(".slot.problem").last.tap()
    phone.locator("#chosen").get_by_label("1", exact=True).tap()

    expect(phone.locator(".slot.problem")).to_have_count(1)
    assert begun.done[-1] == CorrectDie("p1", 5, 1)


def test_uncertain_die_is_enlarged_without_a_tap(begun, phone):
    begun.album["p1"] = b""
    die = PhotoDie(2, 0.5, 0.5, 0.1, 0.2, 0, "tray", None)
    begun.show(situation=Situation.ATTENTION, photo=Photo("p1", 640, 360, (die,)))
    expect(phone.locator("#chosen")).to_be_hidden()

    cocked = replace(die, value=None, problem="cocked")
    begun.show(photo=Photo("p1", 640, 360, (die, cocked)))
    expect(phone.locator("#chosen .close-up")).to_have_attribute("src", "/api/v1/photo/p1/1.jpg")
    expect(phone.locator("[data-settling]")).to_have_count(0)
    phone.locator("#chosen").get_by_label("5", exact=True).tap()

    expect(phone.locator(".slot.problem")).to_have_count(0)
    assert begun.done[-1] == CorrectDie("p1", 1, 5)


def test_a_correction_concerns_the_die_that_was_tapped_although_the_board_changes(begun, phone):
    begun.album["p1"] = begun.album["p2"] = b""
    faces = (1, 1, 3, 2, None, 4)
    dice = tuple(
        PhotoDie(f, 0.1 * i + 0.1, 0.4, 0.05, 0.1, 0, "tray", None if f else "cocked")
        for i, f in enumerate(faces)
    )
    begun.show(situation=Situation.ATTENTION, photo=Photo("p1", 640, 360, dice))
    phone.locator("#seen-3").tap()
    begun.do(CorrectDie("p1", 1, 5))
    expect(phone.locator("#seen-1")).to_have_attribute("data-shows", "5")
    expect(phone.locator("#seen-3")).to_have_attribute("aria-pressed", "true")
    expect(phone.locator("[data-settling]")).to_have_count(0)
    phone.locator("#fix-6").tap()
    expect(phone.locator("#seen-3")).to_have_attribute("data-shows", "6")
    expect(phone.locator("#seen-4")).to_have_attribute("aria-pressed", "true")
    assert begun.done[-1] == CorrectDie("p1", 3, 6)

    phone.locator("#seen-2").tap()
    tap = "() => document.getElementById('fix-6').click()"
    phone.evaluate(f"document.addEventListener('swapped', {tap}, {{ once: true }})")
    elsewhere = tuple(replace(die, y=0.7) for die in dice)
    begun.show(photo=Photo("p2", 640, 360, elsewhere))
    expect(phone.locator("#seen-4")).to_have_attribute("data-photo", "p2")
    expect(phone.locator("#seen-4")).to_have_attribute("aria-pressed", "true")
    expect(phone.locator("[data-settling]")).to_have_count(0)
    phone.locator("#fix-2").tap()
    expect(phone.locator(".slot.problem")).to_have_count(0)
    assert begun.done[-1] == CorrectDie("p2", 4, 2)
    assert begun.done.count(CorrectDie("p2", 4, 6)) == 0


def test_enlarged_die_and_six_faces_are_visible_without_scrolling(begun, phone):
    begun.album["p1"] = b""
    begun.do(EnterThrow((1, 2, 3, 4, 6, 6)))
    dice = tuple(
        PhotoDie(f, 0.5, 0.5, 0.1, 0.2, 0, "tray", None, slot=i)
        for i, f in enumerate((1, 2, 3, 4, 6, 6))
    )
    begun.show(photo=Photo("p1", 640, 360, dice, index=0))
    phone.set_viewport_size({"width": 360, "height": 640})
    phone.get_by_role("button", name="die 5 of 6 shows 6, tap to change").tap()

    expect(phone.locator(".close-up")).to_have_attribute("src", "/api/v1/photo/p1/4.jpg")
    expect(phone.locator(".close-up")).to_be_in_viewport(ratio=1)
    for face in range(1, 7):
        expect(phone.locator(f"[data-fix='{face}']")).to_be_in_viewport(ratio=1)
    assert phone.evaluate("scrollY") == 0


def test_dice_are_tapped_in_without_a_camera(begun, context, serve):
    begun.show(simulated=False)
    phone = context.new_page()
    phone.goto(f"http://127.0.0.1:{serve(begun).port}/")

    phone.get_by_role("button", name="Tap in the dice").tap()
    for face in "112346":
        phone.locator("#pad .faces").get_by_label(face, exact=True).tap()
    phone.locator("#pad-enter").tap()

    expect(phone.locator(".hero .big")).to_have_text("200")
    expect(phone.locator("#pad")).to_be_hidden()


def test_question_is_answered_with_one_tap(begun, phone):
    choices = (Choice("bank", "Yes, Anna banked"), Choice("hot", "No, Anna threw again"))
    begun.show(question="Did Anna bank 350?", choices=choices, situation=Situation.QUESTION)

    expect(phone.locator(".choice").first).to_contain_text("or hold the button")
    phone.get_by_role("button", name="No, Anna threw again").tap()

    expect(phone.locator(".question")).to_be_hidden()
    assert begun.done[-1] == AnswerQuestion("hot")


def moves(table):
    return [command.down for command in table.done if isinstance(command, MoveSimulatedButton)]


def test_button_on_the_page_reports_down_and_up(begun, phone):
    box = phone.locator("#tray-button").bounding_box()
    phone.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    phone.mouse.down()
    expect(phone.locator("#lamp")).to_contain_text("let go to read")
    begun.show(lamp=Lamp("#3b82f6", 2, "let go to bank"))
    expect(phone.locator("#lamp")).to_contain_text("let go to bank")
    phone.mouse.up()

    expect(phone.locator("#lamp")).to_contain_text("ready")
    assert moves(begun) == [True, False]


def test_length_of_a_hold_is_measured_on_the_phone(begun, impatient_phone, serve):
    """The clock of the phone stands still during the hold, and goes on while the answer is late."""
    held, phone = [], impatient_phone
    phone.clock.install()
    phone.goto(f"http://127.0.0.1:{serve(begun).port}/")
    stop_timers(phone)

    def hold_back(route):
        if held:
            route.continue_()
        held.append(route)

    phone.route("**/api/v1/button", hold_back)
    phone.locator("#tray-button").tap()
    phone.clock.run_for(2000)
    expect(phone.locator("#toast")).to_have_text("Sending…")
    with phone.expect_response(lambda answer: '"down":false' in (answer.request.post_data or "")):
        held[0].continue_()
    up = begun.done[-1]

    assert not up.down
    assert up.seconds < 1


def test_button_on_the_page_is_held_by_keyboard(begun, phone):
    phone.locator("#tray-button").focus()
    phone.keyboard.down(" ")
    expect(phone.locator("#lamp")).to_contain_text("let go to read")
    phone.keyboard.up(" ")

    expect(phone.locator("#lamp")).to_contain_text("ready")
    assert moves(begun) == [True, False]


def test_refused_press_does_not_release_the_button(begun, phone, monkeypatch):
    def busy(command, _mark=None):
        begun.done.append(command)
        raise TableError(Message("the button is being held down"))

    monkeypatch.setattr(begun, "do", busy)
    phone.locator("#tray-button").tap()

    expect(phone.get_by_role("alert")).to_contain_text("being held down")
    assert moves(begun) == [True]


def test_answer_older_than_the_stream_is_ignored(begun, context, serve):
    """A page without a stream polled the board and gets the answer after the stream is back."""
    held = []
    page = context.new_page()
    page.add_init_script("AbortSignal.timeout = undefined")  # the page waits for its poll
    context.route("**/live", lambda route: route.abort(), times=1)
    context.route("**/sections", lambda route: held.append((route, route.fetch())))
    with page.expect_response("**/live"):
        page.goto(f"http://127.0.0.1:{serve(begun).port}/")
    until(lambda: page.wait_for_timeout(50) or held)
    begun.do(EnterThrow((1, 1, 3, 4, 5, 6)))
    expect(page.locator(".keeps")).to_be_visible()
    with page.expect_response("**/sections"):
        for route, before in held:
            route.fulfill(response=before)
    page.wait_for_function("() => new Promise((done) => setTimeout(done))")

    expect(page.locator(".keeps")).to_be_visible()


def test_quick_presses_keep_their_number_and_order(begun, phone):
    button = phone.locator("#tray-button")
    button.focus()
    for _ in range(5):
        phone.keyboard.press("Enter")

    expect(phone.locator("#lamp")).to_contain_text("ready")
    until(lambda: len(moves(begun)) >= 10)
    assert moves(begun) == [True, False] * 5


def test_focus_stays_while_the_board_changes(begun, phone):
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    expect(phone.locator("#keep-113335")).to_be_visible()
    expect(phone.locator("[data-settling]")).to_have_count(0)
    phone.locator("#keep-113335").focus()
    phone.keyboard.press("Enter")

    expect(phone.locator("#keep-113335")).to_have_attribute("aria-pressed", "true")
    expect(phone.locator("#keep-113335")).to_be_focused()


def test_focus_stays_in_the_scores_and_on_an_old_throw(begun, phone):
    phone.locator("#players [href='/matches']").focus()
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    expect(phone.locator("#players .score").first).to_have_text("1,000")
    expect(phone.locator("#players [href='/matches']")).to_be_focused()

    phone.goto(f"{phone.url}turns")
    phone.locator("#turn-1 summary").tap()
    phone.locator("#turn-1 .past").focus()
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(Bank())
    expect(phone.locator("#turn-2")).to_be_visible()
    expect(phone.locator("#turn-1 .past")).to_be_focused()


def test_focus_moves_to_the_board_if_its_element_disappears(begun, phone):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    phone.locator("#slot-3").tap()
    phone.locator("#chosen [data-fix='5']").focus()
    phone.keyboard.press("Enter")

    expect(phone.locator("#chosen")).to_be_hidden()
    expect(phone.locator("#board")).to_be_focused()


def test_unfolded_keeps_stay_open_until_the_next_throw(begun, phone):
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    phone.locator("[data-more]").tap()
    last = phone.locator("#keep-5")
    last.focus()
    begun.advise(CoachMode.LIVE)
    expect(phone.locator(".figures").first).to_be_visible()
    expect(last).to_be_focused()

    begun.do(KeepDice((3, 3, 3)))
    begun.do(EnterThrow((1, 1, 5)))
    expect(phone.locator("#keep-115")).to_be_visible()
    expect(phone.locator("#more-keeps")).to_be_hidden()


def test_names_being_typed_survive_an_update(phone, table):
    phone.get_by_label("Name of player 1", exact=True).fill("An")
    table.show(message="something happened", lamp=Lamp("#ffffff", 0, "busy"))

    expect(phone.locator("#lamp")).to_contain_text("busy")
    expect(phone.get_by_label("Name of player 1", exact=True)).to_have_value("An")


def test_all_phones_show_the_same_score(begun, phone, context):
    other = context.new_page()
    other.goto(phone.url)

    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))

    for page in (phone, other):
        expect(page.locator(".hero .big")).to_have_text("550")


def test_page_reconnects_to_a_restarted_server(begun, context, serve):
    server = serve(begun)
    phone = context.new_page()
    phone.goto(f"http://127.0.0.1:{server.port}/")
    expect(phone.locator("#turn")).to_contain_text("throws six dice")

    server.stop()
    expect(phone.locator("#link")).to_have_text("Reconnecting…")
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    serve(begun, server.port)

    expect(phone.locator(".hero .big")).to_have_text("550")
    expect(phone.locator("#link")).to_be_hidden()


def test_phone_that_wakes_up_is_updated(begun, phone):
    sleep = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true})"
    changed = "document.dispatchEvent(new Event('visibilitychange'))"
    phone.evaluate(f"{sleep % 'true'}; {changed}")
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    phone.wait_for_timeout(300)
    expect(phone.locator("#turn")).to_contain_text("throws six dice")

    phone.evaluate(f"{sleep % 'false'}; {changed}")

    expect(phone.locator(".hero .big")).to_have_text("550")


def test_page_polls_if_no_stream_is_free(begun, context, serve):
    server = serve(begun, limit=1)
    pages = [context.new_page() for _ in range(2)]
    for page in pages:
        page.goto(f"http://127.0.0.1:{server.port}/")

    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))

    for page in pages:
        expect(page.locator(".hero .big")).to_have_text("550")
        expect(page.locator("#link")).to_be_hidden()


def test_nothing_is_cut_off_at_any_width(begun, phone):
    begun.do(StartMatch(("A name of twenty-four ch", "WWWWWWWWWWWWWWWWWWWWWWWW")))
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    expect(phone.locator(".hero .big")).to_have_text("550")

    for width in (320, 390, 820, 1280):
        phone.set_viewport_size({"width": width, "height": 700})
        assert phone.evaluate("document.documentElement.scrollWidth") <= width


def test_every_button_is_large_enough_for_a_thumb(begun, phone):
    begun.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    expect(phone.locator("#keep-113335")).to_be_visible()

    sizes = [
        (button.get_attribute("id"), button.bounding_box())
        for button in phone.locator("button:visible, a:visible:not(p a), summary").all()
    ]

    small = [(name, box) for name, box in sizes if min(box["width"], box["height"]) < 44]
    assert small == []


def tap_twice(page, selector):
    page.locator(selector).evaluate("(button) => { button.click(); button.click(); }")


def test_double_tap_enters_a_throw_once(begun, context, serve):
    begun.show(simulated=False)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{serve(begun).port}/")
    page.get_by_role("button", name="Tap in the dice").tap()
    for face in "223346":
        page.locator("#pad .faces").get_by_label(face, exact=True).tap()
    tap_twice(page, "#pad-enter")

    expect(page.locator("#pad")).to_be_hidden()
    expect(page.locator(".hero h1")).to_contain_text("Ben")
    assert [type(command) for command in begun.done] == [StartMatch, EnterThrow]


def test_double_tap_starts_a_match_once(phone, table):
    tap_twice(phone, "#start")

    expect(phone.locator(".hero h1")).to_contain_text("Player 1")
    phone.locator("#undo").wait_for()
    assert [type(command) for command in table.done] == [StartMatch]


def test_question_after_a_correction_is_answered_on_the_same_page(begun, phone):
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.do(KeepDice((1, 1, 1)))
    begun.do(EnterThrow((1, 5, 2)))
    begun.do(Bank())
    phone.goto(f"{phone.url}turns")
    phone.locator("#turn-1 summary").tap()
    phone.locator("#turn-1 .past").first.tap()
    phone.locator("#pad-dice .slot").first.tap()
    phone.locator("#pad .faces").get_by_label("2", exact=True).tap()
    expect(phone.locator("#question h2")).to_contain_text("What happened?")
    phone.locator(".choice").first.tap()

    expect(phone.locator("#question")).to_be_hidden()
    expect(phone.locator("#message")).to_be_visible()
    assert begun.match.timeline[0].dice == (1, 1, 2, 2, 3, 4)


def test_refusal_is_shown_above_the_open_dialog(begun, phone):
    phone.locator("#by-hand").tap()
    rename = phone.locator("#hand form[data-submit$=rename]")
    rename.get_by_label("New name").fill("Ben")
    rename.get_by_role("button").tap()
    toast = phone.locator("#toast")
    expect(toast).not_to_be_empty()
    toast.evaluate("toast => { toast.style.pointerEvents = 'auto'; }")  # `ON_TOP` finds only these
    assert toast.evaluate(ON_TOP)
    phone.locator("#hand [data-enter]").tap()  # replaces the first dialog
    expect(phone.locator("#hand")).to_be_hidden()
    phone.locator("#pad .faces").get_by_label("1", exact=True).tap()
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    phone.locator("#pad-enter").tap()
    expect(toast).to_contain_text("moved on")
    assert toast.evaluate(ON_TOP)


def test_more_than_six_dice_are_tapped_in_without_a_match(table, phone):
    table.do(SetJustDice(on=True))
    phone.locator("#enter [data-enter]").tap()
    for face in "1234561234":
        phone.locator("#pad .faces").get_by_label(face, exact=True).tap()
    assert phone.locator("#pad-enter").evaluate(ON_TOP)
    phone.locator("#pad-enter").tap()

    expect(phone.locator(".hero .big")).to_have_text("31")


def test_adding_a_die_keeps_all_dice_that_were_read(begun, phone):
    begun.album["p1"] = b""
    dice = [PhotoDie(f, 0.1, 0.1, 0.1, 0.1, 0, "tray", None) for f in (1, 1, 1, 2, 4, 5, 6)]
    begun.show(situation=Situation.ATTENTION, photo=Photo("p1", 640, 360, tuple(dice)))
    phone.locator("[data-missed]").tap()

    expect(phone.locator("#pad-dice .slot")).to_have_count(7)


def test_question_after_a_correction_of_the_winning_throw_takes_the_place_of_the_tapped_die(
    phone, table
):
    table.do(StartMatch(("Anna", "Ben"), target=1000))
    for dice in ((1, 1, 1, 1, 2, 3), (1, 1, 1, 2, 3, 4)):
        table.do(EnterThrow(dice))
        table.do(Bank())
    phone.locator("#slot-0").tap()
    phone.locator("#fix-2").tap()

    expect(phone.locator(".question h2")).to_contain_text("What happened?")
    expect(phone.locator("#chosen")).to_be_hidden()
    expect(phone.locator("#rematch")).to_have_attribute("aria-disabled", "true")
    phone.locator("#slot-1").tap()
    phone.locator("#choice-1").tap()
    expect(phone.locator(".hero")).to_contain_text("at risk")
    assert table.match.state.winner is None


def test_pad_counts_the_dice_and_their_points(begun, phone):
    phone.locator("#by-hand").tap()
    phone.locator("#hand [data-enter]").tap()
    for face in (1, 5, 3):
        phone.locator(f"#pad [data-face='{face}']").tap()

    expect(phone.locator("#pad-hint")).to_have_text("3 of 6 dice · 150 points")


def test_each_photo_is_uploaded_under_its_own_id(begun, phone):
    begun.show(simulated=False)
    sent = []

    def answer(route):
        sent.append(route.request.post_data_json["upload"])
        route.fulfill(json={"at": 0})

    phone.route("**/api/v1/picture**", answer)
    phone.route("**/api/v1/picture/part", answer)
    for _ in range(2):
        with phone.expect_file_chooser() as chooser, phone.expect_response("**/picture"):
            phone.locator("#take-picture").tap()
            chooser.value.set_files({"name": "a.png", "mimeType": "image/png", "buffer": b"dice"})

    assert sent[0] == sent[1] != sent[2] == sent[3]


TIMEOUT = """AbortSignal.timeout = () => {
  window.request = new AbortController();
  return request.signal;
}"""
"""Lets a test end the time of the newest request."""


def test_a_roll_whose_download_hangs_can_be_shown_again_later(begun, phone):
    begun.album["p1"] = b""
    begun.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    begun.show(photo=Photo("p1", 640, 360, (), index=0, has_clip=True))
    phone.evaluate(TIMEOUT)
    phone.route("**/*.mjpeg", lambda _: None)
    phone.locator("#roll-again").tap()
    expect(phone.locator("#toast")).to_have_text("Loading…")
    phone.evaluate("request.abort()")
    expect(phone.locator("#toast")).to_contain_text("not responding")

    with phone.expect_request("**/*.mjpeg"):
        phone.locator("#roll-again").tap()
