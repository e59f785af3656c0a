"""One file with all that is worth keeping: the matches, the calibration, the settings.

A zip with a list of what is in it and the SHA-256 of each; what does not agree is refused whole.
Settings or a calibration that hold a mistake are left out: they cost no matches.
"""

import hashlib
import io
import json
import sqlite3
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from device import settings
from device.calibrating import profile_file
from device.errors import UsageError
from device.files import atomic_file, printable, read_bounded, zip_member
from game.errors import DamagedJournal, GameError, JournalError, TraykeeperError, quoted, reason
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE as JOURNAL
from game.journal.rows import last_position, open_copy
from game.journal.schema import identity
from game.message import Message, Plural, Value, join_with_and

FORMAT = 1
LIST = "backup.json"
SETTINGS = settings.SYSTEM_FILE.name
MEMBERS = (JOURNAL, profile_file.FILE, SETTINGS)

MAX_BYTES = {
    JOURNAL: 160 * 1024 * 1024,
    profile_file.FILE: profile_file.MAX_BYTES,
    SETTINGS: 65_536,
}
"""Of each file in it. A thousand long matches are some 80 MB."""

PARSED: Mapping[str, Callable[[str, str], object]] = {
    profile_file.FILE: profile_file.parse,
    SETTINGS: settings.parse,
}

NO_ZIP = (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, LZMAError)

MAX_LIST = 65_536
MAX_NUMBER_OF_FILES = 8

