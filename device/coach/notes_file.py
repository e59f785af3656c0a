"""What the coach has to know after a restart: one small file in the state folder."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from json import JSONDecodeError
from pathlib import Path
from threading import Lock
from typing import Any

from device.files import write_atomically
from game.message import Message
from game.situation import TableError
from game.stats.counts import DiceSetPeriod
from web.contracts.coach import CoachMode

FILE = "coach.json"

MAX_SETS = 100


@dataclass(frozen=True, slots=True)
class Notes:
    """How much the coach says, and which dice were thrown since when."""

    mode: CoachMode = CoachMode.OFF
    dice: tuple[DiceSetPeriod, ...] = (DiceSetPeriod(""),)

    def with_dice(self, dice: DiceSetPeriod) -> "Notes":
        """These from now on; a set that was never thrown is forgotten."""
        thrown = tuple(each for each in self.dice if each.after < dice.after)
        return replace(self, dice=(*thrown, dice))

    def rewind(self, position: int) -> "Notes":
        """The journal ends there now: whatever set was named later is thrown from there on."""
        if self.dice[-1].after <= position:
            return self
        return self.with_dice(replace(self.dice[-1], after=position))


class NotesFile:
    """The file; one that is damaged is as good as none.

    Attributes:
        notes: what it holds.
    """

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, Lock()
        self.notes = _read(file) or Notes()

    def change(self, edit: Callable[[Notes], Notes]) -> None:
        """From now on it holds what this makes of its notes, as one step.

        Raises:
            TableError: it cannot be written, or holds too many sets of dice.
        """
        with self._lock:
            notes = edit(self.notes)
            if notes is self.notes:
                return
            if len(notes.dice) > MAX_SETS:
                raise TableError(Message("%(most)s sets of dice are enough.", most=MAX_SETS))
            try:
                write_atomically(self._file, json.dumps(asdict(notes)))
            except OSError as error:
                raise TableError(
                    Message("That cannot be written down (%(why)s).", why=str(error.strerror))
                ) from None
            self.notes = notes


def _read(file: Path) -> Notes | None:
    try:
        values = json.loads(file.read_text("utf-8"))
        return Notes(CoachMode(values["mode"]), tuple(map(_dice_set, values["dice"])))
    except (
        OSError,
        JSONDecodeError,
        UnicodeDecodeError,
        KeyError,
        TypeError,
        ValueError,
        RecursionError,
    ):
        return None


def _dice_set(values: dict[str, Any]) -> DiceSetPeriod:
    return DiceSetPeriod(str(values["name"]), int(values["after"]))
