"""The whole calibration on a phone, with real Chromium, HTTP, camera thread and reader."""

import pytest
from playwright.sync_api import expect

from device.app import PlayOptions, serving
from device.calibrating.profile_file import PROFILE_FILE, load
from tests import waiting
from tests.browser import PHONE
from web.app import new_link

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TRIES = 12


@pytest.fixture
def table(tmp_path):
    options = PlayOptions(
        camera="sim",
        host="127.0.0.1",
        port=0,
        state=str(tmp_path),
        still_s=0.15,
        roll_s=0.3,
        seed=4,
    )
    with serving(options) as (companion, server):
        waiting.until(lambda: companion.snapshot().camera is not None)
        yield companion, f"http://127.0.0.1:{server.port}", new_link(server.app)


@pytest.fixture
def phone(browser, table):
    errors = []
    context = browser.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce")
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    page.goto(f"{table[1]}/{table[2]}")
    expect(page.locator("html.holder")).to_be_attached()
    page.goto(f"{table[1]}/calibrate")
    expect(page.locator("#words")).not_to_contain_text("not looked for")
    expect(page.locator("#handles .handle")).to_have_count(8)
    yield page
    assert [error for error in errors if "409" not in error] == []


def test_a_watcher_is_asked_to_become_the_scorekeeper_and_sees_no_error(browser, table):
    page = browser.new_context(viewport=PHONE).new_page()
    page.goto(f"{table[1]}/calibrate")

    expect(page.get_by_text("Only the scorekeeper can calibrate")).to_be_visible()
    expect(page.locator("#view")).to_be_hidden()
    expect(page.locator("#toast")).to_be_empty()
    page.context.close()


def drag(phone, handle, right, down):
    """Drag a corner with one finger."""
    box = phone.locator(f"{handle} .dot").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    phone.mouse.move(x, y)
    phone.mouse.down()
    phone.mouse.move(x + right / 2, y + down / 2)
    expect(phone.locator("#loupe")).to_be_visible()
    phone.mouse.move(x + right, y + down)
    phone.mouse.up()
    expect(phone.locator("#loupe")).to_be_hidden()


def until(companion, holds):
    waiting.until(
        lambda: holds(companion.tray_camera.wizard.state()), said=companion.tray_camera.wizard.state
    )


def throw_and(phone, step, button, shown):
    """Throw until the page shows the result; a reading may be uncertain."""
    for _ in range(TRIES):
        phone.locator(f"[data-step={step}] .throw").click()
        phone.locator(f"[data-step={step}] .throw:not(.busy)").wait_for()
        phone.wait_for_timeout(600)
        phone.locator(button).click()
        phone.locator(f"{button}:not(.busy)").wait_for()
        if shown():
            return
    raise AssertionError(f"{step}: never read")


