"""The profile file: checked, written atomically, migrated."""

import threading

import pytest

from calibration.outline import Outline
from calibration.profile import DiceLook, DiceSet, HeldControls, Mat, Profile
from device.calibrating import profile_file as profiles
from device.calibrating.profile_file import (
    FORMAT,
    ProfileError,
    as_text,
    load,
    migrate,
    parse,
    save,
)
from game import toml_table
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
        sides=((0.1, -2.0), (0.2, 1.0), (0.0, 0.5), (3.0, 0.25)),
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


def test_older_data_is_migrated_step_by_step():
    steps = {1: lambda data: data | {"a": 1}, 2: lambda data: data | {"b": data["a"] + 1}}
    table = toml_table.parse("format = 1", "x", ProfileError)

    assert migrate(table, steps, to=3).data == {"format": 3, "a": 1, "b": 2}


def test_an_old_file_is_kept_next_to_the_new_one(tmp_path, monkeypatch):
    old = MINIMAL.replace("format = 2", "format = 0").replace("made", "born")
    (tmp_path / "calibration.toml").write_text(old, "utf-8")
    rename = {0: lambda data: {k.replace("born", "made"): v for k, v in data.items()}}
    monkeypatch.setattr(profiles, "STEPS", rename | profiles.STEPS)

    assert load(tmp_path / "calibration.toml") == parse(MINIMAL, "here")
    assert (tmp_path / "calibration.toml.0.bak").read_text("utf-8") == old
    assert f"format = {FORMAT}" in (tmp_path / "calibration.toml").read_text("utf-8")


def test_the_first_format_has_no_leans(tmp_path):
    (tmp_path / "calibration.toml").write_text(MINIMAL.replace("format = 2", "format = 1"), "utf-8")

    assert load(tmp_path / "calibration.toml") == parse(MINIMAL, "here")


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
