"""Starts Chromium for the scripts that take pictures of the page or measure it."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PHONE = {"width": 390, "height": 844}


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run Chromium within the block. If it is not installed, exit with one line that says how to install it."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        sys.exit("Chromium is not installed: run `sudo apt install chromium`.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()
