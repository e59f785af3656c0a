"""The whole program, played over HTTP and killed: the page continues where the phone left it."""

import random
import time
from http.client import HTTPException
from http.cookiejar import CookieJar
from threading import Timer
from urllib.error import HTTPError

import pytest

from tests.campaigns.phone import Played
from tests.campaigns.size import count

NO_CAMERA = ("--camera", "usb:97")
SEEN = ("players", "turn", "at_risk", "dice_to_throw", "turns", "winner")


def shown(state):
    return {key: state.get(key) for key in SEEN}


def a_wish(rng):
    draw = rng.random()
    if draw < 0.6:
        return "dice", {"dice": [rng.randint(1, 6) for _ in range(6)]}
    return rng.choice(("bank", "bank", "skip", "undo", "redo")), {}


def play_until_killed(table, rng, told):
    """Return the last state that was received."""
    Timer(rng.uniform(0.02, 0.6), table.kill).start()
    while True:
        path, body = a_wish(rng)
        try:
            told = shown(table.post(path, **body))
        except HTTPError:
            continue
        except (OSError, HTTPException):  # perhaps in the middle of an answer
            return told


def is_where_we_were(table, told):
    """There, or one step on that nobody was told of: taking that back leads there.

    If that step was an undo, a redo takes it back: the second one, for an undo was tried before.
    """
    if shown(table.state()) == told:
        return True
    for path in ("undo", "redo", "redo"):
        try:
            if shown(table.post(path)) == told:
                return True
        except HTTPError:
            continue
    return False


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_a_program_that_is_killed_again_and_again_continues_where_the_phone_was(tmp_path):
    rng, kills = random.Random(4), count(3, 100)
    cookies, told = CookieJar(), None
    began_s = time.monotonic()
    for _ in range(kills):
        table = Played(tmp_path, cookies, *NO_CAMERA)
        try:
            if told is None:
                told = shown(table.post("match", names=["Anna", "Ben"]))
            assert is_where_we_were(table, told)
            told = play_until_killed(table, rng, shown(table.state()))
        finally:
            table.kill()
            table.gone()
    print(
        f"\n{kills} kills of the whole program in {time.monotonic() - began_s:.0f} s, nothing lost"
    )
