"""A phone takes photos of real dice on the page: no camera, no tray, real HTTP."""

import json
import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser import PHONE, open_as_scorekeeper, wait_before_taps
from tests.device.rig import open_rig
from web.app import create_app, new_link
from web.server import Server

pytestmark = pytest.mark.browser
NAME = "lk001.jpg"
"""Six dice on a table, seen from above."""


@pytest.fixture(scope="module")
def shared():
    """The photo, and the true faces of its dice."""
    folder = Path(os.environ.get("TRAYKEEPER_PICTURES", "no such folder"), "photos")
    if not (folder / NAME).exists():
        pytest.skip("no photos: set TRAYKEEPER_PICTURES to the folder of photos/")
    labels = map(json.loads, (folder / "labels.jsonl").read_text().splitlines())
    return folder / NAME, next(label["values"] for label in labels if label["file"] == NAME)


@pytest.fixture
def phone(browser, tmp_path):
    """The page of a table without a camera, on the scorekeeper's phone."""
    with open_rig(tmp_path, open_camera=None, simulated=False, opened=False) as rig:
        app = create_app(rig.companion, scorekeeper=rig.companion.scorekeeper)
        page = browser.new_page(viewport=PHONE, reduced_motion="reduce", has_touch=True)
        wait_before_taps(page)
        with Server(app, "127.0.0.1", 0) as server:
            open_as_scorekeeper(page, f"http://127.0.0.1:{server.port}/{new_link(app)}")
            rig.companion.process_all()
            expect(page.locator("html.holder")).to_be_attached()
            page.locator("#name-0").fill("Anna")
            page.locator("#name-1").fill("Ben")
            page.locator("#start").tap()
            yield page
        page.close()


def take(page, picture):
    with page.expect_file_chooser() as chooser:
        page.locator("#take-picture").tap()
    chooser.value.set_files(picture)


def test_a_real_photo_becomes_a_throw_and_is_corrected_by_a_tap(phone, shared):
    picture, values = shared
    take(phone, picture)
    expect(phone.locator("#throw .big-dice .slot")).to_have_count(len(values))

    assert json.loads(phone.locator("#throw .big-dice").get_attribute("data-dice")) == values
    expect(phone.locator(".photo img")).to_be_visible()
    expect(phone.locator("#bank")).to_contain_text("Bank")
    phone.locator("#slot-0").tap()
    expect(phone.locator(".close-up")).to_be_visible()
    phone.locator("[data-fix='6']").tap()
    corrected = sorted([6, *values[1:]])
    expect(phone.locator("#throw .big-dice")).to_have_attribute("data-dice", json.dumps(corrected))


def test_a_large_photo_is_made_smaller_on_the_phone(phone, shared, tmp_path):
    picture, values = shared
    large = cv2.resize(cv2.imread(str(picture)), None, fx=2.5, fy=2.5)
    noise = np.random.default_rng(1).integers(0, 24, large.shape, np.uint8)
    file = tmp_path / "large.jpg"
    cv2.imwrite(str(file), cv2.add(large, noise), [cv2.IMWRITE_JPEG_QUALITY, 97])
    assert file.stat().st_size > 5_000_000
    sent = []
    phone.on("request", lambda request: sent.append(len(request.post_data or "")))
    take(phone, file)
    expect(phone.locator("#throw .big-dice .slot")).to_have_count(len(values))

    assert sum(sent) < 3_000_000


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("letter.txt", b"Dear Anna", "That is not a photo"),
        ("IMG_1.HEIC", b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", "HEIC"),
        ("large.jpg", "8000x5000", "40 megapixels"),
        ("felt.png", "800x600", "There are no dice in that photo"),
        ("nothing.jpg", b"", "That is not a photo"),
    ],
)
def test_a_file_without_dice_is_refused_in_one_line(phone, tmp_path, name, data, words):
    if isinstance(data, str):
        width, height = map(int, data.split("x"))
        felt = np.full((height, width, 3), (60, 90, 40), np.uint8)
        data = cv2.imencode(Path(name).suffix, felt)[1].tobytes()
    (tmp_path / name).write_bytes(data)
    take(phone, tmp_path / name)

    expect(phone.locator("#toast")).to_contain_text(words)
    expect(phone.locator(".hero h1")).to_contain_text("Anna")


def test_a_watching_phone_is_offered_to_keep_score(phone, browser):
    watcher = browser.new_page(viewport=PHONE)
    watcher.goto(phone.url)
    expect(watcher.locator("#take-picture")).to_be_hidden()
    watcher.close()
