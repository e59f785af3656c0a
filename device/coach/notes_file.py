"""The notes that the coach keeps across restarts, in a small file in the state folder."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from device.files import read_json, write_atomically
from game.match.match import Match
from game.message import Message
from game.practice.strategy import is_practice
from game.situation import TableError
from game.stats.counts import DiceSetPeriod
from web.contracts import CoachMode

NOTES_FILE = "coach.json"

MAX_SETS = 100


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes of the coach.

    Attributes:
        mode: The amount of advice that the coach gives in matches between people.
        practice: The amount of advice that the coach gives in matches against a bot.
        dice: The sets of dice, each with the position in the journal after which it was used.
    """

    mode: CoachMode = CoachMode.OFF
    dice: tuple[DiceSetPeriod, ...] = (DiceSetPeriod(""),)
    practice: CoachMode = CoachMode.WHY

    def mode_in(self, match: Match | None) -> CoachMode:
        """Return how much the coach says in a match; None means a match between people."""
        return self.practice if match and is_practice(match) else self.mode

    def with_mode(self, mode: CoachMode, match: Match | None) -> "Notes":
        """Return the notes with another mode.

        Args:
            mode: How much the coach says from now on.
            match: The match in play, which decides whether this applies to matches between people
                or to matches against a bot; None means matches between people.
        """
        if match and is_practice(match):
            return replace(self, practice=mode)
        return replace(self, mode=mode)

    def with_dice(self, dice: DiceSetPeriod) -> "Notes":
        """Return the notes with a new current set of dice, and without the sets that have never been thrown."""
        thrown = tuple(each for each in self.dice if each.after < dice.after)
        return replace(self, dice=(*thrown, dice))

    def rewind(self, position: int) -> "Notes":
        """Return the notes adjusted to a journal that was cut to this position. The current set of dice stays."""
        if self.dice[-1].after <= position:
            return self
        return self.with_dice(replace(self.dice[-1], after=position))


class NotesFile:
    """The file in which the coach stores its notes. A damaged file is treated as if it were missing.

    Args:
        file: Path of the file.

    Attributes:
        notes: The current notes.
    """

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, Lock()
        self.notes = read_json(file, _parse) or Notes()

    def change(self, edit: Callable[[Notes], Notes]) -> None:
        """Replace the notes with what `edit` returns for them, in memory and in the file.

        Raises:
            TableError: If the file cannot be written, or there are too many sets of dice.
        """
        with self._lock:
            notes = edit(self.notes)
            if notes is self.notes:
                return
            if len(notes.dice) > MAX_SETS:
                raise TableError(
                    Message("At most %(most)s sets of dice can be stored.", most=MAX_SETS)
                )
            try:
                write_atomically(self._file, json.dumps(asdict(notes)))
            except OSError as error:
                raise TableError(
                    Message("That cannot be saved (%(why)s).", why=str(error.strerror))
                ) from None
            self.notes = notes


def _parse(values: Any) -> Notes:
    return Notes(
        CoachMode(values["mode"]),
        tuple(DiceSetPeriod(str(each["name"]), int(each["after"])) for each in values["dice"]),
        CoachMode(values.get("practice", CoachMode.WHY)),
    )
