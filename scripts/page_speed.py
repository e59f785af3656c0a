"""Measure how soon a phone shows the page, how much data it takes, and how soon a second phone shows a change.

    .venv/bin/python scripts/page_speed.py

The page shows a match with a photo. The camera is simulated. The companion and Chromium both run on this machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from tempfile import TemporaryDirectory
from time import sleep

from chromium import PHONE, chromium
from playwright.sync_api import Browser, Page

from device.app import PlayOptions, serving
from device.companion import Companion
from game.commands import EnterThrow, Press, StartMatch, Undo
from game.situation import Situation

RUNS = 5
STEPS = 10
SLOW_3G = {
    "offline": False,
    "latency": 400,
    "downloadThroughput": 400_000 / 8,
    "uploadThroughput": 400_000 / 8,
}
SLOWDOWN = 4
"""A phone is slower than this machine by about this factor."""

LOADED_MS = 12_000
POLL_MS = 500
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
RECORD_CHANGES = """() => {
  window.changes = [];
  const record = () => changes.push(Date.now());
  new MutationObserver(record).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""


def main() -> None:
    """Take all measurements, and print them."""
    with table() as (companion, address), chromium() as browser:
        loads = [slow_load(browser, address) for _ in range(RUNS)]
        paint_ms, kilobytes, requests = (median(each) for each in zip(*loads, strict=True))
        print(f"first paint on slow 3G, CPU / {SLOWDOWN}: median {paint_ms / 1000:.2f} s of {RUNS}")
        print(f"sent for the page with its photo: {kilobytes:.0f} kB in {requests} responses")
        late_ms = [abs(each) for each in second_phone(browser, address, companion)]
        print(
            f"second phone after the first: median {median(late_ms):.0f} ms, slowest {max(late_ms)} ms"
        )


@contextmanager
def table() -> Iterator[tuple[Companion, str]]:
    """Serve a page with a match and a throw that has been read; yield the companion and the address of the page."""
    with (
        TemporaryDirectory() as state,
        serving(PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state, seed=12)) as (
            companion,
            server,
        ),
    ):
        companion.do(StartMatch(("Anna", "Ben")))
        companion.simulated_tray.throw_all((1, 1, 3, 3, 3, 5))
        sleep(2)
        companion.do(Press())
        snapshot = companion.snapshot()
        while snapshot.situation is not Situation.ACCEPTED:
            snapshot = companion.wait(snapshot.version, 5) or snapshot
        yield companion, f"http://127.0.0.1:{server.port}/"


def slow_load(browser: Browser, address: str) -> tuple[float, float, int]:
    """Load the page for the first time over a slow network.

    Args:
        browser: The browser to use.
        address: Address of the page.

    Returns:
        Milliseconds from the start of loading to the first paint, kilobytes sent, and number of responses.
    """
    context = browser.new_context(viewport=PHONE, device_scale_factor=2)
    page = context.new_page()
    network = context.new_cdp_session(page)
    sent: list[float] = []
    network.on("Network.loadingFinished", lambda each: sent.append(each["encodedDataLength"]))
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", SLOW_3G)
    network.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.goto(address, wait_until="commit", timeout=LOADED_MS * 3)
    page.wait_for_timeout(LOADED_MS)
    paint_ms = page.evaluate(PAINT)
    context.close()
    return paint_ms, sum(sent) / 1000, len(sent)


def second_phone(browser: Browser, address: str, companion: Companion) -> list[int]:
    """Return, for each of several changes, by how many milliseconds the first phone lags behind the second.

    The number is negative if the first phone shows the change earlier.

    Args:
        browser: The browser to use.
        address: Address of the page.
        companion: The companion that changes the match.
    """
    phones = [browser.new_page(viewport=PHONE) for _ in range(2)]
    for phone in phones:
        phone.goto(address)
        phone.wait_for_timeout(1000)
        phone.evaluate(RECORD_CHANGES)
    apart_ms = []
    for step in range(STEPS):
        companion.do(Undo() if step % 2 == 0 else EnterThrow((1, 1, 3, 3, 3, 5)))
        for phone in phones:
            while not phone.evaluate("changes.length"):
                phone.wait_for_timeout(POLL_MS)
        apart_ms.append(first_change_ms(phones[0]) - first_change_ms(phones[1]))
    return apart_ms


def first_change_ms(phone: Page) -> int:
    """Return when the page on a phone first changed since the last call, in milliseconds since 1970."""
    return phone.evaluate("changes.splice(0)[0]")


if __name__ == "__main__":
    main()
