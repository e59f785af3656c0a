"""Make the picture of the club board for the docs: an invented evening, shown in Chromium.

PYTHONPATH=. .venv/bin/python scripts/club_pictures.py
"""

import json
import os
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import gmtime, time, tzset

import cv2
from chromium import chromium
from playwright.sync_api import Browser

from bench.self_play import SelfPlay, whole_match
from game.match.match import Match
from game.rules import rule_files
from web.club.app import create_club
from web.club.match_history import MatchHistory
from web.club.people import People
from web.club.steward import Steward
from web.club.store import ClubStore
from web.club.tournaments import TournamentCalls, Tournaments
from web.club.tray_inbox import TrayInbox, Trays
from web.server import Server

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
SCREEN = {"width": 1920, "height": 1080}
NAMES = ("Anna", "Ben", "Cleo", "Dan", "Edith", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kaya")
TRAYS = ("bar", "den", "fireside", "garden", "long-table", "snug", "stage", "window")
EVENING_MIN = 21 * 60 + 30
"""The local time that the picture shows, in minutes after midnight. The board hides matches from before 6:00."""


def main() -> None:
    """Serve a club board with an invented evening, and take a picture of it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    make_it_evening()
    with TemporaryDirectory() as folder:
        store = ClubStore.open(Path(folder) / "club.db")
        people = People(store)
        history = MatchHistory(store, people)
        trays = Trays()
        trays.set_broker(is_connected=True)
        fill(TrayInbox(trays, history, lambda *_: None), Random(11))
        steward = Steward.load(Path(folder) / "key")
        calls = TournamentCalls(store, people, Tournaments(store, people), lambda *_: None)
        app = create_club(store, history, people, trays, calls, steward=steward)
        with Server(app, "127.0.0.1", 0) as server, chromium() as browser:
            shoot(browser, f"http://127.0.0.1:{server.port}/", "club.jpg")
        store.close()


def make_it_evening() -> None:
    """Set the time zone of this process so that its local time is now `EVENING_MIN`."""
    now = gmtime()
    behind_min = now.tm_hour * 60 + now.tm_min - EVENING_MIN
    hours, minutes = divmod(abs(behind_min), 60)
    os.environ["TZ"] = f"EVE{'-' if behind_min < 0 else '+'}{hours}:{minutes:02}"
    tzset()


def fill(inbox: TrayInbox, random: Random) -> None:
    """Publish finished matches, and then one in progress at each tray.

    Args:
        inbox: Inbox of the club board, which receives the messages from the trays.
        random: Source of random names and dice.
    """
    rules = rule_files.load("walnut-studiolo")
    for number in range(14):
        names = random.sample(NAMES, random.choice((2, 2, 3)))
        began_s = time() - 3600 * (2.5 - number / 8)
        publish(inbox, TRAYS[number % len(TRAYS)], whole_match(rules, names, number, began_s))
    for number, tray in enumerate(TRAYS, 100):
        inbox.on_message(tray, "availability", b"offline" if tray == "garden" else b"online")
        names = random.sample(NAMES, random.choice((2, 2, 3)))
        played = SelfPlay(Match.start(rules, names), f"{number:016x}", time() - 600)
        for _ in range(random.randint(12, 60)):
            played.play(random)
        publish(inbox, tray, played)


def publish(inbox: TrayInbox, tray: str, played: SelfPlay) -> None:
    """Publish every journal entry of a match.

    Args:
        inbox: Inbox of the club board, which receives the entries.
        tray: Name of the tray.
        played: The match.
    """
    for entry in played.entries:
        inbox.on_message(tray, "event", json.dumps(entry.to_json()).encode())


def shoot(browser: Browser, address: str, name: str) -> None:
    """Take a screenshot of a page, and save it in the docs.

    Args:
        browser: The browser that shows the page.
        address: Address of the page.
        name: File name of the picture.
    """
    page = browser.new_page(viewport=SCREEN)
    page.goto(address)
    page.wait_for_timeout(500)
    page.screenshot(path=str(FOLDER / "club.png"))
    page.close()
    image = cv2.resize(
        cv2.imread(str(FOLDER / "club.png")), (1440, 810), interpolation=cv2.INTER_AREA
    )
    cv2.imwrite(str(FOLDER / name), image, [cv2.IMWRITE_JPEG_QUALITY, 88])
    (FOLDER / "club.png").unlink()


if __name__ == "__main__":
    main()
