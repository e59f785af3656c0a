"""The settings file: every key is documented, and every mistake is named."""

import json
import subprocess
import sys
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from device.commands.play import play
from device.errors import UsageError
from device.settings import Settings, as_text, find, parse, show
from device.watching.motion import STILL_S

COMMAND = [str(Path(sys.executable).with_name("traykeeper"))]
DOC = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")


def run(*args):
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda f: f.name)
def test_every_setting_is_documented_in_the_file_and_on_the_page(setting):
    assert setting.metadata["doc"].endswith(".")
    assert f"# {setting.metadata['doc']}\n# {setting.name} = " in as_text()
    row = f"| `{setting.name}` | `{json.dumps(setting.default)}` | {setting.metadata['doc']} |"
    assert row in DOC


def test_the_printed_file_reads_back_to_the_same_settings():
    mine = Settings(port=80, voice=True, still_s=0.6, camera="usb:1")

    assert parse(as_text(), "here") == Settings()
    assert parse(as_text(mine), "here") == mine
    assert as_text().replace("# ", "").count(" = ") == len(fields(Settings))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot = 80", "prot is not a setting: did you mean 'port'?"),
        ("port = '80'", "port is '80', but must be a whole number from 0 to 65,535"),
        ("port = true", "must be a whole number"),
        ("button_pin = 28", "from 0 to 27"),
        ("red_pin = 17", "red_pin is 17, and so is button_pin: give each its own pin"),
        ("still_s = 9", "a number from 0.1 to 5"),
        ("voice = 1", "true or false"),
        ("camera = 0", "text in quotes"),
        ("port =", "not valid TOML"),
        ('camera = "foo"', "line 1: this is not a camera: use auto"),
        ('camera = "usb:-1"', "this is not a camera"),
        ('rules = "zilhc"', "there is no rule set 'zilhc': did you mean 'zilch'?"),
        ('picture = "5"', """picture is '5': use "auto", or "640" to "4608\""""),
        ('threads = "x"', "threads is 'x'"),
        ('burst_frames = "9"', """burst_frames is '9': use "auto", or "1" to "4\""""),
        ("rotation = 45", "rotation is 45: use 0, 90, 180 or 270"),
        ("mains_hz = 55", "mains_hz is 55: use 50, or 60"),
        ('lamp = "two"', "lamp is 'two': use rgb, one or none"),
    ],
)
def test_a_mistake_is_refused_with_the_remedy(text, words):
    with pytest.raises(UsageError) as refused:
        parse(text, "settings.toml")

    assert str(refused.value).startswith("settings.toml")
    assert words in str(refused.value)


def test_the_default_still_time_is_that_of_the_watch():
    assert Settings().still_s == STILL_S


def test_a_whole_number_of_seconds_is_accepted():
    assert parse("still_s = 1", "here").still_s == 1.0


def test_a_users_file_comes_before_the_systems(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    own = tmp_path / "traykeeper" / "settings.toml"
    own.parent.mkdir()
    own.touch()

    assert find() == own
    assert find("other.toml") == Path("other.toml")


def test_one_setting_is_printed_for_the_shell(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("port = 80\ncamera = 'usb:1'\n")

    assert run("settings", "--get", "port", str(file)).stdout == "80\n"
    assert run("settings", "--get", "voice", str(file)).stdout == "false\n"
    several = run("settings", "--get", "voice", "--get", "state", "--get", "port", str(file))
    assert several.stdout == "false\n\n80\n"
    assert show(Settings(camera="usb:1"), "camera") == "usb:1"
    refused = run("settings", "--get", "prot", str(file))
    assert refused.returncode == 2
    assert "did you mean 'port'?" in refused.stderr


def test_options_of_play_override_the_settings(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('camera = "replay:/nowhere"\n')
    refused = run("play", "--settings", str(file))
    assert "/nowhere" in refused.stderr

    overridden = run("play", "--settings", str(file), "--camera", "tape")
    assert "this is not a camera" in overridden.stderr


def test_play_refuses_invalid_settings(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text("prot = 80\n")
    refused = run("play", "--settings", str(file))

    assert refused.returncode == 2
    assert refused.stderr.strip() == (
        f"traykeeper: {file}, line 1: prot is not a setting: did you mean 'port'?"
    )
    assert "the file does not exist" in run("play", "--settings", str(tmp_path / "no")).stderr


def test_options_of_play_are_named_after_their_settings():
    options = {param.name for param in play.params}

    assert options - {"roll_s", "seed", "settings"} <= asdict(Settings()).keys()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("camera", value) for value in ("auto", "sim:ruby", "usb", "usb:1", "phone")),
        ("camera", "replay:/nowhere/a:b"),
        ("picture", "640"),
        ("threads", "auto"),
        ("burst_frames", "4"),
        ("rotation", 270),
        ("mains_hz", 60),
        ("lamp", "one"),
        ("rules", "zilch"),
        ("rules", "/nowhere/house.toml"),
    ],
)
def test_valid_values_are_accepted_without_looking_for_files(name, value):
    assert getattr(parse(f"{name} = {json.dumps(value)}", "here"), name) == value


def test_an_invalid_value_is_named_with_its_line(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text('port = 80\nlamp = "two"\n')

    assert run("settings", str(file)).stderr == (
        f"traykeeper: {file}, line 2: lamp is 'two': use rgb, one or none\n"
    )


def test_settings_are_read_without_slow_imports():
    large = "{'cv2', 'numpy', 'flask'}"
    code = f"import sys, device.settings; sys.exit(len({large} & sys.modules.keys()))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("folder", ["games", "~/games", "./games"])
def test_a_relative_state_folder_is_refused(folder):
    with pytest.raises(UsageError, match="write the absolute path"):
        parse(f'state = "{folder}"', "settings.toml")
