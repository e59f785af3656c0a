"""Exposure, white balance and focus are found and fixed, on a sensor that behaves like libcamera's."""

import numpy as np
import pytest

from device.cameras.controls import HeldLight, Tuning, flicker_free, rotated
from device.cameras.picamera import PicameraControls

DELAY = 3  # frames until a control takes effect
FRAME_US = 33_333


class Sensor:
    """A sensor that approaches its exposure step by step until a value is set."""

    def __init__(self, wanted_us=14_000, *, has=()):
        self.camera_controls = dict.fromkeys(
            ("AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains", *has),
            (1.0, 16.0, 1.0),
        )
        self.wanted_us = wanted_us
        self.seen = {"ExposureTime": 1_000, "AnalogueGain": 2.0, "ColourGains": (1.0, 1.0)}
        self.coming = []
        self.auto = True
        self.awb = True
        self.requests = []

    def set_controls(self, controls):
        assert set(controls) <= set(self.camera_controls)
        self.requests.append(controls)
        self.coming.append([DELAY, controls])

    def frame(self):
        for change in self.coming:
            change[0] -= 1
        due, self.coming = (
            [change for _, change in (c for c in self.coming if c[0] <= 0)],
            [c for c in self.coming if c[0] > 0],
        )
        for change in due:
            self.auto = change.get("ExposureTime", not self.auto) == 0  # AeEnable is ignored
            self.awb = change.get("AwbEnable", self.awb) and "ColourGains" not in change
            self.seen |= {k: v for k, v in change.items() if k in self.seen and v}
        if self.auto:
            self.seen["ExposureTime"] += (self.wanted_us - self.seen["ExposureTime"]) * 0.3
            self.seen["AnalogueGain"] += (2.0 - self.seen["AnalogueGain"]) * 0.3
        if self.awb:
            red, blue = self.seen["ColourGains"]
            self.seen["ColourGains"] = (red + (2.1 - red) * 0.3, blue + (1.6 - blue) * 0.3)
        return self.seen | {"FrameDuration": FRAME_US}


class Lens(Sensor):
    """A sensor with a motorised lens that focuses at 30 cm."""

    def __init__(self):
        super().__init__(has=("AfMode", "LensPosition"))
        self.seen |= {"AfMode": 0, "LensPosition": 1.0}
        self.hangs, self.is_sharp = False, True
        self.cycles = 0

    def autofocus_cycle(self, *, wait):
        self.cycles += 1
        if self.hangs:
            raise TimeoutError
        self.seen["LensPosition"] = 3.3 if self.is_sharp else 9.0
        return self.is_sharp

    def cancel_all_and_flush(self):
        pass


def applied(sensor, tuning=None):
    controls = PicameraControls(sensor, sensor.frame, tuning or Tuning())
    controls.apply()
    return controls


def test_exposure_settles_and_is_then_held_without_flicker():
    sensor = Sensor(wanted_us=14_000)
    light = applied(sensor).tuning.light

    assert light.exposure_us == 10_000
    assert light.gain == pytest.approx(2.8, rel=0.03)
    assert (light.red, light.blue) == pytest.approx((2.1, 1.6), rel=0.03)
    sensor.wanted_us = 30_000  # a shadow falls on the tray
    frames = [dict(sensor.frame()) for _ in range(30)]
    assert {frame["ExposureTime"] for frame in frames} == {10_000}
    assert {frame["ColourGains"] for frame in frames} == {(light.red, light.blue)}


def test_the_white_balance_settles_even_if_the_exposure_is_steady_from_the_start():
    light = applied(Sensor(wanted_us=1_000)).tuning.light

    assert (light.red, light.blue) == pytest.approx((2.1, 1.6), rel=0.01)


def test_under_60_hz_the_exposure_is_a_multiple_of_its_half_period():
    light = applied(Sensor(wanted_us=18_000), Tuning(mains_hz=60)).tuning.light

    assert light.exposure_us == 2 * 8_333


