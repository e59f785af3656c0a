"""The settings of one installation: a TOML file with flat, documented keys.

The option `--settings` names the file. Without it, the file is `settings.toml` in the user's configuration folder or,
if that does not exist, `/etc/traykeeper/settings.toml`. Without any file, the defaults apply.
"""

import json
from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs

from device import machine_fit as fits
from device.errors import UsageError
from device.hardware.choices import (
    BLUE_PIN,
    BUTTON_PIN,
    CAMERA_CHOICES,
    GREEN_PIN,
    RED_PIN,
    as_camera,
    as_lamp,
    as_mains,
    as_rotation,
)
from device.lan import as_page_url, as_page_urls
from game import toml_table
from game.errors import GameError, quoted
from game.file_io import read_text
from game.message import Message
from game.rules import rule_files
from game.toml_table import TomlTable, nearest

SYSTEM_FILE = Path("/etc/traykeeper/settings.toml")

HIGHEST_PIN = 27
"""Highest BCM number on the 40-pin header."""

HIGHEST_PORT = 65_535


Check = Callable[[Any], object]
"""A function that raises `UsageError` or `GameError` for an invalid value: the function that later converts the
value."""


def _setting(
    default: Any, doc: str, low: float = 0, high: float = 0, check: Check | None = None
) -> Any:
    """Return a dataclass field for a setting, with its description, its check and, for a number, its bounds."""
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, "check": check})


def _private(default: str, doc: str, check: Check | None = None) -> Any:
    """Return a dataclass field for a setting whose value may contain a password, so that no error quotes it."""
    about = {"doc": doc, "low": 0, "high": 0, "check": check, "private": True}
    return field(default=default, repr=False, metadata=about)


def _rules(name: str) -> None:
    """Check the name of a published rule set. A rule file is not checked, because backups do not contain it."""
    if not name.endswith(".toml"):
        rule_files.published(name)


def _absolute_path(folder: str) -> None:
    if folder and not Path(folder).is_absolute():
        raise UsageError(
            f"state is {quoted(folder)}: write the absolute path, for example /media/ssd/traykeeper"
        )


