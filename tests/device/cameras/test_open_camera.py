import sys

import pytest

import device.cameras
from device.cameras import camera_opener, is_hot_pluggable, picamera
from device.cameras.base import CameraError
from device.errors import UsageError


def test_auto_on_a_machine_without_picamera2_is_the_simulated_tray(monkeypatch):
    monkeypatch.setitem(sys.modules, "picamera2", None)

    assert camera_opener("auto")().name == "simulated tray"


def test_auto_on_a_pi_opens_its_camera(monkeypatch):
    monkeypatch.setattr(picamera, "is_raspberry_pi", lambda: True)
    monkeypatch.setattr(device.cameras, "Picamera2Camera", lambda tuning, number: "the Pi's camera")

    assert camera_opener("auto")() == "the Pi's camera"


def test_the_simulated_tray_is_opened_with_seed_and_look():
    first, second = (camera_opener("sim:travel", seed=4, roll_s=0)() for _ in range(2))
    first.throw()
    second.throw()

    assert first.truth == second.truth


def test_a_replay_path_may_contain_colons(tmp_path):
    with pytest.raises(CameraError, match="a:b"):
        camera_opener(f"replay:{tmp_path}/a:b")()


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "webcam",
        "usb:-1",
        "picamera2:x",
        "http://",
        "rtsp://x:y",
        "replay:",
        "auto:1",
        "sim:plaid",
    ],
)
def test_an_unknown_camera_is_refused_in_one_line_with_the_remedy(spec):
    with pytest.raises(UsageError, match=r"use |write ") as caught:
        camera_opener(spec)()

    assert "\n" not in str(caught.value)


def test_no_camera_is_opened_if_phones_take_the_pictures():
    with pytest.raises(UsageError, match="only in `traykeeper play`: use auto"):
        camera_opener("phone")()


def test_a_missing_usb_camera_is_a_camera_error():
    with pytest.raises(CameraError, match="/dev/video98"):
        camera_opener("usb:98")()


def test_a_hot_pluggable_camera_is_opened_only_on_demand(monkeypatch):
    monkeypatch.setitem(sys.modules, "picamera2", None)
    opener = camera_opener("usb:97")

    assert is_hot_pluggable(opener)
    assert is_hot_pluggable(camera_opener("picamera2"))
    assert not is_hot_pluggable(camera_opener("auto"))
    with pytest.raises(CameraError, match="/dev/video97"):
        opener()
