"""A network camera: faults of a stand-in for its stream, and a real stream from a server of the tests."""

import socket
import threading
from contextlib import closing
from itertools import count
from queue import Empty, SimpleQueue
from time import monotonic, sleep

import cv2
import numpy as np
import pytest

from device.cameras import camera_opener, http_pictures, is_hot_pluggable, video_pictures
from device.cameras import stream_camera as streams
from device.cameras.base import CameraError, LoginRefusedError
from device.cameras.controls import Tuning
from device.cameras.newest_frame import SinglePicture, decode_jpeg
from device.cameras.stream_camera import StreamCamera
from tests.mjpeg_server import WAYS, MjpegServer
from tests.rtsp_server import RtspServer
from tests.waiting import PATIENCE_S, until

URL = "http://me:secret@10.0.0.7:8080/video?key=1"
BROKEN_OFF = None
FRAME_S = 0.002


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Let the cameras wait for frames as long as a busy machine needs."""
    for limit in ("FIRST_FRAME_S", "TIMEOUT_S"):
        monkeypatch.setattr(streams, limit, PATIENCE_S)
    for limit in ("OPEN_TIMEOUT_S", "READ_TIMEOUT_S"):
        monkeypatch.setattr(http_pictures, limit, PATIENCE_S)


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
                picture, time_s = self.next.get(timeout=FRAME_S), monotonic()
            except Empty:
                self.flows.wait()
                time_s = monotonic()  # a test that sees the new number begins later
                self.number += 1
                colour = self.number % 256, self.number // 256, 0
                picture = np.full((*self.size, 3), colour, np.uint8)
            if picture is BROKEN_OFF:
                return
            yield SinglePicture(picture, time_s)


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
    monkeypatch.setattr(http_pictures, "READ_TIMEOUT_S", 0.3)
    with closing(StreamCamera(server.url)) as camera:
        camera.capture()
        server.fault = fault
        monkeypatch.setattr(streams, "TIMEOUT_S", 0.8)
        with pytest.raises(CameraError):
            capture_until_it_fails(camera)
        server.fault = ""
        monkeypatch.setattr(http_pictures, "READ_TIMEOUT_S", PATIENCE_S)
        monkeypatch.setattr(streams, "TIMEOUT_S", PATIENCE_S)

        assert camera.capture().image.shape == (120, 160, 3)


def test_a_phone_that_is_turned_shows_its_new_size_and_no_squeezed_picture(server):
    with closing(StreamCamera(server.url)) as camera:
        server.show((120, 160))
        with pytest.raises(CameraError, match="size"):
            capture_until_it_fails(camera)
    with closing(StreamCamera(server.url)) as camera:
        assert camera.capture().image.shape == (160, 120, 3)


@pytest.mark.parametrize("way", WAYS)
def test_each_picture_gets_a_time_between_sending_it_and_seeing_it(server, way):
    numbers, sent_s = count(1), {}

    def numbered():
        number = next(numbers) % 256
        sent_s[number] = monotonic()
        return np.full((120, 160, 3), number, np.uint8)

    def is_precise():
        called_s = monotonic()
        frame = camera.capture()
        assert called_s <= frame.time_s < monotonic()
        return sent_s[round(frame.image.mean())] - 0.05 < frame.time_s

    server.take, server.way = numbered, way
    with closing(StreamCamera(server.url)) as camera:
        for _ in range(3):
            until(is_precise)  # on a busy machine, some times are earlier


def test_pictures_that_wait_while_this_process_is_stopped_keep_their_age(server, monkeypatch):
    """The reader stands still for a second, as if the process had been stopped, and five pictures wait meanwhile."""
    server.frame_s = 0.2
    with closing(StreamCamera(server.url)) as camera:
        camera.capture()
        poll, stopped_s = http_pictures.ArrivalReader._has_data, []

        def stop(reader, wait_ms):
            if not stopped_s:
                stopped_s.append(monotonic())
                threading.Event().wait(1.0)
            return poll(reader, wait_ms)

        monkeypatch.setattr(http_pictures.ArrivalReader, "_has_data", stop)
        times_s = set()
        while not stopped_s or max(times_s, default=0) < stopped_s[0] + 1.0:
            times_s.add(camera.preview().time_s)

        assert not any(stopped_s[0] + 0.3 < time_s < stopped_s[0] + 0.95 for time_s in times_s)


@pytest.mark.parametrize("scheme", ["Basic", "Digest"])
def test_a_password_is_sent_as_the_camera_asks_for_it(server, scheme):
    server.login, server.scheme = "me:pass word/#", scheme
    url = server.url.replace("://", "://me:pass%20word%2F%23@")
    with closing(StreamCamera(url)) as camera:
        assert camera.capture().image.shape == (120, 160, 3)
    assert len(server.logins) == 1


@pytest.mark.parametrize("scheme", ["Basic", "Digest"])
def test_a_wrong_password_is_sent_once(server, scheme):
    server.login, server.scheme = "me:right", scheme
    with pytest.raises(LoginRefusedError, match=r"refuses the user or the password \(401\)"):
        StreamCamera(server.url.replace("://", "://me:wrong@"))
    assert len(server.logins) == 1


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("401", "refuses the user or the password (401): correct them"),
        ("403", "does not let this user see its pictures (403): allow that"),
        ("404", "nothing at this address (404): look up the path"),
        ("410", "nothing at this address (410): look up the path"),
        ("400", "refuses the request (400): look up the address"),
        ("500", "reports a fault of its own (500): close other viewers"),
        ("503", "reports a fault of its own (503): close other viewers"),
        ("page", "leads to a web page: open it in a browser"),
    ],
)
def test_each_answer_without_pictures_has_its_own_remedy(server, answer, says):
    server.fault = answer
    with pytest.raises(CameraError) as caught:
        StreamCamera(server.url)
    assert says in str(caught.value)
    assert isinstance(caught.value, LoginRefusedError) == (answer in ("401", "403"))


def test_an_address_where_nothing_answers_has_its_own_remedy(server):
    server.close()
    for scheme in ("http", "rtsp"):
        with pytest.raises(
            CameraError, match="nothing answers at the camera's port: start the app"
        ):
            StreamCamera(server.url.replace("http", scheme))


@pytest.mark.parametrize("host", ["http://[fe80::1%25eth0]", "HTTP://[::1]"])
def test_the_zone_of_an_ipv6_address_and_a_scheme_in_capitals_are_understood(monkeypatch, host):
    connect, hosts = socket.create_connection, []

    def connect_here(address, *args, **options):
        if ":" not in address[0]:  # of another test, whose threads are ending
            return connect(address, *args, **options)
        hosts.append(address[0])
        return connect(("::1", address[1]), *args, **options)

    monkeypatch.setattr(socket, "create_connection", connect_here)
    picture = np.random.default_rng(3).integers(0, 255, (120, 160, 3), np.uint8)
    with closing(MjpegServer(lambda: picture, host="::1")) as server:
        opener = camera_opener(f"{host}:{server.port}/")
        with closing(opener()) as camera:
            assert camera.capture().image.shape == (120, 160, 3)
        assert hosts == [host.partition("[")[2][:-1].replace("%25", "%")]
        assert server.asked_host == f"[{hosts[0].partition('%')[0]}]:{server.port}"


# Single pictures


def test_an_address_of_a_single_picture_is_asked_again_and_again(server):
    server.way = "snapshot"
    with closing(StreamCamera(server.url)) as camera:
        for _ in range(3):
            before = server.connections
            camera.capture()
            assert server.connections > before
        assert until(lambda: camera.rate_hz) < 2 * http_pictures.POLL_HZ


def test_a_camera_that_is_busy_is_asked_less_often(server, monkeypatch):
    server.way = "snapshot"
    waits_s = []
    monkeypatch.setattr(http_pictures, "sleep", waits_s.append)
    with closing(StreamCamera(server.url)) as camera:
        camera.capture()
        server.fault = "503"
        monkeypatch.setattr(streams, "TIMEOUT_S", 0.5)
        with pytest.raises(CameraError, match=r"fault of its own \(503\)"):
            capture_until_it_fails(camera)

    assert max(waits_s) > 0.7 * http_pictures.SLOWEST_POLL_S


class SlowStream:
    """A stream with this many seconds between two pictures, on a clock of its own."""

    def __init__(self, seconds, monkeypatch):
        self.seconds, self.now_s, self.ask = seconds, 0.0, threading.Semaphore(0)
        self.picture = np.random.default_rng(1).integers(0, 255, (120, 160, 3), np.uint8)
        monkeypatch.setattr(streams, "monotonic", lambda: self.now_s)

    def open(self, url):
        yield SinglePicture(self.picture, monotonic())
        while True:
            self.ask.acquire()
            self.now_s += self.seconds
            yield SinglePicture(self.picture, monotonic())


def test_one_picture_a_second_is_enough_and_is_reported(monkeypatch):
    stream = SlowStream(1.0, monkeypatch)
    with closing(StreamCamera(URL, open_stream=stream.open)) as camera:
        stream.ask.release(20)
        until(lambda: camera.rate_hz)

        assert camera.rate_hz == 1.0
        assert "only 1.0 pictures a second" in str(camera.complaint)
        assert camera.preview()
        stream.ask.release()


def test_fewer_pictures_are_refused_with_the_reason(monkeypatch):
    stream = SlowStream(2.0, monkeypatch)
    with closing(StreamCamera(URL, open_stream=stream.open)) as camera:
        stream.ask.release(streams.INTERVALS)
        with pytest.raises(CameraError, match=r"only every 2.0 seconds, and Traykeeper needs one"):
            until(lambda: camera.preview() is None)


def jpeg(level):
    return cv2.imencode(".jpg", np.full((120, 160, 3), level, np.uint8))[1].tobytes()


def test_a_picture_that_stays_the_same_for_half_a_minute_is_reported(monkeypatch):
    stream = SlowStream(0.25, monkeypatch)
    stream.picture = jpeg(90)
    with closing(StreamCamera(URL, open_stream=stream.open)) as camera:
        stream.ask.release(120)
        until(lambda: stream.now_s == streams.SAME_S)
        assert camera.complaint is None

        stream.ask.release()
        assert "has sent the same picture" in str(until(lambda: camera.complaint))

        stream.picture = jpeg(91)
        stream.ask.release()
        until(lambda: camera.complaint is None)


# H.264 over RTSP


class Numbers:
    """Pictures that show a number as white and black bars."""

    def __init__(self):
        self.sent_s = []

    def take(self):
        image = np.zeros((240, 320, 3), np.uint8)
        for bit in range(16):
            image[:, 20 * bit : 20 * bit + 20] = 255 * (len(self.sent_s) >> bit & 1)
        self.sent_s.append(monotonic())
        return image

    def sent_at(self, image):
        bits = (int(image[120, 20 * bit + 10].mean() > 128) << bit for bit in range(16))
        return self.sent_s[sum(bits)]


@pytest.mark.parametrize("decoding_s", [0.0, 0.1])
def test_a_picture_of_a_video_arrived_after_the_call_however_slowly_it_is_decoded(
    monkeypatch, decoding_s
):
    decode = video_pictures.av.VideoCodecContext.decode

    class SlowCodec:
        def __init__(self, codec):
            self.decode = lambda packet: sleep(decoding_s) or decode(codec, packet)

    decoder = video_pictures._Decoder
    monkeypatch.setattr(video_pictures, "_Decoder", lambda codec: decoder(SlowCodec(codec)))
    numbers = Numbers()
    with (
        closing(RtspServer(numbers.take, fps=25)) as server,
        closing(StreamCamera(server.url)) as camera,
    ):
        for _ in range(3):
            called_s = monotonic()
            frame = camera.capture()

            assert frame.time_s >= called_s
            assert abs(frame.time_s - numbers.sent_at(frame.image)) < 0.3
            preview = camera.preview()
            assert abs(preview.time_s - numbers.sent_at(preview.image)) < 0.3


def test_a_video_that_refuses_the_password_is_asked_once():
    with closing(RtspServer(lambda: None)) as server:
        server.answer = 401
        with pytest.raises(LoginRefusedError, match="refuses the user or the password"):
            StreamCamera(server.url.replace("://", "://me:wrong@"))
        assert server.logins == 1
