"""The Pi's camera, tested without a Pi on a stand-in that behaves like picamera2."""

import os
import sys
import threading
import time
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from device.cameras import picamera
from device.cameras.base import CameraError, CameraStuckError
from device.cameras.controls import Tuning
from device.cameras.picamera import Picamera2Camera, _full_field, as_bgr, pi_cameras
from tests.waiting import PATIENCE_S

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
V1 = [
    {"size": (640, 480), "bit_depth": 10, "crop_limits": (16, 0, 2560, 1920)},
    {"size": (1296, 972), "bit_depth": 10, "crop_limits": (0, 0, 2592, 1944)},
    {"size": (1920, 1080), "bit_depth": 10, "crop_limits": (348, 434, 1928, 1080)},
    {"size": (2592, 1944), "bit_depth": 10, "crop_limits": (0, 0, 2592, 1944)},
]
V2 = [
    {"size": (640, 480), "bit_depth": 10, "crop_limits": (1000, 752, 1280, 960)},
    {"size": (1640, 1232), "bit_depth": 10, "crop_limits": (0, 0, 3280, 2464)},
    {"size": (1920, 1080), "bit_depth": 10, "crop_limits": (680, 692, 1920, 1080)},
    {"size": (3280, 2464), "bit_depth": 10, "crop_limits": (0, 0, 3280, 2464)},
]
GLOBAL_SHUTTER = [{"size": (1456, 1088), "bit_depth": 10, "crop_limits": (0, 0, 1456, 1088)}]
COLOUR = (40, 120, 200)  # blue, green, red


class Request:
    def __init__(self, camera):
        self.camera = camera

    def make_array(self, stream):
        return self.camera.pictures[stream]

    def get_metadata(self):
        return self.camera.seen

    def release(self):
        self.camera.held -= 1


class Picamera2:
    cameras = ({"Model": "imx708"},)

    def __init__(self, number=0):
        self.number = number
        self.sensor_modes = MODULE_3
        self.camera_properties = {"Model": "imx708"}
        self.camera_controls = {}
        self.closed = False
        self.seen = {}
        self.exposure = {"ExposureTime": 10_000}
        self.late = 0
        self.held = 0
        self.flushed = []
        self.pictures = {}

    @classmethod
    def global_camera_info(cls):
        return cls.cameras

    def create_video_configuration(self, **wanted):
        return wanted

    def configure(self, wanted):
        self.wanted = wanted
        self.pictures["main"] = np.full((1296, 2304, 3), COLOUR, np.uint8)
        self.pictures["lores"] = i420(320, 180)

    def camera_configuration(self):
        return self.wanted

    def start(self):
        pass

    def capture_request(self, *, wait, flush):
        assert wait == picamera.TIMEOUT_S
        self.flushed.append(flush)
        self.held += 1
        lag_ns = 1_000_000_000_000 if self.late else -50_000_000
        self.late = max(0, self.late - 1)
        self.seen = {"SensorTimestamp": time.monotonic_ns() - lag_ns, **self.exposure}
        return Request(self)

    def cancel_all_and_flush(self):
        pass

    def close(self):
        self.held = 0
        self.closed = True


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
    for limit in ("TIMEOUT_S", "CLOSING_S"):
        monkeypatch.setattr(picamera, limit, PATIENCE_S)
    return Fresh


def test_a_camera_that_is_in_use_leaves_no_file_open_however_often_it_is_tried(
    library, monkeypatch
):
    opened = []

    def busy(camera, _number):
        # picamera2 opens a pipe before it tries to acquire the camera.
        reading_end, camera.notifyme_w = os.pipe()
        os.close(reading_end)
        opened.append(camera.notifyme_w)
        raise RuntimeError("Camera __init__ sequence did not complete.")

    monkeypatch.setattr(library, "__init__", busy)
    for _ in range(3):
        with pytest.raises(CameraError, match="did not complete"):
            Picamera2Camera()

    for each in opened:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(each)


def test_capture_asks_for_a_frame_exposed_after_the_call(library):
    camera = Picamera2Camera()
    frame = camera.capture()

    assert camera._camera.flushed[-1] is True
    assert camera._camera.held == 0
    began_s = camera._camera.seen["SensorTimestamp"] / 1e9 - 0.01
    assert frame.time_s == pytest.approx(began_s, abs=1e-6)
    assert frame.image.shape == (1296, 2304, 3)
    assert not frame.image.flags.writeable
    assert camera.name == "imx708"


@pytest.mark.parametrize("exposure", [{"ExposureTime": 10_000}, {}])
def test_older_frames_are_skipped_even_if_the_camera_reports_no_exposure(library, exposure):
    camera = Picamera2Camera()
    camera._camera.exposure = exposure
    camera._reports_exposure = bool(exposure)
    camera._camera.late = 3
    called_s = time.monotonic()
    frame = camera.capture()

    assert frame.time_s >= called_s
    assert camera._camera.flushed[-4:] == [True if exposure else None] * 4
    assert camera._camera.held == 0


def test_a_camera_that_delivers_only_old_frames_is_an_error(library, monkeypatch):
    monkeypatch.setattr(picamera, "TIMEOUT_S", 0.1)
    camera = Picamera2Camera()
    monkeypatch.setattr(camera._camera, "late", 10**9)

    with pytest.raises(CameraError, match="is not sending any pictures"):
        camera.capture()


def test_a_preview_is_the_next_frame_of_the_small_stream(library):
    camera = Picamera2Camera()
    preview = camera.preview()

    assert camera._camera.flushed[-1] is None
    assert preview.image.shape == (180, 320, 3)
    assert np.allclose(preview.image[90, 160], COLOUR, atol=4)


