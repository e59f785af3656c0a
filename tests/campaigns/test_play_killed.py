"""The whole program, played over HTTP and killed: the page comes back where the phone left it."""

import json
import random
import re
import signal
import subprocess
import sys
import time
import urllib.request
from http.client import HTTPException
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Timer
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor

import pytest

from tests.campaigns.size import count

COMMAND = Path(sys.executable).with_name("traykeeper")
SEEN = ("players", "turn", "at_risk", "dice_to_throw", "turns", "winner")


class Table:
    """`traykeeper play` in a process of its own, and a phone that holds its pencil."""

    def __init__(self, folder, cookies):
        self.process = subprocess.Popen(
            [COMMAND, "play", "--camera", "usb:97", "--port", "0", "--state", folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        found = None
        while not found:
            found = re.search(r"localhost:(\d+)/#pencil=(\S+)", self.process.stdout.readline())
        self._base = f"http://localhost:{found[1]}/api/v1/"
        self._opener = urllib.request.build_opener(HTTPCookieProcessor(cookies))
        if not len(cookies):
            self.post("pencil/link", token=found[2])

    def get(self):
        with self._opener.open(f"{self._base}state", timeout=10) as answer:
            return shown(json.load(answer))

    def post(self, path, **body):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._base + path, json.dumps(body).encode(), headers)  # noqa: S310
        with self._opener.open(request, timeout=10) as answer:
            return shown(json.load(answer))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)

    def gone(self):
        self.process.wait()
        self.process.stdout.close()


def shown(state):
    return {key: state.get(key) for key in SEEN}


def a_wish(rng):
    draw = rng.random()
    if draw < 0.6:
        return "dice", {"dice": [rng.randint(1, 6) for _ in range(6)]}
    return rng.choice(("bank", "bank", "skip", "undo", "redo")), {}


def play_until_killed(table, rng, told):
    """Gives the last state that was told."""
    Timer(rng.uniform(0.02, 0.6), table.kill).start()
    while True:
        path, body = a_wish(rng)
        try:
            told = table.post(path, **body)
        except HTTPError:
            continue
        except (OSError, HTTPException):  # perhaps in the middle of an answer
            return told


def is_where_we_were(table, told):
    """There, or one step on that nobody was told of: taking that back leads there.

    If that step was an undo, a redo takes it back: the second one, for an undo was tried before.
    """
    if table.get() == told:
        return True
    for path in ("undo", "redo", "redo"):
        try:
            if table.post(path) == told:
                return True
        except HTTPError:
            continue
    return False


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_the_program_killed_over_and_over_goes_on_where_its_phone_was(tmp_path):
    rng, kills = random.Random(4), count(3, 100)
    cookies, told = CookieJar(), None
    began_s = time.monotonic()
    for _ in range(kills):
        table = Table(tmp_path, cookies)
        try:
            if told is None:
                told = table.post("match", names=["Anna", "Ben"])
            assert is_where_we_were(table, told)
            told = play_until_killed(table, rng, table.get())
        finally:
            table.kill()
            table.gone()
    print(
        f"\n{kills} kills of the whole program in {time.monotonic() - began_s:.0f} s, nothing lost"
    )
