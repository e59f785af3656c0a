"""A network camera: faults of a stand-in for its stream, and a real stream from a server of the tests."""

import threading
from contextlib import closing
from queue import Empty, SimpleQueue
from time import monotonic

import cv2
import numpy as np
import pytest

from device.cameras import camera_opener, is_hot_pluggable, stream_pictures
from device.cameras import stream_camera as streams
from device.cameras.base import CameraError
from device.cameras.controls import Tuning
from device.cameras.newest_frame import SinglePicture, decode_jpeg
from device.cameras.stream_camera import StreamCamera
from tests.mjpeg_server import MjpegServer
from tests.waiting import PATIENCE_S

URL = "http://me:secret@10.0.0.7:8080/video?key=1"
BROKEN_OFF = None
FRAME_S = 0.002


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Let the cameras wait for frames as long as a busy machine needs."""
    for limit in ("FIRST_FRAME_S", "TIMEOUT_S"):
        monkeypatch.setattr(streams, limit, PATIENCE_S)
    for limit in ("OPEN_TIMEOUT_S", "READ_TIMEOUT_S"):
        monkeypatch.setattr(stream_pictures, limit, PATIENCE_S)


def number_of(frame):
    low, high, _ = map(int, frame.image[0, 0])
    return low + 256 * high


class Stream:
    """A stream whose frames show their number, with frames that a test puts between them."""

    def __init__(self):
        self.number, self.opened = 0, 0
        self.refuses, self.size = False, (120, 160)
        self.flows = threading.Event()
        self.flows.set()
        self.next = SimpleQueue()

    def open(self, url):
        self.opened += 1
        while not self.refuses:
            try:
                picture = self.next.get(timeout=FRAME_S)
            except Empty:
                self.flows.wait()
                self.number += 1
                colour = self.number % 256, self.number // 256, 0
                picture = np.full((*self.size, 3), colour, np.uint8)
            if picture is BROKEN_OFF:
                return
            yield SinglePicture(picture, monotonic())


@pytest.fixture
def stream(monkeypatch):
    monkeypatch.setattr(streams, "LAG_S", 0.0)
    monkeypatch.setattr(streams, "RETRY_S", 0.0)
    return Stream()


@pytest.fixture
def camera(stream):
    with closing(StreamCamera(URL, open_stream=stream.open)) as camera:
        yield camera
        stream.flows.set()


def test_the_name_of_a_network_camera_shows_no_password_and_no_key(camera):
    assert camera.name == "network camera http://10.0.0.7:8080"


def test_a_capture_is_not_one_of_the_frames_that_were_on_the_way(camera, stream):
    for _ in range(10):
        before = stream.number

        assert number_of(camera.capture()) > before


def test_a_preview_is_the_newest_frame(camera, stream):
    camera.capture()
    before = stream.number

    assert number_of(camera.preview()) >= before - 1


def test_a_stream_that_breaks_off_is_reopened_without_anybody_noticing(camera, stream):
    stream.next.put(BROKEN_OFF)

    for _ in range(10):
        camera.capture()
    assert stream.opened == 2


def test_broken_pictures_are_left_out(camera, stream):
    for _ in range(5):
        stream.next.put(b"<html>")

    assert camera.capture().image.shape == (120, 160, 3)
    assert stream.opened == 1


def test_a_stream_that_stalls_fails_with_the_remedy(camera, stream, monkeypatch):
    monkeypatch.setattr(streams, "TIMEOUT_S", 0.1)
    stream.flows.clear()

    with pytest.raises(
        CameraError, match="is not sending any pictures: check that it is switched on"
    ) as caught:
        camera.capture()
    assert "secret" not in str(caught.value)


def test_pictures_of_another_size_fail_so_that_the_watch_begins_again(camera, stream):
    stream.size = (160, 120)

    with pytest.raises(CameraError, match="size of its pictures has changed"):
        capture_until_it_fails(camera)


def capture_until_it_fails(camera):
    while True:
        assert camera.capture().image.shape == (120, 160, 3)


def test_a_camera_that_cannot_be_reached_fails_with_the_remedy(stream, monkeypatch):
    monkeypatch.setattr(streams, "FIRST_FRAME_S", 0.05)
    stream.refuses = True

    with pytest.raises(CameraError, match="is not sending any pictures"):
        StreamCamera(URL, open_stream=stream.open)


def test_large_pictures_are_scaled_down_and_rotated(stream):
    tuning = Tuning(rotation=90, width_px=80)
    with closing(StreamCamera(URL, tuning, open_stream=stream.open)) as camera:
        assert camera.capture().image.shape == (80, 60, 3)
        assert camera.preview().image.shape[1] == 320


def test_half_a_jpeg_and_garbage_are_not_pictures():
    noise = np.random.default_rng(1).integers(0, 255, (120, 160, 3), np.uint8)
    data = cv2.imencode(".jpg", noise)[1].tobytes()

    assert decode_jpeg(data).shape == (120, 160, 3)
    assert decode_jpeg(data + b"\0" * 20) is not None
    assert decode_jpeg(b"<html>404</html>") is None
    assert decode_jpeg(b"\xff\xd8\xff\xd9") is None
    assert decode_jpeg(b"") is None


@pytest.mark.parametrize("url", ["http://10.0.0.7/v", "https://cam/v", "rtsp://10.0.0.7:8554/live"])
def test_a_url_opens_a_network_camera_on_demand(url):
    opener = camera_opener(url)

    assert opener.func is StreamCamera
    assert is_hot_pluggable(opener)


# Over a real connection


@pytest.fixture
def server():
    picture = np.random.default_rng(3).integers(0, 255, (120, 160, 3), np.uint8)
    with closing(MjpegServer(lambda: picture)) as server:
        server.show = lambda size: setattr(server, "take", lambda: cv2.resize(picture, size))
        yield server


@pytest.mark.parametrize("fault", ["drop", "garbage", "torn", "refuse", "stall"])
def test_a_real_stream_is_seen_again_after_each_fault(server, fault, monkeypatch):
    monkeypatch.setattr(stream_pictures, "READ_TIMEOUT_S", 0.3)
    with closing(StreamCamera(server.url)) as camera:
        camera.capture()
        server.fault = fault
        monkeypatch.setattr(streams, "TIMEOUT_S", 0.8)
        with pytest.raises(CameraError):
            capture_until_it_fails(camera)
        server.fault = ""
        monkeypatch.setattr(stream_pictures, "READ_TIMEOUT_S", PATIENCE_S)
        monkeypatch.setattr(streams, "TIMEOUT_S", PATIENCE_S)

        assert camera.capture().image.shape == (120, 160, 3)


def test_a_phone_that_is_turned_shows_its_new_size_and_no_squeezed_picture(server):
    with closing(StreamCamera(server.url)) as camera:
        server.show((120, 160))
        with pytest.raises(CameraError, match="size"):
            capture_until_it_fails(camera)
    with closing(StreamCamera(server.url)) as camera:
        assert camera.capture().image.shape == (160, 120, 3)
