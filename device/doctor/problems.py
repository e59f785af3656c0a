"""What a check finds: each problem of an installation with its remedy, and the findings that report it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from game.message import Message, Value


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem that a check can find, and what to do about it.

    Attributes:
        says: What is wrong.
        remedy: What to do about it.
    """

    says: Message
    remedy: Message


BAD_SETTINGS = Trouble(
    Message("there is a mistake in the settings file"),
    Message("fix the line shown here, then run `sudo systemctl restart traykeeper`"),
)
SETTINGS_NOT_READABLE = Trouble(
    Message("the service has no permission to read the settings file"),
    Message(
        "run `sudo chown root:traykeeper FILE` and `sudo chmod 640 FILE` with the file shown here, "
        "then `sudo systemctl restart traykeeper`"
    ),
)
CAMERA_LOST = Trouble(
    Message("the camera does not work"),
    Message("do what the line says; until the camera works, tap the dice in"),
)
SLOW_CAMERA = Trouble(
    Message("the pictures are too old"),
    Message("`traykeeper bench camera` measures which size and rate this machine can follow"),
)
NO_PINS = Trouble(
    Message("no pins were found"),
    Message(
        "on a Pi, update it (`sudo apt full-upgrade`) and restart; on other machines use the "
        "button on the page"
    ),
)
NO_LGPIO = Trouble(
    Message("there are pins, but lgpio is not installed"),
    Message("run `sudo apt install python3-lgpio`, then the installer again"),
)
BUTTON_DOWN = Trouble(
    Message("the button is down"),
    Message("release it; if nobody is pressing it, remove anything lying on it or check its wires"),
)
NOT_ALLOWED = Trouble(
    Message("the service has no permission to use the camera or the pins"),
    Message(
        "run the installer again: it adds the user traykeeper to the `video` and `gpio` groups"
    ),
)
NO_STATE = Trouble(
    Message("the folder for matches is not writable"),
    Message(
        "run the installer again; if you start it by hand, use `--state` with a folder of your own"
    ),
)
DISK_FULL = Trouble(
    Message("the disk is nearly full"),
    Message("free up space: `sudo apt clean`, `sudo journalctl --vacuum-size=50M`"),
)
READ_ONLY = Trouble(
    Message("the disk is read-only"),
    Message(
        "restart; if that does not help, the card is worn out: copy the matches and use a new card"
    ),
)
NOT_LASTING = Trouble(
    Message("the matches are only in memory and will be lost at the next restart"),
    Message(
        "turn off the overlay file system (`sudo raspi-config`, Performance), or set `state` "
        "to a folder on a disk"
    ),
)
DISK_ERRORS = Trouble(
    Message("the disk has had errors"),
    Message("copy the matches now (`sudo cp -r /var/lib/traykeeper ...`), then use a new card"),
)
TOO_HOT = Trouble(
    Message("the Pi is too hot"),
    Message("improve the cooling or add a heat sink: the Pi slows down at 80 °C"),
)
LOW_VOLTAGE = Trouble(
    Message("the power supply is too weak"),
    Message(
        "use the power supply made for this Pi and plug it in directly, without a hub or a "
        "thin phone cable"
    ),
)
CLOCK_UNSET = Trouble(
    Message("the clock is not set"),
    Message("it is set over the network: check the Wi-Fi; matches are saved anyway"),
)
NO_NETWORK = Trouble(
    Message("there is no network"),
    Message(
        "run `sudo nmtui` and choose your Wi-Fi, or let the Pi open its own: see "
        "docs/install.md, 'Without Wi-Fi'"
    ),
)
HOST_ELSEWHERE = Trouble(
    Message("no network card has the address in the setting `host`, so the page cannot be reached"),
    Message(
        "if the Pi now has another address, correct `host` or delete that line, then run `sudo systemctl restart traykeeper`"
    ),
)
ONLY_IPV6 = Trouble(
    Message("this network has only IPv6, and the page answers only on IPv4"),
    Message('write `host = "::"` in the settings, then run `sudo systemctl restart traykeeper`'),
)
GUEST_WIFI = Trouble(
    Message("this looks like a guest Wi-Fi, which isolates devices from each other"),
    Message(
        "join the main Wi-Fi with `sudo nmtui`, or use the Pi's own: see docs/install.md, 'Without Wi-Fi'"
    ),
)
NO_NAME = Trouble(
    Message("the name of the Pi cannot be found on the network"),
    Message("run `sudo apt install avahi-daemon`; until then use the numeric address"),
)
OTHER_NAME = Trouble(
    Message("another device has the same name"),
    Message(
        "use the name shown here, or run the installer again with another name: `sudo ./systemd/install --name den`"
    ),
)
PORT_TAKEN = Trouble(
    Message("the port is in use by another program"),
    Message("choose another `port` in the settings, then run the installer again"),
)
PORT_NOT_ALLOWED = Trouble(
    Message("the service has no permission to use this port"),
    Message("set the port to 80 and run the installer again, which grants the permission"),
)
NO_BROKER = Trouble(
    Message("the broker refuses this tray"),
    Message(
        "fix the problem shown here (see docs/mqtt.md); nothing is lost, because everything will "
        "be sent later"
    ),
)
BAD_WEBHOOK = Trouble(
    Message("the webhook in the settings cannot be used: no steps are sent"),
    Message("fix the problem shown here (see docs/events.md), then restart the service"),
)
NOT_READABLE = Trouble(
    Message("the service has no permission to read a file that the settings name"),
    Message(
        "if the file shown here is not in /etc/traykeeper, copy it there and correct the settings; run "
        "`sudo chown traykeeper FILE` with the file in that folder, then `sudo systemctl restart traykeeper`"
    ),
)
NOT_RUNNING = Trouble(
    Message("the service is not running"),
    Message(
        "`journalctl -u traykeeper -n 20` shows the reason; then run `sudo systemctl restart "
        "traykeeper`"
    ),
)
RESTARTS = Trouble(
    Message("the service had to be restarted"),
    Message(
        "`journalctl -u traykeeper` shows when; send a report with `traykeeper doctor --zip "
        "report.zip`"
    ),
)
SAFE_MODE = Trouble(
    Message(
        "safe mode: several starts failed, so the camera, the button and most settings are off"
    ),
    Message(
        'fix the problem shown on the page, then tap "Start normally"; `journalctl -u traykeeper` has the details'
    ),
)
UPDATE_UNDONE = Trouble(
    Message("the last update did not work and was undone"),
    Message(
        "play on: the previous version is running, and nothing is lost; please report this with `traykeeper doctor --zip report.zip`"
    ),
)
NOT_WRITTEN = Trouble(
    Message("the journal cannot be written, so no throws are accepted"),
    Message("free up space (`sudo apt clean`) or restart; if the card is read-only, replace it"),
)
NOT_WHOLE = Trouble(
    Message("the journal is incomplete; throws are still accepted"),
    Message("do not touch its files, and free up space: the next throw will repair it"),
)
JOURNAL_RESTORED = Trouble(
    Message("the journal was damaged"),
    Message(
        "compare the scores with what you remember and correct them by hand; replace a worn card"
    ),
)
BACKUP_FAILED = Trouble(
    Message("the daily backup has failed"),
    Message("free up space; until then save a backup to your phone with the button below"),
)
STICK_FULL = Trouble(
    Message("the USB stick is full: it did not get the last backup"),
    Message("delete files from it on a computer, or use another stick"),
)
STICK_READ_ONLY = Trouble(
    Message("the USB stick is write-protected: it did not get the last backup"),
    Message(
        "move the switch on the stick; if it has none, repair it on a computer, or use another stick"
    ),
)
STICK_NOT_WRITTEN = Trouble(
    Message("the last backup could not be written to the USB stick"),
    Message("plug the stick in again; if that does not help, use another one"),
)
STICK_NOT_READ = Trouble(
    Message("the USB stick cannot be read"),
    Message("repair it on a computer, format it as exFAT, or use another stick"),
)
STICK_NOT_BROUGHT = Trouble(
    Message("the backup on the USB stick could not be copied to the Pi"),
    Message("free up space on the Pi (`sudo apt clean`), then plug the stick in again"),
)
NOT_DELIVERED = Trouble(
    Message("the webhook does not accept the steps"),
    Message(
        "check the program at that address (see docs/events.md); the steps are waiting and will "
        "be sent in order"
    ),
)
NOT_WANTED = Trouble(
    Message("the webhook wants no more steps"),
    Message("delete or correct `webhook` in the settings, then restart Traykeeper"),
)
WEBHOOK_REFUSED = Trouble(
    Message("the webhook in the settings cannot be used"),
    Message("correct `webhook` or `webhook_secret` in the settings, then restart Traykeeper"),
)
BROKER_LOST = Trouble(
    Message("the broker cannot be reached"),
    Message("check the broker and the network; the steps are waiting and will be sent in order"),
)
BROKER_REFUSED = Trouble(
    Message("the broker in the settings cannot be used"),
    Message("correct `mqtt`, `mqtt_secret` or `mqtt_ca` in the settings, then restart Traykeeper"),
)
LAMP_FAILED = Trouble(
    Message("the button, lamp, buzzer or voice has failed"),
    Message(
        "check its wires and its pins in the settings, and whether another program is using them"
    ),
)
BAD_JOURNAL = Trouble(
    Message("the journal is damaged"),
    Message(
        "run `sudo systemctl restart traykeeper`: the newest good backup will be restored "
        "automatically"
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
        line: The result of the check.
        trouble: The problem with its remedy; None unless this is a warning or a failure.
    """

    level: Level
    line: Message
    trouble: Trouble | None = None

    def to_json(self, check: str) -> dict[str, Any]:
        """Return the public JSON form of this finding, with `check` as the name of its check."""
        remedy = str(self.trouble.remedy) if self.trouble else None
        return {"check": check, "level": str(self.level), "line": str(self.line), "remedy": remedy}


def ok(line: Message) -> Finding:
    """Return the finding that everything is in order, with a line that describes it."""
    return Finding(Level.OK, line)


def skipped(why: Message) -> Finding:
    """Return the finding that a check does not apply or is not possible on this machine."""
    return Finding(Level.SKIPPED, why)


def not_readable(file: Path) -> Finding:
    """Return the finding that only the service or root may read a file."""
    return skipped(
        Message(
            "you do not have permission to read %(file)s: try sudo traykeeper doctor",
            file=str(file),
        )
    )


def warning(trouble: Trouble, detail: Value = "") -> Finding:
    """Return the finding of a problem that people should know about although the game works.

    Args:
        trouble: What is wrong.
        detail: What exactly was found; it is added in brackets.
    """
    return Finding(Level.WARNING, _line(trouble, detail), trouble)


def failed(trouble: Trouble, detail: Value = "") -> Finding:
    """Return the finding of a problem that has to be fixed.

    Args:
        trouble: What is wrong.
        detail: What exactly was found; it is added in brackets.
    """
    return Finding(Level.FAILED, _line(trouble, detail), trouble)


def _line(trouble: Trouble, detail: Value) -> Message:
    if not detail:
        return trouble.says
    return Message("%(trouble)s (%(detail)s)", trouble=trouble.says, detail=detail)
