"""The progress of the recovery of a damaged journal, kept in a file so that the recovery can continue after a crash.

The file remains after the recovery until somebody has acknowledged the notice about it.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

from device.files import write_atomically
from device.storage.backup import Backup, match_count
from game.file_io import read_bounded
from game.message import Message, Paragraph, Plural

RESCUE_FILE = "rescue.json"
MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class RescueState:
    """The progress and the result of a recovery.

    Attributes:
        number: Number of the recovery, and of the files that it sets aside.
        aside: New name of the damaged journal; "" if there was none.
        gone: Whether the journal was missing or empty.
        done: Whether the new journal is in place.
        made_s: When the backup on which the new journal is based was made, in seconds since 1970.
        kept: Number of matches in that backup.
        files: Names of the files in that backup; empty if there was no backup.
        steps: Number of later steps that could still be read.
        matches: Number of matches in the new journal.
        trace: File name of the trace (the second copy of the journal) if only the trace was lost; otherwise "".
    """

    number: int
    aside: str
    gone: bool = False
    done: bool = False
    made_s: float = 0.0
    kept: int = 0
    files: tuple[str, ...] = ()
    steps: int = 0
    matches: int = 0
    trace: str = ""

    @classmethod
    def of(cls, folder: Path) -> Self | None:
        """Return the state stored in a folder, or None if there is neither a recovery nor a notice."""
        try:
            return cls(**json.loads(read_bounded(folder / RESCUE_FILE, MAX_BYTES).decode("utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, RecursionError):
            return cls(0, "", done=True)  # the notice without its details

    def write(self, folder: Path) -> None:
        """Write the state to a folder.

        Raises:
            OSError: If the file cannot be written.
        """
        write_atomically(folder / RESCUE_FILE, json.dumps(asdict(self)))

    def with_result(self, good: Backup | None, steps: int, matches: int) -> Self:
        """Return the state with the result of the recovery.

        Args:
            good: Backup on which the new journal is based; None if there was none.
            steps: Number of later steps that could be read.
            matches: Number of matches in the new journal.
        """
        result = replace(self, steps=steps, matches=matches)
        if good is None:
            return replace(result, files=())
        return replace(result, made_s=good.made_s, kept=good.matches, files=tuple(good.parts))

    def finished(self) -> Self:
        """Return the state after the new journal has been put in place."""
        return replace(self, done=True)

    @property
    def notice(self) -> Message:
        """The notice that tells the players what was damaged, and what replaced it."""
        if self.trace:
            return Paragraph(
                Message(
                    "%(file)s, the second copy of the journal, was missing or damaged and is "
                    "being written again.",
                    file=self.trace,
                ),
                Message("Check the scores before you play on."),
            )
        damaged = Message("The journal was damaged.")
        kept = Message("The damaged file is kept as %(file)s.", file=self.aside)
        return Paragraph(
            Message("The journal was missing or empty.") if self.gone else damaged,
            self._in_its_place,
            Message("Check the scores before you play on."),
            kept if self.aside and not self.gone else None,
        )

    @property
    def _in_its_place(self) -> Message:
        steps = Plural("1 later step", "%(n)s later steps", n=self.steps)
        matches = match_count(self.matches)
        if not self.files:
            return Message(
                "There was no backup; %(steps)s could still be read; %(matches)s in all.",
                steps=steps,
                matches=matches,
            )
        good = Backup(self.made_s, 0, self.kept, dict.fromkeys(self.files, b""))
        return Message(
            "It was replaced by a backup (%(file)s) and %(steps)s that could still be read; "
            "%(matches)s in all.",
            file=good.contents,
            steps=steps,
            matches=matches,
        )


def delete_notice(folder: Path) -> None:
    """Delete the stored state because somebody has acknowledged the notice, unless the recovery is unfinished."""
    state = RescueState.of(folder)
    if state and state.done:
        (folder / RESCUE_FILE).unlink(missing_ok=True)
