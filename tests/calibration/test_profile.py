"""The profile as a file: read with care, written whole, brought up to date."""

import threading

import pytest

from calibration import profile as profiles
from calibration.outline import Outline
from calibration.profile import FORMAT, Profile, ProfileError, as_text, load, migrated, parse, save

LEAST = 'format = 1\nmade = "now"\ncamera_name = "c"\n[tray]\ncorners = [[0,0],[1,0],[1,1],[0,1]]\n'


def test_what_is_written_reads_back(profile, tmp_path):
    save(profile, tmp_path / "new" / "calibration.toml")

    assert load(tmp_path / "new" / "calibration.toml") == profile


def test_what_is_not_known_is_left_out():
    whole = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))

    assert parse(LEAST, "here") == Profile("c", "now", Outline(whole))
    assert as_text(parse(LEAST, "here")).count("[") == 6  # one table, and five of the corners


def test_no_file_is_no_profile(tmp_path):
    assert load(tmp_path / "calibration.toml") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("format = ", "not valid TOML"),
        ("", "format must be 1, not None"),
        (LEAST.replace("format = 1", "format = 9"), "made by a newer Traykeeper: update"),
        (LEAST.replace("format = 1", "format = true"), "format must be 1, not True"),
        (LEAST.replace("[1,1]", "[1,7]"), "tray.corners: found"),
        (LEAST.replace("[1,1]", "[nan,1]"), "tray.corners: found"),
        (LEAST.replace("[[0,0],[1,0],[1,1],[0,1]]", "[[0,0],[1,1],[1,0],[0,1]]"), "cross"),
        (LEAST + "level = 2\n", "tray.level: found 2: it must be a number from 0 to 1"),
        (LEAST + "hue = 2\n", "tray.hue: found 2: it must be one of corners, level, sides"),
        (LEAST + f"{'9' * 2000} = 2\n", "tray.99999"),
        (LEAST + "[camera]\ngain = 2.0\n", "camera.exposure_us: it must be set together"),
        (LEAST + "[dice]\nedge = 0.1\n", "dice.spread: it must be a number"),
        (LEAST + "aside = 3\n", "tray.aside: found 3"),
        (LEAST.replace('"c"', "3"), "camera_name: found 3: it must be text in quotes"),
        (LEAST[: LEAST.index("[tray]")], "[tray] is missing"),
    ],
)
def test_every_fault_is_one_line_with_file_key_and_remedy(text, told):
    with pytest.raises(ProfileError) as error:
        parse(text, "my.toml")

    assert told in str(error.value)
    assert str(error.value).startswith("my.toml: ")
    assert "calibrate again" in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_an_unreadable_file_says_so(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ProfileError, match="no text"):
        load(tmp_path / "a.toml")


def test_older_data_go_up_step_by_step():
    steps = {1: lambda data: data | {"a": 1}, 2: lambda data: data | {"b": data["a"] + 1}}

    assert migrated({"format": 1}, "x", steps, to=3) == {"format": 3, "a": 1, "b": 2}


def test_an_old_file_is_kept_beside_the_new_one(tmp_path, monkeypatch):
    old = LEAST.replace("format = 1", "format = 0").replace("made", "born")
    (tmp_path / "calibration.toml").write_text(old, "utf-8")
    rename = {0: lambda data: {k.replace("born", "made"): v for k, v in data.items()}}
    monkeypatch.setattr(profiles, "STEPS", rename)

    assert load(tmp_path / "calibration.toml") == parse(LEAST, "here")
    assert (tmp_path / "calibration.toml.0.bak").read_text("utf-8") == old
    assert f"format = {FORMAT}" in (tmp_path / "calibration.toml").read_text("utf-8")


def test_a_reader_never_sees_half_a_file(profile, tmp_path):
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
