"""The real picamera2 and libcamera, with libcamera's virtual camera.

It shows pictures of the simulated tray. What this cannot show: a sensor, its ISP and lens, exposure
and white balance. `make test-pi` runs it inside the trixie folder that `chroot.sh` makes.
"""

import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, sleep

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import stand_ins

from device.cameras import SimulatedTray, camera_opener, picamera
from device.cameras.base import CameraError
from device.cameras.controls import Tuning
from device.cameras.picamera import Picamera2Camera
from device.watching import camera_link
from device.watching.reports import CameraFound, CapturedReading
from device.watching.tray_watch import TrayWatch
from vision import read

pytestmark = [  # picamera2's own
    pytest.mark.filterwarnings("ignore:setDaemon:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

PATIENCE_S = 60
"""Long enough for a busy machine, where a reading takes seconds."""

SHOWN = Path("/usr/share/libcamera/pipeline/virtual")
THROW = (1, 2, 3, 4, 5, 6)


@pytest.fixture(scope="session", autouse=True)
def virtual_camera():
    """Six dice in a tray, seen through libcamera."""
    frames = SHOWN / "frames"
    frames.mkdir(parents=True, exist_ok=True)
    tray = SimulatedTray(seed=5, roll_s=0)
    tray.throw_all(THROW)
    for number in range(4):
        cv2.imwrite(str(frames / f"{number}.jpg"), tray.capture().image)
    (SHOWN / "virtual.yaml").write_text(
        f"""%YAML 1.1
---
"Virtual0":
  supported_formats:
  - width: 1536
    height: 864
    frame_rates: [30, 60]
  - width: 320
    height: 180
    frame_rates: [30, 60]
  frames:
    path: "{frames}/"
  location: "CameraLocationExternal"
  model: "Simulated tray"
...
"""
    )
    stand_ins.use()
    return tray


@pytest.fixture
def camera():
    camera = Picamera2Camera()
    yield camera
    camera.close()


def test_the_camera_is_found_and_opened_by_name(camera):
    assert camera.name == "Simulated tray"
    camera.close()
    again = camera_opener("auto")()
    again.close()


def test_a_captured_picture_was_exposed_after_the_call(camera):
    for _ in range(10):
        called_s = monotonic()
        frame = camera.capture()

        assert frame.time_s >= called_s
        assert frame.image.shape == (864, 1536, 3)
        assert not frame.image.flags.writeable
        sleep(0.05)


def test_the_preview_is_small_and_shows_the_same(camera):
    preview = camera.preview().image
    whole = cv2.resize(camera.capture().image, (320, 180), interpolation=cv2.INTER_AREA)

    assert preview.shape == (180, 320, 3)
    assert np.abs(preview.astype(int) - whole).mean() < 8


def test_colours_are_preserved(camera, virtual_camera):
    """The colours pass through JPEG and libcamera's NV12."""
    seen, shown = camera.capture().image, virtual_camera.capture().image

    assert np.abs(seen.astype(int) - shown).mean() < 8


def test_the_dice_in_its_pictures_are_read(camera, virtual_camera):
    reading = read(camera.capture().image, virtual_camera.tray)

    assert tuple(reading.values) == THROW
    assert reading.is_sure


def test_a_turned_camera_shows_turned_pictures():
    camera = Picamera2Camera(Tuning(rotation=90))
    shape = camera.capture().image.shape
    camera.close()

    assert shape == (1536, 864, 3)


def test_the_camera_can_be_closed_and_opened_again():
    for _ in range(4):
        camera = Picamera2Camera()
        camera.capture()
        camera.close()
        camera.close()


def test_a_second_opening_is_an_error_and_the_first_keeps_working(camera):
    with pytest.raises(CameraError, match="close other programs"):
        Picamera2Camera()

    assert camera.capture().image.any()


def test_a_camera_that_hangs_is_closed_and_opened_again(monkeypatch):
    """Withhold frames, so that picamera2's jobs wait forever."""
    camera = Picamera2Camera()
    monkeypatch.setattr(picamera, "TIMEOUT_S", 0.3)
    monkeypatch.setattr(camera._camera, "process_requests", lambda _: sleep(0.01))
    sleep(0.1)  # one frame may already have arrived
    camera._camera.completed_requests.clear()
    with pytest.raises(CameraError, match="is not sending any pictures"):
        camera.capture()
    monkeypatch.undo()
    began_s = monotonic()
    camera.close()
    assert monotonic() - began_s < picamera.CLOSING_S

    again = Picamera2Camera()
    assert again.capture().image.any()
    again.close()


def test_a_throw_is_read_from_the_camera(monkeypatch):
    monkeypatch.setattr(camera_link, "RETRY_S", (0.2,))
    reports = SimpleQueue()
    watch = TrayWatch(Picamera2Camera, reports.put)
    watch.start()
    while not isinstance(reports.get(timeout=PATIENCE_S), CameraFound):
        pass
    watch.request_reading()
    while not isinstance(seen := reports.get(timeout=PATIENCE_S), CapturedReading):
        pass
    watch.close()

    assert tuple(seen.tray_reading.reading.values) == THROW
    assert not any(thread.name == "closing the camera" for thread in threading.enumerate())
