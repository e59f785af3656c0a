"""The settings of one Traykeeper: a TOML file with flat keys, every one of them documented.

Where it is: the file named with `--settings`; else `settings.toml` in the user's own
configuration; else `/etc/traykeeper/settings.toml`; else nothing but the defaults.
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
from device.hardware.choices import CAMERA_CHOICES, as_camera, as_lamp, as_mains, as_rotation
from device.hardware.pins import BLUE_PIN, BUTTON_PIN, GREEN_PIN, RED_PIN
from game import toml_table
from game.errors import GameError, quoted
from game.file_io import read_text
from game.message import Message
from game.rules import rule_files
from game.toml_table import TomlTable, nearest

SYSTEM_FILE = Path("/etc/traykeeper/settings.toml")

HIGHEST_PIN = 27
"""BCM numbers of the 40-pin header run from 0 to here."""

HIGHEST_PORT = 65_535


Check = Callable[[Any], object]
"""Refuses a value that cannot be used: the very function by which it is used."""


def _setting(
    default: Any, doc: str, low: float = 0, high: float = 0, check: Check | None = None
) -> Any:
    """A field with what the file says about it; `low` and `high` bound a number."""
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, "check": check})


def _rules(name: str) -> None:
    """A file of rules is not looked for: where settings are packed or unpacked it need not be."""
    if not name.endswith(".toml"):
        rule_files.published(name)


def _whole_path(folder: str) -> None:
    if folder and not Path(folder).is_absolute():
        raise UsageError(
            f"state is {quoted(folder)}: name the folder with its whole path, "
            "as /media/ssd/traykeeper"
        )


def _pin(default: int, doc: str) -> Any:
    return _setting(default, f"{doc}, by BCM number.", 0, HIGHEST_PIN)


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be set; the order is that of the file."""

    camera: str = _setting(
        "auto",
        f"Where the pictures come from: {CAMERA_CHOICES}.",
        check=as_camera,
    )
    rules: str = _setting(
        "walnut-studiolo",
        "Rules of a match that begins at the button: a name, or a .toml file.",
        check=_rules,
    )
    host: str = _setting(
        "0.0.0.0",  # noqa: S104 - phones on the LAN are the point
        "Address to listen on; 0.0.0.0 is every one of this machine.",
    )
    port: int = _setting(
        8000,
        "Port of the page. For 80, run the install again after changing it.",
        0,
        HIGHEST_PORT,
    )
    hosts: str = _setting(
        "",
        "Further names under which the page may be asked for, with blanks between; this machine's own are always taken.",
    )
    state: str = _setting(
        "", "Folder of the journal, with its whole path; empty is the usual one.", check=_whole_path
    )
    frames_mb: int = _setting(
        200, "MB of pictures of throws that are kept beside the journal; 0 keeps none.", 0, 100_000
    )
    frames_days: int = _setting(90, "Days after which they go in any case.", 1, 36_500)
    still_s: float = _setting(0.4, "Seconds the tray must lie still before it is read.", 0.1, 5.0)
    hands_off: bool = _setting(
        default=False,
        doc="Whether dice that were thrown are read by themselves once they lie still; the button then only banks.",
    )
    picture: str = _setting(
        "auto",
        "Width in pixels of the pictures of the Pi's camera: auto, or a number in quotes.",
        check=partial(fits.parse_number, "picture"),
    )
    threads: str = _setting(
        "auto",
        "Threads of the reader: auto, or a number in quotes.",
        check=partial(fits.parse_number, "threads"),
    )
    looks: str = _setting(
        "auto",
        "Looks at a throw that must agree: auto, or a number in quotes, 1 to 4.",
        check=partial(fits.parse_number, "looks"),
    )
    rotation: int = _setting(
        0,
        "By how many degrees clockwise the picture is turned: 0, 90, 180 or 270.",
        0,
        270,
        as_rotation,
    )
    mains_hz: int = _setting(
        50,
        "The mains frequency, against lamps that flicker: 50, or 60 in the Americas.",
        50,
        60,
        as_mains,
    )
    button_pin: int = _pin(BUTTON_PIN, "The push-button, to ground")
    lamp: str = _setting(
        "rgb",
        "The lamp: rgb, one (a single colour, on red_pin, told by its blinking) or none.",
        check=as_lamp,
    )
    red_pin: int = _pin(RED_PIN, "The lamp's red")
    green_pin: int = _pin(GREEN_PIN, "The lamp's green")
    blue_pin: int = _pin(BLUE_PIN, "The lamp's blue")
    common_anode: bool = _setting(
        default=False, doc="Whether the lamp's common leg is at 3.3 V instead of ground."
    )
    buzzer_pin: int = _setting(
        -1, "A buzzer, by BCM number; -1 where there is none.", -1, HIGHEST_PIN
    )
    buzzer_tones: bool = _setting(
        default=False, doc="Whether it is a passive buzzer, which plays tones."
    )
    voice: bool = _setting(
        default=False,
        doc="Whether throws and advice are spoken, in English, whatever the phones show. Run the install again after.",
    )
    shut_down: bool = _setting(
        default=False,
        doc="Whether holding the button for five seconds shuts the machine down; the install turns it on.",
    )
    mqtt: str = _setting(
        "", "The MQTT broker: mqtt://HOST[:PORT], mqtts:// with TLS; empty is none."
    )
    mqtt_tray: str = _setting(
        "", "What this tray is called on the broker; empty is the machine's name."
    )
    mqtt_secret: str = _setting(
        "", "A file with user and password for the broker, that others cannot read (0600)."
    )
    mqtt_ca: str = _setting(
        "", "Certificate of who signed the broker's; empty trusts those of the system."
    )
    mqtt_discovery: bool = _setting(
        default=True, doc="Whether Home Assistant is told of the tray, where there is a broker."
    )


