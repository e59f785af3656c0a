"""The profile file: checked, written atomically, migrated."""

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.outline import Outline
from calibration.profile import DiceLook, DiceSet, HeldControls, Mat, Profile
from device.calibrating.profile_file import (
    PROFILE_FILE,
    ProfileError,
    ProfileStore,
    as_text,
    held_controls,
    load,
    load_named_profile,
    parse,
    save,
)
from device.cameras import SimulatedTray
from device.cameras.controls import HeldLight, Tuning
from device.errors import UsageError
from tests.device.disks import fill, small_disk
from vision.reading import Lean

MINIMAL = (
    'format = 2\nmade = "now"\ncamera_name = "c"\n[tray]\ncorners = [[0,0],[1,0],[1,1],[0,1]]\n'
)


@pytest.fixture
def profile() -> Profile:
    """A profile with every value."""
    return Profile(
        camera="Kamera «1»",
        made="2026-11-20T18:00:00+00:00",
        tray=Outline(((0.2, 0.1), (0.8, 0.12), (0.79, 0.9), (0.21, 0.88))),
        aside=Outline(((0.85, 0.1), (0.98, 0.1), (0.98, 0.9), (0.85, 0.9))),
        level=0.4,
        sides=((0.1, -2.0, *[0.25] * 47),) * 8,
        held=HeldControls(3.3, 10_000, 2.5, 1.8, 1.4, None),
        dice=DiceSet(
            (
                DiceLook(0.08, 0.03, (90.0, 0.0, 5.0), (10.0, 1.0, -1.0), 4.0, 12),
                DiceLook(0.07, 0.02, (20.0, 30.0, 5.0), (90.0, 1.0, -1.0), 4.0, 6),
            )
        ),
        leans=(Lean(-0.25, 0.1, 0.2, -0.05, 0.03), Lean(0.3, 0.0, -0.3, 0.0, 0.028)),
        mat=Mat(250.0, 170.0, (-0.1, 0.02), 1.0),
    )


def test_a_written_profile_reads_back(profile, tmp_path):
    save(profile, tmp_path / "new" / "calibration.toml")

    assert load(tmp_path / "new" / "calibration.toml") == profile


def test_unknown_values_are_left_out():
    whole = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))

    assert parse(MINIMAL, "here") == Profile("c", "now", Outline(whole))
    assert as_text(parse(MINIMAL, "here")).count("[") == 6  # one table, and five of the corners


def test_a_missing_file_is_no_profile(tmp_path):
    assert load(tmp_path / "calibration.toml") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("format = ", "not valid TOML"),
        ("", "format is missing: it must be a whole number"),
        (
            MINIMAL.replace("format = 2", "format = true"),
            "format is True, but must be a whole number",
        ),
        (MINIMAL.replace("[1,1]", "[1,7]"), "tray.corners is"),
        (MINIMAL.replace("[1,1]", "[nan,1]"), "tray.corners is"),
        (MINIMAL.replace("[[0,0],[1,0],[1,1],[0,1]]", "[[0,0],[1,1],[1,0],[0,1]]"), "cross"),
        (MINIMAL + "level = 2\n", "tray.level is 2, but must be a number from 0 to 1"),
        (MINIMAL + "sides = [[0.1, 0.2]]\n", "tray.sides is"),
        (
            MINIMAL + "hue = 2\n",
            "tray.hue is not a known key: known names are corners, level, sides",
        ),
        (MINIMAL + f"{'9' * 2000} = 2\n", "tray.99999"),
        (MINIMAL + "[camera]\ngain = 2.0\n", "camera.exposure_us must be set together"),
        (MINIMAL + "[seen]\nleans = [[0, 0, 0, 0]]\n", "seen.leans is"),
        (MINIMAL + "[seen]\nleans = [[0, 0, 0, 0, -1]]\n", "seen.leans is"),
        (MINIMAL + "[seen]\nleans = [[0, 0, nan, 0, 1]]\n", "seen.leans is"),
        (MINIMAL + "[dice]\nedge = 0.1\n", "dice.spread is missing: it must be a number"),
        (MINIMAL + "aside = 3\n", "tray.aside is not a known key"),
        (MINIMAL.replace('"c"', "3"), "camera_name is 3, but must be one line of text in quotes"),
        (MINIMAL[: MINIMAL.index("[tray]")], "[tray] is missing"),
    ],
)
def test_every_fault_is_one_line_with_file_key_and_remedy(text, expected):
    with pytest.raises(ProfileError) as error:
        parse(text, "my.toml")

    assert expected in str(error.value)
    assert str(error.value).startswith("my.toml")
    assert "calibrate again" in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_a_profile_of_a_newer_version_has_one_remedy():
    with pytest.raises(ProfileError) as error:
        parse(MINIMAL.replace("format = 2", "format = 9"), "my.toml")

    assert str(error.value) == (
        "my.toml, line 1: format is 9, from a newer version: update this Traykeeper"
    )


