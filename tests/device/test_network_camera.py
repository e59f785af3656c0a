"""A match over the stream of a phone whose Wi-Fi fails again and again."""

from contextlib import closing
from dataclasses import replace
from itertools import cycle
from threading import Lock
from time import monotonic, sleep

import pytest

from calibration.outline import Outline
from calibration.profile import Profile
from device.cameras.stream_camera import StreamCamera
from device.hardware.choices import camera_name
from game.match.match import Match
from game.rules import rule_files
from tests.campaigns.size import count
from tests.device.player import play_to_the_end
from tests.device.rig import Finger, open_rig
from tests.handled_tray import HandledTray
from tests.mjpeg_server import MjpegServer

RULES = replace(rule_files.load("walnut-studiolo"), target=1_000)
FAULTS = ("drop", "garbage", "stall", "torn", "refuse")
BREAKS = count(4, 10)
BREAK_S = 1.5


class RealClock:
    """The real clock for a rig; setting it waits."""

    def __call__(self):
        return monotonic()

    @property
    def now_s(self):
        return monotonic()

    @now_s.setter
    def now_s(self, time_s):
        sleep(max(0.0, time_s - monotonic()))


class QuickFinger(Finger):
    """A finger that reports how long it holds the button. No time passes, and a press never becomes a hold."""

    def press(self, seconds=0.1):
        self.button.drive(down=True)
        self.button.drive(down=False, held_s=seconds)


class PhoneOverTheTray:
    """A simulated tray that a phone streams."""

    def __init__(self, seed):
        self.tray, self._lock = HandledTray(seed=seed, roll_s=0.4), Lock()
        self.server = MjpegServer(self._take)
        self._faults, self.breaks = cycle(FAULTS), 0

    def _take(self):
        with self._lock:
            return self.tray.capture().image

    def open(self):
        return StreamCamera(self.server.url)

    def break_off(self, rig):
        """Interrupt the stream for a while, and wait until the table sees the tray again."""
        self.breaks += 1
        self.server.fault = next(self._faults)
        rig.wait_s(BREAK_S)
        self.server.fault = ""
        rig.until(lambda shown: shown.camera is not None)
        rig.wait_s(BREAK_S)

    def profile(self):
        image = self.tray.capture().image
        size = image.shape[1], image.shape[0]
        tray, aside = (Outline.of(zone, *size) for zone in (self.tray.tray, self.tray.aside))
        return Profile(camera_name(self.server.url), "now", tray, aside)

    def close(self):
        self.server.close()


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.campaign
def test_a_match_is_played_over_a_stream_that_breaks_off(tmp_path):
    with (
        closing(PhoneOverTheTray(seed=16)) as phone,
        open_rig(
            tmp_path,
            tray=phone.tray,
            open_camera=phone.open,
            simulated=False,
            rules=RULES,
            clock=RealClock(),
        ) as rig,
    ):
        rig.finger = QuickFinger(rig.finger.button, rig.clock)
        rig.companion.tray_camera.profiles.save(phone.profile())
        for face in (3, 5):
            phone.tray.gather()
            rig.throw(face)
        rig.hold()
        account = Match.start(RULES, ["Player 1", "Player 2"], first=1)

        def agree(account):
            assert rig.scores == [player.score for player in account.state.players]

        has_clip = []

        def mark():
            breaks = min(2, BREAKS - phone.breaks) if has_clip else 0
            for _ in range(breaks):
                phone.break_off(rig)
            rig.press_until_read()
            if not breaks:  # the film of a roll ends where the stream breaks off
                has_clip.append(rig.companion.snapshot().photo.has_clip)

        account = play_to_the_end(
            phone.tray, account, mark=mark, bank=rig.hold, check=agree, pause=rig.wait_s
        )

        assert rig.state.winner == account.state.winner
        assert max(rig.scores) >= RULES.target
        assert phone.breaks == BREAKS
        assert any(has_clip)