def test_the_request_is_released_even_if_its_format_is_unknown(library):
    camera = Picamera2Camera()
    camera._streams["main"]["format"] = "SRGGB10"

    with pytest.raises(CameraError, match="sends SRGGB10"):
        camera.capture()
    assert camera._camera.held == 0


def test_a_hung_camera_is_a_camera_error(library, monkeypatch):
    def hang(self, **_):
        raise TimeoutError

    monkeypatch.setattr(library, "capture_request", hang)
    with pytest.raises(CameraError, match="check the ribbon cable"):
        Picamera2Camera().capture()


@pytest.mark.parametrize(
    ("modes", "size"),
    [
        (MODULE_3, (2304, 1296)),
        (HQ, (2028, 1520)),
        (V1, (1296, 972)),
        (V2, (1640, 1232)),
        (GLOBAL_SHUTTER, (1456, 1088)),
        (MODULE_3[2:], (4608, 2592)),
    ],
)
def test_the_chosen_mode_sees_the_full_field(modes, size):
    assert size == _full_field(modes)["size"]


def test_a_camera_that_reports_no_modes_has_none_chosen():
    assert _full_field([{"format": "NV12"}]) is None


@pytest.mark.parametrize("padding", [0, 64])
def test_yuv_images_become_bgr_without_their_padding(padding):
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
def test_rgb_images_become_bgr(name, pixel):
    array = np.full((20, 30, len(pixel)), pixel, np.uint8)

    assert as_bgr(array, {"size": (30, 20), "format": name})[5, 5].tolist() == list(COLOUR)


def test_nv12_images_become_bgr():
    planes = i420(320, 180)
    chroma = planes[180:].reshape(2, -1)
    nv12 = np.vstack([planes[:180], chroma.T.reshape(90, 320)])

    picture = as_bgr(nv12, {"size": (320, 180), "format": "NV12"})
    assert np.allclose(picture[90, 160], COLOUR, atol=4)


def test_without_picamera2_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "picamera2", None)

    with pytest.raises(CameraError, match="sudo apt install python3-picamera2"):
        Picamera2Camera()


def test_without_a_camera_the_error_says_what_to_check(library):
    library.cameras = ()

    with pytest.raises(CameraError, match="check both ends of the ribbon cable"):
        Picamera2Camera()


def test_a_camera_in_use_elsewhere_is_an_error(library, monkeypatch):
    begun = []

    def busy(self):
        begun.append(self)
        raise RuntimeError("Failed to acquire camera: Device or resource busy")

    monkeypatch.setattr(library, "start", busy)
    with pytest.raises(CameraError, match=r"resource busy.*close other programs"):
        Picamera2Camera()
    assert begun[0].closed  # otherwise it could not be opened again


def test_a_camera_that_hangs_while_closing_is_abandoned(library, monkeypatch):
    monkeypatch.setattr(picamera, "CLOSING_S", 0.05)
    hang = threading.Event()
    camera = Picamera2Camera()
    closed = threading.Event()
    monkeypatch.setattr(library, "close", lambda self: hang.wait() and closed.set())
    with pytest.raises(CameraStuckError):
        camera.close()

    assert not closed.is_set()
    hang.set()
    assert closed.wait(PATIENCE_S)


@pytest.mark.parametrize(
    ("rotation", "corner"), [(0, (0, 0)), (90, (0, -1)), (180, (-1, -1)), (270, (-1, 0))]
)
def test_both_streams_are_rotated(library, rotation, corner):
    camera = Picamera2Camera(Tuning(rotation=rotation))
    camera._camera.pictures["main"][:200, :200] = 255
    seen, small = camera.capture().image, camera.preview().image

    assert seen[corner].tolist() == [255, 255, 255]
    assert (seen.shape[0] > seen.shape[1]) == (small.shape[0] > small.shape[1])


RIBBON = {"Model": "imx708", "Id": "/base/soc/i2c0mux/i2c@1/imx708@1a", "Num": 0}
SECOND = {"Model": "imx708", "Id": "/base/axi/pcie@120000/rp1/i2c@80000/imx708@1a", "Num": 1}
WEBCAM = {
    "Model": "C920",
    "Id": "/base/scb/pcie@7d500000/pci@0,0/usb@0,0-1:1.0-046d:0825",
    "Num": 2,
}
PC_WEBCAM = {"Model": "HD Webcam", "Id": "\\_SB_.PCI0.XHC_.RHUB.HS06-6:1.0-0bda:58f4", "Num": 0}


def test_a_webcam_that_nobody_named_is_not_taken_for_the_pis_camera(library):
    library.cameras = (WEBCAM,)
    assert pi_cameras() == []
    library.cameras = (PC_WEBCAM,)
    with pytest.raises(CameraError, match="no camera found"):
        Picamera2Camera()

    library.cameras = (WEBCAM | {"Num": 0}, RIBBON | {"Num": 1})
    camera = Picamera2Camera()
    assert camera._camera.number == 1


def test_the_second_pi_camera_is_opened_by_its_number_and_named_after_it(library):
    library.cameras = (RIBBON, SECOND)
    assert [camera.number for camera in pi_cameras()] == [0, 1]
    camera = Picamera2Camera(number=1)

    assert camera._camera.number == 1
    assert camera.name == "imx708 (1)"
    with pytest.raises(CameraError, match="no camera picamera2:2"):
        Picamera2Camera(number=2)
