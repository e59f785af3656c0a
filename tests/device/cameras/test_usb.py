import threading
import time

import cv2
import numpy as np
import pytest

from device.cameras import usb
from device.cameras.base import CameraError
from device.cameras.controls import HeldLight, Tuning
from device.cameras.usb import UsbCamera

FRAME_S = 0.01


class Webcam:
    """Delivers each frame two exposures late; a frame shows the number of its exposure.

    Its driver refuses all controls.
    """

    def __init__(self, index=0):
        self.exposing = 0
        self.released = threading.Event()
        self.unplugged = False
        self.flows = threading.Event()
        self.flows.set()

    def read(self):
        time.sleep(FRAME_S)
        self.flows.wait()
        if self.unplugged:
            return False, None
        self.exposing += 1
        return True, np.full((90, 160, 3), max(0, self.exposing - 2) % 256, np.uint8)

    def get(self, prop):
        return 0.0

    def set(self, prop, value):
        return False

    def release(self):
        self.released.set()


class Adjustable(Webcam):
    """A webcam with controls; its automatic exposure makes images of grey level 120."""

    def __init__(self, light=1.2):
        super().__init__()
        self.light = light  # grey levels for each unit of exposure
        self.knobs = {
            cv2.CAP_PROP_AUTO_EXPOSURE: 3.0,
            cv2.CAP_PROP_EXPOSURE: 156.0,  # what was set last, not the actual exposure
            cv2.CAP_PROP_GAIN: 8.0,
            cv2.CAP_PROP_AUTO_WB: 1.0,
            cv2.CAP_PROP_WB_TEMPERATURE: 4200.0,
            cv2.CAP_PROP_AUTOFOCUS: 1.0,
        }

    def get(self, prop):
        return self.knobs.get(prop, 0.0)

    def set(self, prop, value):
        self.knobs[prop] = value
        return True

    def read(self):
        time.sleep(FRAME_S / 5)
        automatic = self.knobs[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0
        level = 120 if automatic else self.knobs[cv2.CAP_PROP_EXPOSURE] * self.light
        return True, np.full((90, 160, 3), min(255, int(level)), np.uint8)


@pytest.fixture
def webcam():
    return Webcam()


@pytest.fixture
def camera(webcam):
    camera = UsbCamera(3, open_device=lambda index: webcam)
    yield camera
    camera.close()


def test_a_captured_frame_was_exposed_after_the_call(camera, webcam):
    for _ in range(10):
        exposing = webcam.exposing
        shown = camera.capture().image[0, 0, 0]

        assert shown > exposing


def test_a_preview_is_small_and_does_not_wait_for_a_frame(camera, webcam):
    camera.capture()
    webcam.flows.clear()
    preview = camera.preview()
    webcam.flows.set()

    assert preview.image.shape == (180, 320, 3)
    assert not preview.image.flags.writeable


def test_an_unplugged_camera_is_an_error_with_the_remedy(camera, webcam):
    camera.capture()
    webcam.unplugged = True

    with pytest.raises(CameraError, match="USB camera 3 gives no pictures: plug it in again"):
        camera.capture()
    assert webcam.released.wait(1)


def test_a_hung_camera_times_out(monkeypatch, webcam):
    monkeypatch.setattr(usb, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(usb, "CLOSING_S", 0.05)
    hang = threading.Event()
    camera = UsbCamera(open_device=lambda index: webcam)
    monkeypatch.setattr(webcam, "read", lambda: (hang.wait(5) and False, None))
    time.sleep(0.1)

    with pytest.raises(CameraError, match="gives no pictures"):
        camera.preview()  # and not the last frame for ever
    with pytest.raises(CameraError, match="gives no pictures"):
        camera.capture()
    camera.close()
    camera.close()
    hang.set()
    assert webcam.released.wait(1)


def test_a_missing_camera_is_named():
    with pytest.raises(CameraError, match="no camera at /dev/video97: plug one in"):
        UsbCamera(97)


def test_a_camera_that_hangs_while_it_opens_is_an_error(monkeypatch, webcam):
    monkeypatch.setattr(usb, "SETTLING_S", 0.05)
    monkeypatch.setattr(usb, "CLOSING_S", 0.05)
    hang = threading.Event()
    monkeypatch.setattr(webcam, "read", lambda: (hang.wait(5) and False, None))

    with pytest.raises(CameraError, match="gives no pictures"):
        UsbCamera(open_device=lambda index: webcam)
    hang.set()


def test_a_slow_camera_settles_while_its_frames_keep_coming(monkeypatch):
    monkeypatch.setattr(usb, "SETTLING_S", 30 * FRAME_S)  # settling takes about fifty frames
    camera = UsbCamera(open_device=lambda index: Webcam())
    camera.relock_exposure()

    assert camera.capture() is not None
    camera.close()


@pytest.mark.parametrize(("light", "exposure_us"), [(1.2, 10_000), (0.6, 20_000), (0.4, 30_000)])
def test_exposure_is_held_at_the_multiple_with_the_same_brightness(light, exposure_us):
    webcam = Adjustable(light)
    camera = UsbCamera(open_device=lambda index: webcam)
    held = camera.tuning.light
    camera.close()

    assert held == HeldLight(exposure_us, 8.0, white_k=4200)
    assert webcam.knobs[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
    assert webcam.knobs[cv2.CAP_PROP_AUTO_WB] == 0
    assert webcam.knobs[cv2.CAP_PROP_AUTOFOCUS] == 0


def test_a_camera_that_gets_too_dark_keeps_its_automatic_exposure():
    webcam = Adjustable(light=0.05)
    camera = UsbCamera(open_device=lambda index: webcam)
    camera.close()

    assert camera.tuning.light is None
    assert webcam.knobs[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0


def test_a_relocked_exposure_follows_the_light():
    webcam = Adjustable(light=1.2)
    camera = UsbCamera(open_device=lambda index: webcam)
    webcam.light = 0.6
    camera.relock_exposure()
    camera.close()

    assert camera.tuning.light.exposure_us == 20_000


def test_a_known_tuning_is_set_at_once():
    webcam = Adjustable()
    known = Tuning(rotation=90, light=HeldLight(20_000, 4.0, white_k=5000))
    camera = UsbCamera(tuning=known, open_device=lambda index: webcam)
    shape = camera.capture().image.shape
    camera.close()

    assert camera.tuning == known
    assert webcam.knobs[cv2.CAP_PROP_EXPOSURE] == 200
    assert webcam.knobs[cv2.CAP_PROP_WB_TEMPERATURE] == 5000
    assert shape == (160, 90, 3)
