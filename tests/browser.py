"""Debian's Chromium, driven by Playwright, for tests of the page."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.waiting import PATIENCE_S

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
PATIENCE_MS = 1000 * PATIENCE_S
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
        browser.on("context", lambda context: context.set_default_timeout(PATIENCE_MS))
        yield browser
        browser.close()


def wait_before_taps(page: Page) -> None:
    """Let every later tap on a page wait while its buttons have just changed, because they accept no tap then."""
    page.add_locator_handler(page.locator("[data-settling]").first, lambda: None)


def open_with_pencil(page: Page, address: str) -> None:
    """Open the scorekeeper's link and wait until the server has answered."""
    with page.expect_response("**/api/v1/pencil/link"):
        page.goto(address)


def new_page(browser: Browser, **options: Any) -> Page:
    """Open a page in a context of its own, which waits long enough for a busy machine."""
    page = browser.new_page(**options)
    page.set_default_timeout(PATIENCE_MS)
    return page


REQUESTS = Path(__file__).parents[1] / "web" / "static" / "requests.js"
LONGER = """(() => {
  const wait = setTimeout;
  window.setTimeout = (job, ms, ...given) => wait(job, %s.includes(ms) ? %s : ms, ...given);
})();"""


def never_late(context: BrowserContext) -> None:
    """Let no answer be late for the pages of a phone, and no toast disappear, however slow the machine is.

    A page drops some taps that are made while an answer is late.
    """
    found = re.findall(r"const (?:LATE|TOAST)_MS = (\d+);", REQUESTS.read_text("utf-8"))
    assert len(found) == 2
    context.add_init_script(LONGER % ([*map(int, found)], PATIENCE_MS))


JUMP_S = 15
"""Short enough that a page with a stream does not believe it lost."""


def stop_timers(page: Page) -> None:
    """Stop the timers of a page, so that only `page.clock` fires them.

    Call `page.clock.install()` before the page is opened.
    """
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + JUMP_S)
