"""A small file that stores the scorekeeper across restarts, and that only the companion may read.

The file contains the secret that signs the cookies of the phones. Any program that can read this secret
can become the scorekeeper.
"""

import json
from dataclasses import asdict
from pathlib import Path
from secrets import token_bytes
from typing import Any

from device.errors import UsageError
from device.files import read_json, write_atomically
from web.access.scorekeeper import ScorekeeperRecord

SCOREKEEPER_FILE = "scorekeeper.json"
SECRET_BYTES = 32


class ScorekeeperFile:
    """The file in the state folder that stores the scorekeeper.

    A damaged file counts as missing, and every phone then has to ask again to keep score. If the file cannot be
    written, the scorekeeper is known only until the companion stops.

    Args:
        file: Path of the file.

    Attributes:
        secret: The key that signs the cookies of the phones.
        record: Which phone is the scorekeeper, and which players belong to phones.
        trouble: Why the file cannot be written; "" if it can.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.trouble = ""
        found = read_json(file, _parse)
        if found:
            self.secret, self.record = found
        else:
            self.secret, self.record = token_bytes(SECRET_BYTES), ScorekeeperRecord()
            self.save(self.record)

    def __repr__(self) -> str:
        return f"<ScorekeeperFile {self._file}>"

    def save(self, record: ScorekeeperRecord) -> None:
        """Save which phone is the scorekeeper. If the file cannot be written, set `trouble`."""
        self.record = record
        text = json.dumps({"secret": self.secret.hex()} | asdict(record))
        try:
            write_atomically(self._file, text)
        except OSError as error:
            self.trouble = (
                f"{self._file} cannot be written ({error.strerror}): "
                "after a restart, the scorekeeper has to ask again"
            )
        else:
            self.trouble = ""


def secret_of(folder: Path) -> bytes:
    """Return the key that signs the cookies of the companion that uses this state folder.

    Raises:
        UsageError: If there is no secret that this user may read.
    """
    file = folder / SCOREKEEPER_FILE
    found = read_json(file, _parse)
    if found is None:
        raise UsageError(
            f"{file}: the secret cannot be read: start the companion as this user and with this "
            "--state. On a Pi where it is installed, use sudo traykeeper pin"
        )
    return found[0]


def _parse(values: Any) -> tuple[bytes, ScorekeeperRecord]:
    secret, players = bytes.fromhex(values["secret"]), values["players"]
    if len(secret) != SECRET_BYTES or not isinstance(players, dict):
        raise ValueError("not a scorekeeper file")
    names = {str(phone): str(name) for phone, name in players.items()}
    return secret, ScorekeeperRecord(str(values["holder"]), bool(values["own_turn"]), names)
