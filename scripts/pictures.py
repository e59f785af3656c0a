"""Make the pictures in the README and the docs: pages of the simulated tray on a phone, shown in Chromium.

.venv/bin/python scripts/pictures.py
"""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import sleep

import cv2
import numpy as np
from chromium import PHONE, chromium
from playwright.sync_api import Browser, Page

from device.app import PlayOptions, serving
from device.cameras.simulated.tray import SimulatedTray
from device.companion import Companion
from game.commands import Bank, EnterThrow, KeepDice, Press, SetCoachMode, StartMatch
from game.situation import Situation
from vision import read
from vision.annotate import annotate
from web.app import new_link
from web.contracts import CoachMode

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
HEIGHT_PX = 1100
GAP_PX = 40
VIDEO = {"width": 1280, "height": 720}
SETTLE_MS = 600
ROLLING_MS = 1200
LOOK_BACK_MS = 300_000
THROW = (1, 1, 3, 3, 3, 5)
ENOUGH = 500


def main() -> None:
    """Play on the simulated tray, and take all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as state,
        serving(PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state, seed=12)) as (
            table,
            server,
        ),
        chromium() as browser,
    ):
        address = f"http://127.0.0.1:{server.port}/"
        play_a_match(table)
        play_a_little(table)
        sleep(1)
        page = scorekeeper_page(browser, address + new_link(server.app))
        shoot_replays(browser, page, address)
        shoot_overlay(browser, address, table)
        shoot_phones(page, address)
        shoot_coach(browser, address, table)
        shoot_boards(browser, address)
        shoot_the_rest(page, address)
    cv2.imwrite(str(FOLDER / "throw.png"), annotated_throw())
    join("readme.jpg", "phone.png", "throw.png")
    join("page.jpg", "phone-dark.png", "choose.png", "turns.png", "by-hand.png", "menu.png")
    join("coach.jpg", "coach.png", "chances.png", "card.png")
    join("house-rules.jpg", "house-rules.png", "rules.png")
    join("calibrate.jpg", "corners.png", "light.png")
    join("board.jpg", "board-wide.png", "board-upright.png")
    join("replay.jpg", "roll.png", "board-replay.png")
    for part in FOLDER.glob("*.png"):
        part.unlink()


def scorekeeper_page(browser: Browser, link: str) -> Page:
    """Open the page on the scorekeeper's phone.

    Args:
        browser: The browser to use.
        link: Link with a token that makes the phone the scorekeeper.
    """
    page = browser.new_page(viewport=PHONE, device_scale_factor=2)
    page.goto(link)
    page.wait_for_selector("html.holder")
    return page


def shoot_replays(browser: Browser, page: Page, address: str) -> None:
    """Take pictures of the replay of a roll, on the phone and on the board.

    Args:
        browser: The browser to use.
        page: The page of the scorekeeper.
        address: Address of the page.
    """
    page.click("#roll-again")
    page.wait_for_timeout(ROLLING_MS)
    page.click("#roll-play")
    shoot(page, "roll.png")
    page.click("#roll [data-close]")
    board = browser.new_page(viewport={"width": 1600, "height": 900})
    board.goto(f"{address}board")
    board.wait_for_selector(".tv-roll:not([hidden])")
    shoot(board, "board-replay.png")
    board.close()


def shoot_overlay(browser: Browser, address: str, table: Companion) -> None:
    """Take a screenshot of the overlay for video streams, on top of a video frame of the tray.

    Args:
        browser: The browser to use.
        address: Address of the page.
        table: The companion, with the simulated tray.
    """
    page = browser.new_page(viewport=VIDEO)
    page.goto(f"{address}overlay?size=70&place=bottom-right")
    page.wait_for_timeout(SETTLE_MS)
    drawn = page.screenshot(omit_background=True)
    page.close()
    overlay = cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_UNCHANGED)
    video = cv2.resize(table.simulated_tray.capture().image, (VIDEO["width"], VIDEO["height"]))
    share = overlay[..., 3:] / 255
    blended = overlay[..., :3] * share + video * (1 - share)
    quality = [cv2.IMWRITE_JPEG_QUALITY, 82]
    cv2.imwrite(str(FOLDER / "overlay.jpg"), blended.astype(np.uint8), quality)


def shoot_phones(page: Page, address: str) -> None:
    """Take pictures of the scoreboard and its dialogs on a phone, in the light and dark themes.

    Args:
        page: The page of the scorekeeper.
        address: Address of the page.
    """
    shoot(page, "phone.png")
    page.emulate_media(color_scheme="dark")
    shoot(page, "phone-dark.png")
    page.emulate_media(color_scheme="light")
    for slot in (0, 1):
        page.click(f"#slot-{slot}")
    shoot(page, "choose.png")
    page.click("#by-hand")
    shoot(page, "by-hand.png")
    page.click("#hand [data-close]")
    page.click("[data-menu]")
    shoot(page, "menu.png")
    page.goto(f"{address}turns")
    page.click("#turn-4 summary")
    shoot(page, "turns.png")


def shoot_coach(browser: Browser, address: str, table: Companion) -> None:
    """Take pictures of the live coach and of the review of the first match.

    Args:
        browser: The browser to use.
        address: Address of the page.
        table: The companion that plays the match.
    """
    snapshot = table.do(SetCoachMode(CoachMode.LIVE))
    while not snapshot.coach.figures:
        snapshot = table.wait(snapshot.version, 5) or snapshot
    page = browser.new_page(viewport=PHONE, device_scale_factor=2)
    page.goto(address)
    page.evaluate("document.querySelector('.keeps').scrollIntoView()")
    shoot(page, "coach.png")
    page.goto(f"{address}matches/1")
    page.wait_for_selector(".point", timeout=LOOK_BACK_MS)
    shoot(page, "chances.png")
    page.evaluate("document.querySelector('#share').scrollIntoView({block: 'end'})")
    shoot(page, "card.png")
    page.close()


def shoot_boards(browser: Browser, address: str) -> None:
    """Take pictures of the board for large screens, in landscape and portrait format.

    Args:
        browser: The browser to use.
        address: Address of the page.
    """
    for name, viewport, theme in (
        ("board-wide.png", {"width": 1600, "height": 900}, "dark"),
        ("board-upright.png", {"width": 820, "height": 1180}, "light"),
    ):
        page = browser.new_page(viewport=viewport, color_scheme=theme, reduced_motion="reduce")
        page.goto(f"{address}board")
        shoot(page, name)
        page.close()


def shoot_the_rest(page: Page, address: str) -> None:
    """Take pictures of the pages for house rules, rules and calibration.

    Call this last, because it starts another match.

    Args:
        page: The page of the scorekeeper.
        address: Address of the page.
    """
    page.goto(f"{address}new")
    page.click("#options summary")
    page.fill("[data-option=opening]", "350")
    page.select_option("[data-option=last_round]", "charity roll")
    page.evaluate("document.querySelector('#options').scrollIntoView()")
    shoot(page, "house-rules.png")
    page.click("#start")
    page.wait_for_selector(".hero")
    page.goto(f"{address}rules")
    page.evaluate("document.querySelector('.tag').scrollIntoView({block: 'center'})")
    shoot(page, "rules.png")
    page.goto(f"{address}calibrate")
    page.wait_for_selector("#handles .handle")
    page.wait_for_selector(".busy", state="detached")
    shoot(page, "corners.png")
    page.click("#next")
    page.wait_for_selector("#findings .good")
    shoot(page, "light.png")


def play_a_match(table: Companion) -> None:
    """Play a whole match in which both players bank once they have 500 points at risk."""
    dice = Random(8)
    state = table.do(StartMatch(("Anna", "Ben"))).match.state
    while state.winner is None:
        table.do(EnterThrow(tuple(dice.choices(range(1, 7), k=state.dice_in_hand))))
        state = table.snapshot().match.state
        if state.winner is None and state.turn.last and state.keeps:
            best = state.keeps[0]
            enough = state.bank_points(best) >= ENOUGH
            moved = table.do(Bank(best.dice)) if enough else table.do(KeepDice(best.dice))
            state = moved.match.state


def play_a_little(table: Companion) -> None:
    """Start a match, play a few turns, and then read a throw with several keeps."""
    table.do(StartMatch(("Anna", "Ben", "Cleo")))
    for dice in (
        (1, 1, 1, 2, 4, 6),
        (5, 5, 5, 2, 3, 1),
        (2, 2, 3, 4, 6, 6),
        (1, 1, 1, 1, 5, 6),
        (1, 5, 5, 5, 3, 4),
    ):
        table.do(EnterThrow(dice))
        if table.snapshot().situation is Situation.ACCEPTED:
            table.do(Bank())
    tray = table.simulated_tray
    tray.throw_all(THROW)
    sleep(1.5)
    table.do(Press())
    snapshot = table.snapshot()
    while snapshot.situation is Situation.WAITING:
        snapshot = table.wait(snapshot.version, 5) or snapshot


def shoot(page: Page, name: str) -> None:
    """Take a screenshot of a page, and save it in the docs.

    Args:
        page: The page as it is shown.
        name: File name of the picture.
    """
    page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=str(FOLDER / name))


def annotated_throw() -> np.ndarray:
    """Return an image of a throw with its reading drawn on it."""
    tray = SimulatedTray(seed=21, roll_s=0)
    tray.throw_all(THROW)
    image = tray.capture().image
    return annotate(image, read(image, tray.tray, aside=tray.aside))


def join(target: str, *names: str) -> None:
    """Write several pictures side by side as one JPEG.

    Args:
        target: File name of the result.
        names: File names of the pictures.
    """
    quality = [cv2.IMWRITE_JPEG_QUALITY, 82]
    cv2.imwrite(str(FOLDER / target), side_by_side(*names), quality)


def side_by_side(*names: str) -> np.ndarray:
    """Return pictures side by side at the same height, with white gaps between them."""
    images = [cv2.imread(str(FOLDER / name)) for name in names]
    scaled = [
        cv2.resize(
            i, (round(i.shape[1] * HEIGHT_PX / i.shape[0]), HEIGHT_PX), interpolation=cv2.INTER_AREA
        )
        for i in images
    ]
    gap = np.full((HEIGHT_PX, GAP_PX, 3), 255, np.uint8)
    parts = [part for image in scaled for part in (gap, image)]
    return np.hstack(parts[1:])


if __name__ == "__main__":
    main()
