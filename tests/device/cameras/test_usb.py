import threading
import time

import numpy as np
import pytest

from device.camera import CameraError
from device.cameras import usb
from device.cameras.usb import UsbCamera

FRAME_S = 0.01


class Webcam:
    """Delivers each exposure two frames late; a frame shows the number of its exposure."""

    def __init__(self, index=0):
        self.exposing = 0
        self.released = threading.Event()
        self.unplugged = False

    def read(self):
        time.sleep(FRAME_S)
        if self.unplugged:
            return False, None
        self.exposing += 1
        return True, np.full((90, 160, 3), max(0, self.exposing - 2) % 256, np.uint8)

    def release(self):
        self.released.set()


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


def test_a_preview_is_small_and_does_not_wait(camera):
    camera.capture()
    began_s = time.monotonic()
    preview = camera.preview()

    assert time.monotonic() - began_s < FRAME_S
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
    monkeypatch.setattr(webcam, "read", lambda: (hang.wait(5) and False, None))
    camera = UsbCamera(open_device=lambda index: webcam)

    with pytest.raises(CameraError, match="gives no pictures"):
        camera.capture()
    camera.close()
    camera.close()
    hang.set()
    assert webcam.released.wait(1)


def test_a_camera_that_is_not_there_is_named():
    with pytest.raises(CameraError, match="no camera at /dev/video97: plug one in"):
        UsbCamera(97)