def _pin(default: int, doc: str) -> Any:
    return _setting(default, f"{doc}, as a BCM number.", 0, HIGHEST_PIN)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, in the order in which the settings file lists them."""

    camera: str = _private(
        "auto",
        f"Source of the pictures: {CAMERA_CHOICES}.",
        check=as_camera,
    )
    rules: str = _setting(
        "walnut-studiolo",
        "Rules for matches that are started with the button: a name, or a .toml file.",
        check=_rules,
    )
    host: str = _setting(
        "0.0.0.0",  # noqa: S104 - phones on the LAN are the point
        "Address to listen on; 0.0.0.0 means all IPv4 addresses of this machine, :: also all IPv6 addresses.",
    )
    port: int = _setting(
        8000,
        "Port of the page. To use 80, run the installer again after changing it.",
        0,
        HIGHEST_PORT,
    )
    hosts: str = _setting(
        "",
        "Additional host names of the page, separated by spaces. This machine's own names always work.",
    )
    address: str = _private(
        "",
        "Address of the page in the QR code, such as http://dice.example:8000; empty uses this machine's own address.",
        check=as_page_url,
    )
    state: str = _setting(
        "",
        "Absolute path of the folder for matches and calibration; empty: /var/lib/traykeeper on an installed Pi, else ~/.local/state/traykeeper.",
        check=_absolute_path,
    )
    frames_mb: int = _setting(200, "Space for pictures of throws, in MB; 0 keeps none.", 0, 100_000)
    frames_days: int = _setting(90, "Days after which pictures of throws are deleted.", 1, 36_500)
    clips: bool = _setting(
        default=True,
        doc="Whether the last two seconds of each roll are recorded, so that they can be replayed.",
    )
    still_s: float = _setting(
        0.4, "How long the tray must be still before it is read, in seconds.", 0.1, 5.0
    )
    hands_off: bool = _setting(
        default=False,
        doc="Whether thrown dice are read without a press. The button then only banks.",
    )
    bot_pause_s: float = _setting(
        2.5, "How long a bot waits before each throw and each decision, in seconds.", 0.0, 30.0
    )
    picture: str = _setting(
        "auto",
        "Largest width of the camera's pictures in pixels: auto, or a number in quotes.",
        check=partial(fits.parse_number, "picture"),
    )
    threads: str = _setting(
        "auto",
        "Number of threads that read dice: auto, or a number in quotes.",
        check=partial(fits.parse_number, "threads"),
    )
    burst_frames: str = _setting(
        "auto",
        "Number of readings of a throw that must agree: auto, or 1 to 4 in quotes.",
        check=partial(fits.parse_number, "burst_frames"),
    )
    rotation: int = _setting(
        0,
        "Degrees by which the picture is turned clockwise: 0, 90, 180 or 270.",
        0,
        270,
        as_rotation,
    )
    mains_hz: int = _setting(
        50,
        "Mains frequency in Hz, to avoid flicker: 50, or 60 in the Americas.",
        50,
        60,
        as_mains,
    )
    button_pin: int = _pin(BUTTON_PIN, "Pin of the push-button, which is wired to ground")
    lamp: str = _setting(
        "rgb",
        "Lamp: rgb, one (a single colour on red_pin that blinks in patterns) or none.",
        check=as_lamp,
    )
    red_pin: int = _pin(RED_PIN, "Pin for the lamp's red")
    green_pin: int = _pin(GREEN_PIN, "Pin for the lamp's green")
    blue_pin: int = _pin(BLUE_PIN, "Pin for the lamp's blue")
    common_anode: bool = _setting(
        default=False, doc="Whether the lamp's common pin is connected to 3.3 V instead of ground."
    )
    buzzer_pin: int = _setting(
        -1, "Pin of the buzzer, as a BCM number; -1 means no buzzer.", -1, HIGHEST_PIN
    )
    buzzer_tones: bool = _setting(
        default=False, doc="Whether the buzzer is passive and can play tones."
    )
    voice: bool = _setting(
        default=False,
        doc="Whether throws and advice are spoken, always in English. Run the installer again after changing it.",
    )
    shut_down: bool = _setting(
        default=False,
        doc="Whether holding the button for five seconds shuts the machine down. The installer turns this on.",
    )
    mqtt: str = _private(
        "", "MQTT broker: mqtt://HOST[:PORT], or mqtts:// with TLS; empty means no broker."
    )
    mqtt_tray: str = _setting(
        "", "Name of this tray on the broker; empty means the machine's name."
    )
    mqtt_secret: str = _private(
        "",
        "File with the user name and password for the broker; it must be readable only by its owner (mode 0600).",
    )
    mqtt_ca: str = _setting(
        "",
        "File with the certificate of the authority that signed the broker's certificate; empty trusts the system's authorities.",
    )
    mqtt_discovery: bool = _setting(
        default=True, doc="Whether the tray is announced to Home Assistant, if there is a broker."
    )
    overlay: bool = _setting(
        default=True, doc="Whether the page /overlay shows the match in video streams."
    )
    readers: str = _private(
        "",
        "Other programs' pages that may read the API, such as http://foundry.local:30000, separated by spaces.",
        check=as_page_urls,
    )
    webhook: str = _private(
        "", "Address to which every step is sent: http:// or https://; empty means none."
    )
    webhook_secret: str = _private(
        "",
        "File with the secret that signs these requests; it must be readable only by its owner (mode 0600).",
    )


PINS = ("button_pin", "red_pin", "green_pin", "blue_pin", "buzzer_pin")


def find(explicit: str | None = None) -> Path | None:
    """Return the path of the settings file, or None if there is no file and the defaults apply.

    Args:
        explicit: The file named on the command line; None if none is named.
    """
    if explicit is not None:
        return Path(explicit)
    own = platformdirs.user_config_path("traykeeper") / SYSTEM_FILE.name
    return next((path for path in (own, SYSTEM_FILE) if path.exists()), None)


def load(path: Path | None) -> Settings:
    """Return the settings in a file, or the defaults if `path` is None.

    Raises:
        FileError: If the file cannot be read.
        UsageError: If the file is not valid.
    """
    return Settings() if path is None else parse(read_text(path), str(path))


def parse(text: str, where: str) -> Settings:
    """Parse the text of a settings file.

    Args:
        text: The text, in TOML.
        where: Name of the file in error messages.

    Raises:
        UsageError: If the text is not valid TOML, or a setting is not valid.
    """
    known = {f.name: f for f in fields(Settings)}
    private = {name for name, f in known.items() if f.metadata.get("private")}
    table = toml_table.parse(text, where, UsageError, private)
    table.check_keys(known, Message("is not a setting"))
    values = {key: _value(table, key, known[key]) for key in table.data}
    return _without_a_pin_used_twice(Settings(**values), where)


def _value(table: TomlTable, key: str, setting: Field[Any]) -> Any:
    about = setting.metadata
    value = table.value_like(key, setting.default, about["low"], about["high"])
    try:
        if about["check"]:
            about["check"](value)
    except (UsageError, GameError) as error:
        raise UsageError(f"{table.location(key)}: {error}") from None
    return value


def _without_a_pin_used_twice(settings: Settings, where: str) -> Settings:
    used: dict[int, str] = {}
    for name in PINS:
        pin = getattr(settings, name)
        if pin >= 0 and (other := used.setdefault(pin, name)) != name:
            raise UsageError(f"{where}: {name} is {pin}, and so is {other}: give each its own pin")
    return settings


def as_text(settings: Settings | None = None) -> str:
    """Return the text of a settings file; settings that have their default are commented out.

    None stands for the default settings.

    >>> parse(as_text(), "here") == Settings()
    True
    """
    settings = settings or Settings()
    return "# Settings of Traykeeper. Remove the # in front of a line to change it.\n" + "".join(
        f"\n# {f.metadata['doc']}\n{_line(f.name, getattr(settings, f.name), f.default)}\n"
        for f in fields(Settings)
    )


def show(settings: Settings, name: str) -> str:
    """Return the value of one setting as text for a shell script; a boolean is `true` or `false`.

    Args:
        settings: The settings.
        name: Name of the setting.

    Raises:
        UsageError: If there is no such setting.
    """
    known = {f.name: f for f in fields(Settings)}
    if name not in known:
        raise UsageError(f"{quoted(name)} is not a setting: {nearest(name, known)}")
    value = getattr(settings, name)
    return value if isinstance(value, str) else json.dumps(value)


def _line(name: str, value: object, default: object) -> str:
    return f"{'# ' if value == default else ''}{name} = {json.dumps(value)}"
