"""A stream that sends faster than the machine decodes: no throw is read from a picture that is older than the press."""

import random
import sys
from collections import Counter
from contextlib import closing
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import cv2
import pytest

from calibration.outline import Outline
from calibration.profile import Profile
from device.calibrating.profile_file import PROFILE_FILE, ProfileStore
from device.cameras.simulated.tray import SimulatedTray
from device.hardware.choices import camera_name
from tests.campaigns.phone import Played
from tests.campaigns.size import SHARE, count
from tests.clock import Clock
from tests.mjpeg_server import MjpegServer

SLOW_PLAY = Path(__file__).with_name("slow_play.py")
SIZES = {"720p": (1280, 720), "1080p": (1920, 1080)}
THROWS = count(2, 40)
ROLL_S, RENDERED_S = 1.0, 1 / 15
AT_REST = 3
"""Pictures of dice at rest, which differ in their noise."""

READ_S = 60.0
"""How long a throw may take until it is read. One that takes longer counts as not read."""

SHARE_OF_A_CORE, PERIOD_S = 0.15, 0.1

ALL = [(size, fps, ms, 1.0) for size in SIZES for fps in (15, 30) for ms in (0, 50, 100, 200)]
ALL += [(size, fps, 0, SHARE_OF_A_CORE) for size in SIZES for fps in (15, 30)]
SOME = [
    ("1080p", 30, 200, 1.0),
    pytest.param("720p", 30, 0, SHARE_OF_A_CORE, marks=pytest.mark.long),
]


class FilmedTray:
    """A tray that a camera films: every throw is painted before it is thrown, so that sending costs little."""

    def __init__(self, size, seed):
        self._size, self._clock = size, Clock(0.0)
        self._tray = SimulatedTray(seed=seed, roll_s=ROLL_S, clock=self._clock)
        self.zones = self._tray.tray, self._tray.aside
        self.dice, self._film, self._thrown_s = (), [self._jpeg()], monotonic()
        self._turn = 0

    def throw(self):
        """Throw six dice, and return when they have come to rest."""
        self._tray.throw_all()
        film = []
        for _ in range(round(ROLL_S / RENDERED_S) + AT_REST):
            film.append(self._jpeg())
            self._clock.now_s += RENDERED_S
        self.dice, self._film, self._thrown_s = self._tray.truth, film, monotonic()
        return self._thrown_s + ROLL_S

    def picture(self):
        self._turn += 1
        film, number = self._film, int((monotonic() - self._thrown_s) / RENDERED_S)
        if number < len(film) - AT_REST:
            return film[number]
        return film[-1 - self._turn % min(AT_REST, len(film))]

    def _jpeg(self):
        image = cv2.resize(self._tray.capture().image, self._size)
        return cv2.imencode(".jpg", image)[1].tobytes()


class Throttle:
    """Lets a process run for a share of the time only."""

    def __init__(self, process, share):
        self._process, self._share, self._stop = process, share, Event()
        self._thread = Thread(target=self._run)
        if share < 1:
            self._thread.start()

    def _run(self):
        while not self._stop.is_set():
            self._process.send_signal(19)  # SIGSTOP
            self._stop.wait(PERIOD_S * (1 - self._share))
            self._process.send_signal(18)  # SIGCONT
            self._stop.wait(PERIOD_S * self._share)

    def close(self):
        self._stop.set()
        if self._thread.ident:
            self._thread.join()


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("size", "fps", "delay_ms", "share"), ALL if SHARE else SOME)
def test_no_throw_is_read_from_a_picture_that_is_older_than_the_press(
    tmp_path, size, fps, delay_ms, share
):
    rng, outcomes = random.Random(59), Counter()
    tray = FilmedTray(SIZES[size], seed=59)
    with closing(MjpegServer(tray.picture, fps)) as server:
        outlines = (Outline.of(zone, 1536, 864) for zone in tray.zones)
        ProfileStore(tmp_path / PROFILE_FILE).save(
            Profile(camera_name(server.url), "now", *outlines)
        )
        table = Played(
            tmp_path, CookieJar(), "--camera", server.url,
            command=(sys.executable, SLOW_PLAY, str(delay_ms / 1000)),
        )  # fmt: skip
        try:
            table.until(lambda state: state["camera"])
            with closing(Throttle(table.process, share)):
                for _ in range(THROWS):
                    outcomes[throw_and_press(table, tray, rng)] += 1
        finally:
            table.kill()
            table.gone()
    print(f"\n{size} at {fps} pictures/s, {delay_ms} ms, {share:.0%}: {dict(outcomes)}")

    assert not outcomes["before"]
    assert not outcomes["wrong"]
    assert outcomes["read"] > THROWS / 2


def throw_and_press(table, tray, rng):
    """Throw six dice over those that lie there, press the button at any moment after that, and return what was read."""
    before = tray.dice
    tray.throw()
    table.post("match", names=["Anna", "Ben"])
    sleep(rng.uniform(0.0, 1.5 * ROLL_S))
    table.post("press")
    end_s = monotonic() + READ_S
    while monotonic() < end_s:
        state = table.state()
        if state["throw"]:
            dice = tuple(sorted(state["throw"]["dice"]))
            return "read" if dice == tray.dice else "before" if dice == before else "wrong"
        if state["situation"] not in ("waiting for stillness", "turn begins"):
            return state["situation"]
        sleep(0.05)
    return "not read"
