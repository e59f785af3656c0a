"""One file with all that is worth keeping: the matches, the calibration, the settings.

A zip with a list of what is in it and the SHA-256 of each; what does not agree is refused whole.
"""

import hashlib
import io
import json
import os
import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from calibration import profile
from calibration.profile import ProfileError
from device import settings
from device.errors import UsageError
from device.files import write_whole
from game.errors import GameError
from game.journal.history import History
from game.journal.journal import FILE as JOURNAL
from game.journal.journal import opened

FORMAT = 1
LIST = "backup.json"
SETTINGS = settings.SYSTEM_FILE.name
MEMBERS = (JOURNAL, profile.FILE, SETTINGS)

MAX_BYTES = 512 * 1024 * 1024
"""Of each file in it. A thousand long matches are some 80 MB."""

MAX_PACKED = 64 * 1024 * 1024
"""Of one that is sent over the network, and has to stay in memory meanwhile."""


@dataclass(frozen=True, slots=True)
class Backup:
    """What is in a backup; every part of it was looked at.

    Attributes:
        made_s: when it was made, by the clock of then, seconds since 1970.
        position: of the journal's last entry.
        matches: how many there are.
        parts: the files by their names: the journal always, the others where there were any.
    """

    made_s: float
    position: int
    matches: int
    parts: Mapping[str, bytes]

    @property
    def journal(self) -> bytes:
        return self.parts[JOURNAL]

    def __str__(self) -> str:
        rest = [name for name in MEMBERS[1:] if name in self.parts]
        made = datetime.fromtimestamp(self.made_s).astimezone().strftime("%Y-%m-%d %H:%M")
        held = " and ".join([counted(self.matches), *rest])
        return f"{held}, made {made}"


def counted(matches: int) -> str:
    """So many, in words for people."""
    return "1 match" if matches == 1 else f"{matches:,} matches"


def gather(folder: Path, settings_file: Path | None, now_s: float) -> Backup:
    """What is there now; the journal as it is at this moment, whoever writes it meanwhile.

    Raises:
        JournalError: the journal cannot be read.
        OSError: another file cannot be read.
    """
    parts = {JOURNAL: History(folder / JOURNAL).copy()}
    for name, path in ((profile.FILE, folder / profile.FILE), (SETTINGS, settings_file)):
        if path is not None and path.exists():
            parts[name] = path.read_bytes()
    return Backup(now_s, *_counts(parts[JOURNAL]), parts)


def packed(backup: Backup) -> bytes:
    """The file."""
    files = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in backup.parts.items()
    }
    listed = {
        "format": FORMAT,
        "traykeeper": version("traykeeper"),
        "made_s": backup.made_s,
        "position": backup.position,
        "matches": backup.matches,
        "files": files,
    }
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as pack:
        pack.writestr(LIST, json.dumps(listed, indent=1) + "\n")
        for name, data in backup.parts.items():
            pack.writestr(name, data)
    return file.getvalue()


def unpacked(data: bytes, where: str) -> Backup:
    """The backup in this file, if all of it holds.

    Raises:
        UsageError: it does not: says what, and what to do.
    """
    try:
        with ZipFile(io.BytesIO(data)) as pack:
            listed = json.loads(_member(pack, LIST))
            parts = {name: _member(pack, name) for name in listed["files"]}
        _check(listed, parts)
        return Backup(float(listed["made_s"]), *_counts(parts[JOURNAL]), parts)
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        why = f"no zip file ({error})"
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
        sqlite3.Error,
    ) as error:
        why = str(error)
    raise UsageError(f"{where}: this backup does not hold: {why:.200}: take another one")


def write(backup: Backup, path: Path) -> None:
    """Write the file whole or not at all; nobody else may read it.

    Raises:
        OSError: it cannot be written.
    """
    write_whole(path, packed(backup))


def read(path: Path) -> Backup:
    """The backup in this file.

    Raises:
        UsageError: there is none, or it does not hold.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}: name a backup to restore") from None
    return unpacked(data, str(path))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _member(pack: ZipFile, name: str) -> bytes:
    """One file of it; what claims to be small and is not is cut off."""
    with pack.open(name) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"{name} is larger than {MAX_BYTES // 1024**2} MB")
    return data


def _check(listed: Mapping[str, Any], parts: Mapping[str, bytes]) -> None:
    if listed["format"] != FORMAT:
        raise ValueError(f"it has format {listed['format']}, known is {FORMAT}: update first")
    for name, data in parts.items():
        if name not in MEMBERS:
            raise ValueError(f"{name!r} is no part of a backup")
        if hashlib.sha256(data).hexdigest() != listed["files"][name]["sha256"]:
            raise ValueError(f"{name} has changed since it was written")
    if profile.FILE in parts:
        profile.parse(parts[profile.FILE].decode("utf-8-sig"), profile.FILE)
    if SETTINGS in parts:
        settings.parse(parts[SETTINGS].decode("utf-8-sig"), SETTINGS)


def _counts(journal: bytes) -> tuple[int, int]:
    """Position of the last entry, and the number of matches."""
    try:
        with closing(opened(journal)) as db:
            (position,) = db.execute("SELECT COALESCE(MAX(position), 0) FROM entry").fetchone()
            (matches,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
    except (GameError, ProfileError) as error:
        raise ValueError(str(error)) from None
    return int(position), int(matches)
