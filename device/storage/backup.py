"""A backup: matches, calibration and settings in one zip file.

The zip contains a list of its files with their SHA-256 digests. If a file does not match its digest, the whole backup
is refused. Settings or a calibration that are not valid are left out, because the matches are more valuable.
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
from game.journal.journal import JOURNAL_FILE
from game.journal.schema import identity, last_position, open_copy
from game.message import Message, Plural, Value, join_with_and
from game.typed_json import MALFORMED

FORMAT = 1
LIST = "backup.json"
SETTINGS = settings.SYSTEM_FILE.name
MEMBERS = (JOURNAL_FILE, profile_file.PROFILE_FILE, SETTINGS)

MAX_BYTES = {
    JOURNAL_FILE: 160 * 1024 * 1024,
    profile_file.PROFILE_FILE: profile_file.MAX_BYTES,
    SETTINGS: 65_536,
}
"""Largest size of each file in a backup. A thousand long matches are about 80 MB."""

PARSED: Mapping[str, Callable[[str, str], object]] = {
    profile_file.PROFILE_FILE: profile_file.parse,
    SETTINGS: settings.parse,
}

NO_ZIP = (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, LZMAError)

MAX_LIST = 65_536
MAX_NUMBER_OF_FILES = 8

MAX_FILE = sum(MAX_BYTES.values())
"""Largest backup file that is read, in bytes. A valid backup is smaller, because its contents are compressed."""

MAX_PACKED = 64 * 1024 * 1024
"""Largest backup that can be uploaded, in bytes, because an upload is kept in memory."""


@dataclass(frozen=True, slots=True)
class Backup:
    """The checked contents of a backup.

    Attributes:
        made_s: When the backup was made, in seconds since 1970 according to the clock at that time.
        position: Position of the journal's last entry.
        matches: Number of matches.
        parts: The files by name: always the journal, and the calibration and settings if there were any.
        identity: Id of the journal.
        unfit: Names of files that were left out because they are not valid.
    """

    made_s: float
    position: int
    matches: int
    parts: Mapping[str, bytes]
    identity: str = ""
    unfit: tuple[str, ...] = ()

    @property
    def journal(self) -> bytes:
        """The journal, as a SQLite database."""
        return self.parts[JOURNAL_FILE]

    @property
    def contents(self) -> Message:
        """A description of the backup: its content, and when it was made."""
        rest = [name for name in MEMBERS[1:] if name in self.parts]
        made = _day(self.made_s)
        held = join_with_and([match_count(self.matches), *rest])
        if self.unfit:
            return Message(
                "%(held)s, made %(when)s; left out because of errors: %(files)s",
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
    """Return a number of matches as a message, such as "3 matches"."""
    return Plural("1 match", "%(n)s matches", n=matches)


def collect(folder: Path, settings_file: Path | None, now_s: float) -> Backup:
    """Return a backup of the state folder as it is now. The program may write to the journal at the same time.

    Args:
        folder: The state folder.
        settings_file: Path of the settings file; None if there is none.
        now_s: Time of the backup, in seconds since 1970.

    Raises:
        JournalError: If the journal cannot be read, is damaged, or is too large to be restored.
        OSError: If another file cannot be read.
    """
    parts = {JOURNAL_FILE: History(folder / JOURNAL_FILE).copy()}
    if len(parts[JOURNAL_FILE]) > MAX_BYTES[JOURNAL_FILE]:
        raise JournalError(_too_large(JOURNAL_FILE, MAX_BYTES[JOURNAL_FILE]))
    for name, path in (
        (profile_file.PROFILE_FILE, folder / profile_file.PROFILE_FILE),
        (SETTINGS, settings_file),
    ):
        if path is not None and path.exists():
            parts[name] = read_bounded(path, MAX_BYTES[name])
    try:
        return _checked(now_s, parts)
    except (sqlite3.Error, _UnfitError) as error:
        raise DamagedJournal(
            Message(
                "%(file)s: the journal is damaged (%(why)s): restart Traykeeper to repair it "
                "from the second copy and the backups",
                file=str(folder / JOURNAL_FILE),
                why=reason(error),
            )
        ) from None


def pack(backup: Backup, file: IO[bytes]) -> None:
    """Write a backup as a zip file.

    Args:
        backup: The backup.
        file: A binary file that is open for writing.
    """
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
    """Raised when a file is not a valid backup. The message says why, and what to do."""


class _UnfitError(TraykeeperError, ValueError):
    """Raised when a part of a backup is not valid. The message gives the reason."""


def unpack(data: bytes, where: Value) -> Backup:
    """Check a zip file and return the backup in it.

    Args:
        data: The bytes of the zip file.
        where: Name of the file in error messages.

    Raises:
        BackupError: If the file is not a valid backup.
    """
    try:
        with ZipFile(io.BytesIO(data)) as pack:
            if len(pack.infolist()) > MAX_NUMBER_OF_FILES:
                raise _UnfitError(Message("it contains too many files"))
            listed = json.loads(_member(pack, LIST, MAX_LIST))
            parts = {name: _part(pack, name) for name in listed["files"]}
        _check(listed, parts)
        return _checked(float(listed["made_s"]), parts)
    except NO_ZIP as error:
        why = Message("not a zip file (%(why)s)", why=reason(error))
    except (*MALFORMED, sqlite3.Error) as error:
        why = reason(error)
    raise BackupError(
        Message(
            "%(file)s: this backup cannot be used: %(why)s: use another one", file=where, why=why
        )
    )


def write(backup: Backup, path: Path) -> None:
    """Write a backup atomically to a file that only its owner may read.

    Args:
        backup: The backup.
        path: Path of the file.

    Raises:
        OSError: If the file cannot be written.
    """
    with atomic_file(path) as file:
        pack(backup, file)


def listed_matches(path: Path) -> int:
    """Return the number of matches that a backup's table of contents gives; 0 if the file is not a backup."""
    try:
        with ZipFile(path) as pack:
            return int(json.loads(_member(pack, LIST, MAX_LIST))["matches"])
    except (*NO_ZIP, *MALFORMED, OSError):
        return 0