def test_the_exposure_has_taken_effect_once_the_controls_are_applied():
    sensor = Sensor()
    light = applied(sensor).tuning.light

    assert sensor.seen["ExposureTime"] == light.exposure_us


def test_relocking_the_exposure_follows_a_changed_light():
    sensor = Sensor(wanted_us=30_000)
    controls = applied(sensor)
    assert controls.tuning.light.exposure_us == 30_000
    sensor.wanted_us = 9_000
    controls.relock_exposure()

    assert controls.tuning.light.exposure_us == 10_000
    assert controls.tuning.light.gain == pytest.approx(1.8, rel=0.03)


def test_a_known_tuning_is_held_without_a_search():
    sensor = Lens()
    known = Tuning(focus_dpt=4.0, light=HeldLight(20_000, 1.5, 1.9, 1.4))

    assert applied(sensor, known).tuning == known
    assert sensor.cycles == 0
    assert sensor.seen["LensPosition"] == 4.0
    assert sensor.seen["ExposureTime"] == 20_000
    assert not any("AeEnable" in requests for requests in sensor.requests)


def test_the_lens_focuses_once_and_stays_there():
    sensor = Lens()
    controls = applied(sensor)

    assert controls.tuning.focus_dpt == 3.3
    assert sensor.cycles == 1
    assert {"AfMode": 0, "LensPosition": 3.3} in sensor.requests


@pytest.mark.parametrize("fault", ["hangs", "nothing is sharp"])
def test_a_focus_scan_that_fails_is_repeated_and_then_not_taken_for_sharp(fault):
    sensor = Lens()
    sensor.hangs, sensor.is_sharp = fault == "hangs", False
    controls = applied(sensor)

    assert sensor.cycles == 2
    assert (
        controls.tuning.focus_dpt is None
    )  # the profile stays without a focus, and the camera focuses again when it is next opened
    assert 'tap "Focus again"' in str(controls.complaint)


def test_a_focus_scan_that_succeeds_later_ends_the_complaint():
    sensor = Lens()
    sensor.is_sharp = False
    controls = applied(sensor)
    sensor.is_sharp = True

    assert controls.refocus() == 3.3
    assert controls.complaint is None


def test_a_fixed_lens_is_not_focused():
    assert applied(Sensor()).refocus() is None


def test_a_camera_that_reports_no_exposure_is_not_controlled():
    sensor = Sensor()
    sensor.camera_controls = {}
    sensor.seen = {}
    controls = PicameraControls(sensor, dict, Tuning())
    controls.apply()

    assert controls.tuning.light is None
    assert sensor.requests == []


def test_a_camera_that_avoids_flicker_gets_the_period_of_the_lamps():
    sensor = Sensor(has=("AeFlickerMode", "AeFlickerPeriod"))
    applied(sensor)

    assert {"AeFlickerMode": 1, "AeFlickerPeriod": 10_000} in sensor.requests


@pytest.mark.parametrize(
    ("exposure_us", "gain", "held"),
    [
        (14_000, 2.0, (10_000, 2.8)),
        (16_000, 2.0, (20_000, 1.6)),
        (33_000, 8.0, (30_000, 8.8)),
        (33_000, 16.0, (30_000, 16.0)),  # as bright as it can be
        (19_000, 1.0, (10_000, 1.9)),  # two halves would be too bright
        (3_000, 1.0, (3_000, 1.0)),  # daylight does not flicker
    ],
)
def test_the_flicker_free_exposure_lets_in_the_same_light(exposure_us, gain, held):
    assert held == flicker_free(exposure_us, gain, half_period_us=10_000, longest_us=33_000)


def test_images_are_rotated_clockwise():
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)

    assert rotated(image, 0) is image
    assert rotated(image, 90)[0, 1].tolist() == image[0, 0].tolist()
    assert rotated(image, 180)[1, 1].tolist() == image[0, 0].tolist()
    assert rotated(image, 270)[1, 0].tolist() == image[0, 0].tolist()
