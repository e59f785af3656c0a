"""The hardware page and its picture agree with the code."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from calibration.camera_height import CAMERA_VIEWS, mount_camera
from device.cli import cli
from device.commands.calibrate import tray_size
from device.errors import UsageError
from device.hardware import choices, pins
from device.hardware.outputs import BLINKS
from device.session.indicator import Indicator
from device.settings import Settings
from scripts.wiring import TARGET, draw, header_of

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "hardware.md").read_text("utf-8")
PARTS = {
    "button_pin": choices.BUTTON_PIN,
    "red_pin": choices.RED_PIN,
    "green_pin": choices.GREEN_PIN,
    "blue_pin": choices.BLUE_PIN,
    "buzzer_pin": choices.BUZZER_PIN,
}


def test_the_wiring_picture_is_up_to_date():
    assert TARGET.read_text("utf-8") == draw(), "run .venv/bin/python scripts/wiring.py"


def test_the_wiring_picture_names_every_pin_in_use():
    words = [element.text for element in ET.fromstring(draw()).iter() if element.text]  # noqa: S314 - our own picture

    for bcm in PARTS.values():
        number = header_of(bcm)
        label = f"GPIO{bcm} · {number}" if number % 2 else f"{number} · GPIO{bcm}"
        assert label in words, label


@pytest.mark.parametrize("setting", PARTS)
def test_the_table_names_the_pin_by_both_numbers(setting):
    bcm = PARTS[setting]

    assert re.search(rf"\| `{setting}` \| GPIO{bcm} \({header_of(bcm)}\) \|", PAGE), setting


@pytest.mark.parametrize("number", [9, 14, 34])
def test_the_ground_pins_on_the_page_are_right(number):
    assert pins.HEADER[number] == "ground"
    assert f"({number})" in PAGE


def test_the_settings_have_the_usual_pins():
    settings = Settings()

    assert settings.button_pin == choices.BUTTON_PIN
    assert (settings.red_pin, settings.green_pin, settings.blue_pin) == (
        choices.RED_PIN,
        choices.GREEN_PIN,
        choices.BLUE_PIN,
    )
    assert settings.buzzer_pin == -1


def test_a_header_has_forty_pins_and_every_gpio_once():
    gpios = [name for name in pins.HEADER.values() if name.startswith("GPIO")]

    assert len(pins.HEADER) == 40
    assert sorted(gpios) == sorted(f"GPIO{number}" for number in range(28))


def test_the_table_of_heights_agrees_with_the_command():
    trays = ((200, 200), (250, 250), (300, 200))
    for view in CAMERA_VIEWS:
        mounts = (mount_camera(view, tray, 16) for tray in trays)
        cells = " | ".join(f"{mount.height_mm} mm, {mount.die_px} px" for mount in mounts)
        assert f"| {view.name} | {cells} |" in PAGE


@pytest.mark.parametrize("view", CAMERA_VIEWS, ids=lambda view: view.name)
def test_the_whole_tray_is_visible_from_the_recommended_height(view):
    mount = mount_camera(view, (300, 200), 16)
    wide_mm, deep_mm = view.visible_mm(mount.height_mm)

    assert wide_mm >= 300
    assert deep_mm >= 200
    assert mount.height_mm >= view.min_focus_mm


def test_the_field_of_view_of_module_3_agrees_with_its_data_sheet():
    wide_mm, deep_mm = CAMERA_VIEWS[0].visible_mm(300)

    assert (wide_mm, deep_mm) == pytest.approx((390, 224), abs=1)


def test_dice_that_are_too_small_get_advice():
    large, small = (mount_camera(CAMERA_VIEWS[0], (250, 250), die_mm) for die_mm in (16, 5))

    assert large.die_px > 3 * small.die_px
    assert large.advice == ""
    assert "too small to read: use dice of 6 mm" in small.advice


def test_a_camera_that_hangs_very_low_gets_advice():
    assert (
        "so close that the sides of the dice show"
        in mount_camera(CAMERA_VIEWS[1], (100, 100), 16).advice
    )


def test_the_command_prints_every_camera():
    done = CliRunner().invoke(cli, ["calibrate", "height", "--tray", "250x250", "--die", "8"])

    assert done.exit_code == 0
    assert re.search(r"Camera Module 3 +380 mm +38 px +small", done.output)
    assert all(view.name in done.output for view in CAMERA_VIEWS)


@pytest.mark.parametrize(
    ("text", "size"), [("250x200", (250, 200)), (" 250 × 200 mm", (250, 200)), ("300", (300, 300))]
)
def test_the_size_of_a_tray_is_parsed(text, size):
    assert tray_size(text) == size


@pytest.mark.parametrize("text", ["", "25x25", "250x", "axb", "250x200x30", "9999x200"])
def test_an_invalid_size_is_refused_with_the_remedy(text):
    with pytest.raises(UsageError, match="write the sides in millimetres, such as 250x200"):
        tray_size(text)


def test_the_play_page_has_the_blink_pattern_of_every_indicator():
    page = (DOCS / "play.md").read_text("utf-8")

    for indicator in Indicator:
        assert re.search(
            rf"\| {indicator} \| [a-z ,]+ \| `{re.escape(BLINKS[indicator])}` \|", page
        ), indicator
