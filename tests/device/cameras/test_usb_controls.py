"""A fixed exposure can be saved and restored, whatever the driver reports."""

import cv2
from hypothesis import given
from hypothesis import strategies as st

from calibration.outline import Outline
from calibration.profile import Profile
from device.calibrating.profile_file import as_text, held_controls, parse
from device.cameras.controls import HeldLight, Tuning
from device.cameras.usb import APPLY_FRAMES, SETTLE_S, settle
from tests.clock import Clock

MISSING = -1.0
"""OpenCV's value for a control that the driver does not have."""

HALF_PERIOD_US = 10_000
NUMBERS = st.just(MISSING) | st.integers(-(2**31), 2**31 - 1).map(float)
"""V4L2's controls have 32 bits."""


class Driver:
    """A driver that reports the same values whatever is set."""

    def __init__(self, exposure=100.0, gain=MISSING, white_k=MISSING):
        self.values = {
            cv2.CAP_PROP_EXPOSURE: exposure,
            cv2.CAP_PROP_GAIN: gain,
            cv2.CAP_PROP_WB_TEMPERATURE: white_k,
        }

    def get(self, prop):
        return self.values.get(prop, MISSING)

    def set(self, prop, value):
        return True


def settled(driver):
    return settle(driver, lambda: 120.0, HALF_PERIOD_US)


def test_a_camera_without_gain_and_white_balance_holds_its_exposure():
    assert settled(Driver()) == HeldLight(10_000, 0.0)


def test_an_exposure_that_is_not_reported_is_the_requested_one():
    assert settled(Driver(exposure=MISSING)) == HeldLight(HALF_PERIOD_US, 0.0)


def test_a_camera_with_five_frames_a_second_settles_in_seconds():
    clock, frame_s = Clock(1000.0), 0.2

    def brightness():
        clock.now_s += frame_s
        return 120.0

    assert settle(Driver(), brightness, HALF_PERIOD_US, clock)
    assert clock() - 1000.0 < SETTLE_S + (APPLY_FRAMES + 2) * frame_s


@given(NUMBERS, NUMBERS, NUMBERS)
def test_any_held_exposure_can_be_saved_and_loaded(exposure, gain, white_k):
    light = settled(Driver(exposure, gain, white_k))
    outline = Outline.centred()
    profile = Profile("USB camera 0", "now", outline, held=held_controls(Tuning(light=light)))

    assert parse(as_text(profile), "here") == profile
