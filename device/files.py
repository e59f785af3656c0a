"""Where files are, how they are written, and whose they are; `game.file_io` writes them whole or not at all."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL
from pathlib import Path
from zipfile import ZIP_STORED, ZipInfo

import click
import platformdirs

from device.errors import UsageError
from game.file_io import UNFINISHED_SUFFIX, atomic_file, read_bounded, write_atomically

__all__ = (
    "UNFINISHED_SUFFIX",
    "atomic_file",
    "read_bounded",
    "write_atomically",
)  # of the game, found here too

SERVICE = "traykeeper.service"
UNIT_FILE = Path("etc/systemd/system") / SERVICE
SERVICE_STATE = Path("var/lib/traykeeper")
SERVICE_USER = "traykeeper"
"""Whom the service runs as."""


ROOT = Path("/")
ABANDONED_S = 60.0
"""Nobody writes one for so long."""

YEAR_OF_ZIP = 1980
"""The format knows no earlier one, and a Pi whose clock is not set lives in 1970."""


def state_folder(named: str | None = None, root: Path | None = None) -> Path:
    """Where this machine's companion keeps its matches and its profile.

    Args:
        named: by the settings or on the command line; empty or None is the usual one, which is the
            service's where that is installed.
        root: another system than this one, for the doctor and for tests.
    """
    if named:
        return Path(named)
    if is_service(root):
        return (root or ROOT) / SERVICE_STATE
    return platformdirs.user_state_path("traykeeper")


def is_service(root: Path | None = None) -> bool:
    """Whether it was set up to start with the machine."""
    return ((root or ROOT) / UNIT_FILE).exists()


def printable(text: Path | str) -> str:
    """A name or a sentence, on one line and without anything that a terminal would obey."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))


def remove_unfinished(folder: Path, now_s: float) -> None:
    """What was being written there, or in its folders, when the power was cut; seconds since 1970."""
    for path in folder.rglob(f".*{UNFINISHED_SUFFIX}"):
        with suppress(OSError):  # one that cannot be taken away keeps no other
            if now_s - path.lstat().st_mtime > ABANDONED_S:
                path.unlink()


def zip_member(name: str, compression: int = ZIP_STORED) -> ZipInfo:
    """A file in a zip as of now, as far as a zip can say that; for our eyes alone."""
    now = time.localtime()
    info = ZipInfo(name, now[:6] if now.tm_year >= YEAR_OF_ZIP else (YEAR_OF_ZIP, 1, 1, 0, 0, 0))
    info.compress_type, info.external_attr = compression, 0o600 << 16
    return info


def replace_file(path: Path, data: bytes) -> None:
    """The same, with the rights of the one that was there; that is put beside it as `.bak`.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    with atomic_file(path) as file:
        file.write(data)
        if path.exists():
            os.fchmod(file.fileno(), path.stat().st_mode)
            shutil.copy2(path, path.with_name(f"{path.name}.bak"))


def print_line(line: object, *, err: bool = False) -> None:
    """A line for people, on the terminal: names in it may be anybody's."""
    click.echo(printable(str(line)), err=err)


@contextmanager
def as_owner_of(folder: Path) -> Iterator[None]:
    """What root does there it does as whom the folder belongs to: a link set there leads to nothing of root's.

    Only this thread does: a camera that others look at meanwhile stays root's.
    """
    owner = folder.stat() if folder.exists() else None
    if os.geteuid() != 0 or owner is None or owner.st_uid == 0:
        yield
        return
    groups = os.getgroups()
    this_thread = CDLL(None)  # the functions of `os` are for all threads at once
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
    """Who plays there writes all the time; what root writes, its owner could not go on with.

    Raises:
        UsageError: root is asked to, and the folder is another's.
    """
    if os.geteuid() == 0 and folder.exists() and (owner := folder.stat().st_uid):
        raise UsageError(
            f"{printable(folder)} belongs to user {owner}, not to root: start the service that plays there "
            "(sudo systemctl start traykeeper), or play without sudo"
        )


def make_folder(folder: Path) -> None:
    """Where matches are kept from now on, if it is not there yet.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{printable(folder)}: no folder can be made there ({error.strerror}): name another as state"
        ) from None
