"""Make the pictures of the README and the docs: the simulated tray, on a phone in real Chromium.

python scripts/pictures.py
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

import cv2
import numpy as np
from playwright.sync_api import Page, sync_playwright

from device.cameras.simulated import SimulatedTray
from device.companion import Companion
from device.play import Options, serving
from vision import read
from vision.annotate import annotate
from web.app import new_link
from web.table import Situation

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PHONE = {"width": 390, "height": 844}
HEIGHT_PX = 1100
GAP_PX = 40
THROW = (1, 1, 3, 3, 3, 5)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as state,
        serving(Options(camera="sim", host="127.0.0.1", port=0, state=state, seed=12)) as (
            table,
            server,
        ),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport=PHONE, device_scale_factor=2)
        page.goto(f"http://127.0.0.1:{server.port}/{new_link(server.app)}")
        play_a_little(table)
        sleep(1)
        shoot(page, "phone.png")
        browser.close()
    cv2.imwrite(str(FOLDER / "throw.jpg"), annotated_throw())
    cv2.imwrite(str(FOLDER / "readme.jpg"), side_by_side("phone.png", "throw.jpg"))
    (FOLDER / "phone.png").unlink()


def play_a_little(table: Companion) -> None:
    """A few turns, then a throw that leaves a choice."""
    table.new_match(("Anna", "Ben", "Cleo"))
    for dice in (
        (1, 1, 1, 2, 4, 6),
        (5, 5, 5, 2, 3, 1),
        (2, 2, 3, 4, 6, 6),
        (1, 1, 1, 1, 5, 6),
        (1, 5, 5, 5, 3, 4),
    ):
        table.dice(dice)
        if table.snapshot().situation is Situation.ACCEPTED:
            table.bank()
    tray = table.simulated_tray
    tray.throw_all(THROW)
    sleep(1.5)
    table.press()
    snapshot = table.snapshot()
    while snapshot.situation is Situation.WAITING:
        snapshot = table.wait(snapshot.version, 5) or snapshot


def shoot(page: Page, name: str) -> None:
    page.screenshot(path=str(FOLDER / name))


def annotated_throw() -> np.ndarray:
    tray = SimulatedTray(seed=21, roll_s=0)
    tray.throw_all(THROW)
    image = tray.capture().image
    return annotate(image, read(image, tray.tray, aside=tray.aside))


def side_by_side(*names: str) -> np.ndarray:
    """The pictures at one height, on white."""
    images = [cv2.imread(str(FOLDER / name)) for name in names]
    scaled = [
        cv2.resize(
            i, (round(i.shape[1] * HEIGHT_PX / i.shape[0]), HEIGHT_PX), interpolation=cv2.INTER_AREA
        )
        for i in images
    ]
    gap = np.full((HEIGHT_PX, GAP_PX, 3), 255, np.uint8)
    return np.hstack([scaled[0], gap, *scaled[1:]])


if __name__ == "__main__":
    main()
