"""A camera whose pictures are decoded too late: no throw is read from one that is older than the press."""

import time
import urllib.request
from collections import deque
from contextlib import closing
from dataclasses import replace

import cv2
import pytest

from device.app import PlayOptions, serving
from device.cameras import newest_frame
from device.doctor import checks
from device.doctor.system import Machine, System
from device.settings import Settings
from device.watching import camera_link
from device.watching.camera_link import OLD_S, SLOW_S
from game.commands import StartMatch
from game.situation import Situation
from tests.device.rig import ROLL_S, open_rig
from tests.handled_tray import HandledTray
from tests.mjpeg_server import MjpegServer
from tests.waiting import until

BEFORE, THROWN = (1, 2, 3, 4, 5, 6), (2, 3, 4, 5, 5, 5)
FRAME_S = 1 / 30


class LateCamera:
    """A camera over a simulated tray. Each picture tells honestly when it arrived, but is shown later.

    Attributes:
        late_s: How much later.
        lag_s: How long the pictures were under way before they arrived; the camera cannot measure that.
    """

    tray, aside = HandledTray.tray, HandledTray.aside
    name = "network camera late"

    def __init__(self, tray, clock, late_s=0.0, lag_s=0.0):
        self.source, self.clock, self.late_s, self.lag_s = tray, clock, late_s, lag_s
        self._arrived = deque()

    def preview(self):
        self._arrived.append((self.clock(), self.source.preview()))
        while len(self._arrived) > 1 and self._arrived[1][0] <= self.clock() - self.late_s:
            self._arrived.popleft()
        time_s, frame = self._arrived[0]
        return replace(frame, time_s=time_s, lag_s=self.lag_s)

    def capture(self):
        frame = self.source.capture()
        self.clock.now_s += self.late_s
        return replace(frame, lag_s=self.lag_s)

    def close(self):
        pass


@pytest.fixture
def late(tmp_path, clock):
    tray = HandledTray(seed=7, roll_s=ROLL_S, clock=clock)
    camera = LateCamera(tray, clock)
    with open_rig(
        tmp_path, tray=tray, clock=clock, open_camera=lambda: camera, simulated=False
    ) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.camera = camera
        yield rig


@pytest.mark.parametrize(
    ("late_s", "pressed_s"), [(0.0, ROLL_S), (0.3, 0.0), (1.0, 0.2), (1.0, 1.3)]
)
def test_dice_that_lay_there_before_the_throw_are_not_read_however_late_the_pictures_are(
    late, late_s, pressed_s
):
    late.camera.late_s = late_s
    late.tray.throw_all(BEFORE)
    late.wait_s(3 + late_s)
    late.tray.throw_all(THROWN)
    late.wait_s(pressed_s)
    late.press()

    assert late.state.turn.last.dice == THROWN


def test_a_picture_that_may_have_been_taken_before_the_press_does_not_answer_it(late):
    late.camera.lag_s = 0.5
    late.tray.throw_all(THROWN)
    late.wait_s(3)
    pressed_s = late.clock()
    late.press()

    assert late.state.turn.last.dice == THROWN
    assert late.clock() - pressed_s >= 0.5


def test_a_camera_that_sends_an_old_picture_for_a_new_one_is_reopened(late):
    late.tray.throw_all(BEFORE)
    late.wait_s(3)
    old = late.tray.capture()
    late.tray.throw_all(THROWN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(late.camera, "capture", lambda: old)
        late.finger.press()
        late.until(lambda shown: shown.camera is None)
        assert "an old picture" in str(late.companion.snapshot().message)
    late.until(lambda shown: shown.camera)

    assert late.state.turn.last is None
    late.press()
    assert late.state.turn.last.dice == THROWN


def test_a_machine_that_is_too_slow_for_its_camera_says_so_with_the_size_to_set(late):
    late.camera.late_s = OLD_S + 0.2
    late.wait_s(SLOW_S + 2)
    (trouble,) = late.companion.snapshot().troubles
    late.camera.late_s = 0.0
    late.wait_s(1)

    assert "too slow" in str(trouble)
    assert str(trouble).endswith("set the camera to 1280x720 and 15 pictures a second.")
    assert late.companion.snapshot().troubles == ()
    assert late.companion.snapshot().situation is Situation.TURN_BEGINS


def test_the_page_and_the_doctor_say_that_the_machine_is_too_slow_for_a_stream(
    tmp_path, monkeypatch
):
    decode = newest_frame.decode_jpeg

    def slow(data, reduction=1):
        time.sleep(OLD_S + 0.1)
        return decode(data, reduction)

    monkeypatch.setattr(newest_frame, "decode_jpeg", slow)
    monkeypatch.setattr(camera_link, "SLOW_S", 0.5)
    tray = HandledTray(seed=7)
    picture = cv2.imencode(".jpg", tray.capture().image)[1].tobytes()
    with closing(MjpegServer(lambda: picture)) as server:
        options = PlayOptions(camera=server.url, host="127.0.0.1", port=0, state=str(tmp_path))
        with serving(options) as (companion, page):
            until(lambda: companion.snapshot().troubles)
            settings = Settings(camera=server.url, host="127.0.0.1", port=page.port)
            system = System(
                Machine(tmp_path), settings, None, None, {"camera": "it"}, installed=False
            )
            found = checks.camera(system)
            with urllib.request.urlopen(f"http://127.0.0.1:{page.port}/health") as health:
                html = health.read().decode()

    assert "set the camera to 1280x720 and 15 pictures a second" in html
    assert "set the camera to 1280x720 and 15 pictures a second" in str(found.line)
    assert "traykeeper bench camera" in str(found.trouble.remedy)
