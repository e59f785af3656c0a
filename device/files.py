"""Folders and files of the program: where they are, who owns them, and how they are replaced."""

import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZIP_STORED, ZipInfo

import click
import platformdirs

from device.errors import UsageError
from game import toml_table
from game.file_io import (
    UNFINISHED_SUFFIX,
    atomic_file,
    read_bounded,
    read_text,
    write_atomically,
)
from game.toml_table import TomlTable

__all__ = (
    "UNFINISHED_SUFFIX",
    "atomic_file",
    "read_bounded",
    "write_atomically",
)  # re-exported from `game` for all of `device`

T = TypeVar("T")

SERVICE = "traykeeper.service"
UNIT_FILE = Path("etc/systemd/system") / SERVICE
SERVICE_STATE = Path("var/lib/traykeeper")
SERVICE_USER = "traykeeper"
"""The user that the service runs as."""


ROOT = Path("/")
ABANDONED_S = 60.0
"""Age in seconds at which an unfinished file counts as left over from a power cut."""

YEAR_OF_ZIP = 1980
"""The earliest year that a zip file can store. The clock of a Pi that has never been set shows 1970."""


def state_folder(named: str | None = None, root: Path | None = None) -> Path:
    """Return the folder in which the companion keeps its matches and its profile.

    Args:
        named: The folder named in the settings or on the command line. If this is empty or None, the service's
            folder is returned, or the user's own folder if the service is not installed.
        root: Root folder of the system; None means `/`. The doctor and tests use another one.
    """
    if named:
        return Path(named)
    if is_service(root):
        return (root or ROOT) / SERVICE_STATE
    return platformdirs.user_state_path("traykeeper")


def is_service(root: Path | None = None) -> bool:
    """Return whether the service is installed on the system below `root`; None means this machine."""
    return ((root or ROOT) / UNIT_FILE).exists()


def printable(text: Path | str) -> str:
    """Return the text on one line, with line breaks and control characters escaped."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))


def remove_unfinished(folder: Path, now_s: float) -> None:
    """Remove files that were not completely written when the power was cut.

    Args:
        folder: The folder to search, including its subfolders.
        now_s: The time now, in seconds since 1970.
    """
    for path in folder.rglob(f".*{UNFINISHED_SUFFIX}"):
        with suppress(OSError):  # another file may still be removable
            if now_s - path.lstat().st_mtime > ABANDONED_S:
                path.unlink()


def zip_member(name: str, compression: int = ZIP_STORED) -> ZipInfo:
    """Return the header of a file in a zip archive, dated now and readable by its owner only.

    Args:
        name: Name of the file in the archive.
        compression: Compression method, a constant of `zipfile`.
    """
    now = time.localtime()
    info = ZipInfo(name, now[:6] if now.tm_year >= YEAR_OF_ZIP else (YEAR_OF_ZIP, 1, 1, 0, 0, 0))
    info.compress_type, info.external_attr = compression, 0o600 << 16
    return info


def read_json(path: Path, parse: Callable[[Any], T], max_bytes: int = 2**20) -> T | None:
    """Return what a small JSON file contains; None if the file is missing, damaged or too large.

    Args:
        path: The file.
        parse: Converts the parsed JSON; raises ValueError, TypeError or KeyError if it is not valid.
        max_bytes: Largest size of the file.
    """
    try:
        return parse(json.loads(read_bounded(path, max_bytes).decode("utf-8")))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically, keep its owner, group and permissions, and keep the old one as `.bak`.

    Args:
        path: The file.
        data: Its new content.

    Raises:
        OSError: If the file cannot be written. The old file then remains unchanged.
    """
    with atomic_file(path) as file:
        file.write(data)
        if path.exists():
            was = path.stat()
            os.fchmod(file.fileno(), was.st_mode)
            with Path(shutil.copy2(path, path.with_name(f"{path.name}.bak"))).open("rb") as old:
                for each in (file, old):
                    with suppress(PermissionError):  # only root may give files to other users
                        os.fchown(each.fileno(), was.st_uid, was.st_gid)
                os.fsync(old.fileno())


def read_secret_file(path: str, setting: str, expected: str) -> TomlTable:
    """Read the TOML file with a secret that a setting names.

    Errors quote neither the content of the file nor the name of a file that does not exist, because somebody may have
    written the secret itself into the setting.

    Args:
        path: Path of the file.
        setting: Name of the setting.
        expected: What the file must contain, for errors.

    Raises:
        UsageError: If the file does not exist, other users can read it, or it is not valid TOML.
        FileError: If the file cannot be read.
    """
    try:
        mode = Path(path).stat().st_mode
    except PermissionError:
        mode = 0
    except (OSError, ValueError):
        raise UsageError(
            f"{setting}: the file does not exist: write the absolute path of a file with {expected}"
        ) from None
    text = read_text(Path(path))
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"{path}: other users can read this secret: chmod 600 {path}")
    return toml_table.parse(text, path, lambda _: UsageError(f"{path}: write {expected}"))


def print_line(line: object, *, err: bool = False) -> None:
    """Print a line on the terminal, with control characters escaped.

    Args:
        line: What to print. It may contain names that strangers have chosen.
        err: Whether to print to stderr instead of stdout.
    """
    click.echo(printable(str(line)), err=err)


@contextmanager
def as_owner_of(folder: Path) -> Iterator[None]:
    """Within the block, access files as the owner of a folder if the process runs as root.

    A symbolic link in the folder then cannot make root change other files. This applies only to the calling thread;
    other threads keep root's access to the camera.
    """
    owner = folder.stat() if folder.exists() else None
    if os.geteuid() != 0 or owner is None or owner.st_uid == 0:
        yield
        return
    groups = os.getgroups()
    this_thread = CDLL(None)  # the functions of `os` change all threads
    os.setgroups([owner.st_gid])
    this_thread.setfsgid(owner.st_gid)
    this_thread.setfsuid(owner.st_uid)
    try:
        yield
    finally:
        this_thread.setfsuid(0)
        this_thread.setfsgid(os.getegid())
        os.setgroups(groups)


def refuse_as_root(folder: Path) -> None:
    """Refuse to play as root in another user's folder, because its owner could not write there afterwards.

    Raises:
        UsageError: If the process runs as root and the folder belongs to another user.
    """
    if os.geteuid() == 0 and folder.exists() and (owner := folder.stat().st_uid):
        raise UsageError(
            f"{printable(folder)} belongs to user {owner}, not to root: start the service that uses it "
            "(sudo systemctl start traykeeper), or play without sudo"
        )


def make_folder(folder: Path) -> None:
    """Create the folder for the matches if it does not exist.

    Raises:
        UsageError: If the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{printable(folder)}: this folder cannot be created ({error.strerror}): set state to another one"
        ) from None
