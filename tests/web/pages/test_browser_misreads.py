"""Pictures of corrected throws: kept, saved and deleted on a phone."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser import PHONE
from tests.web.api.test_misreads import MemoryMisreads
from tests.web.conftest import PHONE_COOKIE, make_app
from web.access.phone import COOKIE
from web.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def corrections():
    return MemoryMisreads()


@pytest.fixture
def context(browser, table, corrections):
    server = Server(make_app(table, misreads=corrections), "127.0.0.1", 0)
    server.start()
    context = browser.new_context(viewport=PHONE, base_url=f"http://127.0.0.1:{server.port}")
    yield context
    server.stop()


def test_scorekeeper_keeps_saves_and_deletes_pictures(context, corrections):
    context.add_cookies([{"name": COOKIE, "value": PHONE_COOKIE, "url": "http://127.0.0.1/"}])
    page = context.new_page()
    page.goto("/health")
    with page.expect_response("**/corrections/switch"):
        page.get_by_label("Keep these photos").check()
    assert corrections.now.on

    corrections.now = replace(corrections.now, pictures=2, size_bytes=800_000)
    page.reload()
    with page.expect_download() as download:
        page.get_by_text("Save them", exact=True).click()
    assert download.value.suggested_filename == "traykeeper-corrections.zip"
    page.get_by_role("button", name="Delete them").click()
    page.get_by_role("button", name="No", exact=True).click()
    page.get_by_role("button", name="Delete them").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".kept")).to_have_text("No photos are stored at the moment.")


def test_watcher_sees_only_the_number_of_pictures(context, corrections):
    corrections.now = replace(corrections.now, pictures=2, size_bytes=800_000)
    page = context.new_page()
    page.goto("/health")

    expect(page.get_by_text("2 photos are stored")).to_be_visible()
    expect(page.get_by_label("Keep these photos")).to_be_hidden()
    expect(page.get_by_text("Save them", exact=True)).to_be_hidden()
