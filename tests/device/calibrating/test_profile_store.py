"""The profile in use: for which camera it is, with which settings, and which files are kept next to it."""

from dataclasses import replace

import pytest

from calibration.outline import Outline
from calibration.profile import HeldControls, Profile
from device.calibrating.profile_file import FILE, load
from device.calibrating.profile_store import ProfileStore, held_controls, load_named_profile
from device.cameras import SimulatedTray
from device.cameras.controls import HeldLight, Tuning
from device.errors import UsageError
from tests.device.disks import fill, small_disk

TRAY = Outline(((0.2, 0.2), (0.7, 0.2), (0.7, 0.8), (0.2, 0.8)))
LIGHT = HeldLight(10_000, 2.5, 1.8, 1.4)
TUNING = Tuning(focus_dpt=3.3, light=LIGHT)
PI = Profile("imx708", "now", TRAY, held=held_controls(TUNING))


class TunableTray(SimulatedTray):
    """A simulated tray whose focus and exposure can be set."""

    name = "imx708"
    tuning = TUNING
    done = ()

    def relock_exposure(self):
        self.done += ("relock_exposure",)

    def refocus(self):
        self.done += ("refocus",)


def test_a_camera_is_opened_with_the_saved_tuning(tmp_path):
    profiles = ProfileStore(tmp_path / FILE)
    profiles.save(PI)
    usual = Tuning(rotation=180, mains_hz=60)

    again = ProfileStore(tmp_path / FILE).tuning_for("picamera2", usual)
    assert again == replace(usual, focus_dpt=3.3, light=LIGHT)


@pytest.mark.parametrize(
    ("camera", "spec", "fits"),
    [
        ("imx708", "auto", True),
        ("imx708", "usb:0", False),
        ("USB camera 1", "usb:1", True),
        ("USB camera 0", "usb", True),
        ("USB camera 0", "picamera2", False),
        ("USB camera c920", "usb:c920", True),
        ("USB camera 0", "usb:c920", False),
        ("USB camera 046d_C920_A1", "/dev/v4l/by-id/usb-046d_C920_A1-video-index0", True),
        ("USB camera 2", "/dev/video2", True),
        ("network camera 10.0.0.7:81/stream", "http://10.0.0.7:81/stream?key=1", True),
        ("network camera 10.0.0.7:81/stream", "picamera2", False),
        ("imx708 (1)", "picamera2:1", True),
        ("imx708 (1)", "picamera2", False),
        ("imx708", "picamera2:1", False),
        ("simulated tray", "auto", False),
        ("replay of evening", "picamera2", False),
    ],
)
def test_only_the_camera_of_the_profile_gets_its_tuning(camera, spec, fits):
    profiles = ProfileStore()
    profiles.save(replace(PI, camera=camera))

    assert (profiles.tuning_for(spec, Tuning()) != Tuning()) == fits


@pytest.mark.parametrize(
    ("camera", "spec", "resolved"),
    [
        ("imx708", "auto", "picamera2"),
        ("imx708", "sim", "sim"),
        ("USB camera 0", "auto", "auto"),
        ("simulated tray", "auto", "auto"),
    ],
)
def test_a_calibrated_pi_camera_is_never_replaced_by_simulated_dice(camera, spec, resolved):
    profiles = ProfileStore()
    assert profiles.resolve_camera(spec) == spec
    profiles.save(replace(PI, camera=camera))

    assert profiles.resolve_camera(spec) == resolved


def test_unknown_controls_are_not_saved():
    assert held_controls(Tuning()) == HeldControls()
    assert held_controls(Tuning(focus_dpt=2.0)) == HeldControls(focus_dpt=2.0)


def test_a_broken_profile_is_reported_and_kept_next_to_the_new_one(tmp_path):
    (tmp_path / FILE).write_text("format = 2\n", "utf-8")
    profiles = ProfileStore(tmp_path / FILE)

    assert profiles.profile is None
    assert "camera_name" in profiles.trouble or "[tray]" in profiles.trouble
    profiles.save(PI)
    assert (tmp_path / f"{FILE}.bak").read_text("utf-8") == "format = 2\n"
    assert load(tmp_path / FILE) == PI
    assert not profiles.trouble


def test_the_profile_of_another_camera_is_kept_next_to_the_new_one(tmp_path):
    profiles = ProfileStore(tmp_path / FILE)
    profiles.save(PI)
    profiles.save(replace(PI, camera="USB camera 0"))

    assert load(tmp_path / f"{FILE}.bak") == PI
    assert load(tmp_path / FILE).camera == "USB camera 0"


def test_on_a_full_disk_the_old_profile_stays(tmp_path):
    with small_disk(tmp_path / "card") as disk:
        profiles = ProfileStore(disk / FILE)
        profiles.save(PI)
        fill(disk)
        with pytest.raises(OSError, match="No space left"):
            profiles.save(replace(PI, camera="USB camera 0"))

        assert profiles.profile == ProfileStore(disk / FILE).profile == PI


def test_a_named_profile_must_exist_and_be_valid(tmp_path):
    with pytest.raises(UsageError, match="the file does not exist"):
        load_named_profile(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("format = 3", "utf-8")
    with pytest.raises(UsageError, match="newer"):
        load_named_profile(tmp_path / "bad.toml")


def test_the_tray_is_where_the_profile_says_as_soon_as_there_is_one():
    profiles, tray = ProfileStore(), SimulatedTray(roll_s=0.0)
    size = (1536, 864)

    assert profiles.zones_of(tray, size) == (tray.tray, tray.aside)
    profiles.save(Profile("simulated tray", "now", TRAY))
    assert profiles.zones_of(tray, size) == (TRAY.in_px(*size), None)
    profiles.save(PI)
    assert profiles.zones_of(tray, size) == (tray.tray, tray.aside)
