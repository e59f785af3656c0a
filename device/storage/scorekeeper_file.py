"""Where the pencil is kept over a restart: one small file that only the companion may read.

It holds the secret that signs what phones carry, so it is as good as every pencil there ever was.
"""

import json
from dataclasses import asdict
from json import JSONDecodeError
from pathlib import Path
from secrets import token_bytes

from device.errors import UsageError
from device.files import write_atomically
from game.file_io import read_bounded
from web.access.scorekeeper import ScorekeeperRecord

FILE = "pencil.json"
SECRET_BYTES = 32
MOST = 1024 * 1024


class ScorekeeperFile:
    """The file in the state folder.

    One that is damaged is as good as none: all phones ask anew. One that cannot be written says so
    in `trouble`, and the pencil lasts until the companion stops.

    Attributes:
        secret: signs what phones carry.
        kept: who held the pencil.
        trouble: why nothing can be kept, or "".
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.trouble = ""
        found = _read(file)
        if found:
            self.secret, self.record = found
        else:
            self.secret, self.record = token_bytes(SECRET_BYTES), ScorekeeperRecord()
            self.save(self.record)

    def __repr__(self) -> str:
        return f"<ScorekeeperFile {self._file}>"

    def save(self, record: ScorekeeperRecord) -> None:
        """Write it, as one step."""
        self.record = record
        text = json.dumps({"secret": self.secret.hex()} | asdict(record))
        try:
            write_atomically(self._file, text)
        except OSError as error:
            self.trouble = f"{self._file} cannot be written ({error.strerror}): after a restart "
            self.trouble += "the pencil must be asked for again"
        else:
            self.trouble = ""


def secret_of(folder: Path) -> bytes:
    """The secret of the companion that plays in this folder.

    Raises:
        UsageError: there is none that we may read.
    """
    file = folder / FILE
    found = _read(file)
    if found is None:
        raise UsageError(
            f"{file}: no secret can be read here: is the companion running, as this user, "
            "with this --state? On a Pi where it is installed: sudo traykeeper pin"
        )
    return found[0]


def _read(file: Path) -> tuple[bytes, ScorekeeperRecord] | None:
    try:
        values = json.loads(read_bounded(file, MOST).decode("utf-8"))
        secret = bytes.fromhex(values["secret"])
        kept = ScorekeeperRecord(
            str(values["holder"]), bool(values["own_turn"]), _names(values["players"])
        )
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
    return (secret, kept) if len(secret) == SECRET_BYTES else None


def _names(players: object) -> dict[str, str]:
    if not isinstance(players, dict):
        raise TypeError
    return {str(phone): str(name) for phone, name in players.items()}
