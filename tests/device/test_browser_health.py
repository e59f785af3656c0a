"""The health page on a phone: a backup is saved and restored."""

import pytest
from playwright.sync_api import expect

from device.app import PlayOptions, serving
from device.storage.backup import read
from game.commands import EnterThrow, StartMatch
from tests.browser import PHONE, open_as_scorekeeper
from web.app import new_link

pytestmark = pytest.mark.browser


def test_a_backup_is_saved_to_the_phone_and_restored(browser, tmp_path):
    options = PlayOptions(camera="usb:97", host="127.0.0.1", port=0, state=str(tmp_path))
    with serving(options) as (companion, server):
        companion.do(StartMatch(("Anna", "Ben")))
        companion.do(EnterThrow((1, 1, 1, 2, 3, 4)))
        page = browser.new_page(viewport=PHONE)
        open_as_scorekeeper(page, f"http://127.0.0.1:{server.port}/{new_link(server.app)}")
        expect(page.locator("html.holder")).to_be_attached()
        page.goto(f"http://127.0.0.1:{server.port}/health")
        with page.expect_download() as download:
            page.get_by_text("Save a backup").click()
        saved = tmp_path / download.value.suggested_filename
        download.value.save_as(saved)
        assert read(saved).matches == 1
        companion.do(StartMatch(("Cleo", "Dan")))

        page.locator("#restore").set_input_files(saved)
        expect(page.get_by_role("dialog")).to_contain_text(saved.name)
        page.get_by_role("button", name="No").click()
        page.locator("#restore").set_input_files(saved)
        page.get_by_role("button", name="Restore", exact=True).click()
        expect(page.locator("#toast")).to_contain_text("The backup was restored.")
        assert companion.snapshot().match.state.player.name == "Anna"

        broken = tmp_path / "broken.zip"
        broken.write_bytes(saved.read_bytes()[:-30])
        page.locator("#restore").set_input_files(broken)
        page.get_by_role("button", name="Restore", exact=True).click()
        expect(page.locator("#toast")).to_contain_text("this backup cannot be used")
