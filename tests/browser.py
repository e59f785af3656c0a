"""Debian's Chromium, driven by Playwright, for tests of the page."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
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
TRACES = os.environ.get("TRAYKEEPER_TRACES")
"""Folder for the recordings of tests that fail, which `playwright show-trace` shows. None records nothing."""

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
    """Start a Chromium whose pages wait long enough for a busy machine."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name in ("new_context", "new_page"):
            setattr(browser, name, _patient(getattr(browser, name)))
        yield browser
        browser.close()


def _patient(make: Callable[..., Any]) -> Callable[..., Any]:
    """Let all contexts or pages that a function makes wait long enough for a busy machine."""

    @wraps(make)
    def made(**options: Any) -> Any:
        opened = make(**options)
        opened.set_default_timeout(PATIENCE_MS)
        if TRACES:
            context = opened.context if isinstance(opened, Page) else opened
            context.tracing.start(snapshots=True, screenshots=True)
        return opened

    return made


def wait_before_taps(page: Page) -> None:
    """Let every later tap on a page wait while a button has just changed and accepts no tap."""
    page.add_locator_handler(page.locator("[data-settling]").first, lambda: None)


def open_as_scorekeeper(page: Page, address: str) -> None:
    """Open the scorekeeper's link and wait until the server has answered."""
    with page.expect_response("**/api/v1/scorekeeper/link"):
        page.goto(address)


REQUESTS = Path(__file__).parents[1] / "web" / "static" / "requests.js"
LONGER = """(() => {
  const wait = setTimeout;
  window.setTimeout = (job, ms, ...given) => wait(job, %s.includes(ms) ? %s : ms, ...given);
})();"""


def never_late(context: BrowserContext) -> None:
    """Let no answer be late for the pages of a phone, and no toast disappear, however slow the machine is.

    A page drops some taps that are made while an answer is late. All other timers of the same lengths
    (1 s and 7 s) also wait 60 s.
    """
    found = re.findall(r"const (?:LATE|TOAST)_MS = (\d+);", REQUESTS.read_text("utf-8"))
    assert len(found) == 2
    context.add_init_script(LONGER % ([*map(int, found)], PATIENCE_MS))


JUMP_S = 30
"""Shorter than the silence after which a page believes its stream lost: 40 s, SILENCE_MS in live.js."""


def stop_timers(page: Page) -> None:
    """Stop the timers of a page, so that only `page.clock` fires them.

    Call `page.clock.install()` before the page is opened, and this soon afterwards. The clock of the page
    jumps 30 s ahead, so the machine has 30 s between the two calls that are made here.
    """
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + JUMP_S)
