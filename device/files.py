"""Where files are, and how they are written: whole or not at all."""

import errno
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO
from zipfile import ZIP_STORED, ZipInfo

import platformdirs

from device.errors import UsageError
from game.journal.file_guard import sync_folder

SERVICE = "traykeeper.service"
UNIT = Path("etc/systemd/system") / SERVICE
SERVICE_STATE = Path("var/lib/traykeeper")
USER = "traykeeper"
"""Whom the service runs as."""


ROOT = Path("/")
UNFINISHED = ".unfinished"
"""How the name of a file ends that is being written."""
WRITTEN_S = 60.0
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
    return ((root or ROOT) / UNIT).exists()


def read_bounded(path: Path, most: int) -> bytes:
    """What is in this file.

    Raises:
        OSError: it cannot be read, is larger than so many bytes, or is no file: a device never ends.
    """
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would wait for whoever fills it
    with os.fdopen(number, "rb") as file:
        _refuse_device(path, os.fstat(number).st_mode)
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // 1024} kB", str(path))
    return data


def shown(text: Path | str) -> str:
    """A name or a sentence, on one line and without anything that a terminal would obey."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))


def _refuse_device(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", str(path))


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file beside it, for our eyes alone, that takes its place at the end.

    Raises:
        OSError: it cannot be written, or a device has its name; the old one stands as it was.
    """
    if path.exists():
        _refuse_device(path, path.stat().st_mode)
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=UNFINISHED)
    try:
        with os.fdopen(number, "wb") as fresh:
            yield fresh
            fresh.flush()
            os.fsync(number)
        Path(name).replace(path)
        sync_folder(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def clear_unfinished(folder: Path, now_s: float) -> None:
    """What was being written there, or in its folders, when the power was cut; seconds since 1970."""
    for path in folder.rglob(f".*{UNFINISHED}"):
        with suppress(OSError):  # one that cannot be taken away keeps no other
            if now_s - path.lstat().st_mtime > WRITTEN_S:
                path.unlink()


def write_whole(path: Path, data: bytes | str) -> None:
    """The file with this in it; text as UTF-8.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    with whole_file(path) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def zip_member(name: str, compression: int = ZIP_STORED) -> ZipInfo:
    """A file in a zip as of now, as far as a zip can say that; for our eyes alone."""
    now = time.localtime()
    info = ZipInfo(name, now[:6] if now.tm_year >= YEAR_OF_ZIP else (YEAR_OF_ZIP, 1, 1, 0, 0, 0))
    info.compress_type, info.external_attr = compression, 0o600 << 16
    return info


def replace_whole(path: Path, data: bytes) -> None:
    """The same, with the rights of the one that was there; that is put beside it as `.bak`.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    with whole_file(path) as file:
        file.write(data)
        if path.exists():
            os.fchmod(file.fileno(), path.stat().st_mode)
            shutil.copy2(path, path.with_name(f"{path.name}.bak"))


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
            f"{shown(folder)} belongs to user {owner}, not to root: start the service that plays there "
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
            f"{shown(folder)}: no folder can be made there ({error.strerror}): name another as state"
        ) from None
