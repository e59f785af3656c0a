"""The live view shows only the tray and never slows the reading."""

import cv2
import numpy as np

from device.companion.tray_camera import MIN_PERIOD_S, LiveView
from tests.device.rig import open_rig
from vision.reading import Quad

TRAY = Quad(((100, 60), (220, 60), (220, 140), (100, 140)))


class Watch:
    """A tray watch and its preview, in which only the tray is bright."""

    def __init__(self):
        self.preview = self
        self.latest = np.zeros((180, 320, 3), np.uint8)
        self.latest[60:140, 100:220] = 255
        self.zones_in_view = (TRAY,)


def shown(jpeg):
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)


def test_the_live_view_is_cropped_to_the_tray(clock):
    height, width = shown(LiveView(Watch(), clock).jpeg()).shape[:2]

    assert (120, 80) <= (width, height) <= (150, 110)


def test_an_uncalibrated_camera_shows_nothing_of_the_room(clock):
    watch = Watch()
    watch.zones_in_view = ()

    assert LiveView(watch, clock).jpeg() is None


def test_one_jpeg_is_made_for_everybody_and_only_so_often(clock):
    watch = Watch()
    view = LiveView(watch, clock)
    first = view.jpeg()
    watch.latest = watch.latest // 2

    assert view.jpeg() is first
    clock.now_s += 2 * MIN_PERIOD_S
    assert view.jpeg() is not first


def test_watchers_never_ask_the_camera_for_a_frame(tmp_path):
    with open_rig(tmp_path) as rig:
        rig.step()
        asked = []
        capture = rig.tray.capture
        rig.tray.capture = lambda: asked.append(1) or capture()
        pictures = {rig.companion.view() for _ in range(100)}

        assert len(pictures) == 1
        assert pictures.pop().startswith(b"\xff\xd8")
        assert asked == []
