"""What the coach has to know after a restart: one small file in the state folder."""

import json
import os
from dataclasses import asdict, dataclass
from json import JSONDecodeError
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from game.counts import DiceSet
from web.coaching import Mode
from web.table import TableError

FILE = "coach.json"

MAX_SETS = 100


@dataclass(frozen=True, slots=True)
class Notes:
    """How much the coach says, and which dice were thrown since when."""

    mode: Mode = Mode.OFF
    dice: tuple[DiceSet, ...] = (DiceSet(""),)


class Notebook:
    """The file; one that is damaged is as good as none.

    Attributes:
        notes: what it holds.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.notes = _read(file) or Notes()

    def write(self, notes: Notes) -> None:
        """From now on it holds this, as one step.

        Raises:
            TableError: it cannot be written, or holds too many sets of dice.
        """
        if len(notes.dice) > MAX_SETS:
            raise TableError(f"{MAX_SETS} sets of dice are enough.")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile("w", dir=self._file.parent, delete=False) as fresh:
                fresh.write(json.dumps(asdict(notes)))
                fresh.flush()
                os.fsync(fresh.fileno())
            Path(fresh.name).replace(self._file)
        except OSError as error:
            raise TableError(f"That cannot be written down ({error.strerror}).") from None
        self.notes = notes


def _read(file: Path) -> Notes | None:
    try:
        values = json.loads(file.read_text("utf-8"))
        return Notes(Mode(values["mode"]), tuple(map(_dice_set, values["dice"])))
    except (OSError, JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError):
        return None


def _dice_set(values: dict[str, Any]) -> DiceSet:
    return DiceSet(str(values["name"]), int(values["after"]))
