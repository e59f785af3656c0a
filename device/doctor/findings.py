"""The findings of checks, and the troubles that they can find with their remedies."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from game.message import Message, Value


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that can be wrong, and what to do about it."""

    says: Message
    remedy: Message


BAD_SETTINGS = Trouble(
    Message("the settings file has a mistake"),
    Message("fix the line it names in the file, then `sudo systemctl restart traykeeper`"),
)
NO_CAMERA = Trouble(
    Message("no camera is seen"),
    Message(
        "switch off, push the flat cable in at both ends (contacts to the contacts), switch on again"
    ),
)
OTHER_CAMERA = Trouble(
    Message("the camera in the settings is not there"),
    Message("plug it in or switch it on, or choose another: `traykeeper cameras` lists them"),
)
CAMERA_LOST = Trouble(
    Message("the companion has no picture"),
    Message("check the cable; then `sudo systemctl restart traykeeper`; meanwhile tap the dice in"),
)
NO_PICAMERA2 = Trouble(
    Message("a camera is there, but picamera2 is not installed"),
    Message("`sudo apt install python3-picamera2 --no-install-recommends`, then the install again"),
)
NO_PINS = Trouble(
    Message("no pins are seen"),
    Message(
        "on a Pi: update it (`sudo apt full-upgrade`) and restart; elsewhere the button is on the page"
    ),
)
NO_LGPIO = Trouble(
    Message("pins are there, but lgpio is not installed"),
    Message("`sudo apt install python3-lgpio`, then the install again"),
)
BUTTON_DOWN = Trouble(
    Message("the button is down"),
    Message("release it; if nobody presses it, take off what lies on it, or check its wires"),
)
NOT_ALLOWED = Trouble(
    Message("the service may not use camera or pins"),
    Message("run the install again: it puts the user traykeeper into the groups video and gpio"),
)
NO_STATE = Trouble(
    Message("the folder of the matches cannot be written"),
    Message("run the install again; by hand: `--state` and a folder that is yours"),
)
DISK_FULL = Trouble(
    Message("the disk is nearly full"),
    Message("free space: `sudo apt clean`, `sudo journalctl --vacuum-size=50M`"),
)
READ_ONLY = Trouble(
    Message("the disk is read-only"),
    Message(
        "restart; if it stays so the card is worn out: copy the matches away and use a new card"
    ),
)
NOT_LASTING = Trouble(
    Message("the matches are only in memory and vanish at the next restart"),
    Message(
        "switch the overlay file system off (`sudo raspi-config`, Performance), or set `state` to a folder on a disk"
    ),
)
DISK_ERRORS = Trouble(
    Message("the disk has had errors"),
    Message(
        "copy the matches away now (`sudo cp -r /var/lib/traykeeper ...`), then use a new card"
    ),
)
TOO_HOT = Trouble(
    Message("the Pi is too hot"),
    Message("give it air or a heat sink: it slows down at 80 °C"),
)
LOW_VOLTAGE = Trouble(
    Message("the power supply is too weak"),
    Message("use the supply made for this Pi, plugged in directly: no hub, no thin phone cable"),
)
CLOCK_UNSET = Trouble(
    Message("the clock is not set"),
    Message("it sets itself from the network: check the Wi-Fi; matches are kept all the same"),
)
NO_NETWORK = Trouble(
    Message("there is no network"),
    Message(
        "`sudo nmtui` and choose your Wi-Fi; or make the Pi its own: docs/install.md, 'Without Wi-Fi'"
    ),
)
ONLY_IPV6 = Trouble(
    Message("this network has only IPv6, and the page answers only on IPv4"),
    Message('write `host = "::"` in the settings, then `sudo systemctl restart traykeeper`'),
)
GUEST_WIFI = Trouble(
    Message("this looks like a guest Wi-Fi, which keeps devices apart"),
    Message(
        "join the main Wi-Fi with `sudo nmtui`, or use the Pi's own: docs/install.md, 'Without Wi-Fi'"
    ),
)
NO_NAME = Trouble(
    Message("nobody answers to the Pi's name"),
    Message("`sudo apt install avahi-daemon`; meanwhile use the address with numbers"),
)
OTHER_NAME = Trouble(
    Message("another device has this name too"),
    Message(
        "use the name shown here, or give this Pi another: `sudo hostnamectl set-hostname den`"
    ),
)
PORT_TAKEN = Trouble(
    Message("the port is used by another program"),
    Message("choose another `port` in the settings, then run the install again"),
)
PORT_NOT_ALLOWED = Trouble(
    Message("the port needs a right that the service does not have"),
    Message("run the install again after setting the port to 80: it grants just that"),
)
NO_BROKER = Trouble(
    Message("the broker does not let this tray in"),
    Message("fix what it says: docs/mqtt.md; nothing is lost meanwhile, it is told what it missed"),
)
NOT_RUNNING = Trouble(
    Message("the service does not run"),
    Message("`journalctl -u traykeeper -n 20` says why; then `sudo systemctl restart traykeeper`"),
)
RESTARTS = Trouble(
    Message("the service had to be restarted"),
    Message(
        "`journalctl -u traykeeper` says when; send a report: `traykeeper doctor --zip report.zip`"
    ),
)
SAFE_MODE = Trouble(
    Message("safe mode: several starts failed, so camera, button and most settings are off"),
    Message(
        'repair what the page names, then tap "Start normally"; `journalctl -u traykeeper` has the details'
    ),
)
UPDATE_UNDONE = Trouble(
    Message("the last update did not work and was undone"),
    Message(
        "play on: the version before runs, and nothing is lost; please report it with `traykeeper doctor --zip report.zip`"
    ),
)
NOT_WRITTEN = Trouble(
    Message("the journal cannot be written: nothing is accepted"),
    Message("free space (`sudo apt clean`), or restart; if the card is read-only, use a new one"),
)
NOT_WHOLE = Trouble(
    Message("the journal is not whole; steps are taken all the same"),
    Message("leave its files alone, free space: the next step puts it right"),
)
JOURNAL_RESTORED = Trouble(
    Message("the journal was damaged"),
    Message(
        "compare the scores with what you remember, correct them by hand; a worn card is replaced"
    ),
)
BACKUP_FAILED = Trouble(
    Message("the daily backup cannot be made"),
    Message("free space; until then save one to your phone with the button below"),
)
NOT_DELIVERED = Trouble(
    Message("the webhook does not accept the steps"),
    Message(
        "check the program at that address; the steps wait and are sent in order: docs/events.md"
    ),
)
LAMP_FAILED = Trouble(
    Message("button, lamp, buzzer or voice fail"),
    Message("check their wires, their pins in the settings, and whether another program uses them"),
)
BAD_JOURNAL = Trouble(
    Message("the journal of the matches is damaged"),
    Message(
        "`sudo systemctl restart traykeeper`: the newest good backup takes its place by itself"
    ),
)


