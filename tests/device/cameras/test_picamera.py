"""What can be told without a Pi: a stand-in for picamera2 that behaves as its source reads."""

import sys
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from device.camera import CameraError
from device.cameras.picamera import Picamera2Camera, _full_field, as_bgr, pi_camera_there

MODULE_3 = [
    {"size": (1536, 864), "bit_depth": 10, "crop_limits": (768, 432, 3072, 1728)},
    {"size": (2304, 1296), "bit_depth": 10, "crop_limits": (0, 0, 4608, 2592)},
    {"size": (4608, 2592), "bit_depth": 10, "crop_limits": (0, 0, 4608, 2592)},
]
HQ = [
    {"size": (1332, 990), "bit_depth": 10, "crop_limits": (696, 528, 2664, 1980)},
    {"size": (2028, 1080), "bit_depth": 12, "crop_limits": (0, 440, 4056, 2160)},
    {"size": (2028, 1520), "bit_depth": 12, "crop_limits": (0, 0, 4056, 3040)},
    {"size": (4056, 3040), "bit_depth": 12, "crop_limits": (0, 0, 4056, 3040)},
]
COLOUR = (40, 120, 200)  # blue, green, red


class Request:
    def __init__(self, camera):
        self.camera = camera

    def make_array(self, stream):
        return self.camera.pictures[stream]

    def get_metadata(self):
        return {"SensorTimestamp": 5_010_000_000, "ExposureTime": 10_000}

    def release(self):
        self.camera.held -= 1


class Picamera2:
    cameras = ({"Model": "imx708"},)

    def __init__(self):
        self.sensor_modes = MODULE_3
        self.camera_properties = {"Model": "imx708"}
        self.held = 0
        self.flushed = []
        self.pictures = {}

    @classmethod
    def global_camera_info(cls):
        return cls.cameras

    def create_video_configuration(self, **wish):
        return wish

    def configure(self, wish):
        self.wish = wish
        self.pictures["main"] = np.full((1296, 2304, 3), COLOUR, np.uint8)
        self.pictures["lores"] = i420(320, 180)

    def camera_configuration(self):
        return self.wish

    def start(self):
        pass

    def capture_request(self, *, wait, flush):
        assert wait == 2.0
        self.flushed.append(flush)
        self.held += 1
        return Request(self)

    def close(self):
        self.held = 0


def i420(width, height, padding=0):
    planes = cv2.cvtColor(np.full((height, width, 3), COLOUR, np.uint8), cv2.COLOR_BGR2YUV_I420)
    if not padding:
        return planes
    luma = np.pad(planes[:height], ((0, 0), (0, padding)))
    chroma = np.pad(planes[height:].reshape(-1, width // 2), ((0, 0), (0, padding // 2)))
    return np.vstack([luma, chroma.reshape(-1, width + padding)])


@pytest.fixture
def library(monkeypatch):
    class Fresh(Picamera2):
        pass

    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=Fresh))
    return Fresh


def test_capture_asks_for_a_frame_exposed_after_the_call(library):
    camera = Picamera2Camera()
    frame = camera.capture()

    assert camera._camera.flushed == [True]
    assert camera._camera.held == 0
    assert frame.time_s == pytest.approx(5.0)
    assert frame.image.shape == (1296, 2304, 3)
    assert not frame.image.flags.writeable
    assert camera.name == "imx708"


def test_preview_takes_the_small_stream_as_it_comes(library):
    camera = Picamera2Camera()
    preview = camera.preview()

    assert camera._camera.flushed == [None]
    assert preview.image.shape == (180, 320, 3)
    assert np.allclose(preview.image[90, 160], COLOUR, atol=4)


def test_the_request_is_given_back_even_when_its_format_is_of_no_use(library):
    camera = Picamera2Camera()
    camera._streams["main"]["format"] = "SRGGB10"

    with pytest.raises(CameraError, match="delivers SRGGB10"):
        camera.capture()
    assert camera._camera.held == 0


def test_a_hung_camera_is_a_camera_error(library, monkeypatch):
    def hang(self, **_):
        raise TimeoutError

    monkeypatch.setattr(library, "capture_request", hang)
    with pytest.raises(CameraError, match="check the ribbon cable"):
        Picamera2Camera().capture()


@pytest.mark.parametrize(
    ("modes", "size"), [(MODULE_3, (2304, 1296)), (HQ, (2028, 1520)), (MODULE_3[2:], (4608, 2592))]
)
def test_the_mode_sees_the_full_field(modes, size):
    assert size == _full_field(modes)["size"]


def test_a_camera_that_tells_no_modes_is_asked_for_the_usual_size():
    assert _full_field([{"format": "NV12"}]) is None


@pytest.mark.parametrize("padding", [0, 64])
def test_yuv_pictures_become_bgr_without_their_padding(padding):
    picture = as_bgr(i420(320, 180, padding), {"size": (320, 180), "format": "YUV420"})

    assert picture.shape == (180, 320, 3)
    assert np.allclose(picture[::20, ::20], COLOUR, atol=4)


@pytest.mark.parametrize(
    ("name", "pixel"),
    [
        ("RGB888", COLOUR),
        ("BGR888", COLOUR[::-1]),
        ("XRGB8888", (*COLOUR, 255)),
        ("XBGR8888", (*COLOUR[::-1], 255)),
    ],
)
def test_rgb_pictures_become_bgr(name, pixel):
    array = np.full((20, 30, len(pixel)), pixel, np.uint8)

    assert as_bgr(array, {"size": (30, 20), "format": name})[5, 5].tolist() == list(COLOUR)


def test_nv12_pictures_become_bgr():
    planes = i420(320, 180)
    chroma = planes[180:].reshape(2, -1)
    nv12 = np.vstack([planes[:180], chroma.T.reshape(90, 320)])

    picture = as_bgr(nv12, {"size": (320, 180), "format": "NV12"})
    assert np.allclose(picture[90, 160], COLOUR, atol=4)


def test_without_picamera2_the_error_tells_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "picamera2", None)

    assert not pi_camera_there()
    with pytest.raises(CameraError, match="sudo apt install python3-picamera2"):
        Picamera2Camera()


def test_without_a_camera_the_error_tells_what_to_check(library):
    library.cameras = ()

    assert not pi_camera_there()
    with pytest.raises(CameraError, match="check both ends of the ribbon cable"):
        Picamera2Camera()


def test_a_camera_in_use_elsewhere_is_an_error(library, monkeypatch):
    def busy(self):
        raise RuntimeError("Failed to acquire camera: Device or resource busy")

    monkeypatch.setattr(library, "start", busy)
    with pytest.raises(CameraError, match=r"resource busy.*close other programs"):
        Picamera2Camera()
