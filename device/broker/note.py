"""What the tray remembers of its broker: where it was, as whom, and what was taken there."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

FILE = "mqtt.json"


@dataclass(frozen=True, slots=True)
class Note:
    """A tray on a broker; `match`, `seq` and `chain` are of the last entry that was taken."""

    url: str
    tray: str
    secret: str = ""
    ca: str = ""
    match: str = ""
    seq: int = 0
    chain: str = ""

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """The note in this file; None where there is none, or none that can be read."""
        with suppress(OSError, ValueError, TypeError):
            return cls(**json.loads(path.read_text("utf-8")))
        return None

    def write(self, path: Path) -> None:
        """In one step, so that a power cut leaves the old note or the new one.

        It need not outlive the cut: what is sent again counts once.
        """
        fresh = path.with_suffix(".new")
        with suppress(OSError):  # a full disk: the entries go out again, and count once
            fresh.write_text(json.dumps(asdict(self)), "utf-8")
            os.replace(fresh, path)  # noqa: PTH105 - says that it replaces
