"""Debian's Chromium, driven by Playwright, for every test that looks at the page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium-headless-shell") or "/usr/bin/chromium"
"""The shell is the same engine without the window around it: half of the time."""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 390, "height": 844}
PATIENCE_MS = 30_000
"""A machine that does other things, too, is no reason to fail."""

ON_TOP = """(element) => {
  const box = element.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const found = document.elementFromPoint(x, y);
  return Boolean(found) && (element.contains(found) || found.contains(element));
}"""
"""Whether nothing lies over the middle of an element."""


@contextmanager
def chromium() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def open_with_pencil(page: Page, address: str) -> None:
    """Opens a link that gives the pencil, and waits until the table has heard of it."""
    with page.expect_response("**/api/v1/pencil/link"):
        page.goto(address)