def test_the_whole_calibration_from_finding_the_tray_to_saving(table, phone, tmp_path):
    companion, address, _ = table
    before = companion.tray_camera.wizard.state().tray
    drag(phone, "#tray-0", -30, -20)
    until(companion, lambda state: state.tray[0] != before[0])
    dragged = companion.tray_camera.wizard.state().tray[0]
    assert dragged[0] == pytest.approx(before[0][0] - 30 / 390, abs=0.01)
    assert companion.tray_camera.wizard.state().tray[1:] == before[1:]
    phone.locator("#tray-0").focus()
    phone.keyboard.press("Shift+ArrowRight")
    until(companion, lambda state: state.tray[0][0] > dragged[0])

    phone.get_by_text("Find the corners again").click()
    until(companion, lambda state: state.tray[0] == pytest.approx(before[0], abs=0.01))
    phone.locator("#aside").click()
    expect(phone.locator("#aside")).to_have_text("Set-aside area: off")
    phone.locator("#aside").click()
    expect(phone.locator("#aside")).to_have_text("Set-aside area: on")
    phone.locator("#next").click()

    expect(phone.locator("#findings li")).to_have_count(4)
    phone.locator("#next").click()

    until(companion, lambda _: companion.tray_camera.wizard.button_use == "button")
    phone.locator("#calibrate [data-press]").click()
    expect(phone.locator("#part-press")).to_have_class("good")
    phone.locator("#calibrate [data-press]").click(delay=1300)
    expect(phone.locator("#part-hold")).to_have_class("good")
    phone.locator("[data-show=green]").click()
    expect(phone.locator("#lamp-question")).to_have_text("Is the lamp green now?")
    until(companion, lambda _: companion.snapshot().lamp.colour == "#00fe00")
    phone.get_by_text("Yes").click()
    expect(phone.locator("[data-show=green]")).to_contain_class("good")
    until(companion, lambda _: companion.snapshot().lamp.colour != "#00fe00")
    phone.locator("#next").click()

    known = phone.locator("#dice-words")
    throw_and(phone, "dice", "#learn", lambda: "knows your dice" in known.inner_text())
    phone.locator("#next").click()

    passed = phone.locator("#trials .die")
    throw_and(phone, "test", "#read", lambda: passed.count() == 18)
    expect(phone.locator("#trials")).to_contain_text("Traykeeper is ready")
    phone.locator("#next").click()

    assert not (tmp_path / PROFILE_FILE).exists()
    phone.locator("#next").click()
    expect(phone.locator("#save-title")).to_have_text("Saved")
    profile = load(tmp_path / PROFILE_FILE)
    assert profile.dice.dice >= 12
    assert profile.aside is not None
    phone.locator("#next").click()
    expect(phone).to_have_url(f"{address}/")


def test_the_draft_is_still_there_after_leaving_and_coming_back(table, phone):
    drag(phone, "#tray-2", -25, -15)
    until(table[0], lambda state: str(state.words).startswith("The corners are where you"))
    there = table[0].tray_camera.wizard.state().tray
    phone.goto(f"{table[1]}/")
    phone.goto(f"{table[1]}/calibrate")

    expect(phone.locator("#words")).to_contain_text("where you put them")
    assert table[0].tray_camera.wizard.state().tray == there


def test_every_target_is_large_enough_for_a_thumb_and_nothing_is_cut_off(phone):
    for step in range(6):
        phone.locator(f"[data-go='{step}']").click()
        expect(phone.locator("[data-step]").nth(step)).to_be_visible()
        phone.wait_for_timeout(200)
        for button in phone.locator("main button:visible").all():
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 44, button.inner_text()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= PHONE["width"]


PLACE = "**/calibration/place"


def test_arrow_keys_move_a_corner_all_the_way_over_a_slow_network(table, phone):
    before = table[0].tray_camera.wizard.state().tray[0][0]
    slow = []
    phone.route(PLACE, lambda place: slow.append(place))  # noqa: PLW0108 - playwright marks it
    phone.locator("#tray-0").focus()
    for _ in range(10):
        phone.keyboard.press("ArrowRight")
    while not slow:
        phone.wait_for_timeout(50)
    with phone.expect_response(PLACE):
        slow.pop().continue_()
    phone.keyboard.press("ArrowRight")
    phone.unroute(PLACE)
    for late in slow:
        late.continue_()

    until(table[0], lambda state: state.tray[0][0] == pytest.approx(before + 0.022, abs=1e-4))


def test_the_next_step_opens_while_the_picture_is_still_checked(phone):
    never = []
    phone.route("**/calibration/check", lambda check: never.append(check))  # noqa: PLW0108 - see above
    phone.locator("[data-go='1']").click()
    while not never:
        phone.wait_for_timeout(50)
    phone.locator("[data-go='2']").click()

    expect(phone.locator("[data-step=parts]")).to_be_visible()


def test_the_page_stays_at_the_corners_if_they_are_refused(phone):
    refusal = {"status": 409, "json": {"detail": "the corners are in the wrong order"}}
    phone.route(PLACE, lambda place: place.fulfill(**refusal))
    phone.locator("#next").click()

    expect(phone.locator("#toast")).to_have_text("The corners are in the wrong order")
    expect(phone.locator("[data-step=tray]")).to_be_visible()
