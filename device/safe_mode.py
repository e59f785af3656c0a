"""Safe mode: after several failed starts, Traykeeper leaves out what may have failed, and keeps score.

There is no camera, no button, no broker and no webhook, and dice are tapped in. Everything except the address, the
folder of the matches and the lamp has its default. Whatever failed is left out as well: the lamp after a failure
at the pins, the usual folder after one at the matches, the usual port after one at the page.
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
"""Settings that safe mode takes from the file: without them nobody would find the page, the matches or the lamp."""

OTHER_PORTS = (8000, 8080, 0)
"""Ports to try if the usual one may be what fails. 0 is any free port."""

NO_CAMERA = Message("Traykeeper is in safe mode")

_CALLED = {
    StartPart.SETTINGS: Message("settings"),
    StartPart.JOURNAL: Message("stored matches"),
    StartPart.PINS: Message("button and lamp"),
    StartPart.CAMERA: Message("camera"),
    StartPart.PAGE: Message("page"),
    StartPart.BROKER: Message("broker and webhook"),
    StartPart.RUNNING: Message("soon after the start"),
}


@dataclass(frozen=True, slots=True)
class SafeMode:
    """What led to safe mode.

    Attributes:
        failures: The failed starts, oldest first.
        record: The record of the starts.
    """

    failures: tuple[FailedStart, ...]
    record: StartRecord

    def blames(self, part: StartPart) -> bool:
        """Return whether a start failed at this part."""
        return any(start.part is part for start in self.failures)

    @property
    def reason(self) -> Message:
        """What people have to know."""
        last = self.failures[-1]
        why = Sentence(Message("the error was: %(why)s", why=Verbatim(last.why)))
        return Paragraph(
            Message(
                "Safe mode: several starts failed (%(part)s). Tap the dice in.",
                part=_CALLED[last.part],
            ),
            why if last.why else Message("Traykeeper ended without an error message."),
            Message("Camera and button are off, and most settings have their defaults."),
            Message("The stored matches are left alone. What is played now is not kept.")
            if self.blames(StartPart.JOURNAL)
            else None,
        )


def kept_settings(file: Path | None) -> Settings:
    """Return the defaults, with `KEPT` from those lines of a settings file that are valid.

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
    """Return a folder for matches that need not be kept, if the usual one cannot be used.

    Args:
        environ: The environment, with the folder that systemd makes for the service.
    """
    return mkdtemp(prefix="safe-mode-", dir=environ.get("RUNTIME_DIRECTORY"))
