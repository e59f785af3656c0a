"""Debian's Chromium, driven by Playwright, for tests of the page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium-headless-shell") or "/usr/bin/chromium"
"""The headless shell has the same engine and takes half the time."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 390, "height": 844}
PATIENCE_MS = 60_000
"""Long enough for a busy machine."""

ON_TOP = """(element) => {
  const box = element.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const found = document.elementFromPoint(x, y);
  return Boolean(found) && (element.contains(found) || found.contains(element));
}"""
"""JavaScript that returns whether nothing covers the centre of an element."""


@contextmanager
def chromium() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def open_with_pencil(page: Page, address: str) -> None:
    """Open the scorekeeper's link and wait until the server has answered."""
    with page.expect_response("**/api/v1/pencil/link"):
        page.goto(address)