class Level(StrEnum):
    """The severity of a finding. Only `FAILED` makes the exit code of the doctor 1."""

    OK = "ok"
    SKIPPED = "skipped"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        level: The severity.
        line: What the check found.
        trouble: The trouble with its remedy, for warnings and failures.
    """

    level: Level
    line: Message
    trouble: Trouble | None = None

    def to_json(self, check: str) -> dict[str, Any]:
        """Return the public JSON form of the finding of a check with this name."""
        remedy = str(self.trouble.remedy) if self.trouble else None
        return {"check": check, "level": str(self.level), "line": str(self.line), "remedy": remedy}


def ok(line: Message) -> Finding:
    """Return the finding that everything is well."""
    return Finding(Level.OK, line)


def skipped(why: Message) -> Finding:
    """Return the finding that a check is not possible on this machine."""
    return Finding(Level.SKIPPED, why)


def not_readable(file: Path) -> Finding:
    """Return the finding that only the service or root may read a file."""
    return skipped(
        Message("%(file)s may not be read by you: try sudo traykeeper doctor", file=str(file))
    )


def warning(trouble: Trouble, detail: Value = "") -> Finding:
    """Return a finding that somebody should know about, although the game works.

    Args:
        trouble: What is wrong.
        detail: What exactly was found.
    """
    return Finding(Level.WARNING, _line(trouble, detail), trouble)


def failed(trouble: Trouble, detail: Value = "") -> Finding:
    """Return a finding that has to be repaired.

    Args:
        trouble: What is wrong.
        detail: What exactly was found.
    """
    return Finding(Level.FAILED, _line(trouble, detail), trouble)


def _line(trouble: Trouble, detail: Value) -> Message:
    if not detail:
        return trouble.says
    return Message("%(trouble)s (%(detail)s)", trouble=trouble.says, detail=detail)
