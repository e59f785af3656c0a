"""How far the rescue of a damaged journal has come, in a file: killed anywhere, it is gone on with.

The file stays after the rescue until a person has read what it tells.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

from device.files import write_atomically
from device.storage.backup import Backup, match_count
from game.file_io import read_bounded
from game.message import Message, Paragraph, Plural

FILE = "rescue.json"
MOST = 64 * 1024


@dataclass(frozen=True, slots=True)
class RescueState:
    """Where a rescue stands, and what will be told of it.

    Attributes:
        number: of this rescue, and of the files that it sets aside.
        aside: what the damaged journal is called from now on; "" where there was none to keep.
        gone: whether the journal was not there, or empty.
        done: whether another journal stands in its place.
        made_s, kept, files: when the backup in its place was made, its matches, and what is in it;
            no files where there was none.
        steps: how many later ones could still be read.
        matches: how many there are now.
        trace: what the file is called that was lost while the journal itself stands; "" else.
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
        """That of this folder; None where nothing is being rescued, and nothing is to be told."""
        try:
            return cls(**json.loads(read_bounded(folder / FILE, MOST).decode("utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, RecursionError):
            return cls(0, "", done=True)  # told, though without its particulars

    def write(self, folder: Path) -> None:
        """Raises OSError: it cannot be written."""
        write_atomically(folder / FILE, json.dumps(asdict(self)))

    def with_result(self, good: Backup | None, steps: int, matches: int) -> Self:
        """What will be told."""
        told = replace(self, steps=steps, matches=matches)
        if good is None:
            return replace(told, files=())
        return replace(told, made_s=good.made_s, kept=good.matches, files=tuple(good.parts))

    def finished(self) -> Self:
        return replace(self, done=True)

    @property
    def notice(self) -> Message:
        """What people have to know."""
        if self.trace:
            return Paragraph(
                Message(
                    "%(file)s, the second trace of each step, was gone or damaged: it is written anew "
                    "from the journal.",
                    file=self.trace,
                ),
                Message("Look at the scores before you play on."),
            )
        damaged = Message("The journal was damaged.")
        kept = Message("The damaged one is kept as %(file)s.", file=self.aside)
        return Paragraph(
            Message("The journal was gone, or empty.") if self.gone else damaged,
            self._in_its_place,
            Message("Look at the scores before you play on."),
            kept if self.aside and not self.gone else None,
        )

    @property
    def _in_its_place(self) -> Message:
        steps = Plural("1 later step", "%(n)s later steps", n=self.steps)
        matches = match_count(self.matches)
        if not self.files:
            return Message(
                "In its place: no backup: there was none, and %(steps)s that could still be read; "
                "%(matches)s in all.",
                steps=steps,
                matches=matches,
            )
        good = Backup(self.made_s, 0, self.kept, dict.fromkeys(self.files, b""))
        return Message(
            "In its place: a backup (%(file)s), and %(steps)s that could still be read; "
            "%(matches)s in all.",
            file=good.contents,
            steps=steps,
            matches=matches,
        )


def delete_notice(folder: Path) -> None:
    """Somebody has read it; a rescue that is not done stays."""
    state = RescueState.of(folder)
    if state and state.done:
        (folder / FILE).unlink(missing_ok=True)
