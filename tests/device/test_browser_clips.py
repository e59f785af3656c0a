"""The roll of a throw is recorded, shown again on a phone, and deleted with its photo."""

import pytest
from playwright.sync_api import expect

from device.storage.throw_pictures import FRAMES_FOLDER, ThrowPictures, delete_after
from game.commands import StartMatch
from game.journal.history import History
from tests.browser import PHONE
from tests.device.rig import open_rig
from tests.device.test_clips import Keeper
from tests.web.conftest import make_app
from web.server import Server

pytestmark = pytest.mark.browser


NOTICE_PLAYING = """new MutationObserver(() => {
  if (document.querySelector("#roll-play[aria-pressed=true]")) globalThis.hasPlayed = true;
}).observe(document, { subtree: true, attributes: true });"""
"""JavaScript that notices when a clip is played, which takes only a few seconds."""


@pytest.fixture
def pictures(tmp_path):
    return ThrowPictures(tmp_path / FRAMES_FOLDER)


@pytest.fixture
def rig(tmp_path, pictures):
    with open_rig(tmp_path, throw_pictures=pictures) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        yield rig


@pytest.fixture
def phone(browser, rig, pictures, tmp_path):
    errors = []
    history = History(tmp_path / "journal.db")
    app = make_app(rig.companion, history=history, maintainer=Keeper(pictures))
    with Server(app, "127.0.0.1", 0) as server:
        page = browser.new_page(viewport=PHONE, base_url=f"http://127.0.0.1:{server.port}")
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.add_init_script(NOTICE_PLAYING)
        yield page
    assert errors == []


def picture(phone):
    return phone.evaluate("document.getElementById('roll-picture').toDataURL()")


def play_and_step(phone):
    """Play the clip to its end, then step back and on."""
    slider, when = phone.locator("#roll-at"), phone.locator("#roll-when")
    phone.wait_for_function("() => globalThis.hasPlayed")
    phone.locator("#roll-slow").click()
    expect(phone.locator("#roll-play")).to_have_attribute("aria-pressed", "false")
    assert slider.input_value() == slider.get_attribute("max")
    expect(when).to_have_text("at rest")
    last = picture(phone)
    tops = [each.bounding_box()["y"] for each in phone.locator(".roll-steps button").all()]
    assert len(set(tops)) == 1
    for _ in range(3):
        phone.locator("#roll-back").click()
    expect(when).to_contain_text("s before coming to rest")
    assert picture(phone) != last
    for _ in range(3):
        phone.locator("#roll-on").click()
    assert picture(phone) == last
    phone.locator("#roll [data-close]").click()
    expect(phone.locator("#roll")).to_be_hidden()


def test_roll_is_recorded_played_and_deleted(rig, phone, pictures, tmp_path):
    phone.goto("/")
    rig.throw(1, 1, 2, 3, 4, 6)
    phone.locator("#roll-again").click()
    play_and_step(phone)

    rig.tray.set_aside((1, 1))
    rig.throw(2, 3, 4, 6)
    pictures.close()
    phone.goto("/turns")
    phone.locator("#open-1").click()
    older = phone.locator(".past-row .roll-again:visible")
    expect(older).to_have_count(2)
    older.first.click()
    play_and_step(phone)

    phone.goto("/matches/last")
    phone.locator("#replay-roll").click()
    play_and_step(phone)

    phone.goto("/turns")
    phone.locator("#open-1").click()
    expect(older).to_have_count(2)
    delete_after(tmp_path / FRAMES_FOLDER, 0)
    older.last.click()  # the other one may be in the browser's cache
    expect(phone.locator("#toast")).to_contain_text("There is no clip of that throw")
    with phone.expect_response("**/clips"):
        phone.reload()
    phone.locator("#open-1").click()
    expect(older).to_have_count(0)
