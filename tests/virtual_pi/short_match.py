"""Runs in the appliance: plays a match to the end over HTTP, with dice thrown and read in the simulated tray.

python short_match.py POINTS
"""

import http.cookiejar
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress

TRAYKEEPER = [sys.executable, "-c", "from device.cli import main; main()"]
opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def ask(path: str, **body: object) -> dict:
    data = json.dumps(body).encode() if body or path in BARE else None
    request = urllib.request.Request(  # noqa: S310 - our own page
        f"{address}api/v1/{path}", data, {"Content-Type": "application/json"}
    )
    with opener.open(request, timeout=120) as answer:
        return json.load(answer)


def may(path: str, **body: object) -> None:
    with suppress(urllib.error.HTTPError):  # where the rules do not allow it
        ask(path, **body)


def insist(path: str, **body: object) -> dict:
    """Try again while the table is busy; so slow a machine may take its camera for hung."""
    for _ in range(TRIES):
        with suppress(urllib.error.HTTPError):
            return ask(path, **body)
        time.sleep(BUSY_S / TRIES)
    return ask(path, **body)


def play_on() -> dict:
    """Throw, read, and bank if that is allowed."""
    version = insist("throw")["version"]
    may("press")
    pressed_s, table = time.monotonic(), ask("state")
    while table["version"] <= version or table["situation"] == "waiting for stillness":
        time.sleep(0.5)
        if time.monotonic() > pressed_s + BUSY_S:  # the companion was too busy to accept the press
            may("press")
            pressed_s = time.monotonic()
        table = ask("state")
    if table["choices"]:
        may("answer", choice=table["choices"][0]["id"])
    may("bank")
    return ask("state")


BUSY_S = 60
TRIES = 6
BARE = ("throw", "press", "bank")
with tempfile.TemporaryDirectory() as state:
    words = ["play", "--camera", "sim", "--host", "127.0.0.1", "--port", "0", "--state", state]
    play = subprocess.Popen([*TRAYKEEPER, *words, "--seed", "3"], stdout=subprocess.PIPE, text=True)
    try:
        address = ""
        while not address:
            found = re.search(r"http://\S+?:\d+/", play.stdout.readline())
            address = found[0] if found else ""
        pin = subprocess.run(
            [*TRAYKEEPER, "pin", "--state", state], capture_output=True, text=True, check=True
        )
        ask("scorekeeper/pin", pin=pin.stdout.strip())
        table = insist(
            "match", names=["Anna", "Ben"], target=int(sys.argv[1]), options={"opening": 0}
        )
        throws = 0
        while table["situation"] != "won":
            table = play_on()
            throws += 1
        scores = ", ".join(f"{player['name']} {player['score']}" for player in table["players"])
        print(f"won after {throws} throws: {scores}")  # noqa: T201 - that is what it is for
    finally:  # the program that started this waits for it as well
        play.terminate()
        play.wait()