MAX_FILE = sum(MAX_BYTES.values())
"""Of a backup: packed it is less."""

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
        identity: of the journal in it: to that one it belongs.
        unfit: files that were there and are left out, as they do not hold.
    """

    made_s: float
    position: int
    matches: int
    parts: Mapping[str, bytes]
    identity: str = ""
    unfit: tuple[str, ...] = ()

    @property
    def journal(self) -> bytes:
        return self.parts[JOURNAL]

    @property
    def contents(self) -> Message:
        """What is in it, and since when."""
        rest = [name for name in MEMBERS[1:] if name in self.parts]
        made = _day(self.made_s)
        held = join_with_and([match_count(self.matches), *rest])
        if self.unfit:
            return Message(
                "%(held)s, made %(when)s; left out, as it does not hold: %(files)s",
                held=held,
                when=made,
                files=join_with_and(self.unfit),
            )
        return Message("%(held)s, made %(when)s", held=held, when=made)

    def __str__(self) -> str:
        return str(self.contents)


def _day(at_s: float) -> str:
    try:
        return datetime.fromtimestamp(at_s).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return "?"


def match_count(matches: int) -> Message:
    """So many, in words for people."""
    return Plural("1 match", "%(n)s matches", n=matches)


def collect(folder: Path, settings_file: Path | None, now_s: float) -> Backup:
    """What is there now; the journal as it is at this moment, whoever writes it meanwhile.

    Raises:
        JournalError: the journal cannot be read, is damaged, or too large to be read back.
        OSError: another file cannot be read.
    """
    parts = {JOURNAL: History(folder / JOURNAL).copy()}
    if len(parts[JOURNAL]) > MAX_BYTES[JOURNAL]:
        raise JournalError(_too_large(JOURNAL, MAX_BYTES[JOURNAL]))
    for name, path in ((profile_file.FILE, folder / profile_file.FILE), (SETTINGS, settings_file)):
        if path is not None and path.exists():
            parts[name] = read_bounded(path, MAX_BYTES[name])
    try:
        return _looked_at(now_s, parts)
    except (sqlite3.Error, _UnfitError) as error:
        raise DamagedJournal(
            Message(
                "%(file)s: the journal is damaged (%(why)s): restart, and it is mended from its trace "
                "and the backups",
                file=str(folder / JOURNAL),
                why=reason(error),
            )
        ) from None


def pack(backup: Backup, file: IO[bytes]) -> None:
    """Write the backup into this file."""
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
    with ZipFile(file, "w", ZIP_DEFLATED) as zipped:
        zipped.writestr(zip_member(LIST, ZIP_DEFLATED), json.dumps(listed, indent=1) + "\n")
        for name, data in backup.parts.items():
            zipped.writestr(zip_member(name, ZIP_DEFLATED), data)


class BackupError(TraykeeperError, UsageError):
    """What should be a backup is none, or does not hold; says what, and what to do."""


class _UnfitError(TraykeeperError, ValueError):
    """Why a backup does not hold."""


def unpack(data: bytes, where: Value) -> Backup:
    """The backup in this file, if all of it holds.

    Raises:
        BackupError: it does not.
    """
    try:
        with ZipFile(io.BytesIO(data)) as pack:
            if len(pack.infolist()) > MAX_NUMBER_OF_FILES:
                raise _UnfitError(Message("it holds too many files"))
            listed = json.loads(_member(pack, LIST, MAX_LIST))
            parts = {name: _part(pack, name) for name in listed["files"]}
        _check(listed, parts)
        return _looked_at(float(listed["made_s"]), parts)
    except NO_ZIP as error:
        why = Message("no zip file (%(why)s)", why=reason(error))
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
        sqlite3.Error,
    ) as error:
        why = reason(error)
    raise BackupError(
        Message(
            "%(file)s: this backup cannot be used: %(why)s: take another one", file=where, why=why
        )
    )


def write(backup: Backup, path: Path) -> None:
    """Write the file whole or not at all; nobody else may read it.

    Raises:
        OSError: it cannot be written.
    """
    with atomic_file(path) as file:
        pack(backup, file)


def is_backup(path: Path) -> bool:
    """Whether this file was made as a backup; not, whether it holds."""
    try:
        with ZipFile(path) as pack:
            return LIST in pack.namelist()
    except (*NO_ZIP, OSError, ValueError):
        return False


def read(path: Path) -> Backup:
    """The backup in this file.

    Raises:
        BackupError: there is none, or it does not hold.
    """
    try:
        data = read_bounded(path, MAX_FILE)
    except OSError as error:
        raise BackupError(
            Message(
                "%(file)s: %(why)s: name a backup to restore",
                file=printable(path),
                why=str(error.strerror),
            )
        ) from None
    return unpack(data, printable(path))


def _part(pack: ZipFile, name: str) -> bytes:
    if name not in MEMBERS:
        raise _UnfitError(Message("%(file)s is no part of a backup", file=quoted(name)))
    return _member(pack, name, MAX_BYTES[name])


def _member(pack: ZipFile, name: str, most: int) -> bytes:
    """One file of it; what claims to be small and is not is cut off."""
    if pack.getinfo(name).file_size > most:
        raise _UnfitError(_too_large(name, most))
    with pack.open(name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise _UnfitError(_too_large(name, most))
    return data


def _too_large(name: str, most: int) -> Message:
    return Message("%(file)s is larger than %(n)s kB", file=name, n=most // 1024)


def _check(listed: Mapping[str, Any], parts: Mapping[str, bytes]) -> None:
    if listed["format"] != FORMAT:
        raise _UnfitError(
            Message(
                "it has format %(found)s, known is %(known)s: update first",
                found=str(listed["format"]),
                known=str(FORMAT),
            )
        )
    for name, data in parts.items():
        if hashlib.sha256(data).hexdigest() != listed["files"][name]["sha256"]:
            raise _UnfitError(Message("%(file)s has changed since it was written", file=name))


def _looked_at(made_s: float, parts: Mapping[str, bytes]) -> Backup:
    """These files as a backup, if the journal among them holds."""
    unfit = tuple(name for name, data in parts.items() if not _holds(name, data))
    parts = {name: data for name, data in parts.items() if name not in unfit}
    try:
        with closing(open_copy(parts[JOURNAL])) as db:
            (matches,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
            return Backup(made_s, last_position(db), int(matches), parts, identity(db), unfit)
    except GameError as error:
        raise _UnfitError(reason(error)) from None


def _holds(name: str, data: bytes) -> bool:
    """Whether a calibration or settings could be used; the journal is looked at by itself."""
    if name not in PARSED:
        return True
    try:
        PARSED[name](data.decode("utf-8-sig"), name)
    except (ValueError, RecursionError):
        return False
    return True
