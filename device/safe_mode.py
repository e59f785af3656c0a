"""Safe mode: after several failed starts, Traykeeper keeps score without the parts that may have failed.

The camera, the button, the broker and the webhook are off, and players tap the dice in. All settings have their
defaults, except for the address of the page, the folder for the matches and the lamp. If one of those may be the
cause, it is changed as well: the lamp is off if the pins failed, the matches go to a temporary folder if the stored
ones failed, and the page may use another port if the page failed. docs/decisions/safe-mode.md explains why.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from device.errors import UsageError
from device.failed_starts import FailedStart, StartPart, StartRecord
from device.settings import Settings, parse
from game.errors import GameError
from game.file_io import read_text
from game.message import Message, Paragraph, Sentence, Verbatim

KEPT = (
    *("address", "host", "port", "hosts", "state"),
    *("lamp", "red_pin", "green_pin", "blue_pin", "common_anode"),
)
"""Settings that safe mode takes from the file, so that the page, the matches and the lamp are where people expect
them."""

OTHER_PORTS = (8000, 8080, 0)
"""Ports to try if the usual port may be the cause of the failed starts; 0 means any free port."""

NO_CAMERA = Message("Traykeeper is in safe mode")

_CALLED = {
    StartPart.SETTINGS: Message("settings"),
    StartPart.JOURNAL: Message("stored matches"),
    StartPart.PINS: Message("button and lamp"),
    StartPart.CAMERA: Message("camera"),
    StartPart.PAGE: Message("page"),
    StartPart.BROKER: Message("broker and webhook"),
    StartPart.RUNNING: Message("soon after startup"),
}


@dataclass(frozen=True, slots=True)
class SafeMode:
    """The failed starts that led to safe mode.

    Attributes:
        failures: The failed starts, oldest first.
        record: The record of failed starts, which can make the next start a normal one.
        usual_state: The setting `state` outside safe mode. The scorekeeper's file is always read from that folder, so
            that the scorekeeper's phone keeps its role, and `traykeeper pin` prints the right PIN.
    """

    failures: tuple[FailedStart, ...]
    record: StartRecord
    usual_state: str | None

    def blames(self, part: StartPart) -> bool:
        """Return whether any of the failed starts failed at this part."""
        return any(start.part is part for start in self.failures)

    @property
    def reason(self) -> Message:
        """The message that explains why Traykeeper is in safe mode, and what is different in this mode."""
        last = self.failures[-1]
        why = Sentence(Message("the error was: %(why)s", why=Verbatim(last.why)))
        return Paragraph(
            Message(
                "Safe mode: several starts failed (%(part)s). Tap the dice in.",
                part=_CALLED[last.part],
            ),
            why if last.why else Message("Traykeeper ended without an error message."),
            Message("The camera and the button are off, and most settings are at their defaults."),
            Message("The stored matches are left alone. Matches played in safe mode are not kept.")
            if self.blames(StartPart.JOURNAL)
            else None,
        )


def kept_settings(file: Path | None) -> Settings:
    """Return the default settings, but take those in `KEPT` from the valid lines of a settings file.

    Args:
        file: The settings file; None if there is none.
    """
    usual, kept = Settings(), dict[str, Any]()
    with suppress(GameError):
        for line in read_text(file).splitlines() if file else ():
            with suppress(UsageError, GameError):
                found = {name: getattr(parse(line, ""), name) for name in KEPT}
                kept |= {n: value for n, value in found.items() if value != getattr(usual, n)}
    return replace(usual, **kept)


def temporary_folder(environ: Mapping[str, str] = os.environ) -> str:
    """Create a temporary folder for matches, because the usual one cannot be used, and return its path.

    Args:
        environ: The environment variables, with the folder that systemd creates for the service.
    """
    return mkdtemp(prefix="safe-mode-", dir=environ.get("RUNTIME_DIRECTORY"))