def test_a_file_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ProfileError, match="not text"):
        load(tmp_path / "a.toml")


def test_a_reader_never_sees_a_half_written_file(profile, tmp_path):
    path = tmp_path / "calibration.toml"
    save(profile, path)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            save(profile, path)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert all(load(path) == profile for _ in range(50))
    finally:
        stop.set()
        writer.join()
    assert [file.name for file in tmp_path.iterdir()] == ["calibration.toml"]


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
    profiles = ProfileStore(tmp_path / PROFILE_FILE)
    profiles.save(PI)
    usual = Tuning(rotation=180, mains_hz=60)

    again = ProfileStore(tmp_path / PROFILE_FILE).tuning_for("picamera2", usual)
    assert again == replace(usual, focus_dpt=3.3, light=LIGHT)


def test_a_restored_file_that_cannot_be_used_leaves_no_calibration(tmp_path, profile):
    file = tmp_path / PROFILE_FILE
    save(profile, file)
    profiles = ProfileStore(file)
    file.write_text("format = 2")
    profiles.reload()

    assert profiles.profile is None
    assert "calibration cannot be used" in str(profiles.notice)


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
        ("network camera http://10.0.0.7:81", "http://10.0.0.7:81/stream?key=1", True),
        ("network camera http://10.0.0.7:81", "picamera2", False),
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


def test_unknown_controls_are_not_saved():
    assert held_controls(Tuning()) == HeldControls()
    assert held_controls(Tuning(focus_dpt=2.0)) == HeldControls(focus_dpt=2.0)


def test_a_broken_profile_is_reported_and_kept_next_to_the_new_one(tmp_path):
    (tmp_path / PROFILE_FILE).write_text("format = 2\n", "utf-8")
    profiles = ProfileStore(tmp_path / PROFILE_FILE)

    assert profiles.profile is None
    assert "camera_name" in profiles.trouble or "[tray]" in profiles.trouble
    profiles.save(PI)
    assert (tmp_path / f"{PROFILE_FILE}.bak").read_text("utf-8") == "format = 2\n"
    assert load(tmp_path / PROFILE_FILE) == PI
    assert not profiles.trouble


def test_the_profile_that_replaces_a_broken_one_survives_a_power_cut(tmp_path, monkeypatch):
    file, on_disk, sync = tmp_path / PROFILE_FILE, [], os.fsync

    def note(number):
        sync(number)
        if Path(f"/proc/self/fd/{number}").readlink() == tmp_path:
            on_disk.append(file.read_bytes())

    file.write_text("format = 2\n")
    monkeypatch.setattr(os, "fsync", note)
    ProfileStore(file).save(PI)

    assert on_disk[-1] == as_text(PI).encode()


def test_the_profile_of_another_camera_is_kept_next_to_the_new_one(tmp_path):
    profiles = ProfileStore(tmp_path / PROFILE_FILE)
    profiles.save(PI)
    profiles.save(replace(PI, camera="USB camera 0"))

    assert load(tmp_path / f"{PROFILE_FILE}.bak") == PI
    assert load(tmp_path / PROFILE_FILE).camera == "USB camera 0"


def test_on_a_full_disk_the_old_profile_stays(tmp_path):
    with small_disk(tmp_path / "card") as disk:
        profiles = ProfileStore(disk / PROFILE_FILE)
        profiles.save(PI)
        fill(disk)
        with pytest.raises(OSError, match="No space left"):
            profiles.save(replace(PI, camera="USB camera 0"))

        assert profiles.profile == ProfileStore(disk / PROFILE_FILE).profile == PI


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
