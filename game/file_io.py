"""Plain files: opened only where they are files, read with a bound, written whole or not at all."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

UNFINISHED_SUFFIX = ".unfinished"
"""How the name of a file ends that is being written."""

SHELL_PIPES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Pipes so named were filled by a shell, as `<(command)` is; others wait for whoever may fill them."""


def open_bounded_source(path: Path) -> BinaryIO:
    """The file, to read; who reads it bounds how much, as a device may never end.

    Raises:
        OSError: it cannot be read, is a folder, or a pipe that nobody may ever fill.
    """
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        mode = os.fstat(number).st_mode
        if not stat.S_ISCHR(mode) and not str(path).startswith(SHELL_PIPES):
            refuse_special_file(path, mode)
        os.set_blocking(number, True)
    except OSError:
        os.close(number)
        raise
    return os.fdopen(number, "rb")


@contextmanager
def open_regular_file(path: Path) -> Iterator[BinaryIO]:
    """The same, and no device either: what has an end.

    Raises:
        OSError: it cannot be read, or is no file.
    """
    with open_bounded_source(path) as file:
        refuse_special_file(path, os.fstat(file.fileno()).st_mode)
        yield file


def read_bounded(path: Path, most: int) -> bytes:
    """What is in this file.

    Raises:
        OSError: it cannot be read, is no file, or is larger than so many bytes.
    """
    with open_regular_file(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // 1024} kB", str(path))
    return data


def refuse_special_file(path: Path, mode: int) -> None:
    """Whether that is a file, by its mode.

    Raises:
        OSError: it is none.
    """
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", str(path))


@contextmanager
def atomic_file(path: Path, *, synced: bool = True) -> Iterator[BinaryIO]:
    """A new file beside it, for our eyes alone, that takes its place at the end.

    Args:
        path: where.
        synced: a power cut right afterwards finds it; without, the old one or the new one.

    Raises:
        OSError: it cannot be written, or a device has its name; the old one stands as it was.
    """
    if path.exists():
        refuse_special_file(path, path.stat().st_mode)
    path.parent.mkdir(parents=True, exist_ok=True)
    number, name = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=UNFINISHED_SUFFIX)
    try:
        with os.fdopen(number, "wb") as fresh:
            yield fresh
            fresh.flush()
            if synced:
                os.fsync(number)
        Path(name).replace(path)
        if synced:
            sync_folder(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_atomically(path: Path, data: bytes | str, *, synced: bool = True) -> None:
    """The file with this in it; text as UTF-8.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    with atomic_file(path, synced=synced) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def sync_folder(folder: Path) -> None:
    """Names in it are on the disk afterwards, not only what they stand for."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
