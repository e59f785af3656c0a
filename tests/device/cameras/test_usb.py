import itertools
import threading
import time

import cv2
import numpy as np
import pytest

from device.cameras import newest_frame, usb
from device.cameras.base import CameraError, CameraStuckError, has_content
from device.cameras.controls import HeldLight, Tuning
from device.cameras.usb import POWER_LINE, UsbCamera
from tests.waiting import PATIENCE_S

FRAME_S = 0.01


def picture(level, lit):
    """Return a picture of one grey level with a column of another, because uniform pictures count as black."""
    image = np.full((90, 160, 3), level, np.uint8)
    image[:, 4] = lit
    return image


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Let the cameras wait for frames as long as a busy machine needs."""
    for limit in ("TIMEOUT_S", "CLOSING_S", "SETTLING_S", "LIGHT_S"):
        monkeypatch.setattr(usb, limit, PATIENCE_S)


def numbered(number):
    """Return a picture whose first pixel shows a number."""
    image = picture(number % 256, lit=200)
    image[0, 0, :2] = number % 256, number // 256
    return image


def number_of(image):
    return int(image[0, 0, 0]) + 256 * int(image[0, 0, 1])


class Webcam:
    """Delivers each frame two exposures late; a frame shows the number of its exposure.

    Its driver refuses all controls.

    Attributes:
        read_frames: Number of frames that were read.
        exposing: The same, when the camera was last waited for.
    """

    def __init__(self, index=0):
        self.read_frames = self.exposing = 0
        self.released = threading.Event()
        self.unplugged = False
        self.flows = threading.Event()
        self.flows.set()

    def read(self):
        self.exposing = self.read_frames
        time.sleep(FRAME_S)
        self.flows.wait()
        if self.unplugged:
            return False, None
        self.read_frames += 1
        return True, numbered(max(0, self.read_frames - 2))

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
            cv2.CAP_PROP_FOCUS: 120.0,
            POWER_LINE: 0.0,
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
        level = min(255, int(level))
        return True, picture(level, lit=min(255, level * 2))


@pytest.fixture
def webcam():
    return Webcam()


@pytest.fixture
def camera(webcam):
    camera = UsbCamera(3, open_device=lambda which: webcam)
    yield camera
    camera.close()


def test_a_captured_frame_was_exposed_after_the_call(camera, webcam):
    for _ in range(10):
        exposing = webcam.exposing
        shown = number_of(camera.capture().image)

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

    with pytest.raises(
        CameraError, match="USB camera 3 is not sending any pictures: plug it in again"
    ):
        camera.capture()
    assert webcam.released.wait(PATIENCE_S)


def test_a_hung_camera_times_out(monkeypatch, webcam):
    monkeypatch.setattr(usb, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(usb, "CLOSING_S", 0.05)
    hangs, hang = threading.Event(), threading.Event()
    camera = UsbCamera(open_device=lambda which: webcam)
    monkeypatch.setattr(webcam, "read", lambda: (hangs.set() or (hang.wait() and False), None))
    assert hangs.wait(PATIENCE_S)
    time.sleep(0.1)

    with pytest.raises(CameraError, match="is not sending any pictures"):
        camera.preview()  # rather than returning the last frame for ever
    with pytest.raises(CameraError, match="is not sending any pictures"):
        camera.capture()
    with pytest.raises(CameraStuckError):
        camera.close()
    hang.set()
    assert webcam.released.wait(PATIENCE_S)


def test_a_missing_camera_is_named():
    with pytest.raises(CameraError, match="no camera at /dev/video97: plug one in"):
        UsbCamera(97)


def test_a_camera_that_hangs_while_it_opens_is_an_error(monkeypatch, webcam):
    monkeypatch.setattr(usb, "SETTLING_S", 0.05)
    monkeypatch.setattr(usb, "CLOSING_S", 0.05)
    hang = threading.Event()
    monkeypatch.setattr(webcam, "read", lambda: (hang.wait() and False, None))

    with pytest.raises(CameraStuckError, match="cannot be closed"):
        UsbCamera(open_device=lambda which: webcam)
    hang.set()


def test_a_slow_camera_settles_while_its_frames_keep_coming(monkeypatch, webcam):
    """Each frame counts as one second, and settling takes about fifty frames."""

    class Arrival(threading.Condition):
        def wait_for(self, holds, timeout):
            end = webcam.read_frames + timeout
            while not holds() and webcam.read_frames < end:
                self.wait()
            return holds()

    monkeypatch.setattr(newest_frame, "Condition", Arrival)
    monkeypatch.setattr(usb, "SETTLING_S", 30)
    camera = UsbCamera(open_device=lambda which: webcam)
    camera.relock_exposure()

    assert camera.capture() is not None
    camera.close()


@pytest.mark.parametrize(("light", "exposure_us"), [(1.2, 10_000), (0.6, 20_000), (0.4, 30_000)])
def test_exposure_is_held_at_the_multiple_with_the_same_brightness(light, exposure_us):
    webcam = Adjustable(light)
    camera = UsbCamera(open_device=lambda which: webcam)
    held = camera.tuning.light
    camera.close()

    assert held == HeldLight(exposure_us, 8.0, white_k=4200)
    assert webcam.knobs[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
    assert webcam.knobs[cv2.CAP_PROP_AUTO_WB] == 0
    assert webcam.knobs[cv2.CAP_PROP_AUTOFOCUS] == 0


def test_a_camera_that_gets_too_dark_keeps_its_automatic_exposure():
    webcam = Adjustable(light=0.05)
    camera = UsbCamera(open_device=lambda which: webcam)
    camera.close()

    assert camera.tuning.light is None
    assert webcam.knobs[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0


def test_a_relocked_exposure_follows_the_light():
    webcam = Adjustable(light=1.2)
    camera = UsbCamera(open_device=lambda which: webcam)
    webcam.light = 0.6
    camera.relock_exposure()
    camera.close()

    assert camera.tuning.light.exposure_us == 20_000


KNOWN = Tuning(rotation=90, light=HeldLight(20_000, 4.0, white_k=5000), focus_steps=35)


def opened(webcam, tuning=KNOWN):
    camera = UsbCamera(tuning=tuning, open_device=lambda which: webcam)
    camera.close()
    return camera


def test_a_known_tuning_is_set_at_once():
    webcam = Adjustable()
    camera = UsbCamera(tuning=KNOWN, open_device=lambda which: webcam)
    shape = camera.capture().image.shape
    camera.close()

    assert camera.tuning == KNOWN
    assert camera.complaint is None
    assert webcam.knobs[cv2.CAP_PROP_EXPOSURE] == 200
    assert webcam.knobs[cv2.CAP_PROP_WB_TEMPERATURE] == 5000
    assert webcam.knobs[cv2.CAP_PROP_FOCUS] == 35
    assert webcam.knobs[cv2.CAP_PROP_AUTOFOCUS] == 0
    assert shape == (160, 90, 3)


def test_focus_and_exposure_are_found_again_on_request():
    webcam = Adjustable(light=1.2)
    camera = UsbCamera(open_device=lambda which: webcam)
    assert camera.tuning.focus_steps == 120
    webcam.light, webcam.knobs[cv2.CAP_PROP_FOCUS] = 0.6, 80.0
    camera.refocus()
    camera.close()

    assert camera.tuning.focus_steps == 80
    assert camera.tuning.light.exposure_us == 20_000


def test_a_webcam_is_told_the_frequency_of_the_mains():
    webcam = Adjustable()
    opened(webcam, Tuning(mains_hz=60))

    assert webcam.knobs[POWER_LINE] == 2


def test_the_focus_that_was_found_is_in_the_tuning_and_kept_when_the_exposure_is_relocked():
    webcam = Adjustable()
    camera = UsbCamera(open_device=lambda which: webcam)
    assert camera.tuning.focus_steps == 120
    webcam.knobs[cv2.CAP_PROP_FOCUS] = 0.0  # as after a reboot
    camera.relock_exposure()
    camera.close()

    assert webcam.knobs[cv2.CAP_PROP_FOCUS] == 120


@pytest.mark.parametrize(
    ("prop", "named"),
    [
        (cv2.CAP_PROP_FOCUS, "focus"),
        (cv2.CAP_PROP_EXPOSURE, "exposure"),
        (cv2.CAP_PROP_WB_TEMPERATURE, "white balance"),
        (cv2.CAP_PROP_GAIN, "gain"),
        (POWER_LINE, "mains frequency"),
    ],
)
def test_a_control_that_the_camera_does_not_accept_is_named(prop, named):
    class Stubborn(Adjustable):
        def set(self, changed, value):
            return True if changed == prop else super().set(changed, value)

    webcam = Stubborn()
    webcam.knobs[prop] = 7.0

    assert f"({named})" in str(opened(webcam).complaint)


def test_a_camera_that_is_black_with_the_held_exposure_stays_automatic_and_says_so():
    webcam = Adjustable(light=0.001)
    camera = opened(webcam)

    assert webcam.knobs[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0
    assert camera.tuning.light is None
    assert "(exposure" in str(camera.complaint)


class Menu(Adjustable):
    """A webcam whose exposure menu offers only some modes. Another program has left it dark.

    Attributes:
        modes: The modes; any other is refused.
        held: Whether its exposure can be fixed.
    """

    def __init__(self, modes=(0.0, 1.0), *, held=True):
        super().__init__()
        self.modes, self.held = modes, held
        self.knobs |= {cv2.CAP_PROP_AUTO_EXPOSURE: 1.0, cv2.CAP_PROP_EXPOSURE: 10.0}

    def set(self, prop, value):
        if prop == cv2.CAP_PROP_AUTO_EXPOSURE and value not in self.modes:
            return False
        if prop == cv2.CAP_PROP_EXPOSURE and not self.held:
            return False
        return super().set(prop, value)

    def read(self):
        time.sleep(FRAME_S / 5)
        is_fixed = self.knobs[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
        level = min(255, int(self.knobs[cv2.CAP_PROP_EXPOSURE] * self.light)) if is_fixed else 97
        return True, picture(level, lit=min(255, level * 2))


@pytest.mark.parametrize("tuning", [Tuning(), KNOWN])
def test_a_webcam_whose_automatic_exposure_has_another_number_does_not_stay_dark(tuning):
    webcam = Menu()
    camera = UsbCamera(tuning=tuning, open_device=lambda which: webcam)
    level = camera.capture().image.mean()
    camera.close()

    assert level > 97 / 1.35
    assert camera.tuning.light is not None
    assert camera.complaint is None


@pytest.mark.parametrize(("tuning", "says"), [(Tuning(), "does not let"), (KNOWN, "calibrated")])
def test_an_exposure_that_cannot_be_fixed_is_automatic_again_and_that_is_said(tuning, says):
    webcam = Menu(held=False)
    camera = UsbCamera(tuning=tuning, open_device=lambda which: webcam)
    level = camera.capture().image.mean()
    camera.close()

    assert 95 < level < 100
    assert camera.tuning.light is None
    assert says in str(camera.complaint)
    assert "(exposure" in str(camera.complaint)


def test_a_fixed_exposure_that_cannot_become_automatic_is_said():
    webcam = Menu(modes=(1.0,), held=False)

    assert "refuses an automatic one" in str(opened(webcam, Tuning()).complaint)


@pytest.mark.parametrize(
    ("prop", "automatic"),
    [
        (cv2.CAP_PROP_WB_TEMPERATURE, cv2.CAP_PROP_AUTO_WB),
        (cv2.CAP_PROP_FOCUS, cv2.CAP_PROP_AUTOFOCUS),
    ],
)
def test_a_control_that_cannot_be_held_is_automatic_again(prop, automatic):
    class Stubborn(Adjustable):
        def set(self, changed, value):
            return changed != prop and super().set(changed, value)

    webcam = Stubborn()
    webcam.knobs[prop] = 7.0
    opened(webcam)

    assert webcam.knobs[automatic] == 1.0


class Stamped(Webcam):
    """A webcam whose driver tells when each frame was exposed, and which sends JPEGs, each read half a second late."""

    def read(self):
        has_frame, image = super().read()
        self.stamp_s = time.monotonic() - 0.5
        return has_frame, cv2.imencode(".jpg", image)[1].reshape(1, -1)

    def get(self, prop):
        return 1000 * self.stamp_s if prop == cv2.CAP_PROP_POS_MSEC else 0.0


def test_a_frame_has_the_time_that_the_driver_tells_and_is_decoded_when_it_is_needed():
    webcam = Stamped()
    camera = UsbCamera(open_device=lambda which: webcam)
    called_s = time.monotonic()
    frame = camera.capture()
    took_s = time.monotonic() - called_s
    camera.close()

    assert frame.image.shape == (90, 160, 3)
    assert frame.time_s >= called_s
    assert took_s >= 0.5


def test_a_camera_that_sends_no_jpegs_is_converted_by_opencv():
    class Raw(Adjustable):
        def read(self):
            has_frame, image = super().read()
            is_converted = self.knobs.get(cv2.CAP_PROP_CONVERT_RGB)
            return has_frame, image if is_converted else image[:, :, :2]

    camera = UsbCamera(open_device=lambda which: Raw())
    image = camera.capture().image
    camera.close()

    assert image.shape == (90, 160, 3)


@pytest.mark.parametrize("tuning", [Tuning(), KNOWN])
def test_a_webcam_that_starts_with_black_frames_opens_calibrated_or_not(tuning):
    webcam = Adjustable()
    read, frames = webcam.read, itertools.count()
    webcam.read = lambda: (True, np.zeros((90, 160, 3), np.uint8)) if next(frames) < 60 else read()
    camera = UsbCamera(tuning=tuning, open_device=lambda which: webcam)
    shown = camera.capture().image
    camera.close()

    assert has_content(shown)
    assert camera.tuning.light is not None
    assert camera.complaint is None


def test_a_dark_room_is_not_taken_for_a_camera_that_refuses_its_exposure(monkeypatch):
    monkeypatch.setattr(usb, "LIGHT_FRAMES", 10)
    webcam = Adjustable()
    webcam.read = lambda: (True, np.zeros((90, 160, 3), np.uint8))
    camera = opened(webcam)

    assert camera.tuning.light == KNOWN.light
    assert webcam.knobs[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