def is_backup(path: Path) -> bool:
    """Return whether a file is a backup, valid or not."""
    try:
        with ZipFile(path) as pack:
            return LIST in pack.namelist()
    except (*NO_ZIP, OSError, ValueError):
        return False


def read(path: Path) -> Backup:
    """Read a file, check it and return the backup in it.

    Raises:
        BackupError: If the file cannot be read or is not a valid backup.
    """
    try:
        data = read_bounded(path, MAX_FILE)
    except OSError as error:
        raise BackupError(
            Message(
                "%(file)s: %(why)s: give the name of a backup",
                file=printable(path),
                why=str(error.strerror),
            )
        ) from None
    return unpack(data, printable(path))


def _part(pack: ZipFile, name: str) -> bytes:
    if name not in MEMBERS:
        raise _UnfitError(Message("%(file)s does not belong in a backup", file=quoted(name)))
    return _member(pack, name, MAX_BYTES[name])


def _member(pack: ZipFile, name: str, most: int) -> bytes:
    """Return the contents of a file in a zip archive.

    Args:
        pack: The zip archive.
        name: Name of the file in the archive.
        most: Largest accepted size in bytes, whatever size the archive claims.

    Raises:
        _UnfitError: If the file is larger.
    """
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
                "it has format %(found)s, but this version knows %(known)s: update "
                "Traykeeper first",
                found=str(listed["format"]),
                known=str(FORMAT),
            )
        )
    for name, data in parts.items():
        if hashlib.sha256(data).hexdigest() != listed["files"][name]["sha256"]:
            raise _UnfitError(Message("%(file)s was changed after it was written", file=name))


def _checked(made_s: float, parts: Mapping[str, bytes]) -> Backup:
    """Return a backup of these files, without those that are not valid.

    Args:
        made_s: When the backup was made, in seconds since 1970.
        parts: The contents of each file, by name.

    Raises:
        _UnfitError: If the journal is not valid.
    """
    unfit = tuple(name for name, data in parts.items() if not _is_valid(name, data))
    parts = {name: data for name, data in parts.items() if name not in unfit}
    try:
        with closing(open_copy(parts[JOURNAL_FILE])) as db:
            (matches,) = db.execute("SELECT COUNT(*) FROM match").fetchone()
            return Backup(made_s, last_position(db), int(matches), parts, identity(db), unfit)
    except GameError as error:
        raise _UnfitError(reason(error)) from None


def _is_valid(name: str, data: bytes) -> bool:
    """Return whether a calibration or settings file is valid; the journal is checked separately."""
    if name not in PARSED:
        return True
    try:
        PARSED[name](data.decode("utf-8-sig"), name)
    except (ValueError, RecursionError):
        return False
    return True