PINS = ("button_pin", "red_pin", "green_pin", "blue_pin", "buzzer_pin")


def find(explicit: str | None = None) -> Path | None:
    """The file that counts here, or None where there is none and the defaults do."""
    if explicit is not None:
        return Path(explicit)
    own = platformdirs.user_config_path("traykeeper") / SYSTEM_FILE.name
    return next((path for path in (own, SYSTEM_FILE) if path.exists()), None)


def load(path: Path | None) -> Settings:
    """The settings in this file; the defaults without one.

    Raises:
        FileError: the file cannot be read.
        UsageError: it does not hold: names the file, the key and the remedy.
    """
    return Settings() if path is None else parse(read_text(path), str(path))


def parse(text: str, where: str) -> Settings:
    """The settings in `text`; `where` is what error messages call it."""
    table = toml_table.parse(text, where, UsageError)
    known = {f.name: f for f in fields(Settings)}
    table.check_keys(known, Message("is no setting"))
    said = {key: _value(table, key, known[key]) for key in table.data}
    return _without_a_pin_used_twice(Settings(**said), where)


def _value(table: TomlTable, key: str, setting: Field[Any]) -> Any:
    """What this line says, checked."""
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
    """The file with these settings: each with what it does, those at their default commented out.

    >>> parse(as_text(), "here") == Settings()
    True
    """
    settings = settings or Settings()
    return "# Settings of Traykeeper. Remove the # in front of a line to change it.\n" + "".join(
        f"\n# {f.metadata['doc']}\n{_line(f.name, getattr(settings, f.name), f.default)}\n"
        for f in fields(Settings)
    )


def show(settings: Settings, name: str) -> str:
    """One setting as the shell reads it; truth is true or false.

    Raises:
        UsageError: there is no such setting.
    """
    known = {f.name: f for f in fields(Settings)}
    if name not in known:
        raise UsageError(f"{quoted(name)} is no setting: {nearest(name, known)}")
    value = getattr(settings, name)
    return value if isinstance(value, str) else json.dumps(value)


def _line(name: str, value: object, default: object) -> str:
    return f"{'# ' if value == default else ''}{name} = {json.dumps(value)}"
